//! The programs beside this crate compile, and nothing is said of them.

use giornata_lang::{Diagnostic, psi, sigma};

fn says_nothing(name: &str, check: impl Fn(&str, &str) -> Vec<Diagnostic>) {
    let path = format!("{}/../{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let said: Vec<String> = check(&path, &text)
        .iter()
        .map(|d| format!("{d}: {}", d.source_line()))
        .collect();
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn the_autopilot_program_compiles() {
    says_nothing("autopilot.psi", psi::check);
}

#[test]
fn the_graph_of_filters_is_consistent_and_live() {
    says_nothing("edges.sigma", |path, text| {
        sigma::analyze(path, text, sigma::Format::Sigma).1
    });
}
