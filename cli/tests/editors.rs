//! What editors say of a project of one's own: nothing. Needs `rust-analyzer` and
//! `clangd`, and builds a kernel: `./x test editors` runs it.

#[expect(dead_code, reason = "other commands than giornata run here, too")]
mod folder;

use std::process::{Command, Output};

use folder::Folder;

const SYSTEM: &str = "\
name = \"pump\"
board = \"qemu-virt64\"
[kernel]
config = \"emeralds\"
[mutex.bus]
[process.pump]
crate = \"pump\"
threads = { pump = {} }
grants = { mutex = [\"bus\"] }
[process.valve]
c = [\"valve.c\"]
threads = { valve = {} }
grants = { mutex = [\"bus\"] }
";

const LIBRARY: &str = "\
//! A pump.
#![no_std]

#[allow(dead_code, reason = \"all that system.toml names\")]
mod identifiers {
    include!(concat!(env!(\"OUT_DIR\"), \"/identifiers.rs\"));
}

use giornata_rt::{log, process, thread};
use identifiers::MUTEX_BUS;

/// Pumps while nobody else has the bus.
#[thread]
pub fn pump() {
    let guard = MUTEX_BUS.lock();
    log!(\"pumped {}\", guard.is_ok());
}

process! { tasks: [], drivers: [], threads: [pump] }
";

const VALVE: &str = "\
#include <giornata.h>
#include <identifiers.h>

void valve(void)
{
    if (sem_lock(MUTEX_BUS) == 0)
        sem_unlock(MUTEX_BUS);
}
";

fn project(test: &str) -> Folder {
    let folder = Folder::new(test);
    let home = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    std::fs::create_dir_all(folder.0.join("pump/src")).unwrap();
    folder.write("system.toml", SYSTEM);
    folder.write("valve.c", VALVE);
    folder.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"pump\"]\n",
    );
    let manifest = format!(
        "[package]\nname = \"pump\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
         [lib]\ncrate-type = [\"lib\", \"staticlib\"]\n\
         [dependencies]\ngiornata-rt = {{ path = \"{home}/user/rt\" }}\n\
         [build-dependencies]\ngiornata-build = {{ path = \"{home}/user/build\" }}\n"
    );
    folder.write("pump/Cargo.toml", manifest);
    let build = "//! The names of the system.\n\
                 fn main() {\n    giornata_build::identifiers(\"../system.toml\");\n}\n";
    folder.write("pump/build.rs", build);
    folder.write("pump/src/lib.rs", LIBRARY);
    folder
}

fn run(folder: &Folder, command: &str, arguments: &[&str], giornata: &str) -> Output {
    let mut command = Command::new(command);
    command.args(arguments).current_dir(&folder.0);
    command.env("GIORNATA", giornata);
    // (the test's own: the project has its own)
    for variable in ["CARGO_TARGET_DIR", "GIORNATA_IDENTIFIERS"] {
        command.env_remove(variable);
    }
    command
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"))
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}{err}")
}

const GIORNATA: &str = env!("CARGO_BIN_EXE_giornata");

#[test]
#[ignore = "compiles the runtime for the host: `./x test editors`"]
fn names_of_the_system_are_there_in_plain_cargo() {
    let folder = project("editors-cargo");
    let checked = run(&folder, "cargo", &["check", "--offline"], GIORNATA);
    assert!(checked.status.success(), "{}", said(&checked));
    // a name that the system file does not have is an error at its line
    folder.write("system.toml", SYSTEM.replace("bus", "line"));
    let checked = run(&folder, "cargo", &["check", "--offline"], GIORNATA);
    let text = said(&checked);
    assert!(
        !checked.status.success() && text.contains("MUTEX_BUS"),
        "{text}"
    );
    // without the command, what to do is said
    folder.write("system.toml", SYSTEM);
    let checked = run(
        &folder,
        "cargo",
        &["check", "--offline"],
        "/nowhere/giornata",
    );
    let text = said(&checked);
    assert!(
        !checked.status.success() && text.contains("run `giornata build` once"),
        "{text}"
    );
}

#[test]
#[ignore = "needs rust-analyzer: `./x test editors`"]
fn rust_analyzer_finds_no_error_in_a_project() {
    let folder = project("editors-rust-analyzer");
    let found = run(&folder, "rust-analyzer", &["diagnostics", "."], GIORNATA);
    let text = said(&found);
    assert!(
        found.status.success() && !text.contains(": Error R"),
        "{text}"
    );
    folder.write(
        "pump/src/lib.rs",
        LIBRARY.replace("MUTEX_BUS.lock()", "MUTEX_BUS.luck()"),
    );
    let found = run(&folder, "rust-analyzer", &["diagnostics", "."], GIORNATA);
    assert!(
        said(&found).contains("no method `luck`"),
        "{}",
        said(&found)
    );
}

#[test]
#[ignore = "needs clangd, and builds a kernel: `./x test editors`"]
fn clangd_finds_no_error_in_a_source_of_a_project() {
    let folder = project("editors-clangd");
    let built = run(&folder, GIORNATA, &["build"], GIORNATA);
    assert!(built.status.success(), "{}", said(&built));
    let checked = run(&folder, "clangd", &["--check=valve.c"], GIORNATA);
    assert!(checked.status.success(), "{}", said(&checked));
    folder.write("valve.c", VALVE.replace("MUTEX_BUS", "MUTEX_BOX"));
    let checked = run(&folder, "clangd", &["--check=valve.c"], GIORNATA);
    assert!(!checked.status.success(), "{}", said(&checked));
}
