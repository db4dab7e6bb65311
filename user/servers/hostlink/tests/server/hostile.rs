//! Uploads that are damaged, truncated, reordered, replayed or wrongly signed change
//! nothing.

use giornata_abi::module::crc32;
use giornata_hostlink_wire::{Action, CHUNK, Change, Deed};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::support::{Bench, Fake, Got, PATIENCE, faster, key, tag, with_server};

/// What goes wrong with an upload.
#[derive(Clone, Debug)]
enum Harm {
    /// A byte is corrupted on the line.
    Corrupted(prop::sample::Index, u8),
    /// The connection is lost.
    Truncated(prop::sample::Index),
    /// Two frames are swapped.
    Reordered(prop::sample::Index, prop::sample::Index),
    /// The frames of a good upload are replayed, from one of them on.
    Replayed(prop::sample::Index, bool),
    /// The host sends bytes that differ from those it has signed.
    Altered(prop::sample::Index, u8),
    /// The pieces are in the wrong order, with correct request numbers.
    Shuffled(prop::sample::Index),
    /// Signed with another key, for another program, upload or change, or not at all.
    Missigned(u8),
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = || any::<prop::sample::Index>();
    prop_oneof![
        (place(), 1u8..).prop_map(|(at, by)| Harm::Corrupted(at, by)),
        place().prop_map(Harm::Truncated),
        (place(), place()).prop_map(|(a, b)| Harm::Reordered(a, b)),
        (place(), any::<bool>()).prop_map(|(from, hello)| Harm::Replayed(from, hello)),
        (place(), 1u8..).prop_map(|(at, by)| Harm::Altered(at, by)),
        place().prop_map(Harm::Shuffled),
        (0u8..6).prop_map(Harm::Missigned),
    ]
}

/// The frames of an upload. The host does not wait for replies, and assumes the ticket
/// of the next upload.
fn frames(bench: &mut Bench<'_, '_>, ticket: u32, new: &[u8], harm: &Harm) -> Vec<Vec<u8>> {
    let (program, length, base) = ("flight", new.len() as u32, None);
    let mut all = vec![bench.frame(Action::Begin {
        program,
        length,
        base,
    })];
    let mut sent = new.to_vec();
    if let Harm::Altered(at, by) = harm {
        // Behind the checksum, which is mended.
        let at = 8 + at.index(sent.len() - 8);
        sent[at] ^= by;
        let crc = crc32(&sent[8..]);
        sent[4..8].copy_from_slice(&crc.to_le_bytes());
    }
    let mut pieces: Vec<(usize, &[u8])> = sent.chunks(CHUNK).enumerate().collect();
    if let Harm::Shuffled(at) = harm {
        let at = at.index(pieces.len() - 1);
        pieces.swap(at, at + 1);
    }
    for (index, bytes) in pieces {
        let offset = (index * CHUNK) as u32;
        all.push(bench.frame(Action::Chunk {
            ticket,
            offset,
            bytes,
        }));
    }
    let change = Change::Restart;
    let sign = |bench: &Bench<'_, '_>, ticket, change: Change, program| {
        bench.sign(ticket, Deed::Commit, change as u8, program, new)
    };
    let signature = match harm {
        Harm::Missigned(0) => None,
        Harm::Missigned(1) => sign(bench, ticket + 1, change, program),
        Harm::Missigned(2) => sign(bench, ticket, Change::CarryOver, program),
        Harm::Missigned(3) => sign(bench, ticket, change, "second"),
        Harm::Missigned(4) => {
            let own = bench.key.replace(key(2));
            let signature = sign(bench, ticket, change, program);
            bench.key = own;
            signature
        }
        Harm::Missigned(_) => {
            bench.number += 1;
            let signature = sign(bench, ticket, change, program);
            bench.number -= 1;
            signature
        }
        _ => sign(bench, ticket, change, program),
    };
    all.push(bench.frame(Action::Commit {
        ticket,
        change,
        signature,
    }));
    all
}

