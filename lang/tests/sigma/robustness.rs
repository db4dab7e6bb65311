//! Any text gives an answer, in bounded time, and every diagnostic can be shown.

use std::time::{Duration, Instant};

use giornata_lang::Diagnostic;
use giornata_lang::sigma::{Analysis, Counters, Format, Model, analyze, check, vector_clocks};
use miette::{GraphicalReportHandler, GraphicalTheme};
use proptest::prelude::*;

pub(crate) const EDGES: &str = include_str!("../programs/edges.sigma");
pub(crate) const CONVERTER: &str = include_str!("../programs/converter.xml");

const WORDS: [&str; 40] = [
    "filter",
    "channel",
    "source",
    "sink",
    "dup",
    "split",
    "join",
    "permute",
    "run",
    "in",
    "out",
    "capacity",
    "initial",
    "{",
    "}",
    ",",
    ";",
    ".",
    ":",
    "->",
    "0",
    "1",
    "8",
    "99999999999999",
    "a",
    "b",
    "u8",
    "out0",
    "in0",
    "[1]",
    "[2, 1]",
    "[3*1]",
    "[wcet 1ms]",
    "[0]",
    "[",
    "]",
    "/*",
    "//",
    "\n",
    "§",
];

/// Pieces of XML that mean something, or do not.
const PIECES: [&str; 20] = [
    "<sdf3>",
    "</sdf3>",
    "<applicationGraph>",
    "</applicationGraph>",
    "<csdf>",
    "</csdf>",
    "<actor name=\"a\">",
    "<actor name=\"b\"/>",
    "</actor>",
    "<port name=\"p\" type=\"in\" rate=\"1,2\"/>",
    "<port name=\"q\" type=\"out\" rate=\"0\"/>",
    "<channel srcActor=\"a\" srcPort=\"q\" dstActor=\"a\" dstPort=\"p\"/>",
    "&amp;",
    "&x;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<csdfProperties>",
    "\u{0}",
];

/// Reads a text, shows everything, and checks what holds of every answer.
fn explore(text: &str, format: Format) -> Vec<Diagnostic> {
    let (answers, diagnostics) = analyze("any", text, format);
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    for diagnostic in &diagnostics {
        let mut shown = String::new();
        handler.render_report(&mut shown, diagnostic).unwrap();
        assert!(shown.contains(diagnostic.code.name()));
        assert!(!diagnostic.help.is_empty() && !diagnostic.message.is_empty());
        diagnostic.source_line();
    }
    let has_errors = diagnostics.iter().any(Diagnostic::is_error);
    match &answers {
        Some((model, analysis)) => check_answers(model, analysis, has_errors, &diagnostics),
        None => assert!(has_errors, "no graph without an error: {text}"),
    }
    diagnostics
}

fn check_answers(model: &Model, analysis: &Analysis, has_errors: bool, diagnostics: &[Diagnostic]) {
    let is_refused = [analysis.is_consistent, analysis.is_live].contains(&Some(false));
    assert_eq!(is_refused, has_errors, "{diagnostics:?}");
    assert_eq!(
        analysis.starvation.is_some(),
        analysis.is_live == Some(false)
    );
    let is_known = analysis.buffers.is_some();
    assert_eq!(is_known, analysis.is_live == Some(true));
    assert!(is_known || !diagnostics.is_empty());
    if let (Some(buffers), Some(repetition)) = (&analysis.buffers, &analysis.repetition) {
        let all: Vec<_> = buffers.capacities().iter().copied().map(Some).collect();
        assert!(Counters::of(&model.graph, &all).is_ok());
        assert!(vector_clocks(&model.graph, repetition, &all).is_ok());
    }
}

