//! How much of a stack functions take, from call frame information and code.

use std::collections::{BTreeMap, BTreeSet};

use gimli::{CfaRule, CieOrFde, Register, UnwindContext, UnwindOffset, UnwindSection};

use crate::Executable;
use crate::code::Code;
use crate::executable::Reader;

/// The stack pointer.
const SP: Register = Register(2);

/// Libraries that are compiled for size save registers by a call of what begins so (and a
/// number), which takes of the stack what its caller then has; and go to the other to return.
const SAVE: &str = "__riscv_save_";
const RESTORE: &str = "__riscv_restore_";
/// Words that it takes at most: 13 registers, in pieces of 16 bytes.
const SAVED: u64 = 16;

fn is_millicode(name: &str) -> bool {
    name.starts_with(SAVE) || name.starts_with(RESTORE)
}

/// What a function takes, and whom it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of its own frame, without what it allocates as it runs.
    pub frame: u64,
    /// Those of them that call frame information tells of, which has no assembly.
    pub described: u64,
    /// First addresses of the functions that it calls, or ends by going to, by name.
    pub calls: Vec<u64>,
    /// It also calls what a pointer leads to.
    pub is_by_pointer: bool,
    /// The instruction by which it takes of the stack what is known only when it runs: an
    /// array of a length that is computed, `alloca()`.
    pub grows: Option<u64>,
    /// It touches what it takes so, as `-fstack-clash-protection` has it.
    pub is_probed: bool,
}

/// What the functions of a process take of a stack, and how they lead to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// By first address.
    pub functions: BTreeMap<u64, Need>,
    /// First addresses of those that a pointer may lead to: code makes them, or data has them.
    pub taken: BTreeSet<u64>,
}

/// The way through functions that takes most of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deepest {
    /// Bytes that all of them take, each once: more than once is recursion.
    pub bytes: u64,
    /// First addresses, the outermost first.
    pub chain: Vec<u64>,
}

impl Executable {
    /// What each function takes of a stack. O(bytes of code and data).
    pub fn needs(&self) -> Needs {
        let mut frames = BTreeMap::new();
        self.collect(&self.debug_frame, &mut frames);
        self.collect(&self.eh_frame, &mut frames);
        let mut needs = Needs::default();
        let word = if self.is_64 { 8 } else { 4 };
        for (name, range) in self.functions() {
            if is_millicode(name) {
                continue;
            }
            let length = usize::try_from(range.end - range.start).unwrap_or(0);
            let bytes = self.constant(range.start, length).unwrap_or_default();
            let code = Code::read(bytes, &range, self.is_64);
            let callees = code.targets.iter();
            let callees = callees.filter_map(|target| self.function_at(*target));
            let callees: Vec<_> = callees.collect();
            let saves = callees.iter().any(|(name, _)| name.starts_with(SAVE));
            let saved = if saves { SAVED * word } else { 0 };
            let frame = frames.get(&range.start).copied().unwrap_or(0);
            let calls = callees.iter().filter(|(name, _)| !is_millicode(name));
            let calls: BTreeSet<u64> = calls.map(|(_, range)| range.start).collect();
            needs.taken.extend(self.functions_made_by(&code));
            let need = Need {
                frame: frame.max(code.frame + saved),
                described: frame,
                calls: calls.into_iter().collect(),
                is_by_pointer: code.is_by_pointer,
                grows: code.grows,
                is_probed: code.is_probed,
            };
            needs.functions.insert(range.start, need);
        }
        let in_data = self
            .pointers()
            .filter(|at| needs.functions.contains_key(at));
        let in_data: Vec<u64> = in_data.collect();
        needs.taken.extend(in_data);
        needs
    }

