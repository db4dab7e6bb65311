//! What a kernel was seen to execute, beside what it may.

use crate::analysis::{Analysis, Bound, Bounds, Called};
use crate::declarations::From;
use crate::decode::Flow;
use std::collections::HashMap;

/// Follows the addresses that a kernel executes, one after the other, and keeps
/// the longest stretch of each kind of entry.
pub struct Watch<'a> {
    analysis: &'a Analysis,
    bounds: &'a Bounds,
    entry: Option<u64>,
    /// What is known of an address, once it was asked for.
    known: HashMap<u64, Step>,
    stretch: Option<Stretch>,
    /// The address before, until it is known to have been executed.
    last: Option<u64>,
    most: Vec<u64>,
    strange: Option<u64>,
    /// Calls in this stretch of each function whose calls are declared.
    calls: Vec<u64>,
    /// The first that was called more often.
    exceeded: Option<usize>,
}

/// An instruction as far as it counts here.
#[derive(Clone, Copy)]
struct Step {
    /// The kinds of entries that may execute it, a bit each.
    kinds: u64,
    /// The stretch ends with it; what begins behind it, if anything does.
    ends: Option<Option<From>>,
    /// Which of the functions begins with it whose calls are declared.
    called: Option<usize>,
}

/// A stretch under way.
#[derive(Clone, Copy)]
struct Stretch {
    from: From,
    instructions: u64,
    kinds: u64,
    /// The kinds of which it has to be one, a bit each.
    known: u64,
    /// The instruction with which it was none of them any more.
    strange: Option<u64>,
}

impl Watch<'_> {
    /// Sees nothing yet.
    pub fn new<'a>(analysis: &'a Analysis, bounds: &'a Bounds) -> Watch<'a> {
        Watch {
            analysis,
            bounds,
            entry: analysis.binary.label(&analysis.declarations.entry),
            known: HashMap::new(),
            stretch: None,
            last: None,
            most: vec![0; bounds.kinds.len()],
            strange: None,
            calls: vec![0; bounds.calls.len()],
            exceeded: None,
        }
    }

    /// The instruction there is about to be executed.
    pub(crate) fn see(&mut self, address: u64) {
        self.finish();
        self.last = Some(address);
    }

    /// The instruction seen last is not executed: the machine went elsewhere.
    pub(crate) fn take_back(&mut self) {
        self.last = None;
    }

    /// The most instructions of a stretch of each kind, in their order; 0 where
    /// none was seen. A stretch counts for each kind that may execute all of it.
    ///
    /// # Errors
    /// Control got somewhere that no kind allows: the place. A function was called more
    /// often than declared.
    pub fn most(mut self) -> Result<Vec<u64>, String> {
        self.finish();
        if let Some(called) = self.exceeded.and_then(|index| self.bounds.calls.get(index)) {
            let Called { function, most, .. } = called;
            return Err(format!("{function}, called more than {most} times"));
        }
        match self.strange {
            Some(address) => Err(self.analysis.binary.place(address)),
            None => Ok(self.most),
        }
    }

    fn finish(&mut self) {
        let Some(address) = self.last.take() else {
            return;
        };
        if Some(address) == self.entry {
            self.begin(From::Trap);
        }
        let step = self.step(address);
        let Some(stretch) = &mut self.stretch else {
            return;
        };
        stretch.instructions += 1;
        stretch.kinds &= step.kinds;
        if stretch.kinds & stretch.known == 0 {
            stretch.strange.get_or_insert(address);
        }
        if let Some(index) = step.called
            && let Some(calls) = self.calls.get_mut(index)
        {
            *calls += 1;
            if self
                .bounds
                .calls
                .get(index)
                .is_some_and(|c| *calls > c.most)
            {
                self.exceeded.get_or_insert(index);
            }
        }
        if let Some(next) = step.ends {
            self.end();
            if let Some(from) = next {
                self.begin(from);
            }
        }
    }

    fn begin(&mut self, from: From) {
        self.calls.fill(0);
        let kinds = &self.bounds.kinds;
        let has_all = kinds.iter().any(|k| k.stands_for_all && k.from == from);
        let is_known = |k: &Bound| !has_all || !k.stands_for_all && k.from == from;
        let known = kinds.iter().enumerate().filter(|(_, k)| is_known(k));
        self.stretch = Some(Stretch {
            from,
            instructions: 0,
            kinds: u64::MAX,
            known: known.fold(0, |known, (index, _)| known | 1 << index),
            strange: None,
        });
    }

    fn end(&mut self) {
        let Some(stretch) = self.stretch.take() else {
            return;
        };
        self.strange = self.strange.or(stretch.strange);
        for (index, bound) in self.bounds.kinds.iter().enumerate() {
            let is_allowed = stretch.kinds & 1 << index != 0;
            if is_allowed && bound.from == stretch.from {
                let most = &mut self.most[index];
                *most = stretch.instructions.max(*most);
            }
        }
    }

    fn step(&mut self, address: u64) -> Step {
        if let Some(step) = self.known.get(&address) {
            return *step;
        }
        let instruction = self.analysis.binary.instruction(address);
        let step = Step {
            kinds: self
                .bounds
                .kinds
                .iter()
                .enumerate()
                .fold(0, |kinds, (index, bound)| {
                    kinds | u64::from(bound.allowed.contains(&address)) << index
                }),
            ends: match instruction.map(|i| i.flow) {
                Some(Flow::Leave) => Some(None),
                Some(Flow::Look) => Some(Some(From::Look)),
                Some(Flow::Wait) => Some(Some(From::Wait)),
                _ => None,
            },
            called: self.bounds.calls.iter().position(|c| c.address == address),
        };
        self.known.insert(address, step);
        step
    }
}
