//! The linker script puts functions in an order by their modules. A pattern of a module that
//! is renamed or moved would match nothing, and its functions would lie anywhere: one to two
//! percent of the text.

use std::fs;
use std::path::Path;

/// The path of a module from its part of a mangled name: `4sync4fast` is `sync/fast`.
fn path_of(mangled: &str) -> Option<String> {
    let (mut segments, mut rest) = (Vec::new(), mangled);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = rest.get(..digits)?.parse().ok()?;
        segments.push(rest.get(digits..digits + length)?);
        rest = &rest[digits + length..];
    }
    Some(segments.join("/"))
}

/// Modules of the core that patterns of a linker script name.
fn ordered(script: &str) -> Vec<&str> {
    let names = script
        .lines()
        .filter_map(|line| line.trim().strip_prefix("*(.text*_core"));
    names.map(|name| name.trim_end_matches("*)")).collect()
}

#[test]
fn every_pattern_of_the_linker_script_names_a_module_of_the_core() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = fs::read_to_string(folder.join("kernel.ld")).unwrap();
    let patterns = ordered(&script);
    assert!(patterns.len() > 10, "the script was read: {patterns:?}");
    let core = folder.join("../core/src");
    let lost: Vec<&str> = patterns
        .into_iter()
        .filter(|pattern| {
            path_of(pattern).is_none_or(|path| {
                !core.join(format!("{path}.rs")).is_file() && !core.join(&path).is_dir()
            })
        })
        .collect();
    assert!(lost.is_empty(), "no module is called so: {lost:?}");
}

#[test]
fn a_pattern_is_a_path_of_names_each_behind_its_length() {
    assert_eq!(path_of("4sync4fast").as_deref(), Some("sync/fast"));
    assert_eq!(path_of("4syn").as_deref(), None);
    assert_eq!(path_of("sync").as_deref(), None);
}
