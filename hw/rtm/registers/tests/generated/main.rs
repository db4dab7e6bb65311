//! Software, hardware and documentation have the same register map.

mod c;
mod map;
mod page;
mod rust;
mod verilog;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use map::Map;

const SOURCE: &str = include_str!("../../../registers.toml");

/// Of the task manager.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// With `GIORNATA_BLESS=1` the file is written.
fn check(name: &str, text: &str) {
    let path = folder().join(name);
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(&path, text).unwrap();
        return;
    }
    let written = fs::read_to_string(&path).unwrap();
    for (number, (written, made)) in (1..).zip(written.lines().zip(text.lines())) {
        let mend = "write it anew with GIORNATA_BLESS=1";
        assert_eq!(written, made, "{name}, line {number}: {mend}");
    }
    assert_eq!(written, text, "{name} ends otherwise");
}

#[test]
fn each_file_is_what_the_source_says() {
    let map = Map::parse(SOURCE).unwrap();
    check("rtl/rtm_pkg.sv", &verilog::package(&map));
    check("registers/src/lib.rs", &rust::module(&map));
    check("include/rtm.h", &c::header(&map));
    check("../../docs/rtm-registers.md", &page::page(&map));
}

#[test]
fn a_map_that_contradicts_itself_is_refused() {
    let all = [
        (
            "address = 0x0804",
            "address = 0x0800",
            "Advance and Top both lie at 0x800",
        ),
        (
            "address = 0x0804",
            "address = 0x0806",
            "Advance: 0x806 is no address of a word",
        ),
        (
            "address = 0x1400",
            "address = 0x1E00",
            "Keys: 0x2000 lies outside of the map",
        ),
        (
            "layout = \"Config\"",
            "layout = \"Other\"",
            "Config: there is no such layout",
        ),
        (
            "at = 6",
            "at = 5",
            "Status.Stamped shares a bit with another field",
        ),
        (
            "at = 6",
            "at = 8",
            "Status.Stamped lies outside of the 8 bits",
        ),
    ];
    for (part, other, expected) in all {
        let text = SOURCE.replacen(part, other, 1);
        assert_eq!(Map::parse(&text).unwrap_err(), expected);
    }
}

/// Compiles the C of the data sheet without a warning.
fn compiles_data_sheet(compiler: &str, options: &[&str]) {
    let text = fs::read_to_string(folder().join("README.md")).unwrap();
    let blocks = text.split("```c\n").skip(1);
    let code: Vec<&str> = blocks
        .map(|block| block.split("```").next().unwrap())
        .collect();
    assert!(code.len() > 4, "{text}");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("sheet-{compiler}.c"));
    fs::write(&file, code.join("\n")).unwrap();
    let object = file.with_extension("o");
    compile(compiler, options, &["-c"], &file, &object);
}

/// Compiles and runs the program beside, without a warning.
fn runs(compiler: &str, options: &[&str]) {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("header-{compiler}"));
    let source = folder().join("registers/tests/generated/header.c");
    compile(compiler, options, &[], &source, &program);
    let done = Command::new(&program).output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn compile(compiler: &str, options: &[&str], more: &[&str], source: &Path, made: &Path) {
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
    let mut command = Command::new(compiler);
    command
        .args(options)
        .args(warnings)
        .args(more)
        .arg("-I")
        .arg(folder().join("include"));
    command.arg(source).arg("-o").arg(made);
    let done = command
        .output()
        .unwrap_or_else(|why| panic!("{compiler}: {why}"));
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn header_and_data_sheet_are_right_in_c() {
    runs("cc", &["-std=c99"]);
    compiles_data_sheet("cc", &["-std=c99"]);
}

#[test]
fn header_and_data_sheet_are_right_in_cpp() {
    runs("c++", &["-x", "c++", "-std=c++11"]);
    compiles_data_sheet("c++", &["-x", "c++", "-std=c++11"]);
}
