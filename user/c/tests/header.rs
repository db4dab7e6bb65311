//! The header says what the crate has: nothing else, and all of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use giornata_rt::Error;

const HEADER: &str = include_str!("../include/giornata.h");

/// The word that ends a text.
fn last_word(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = text.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    &text[start..]
}

/// What the header declares: a name, then a list of parameters that ends with `;`, at
/// the beginning of a line that is no comment.
fn declared() -> BTreeSet<String> {
    let is_declaration = |line: &&str| {
        line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !line.starts_with("typedef")
            && !line.starts_with("__attribute__")
            && !line.starts_with("static")
    };
    let lines = HEADER.lines().filter(is_declaration);
    let heads = lines.filter_map(|line| line.split_once('('));
    heads.map(|(head, _)| last_word(head).to_string()).collect()
}

/// What is written in C because of its `...`: functions that are not static.
fn in_c() -> BTreeSet<String> {
    let text = include_str!("../runtime/log.c");
    let heads = text.lines().filter(|line| line.starts_with("OVERRIDABLE "));
    let heads = heads.filter_map(|line| line.split_once('('));
    heads.map(|(head, _)| last_word(head).to_string()).collect()
}

/// What the crate exports.
fn exported() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let exports = text.split("#[unsafe(no_mangle)]\n").skip(1);
        names.extend(exports.map(|export| {
            let head = export.split('(').next().unwrap();
            last_word(head).to_string()
        }));
    }
    names
}

#[test]
fn the_header_declares_what_the_crate_exports() {
    let (declared, mut exported) = (declared(), exported());
    exported.extend(in_c());
    assert!(declared.contains("sem_lock") && declared.contains("map_device"));
    assert_eq!(declared, exported);
}

#[test]
fn the_header_numbers_the_errors_as_the_kernel_does() {
    let lines = HEADER
        .lines()
        .filter_map(|line| line.trim().strip_prefix("X("));
    let entries = lines.filter_map(|line| line.split_once(')'));
    let listed: Vec<String> = entries.map(|(entry, _)| entry.to_string()).collect();
    let errors = Error::ALL.iter();
    let expected: Vec<String> = errors
        .map(|error| format!("GIO_{}, {}", error.name(), *error as u32))
        .collect();
    assert_eq!(listed, expected);
}
