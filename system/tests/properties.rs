//! Bad input: whatever the bytes, a verdict and never a panic.

mod sample;

use giornata_abi::module::{Module, crc32};
use giornata_system::describe::describe;
use giornata_system::functions::{Function, Parameter};
use giornata_system::{Board, Functions, Model, Placement, SystemFile, identifiers};
use proptest::prelude::*;
use sample::{PROGRAM, SYSTEM, board, functions, module};
use std::collections::BTreeMap;
use std::path::Path;

/// Resolves and describes as far as it goes.
fn run(system: &str, program: &[u8], functions: &BTreeMap<String, Functions>) {
    let Ok(project) = sample::project(system, program) else {
        return;
    };
    let Ok(outline) = Model::outline(&project) else {
        return;
    };
    let _ = (identifiers::rust(&outline), identifiers::c(&outline));
    let Ok(model) = Model::resolve(&project, functions) else {
        return;
    };
    if let Ok(description) = describe(&model, &Placement::for_host(&model)) {
        assert_eq!(description.threads.len(), model.threads.len());
        giornata_records::build(&description, 8, 0x8000_0000);
    }
}

/// A text cut at two places, with something in between.
fn spliced(text: &str, at: usize, length: usize, insert: &str) -> String {
    let boundary = |mut i: usize| {
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = boundary(at % (text.len() + 1));
    let end = boundary((start + length).min(text.len()));
    format!("{}{insert}{}", &text[..start], &text[end.max(start)..])
}

/// Words that mean something in system and board files, and some that do not.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~\n]{0,12}",
        any::<String>(),
        prop::sample::select(vec![
            "[process.p]\n",
            "[program.flight]\n",
            "tasks",
            "drivers = {",
            "}",
            "[",
            "]",
            "\"",
            "= ",
            "{}",
            "-1",
            "18446744073709551616",
            "0x8000_0000",
            "\"0s\"",
            "\"9999999999999999999s\"",
            "stack = 0\n",
            "\u{FEFF}",
            "budget = \"0ns\"",
            "slot = 0\n",
            "schedule = \"rm\"\n",
            "trace = 1048576\n",
            "deadline-band = 0\n",
            "config = \"emeralds\"\n",
            "[mutex.m]\n",
            "mutex = [\"m\"], manage = [\"m\"], ",
        ])
        .prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_a_system_file_or_refused(text: String) {
        let _ = SystemFile::parse(Path::new("any.toml"), &text);
        let _ = Board::parse(Path::new("any.toml"), &text);
    }

    #[test]
    fn a_changed_system_file_is_linked_or_refused(
        changes in prop::collection::vec((any::<usize>(), 0usize..40, word()), 1..4),
    ) {
        let system = changes.iter().fold(SYSTEM.to_string(), |text, (at, length, insert)| spliced(&text, *at, *length, insert));
        run(&system, &module(PROGRAM), &functions());
    }

    #[test]
    fn a_changed_board_is_read_or_refused(at: usize, length in 0usize..40, insert in word()) {
        let _ = Board::parse(Path::new("board.toml"), &spliced(sample::BOARD, at, length, &insert));
    }

    #[test]
    fn a_changed_module_with_a_right_checksum_is_linked_or_refused(
        changes in prop::collection::vec((8usize..4096, any::<u8>()), 1..6),
    ) {
        let mut bytes = module(PROGRAM);
        for (at, value) in changes {
            let at = 8 + at % (bytes.len() - 8);
            bytes[at] = value;
        }
        let crc = crc32(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        let _ = Module::parse(&bytes);
        run(SYSTEM, &bytes, &functions());
    }

    #[test]
    fn changed_functions_are_bound_or_refused(
        process in 0usize..3, function in 0usize..4, size in prop_oneof![0usize..20, Just(usize::MAX), Just(65_536)],
        name in word(),
    ) {
        let mut all = functions();
        let Functions { list, .. } = all.values_mut().nth(process).unwrap();
        let count = list.len();
        let Function { parameters, .. } = &mut list[function % count];
        for Parameter { size: bytes, type_name, .. } in parameters.iter_mut() {
            *bytes = size;
            type_name.push_str(&name);
        }
        run(SYSTEM, &module(PROGRAM), &all);
    }
}

#[test]
fn the_sample_itself_is_described() {
    let project = sample::project(SYSTEM, &module(PROGRAM)).unwrap();
    assert_eq!(project.board, board());
    let model = Model::resolve(&project, &functions()).unwrap();
    assert!(describe(&model, &Placement::for_host(&model)).is_ok());
}
