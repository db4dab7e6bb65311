//! Random code in random worlds.

use giornata_test_microcode::random::{code, handlers, module};
use proptest::prelude::*;

use crate::support::{End, Event, LINES, MS, System, Work, World, verify_bytes};

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

fn prepare(world: &mut World, script: &Script, faults: bool) {
    let names: Vec<String> = world
        .system
        .tasks
        .iter()
        .map(|task| task.name.clone())
        .collect();
    for (index, name) in names.iter().enumerate() {
        let times: Vec<f64> = script.durations[index % 2]
            .iter()
            .map(|nanos| *nanos as f64 / 1e6)
            .collect();
        world.takes(name, &times);
    }
    for (index, driver) in world.system.drivers.iter_mut().enumerate() {
        let (half, port) = (index % 2, index / 4 * 4 + index % 2);
        driver.work = match (index % 4 >= 2, script.asks) {
            (true, true) => Work::Upcall(script.ends[half].iter().map(|code| end(*code)).collect()),
            (true, false) => Work::Write(port, script.values[half].iter().copied().collect()),
            (false, _) => Work::Nothing,
        };
    }
    for (at, what, value) in &script.events {
        let event = match what {
            0 => Event::Interrupt(LINES),
            1 => Event::Write(usize::from(*value) % 2, u64::from(*value)),
            2 if world.system.mailboxes.is_empty() => continue,
            2 => Event::Message(0, true),
            _ if faults => Event::Fault,
            _ => continue,
        };
        world.at(f64::from(*at), event);
    }
}

fn end(code: u8) -> End {
    match code {
        0 => End::Overrun,
        1 => End::Fault,
        value => End::Returned(value as usize % 2),
    }
}

/// Runs the programs; the invariants are checked after every entry of the kernel.
fn run(files: Vec<Vec<u8>>, script: &Script, faults: bool) -> String {
    let mut system = System::of(files);
    // (any code may fill a trace in one reaction)
    system.trace_records = if cfg!(miri) { 1 << 13 } else { 1 << 16 };
    let mut world = World::of(system);
    prepare(&mut world, script, faults);
    world.run_until(60 * MS);
    world.words.join(" ")
}

/// 256 cases, or what `PROPTEST_CASES` says.
fn many() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
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
        let words = run(vec![file], &script, false);
        prop_assert!(!words.contains("[overrun]") && !words.contains("[overrun+"), "{words}");
    }

    #[test]
    fn any_code_keeps_the_invariants_and_ends_its_reactions(
        codes in prop::collection::vec((code(), handlers()), 1..3),
        script in script(),
    ) {
        let files = codes.iter().map(|(code, handlers)| module(code, *handlers)).collect();
        run(files, &script, true);
    }
}
