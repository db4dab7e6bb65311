//! Any text gives an answer, in bounded time, and every diagnostic can be shown.

use std::time::{Duration, Instant};

use giornata_abi::module::Module;
use giornata_lang::psi::{budgets, compile};
use giornata_lang::{Diagnostic, Options};
use giornata_microcode::verify::{Scratch, scratch_needed, verify};
use miette::{GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;

const PROGRAM: &str = include_str!("walk.psi");

const WORDS: [&str; 53] = [
    "clock",
    "sensor",
    "actuator",
    "task",
    "export",
    "state",
    "uses",
    "advance",
    "if",
    "else",
    "loop",
    "max",
    "true",
    "false",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    ":=",
    "->",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "&&",
    "||",
    "!",
    "-",
    "0",
    "1",
    "3",
    "1.5",
    "300us",
    "65536",
    "99999999999999999999",
    "ms",
    "s",
    "a",
    "b",
    "n",
    "u8",
    "bool",
    "[wcet 1ms, budget 1us]",
    "[",
    "/*",
    "*/",
    "//",
    "§",
];

/// Compiles, shows everything, and checks what holds of every compilation.
fn compile_any(source: &str) -> Vec<Diagnostic> {
    let (bytes, diagnostics) = compile("any.psi", source, &Options::default());
    let has_errors = diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(bytes.is_none(), has_errors, "bytes if and only if no error");
    assert!(!has_errors || budgets(source).is_empty());
    if let Some(bytes) = bytes {
        let module = Module::parse(&bytes).unwrap();
        let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
        let verified = verify(&module, &mut scratch).unwrap_or_else(|why| panic!("{why}"));
        assert!(verified.steps.is_some());
    }
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
    let index = any::<prop::sample::Index>;
    let edit = (index(), index(), 0..4u8);
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let words = PROGRAM.split_inclusive([' ', '(', ')', ';', ',', '\n']);
        let mut words: Vec<&str> = words.collect();
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
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_answered(words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..60)) {
        compile_any(&words.join(" "));
    }

    #[test]
    fn any_characters_are_answered(text in "\\PC{0,200}") {
        compile_any(&text);
    }

    #[test]
    fn mutated_programs_are_answered(source in mutated()) {
        compile_any(&source);
    }

    #[test]
    fn a_program_cut_anywhere_is_answered(at: prop::sample::Index) {
        compile_any(&PROGRAM[..at.index(PROGRAM.len())]);
    }
}

#[test]
fn the_program_itself_is_correct() {
    let findings = compile_any(PROGRAM);
    assert!(findings.is_empty(), "{findings:?}");
    let stated = [("look".to_owned(), 400_000), ("turn".to_owned(), 200_000)];
    assert_eq!(budgets(PROGRAM), stated);
}

#[test]
fn no_depth_of_blocks_exhausts_the_stack() {
    for text in [
        "(",
        "{",
        "[",
        "/*",
        "task t {",
        "loop (3) {",
        "if (b) {",
        "else if (b) {",
    ] {
        compile_any(&text.repeat(50_000));
        compile_any(&format!("task t {{ {}", text.repeat(50_000)));
    }
    let arms = "else if (b) { advance(1); } ".repeat(20_000);
    let many = format!(
        "task t {{ state bool b; f() -> b; advance(1); if (b) {{ advance(1); }} {arms} advance(1); }}"
    );
    let (bytes, _) = compile("many.psi", &many, &Options::default());
    assert!(bytes.is_some());
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

/// Jobs that each choose their width by the same tests: every job meets every test.
fn tangled(jobs: usize, tests: usize) -> String {
    let jobs: String = (0..jobs)
        .map(|n| format!("if (n == {n}) {{ f{n}(); }} "))
        .collect();
    let tests: String = (0..tests)
        .map(|n| format!("if (m == {n}) {{ advance({}); }} ", n + 2))
        .collect();
    format!(
        "task t {{ state u32 n; state u32 m; g() -> n, m; advance(1); {jobs} {tests} advance(1); }}"
    )
}

#[test]
fn a_loop_of_nothing_is_refused_however_often_it_runs() {
    for body in ["", "if (b) { }", "loop (9999999999) { }", "f();"] {
        let text = format!(
            "task t {{ state bool b; g() -> b; advance(1); loop (9999999999) {{ {body} }} }}"
        );
        let found = compile_any(&text);
        assert!(
            found.iter().any(|d| d.code.name() == "psi::no-advance"),
            "{found:?}"
        );
    }
}

#[test]
fn code_beyond_the_format_is_refused() {
    let nested = "loop (9999999999) { ".repeat(20);
    let close = "}".repeat(20);
    for source in [
        format!("task t {{ {nested} f(); advance(1); {close} }}"),
        "task t { loop (50000) { f(); advance(1 ms); } }".to_owned(),
        tangled(600, 600),
    ] {
        let (bytes, diagnostics) = compile("big.psi", &source, &Options::default());
        assert!(bytes.is_none());
        let is_too_big = |d: &Diagnostic| d.code.name() == "psi::too-big";
        assert!(diagnostics.iter().any(is_too_big), "{diagnostics:?}");
    }
}

/// Names by thousands, and places where much is known.
#[test]
fn wide_programs_are_answered_in_seconds() {
    let begin = Instant::now();
    let states: String = (0..2_000).map(|n| format!("state bool b{n}; ")).collect();
    let tests: String = (0..2_000)
        .map(|n| format!("if (b{n}) {{ advance(1); }} "))
        .collect();
    let tested = format!("task t {{ {states} f() -> b0; advance(1); {tests} }}");
    let (bytes, _) = compile("wide.psi", &tested, &Options::default());
    assert!(bytes.is_some());
    let unknown: String = (0..2_000)
        .map(|n| format!("f{n}(c{n}); advance(1); "))
        .collect();
    let tasks: String = (0..10)
        .map(|n| format!("task t{n} {{ {states} advance(1); }} "))
        .collect();
    let unknown = format!("{tasks} task t {{ {states} loop (1) {{ {unknown} }} }}");
    let (_, found) = compile("wide.psi", &unknown, &Options::default());
    assert!((40..=60).contains(&found.len()), "{}", found.len());
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
}

#[test]
fn a_long_program_compiles_in_seconds() {
    let task = |n: usize| {
        let jobs: String = (0..20)
            .map(|k| {
                format!(
                    "  f{n}_{k}(n, v{}) -> n, v{n}; advance(1 ms);\n",
                    (n + 1) % 100
                )
            })
            .collect();
        format!(
            "task t{n} {{\n  export u32 v{n};\n  state u8 n;\n{jobs}  loop (n max 9) {{ advance(2 ms); }}\n}}\n"
        )
    };
    let source: String = (0..100).map(task).collect();
    let begin = Instant::now();
    let (bytes, diagnostics) = compile("long.psi", &source, &Options::default());
    assert!(bytes.is_some(), "{diagnostics:?}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn equal_sources_give_equal_bytes_wherever_they_lie() {
    let [one, two] = ["a/b/walk.psi", "walk.psi"]
        .map(|path| compile(path, PROGRAM, &Options::default()).0.unwrap());
    assert_eq!(one, two);
}
