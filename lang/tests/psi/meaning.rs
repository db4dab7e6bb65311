//! Generated code does what the language means: the E code of random programs, with
//! values, against an interpreter of the syntax tree.

use giornata_abi::ValueType;
use giornata_abi::module::Module;
use giornata_lang::Options;
use giornata_lang::psi::{compile, parse};
use giornata_microcode::verify::{Scratch, scratch_needed, verify};
use proptest::prelude::*;

use crate::events::put_out;
use crate::machine::Machine;
use crate::program;
use crate::reference::Reference;

/// Handlers for the violations that the low bits of the seed choose: they change no
/// instant.
fn options(seed: u64) -> Options {
    let handler = |kind: u64| (seed >> kind & 1 != 0).then(|| format!("handle{}", kind / 2));
    Options {
        handlers: [0, 1, 2, 3].map(handler),
        ..Options::default()
    }
}

fn agree(source: &str, seed: u64, moments: usize) -> Result<usize, TestCaseError> {
    let (bytes, diagnostics) = compile("random.psi", source, &options(seed));
    let Some(bytes) = bytes else {
        prop_assert!(diagnostics.iter().any(|d| d.is_error()));
        return Err(TestCaseError::reject("not a legal program"));
    };
    let module = Module::parse(&bytes).unwrap();
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
    let verified = verify(&module, &mut scratch).unwrap_or_else(|why| panic!("{why}"));
    let bound = verified.steps.expect("the verifier counts the steps");
    let (tree, _) = parse("random.psi", source);
    let mut machine = Machine::new(&bytes);
    let mut reference = Reference::new(&tree);
    let mut begun = 0;
    for _ in 0..moments {
        let moment = machine.moment();
        begun += moment.begun.len();
        prop_assert_eq!(moment, reference.moment());
    }
    prop_assert!(
        machine.longest <= bound,
        "{} steps, bound {bound}",
        machine.longest
    );
    prop_assert!(machine.most_triggers <= verified.triggers.into());
    Ok(begun)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn code_and_meaning_agree_at_every_instant(seed: u64) {
        agree(&program::text(seed), seed, 150)?;
    }
}

#[test]
fn a_walker_goes_on_by_what_it_sees() {
    let begun = agree(include_str!("walk.psi"), 0b1011, 1_000).unwrap();
    assert!(begun > 500, "{begun} jobs");
}

/// A reader whose window begins where the writer's ends sees the value, whichever of
/// the two comes first in the text; one whose window begins before does not.
#[test]
fn a_variable_appears_at_the_end_of_its_window_and_never_before() {
    let writer = "task w { export u32 v; write(v) -> v; advance(3 ms); }";
    let reader = "task r { read(v); advance(1 ms); }";
    for source in [format!("{writer}{reader}"), format!("{reader}{writer}")] {
        let (bytes, _) = compile("seen.psi", &source, &Options::default());
        let bytes = bytes.unwrap();
        let mut machine = Machine::new(&bytes);
        let mut seen = Vec::new();
        for _ in 0..7 {
            let moment = machine.moment();
            let visible = moment.visible[0].1.clone();
            for job in moment.begun.iter().filter(|job| job.job == "r.read") {
                assert_eq!(job.got[0], visible);
                seen.push(visible.clone());
            }
        }
        let first = put_out(ValueType::U32, "write", 1, &[vec![0; 4]], 0);
        let second = put_out(ValueType::U32, "write", 2, std::slice::from_ref(&first), 0);
        let zero = vec![0; 4];
        let by_thirds = [
            [zero.clone(), zero.clone(), zero],
            [first.clone(), first.clone(), first],
        ];
        assert_eq!(seen[..6], by_thirds.concat());
        assert_eq!(seen[6], second);
    }
}
