//! Random code in random worlds.

use giornata_abi::trace::Violation;
use giornata_micro::UpcallEnd;
use giornata_test_microcode::random::{code, handlers, module};
use proptest::prelude::*;

use crate::support::{Event, MS, World, link_files, verify_bytes};

/// What the world does to the programs.
#[derive(Clone, Debug)]
struct Script {
    durations: [Vec<u64>; 2],
    ends: [Vec<u8>; 2],
    values: [Vec<u64>; 2],
    asks: bool,
    events: Vec<(u8, u8, u8)>,
}

fn script() -> impl Strategy<Value = Script> {
    let times = || prop::collection::vec(1u64..12_000_000, 1..5);
    let ends = || prop::collection::vec(0u8..6, 1..6);
    let values = || prop::collection::vec(0u64..5, 1..6);
    let events = prop::collection::vec((0u8..60, 0u8..4, 0u8..5), 0..12);
    (
        [times(), times()],
        [ends(), ends()],
        [values(), values()],
        any::<bool>(),
        events,
    )
        .prop_map(|(durations, ends, values, asks, events)| Script {
            durations,
            ends,
            values,
            asks,
            events,
        })
}

fn prepare(world: &mut World<'_>, script: &Script, stops: bool) {
    for task in 0..world.kernel.tasks.len() {
        world.kernel.tasks[task].durations = script.durations[task % 2].iter().copied().collect();
    }
    for driver in 0..world.kernel.drivers.len() {
        use crate::support::Work;
        let (half, port) = (driver % 2, (driver / 4 * 4 + driver % 2) as u16);
        world.kernel.drivers[driver].2 = match (driver % 4 >= 2, script.asks) {
            (true, true) => Work::Upcall(script.ends[half].iter().map(|e| end(*e)).collect()),
            (true, false) => Work::Write(port, script.values[half].iter().copied().collect()),
            (false, _) => Work::Nothing,
        };
    }
    for (at, what, value) in &script.events {
        let event = match what {
            0 => Event::Interrupt(40),
            1 => Event::Write(u16::from(*value) % 2, u64::from(*value)),
            2 => Event::Message(0, value % 2 == 0),
            _ if stops => Event::Stop(
                u16::from(*value) % 2,
                Violation::ALL[2 + *value as usize % 2],
            ),
            _ => continue,
        };
        world.at(f64::from(*at), event);
    }
}

fn end(code: u8) -> UpcallEnd {
    match code {
        0 => UpcallEnd::Overrun,
        1 => UpcallEnd::Fault,
        value => UpcallEnd::Returned(value as usize % 2),
    }
}

/// Runs the programs; the invariants are checked after every piece.
fn run(files: &[Vec<u8>], script: &Script, stops: bool) -> Vec<giornata_micro::Report> {
    let tables = link_files(files);
    let mut slots = tables.slots();
    let mut world = World::new(&tables, &mut slots);
    prepare(&mut world, script, stops);
    world.start_all();
    world.run_until(60 * MS);
    world.kernel.reports
}

/// 3,072 cases, or twelve times what `PROPTEST_CASES` says; just that many under
/// an interpreter.
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let factor = if cfg!(miri) { 1 } else { 12 };
    ProptestConfig {
        cases: usual.cases * factor,
        failure_persistence: None,
        ..usual
    }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn verified_code_never_exceeds_its_bounds(code in code(), handlers in handlers(), script in script()) {
        let file = module(&code, handlers);
        let verified = verify_bytes(&file);
        if !verified.is_ok_and(|v| v.steps.is_some()) {
            return Ok(()); // two in three
        }
        for report in run(&[file], &script, false) {
            let excess = report.violation == Violation::Overrun && report.task.is_none() && report.driver.is_none();
            prop_assert!(!excess, "{report:?}");
        }
    }

    #[test]
    fn any_code_keeps_the_invariants_and_ends_its_reactions(
        codes in prop::collection::vec((code(), handlers()), 1..3),
        script in script(),
    ) {
        let files: Vec<_> = codes.iter().map(|(code, handlers)| module(code, *handlers)).collect();
        run(&files, &script, true);
    }

    #[test]
    fn broken_code_keeps_the_invariants_too(
        code in code(),
        breaks in prop::collection::vec((0usize..200, any::<u8>()), 1..6),
        script in script(),
    ) {
        let file = module(&code, [None; 4]);
        let mut tables = link_files(&[file]);
        tables.break_code(&breaks);
        let mut slots = tables.slots();
        let mut world = World::new(&tables, &mut slots);
        prepare(&mut world, &script, true);
        world.start_all();
        world.run_until(30 * MS);
    }
}
