//! A task manager with parameters that there are not is refused, with the reason.

use std::path::Path;

use giornata_rtm::{Bus, Error, Parameters, compile};

#[test]
#[ignore = "stage rtm"]
fn other_values_of_parameters_are_refused() {
    let all = [
        (
            Parameters {
                records: 48,
                delay_cells: 16,
                ..Parameters::REFERENCE
            },
            "N is a power of two, 256 at most",
        ),
        (
            Parameters {
                delay_bits: 24,
                ..Parameters::REFERENCE
            },
            "DelayW is 16 or 32",
        ),
        (
            Parameters {
                delay_cells: 128,
                ..Parameters::REFERENCE
            },
            "DelayCells is a power of two, N at most",
        ),
        (
            Parameters {
                records: 16,
                delay_cells: 16,
                stages: 2,
                ..Parameters::REFERENCE
            },
            "Stages is 2 at most, and fewer than there are levels in the comparator tree",
        ),
        (
            Parameters {
                key_bits: 8,
                ..Parameters::REFERENCE
            },
            "KeyW is 0 or 32",
        ),
        (
            Parameters {
                has_stamps: true,
                ..Parameters::REFERENCE
            },
            "Stamps need keys: KeyW is 32",
        ),
    ];
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refused");
    for (parameters, reason) in all {
        match compile(&folder, Bus::Wishbone, &parameters) {
            Err(Error::Tool { said, .. }) => assert!(said.contains(reason), "{said}"),
            other => panic!("{parameters:?}: {other:?}"),
        }
    }
}