/// A text with pieces removed, doubled, exchanged or replaced.
fn mutated(text: &'static str, words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..4u8,
    );
    prop::collection::vec(edit, 1..6).prop_map(move |edits| {
        let ends = [' ', '>', '[', ']', ';', ',', '.', '"', '\n'];
        let mut pieces: Vec<&str> = text.split_inclusive(ends).collect();
        for (at, other, kind) in edits {
            let (a, b) = (at.index(pieces.len()), other.index(pieces.len()));
            match kind {
                0 => drop(pieces.remove(a)),
                1 => pieces.insert(a, pieces[b]),
                2 => pieces.swap(a, b),
                _ => pieces[a] = words[other.index(words.len())],
            }
        }
        pieces.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_answered(words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 0..60)) {
        explore(&words.join(" "), Format::Sigma);
    }

    #[test]
    fn soup_of_elements_is_answered(words in prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..40)) {
        explore(&words.concat(), Format::Sdf3);
    }

    #[test]
    fn any_characters_are_answered(text in "\\PC{0,200}") {
        explore(&text, Format::Sigma);
        explore(&text, Format::Sdf3);
    }

    #[test]
    fn mutated_programs_are_answered(text in mutated(EDGES, &WORDS)) {
        explore(&text, Format::Sigma);
    }

    #[test]
    fn mutated_graphs_are_answered(text in mutated(CONVERTER, &PIECES)) {
        explore(&text, Format::Sdf3);
    }

    #[test]
    fn a_program_cut_anywhere_is_answered(at: prop::sample::Index) {
        explore(&EDGES[..at.index(EDGES.len())], Format::Sigma);
        explore(&CONVERTER[..at.index(CONVERTER.len())], Format::Sdf3);
    }
}

#[test]
fn the_programs_themselves_are_correct() {
    for (text, format) in [(EDGES, Format::Sigma), (CONVERTER, Format::Sdf3)] {
        let found = explore(text, format);
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn no_depth_of_brackets_exhausts_the_stack() {
    for opening in [
        "(",
        "{",
        "[",
        "/*",
        "filter f {",
        "filter f { in x[",
        "channel a.",
    ] {
        explore(&opening.repeat(100_000), Format::Sigma);
    }
    for opening in [
        "<a>",
        "<a b='",
        "<![CDATA[",
        "<!--",
        "<sdf3><applicationGraph>",
    ] {
        explore(&opening.repeat(100_000), Format::Sdf3);
    }
}

#[test]
fn what_is_no_program_at_all_gets_some_dozens_of_findings() {
    for text in ["@ a ", "channel a; ", "/* ", "filter "] {
        let findings = explore(&text.repeat(10_000), Format::Sigma);
        assert!(
            (1..=60).contains(&findings.len()),
            "{text}: {}",
            findings.len()
        );
    }
}

/// A chain of filters, by the rates of each.
fn chain(count: usize, rates: impl Fn(usize) -> (u32, u32)) -> String {
    let mut text = "source s;\nsink z;\nchannel s.out -> f0.x : u8;\n".to_owned();
    for n in 0..count {
        let (takes, puts) = rates(n);
        text += &format!(
            "filter f{n} [wcet {}us] {{ in x[{takes}]; out y[{puts}]; }}\n",
            n % 7 + 1
        );
        let to = match n + 1 == count {
            true => "z.in".to_owned(),
            false => format!("f{}.x", n + 1),
        };
        text += &format!("channel f{n}.y -> {to} : u8;\n");
    }
    text
}

#[test]
fn large_graphs_are_answered_or_refused_in_seconds() {
    let coprime = |n: usize| {
        if n.is_multiple_of(2) {
            (97, 101)
        } else {
            (101, 97)
        }
    };
    let cases = [
        chain(2_000, |_| (1, 1)),
        chain(200, |n| if n.is_multiple_of(2) { (2, 3) } else { (3, 2) }),
        chain(100, coprime),
        chain(17, |_| (1, 2)),
        chain(60, |_| (1, 1_000)),
    ];
    for text in cases {
        let begin = Instant::now();
        let found = check("large.sigma", &text, Format::Sigma);
        assert!(found.iter().all(|d| !d.is_error()), "{found:?}");
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "{:?}",
            begin.elapsed()
        );
    }
}
