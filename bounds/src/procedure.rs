//! The control-flow graph of one function, read from the binary.

use crate::Error;
use crate::binary::Binary;
use crate::decode::{Flow, Instruction};
use crate::program::Callee;
use crate::value::{A2, Known, Registers, Tables, Value, callees, targets};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Control goes on to the successors.
    Flow,
    /// A function is called, then control goes on.
    Call(u64),
    /// One of the functions of a table is called, then control goes on.
    Dispatch,
    /// A function is called in the stead of a return.
    Tail(u64),
    /// The function returns.
    Return,
    /// The kernel is left.
    Leave,
    /// The hart waits for an interrupt, then control goes on.
    Wait,
    /// What interrupts are pending is looked at, then control goes on.
    Look,
    /// Nothing that counts comes after it.
    Stop,
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Addresses of its instructions.
    pub(crate) instructions: Vec<u64>,
    pub(crate) end: End,
    /// Addresses of the blocks that may come next.
    pub(crate) next: Vec<u64>,
    /// Where it calls a function: its third argument.
    pub(crate) third: Third,
    /// Where it calls a function of a table: all of them.
    pub(crate) callees: Vec<u64>,
}

/// The third argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Third {
    /// Anything.
    Unknown,
    /// A constant.
    Known(u64),
    /// That of the function that calls.
    Passed,
}

/// A function's blocks by address.
#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    pub(crate) name: Rc<str>,
    pub(crate) entry: u64,
    pub(crate) blocks: BTreeMap<u64, Block>,
}

/// Says of an address, and of the register that a call links through, which
/// function that is and whether it ever returns.
pub(crate) type Returns<'r> = &'r mut dyn FnMut(u64, u8) -> Result<Callee, Error>;

/// Where control goes after an instruction, its register values known.
enum Step {
    Next,
    End(End, Vec<u64>),
    /// One of these functions is called, then control goes on there.
    Dispatch(Vec<u64>, Vec<u64>),
}

/// Reads functions. `stops` says of an instruction that what executes it never
/// comes back; `returns` of a function whether it does.
pub(crate) struct Reader<'b> {
    pub(crate) binary: &'b Binary,
    pub(crate) stops: &'b dyn Fn(u64) -> bool,
}

impl Reader<'_> {
    /// The function that begins at an address and returns through a register.
    ///
    /// # Errors
    /// Bytes that are no instructions; a jump through a register whose targets
    /// are not known; what `returns` refuses.
    pub(crate) fn read(
        &self,
        entry: u64,
        link: u8,
        returns: Returns<'_>,
    ) -> Result<Procedure, Error> {
        let limits = match self.binary.function(entry) {
            Some(function) => (function.start, function.end),
            None => (entry, entry),
        };
        let mut tables = Tables::new();
        loop {
            let before = tables.clone();
            let mut walk = Walk {
                reader: self,
                limits,
                link,
                tables: &mut tables,
                known: Known::new(),
                unresolved: BTreeSet::new(),
                edges: BTreeMap::new(),
                dispatched: BTreeMap::new(),
            };
            walk.run(entry, returns)?;
            if let Some(at) = walk.unresolved.first() {
                let place = self.binary.place(*at);
                return Err(Error::Indirect { place });
            }
            let (edges, known, dispatched) = (walk.edges, walk.known, walk.dispatched);
            // more tables end others earlier
            if tables == before {
                return Ok(Procedure {
                    name: self.binary.name(entry),
                    entry,
                    blocks: blocks(entry, &edges, &known, &dispatched),
                });
            }
        }
    }
}

/// How an instruction ends, and where control goes from it.
type Edges = BTreeMap<u64, (End, Vec<u64>)>;

struct Walk<'w, 'b> {
    reader: &'w Reader<'b>,
    limits: (u64, u64),
    /// The register that it returns through.
    link: u8,
    tables: &'w mut Tables,
    known: Known,
    unresolved: BTreeSet<u64>,
    edges: Edges,
    /// What calls through tables call, by their address.
    dispatched: BTreeMap<u64, Vec<u64>>,
}

impl Walk<'_, '_> {
    /// Follows control from the entry, instruction by instruction, until
    /// nothing new is learnt.
    fn run(&mut self, entry: u64, returns: Returns<'_>) -> Result<(), Error> {
        let mut work = vec![entry];
        self.known.insert(entry, Registers::at_entry());
        while let Some(at) = work.pop() {
            let binary = self.reader.binary;
            let mut registers = self.known[&at].clone();
            if (self.reader.stops)(at) {
                self.edges.insert(at, (End::Stop, Vec::new()));
                continue;
            }
            let Some(instruction) = binary.instruction(at) else {
                let place = binary.place(at);
                return Err(Error::NotCode { place });
            };
            let (end, next) = match self.step(&instruction, &registers, returns)? {
                Step::Next => (End::Flow, vec![instruction.next()]),
                Step::End(end, next) => (end, next),
                Step::Dispatch(callees, next) => {
                    self.dispatched.insert(at, callees);
                    (End::Dispatch, next)
                }
            };
            registers.step(&instruction, binary.is_64);
            if matches!(end, End::Call(_) | End::Dispatch) {
                registers.call();
            }
            self.unresolved.remove(&at);
            if end == End::Stop {
                self.unresolved.insert(at);
            }
            for target in &next {
                self.flow(*target, &registers, &mut work);
            }
            self.edges.insert(at, (end, next));
        }
        Ok(())
    }

    fn flow(&mut self, target: u64, registers: &Registers, work: &mut Vec<u64>) {
        match self.known.get_mut(&target) {
            None => {
                self.known.insert(target, registers.clone());
                work.push(target);
            }
            Some(known) => {
                if known.meet(registers) {
                    work.push(target);
                }
            }
        }
    }

