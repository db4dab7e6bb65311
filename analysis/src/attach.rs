//! One module file of E code and S code.
//!
//! The file is taken as it is: every instruction, predicate and symbol keeps
//! its index. S code, and a block that starts both, follow the E code.

use giornata_abi::id::NONE;
use giornata_abi::instruction::{Instruction, Opcode};
use giornata_abi::module::{Module, ModuleError, ModuleHeader, Position, crc32};
use giornata_abi::{Predicate, PredicateKind, Record};

use crate::scode::{SCode, SInstruction, Wait};

/// Why S code cannot be attached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttachError {
    /// The bytes are no module.
    #[error("{0}")]
    Module(ModuleError),
    /// A table would have more entries than 16 bits name.
    #[error("E code and S code together have more than {MOST} instructions or predicates")]
    TooBig,
}

/// Entries that a table may have.
const MOST: usize = 65_000;

/// The module with S code: a new start block forks it and goes on with the old
/// one; so does the block by which it begins another module's round. O(size).
///
/// # Errors
/// Bytes that are no module, and a module that would be too big.
pub fn attach(bytes: &[u8], code: &SCode) -> Result<Vec<u8>, AttachError> {
    let mut extended = Extended::of(bytes)?;
    let old_start = extended.header.start;
    let place = extended.positions.iter().rfind(|p| p.address <= old_start);
    let place = place.copied();
    let start = extended.code.len();
    let first = extended.push(Instruction::new(Opcode::Fork, 0, 0, 0));
    extended.push(Instruction::new(Opcode::Jump, old_start, 0, 0));
    let round = extended.header.round;
    if let Some(place) = place {
        let address = start as u16;
        extended.positions.push(Position { address, ..place });
    }
    let block = extended.blocks(code);
    extended.code[first].a = block;
    if round != NONE {
        let resume = extended.push(Instruction::new(Opcode::Fork, block, 0, 0));
        extended.push(Instruction::new(Opcode::Jump, round, 0, 0));
        extended.header.resume = resume as u16;
    }
    extended.header.start = start as u16;
    extended.finish(bytes)
}

/// The module whose S code also runs the tasks that it lacks: wherever it would
/// idle, they are dispatched first, in the given order, for as long as it would
/// have idled. What it dispatches itself runs when it ran before. O(size * tasks).
///
/// # Errors
/// As of [`attach`].
pub fn fill_idle(bytes: &[u8], lacking: &[u16]) -> Result<Vec<u8>, AttachError> {
    let mut extended = Extended::of(bytes)?;
    if lacking.is_empty() {
        return Ok(bytes.to_vec());
    }
    let is_idle = |i: &Instruction| i.opcode() == Some(Opcode::Idle);
    for at in 0..extended.code.len() {
        let idle = extended.code[at];
        if !is_idle(&idle) {
            continue;
        }
        let next = at as u16 + 1;
        extended.code[at] = Instruction::new(Opcode::Jump, extended.code.len() as u16, 0, 0);
        for task in lacking {
            extended.dispatch(*task, idle.a, next);
        }
        extended.push(idle);
        extended.push(Instruction::new(Opcode::Jump, next, 0, 0));
    }
    extended.finish(bytes)
}

/// The tables that grow.
struct Extended {
    header: ModuleHeader,
    code: Vec<Instruction>,
    predicates: Vec<Predicate>,
    positions: Vec<Position>,
}

impl Extended {
    fn of(bytes: &[u8]) -> Result<Extended, AttachError> {
        let module = Module::parse(bytes).map_err(AttachError::Module)?;
        Ok(Extended {
            header: *module.header(),
            code: module.instructions().collect(),
            predicates: module.predicates().collect(),
            positions: module.positions().collect(),
        })
    }

    /// Appends an instruction; answers its place.
    fn push(&mut self, instruction: Instruction) -> usize {
        self.code.push(instruction);
        self.code.len() - 1
    }

    fn predicate(&mut self, wanted: Predicate) -> u16 {
        let known = self.predicates.iter().position(|p| *p == wanted);
        known.unwrap_or_else(|| {
            self.predicates.push(wanted);
            self.predicates.len() - 1
        }) as u16
    }

    fn wait(&mut self, wait: Wait) -> u16 {
        self.predicate(match wait {
            Wait::Released(task) => Predicate::of(PredicateKind::Released, task),
            Wait::After(nanos, remainder) => Predicate::after(nanos, remainder),
        })
    }

