//! How much of a stack functions take, from call frame information and code.

use std::collections::BTreeMap;

use gimli::{CfaRule, CieOrFde, Register, UnwindContext, UnwindOffset, UnwindSection};

use crate::Executable;
use crate::executable::Reader;

/// The stack pointer.
const SP: Register = Register(2);

/// What a function takes, and whom it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of its own frame, without what it allocates as it runs.
    pub frame: u64,
    /// First addresses of the functions that it calls, by name.
    pub calls: Vec<u64>,
}

/// The way through functions that takes most of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deepest {
    /// Bytes that all of them take. Calls by pointer and recursion are not in it.
    pub bytes: u64,
    /// First addresses, the outermost first.
    pub chain: Vec<u64>,
}

impl Executable {
    /// What each function takes, by its first address.
    pub fn needs(&self) -> BTreeMap<u64, Need> {
        let mut frames = BTreeMap::new();
        self.collect(&self.debug_frame, &mut frames);
        self.collect(&self.eh_frame, &mut frames);
        let functions = self.functions().map(|(_, range)| {
            let need = Need {
                frame: frames.get(&range.start).copied().unwrap_or(0),
                calls: self.calls(range.clone()),
            };
            (range.start, need)
        });
        functions.collect()
    }

    /// Frames of a section, by first address of the function.
    fn collect<S>(&self, section: &S, frames: &mut BTreeMap<u64, u64>)
    where
        S: UnwindSection<Reader>,
        S::Offset: UnwindOffset<usize>,
    {
        let mut entries = section.entries(&self.bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else {
                continue;
            };
            let Ok(fde) = partial.parse(S::cie_from_offset) else {
                continue;
            };
            let mut context = UnwindContext::new();
            let Ok(mut rows) = fde.rows(section, &self.bases, &mut context) else {
                continue;
            };
            let mut most = 0;
            while let Ok(Some(row)) = rows.next_row() {
                if let CfaRule::RegisterAndOffset { register, offset } = row.cfa()
                    && *register == SP
                {
                    most = most.max(u64::try_from(*offset).unwrap_or(0));
                }
            }
            frames.insert(fde.initial_address(), most);
        }
    }

    /// The functions that code calls, or goes to and does not come back from.
    fn calls(&self, range: std::ops::Range<u64>) -> Vec<u64> {
        let mut calls = Vec::new();
        let length = usize::try_from(range.end - range.start).unwrap_or(0);
        let Some(code) = self.constant(range.start, length) else {
            return calls;
        };
        let (mut at, mut upper) = (0, None);
        while let Some(low) = code.get(at..at + 2) {
            let pc = range.start + at as u64;
            let low = u16::from_le_bytes([low[0], low[1]]);
            let long = code.get(at..at + 4).filter(|_| low & 3 == 3);
            let long = long.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let target = match long {
                Some(word) => direct(word, pc, upper),
                None => short(low, pc, self.is_64),
            };
            upper = long.filter(|word| word & 0x7F == 0x17).map(|word| {
                let offset = i64::from((word & 0xFFFF_F000) as i32);
                (word >> 7 & 31, pc.wrapping_add_signed(offset))
            });
            let is_other = |target: &u64| !range.contains(target) || *target == range.start;
            if let Some(target) = target.filter(is_other)
                && let Some((_, callee)) = self.function_at(target)
                && !calls.contains(&callee.start)
            {
                calls.push(callee.start);
            }
            at += if low & 3 == 3 { 4 } else { 2 };
        }
        calls
    }
}

/// Where a `jal` goes, or a `jalr` behind the `auipc` of its register.
fn direct(word: u32, pc: u64, upper: Option<(u32, u64)>) -> Option<u64> {
    match word & 0x7F {
        0x6F => {
            let sign = (word as i32 >> 11) as u32 & 0xFFF0_0000;
            let offset = sign | word & 0x000F_F000 | word >> 9 & 0x800 | word >> 20 & 0x7FE;
            Some(pc.wrapping_add_signed(i64::from(offset as i32)))
        }
        0x67 => {
            let (register, base) = upper?;
            let offset = i64::from(word as i32 >> 20);
            (word >> 15 & 31 == register).then(|| base.wrapping_add_signed(offset))
        }
        _ => None,
    }
}

