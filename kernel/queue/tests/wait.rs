//! The rings of waiters against a naive model, and their edges.

use giornata_abi::id::NONE;
use giornata_queue::{Urgency, WaitNode, WaitRings};
use proptest::prelude::*;

const THREADS: usize = 16;
const THINGS: usize = 3;

#[derive(Clone, Debug)]
enum Operation {
    /// A thread waits for a thing, or for it with another urgency.
    Wait(u16, usize, Urgency),
    /// A thread stops to wait.
    Leave(u16),
    /// The first of a thing goes on.
    Wake(usize),
}

fn operation() -> impl Strategy<Value = Operation> {
    let id = 0..THREADS as u16;
    let level = prop_oneof![Just(7u16), Just(201), 0u16..258];
    // spans less than 2^31 and wraps
    let key = (0u32..40).prop_map(|key| key.wrapping_sub(20));
    let urgency = (level, key).prop_map(|(level, key)| Urgency { level, key });
    prop_oneof![
        4 => (id.clone(), 0..THINGS, urgency).prop_map(|(id, thing, u)| Operation::Wait(id, thing, u)),
        2 => id.prop_map(Operation::Leave),
        1 => (0..THINGS).prop_map(Operation::Wake),
    ]
}

/// The waiters of each thing, in the order in which they came.
#[derive(Default)]
struct Model([Vec<(u16, Urgency)>; THINGS]);

impl Model {
    fn thing_of(&self, id: u16) -> Option<usize> {
        self.0
            .iter()
            .position(|w| w.iter().any(|(other, _)| *other == id))
    }

    fn in_order(&self, thing: usize) -> Vec<u16> {
        let mut left = self.0[thing].clone();
        let mut order = Vec::new();
        while !left.is_empty() {
            let first = (0..left.len()).reduce(|best, at| {
                let (one, other) = (left[at], left[best]);
                let before = one.1.is_more_urgent_than(other.1);
                if before { at } else { best }
            });
            order.push(left.remove(first.unwrap()).0);
        }
        order
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 400 }))]

    #[test]
    fn rings_hold_their_waiters_in_order_of_urgency(
        operations in prop::collection::vec(operation(), 1..80)
    ) {
        let mut nodes = [WaitNode::EMPTY; THREADS];
        let mut rings = WaitRings::new(&mut nodes);
        let (mut firsts, mut model) = ([NONE; THINGS], Model::default());
        let leave = |rings: &mut WaitRings<'_>, firsts: &mut [u16; THINGS], model: &mut Model, id: u16| {
            if let Some(thing) = model.thing_of(id) {
                firsts[thing] = rings.remove(firsts[thing], id);
                model.0[thing].retain(|(other, _)| *other != id);
            }
        };
        for operation in operations {
            match operation {
                Operation::Wait(id, thing, urgency) => {
                    leave(&mut rings, &mut firsts, &mut model, id);
                    firsts[thing] = rings.insert(firsts[thing], id, urgency);
                    model.0[thing].push((id, urgency));
                }
                Operation::Leave(id) => leave(&mut rings, &mut firsts, &mut model, id),
                Operation::Wake(thing) => {
                    let first = firsts[thing];
                    leave(&mut rings, &mut firsts, &mut model, first);
                }
            }
            for (thing, first) in firsts.iter().enumerate() {
                prop_assert_eq!(rings.check_ring(*first), Ok(model.0[thing].len()));
                prop_assert_eq!(rings.ring(*first).collect::<Vec<_>>(), model.in_order(thing));
            }
            let all: usize = model.0.iter().map(Vec::len).sum();
            prop_assert_eq!(rings.count(), all);
        }
    }
}

#[test]
fn a_number_out_of_range_is_ignored() {
    let mut nodes = [WaitNode::EMPTY; 1];
    let mut rings = WaitRings::new(&mut nodes);
    let urgency = Urgency { level: 3, key: 1 };
    assert_eq!(rings.insert(NONE, 1, urgency), NONE);
    assert_eq!(rings.insert(NONE, 0, urgency), 0);
    assert_eq!(rings.remove(0, 9), 0);
    assert_eq!(rings.urgency_of(9), None);
    assert_eq!(rings.remove(0, 0), NONE);
    assert_eq!(rings.remove(NONE, 0), NONE, "it is in no ring");
}