    /// First addresses of the functions whose address code may make.
    fn functions_made_by(&self, code: &Code) -> BTreeSet<u64> {
        let near = code
            .uppers
            .iter()
            .flat_map(|upper| self.functions_near(*upper));
        near.filter(|start| code.makes(*start)).collect()
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
}

impl Needs {
    /// The deepest way from a function through those that it calls, each at most once: calls
    /// by a pointer, of functions for which that counts, lead to `taken`. O(functions and
    /// calls) where there is no recursion.
    pub fn deepest(&self, root: u64, counts: impl Fn(u64) -> bool) -> Deepest {
        let mut known = BTreeMap::new();
        self.walk(root, &counts, &mut Vec::new(), &mut known);
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

    fn walk(
        &self,
        at: u64,
        counts: &impl Fn(u64) -> bool,
        path: &mut Vec<u64>,
        known: &mut Known,
    ) -> u64 {
        if let Some((bytes, _)) = known.get(&at) {
            return *bytes;
        }
        let need = self.functions.get(&at).filter(|_| !path.contains(&at));
        let Some(need) = need else {
            return 0;
        };
        path.push(at);
        let mut below = (0, None);
        for callee in self.callees(need, counts(at)) {
            let bytes = self.walk(callee, counts, path, known);
            if bytes > below.0 {
                below = (bytes, Some(callee));
            }
        }
        path.pop();
        known.insert(at, (need.frame + below.0, below.1));
        need.frame + below.0
    }

    fn callees<'a>(
        &'a self,
        need: &'a Need,
        with_pointers: bool,
    ) -> impl Iterator<Item = u64> + use<'a> {
        let by_pointer = self.taken.iter();
        let by_pointer = by_pointer.filter(move |_| need.is_by_pointer && with_pointers);
        need.calls.iter().chain(by_pointer).copied()
    }

    /// What a function may come to by calls by name, itself among it. O(functions and calls).
    pub fn reachable(&self, root: u64) -> BTreeSet<u64> {
        self.reach(root, false)
    }

    fn reach(&self, root: u64, with_pointers: bool) -> BTreeSet<u64> {
        let (mut found, mut open) = (BTreeSet::new(), vec![root]);
        while let Some(at) = open.pop() {
            if let Some(need) = self.functions.get(&at).filter(|_| found.insert(at)) {
                open.extend(self.callees(need, with_pointers));
            }
        }
        found
    }

    /// Whether a function may call itself, by name, through others or not. O(functions and
    /// calls).
    pub fn is_recursive(&self, at: u64) -> bool {
        let calls = self.functions.get(&at).map_or(&[][..], |need| &need.calls);
        let mut calls = calls.iter();
        calls.any(|callee| self.reachable(*callee).contains(&at))
    }

    /// Bytes of a stack that a thread which begins in `root` takes at most; `None`: no bound
    /// is known, because of recursion, by name or by pointers, or of what is known at run
    /// time only.
    pub fn bound(&self, root: u64) -> Option<u64> {
        let reached = self.reach(root, true);
        if !self.functions.contains_key(&root) {
            return None;
        }
        // in the order in which they call: whoever calls nobody who is left is done
        let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
        let mut open: Vec<u64> = reached.into_iter().collect();
        while !open.is_empty() {
            let before = open.len();
            open.retain(|at| {
                let need = &self.functions[at];
                let mut below = Some(0);
                for callee in self.callees(need, true) {
                    let known = match self.functions.contains_key(&callee) {
                        true => bytes.get(&callee).copied(),
                        false => Some(0),
                    };
                    below = below
                        .zip(known)
                        .map(|(below, known): (u64, u64)| below.max(known));
                }
                let Some(below) = below.filter(|_| need.grows.is_none()) else {
                    return true;
                };
                bytes.insert(*at, need.frame + below);
                false
            });
            if open.len() == before {
                return None;
            }
        }
        bytes.get(&root).copied()
    }

    /// Bytes by which the stack pointer may go down at most before something above it is
    /// touched: a caller touches the upper end of its frame, where it keeps its return
    /// address, and what grows touches each `interval` bytes of what it takes, if it is
    /// probed. So the most are two frames, the lower of which is touched at its end. Frames of
    /// more than `most` bytes are left out.
    /// O(functions and calls).
    pub fn untouched(&self, interval: u64, most: u64) -> u64 {
        let own = |at: &u64| {
            let need = self.functions.get(at).filter(|need| need.frame <= most);
            need.map_or(0, |need| match need.grows {
                Some(_) => need.frame + interval,
                None => need.frame,
            })
        };
        let most_taken = self.taken.iter().map(own).max().unwrap_or(0);
        let of_two = self.functions.iter().map(|(at, need)| {
            let by_pointer = if need.is_by_pointer { most_taken } else { 0 };
            let by_name = need.calls.iter().map(own).max().unwrap_or(0);
            own(at) + by_name.max(by_pointer)
        });
        of_two.max().unwrap_or(0)
    }
}

/// By function: bytes from it on, and the call that takes them.
type Known = BTreeMap<u64, (u64, Option<u64>)>;

#[cfg(test)]
#[path = "depth_tests.rs"]
mod tests;