    fn step(
        &mut self,
        instruction: &Instruction,
        registers: &Registers,
        returns: Returns<'_>,
    ) -> Result<Step, Error> {
        let next = instruction.next();
        Ok(match instruction.flow {
            Flow::Next => Step::Next,
            Flow::Branch(there) => Step::End(End::Flow, vec![there, next]),
            Flow::Leave => Step::End(End::Leave, Vec::new()),
            Flow::Wait => Step::End(End::Wait, vec![next]),
            Flow::Look => Step::End(End::Look, vec![next]),
            Flow::Jump { target, link: 0 } => self.jump(target, returns)?,
            Flow::Jump { target, link } => call((target, link), next, returns)?,
            Flow::Indirect { base, offset, link } => {
                let value = registers.get(base);
                self.indirect(value, base, offset, link, next, returns)?
            }
        })
    }

    /// A jump within the function, or to another, which then returns for it.
    fn jump(&self, target: u64, returns: Returns<'_>) -> Result<Step, Error> {
        let inside = (self.limits.0..self.limits.1).contains(&target);
        let is_assembly = self.limits.0 == self.limits.1;
        let other = self.reader.binary.function(target);
        let is_other = other.is_some_and(|other| other.start == target);
        // assembly has no bounds: its labels belong to it
        if inside || is_assembly && !is_other {
            return Ok(Step::End(End::Flow, vec![target]));
        }
        let callee = returns(target, self.link)?;
        Ok(Step::End(End::Tail(callee.function), Vec::new()))
    }

    fn indirect(
        &mut self,
        value: Value,
        base: u8,
        offset: i64,
        link: u8,
        next: u64,
        returns: Returns<'_>,
    ) -> Result<Step, Error> {
        let add = |value: u64| {
            let sum = value.wrapping_add_signed(offset);
            if self.reader.binary.is_64 {
                sum
            } else {
                sum & 0xFFFF_FFFF
            }
        };
        let unknown = Step::End(End::Stop, Vec::new());
        let (table, bytes, plus) = match value {
            Value::Known(target) if link == 0 => return self.jump(add(target), returns),
            Value::Known(target) => return call((add(target), link), next, returns),
            Value::Entry(table, bytes) => (table, bytes, 0),
            Value::Relative(table, bytes, plus) => (table, bytes, plus),
            _ if link == 0 && base == self.link && offset == 0 => {
                return Ok(Step::End(End::Return, Vec::new()));
            }
            Value::Indexed(first) if link == 0 => {
                return Ok(Step::End(End::Flow, self.run_of_code(add(first), base)));
            }
            _ => return Ok(unknown),
        };
        if link != 0 && offset == 0 && plus == 0 {
            let mut functions = Vec::new();
            let mut goes_on = false;
            for entry in callees(self.reader.binary, table, bytes) {
                let callee = returns(entry, link)?;
                functions.push(callee.function);
                goes_on |= callee.returns;
            }
            let next = goes_on.then_some(next).into_iter().collect();
            return Ok(match functions.is_empty() {
                true => unknown,
                false => Step::Dispatch(functions, next),
            });
        }
        if link != 0 || offset != 0 {
            return Ok(unknown);
        }
        self.tables.insert(table, (bytes, plus));
        let targets = targets(self.reader.binary, self.tables, table, self.limits);
        if targets.is_empty() {
            return Ok(unknown);
        }
        Ok(Step::End(End::Flow, targets))
    }

    /// The instructions that follow one another without a jump, up to one that
    /// sets the register anew: where code that computes its beginning from that
    /// register can begin.
    fn run_of_code(&self, first: u64, base: u8) -> Vec<u64> {
        let mut run = Vec::new();
        let mut at = first;
        while let Some(instruction) = self.reader.binary.instruction(at) {
            run.push(at);
            if instruction.flow != Flow::Next || instruction.effect.register() == Some(base) {
                break;
            }
            at = instruction.next();
        }
        run
    }
}

fn call((target, link): (u64, u8), next: u64, returns: Returns<'_>) -> Result<Step, Error> {
    let callee = returns(target, link)?;
    let next = if callee.returns {
        vec![next]
    } else {
        Vec::new()
    };
    Ok(Step::End(End::Call(callee.function), next))
}

/// Cuts what was walked into blocks.
fn blocks(
    entry: u64,
    edges: &Edges,
    known: &Known,
    dispatched: &BTreeMap<u64, Vec<u64>>,
) -> BTreeMap<u64, Block> {
    let mut heads = BTreeSet::from([entry]);
    let mut reached: BTreeMap<u64, u32> = BTreeMap::new();
    for (end, next) in edges.values() {
        for target in next {
            let times = reached.entry(*target).or_default();
            *times += 1;
            if *end != End::Flow || next.len() > 1 || *times > 1 {
                heads.insert(*target);
            }
        }
    }
    let block = |head: &u64| {
        let mut block = Block {
            instructions: Vec::new(),
            end: End::Flow,
            next: Vec::new(),
            third: Third::Unknown,
            callees: Vec::new(),
        };
        let mut at = *head;
        loop {
            let (end, next) = &edges[&at];
            if *end != End::Stop {
                block.instructions.push(at);
            }
            (block.end, block.next) = (*end, next.clone());
            block.callees = dispatched.get(&at).cloned().unwrap_or_default();
            block.third = match known[&at].get(A2) {
                Value::Known(value) => Third::Known(value),
                Value::Third => Third::Passed,
                _ => Third::Unknown,
            };
            match next.as_slice() {
                [next] if *end == End::Flow && !heads.contains(next) => at = *next,
                _ => return (*head, block),
            }
        }
    };
    heads.iter().map(block).collect()
}