/// Where a `c.j` goes, or a `c.jal`, which 64 bits do not have.
fn short(word: u16, pc: u64, is_64: bool) -> Option<u64> {
    let is_jump = word & 0xE003 == 0xA001 || word & 0xE003 == 0x2001 && !is_64;
    let bit = |from: u16, to: u16| (word >> from & 1) << to;
    let offset = bit(12, 11)
        | bit(11, 4)
        | bit(10, 9)
        | bit(9, 8)
        | bit(8, 10)
        | bit(7, 6)
        | bit(6, 7)
        | bit(5, 3)
        | bit(4, 2)
        | bit(3, 1)
        | bit(2, 5);
    let signed = ((offset << 4) as i16) >> 4;
    is_jump.then(|| pc.wrapping_add_signed(signed.into()))
}

/// The deepest way from a function through those that it calls by name. O(functions)
/// for each that is asked for once.
pub fn deepest(needs: &BTreeMap<u64, Need>, root: u64) -> Deepest {
    let mut known = BTreeMap::new();
    walk(needs, root, &mut Vec::new(), &mut known);
    let mut chain = Vec::new();
    let mut at = Some(root);
    while let Some(function) = at.filter(|function| !chain.contains(function)) {
        chain.push(function);
        at = known.get(&function).and_then(|(_, next)| *next);
    }
    Deepest {
        bytes: known.get(&root).map_or(0, |(bytes, _)| *bytes),
        chain,
    }
}

/// By function: bytes from it on, and the call that takes them.
type Known = BTreeMap<u64, (u64, Option<u64>)>;

fn walk(needs: &BTreeMap<u64, Need>, at: u64, path: &mut Vec<u64>, known: &mut Known) -> u64 {
    if let Some((bytes, _)) = known.get(&at) {
        return *bytes;
    }
    let Some(need) = needs.get(&at).filter(|_| !path.contains(&at)) else {
        return 0;
    };
    path.push(at);
    let mut below = (0, None);
    for callee in &need.calls {
        let bytes = walk(needs, *callee, path, known);
        if bytes > below.0 {
            below = (bytes, Some(*callee));
        }
    }
    path.pop();
    known.insert(at, (need.frame + below.0, below.1));
    need.frame + below.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_decoded_as_the_manual_has_them() {
        // jal ra, +0x7FE and -2; auipc ra, 1; jalr ra, -1100(ra)
        assert_eq!(direct(0x7FE0_00EF, 0x1000, None), Some(0x17FE));
        assert_eq!(direct(0xFFFF_F0EF, 0x1000, None), Some(0xFFE));
        assert_eq!(direct(0x0010_00EF, 0x1000, None), Some(0x1800));
        let upper = Some((1, 0x1000_11B6));
        assert_eq!(direct(0xBB40_80E7, 0x1000_01BA, upper), Some(0x1000_0D6A));
        assert_eq!(direct(0xBB40_80E7, 0x1000_01BA, None), None);
        // c.j -2 as assembled, c.jal of 32 bits only
        assert_eq!(short(0xBFFD, 0x1000, true), Some(0xFFE));
        assert_eq!(short(0xA029, 0x1000_0F1C, true), Some(0x1000_0F26));
        assert_eq!(short(0x2029, 0x1000, true), None);
        assert_eq!(short(0x2029, 0x1000, false), Some(0x100A));
    }

    #[test]
    fn the_deepest_way_counts_each_function_once() {
        let need = |frame, calls: &[u64]| Need {
            frame,
            calls: calls.to_vec(),
        };
        let needs = BTreeMap::from([
            (1, need(16, &[2, 3])),
            (2, need(100, &[1, 4])),
            (3, need(64, &[4, 5])),
            (4, need(8, &[])),
            (5, need(80, &[9])),
        ]);
        let way = deepest(&needs, 1);
        assert_eq!((way.bytes, way.chain), (160, vec![1, 3, 5]));
        assert_eq!(
            deepest(&needs, 9),
            Deepest {
                bytes: 0,
                chain: vec![9]
            }
        );
    }
}
