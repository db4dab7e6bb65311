//! All functions that an entry into the kernel reaches.

use crate::Error;
use crate::binary::Binary;
use crate::decode::RA;
use crate::procedure::{Block, End, Procedure, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// What stands for a function that is not entered: one that calls itself more
/// often than declared.
const NEVER: u64 = u64::MAX;
/// Bits of an address; above them stands how often a function calls itself.
const ADDRESS_BITS: u32 = 56;

/// The address of a function, whatever call of itself stands for it.
pub(crate) fn address(function: u64) -> u64 {
    function & ((1 << ADDRESS_BITS) - 1)
}

/// A function that is called, and whether it ever returns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callee {
    pub(crate) function: u64,
    pub(crate) returns: bool,
}

/// Functions by address, callees before callers. One that calls itself is there
/// again for each time it may.
pub(crate) struct Program {
    pub(crate) procedures: BTreeMap<u64, Procedure>,
    /// In the order in which a caller comes after those it calls.
    pub(crate) order: Vec<u64>,
    /// Those in which, or in what they call, the kernel is left, waits, or
    /// looks at interrupts.
    pub(crate) special: BTreeSet<u64>,
    returning: BTreeSet<u64>,
}

impl Program {
    /// Reads all that is reached from a place; `again` says how often a function
    /// may be called while it is under way.
    ///
    /// # Errors
    /// Recursion, and whatever keeps a function from being read.
    pub(crate) fn read(
        binary: &Binary,
        entry: u64,
        stops: &dyn Fn(u64) -> bool,
        again: &dyn Fn(u64) -> usize,
    ) -> Result<Program, Error> {
        let mut search = Search {
            reader: Reader { binary, stops },
            again,
            chain: Vec::new(),
            program: Program {
                procedures: BTreeMap::new(),
                order: Vec::new(),
                special: BTreeSet::new(),
                returning: BTreeSet::new(),
            },
        };
        search.visit(entry, RA)?;
        Ok(search.program)
    }

    /// Whether a function ever returns.
    pub(crate) fn returns(&self, procedure: u64) -> bool {
        self.returning.contains(&procedure)
    }

    fn take(&mut self, entry: u64, procedure: Procedure) {
        let is_special = |block: &Block| match block.end {
            End::Leave | End::Wait | End::Look => true,
            End::Call(callee) | End::Tail(callee) => self.special.contains(&callee),
            End::Dispatch => block.callees.iter().any(|c| self.special.contains(c)),
            _ => false,
        };
        if procedure.blocks.values().any(is_special) {
            self.special.insert(entry);
        }
        let returns = |end: End| match end {
            End::Return => true,
            End::Tail(callee) => self.returning.contains(&callee),
            _ => false,
        };
        if procedure.blocks.values().any(|b| returns(b.end)) {
            self.returning.insert(entry);
        }
        self.procedures.insert(entry, procedure);
        self.order.push(entry);
    }
}

/// Functions are read depth first: a caller is complete when all that it calls
/// is known, because what follows a call that never returns is no code of its.
struct Search<'b> {
    reader: Reader<'b>,
    again: &'b dyn Fn(u64) -> usize,
    chain: Vec<u64>,
    program: Program,
}

impl Search<'_> {
    fn visit(&mut self, entry: u64, link: u8) -> Result<Callee, Error> {
        let under_way = self.chain.iter().filter(|at| **at == entry).count();
        if under_way > 0 && !self.may_be_called_again(entry, under_way)? {
            return Ok(Callee {
                function: NEVER,
                returns: false,
            });
        }
        let function = (under_way as u64) << ADDRESS_BITS | entry;
        if !self.program.procedures.contains_key(&function) {
            self.chain.push(entry);
            let reader = Reader {
                binary: self.reader.binary,
                stops: self.reader.stops,
            };
            let procedure =
                reader.read(entry, link, &mut |callee, link| self.visit(callee, link))?;
            self.chain.pop();
            self.program.take(function, procedure);
        }
        Ok(Callee {
            function,
            returns: self.program.returns(function),
        })
    }

    /// Whether a function that is under way so often may be called once more: if
    /// it, or one between, is declared to be called again.
    fn may_be_called_again(&self, entry: u64, under_way: usize) -> Result<bool, Error> {
        let from = self.chain.iter().position(|at| *at == entry).unwrap_or(0);
        let cycle = &self.chain[from..];
        let times = cycle.iter().map(|at| (self.again)(*at)).max().unwrap_or(0);
        if times > 0 {
            return Ok(under_way <= times);
        }
        let names: Vec<_> = cycle
            .iter()
            .chain([&entry])
            .map(|at| self.reader.binary.key(*at))
            .collect();
        let chain = names.join(" calls ");
        Err(Error::Recursion { chain })
    }
}
