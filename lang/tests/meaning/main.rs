//! Generated code does what the language means: the E code of random programs
//! against an interpreter of the syntax tree.

mod events;
mod machine;
mod program;
mod reference;

use giornata_abi::module::Module;
use giornata_lang::giotto::{Options, compile, parse};
use giornata_microcode::verify::{Scratch, scratch_needed};
use proptest::prelude::*;

use self::machine::Machine;
use self::reference::Reference;

/// The verifier accepts what the compiler makes, and finds the bound of steps
/// that the compiler says.
fn verify(module: &Module<'_>) {
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
    let verified =
        giornata_microcode::verify::verify(module, &mut scratch).unwrap_or_else(|r| panic!("{r}"));
    assert_eq!(verified.steps, Some(module.header().max_steps));
}

/// Handlers for the violations that the low bits of the seed choose: they
/// change no instant.
fn options(seed: u64) -> Options {
    let handlers =
        [0, 1, 2, 3].map(|kind| (seed >> kind & 1 != 0).then(|| format!("handle{}", kind / 2)));
    Options {
        handlers,
        ..Options::default()
    }
}

fn agree(source: &str, seed: u64, moments: usize) -> Result<(), TestCaseError> {
    let (bytes, diagnostics) = compile("random.giotto", source, &options(seed));
    let Some(bytes) = bytes else {
        prop_assert!(diagnostics.iter().any(|d| d.is_error()));
        return Err(TestCaseError::reject("not a legal program"));
    };
    let (tree, _) = parse("random.giotto", source);
    let module = Module::parse(&bytes).unwrap();
    verify(&module);
    let mut machine = Machine::new(&bytes, seed);
    let mut reference = Reference::new(&tree, module.header().denominator, seed);
    for _ in 0..moments {
        prop_assert_eq!(machine.moment(), reference.moment());
    }
    let bound = module.header().max_steps;
    prop_assert!(
        machine.longest <= bound,
        "{} steps, bound {bound}",
        machine.longest
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn code_and_meaning_agree_at_every_instant(source in program::program(), seed: u64) {
        agree(&source, seed, 200)?;
    }
}

#[test]
fn a_switch_in_the_middle_of_tasks_agrees() {
    // Task t0 (period 12 ms) runs on through switches; t1 (period 6 ms) starts late
    // where `fast` is entered at 3 or 9 ms.
    let source = include_str!("middle.giotto");
    for seed in 0..50 {
        agree(source, seed, 400).unwrap();
    }
}

#[test]
fn an_output_of_several_modes_has_the_value_of_the_mode_that_runs() {
    let source = include_str!("shared.giotto");
    for seed in 0..50 {
        agree(source, seed, 400).unwrap();
    }
}
