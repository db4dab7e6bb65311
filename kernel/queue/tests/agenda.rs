//! The agenda against a naive model, and its edges.

use giornata_abi::Instant;
use giornata_queue::{Agenda, AgendaEvent};
use proptest::prelude::*;
use std::collections::BTreeMap;

const EVENTS: usize = 20;
const HORIZON: u64 = 1 << 31;

fn with_agenda(test: impl FnOnce(Agenda<'_>)) {
    let mut events = [AgendaEvent::EMPTY; EVENTS];
    test(Agenda::new(&mut events));
}

/// The agenda as one would write it without thinking of time.
#[derive(Default)]
struct Model {
    instants: BTreeMap<u64, Vec<u16>>,
}

impl Model {
    fn insert(&mut self, event: u16, at: u64) {
        self.remove(event);
        self.instants.entry(at).or_default().push(event);
    }

    fn remove(&mut self, event: u16) -> bool {
        let held = self.instants.values().flatten().any(|e| *e == event);
        self.instants
            .values_mut()
            .for_each(|list| list.retain(|e| *e != event));
        self.instants.retain(|_, list| !list.is_empty());
        held
    }

    fn next(&self) -> Option<u64> {
        self.instants.keys().next().copied()
    }

    fn take(&mut self, now: u64) -> Option<(u64, u16)> {
        let at = self.next().filter(|at| *at <= now)?;
        let event = self.instants[&at][0];
        self.remove(event);
        Some((at, event))
    }
}

#[derive(Clone, Debug)]
enum Operation {
    /// At a distance from the clock, which may lie in the past.
    Insert(u16, i64),
    InsertAt(u16, u64),
    Remove(u16),
    Take,
    /// By a distance from the clock.
    Postpone(i64),
    Advance(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    let event = 0u16..EVENTS as u16 + 2;
    let distance = prop_oneof![
        4 => (0i64..8).prop_map(|k| k * 10),
        2 => -100i64..1_000_000,
        2 => (HORIZON as i64 - 3)..(HORIZON as i64 + 3),
        1 => 0i64..1 << 36,
        1 => -(1i64 << 33)..0,
    ];
    let wild = prop_oneof![Just(0), Just(u64::MAX), Just(u64::MAX - 1), any::<u64>()];
    prop_oneof![
        8 => (event.clone(), distance.clone()).prop_map(|(e, d)| Operation::Insert(e, d)),
        4 => distance.prop_map(Operation::Postpone),
        1 => (event.clone(), wild).prop_map(|(e, at)| Operation::InsertAt(e, at)),
        2 => event.prop_map(Operation::Remove),
        5 => Just(Operation::Take),
        2 => prop_oneof![0u64..50, 0u64..1 << 20, HORIZON - 2..HORIZON + 2, 0u64..1 << 35]
            .prop_map(Operation::Advance),
    ]
}

/// Most operations of a case.
const LENGTH: usize = if cfg!(miri) { 40 } else { 250 };

/// Fewer cases under an interpreter, which has no files to keep failures in.
fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 2 } else { 400 };
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_agenda_does_what_the_model_does(
        start in prop_oneof![Just(0u64), 0u64..1 << 40, Just(u64::MAX - 1000)],
        operations in prop::collection::vec(operation(), 1..LENGTH),
    ) {
        let mut events = [AgendaEvent::EMPTY; EVENTS];
        let mut agenda = Agenda::new(&mut events);
        let mut model = Model::default();
        let mut now = start;
        for operation in operations {
            match operation {
                Operation::Insert(event, distance) => {
                    let at = now.saturating_add_signed(distance);
                    let fits = (event as usize) < EVENTS;
                    prop_assert_eq!(agenda.insert(event, Instant(at)), fits);
                    if fits {
                        model.insert(event, at);
                    }
                }
                Operation::InsertAt(event, at) => {
                    if agenda.insert(event, Instant(at)) {
                        model.insert(event, at);
                    }
                }
                Operation::Remove(event) => prop_assert_eq!(agenda.remove(event), model.remove(event)),
                Operation::Take => {
                    let taken = agenda.take(Instant(now)).map(|(at, event)| (at.0, event));
                    prop_assert_eq!(taken, model.take(now));
                }
                Operation::Postpone(distance) => {
                    let first = agenda.first();
                    prop_assert_eq!(first.map(|(at, _)| at.0), model.next());
                    if let Some((at, event)) = first {
                        prop_assert_eq!(Some((at.0, event)), model.take(at.0));
                        let at = now.saturating_add_signed(distance);
                        agenda.postpone(Instant(at));
                        model.insert(event, at);
                    }
                }
                Operation::Advance(by) => now = now.saturating_add(by),
            }
            prop_assert_eq!(agenda.check_invariants(), Ok(()));
            prop_assert_eq!(agenda.next().map(|at| at.0), model.next());
        }
    }
}

