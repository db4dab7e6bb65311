//! A module as a patch of another: pieces of the old one and new bytes between.

use std::collections::HashMap;

/// Shorter pieces are sent as they are: a copy costs as much.
const BLOCK: usize = 16;

/// The next bytes of the new module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Bytes of the old one: where they begin, and how many.
    Copy(usize, usize),
    /// Others.
    Insert(Vec<u8>),
}

/// What makes `new` of `old`, from front to back; equal inputs give equal edits.
/// O(bytes) but for bytes that repeat.
pub fn edits(old: &[u8], new: &[u8]) -> Vec<Edit> {
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    for (at, block) in old.chunks_exact(BLOCK).enumerate() {
        places.entry(block).or_insert(at * BLOCK);
    }
    let (mut all, mut fresh, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(byte) = new.get(at) {
        let block = new.get(at..at + BLOCK);
        // What follows the last copy is likely to be its continuation.
        let Some(from) = block.and_then(|block| places.get(block)).copied() else {
            fresh.push(*byte);
            at += 1;
            continue;
        };
        let back = common(old[..from].iter().rev(), fresh.iter().rev());
        let forth = common(old[from..].iter(), new[at..].iter());
        fresh.truncate(fresh.len() - back);
        if !fresh.is_empty() {
            all.push(Edit::Insert(std::mem::take(&mut fresh)));
        }
        all.push(Edit::Copy(from - back, back + forth));
        at += forth;
    }
    if !fresh.is_empty() {
        all.push(Edit::Insert(fresh));
    }
    all
}

/// How many bytes are the same.
fn common<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn apply(old: &[u8], edits: &[Edit]) -> Vec<u8> {
        let bytes = |edit: &Edit| match edit {
            Edit::Copy(from, length) => old[*from..from + length].to_vec(),
            Edit::Insert(bytes) => bytes.clone(),
        };
        edits.iter().flat_map(bytes).collect()
    }

    #[test]
    fn a_changed_byte_costs_a_byte() {
        let old: Vec<u8> = (0..2000u32).map(|n| (n * n / 7) as u8).collect();
        let mut new = old.clone();
        new[1000] ^= 1;
        let made = edits(&old, &new);
        assert_eq!(apply(&old, &made), new);
        let sent: usize = made
            .iter()
            .map(|e| if let Edit::Insert(b) = e { b.len() } else { 0 })
            .sum();
        assert!(sent <= 1 && made.len() <= 3, "{made:?}");
    }

    proptest! {
        #[test]
        fn edits_make_the_new_of_the_old(
            old in prop::collection::vec(0u8..4, 0..400),
            cuts in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(0u8..4, 0..40)), 0..5),
        ) {
            let mut new = old.clone();
            for (at, bytes) in cuts {
                let at = at.index(new.len() + 1);
                let end = new.len().min(at + 30);
                new.splice(at..end, bytes);
            }
            prop_assert_eq!(apply(&old, &edits(&old, &new)), new);
        }

        #[test]
        fn no_edit_is_empty(old: Vec<u8>, new: Vec<u8>) {
            for edit in edits(&old, &new) {
                let length = match edit { Edit::Copy(_, length) => length, Edit::Insert(bytes) => bytes.len() };
                prop_assert!(length > 0);
            }
        }
    }
}
