//! `examples/posix-pump` on the host says what it says on the target.

use std::path::Path;
use std::process::Command;

#[test]
fn the_pump_says_on_the_host_what_it_says_on_the_target() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/posix-pump");
    let folder = std::env::temp_dir().join(format!("giornata-pump-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("pump");
    let sources = std::fs::read_dir(example.join("src")).unwrap();
    let sources = sources.map(|entry| entry.unwrap().path());
    let compiled = Command::new("cc")
        .args(["-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .args(sources.filter(|path| path.extension().is_some_and(|ending| ending == "c")))
        .args(["-lpthread", "-lrt"])
        .status();
    assert!(compiled.unwrap().success());
    let said = Command::new(&program).output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(said.status.success());
    let golden = std::fs::read_to_string(example.join("system.golden")).unwrap();
    let logic = golden
        .lines()
        .filter_map(|line| line.strip_prefix("mine: "));
    let said = String::from_utf8(said.stdout).unwrap();
    assert_eq!(said.lines().collect::<Vec<_>>(), logic.collect::<Vec<_>>());
}