fn drain(agenda: &mut Agenda<'_>, now: u64) -> Vec<(u64, u16)> {
    let mut taken = Vec::new();
    while let Some((at, event)) = agenda.take(Instant(now)) {
        agenda.check_invariants().unwrap();
        taken.push((at.0, event));
    }
    taken
}

#[test]
fn events_of_one_instant_come_first_in_first_out() {
    with_agenda(|mut agenda| {
        for event in [7, 3, 11] {
            assert!(agenda.insert(event, Instant(50)));
        }
        agenda.insert(1, Instant(40));
        assert_eq!(
            drain(&mut agenda, 50),
            [(40, 1), (50, 7), (50, 3), (50, 11)]
        );
        assert_eq!(agenda.next(), None);
    });
}

#[test]
fn nothing_comes_before_its_time() {
    with_agenda(|mut agenda| {
        agenda.insert(0, Instant(100));
        assert_eq!(agenda.take(Instant(99)), None);
        assert_eq!(agenda.next(), Some(Instant(100)));
        assert_eq!(agenda.take(Instant(100)), Some((Instant(100), 0)));
    });
}

#[test]
fn an_event_put_in_again_leaves_its_earlier_instant() {
    with_agenda(|mut agenda| {
        agenda.insert(0, Instant(10));
        agenda.insert(0, Instant(20));
        assert_eq!(drain(&mut agenda, 30), [(20, 0)]);
    });
}

#[test]
fn an_event_put_in_while_its_instant_is_taken_comes_in_the_same_instant() {
    with_agenda(|mut agenda| {
        agenda.insert(0, Instant(10));
        assert_eq!(agenda.take(Instant(10)), Some((Instant(10), 0)));
        agenda.insert(1, Instant(10));
        agenda.insert(0, Instant(10));
        assert_eq!(drain(&mut agenda, 10), [(10, 1), (10, 0)]);
    });
}

#[test]
fn events_leave_a_list_from_its_head_its_middle_and_its_end() {
    for leaving in [[0u16, 1, 2], [1, 0, 2], [2, 0, 1]] {
        with_agenda(|mut agenda| {
            (0..3).for_each(|event| assert!(agenda.insert(event, Instant(5))));
            for event in leaving {
                assert!(agenda.remove(event));
                assert!(!agenda.remove(event));
                agenda.check_invariants().unwrap();
            }
            assert_eq!(agenda.next(), None);
        });
    }
}

#[test]
fn instants_beyond_the_horizon_keep_their_place() {
    with_agenda(|mut agenda| {
        let distances = [
            9 * HORIZON,
            3,
            HORIZON,
            HORIZON - 1,
            2 * HORIZON + 3,
            u64::MAX,
        ];
        for (event, at) in distances.into_iter().enumerate() {
            agenda.insert(event as u16, Instant(at));
        }
        let order: Vec<_> = drain(&mut agenda, u64::MAX)
            .into_iter()
            .map(|(_, e)| e)
            .collect();
        assert_eq!(order, [1, 3, 2, 4, 0, 5]);
    });
}

#[test]
fn a_near_event_joins_the_far_one_of_the_same_instant() {
    with_agenda(|mut agenda| {
        agenda.insert(0, Instant(HORIZON + 100));
        agenda.insert(1, Instant(200));
        assert_eq!(agenda.take(Instant(200)), Some((Instant(200), 1)));
        agenda.insert(1, Instant(HORIZON + 100));
        agenda.insert(2, Instant(HORIZON + 99));
        assert_eq!(
            drain(&mut agenda, 2 * HORIZON),
            [(HORIZON + 99, 2), (HORIZON + 100, 0), (HORIZON + 100, 1)]
        );
    });
}

