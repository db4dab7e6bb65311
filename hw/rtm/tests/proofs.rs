//! By induction, for a few records: the task manager is its model, and keeps the rules of its bus.

use std::path::Path;

use giornata_rtm::{Claim, Parameters, install_yosys, prove};

/// With two records.
const FEW: Parameters = Parameters {
    records: 2,
    delay_cells: 2,
    ..Parameters::REFERENCE
};

fn is_its_model(name: &str, parameters: Parameters, cycles: u32) {
    holds(Claim::AnswersAsModel, name, parameters, cycles);
}

fn holds(claim: Claim, name: &str, parameters: Parameters, cycles: u32) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let yosys = folder.join("yosys");
    install_yosys(&yosys).unwrap_or_else(|why| panic!("{why}"));
    let proved = prove(&yosys, &folder.join(name), claim, &parameters, cycles);
    proved.unwrap_or_else(|why| panic!("{why}"));
}

fn is_long() -> bool {
    std::env::var_os("GIORNATA_LONG").is_some()
}

#[test]
#[ignore = "stage rtm"]
fn the_reference_answers_as_the_model_does_however_long_it_has_been_running() {
    is_its_model("proof-reference", FEW, 8);
    let shared = Parameters {
        delay_cells: 1,
        ..FEW
    };
    is_its_model("proof-shared", shared, 10);
    if is_long() {
        is_its_model("proof-more", FEW.with_records(4), 8);
        let pipelined = Parameters {
            stages: 1,
            ..FEW.with_records(8)
        };
        is_its_model("proof-pipelined", pipelined, 9);
        let interrupts = Parameters {
            interrupts: true,
            ..pipelined
        };
        is_its_model("proof-pipelined-interrupts", interrupts, 12);
    }
}

#[test]
#[ignore = "stage rtm"]
fn all_extensions_answer_as_the_model_does_however_long_they_have_been_running() {
    let extended = Parameters::EXTENDED.with_records(2);
    is_its_model("proof-extended", extended, 10);
    if is_long() {
        let shared = Parameters {
            delay_cells: 1,
            ..extended
        };
        is_its_model("proof-extended-shared", shared, 14);
    }
}

#[test]
#[ignore = "stage rtm"]
fn axi_lite_keeps_its_rules_however_long_it_has_been_running() {
    holds(Claim::KeepsAxiLite, "proof-axi-lite", FEW, 10);
}
