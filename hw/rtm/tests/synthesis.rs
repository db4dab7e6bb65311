//! Synthesis for ECP5, as far as yosys: what the reference of the paper takes.

use std::path::Path;

use giornata_rtm::{Device, Variant, install_yosys, synthesise};

/// The paper's flip-flops, and 15 % for the bus and the course of a request.
const MOST_FLIP_FLOPS: u64 = 2304 * 115 / 100;
/// Four bits of status, priority, event and delay of each of 64 records.
const LEAST_FLIP_FLOPS: u64 = 64 * (4 + 8 + 8 + 16);

#[test]
#[ignore = "stage rtm"]
fn the_reference_takes_about_the_flip_flops_of_the_paper_and_no_latches() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let tools = folder.join("yosys");
    let logic = install_yosys(&tools).and_then(|()| {
        let parameters = Variant::Reference.parameters(64);
        synthesise(&tools, &folder.join("synthesis"), &parameters, Device::Ecp5)
    });
    let logic = logic.unwrap_or_else(|why| panic!("{why}"));
    assert!(logic.flip_flops <= MOST_FLIP_FLOPS, "{logic:?}");
    assert!(logic.flip_flops >= LEAST_FLIP_FLOPS, "{logic:?}");
    assert_eq!(logic.latches, 0, "{logic:?}");
}
