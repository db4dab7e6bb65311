//! The ready queue against a naive model, and its edges.

use giornata_queue::{ReadyNode, ReadyQueue, Urgency};
use proptest::prelude::*;

const THREADS: usize = 24;
const DEADLINE_LEVEL: u16 = 201;

fn with_queue(test: impl FnOnce(ReadyQueue<'_>)) {
    let mut nodes = [ReadyNode::EMPTY; THREADS];
    test(ReadyQueue::new(&mut nodes, DEADLINE_LEVEL));
}

/// The queue as one would write it without thinking of time.
#[derive(Default)]
struct Model {
    queued: Vec<(u16, Urgency)>,
}

impl Model {
    fn insert(&mut self, id: u16, urgency: Urgency) {
        self.remove(id);
        self.queued.push((id, urgency));
    }

    fn remove(&mut self, id: u16) -> bool {
        let before = self.queued.len();
        self.queued.retain(|(other, _)| *other != id);
        self.queued.len() != before
    }

    fn top(&self) -> Option<(u16, Urgency)> {
        self.queued.iter().copied().reduce(|best, other| {
            let equal = best.1 == other.1;
            let better = other.1.is_more_urgent_than(best.1) || equal && other.0 < best.0;
            if better { other } else { best }
        })
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Insert(u16, u16, u32),
    Remove(u16),
    RemoveTop,
    /// The thread, or the most urgent one, goes behind its equals.
    Rotate(Option<u16>),
}

fn operation() -> impl Strategy<Value = Operation> {
    let id = 0u16..THREADS as u16 + 2;
    let level = prop_oneof![
        Just(DEADLINE_LEVEL),
        Just(Urgency::REACTION),
        Just(Urgency::STREAM),
        Just(17u16),
        0u16..258,
    ];
    // spans less than 2^31 and wraps
    let key = prop_oneof![
        0u32..6,
        (0u32..1 << 30),
        (0u32..1 << 30).prop_map(u32::wrapping_neg)
    ];
    prop_oneof![
        5 => (id.clone(), level, key).prop_map(|(i, l, k)| Operation::Insert(i, l, k)),
        2 => id.clone().prop_map(Operation::Remove),
        2 => Just(Operation::RemoveTop),
        2 => prop::option::weighted(0.3, id).prop_map(Operation::Rotate),
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
    fn the_queue_does_what_the_model_does(operations in prop::collection::vec(operation(), 1..LENGTH)) {
        let mut nodes = [ReadyNode::EMPTY; THREADS];
        let mut queue = ReadyQueue::new(&mut nodes, DEADLINE_LEVEL);
        let (mut model, mut serial) = (Model::default(), 0);
        for operation in operations {
            match operation {
                Operation::Insert(id, level, key) => {
                    let urgency = Urgency { level, key };
                    let fits = (id as usize) < THREADS;
                    prop_assert_eq!(queue.insert(id, urgency), fits);
                    if fits {
                        model.insert(id, urgency);
                    }
                }
                Operation::Remove(id) => prop_assert_eq!(queue.remove(id), model.remove(id)),
                Operation::RemoveTop => {
                    if let Some((id, _)) = model.top() {
                        prop_assert!(queue.remove(id));
                        model.remove(id);
                    }
                }
                Operation::Rotate(id) => {
                    let top = model.top();
                    let id = id.or(top.map(|(id, _)| id)).unwrap_or(0);
                    // later than every key that `operation` makes
                    let rotated = queue.rotate(id, (1 << 30) + serial);
                    let held = top.filter(|(first, urgency)| *first == id && urgency.level != DEADLINE_LEVEL);
                    if let Some((_, Urgency { level, .. })) = held {
                        let key = (1 << 30) + serial;
                        model.insert(id, Urgency { level, key });
                        serial += 1;
                    }
                    let next = held.and_then(|_| model.top()).map(|(id, _)| id);
                    prop_assert_eq!(rotated, next);
                }
            }
            prop_assert_eq!(queue.check_invariants(), Ok(()));
            prop_assert_eq!(queue.top(), model.top());
            prop_assert_eq!(queue.first(), model.top().map_or(u16::MAX, |(id, _)| id));
            for id in 0..THREADS as u16 + 2 {
                let expected = model.queued.iter().find(|(other, _)| *other == id).map(|(_, u)| *u);
                prop_assert_eq!(queue.urgency_of(id), expected);
                prop_assert_eq!(queue.contains(id), expected.is_some());
            }
        }
    }

    #[test]
    fn broken_key_assumptions_break_the_order_only(operations in prop::collection::vec((0u16..30, 195u16..205, any::<u32>(), any::<bool>()), 1..LENGTH)) {
        let mut nodes = [ReadyNode::EMPTY; THREADS];
        let mut queue = ReadyQueue::new(&mut nodes, DEADLINE_LEVEL);
        let mut queued = std::collections::BTreeSet::new();
        for (id, level, key, insert) in operations {
            if insert {
                if queue.insert(id, Urgency { level, key }) {
                    queued.insert(id);
                }
            } else {
                prop_assert_eq!(queue.remove(id), queued.remove(&id));
            }
            prop_assert_eq!(queue.top().is_some(), !queued.is_empty());
        }
        while let Some((id, _)) = queue.top() {
            prop_assert!(queue.remove(id) && queued.remove(&id));
        }
        prop_assert!(queued.is_empty());
    }
}

fn drain(queue: &mut ReadyQueue<'_>) -> Vec<u16> {
    let mut order = Vec::new();
    while let Some((id, _)) = queue.top() {
        queue.remove(id);
        queue.check_invariants().unwrap();
        order.push(id);
    }
    order
}

#[test]
fn arrivals_at_one_priority_run_first_in_first_out() {
    with_queue(|mut queue| {
        for (serial, id) in [4, 2, 9, 0].into_iter().enumerate() {
            queue.insert(id, Urgency::fixed(10, (serial as u32).wrapping_sub(2)));
        }
        assert_eq!(drain(&mut queue), [4, 2, 9, 0]);
    });
}

#[test]
fn an_arrival_at_the_head_runs_before_all_others() {
    with_queue(|mut queue| {
        queue.insert(1, Urgency::fixed(10, 0));
        queue.insert(2, Urgency::fixed(10, 1));
        queue.insert(3, Urgency::fixed(10, u32::MAX));
        assert_eq!(drain(&mut queue), [3, 1, 2]);
    });
}

#[test]
fn an_old_key_comes_back_to_its_old_place() {
    with_queue(|mut queue| {
        for id in 0..8 {
            queue.insert(id, Urgency::fixed(10, 10 * id as u32));
        }
        queue.insert(3, Urgency::fixed(200, 0));
        queue.insert(3, Urgency::fixed(10, 30));
        assert_eq!(drain(&mut queue), [0, 1, 2, 3, 4, 5, 6, 7]);
    });
}

#[test]
fn threads_leave_a_list_from_its_head_its_middle_and_its_end() {
    for leaving in [[0u16, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]] {
        with_queue(|mut queue| {
            for id in 0..3 {
                queue.insert(id, Urgency::fixed(10, id as u32));
            }
            for (gone, id) in leaving.into_iter().enumerate() {
                assert!(queue.remove(id));
                assert!(!queue.remove(id));
                queue.check_invariants().unwrap();
                let left = leaving.iter().skip(gone + 1).min().copied();
                assert_eq!(queue.top().map(|(id, _)| id), left);
            }
        });
    }
}

#[test]
fn deadlines_run_earliest_first_between_their_neighbour_priorities() {
    with_queue(|mut queue| {
        queue.insert(0, Urgency::fixed(199, 0));
        queue.insert(
            1,
            Urgency {
                level: DEADLINE_LEVEL,
                key: 5,
            },
        );
        queue.insert(
            2,
            Urgency {
                level: DEADLINE_LEVEL,
                key: u32::MAX,
            },
        );
        queue.insert(3, Urgency::fixed(201, 9));
        queue.insert(
            5,
            Urgency {
                level: DEADLINE_LEVEL,
                key: 4,
            },
        );
        queue.insert(
            4,
            Urgency {
                level: DEADLINE_LEVEL,
                key: 4,
            },
        );
        assert_eq!(drain(&mut queue), [3, 2, 4, 5, 1, 0]);
    });
}

#[test]
fn numbers_out_of_range_are_ignored() {
    with_queue(|mut queue| {
        for id in [THREADS as u16, u16::MAX - 1, u16::MAX] {
            assert!(!queue.insert(id, Urgency::fixed(1, 0)));
            assert!(!queue.insert(
                id,
                Urgency {
                    level: DEADLINE_LEVEL,
                    key: 0
                }
            ));
            assert!(!queue.remove(id));
            assert!(!queue.contains(id));
            assert_eq!(queue.urgency_of(id), None);
        }
        assert!(queue.insert(
            0,
            Urgency {
                level: u16::MAX,
                key: 0
            }
        ));
        assert_eq!(
            queue.top(),
            Some((
                0,
                Urgency {
                    level: Urgency::REACTION,
                    key: 0
                }
            ))
        );
        queue.check_invariants().unwrap();
    });
}

#[test]
fn every_thread_fits_on_the_deadline_level() {
    with_queue(|mut queue| {
        for key in [9, 3, 7] {
            for id in 0..THREADS as u16 {
                let key = (id as u32 * key) % THREADS as u32;
                let level = DEADLINE_LEVEL;
                assert!(queue.insert(id, Urgency { level, key }));
                queue.check_invariants().unwrap();
            }
        }
        let expected = |id: &u16| ((*id as u32 * 7) % THREADS as u32, *id);
        let mut order: Vec<_> = (0..THREADS as u16).collect();
        order.sort_by_key(expected);
        assert_eq!(drain(&mut queue), order);
    });
}

#[test]
fn no_threads_at_all_is_an_empty_queue() {
    let mut queue = ReadyQueue::new(&mut [], DEADLINE_LEVEL);
    assert!(!queue.insert(0, Urgency::fixed(0, 0)));
    assert_eq!(queue.top(), None);
    queue.check_invariants().unwrap();
}

#[test]
#[cfg_attr(miri, ignore = "takes an hour under an interpreter")]
fn as_many_threads_as_numbers_allow_fit() {
    let mut nodes = vec![ReadyNode::EMPTY; 1 << 16];
    let mut queue = ReadyQueue::new(&mut nodes, DEADLINE_LEVEL);
    for id in 0..u16::MAX {
        assert!(queue.insert(
            id,
            Urgency {
                level: DEADLINE_LEVEL,
                key: id as u32 / 3
            }
        ));
    }
    assert!(!queue.insert(
        u16::MAX,
        Urgency {
            level: DEADLINE_LEVEL,
            key: 0
        }
    ));
    queue.check_invariants().unwrap();
    for id in 0..u16::MAX {
        assert_eq!(queue.top().map(|(id, _)| id), Some(id));
        queue.remove(id);
    }
}