    /// Appends a dispatch, placed where the source releases the task.
    fn dispatch(&mut self, task: u16, until: u16, address: u16) {
        let releases = |i: &Instruction| i.opcode() == Some(Opcode::Release) && i.a == task;
        let release = self.code.iter().position(releases);
        let place = release.and_then(|at| {
            let before = |p: &&Position| usize::from(p.address) <= at;
            self.positions.iter().rfind(before).copied()
        });
        let at = self.push(Instruction::new(Opcode::Dispatch, task, until, address));
        if let Some(place) = place {
            let address = at as u16;
            self.positions.push(Position { address, ..place });
        }
    }

    /// Appends the blocks; answers the address of the first.
    fn blocks(&mut self, code: &SCode) -> u16 {
        let mut addresses = Vec::new();
        let mut open = Vec::new();
        for block in &code.blocks {
            addresses.push(self.code.len() as u16);
            for instruction in block {
                if let Some(label) = self.instruction(instruction) {
                    open.push((self.code.len() - 1, label));
                }
                if matches!(instruction, SInstruction::Again(_)) {
                    self.push(Instruction::new(Opcode::Return, 0, 0, 0));
                }
            }
        }
        let is_return = |i: &Instruction| i.opcode() == Some(Opcode::Return);
        let end = match self.code.last().is_some_and(is_return) {
            true => self.code.len() as u16 - 1,
            false => self.push(Instruction::new(Opcode::Return, 0, 0, 0)) as u16,
        };
        for (at, label) in open {
            let address = addresses.get(label).copied().unwrap_or(end);
            match self.code[at].opcode() {
                Some(Opcode::Dispatch) => self.code[at].c = address,
                _ => self.code[at].a = address,
            }
        }
        addresses.first().copied().unwrap_or(end)
    }

    /// Appends an instruction; answers the block that it names.
    fn instruction(&mut self, instruction: &SInstruction) -> Option<usize> {
        match *instruction {
            SInstruction::Dispatch(task) => {
                let never = self.predicate(Predicate::of(PredicateKind::Never, 0));
                let next = self.code.len() as u16 + 1;
                self.dispatch(task, never, next);
                None
            }
            SInstruction::DispatchUntil(task, wait, block) => {
                let until = self.wait(wait);
                self.dispatch(task, until, 0);
                Some(block)
            }
            SInstruction::Idle(wait) => {
                let until = self.wait(wait);
                self.push(Instruction::new(Opcode::Idle, until, 0, 0));
                None
            }
            SInstruction::Again(block) => {
                self.push(Instruction::new(Opcode::Fork, 0, 0, 0));
                Some(block)
            }
            SInstruction::Jump(block) => {
                self.push(Instruction::new(Opcode::Jump, 0, 0, 0));
                Some(block)
            }
        }
    }

    /// The module file: what did not grow is copied from the old one.
    fn finish(mut self, old: &[u8]) -> Result<Vec<u8>, AttachError> {
        if self.code.len() > MOST || self.predicates.len() > MOST {
            return Err(AttachError::TooBig);
        }
        let before = self.header;
        let code_end = ModuleHeader::SIZE + usize::from(before.instructions) * Instruction::SIZE;
        let predicates_end = code_end + usize::from(before.predicates) * Predicate::SIZE;
        let tail = before.links as usize * 2 + before.strings as usize;
        let pools = old.len().saturating_sub(tail);
        let positions = pools.saturating_sub(before.positions as usize * Position::SIZE);
        let mut body = Vec::new();
        self.code.iter().for_each(|i| i.append_to(&mut body));
        self.predicates.iter().for_each(|p| p.append_to(&mut body));
        body.extend_from_slice(old.get(predicates_end..positions).unwrap_or(&[]));
        self.positions.iter().for_each(|p| p.append_to(&mut body));
        body.extend_from_slice(old.get(pools..).unwrap_or(&[]));
        self.header.instructions = self.code.len() as u16;
        self.header.predicates = self.predicates.len() as u16;
        self.header.positions = self.positions.len() as u32;
        // S code takes steps too: the bound is found anew
        self.header.max_steps = 0;
        self.header.length = (ModuleHeader::SIZE + body.len()) as u32;
        let mut file = Vec::new();
        self.header.append_to(&mut file);
        file.extend_from_slice(&body);
        let crc = crc32(file.get(8..).unwrap_or(&[]));
        file[4..8].copy_from_slice(&crc.to_le_bytes());
        Ok(file)
    }
}
