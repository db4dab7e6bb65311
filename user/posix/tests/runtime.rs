//! What of `runtime` can run on the host, against models and the host's own library: the
//! programs of this folder, compiled for the host.

use std::path::Path;
use std::process::Command;

/// Compiles a program of this folder and runs it with a count of cases.
fn run(name: &str, flags: &[&str], cases: u32) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program =
        std::env::temp_dir().join(format!("giornata-posix-{name}-{}", std::process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let compiled = Command::new(compiler)
        .args(["-std=gnu17", "-g", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(["-fsanitize=undefined", "-fno-sanitize-recover", "-I"])
        .arg(folder.join("tests/host"))
        .arg("-idirafter")
        .arg(folder.join("../c/include"))
        .arg("-o")
        .arg(&program)
        .arg(folder.join("tests").join(name).with_extension("c"))
        .args(flags)
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
    let ran = Command::new(&program).arg(cases.to_string()).output();
    let ran = ran.expect("what was compiled");
    std::fs::remove_file(&program).expect("it is there");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
}

#[test]
fn random_calls_of_malloc_keep_every_block_and_every_list() {
    run("heap", &[], 400);
}

#[test]
fn long_double_is_printed_as_the_library_of_the_host_does() {
    let flags: &[&str] = match cfg!(target_arch = "x86_64") {
        true => &["-Wno-format", "-mlong-double-128", "-lquadmath"],
        false => &["-Wno-format"],
    };
    run("printf", flags, 20_000);
}
