//! Random Psi programs, values included: what their jobs and drivers see under the kernel,
//! against the meaning of the language, read from the syntax tree by the interpreter that
//! the compiler's own tests have.

#[path = "../../../lang/tests/psi/events.rs"]
mod events;
mod machine;
#[path = "../../../lang/tests/psi/program.rs"]
mod program;
#[path = "../../../lang/tests/psi/reference.rs"]
mod reference;

use giornata_lang::Options;
use giornata_lang::psi::{compile, parse};

use crate::events::{Begun, Moment};
use crate::reference::Reference;

/// Programs of the long form, and of the short one.
const PROGRAMS: [u64; 2] = [20_000, 150];
/// Milliseconds that each runs.
const UNTIL: u64 = 60;

/// What is seen of a moment under the kernel: the deadline and the variables are not.
fn seen(moment: Moment) -> Moment {
    let begun = moment.begun.into_iter();
    Moment {
        begun: begun.map(|job| Begun { deadline: 0, ..job }).collect(),
        visible: Vec::new(),
        ..moment
    }
}

/// How many jobs a program of this seed begins; `None`: it is not legal.
fn agree(seed: u64) -> Option<usize> {
    let source = program::text(seed);
    let (module, _) = compile("random.psi", &source, &Options::default());
    let module = module?;
    let (tree, _) = parse("random.psi", &source);
    let mut reference = Reference::new(&tree);
    let ran = machine::run(&module, UNTIL);
    let mut jobs = 0;
    for moment in ran {
        jobs += moment.begun.len();
        let meant = loop {
            let meant = seen(reference.moment());
            // (where no job begins and nothing is written there is nothing to see)
            if !meant.begun.is_empty() || !meant.written.is_empty() {
                break meant;
            }
        };
        assert_eq!(moment, meant, "seed {seed}\n{source}");
    }
    Some(jobs)
}

#[test]
fn functions_see_the_values_that_the_text_means() {
    let programs = PROGRAMS[usize::from(std::env::var_os("GIORNATA_LONG").is_none())];
    let (mut legal, mut jobs, mut seed) = (0, 0, 0);
    while legal < programs {
        if let Some(begun) = agree(seed) {
            legal += 1;
            jobs += begun as u64;
        }
        seed += 1;
    }
    assert!(seed < 4 * programs, "{seed} programs, {legal} legal");
    assert!(jobs > 20 * programs, "{jobs} jobs of {programs} programs");
}
