//! The corpus is whole, and the generator still makes what was recorded.

use giornata_replay_logs::{
    CHUNK, COUNT, Event, GRID, Kind, Occurrence, Record, chunk, difference, narrate, record,
    scenario, scenarios_checksum,
};

/// Scenarios that nothing touches.
const UNTOUCHED: usize = 12_000;

fn records() -> impl Iterator<Item = (u32, Record)> {
    let read = |number| {
        let records = chunk(number).unwrap_or_else(|why| panic!("chunk {number}: {why}"));
        (number * CHUNK..).zip(records)
    };
    (0..COUNT / CHUNK).flat_map(read)
}

#[test]
fn the_generator_makes_the_scenarios_that_it_always_made() {
    assert_eq!(scenarios_checksum(0, 1000), 16_031_940_587_672_148_143);
}

#[test]
fn every_scenario_is_recorded_and_most_are_untouched() {
    let (mut count, mut untouched) = (0, 0);
    for (number, record) in records() {
        let scenario = scenario(number);
        assert_eq!(number, count);
        assert_eq!(record.observation.steps.len(), scenario.events.len() + 1);
        let end = &record.observation.end;
        assert_eq!(end.threads.len(), scenario.system.threads.len());
        assert_eq!(end.objects.len(), scenario.system.objects.len());
        for kind in &scenario.touches {
            let touch = record.touches.iter().find(|touch| touch.kind == *kind);
            assert_eq!(touch.map(|touch| touch.step), Some(0), "scenario {number}");
        }
        untouched += usize::from(record.touches.is_empty());
        count += 1;
    }
    assert_eq!(count, COUNT);
    assert!(untouched >= UNTOUCHED, "only {untouched} are untouched");
}

#[test]
fn events_lie_between_the_instants_of_the_grid() {
    for number in (0..COUNT).step_by(50) {
        for event in scenario(number).events {
            if let Event::Advance(ticks) | Event::Delay(ticks) = event {
                assert!(ticks > 0 && ticks % GRID == 0, "scenario {number}: {event}");
            }
        }
    }
}

#[test]
fn a_difference_names_its_event_and_what_may_explain_it() {
    let number = (0..COUNT)
        .find(|number| scenario(*number).touches == [Kind::Equals])
        .expect("some have equals");
    let (scenario, record) = (scenario(number), record(number).expect("recorded"));
    let mut replayed = record.observation.clone();
    assert!(difference(&scenario, &record, &replayed).is_none());
    replayed.end.ports.push(1);
    let found = difference(&scenario, &record, &replayed).expect("another state");
    assert_eq!(found.step, scenario.events.len() + 1);
    assert!(found.to_string().contains("the end"));
    replayed.steps[7].push(Occurrence::Begins);
    let found = difference(&scenario, &record, &replayed).expect("another step");
    let event = &narrate(&scenario, &record.observation)[7];
    assert_eq!(found.step, 7);
    assert!(
        found
            .to_string()
            .contains(&format!("parts at step 7: {event}"))
    );
    assert_eq!(
        found.touches().next().map(|touch| touch.kind),
        Some(Kind::Equals)
    );
}
