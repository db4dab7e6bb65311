//! What is posted is taken, once, across two contexts.

use giornata_queue::Handover;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn nothing_is_pending_at_first() {
    let handover = Handover::default();
    assert!(!handover.is_pending());
    assert_eq!(handover.take_interrupt(), None);
    assert!(!handover.take_poke());
}

#[test]
fn a_pending_post_absorbs_further_ones() {
    let handover = Handover::new();
    assert!(handover.post_interrupt(10));
    assert!(!handover.post_interrupt(10));
    assert_eq!(handover.take_interrupt(), Some(10));
    assert_eq!(handover.take_interrupt(), None);
    assert!(handover.post_interrupt(10));
    assert!(handover.is_pending());
}

#[test]
fn a_poke_is_no_interrupt() {
    let handover = Handover::new();
    assert!(handover.post_poke());
    assert!(!handover.post_poke());
    assert_eq!(handover.take_interrupt(), None);
    assert!(handover.take_poke());
    assert!(!handover.take_poke());
    assert!(!handover.is_pending());
}

#[test]
fn lines_out_of_range_are_ignored() {
    let handover = Handover::new();
    for line in [Handover::LINES, Handover::LINES + 1, u16::MAX] {
        assert!(!handover.post_interrupt(line));
    }
    assert!(!handover.is_pending());
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
    fn lines_are_a_set_taken_lowest_first(
        operations in prop::collection::vec(prop::option::weighted(0.6, 0..Handover::LINES), 1..LENGTH),
    ) {
        let (handover, mut model) = (Handover::new(), BTreeSet::new());
        for operation in operations {
            match operation {
                Some(line) => prop_assert_eq!(handover.post_interrupt(line), model.insert(line)),
                None => prop_assert_eq!(handover.take_interrupt(), model.pop_first()),
            }
            prop_assert_eq!(handover.is_pending(), !model.is_empty());
        }
    }
}

#[test]
fn what_was_stored_before_a_poke_is_seen_after_its_take() {
    let rounds = if cfg!(miri) { 50 } else { 200_000 };
    let (handover, value) = (Handover::new(), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=rounds {
                value.store(round, Ordering::Relaxed);
                handover.post_poke();
            }
        });
        // The last value is seen although most pokes were absorbed.
        let mut seen = 0;
        while seen != rounds {
            if handover.take_poke() {
                let now = value.load(Ordering::Relaxed);
                assert!(now >= seen);
                seen = now;
            }
            std::thread::yield_now();
        }
    });
}
