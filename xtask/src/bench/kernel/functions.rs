//! What functions of the kernel cost: cycles of instructions that come from
//! them, wherever the compiler has put these.

use std::collections::BTreeMap;
use std::path::Path;

use addr2line::Loader;
use anyhow::{Result, anyhow};
use giornata_soc::Executed;

use super::span::Span;

/// Functions of the kernel, by parts of their names or of their files'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) struct Functions {
    /// Paths of modules or of files; all their functions are meant.
    pub(in crate::bench) modules: &'static [&'static str],
    /// Functions of them that are not meant, nor what they consist of.
    pub(in crate::bench) except: &'static [&'static str],
}

/// Tells which instructions of a kernel come from some functions.
pub(in crate::bench) struct Origins {
    symbols: Loader,
    functions: Functions,
    known: BTreeMap<u32, bool>,
}

impl Origins {
    /// Reads the lines of a kernel.
    pub(in crate::bench) fn of(kernel: &Path, functions: Functions) -> Result<Origins> {
        let symbols =
            Loader::new(kernel).map_err(|error| anyhow!("{}: {error}", kernel.display()))?;
        Ok(Origins {
            symbols,
            functions,
            known: BTreeMap::new(),
        })
    }

    /// Cycles and instructions of the functions between two cycles.
    pub(in crate::bench) fn cost(
        &mut self,
        executed: &[Executed],
        (from, to): (u64, u64),
    ) -> Result<Span> {
        let (from, to) = (from as u32, to as u32);
        let first = executed.partition_point(|one| one.cycle <= from);
        let mut cost = Span {
            cycles: 0,
            instructions: 0,
        };
        let mut before = from;
        for one in executed[first..].iter().take_while(|one| one.cycle < to) {
            if self.is_meant(one.pc)? {
                cost.cycles += u64::from(one.cycle - before);
                cost.instructions += 1;
            }
            before = one.cycle;
        }
        Ok(cost)
    }

    fn is_meant(&mut self, pc: u32) -> Result<bool> {
        if let Some(known) = self.known.get(&pc) {
            return Ok(*known);
        }
        let names = self.names(pc)?;
        let has = |parts: &[&str]| {
            let is_part = |name: &String| parts.iter().any(|part| name.contains(part));
            names.iter().any(is_part)
        };
        let meant = has(self.functions.modules) && !has(self.functions.except);
        self.known.insert(pc, meant);
        Ok(meant)
    }

    /// The functions that an instruction is part of, inlined into each other, and
    /// their files: what is generic has no module in its name.
    fn names(&self, pc: u32) -> Result<Vec<String>> {
        let refuse = |error| anyhow!("the kernel's lines at {pc:#x}: {error}");
        let mut frames = self.symbols.find_frames(u64::from(pc)).map_err(refuse)?;
        let mut names = Vec::new();
        while let Some(frame) = frames.next().map_err(|error| refuse(error.into()))? {
            if let Some(name) = frame.function {
                names.push(name.demangle()?.into_owned());
            }
            names.extend(
                frame
                    .location
                    .and_then(|place| place.file)
                    .map(String::from),
            );
        }
        Ok(names)
    }
}
