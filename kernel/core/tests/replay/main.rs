//! What was recorded of this kernel is what it does.
//!
//! The records are made by the example `record`; see `tests/replay/README.md`.

mod machine;
mod requests;
mod tables;
mod watch;

use giornata_replay_logs as logs;

/// One scenario of so many is run anew.
const SAMPLE: u32 = 10;

#[test]
fn the_kernel_does_what_was_recorded_of_it() {
    for number in 0..logs::COUNT / logs::CHUNK {
        let records = logs::chunk(number).unwrap_or_else(|why| panic!("chunk {number}: {why}"));
        let numbered = (number * logs::CHUNK..).zip(&records);
        for (number, record) in numbered.filter(|(number, _)| number % SAMPLE == 0) {
            let scenario = logs::scenario(number);
            let again = machine::run(&scenario);
            if let Some(difference) = logs::difference(&scenario, record, &again.observation) {
                panic!("{difference}");
            }
            assert_eq!(record.touches, again.touches, "scenario {number}");
        }
    }
}
