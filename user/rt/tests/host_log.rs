//! What a test logs on the host is its output.

use std::process::Command;

use giornata_rt::{log, log_warning};

/// What the other test runs.
#[test]
fn logs() {
    log!("the tank is {} mm high, which is more than a piece", 900);
    log_warning!("it leaks");
    std::thread::spawn(|| log!("from a second thread"))
        .join()
        .expect("it ends");
}

fn output(argument: &str) -> String {
    let program = std::env::current_exe().expect("it runs");
    let output = Command::new(program)
        .args(["--exact", "logs", argument])
        .output()
        .expect("it is there");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("what tests write is text")
}

#[test]
#[cfg_attr(miri, ignore = "starts itself")]
fn what_a_test_logs_is_captured_and_shown_with_nocapture() {
    let shown = output("--nocapture");
    for line in [
        "the tank is 900 mm high, which is more than a piece\n",
        "warning: it leaks\n",
        "from a second thread\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let captured = output("--quiet");
    assert!(!captured.contains("tank"), "{captured}");
}
