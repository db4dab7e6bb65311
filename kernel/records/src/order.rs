//! The values that one driver moves are all read before any is written, though the kernel
//! moves one after the other: copies of eight bytes first, then ports that somebody looks
//! at. So copies are put into an order in which nothing is overwritten that is still to be
//! read. Where they go round in a circle, eight spare bytes open it. Of a port that is
//! written, the source is kept in spare memory if it will have been overwritten by then;
//! the order of such ports, which the trace shows, remains.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a cell: what the kernel copies at once.
const CELL: u64 = 8;

/// A port that is written as a whole, after all copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Where its value lies.
    pub(crate) from: u64,
    /// Where the port lies.
    pub(crate) to: u64,
    /// Bytes.
    pub(crate) size: u32,
}

/// The cells of a value.
pub(crate) fn cells(place: u64, size: u32) -> impl Iterator<Item = u64> {
    (0..u64::from(size))
        .step_by(CELL as usize)
        .map(move |at| place + at)
}

/// Spare bytes that suffice for a driver: `moves` are its sources, destinations and sizes,
/// by whatever identifies a place. 0 if no place is both. O(n log n) in moves.
pub fn spare_bytes<P: Ord>(moves: &[(P, P, u32)]) -> u32 {
    let written: BTreeSet<&P> = moves.iter().map(|(_, to, _)| to).collect();
    let kept = moves.iter().filter(|(from, _, _)| written.contains(from));
    let kept: u32 = kept.map(|(_, _, size)| size.next_multiple_of(8)).sum();
    match kept {
        0 => 0,
        bytes => bytes + CELL as u32,
    }
}

/// Copies (from, to) of cells in an order that has the effect of all at once, followed by
/// `writes`, whose sources may be changed to spare memory. What is copied to one cell twice
/// is copied there last. O(n log n) in cells.
pub(crate) fn in_order(
    copies: Vec<(u64, u64)>,
    writes: &mut [Written],
    spare: u64,
) -> Vec<(u64, u64)> {
    let mut last: BTreeMap<u64, usize> = BTreeMap::new();
    for (index, (_, to)) in copies.iter().enumerate() {
        last.insert(*to, index);
    }
    let whole = copies.iter().enumerate();
    let whole = whole.filter(|(index, (from, to))| from != to && last.get(to) == Some(index));
    let mut copies: Vec<(u64, u64)> = whole.map(|(_, copy)| *copy).collect();
    let mut overwritten: BTreeSet<u64> = copies.iter().map(|(_, to)| *to).collect();
    let mut free = spare + CELL;
    for write in writes {
        if cells(write.from, write.size).any(|cell| overwritten.contains(&cell)) {
            let from = std::mem::replace(&mut write.from, free);
            copies.extend(cells(from, write.size).zip(cells(free, write.size)));
            free += u64::from(write.size).next_multiple_of(CELL);
        }
        overwritten.extend(cells(write.to, write.size));
    }
    one_after_the_other(copies, spare)
}

