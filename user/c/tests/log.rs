//! The formatter of `runtime/log.c`, compiled for the host, against the host's own.

use std::path::Path;
use std::process::Command;

#[test]
fn formatted_log_is_what_printf_makes_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = std::env::temp_dir().join(format!("giornata-c-log-{}", std::process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let compiled = Command::new(compiler)
        // (formats that are wrong on purpose)
        .args(["-std=gnu17", "-g", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(["-Wno-format", "-Wno-format-truncation", "-idirafter"])
        .arg(folder.join("include"))
        .arg("-o")
        .arg(&program)
        .arg(folder.join("tests/log.c"))
        .arg(folder.join("runtime/log.c"))
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let ran = Command::new(&program).output().expect("what was compiled");
    std::fs::remove_file(&program).expect("it is there");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}
