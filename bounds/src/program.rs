//! All functions that an entry into the kernel reaches.

use crate::Error;
use crate::binary::Binary;
use crate::decode::RA;
use crate::procedure::{End, Procedure, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// Functions by address, callees before callers.
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
    /// Reads all that is reached from a place.
    ///
    /// # Errors
    /// Recursion, and whatever keeps a function from being read.
    pub(crate) fn read(
        binary: &Binary,
        entry: u64,
        stops: &dyn Fn(u64) -> bool,
    ) -> Result<Program, Error> {
        let mut search = Search {
            reader: Reader { binary, stops },
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

    fn take(&mut self, procedure: Procedure) {
        let entry = procedure.entry;
        let is_special = |end: End| match end {
            End::Leave | End::Wait | End::Look => true,
            End::Call(callee) | End::Tail(callee) => self.special.contains(&callee),
            _ => false,
        };
        if procedure.blocks.values().any(|b| is_special(b.end)) {
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
    chain: Vec<u64>,
    program: Program,
}

impl Search<'_> {
    fn visit(&mut self, entry: u64, link: u8) -> Result<bool, Error> {
        if self.program.procedures.contains_key(&entry) {
            return Ok(self.program.returns(entry));
        }
        if self.chain.contains(&entry) {
            let from = self.chain.iter().position(|at| *at == entry).unwrap_or(0);
            let chain = self.chain[from..].iter().chain([&entry]);
            let names: Vec<_> = chain.map(|at| self.reader.binary.name(*at)).collect();
            let chain = names.join(" calls ");
            return Err(Error::Recursion { chain });
        }
        self.chain.push(entry);
        let reader = Reader {
            binary: self.reader.binary,
            stops: self.reader.stops,
        };
        let procedure = reader.read(entry, link, &mut |callee, link| self.visit(callee, link))?;
        self.chain.pop();
        self.program.take(procedure);
        Ok(self.program.returns(entry))
    }
}