#[test]
fn instants_that_have_passed_come_first_and_in_order() {
    with_agenda(|mut agenda| {
        assert_eq!(agenda.take(Instant(1_000_000)), None);
        agenda.insert(0, Instant(1_000_001));
        agenda.insert(1, Instant(999));
        agenda.insert(2, Instant(0));
        assert_eq!(
            drain(&mut agenda, 2_000_000),
            [(0, 2), (999, 1), (1_000_001, 0)]
        );
    });
}

#[test]
fn the_end_of_time_is_an_instant_like_any_other() {
    with_agenda(|mut agenda| {
        agenda.insert(0, Instant::NEVER);
        agenda.insert(1, Instant::NEVER);
        assert_eq!(agenda.take(Instant(u64::MAX - 1)), None);
        agenda.insert(2, Instant(5));
        agenda.insert(3, Instant(u64::MAX - 1));
        let order: Vec<_> = drain(&mut agenda, u64::MAX)
            .into_iter()
            .map(|(_, e)| e)
            .collect();
        assert_eq!(order, [2, 3, 0, 1]);
    });
}

#[test]
fn numbers_out_of_range_are_ignored() {
    with_agenda(|mut agenda| {
        for event in [EVENTS as u16, u16::MAX - 1, u16::MAX] {
            assert!(!agenda.insert(event, Instant(1)));
            assert!(!agenda.remove(event));
        }
        agenda.check_invariants().unwrap();
        assert_eq!(agenda.next(), None);
    });
}

#[test]
fn an_agenda_with_every_event_at_its_own_instant_takes_them_all() {
    with_agenda(|mut agenda| {
        for round in 0..3 {
            for event in 0..EVENTS as u16 {
                let at = (event as u64 * 7 % EVENTS as u64) << (round * 20);
                assert!(agenda.insert(event, Instant(at)));
                agenda.check_invariants().unwrap();
            }
        }
        let order: Vec<_> = drain(&mut agenda, u64::MAX);
        assert_eq!(order.len(), EVENTS);
        assert!(order.is_sorted());
    });
}

#[test]
fn agendas_of_every_small_size_come_in_order() {
    for size in 1..=33u16 {
        let mut events = vec![AgendaEvent::EMPTY; size as usize];
        let mut agenda = Agenda::new(&mut events);
        for event in 0..size {
            assert!(agenda.insert(event, Instant((event as u64 * 5) % 7)));
            agenda.check_invariants().unwrap();
        }
        assert!(!agenda.insert(size, Instant(0)));
        let mut expected: Vec<_> = (0..size).map(|e| ((e as u64 * 5) % 7, e)).collect();
        expected.sort();
        assert_eq!(drain(&mut agenda, 6), expected);
    }
}

#[test]
fn no_events_at_all_is_an_empty_agenda() {
    let mut agenda = Agenda::new(&mut []);
    assert!(!agenda.insert(0, Instant(0)));
    assert_eq!(agenda.next(), None);
    assert_eq!(agenda.take(Instant::NEVER), None);
    agenda.check_invariants().unwrap();
}

#[test]
fn a_thousand_periods_come_in_order_across_many_horizons() {
    with_agenda(|mut agenda| {
        let periods = [700_000_001u64, 333_333_333, 1_000_000_000, 5_000_000_000];
        for (event, period) in periods.into_iter().enumerate() {
            agenda.insert(event as u16, Instant(period));
        }
        let (mut last, mut counts) = (0, [0u64; 4]);
        for _ in 0..4 * LENGTH {
            let next = agenda.next().unwrap();
            let (at, event) = agenda.take(next).unwrap();
            assert!(at == next && at.0 >= last);
            last = at.0;
            counts[event as usize] += 1;
            assert_eq!(at.0, counts[event as usize] * periods[event as usize]);
            agenda.insert(event, Instant(at.0 + periods[event as usize]));
            agenda.check_invariants().unwrap();
        }
    });
}
