//! A tournament: who comes first among members that have fixed places.
//!
//! ```text
//!                    1                 node 1: the first of all
//!            2               3
//!        4      5        6      7      a node's winner is the first of its two children's
//!       8 9   10 11    12 13  [0][1]   leaf n + m is member m: itself, or NONE if it is out
//! ```
//!
//! A member that comes or goes replays its matches upwards, until a match ends
//! as it ended before: about two for one that is not first, log2 of the places
//! at most. Nothing moves, so nobody need know where anybody is.
//!
//! **The Winner Invariant**: what an entry holds as winner of a node is the
//! first of the winners of the node's children.

use giornata_abi::id::NONE;

/// One of the entries that a tournament lies in: entry `m` has the key of
/// member `m`, and entry `p` the winners of the nodes `2p` and `2p + 1`.
pub(crate) trait Entry: Sized {
    /// What orders the members.
    type Key: Copy;

    /// The key of the member that is this entry.
    fn key(&self) -> Self::Key;

    /// Whether a key comes before another; `tie` decides between equal ones.
    fn precedes(one: Self::Key, other: Self::Key, tie: impl FnOnce() -> bool) -> bool;

    /// Whether of two members with equal keys `one` comes first.
    fn wins_tie(entries: &[Self], one: usize, other: usize) -> bool;

    /// The winners of two nodes.
    fn winners(&mut self) -> &mut [u16; 2];
}

/// Nobody.
const NOBODY: usize = NONE as usize;

/// Replays the matches of a member that is in the tournament since now (`in_it`)
/// or was until now; answers whether the first of all may be another. A member
/// comes in with a new key only after it has gone out.
/// O(log n) in the entries.
#[inline]
pub(crate) fn replay<E: Entry>(entries: &mut [E], member: usize, in_it: bool) -> bool {
    let Some(entry) = entries.get(member) else {
        return false;
    };
    let mut key = entry.key();
    let mut winner = if in_it { member } else { NOBODY };
    let mut node = entries.len() + member;
    while node > 1 {
        let Some(entry) = entries.get_mut(node / 2) else {
            return false;
        };
        let pair = entry.winners();
        let other = pair
            .get((node % 2) ^ 1)
            .map_or(NOBODY, |other| *other as usize);
        if let Some(mine) = pair.get_mut(node % 2)
            && core::mem::replace(mine, winner as u16) as usize == winner
        {
            return false;
        }
        node /= 2;
        let tie = || E::wins_tie(entries, other, winner);
        if let Some(rival) = entries.get(other).map(Entry::key)
            && (winner == NOBODY || E::precedes(rival, key, tie))
        {
            (winner, key) = (other, rival);
        }
    }
    if let Some(entry) = entries.first_mut() {
        entry.winners()[1] = winner as u16;
    }
    true
}

/// Replays the matches of the first of all, which has a later key since now;
/// shows the keys that lose. If it is first again, the second of all is among
/// them. O(log n) in the entries.
#[inline]
pub(crate) fn fall_back<E: Entry>(entries: &mut [E], first: usize, mut show: impl FnMut(E::Key)) {
    let Some(mut key) = entries.get(first).map(Entry::key) else {
        return;
    };
    let (mut winner, mut node) = (first, entries.len() + first);
    while node > 1 {
        let Some(entry) = entries.get_mut(node / 2) else {
            return;
        };
        let [even, odd] = entry.winners();
        let (mine, other) = match node % 2 {
            0 => (even, *odd as usize),
            _ => (odd, *even as usize),
        };
        *mine = winner as u16;
        node /= 2;
        if let Some(rival) = entries.get(other).map(Entry::key) {
            let tie = || E::wins_tie(entries, other, winner);
            let mut loser = rival;
            if E::precedes(rival, key, tie) {
                (winner, key, loser) = (other, rival, key);
            }
            show(loser);
        }
    }
    if let Some(entry) = entries.first_mut() {
        entry.winners()[1] = winner as u16;
    }
}

/// The first of all; NONE if nobody is in it. O(1).
pub(crate) fn first<E: Entry>(entries: &mut [E]) -> u16 {
    let root = entries.first_mut();
    root.map_or(NONE, |entry| entry.winners()[1])
}

/// Checks the Winner Invariant; for tests.
pub(crate) fn check<E: Entry + Copy>(
    entries: &[E],
    is_in: impl Fn(&E) -> bool,
) -> Result<(), &'static str> {
    let winner = |node: usize| {
        let entry = entries.get(node / 2).copied();
        let [even, odd] = entry.map_or([NONE; 2], |mut entry| *entry.winners());
        if node.is_multiple_of(2) { even } else { odd }
    };
    let beats = |one: u16, other: u16| {
        let (one, other) = (one as usize, other as usize);
        match (entries.get(one), entries.get(other)) {
            (Some(a), Some(b)) => {
                E::precedes(a.key(), b.key(), || E::wins_tie(entries, one, other))
            }
            (one, _) => one.is_some(),
        }
    };
    for (member, entry) in entries.iter().enumerate() {
        let leaf = if is_in(entry) { member as u16 } else { NONE };
        if winner(entries.len() + member) != leaf {
            return Err("a member that is out is in the tournament, or the reverse");
        }
    }
    for node in 1..entries.len() {
        let (left, right) = (winner(2 * node), winner(2 * node + 1));
        let best = if beats(right, left) { right } else { left };
        if winner(node) != best {
            return Err("a node's winner is not the first of its children's");
        }
    }
    Ok(())
}