/// Copies to different cells, in order; `spare` is the cell by which circles are opened.
fn one_after_the_other(mut copies: Vec<(u64, u64)>, spare: u64) -> Vec<(u64, u64)> {
    // (who has yet to read a cell, and who has yet to write it)
    let mut readers: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    let mut writers: BTreeMap<u64, usize> = BTreeMap::new();
    for (index, (from, to)) in copies.iter().enumerate() {
        readers.entry(*from).or_default().insert(index);
        writers.insert(*to, index);
    }
    let is_read = |readers: &BTreeMap<u64, BTreeSet<usize>>, cell: u64| readers.contains_key(&cell);
    let mut ready: BTreeSet<usize> = (0..copies.len())
        .filter(|index| !is_read(&readers, copies[*index].1))
        .collect();
    let mut ordered = Vec::with_capacity(copies.len());
    loop {
        while let Some(index) = ready.pop_first() {
            let (from, to) = copies[index];
            ordered.push((from, to));
            writers.remove(&to);
            let others = readers.get_mut(&from).map(|all| {
                all.remove(&index);
                all.len()
            });
            if others == Some(0) {
                readers.remove(&from);
                ready.extend(writers.get(&from));
            }
        }
        // each cell that is left is written by one copy and read by one: a circle
        let Some((to, index)) = writers.first_key_value().map(|(to, index)| (*to, *index)) else {
            return ordered;
        };
        ordered.push((to, spare));
        for reader in readers.remove(&to).into_iter().flatten() {
            copies[reader].0 = spare;
            readers.entry(spare).or_default().insert(reader);
        }
        ready.insert(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARE: u64 = 1000;

    #[test]
    fn copies_that_share_no_cell_stay_as_they_are() {
        let copies = vec![(8, 16), (24, 0), (8, 32)];
        assert_eq!(in_order(copies.clone(), &mut [], SPARE), copies);
    }

    #[test]
    fn a_cell_is_read_before_it_is_overwritten() {
        let ordered = in_order(vec![(0, 8), (8, 16), (16, 24)], &mut [], SPARE);
        assert_eq!(ordered, [(16, 24), (8, 16), (0, 8)]);
    }

    #[test]
    fn a_circle_is_opened_by_the_spare_cell() {
        let ordered = in_order(vec![(8, 0), (0, 8)], &mut [], SPARE);
        assert_eq!(ordered, [(0, SPARE), (8, 0), (SPARE, 8)]);
    }

    #[test]
    fn a_source_that_is_overwritten_before_it_is_written_is_kept() {
        let write = |from, to| Written { from, to, size: 12 };
        let mut writes = [write(32, 0), write(0, 32)];
        let ordered = in_order(Vec::new(), &mut writes, SPARE);
        assert_eq!(ordered, [(0, SPARE + 8), (8, SPARE + 16)]);
        assert_eq!(writes, [write(32, 0), write(SPARE + 8, 32)]);
    }

    #[test]
    fn spare_bytes_are_for_sources_that_are_written_too() {
        assert_eq!(spare_bytes(&[(1, 2, 4), (1, 3, 4)]), 0);
        assert_eq!(spare_bytes(&[(1, 2, 4), (2, 3, 12)]), 24);
    }

    /// Random moves of values among few places, some of which are written as ports: the
    /// same as if all were read first, and no more spare memory than is said.
    #[test]
    fn random_moves_are_as_if_all_were_read_first() {
        const PLACES: u64 = 6;
        const SPAN: u64 = 32;
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let rounds = if cfg!(miri) { 200 } else { 100_000 };
        for _ in 0..rounds {
            let mut places: Vec<u64> = (0..PLACES).collect();
            for at in (1..PLACES).rev() {
                places.swap(at as usize, random(at + 1) as usize);
            }
            let sizes: Vec<u32> = (0..PLACES).map(|_| 1 + random(SPAN) as u32).collect();
            let count = 1 + random(PLACES);
            let moves: Vec<(u64, u64, u32)> = places[..count as usize]
                .iter()
                .map(|to| {
                    let from = random(PLACES);
                    (from, *to, sizes[from as usize].min(sizes[*to as usize]))
                })
                .collect();
            let is_written: Vec<bool> = (0..PLACES).map(|_| random(3) == 0).collect();
            let mut memory: BTreeMap<u64, u64> = (0..PLACES * SPAN / 8)
                .map(|cell| (8 * cell, cell))
                .collect();
            let mut expected = memory.clone();
            for (from, to, size) in &moves {
                for (from, to) in cells(from * SPAN, *size).zip(cells(to * SPAN, *size)) {
                    expected.insert(to, memory[&from]);
                }
            }
            let (mut copies, mut writes) = (Vec::new(), Vec::new());
            for (from, to, size) in &moves {
                let (from, to, size) = (from * SPAN, to * SPAN, *size);
                match is_written[(to / SPAN) as usize] {
                    true => writes.push(Written { from, to, size }),
                    false => copies.extend(cells(from, size).zip(cells(to, size))),
                }
            }
            let spare = u64::from(spare_bytes(&moves));
            for (from, to) in in_order(copies, &mut writes, SPARE) {
                assert!(to < PLACES * SPAN || to + 8 <= SPARE + spare, "{moves:?}");
                memory.insert(to, memory[&from]);
            }
            for write in writes {
                let all = cells(write.from, write.size).zip(cells(write.to, write.size));
                for (from, to) in all {
                    memory.insert(to, memory[&from]);
                }
            }
            memory.retain(|at, _| *at < PLACES * SPAN);
            assert_eq!(memory, expected, "{moves:?} {is_written:?}");
        }
    }
}