/// Sends one corrupted upload in a session of its own.
fn attack(bench: &mut Bench<'_, '_>, harm: &Harm, new: &[u8], recorded: &[Vec<u8>], ticket: u32) {
    bench.send(&[0]);
    bench.hello();
    if let Harm::Replayed(from, hello) = harm {
        let from = if *hello {
            0
        } else {
            from.index(recorded.len())
        };
        bench.send(&recorded[from..].concat());
        bench.run();
        return;
    }
    let mut all = frames(bench, ticket, new, harm);
    if let Harm::Reordered(a, b) = harm {
        let (a, b) = (a.index(all.len()), b.index(all.len()));
        // The same twice is no change of order.
        let b = if a == b { (b + 1) % all.len() } else { b };
        all.swap(a, b);
    }
    let mut bytes = all.concat();
    match harm {
        Harm::Corrupted(at, by) => {
            let at = at.index(bytes.len());
            bytes[at] ^= by;
        }
        Harm::Truncated(at) => bytes.truncate(at.index(bytes.len())),
        _ => {}
    }
    bench.send(&bytes);
    bench.run();
    if let Harm::Truncated(_) = harm {
        bench.kernel.clock += PATIENCE.0 + 1;
    }
}

/// The kernel's programs, and the number of calls that change them.
fn kept(kernel: &Fake) -> (Vec<crate::support::Room>, usize, Option<u8>) {
    (kernel.rooms.clone(), kernel.calls, kernel.stopped)
}

#[test]
fn five_hundred_harmed_uploads_change_nothing() {
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, b"hostlink uploads");
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    with_server(true, None, |bench| {
        let new = faster();
        // One good upload, of which every byte is recorded.
        bench.sent.clear();
        bench.hello();
        assert_eq!(bench.load("flight", &new, Change::Restart), Got::Done);
        let recorded: Vec<Vec<u8>> = bench
            .sent
            .split_inclusive(|b| *b == 0)
            .map(<[u8]>::to_vec)
            .collect();
        bench.kernel.happen();
        let (before, mut counts) = (kept(&bench.kernel), [0; 7]);
        for turn in 0..500 {
            let harm = harm().new_tree(&mut runner).unwrap().current();
            // Begin hands out the next one, if it gets through.
            let ticket = bench.begin("second", 1, None) + 1;
            attack(bench, &harm, &new, &recorded, ticket);
            assert_eq!(kept(&bench.kernel), before, "turn {turn}: {harm:?}");
            counts[kind(&harm)] += 1;
            bench.send(&[0]);
            bench.hello();
        }
        assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
        // A good one still works.
        let other = crate::support::part();
        assert_eq!(bench.load("flight", &other, Change::Restart), Got::Done);
        bench.kernel.happen();
        assert_eq!(bench.kernel.rooms[0].tag, tag(&other));
    });
}

fn kind(harm: &Harm) -> usize {
    match harm {
        Harm::Corrupted(..) => 0,
        Harm::Truncated(..) => 1,
        Harm::Reordered(..) => 2,
        Harm::Replayed(..) => 3,
        Harm::Altered(..) => 4,
        Harm::Shuffled(..) => 5,
        Harm::Missigned(..) => 6,
    }
}

#[test]
fn the_frames_of_an_upload_without_harm_do_change_something() {
    with_server(true, None, |bench| {
        let new = faster();
        let ticket = bench.begin("second", 1, None) + 1;
        let all = frames(bench, ticket, &new, &Harm::Replayed(prop_index(), true));
        bench.send(&all.concat());
        bench.run();
        assert_eq!(
            bench.kernel.rooms[0].asked.map(|(frame, _)| frame.tag),
            Some(tag(&new))
        );
    });
}

fn prop_index() -> prop::sample::Index {
    let mut runner = TestRunner::deterministic();
    any::<prop::sample::Index>()
        .new_tree(&mut runner)
        .unwrap()
        .current()
}

#[test]
fn any_module_that_is_staged_without_a_key_is_one_that_was_checked() {
    // Without signatures anyone on the line may load what fits; damaged files
    // and files for other places still change nothing.
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, b"hostlink modules");
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    with_server(false, None, |bench| {
        let mut refused = 0;
        for _ in 0..300 {
            let (at, by, mend) = (any::<prop::sample::Index>(), 1u8.., any::<bool>())
                .new_tree(&mut runner)
                .unwrap()
                .current();
            let mut new = faster();
            let at = 8 + at.index(new.len() - 8);
            new[at] ^= by;
            if mend {
                let crc = crc32(&new[8..]);
                new[4..8].copy_from_slice(&crc.to_le_bytes());
            }
            let calls = bench.kernel.calls;
            match bench.load("flight", &new, Change::Restart) {
                Got::Done => {
                    assert!(mend);
                    bench.kernel.happen();
                    assert_eq!(bench.kernel.rooms[0].tag, tag(&new));
                }
                _ => {
                    refused += 1;
                    assert_eq!(bench.kernel.calls, calls);
                }
            }
        }
        assert!(refused > 150, "{refused}");
    });
}
