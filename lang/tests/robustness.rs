//! Any text gives an answer, in bounded time, and every diagnostic can be shown.

use std::time::{Duration, Instant};

use giornata_lang::Diagnostic;
use giornata_lang::giotto::{Options, compile, convention};
use miette::{GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;

const PROGRAMS: [&str; 4] = [
    include_str!("programs/controller.giotto"),
    include_str!("programs/elevator.giotto"),
    include_str!("meaning/middle.giotto"),
    include_str!("meaning/shared.giotto"),
];

const WORDS: [&str; 49] = [
    "sensor",
    "actuator",
    "input",
    "output",
    "private",
    "task",
    "driver",
    "mode",
    "start",
    "schedule",
    "state",
    "if",
    "then",
    "uses",
    "period",
    "actfreq",
    "exitfreq",
    "taskfreq",
    "do",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    ":=",
    "0",
    "1",
    "7",
    "20",
    "20us",
    "65536",
    "99999999999999999999",
    "a",
    "b",
    "f64",
    "copy",
    "constant_true",
    "dummy",
    "[wcet 1]",
    "[priority 5; x]",
    "[// ]",
    "[",
    "]",
    "/*",
    "*/",
    "//",
    "\n",
    "§",
];

/// Compiles, shows everything, and checks what holds of every compilation.
fn compile_any(source: &str) -> Vec<Diagnostic> {
    let (bytes, diagnostics) = compile("any.giotto", source, &Options::default());
    assert_eq!(
        bytes.is_none(),
        diagnostics.iter().any(Diagnostic::is_error),
        "bytes if and only if no error"
    );
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    for diagnostic in &diagnostics {
        let mut shown = String::new();
        handler.render_report(&mut shown, diagnostic).unwrap();
        assert!(shown.contains(diagnostic.code.name()));
        assert!(!diagnostic.help.is_empty() && !diagnostic.message.is_empty());
        diagnostic.source_line();
    }
    diagnostics
}

/// A program with pieces removed, doubled, exchanged or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..4u8,
    );
    (0..PROGRAMS.len(), prop::collection::vec(edit, 1..6)).prop_map(|(program, edits)| {
        let mut words: Vec<&str> = PROGRAMS[program]
            .split_inclusive([' ', '(', ')', ';', ',', '\n'])
            .collect();
        for (at, other, kind) in edits {
            let (a, b) = (at.index(words.len()), other.index(words.len()));
            match kind {
                0 => drop(words.remove(a)),
                1 => words.insert(a, words[b]),
                2 => words.swap(a, b),
                _ => words[a] = WORDS[other.index(WORDS.len())],
            }
        }
        words.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_answered(words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..60)) {
        compile_any(&words.join(" "));
    }

    #[test]
    fn any_characters_are_answered(text in "\\PC{0,200}") {
        compile_any(&text);
    }

    #[test]
    fn any_bytes_of_ascii_are_answered(text in "[ -~\n\t]{0,200}") {
        compile_any(&text);
    }

    #[test]
    fn mutated_programs_are_answered(source in mutated()) {
        compile_any(&source);
    }

    #[test]
    fn a_program_cut_anywhere_is_answered(program in 0..PROGRAMS.len(), at: prop::sample::Index) {
        let text = PROGRAMS[program];
        compile_any(&text[..at.index(text.len())]);
    }
}

#[test]
fn the_programs_themselves_are_correct() {
    for program in PROGRAMS {
        assert!(compile_any(program).is_empty(), "{program}");
    }
}

#[test]
fn no_depth_of_brackets_exhausts_the_stack() {
    for bracket in [
        "(",
        "{",
        "[",
        "/*",
        "task t(",
        "start m { mode m() period 1 {",
    ] {
        compile_any(&bracket.repeat(100_000));
    }
}

#[test]
fn what_is_no_program_at_all_gets_some_dozens_of_findings() {
    for text in ["@ a ", "/*", "task t; "] {
        let findings = compile_any(&text.repeat(10_000));
        assert!(
            (40..=60).contains(&findings.len()),
            "{text}: {}",
            findings.len()
        );
    }
}

#[test]
fn a_long_program_compiles_in_seconds() {
    let (mut tasks, mut drivers, mut lines, mut outputs) = Default::default();
    let add = |list: &mut String, text: String| list.push_str(&text);
    for i in 0..1000 {
        add(&mut outputs, format!("  u32 o{i} := zero;\n"));
        add(
            &mut tasks,
            format!("task t{i}(u32 x) output (o{i}) state () {{ schedule f{i}(x, o{i}) }}\n"),
        );
        add(
            &mut drivers,
            format!("driver d{i}(s) output (u32 x) {{ if constant_true() then copy(s, x) }}\n"),
        );
        add(
            &mut lines,
            format!("  taskfreq {} do t{i}(d{i});\n", 1 + i % 10),
        );
    }
    let source = format!(
        "sensor u32 s uses get;\noutput\n{outputs}{tasks}{drivers}start m {{ mode m() period 2520 {{\n{lines}}} }}"
    );
    let begin = Instant::now();
    let (bytes, diagnostics) = compile("long.giotto", &source, &Options::default());
    assert!(bytes.is_some(), "{diagnostics:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn code_beyond_the_format_is_refused() {
    let source = format!(
        "actuator u32 a uses put;\noutput u32 o := zero;\n\
         driver d(o) output (u32 x) {{ if due(o) then mix(o, x) }}\nstart m {{ mode m() period 10s {{\n{}}} }}",
        "  actfreq 20000 do a(d);\n".repeat(5)
    );
    let (bytes, diagnostics) = compile("big.giotto", &source, &Options::default());
    assert!(bytes.is_none());
    assert!(
        diagnostics
            .iter()
            .any(|d| d.code.name() == "giotto::too-big"),
        "{diagnostics:?}"
    );
}

#[test]
fn equal_sources_give_equal_bytes_wherever_they_lie() {
    for program in PROGRAMS {
        let one = compile("a/b/flight.giotto", program, &Options::default())
            .0
            .unwrap();
        let two = compile("flight.giotto", program, &Options::default())
            .0
            .unwrap();
        assert_eq!(one, two);
    }
}

#[test]
fn known_functions_are_the_documented_ones() {
    assert_eq!(
        convention::TRUE,
        ["constant_true", "c_true", "true", "CondTrue"]
    );
    assert_eq!(convention::NOTHING, ["dummy", "nothing"]);
    assert_eq!(convention::COPY, "copy");
}
