//! The timing programs beside this crate compile, and nothing is said of them.

use giornata_lang::giotto::check;

fn says_nothing(name: &str) {
    let path = format!("{}/../{name}.giotto", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let said: Vec<String> = check(&path, &text)
        .iter()
        .map(|d| format!("{d}: {}", d.source_line()))
        .collect();
    assert!(said.is_empty(), "{said:#?}");
}

#[test]
fn the_flight_program_compiles() {
    says_nothing("flight");
}

#[test]
fn the_plant_program_compiles() {
    says_nothing("plant");
}

#[test]
fn the_telemetry_program_compiles() {
    says_nothing("telemetry");
}

#[test]
fn the_trouble_program_compiles() {
    says_nothing("trouble");
}
