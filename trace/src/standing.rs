//! How the threads of a system stand, read from the kernel's records: when the machine has
//! stopped, or while it runs.
//!
//! The commands for gdb in `launch/gdb` say the same of a machine under a debugger.

use anyhow::Result;
use giornata_abi::Ticks;
use giornata_abi::trace::FaultCause;
use giornata_symbols::{Frame, Memory as StackCopy, Registers, Symbols};
use giornata_system::{DebugMap, NameMap};

use crate::fault::{Fault, innermost};
use crate::memory::Memory;
use crate::records::Records;

/// Bytes of a stack that a backtrace is made from at most.
const STACK: usize = 4096;
/// Bytes of an `ecall`.
const CALL: u64 = 4;

/// What a thread does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The hart runs it.
    Running,
    #[default]
    /// It could run, if nobody else did.
    Ready,
    /// It waits for something.
    Waits(Awaited),
    /// It waits for an instant only.
    Sleeps,
    /// It has no job, or no upcall.
    Idle,
    /// It has ended and is to be joined.
    Ended,
    /// No thread lives in its place.
    Absent,
    /// Its process ends, or begins anew.
    Ending,
    /// Its process has ended.
    Dead,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// An object of the name map.
    Object(u16),
    /// The reply of a thread that has its request.
    Reply(u16),
    /// The end of a thread or of a process.
    End,
    /// An interrupt line, by its number.
    Line(u16),
    /// It is not known.
    Unknown,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadStanding {
    /// What it does.
    pub state: State,
    /// When its wait ends at the latest, if it does.
    pub until: Option<Ticks>,
    /// It gets a mutex when it wakes from a wait for something else, without having run.
    pub is_hinted: bool,
    /// It is a task in the ring of those that are released together, so that it may be
    /// told as ready when it has no job.
    is_in_ring: bool,
    /// How often its process has begun anew.
    pub restarts: u32,
    /// Violations of its jobs since boot, modulo 2^32.
    pub violations: u32,
    /// Where it goes on, and its stack; `None` if that is in no record.
    registers: Option<Registers>,
    stack: StackCopy,
    /// Bytes of its stack in use; `None` if it has no stack, or its pointer leads elsewhere.
    pub stack_used: Option<u32>,
}

/// What a process has gone through since boot, as the kernel has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessStanding {
    /// How often it faulted, panicked or was ended, modulo 2^32.
    pub ends: u32,
    /// How often it has begun anew, modulo 2^32.
    pub restarts: u32,
    /// The first of its ends, with as much of the stack or of what a panic tells as is kept.
    pub first: Option<Fault>,
}

/// The threads and processes of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// In the order of the name map.
    pub threads: Vec<ThreadStanding>,
    /// By object of the name map: the thread that owns a mutex or serves a mailbox.
    pub owners: Vec<Option<u16>>,
    /// In the order of the name map.
    pub processes: Vec<ProcessStanding>,
}

/// Where records of one kind lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) first: u64,
    pub(crate) size: u64,
    pub(crate) count: usize,
}

impl Row {
    pub(crate) fn at(self, index: usize) -> u64 {
        self.first.wrapping_add(index as u64 * self.size)
    }

    /// The number of the record at an address.
    fn index(self, address: u64) -> Option<u16> {
        let offset = address.checked_sub(self.first)?;
        let index = offset.checked_div(self.size)?;
        let is_one = offset % self.size == 0 && index < self.count as u64;
        u16::try_from(index).ok().filter(|_| is_one)
    }
}

impl Standing {
    /// Reads the records in `memory`; `running` is the thread that the hart runs, which no
    /// record tells.
    ///
    /// # Errors
    /// Records are missing, or the map is of another version.
    pub fn read(map: &DebugMap, memory: &Memory<'_>, running: Option<u16>) -> Result<Standing> {
        Reader::new(map, memory)?.read(running)
    }

    /// The trace knows which tasks have jobs: the others wait for a release.
    pub fn settle(&mut self, has_job: impl Fn(u16) -> bool) {
        for (index, thread) in (0u16..).zip(&mut self.threads) {
            if thread.is_in_ring && thread.state == State::Ready && !has_job(index) {
                thread.state = State::Idle;
            }
        }
    }

    /// The function and the line that a thread is in: the innermost of the project's own, or
    /// of a library's if there is none. `None` if that is not known.
    pub fn place(&self, thread: u16, names: &NameMap, symbols: &Symbols) -> Option<Frame> {
        let own = self.threads.get(usize::from(thread))?;
        let process = names.threads.get(usize::from(thread))?.process;
        let backtrace = symbols.backtrace(process, own.registers?, &own.stack);
        innermost(&backtrace.frames)
    }
}

/// Where the kernel keeps the records of threads, processes and objects.
pub(crate) struct Rows {
    pub(crate) threads: Row,
    pub(crate) processes: Row,
    pub(crate) objects: Row,
}

impl Rows {
    pub(crate) fn of(records: &Records<'_>) -> Result<Rows> {
        let names = &records.map.names;
        let row = |field: &str, record: &str, count| -> Result<Row> {
            Ok(Row {
                first: records.kernel(&format!("{field}.address"))?,
                size: records.size(record)? as u64,
                count,
            })
        };
        Ok(Rows {
            threads: row("threads", "Thread", names.threads.len())?,
            processes: row("processes", "Process", names.processes.len() + 1)?,
            objects: row("objects", "Object", names.objects.len())?,
        })
    }
}

/// The interrupt lines in use: the number of each, and where its record lies.
pub(crate) fn lines(records: &Records<'_>) -> Result<Vec<(u16, u64)>> {
    let mut lines = Vec::new();
    for number in 0..records.count("System", "lines") {
        let line = records.read("System", records.map.kernel.into(), "lines", number)?;
        if line != 0 {
            lines.push((number as u16, line));
        }
    }
    Ok(lines)
}

/// What of a thread never changes.
pub(crate) fn place(records: &Records<'_>, thread: u64) -> Result<u64> {
    records.read("Thread", thread, "place", 0)
}

/// The task whose jobs a thread runs; 0: none.
pub(crate) fn task(records: &Records<'_>, thread: u64) -> Result<u64> {
    match place(records, thread)? {
        0 => Ok(0),
        place => records.read("Place", place, "task", 0),
    }
}

/// Violations of a thread's jobs since boot.
fn violations(records: &Records<'_>, thread: u64) -> Result<u32> {
    Ok(match task(records, thread)? {
        0 => 0,
        task => records.read("Task", task, "violations", 0)? as u32,
    })
}

struct Reader<'a> {
    records: Records<'a>,
    threads: Row,
    processes: Row,
    objects: Row,
    nowhere: u64,
    /// By interrupt line in use: its number, and the thread that waits for it.
    handlers: Vec<(u16, u64)>,
    /// By thread: the record that stands for its replies.
    hands: Vec<u64>,
}

impl<'a> Reader<'a> {
    fn new(map: &'a DebugMap, memory: &'a Memory<'a>) -> Result<Reader<'a>> {
        let records = Records { map, memory };
        let Rows {
            threads,
            processes,
            objects,
        } = Rows::of(&records)?;
        let handler = |(number, line)| Ok((number, records.read("Line", line, "handler", 0)?));
        let handlers = lines(&records)?.into_iter().map(handler);
        let handlers = handlers.collect::<Result<_>>()?;
        let hand = |index| records.read("Thread", threads.at(index), "hand", 0);
        Ok(Reader {
            threads,
            processes,
            objects,
            nowhere: records.kernel("no_list")?,
            handlers,
            hands: (0..threads.count).map(hand).collect::<Result<_>>()?,
            records,
        })
    }

    fn read(&self, running: Option<u16>) -> Result<Standing> {
        let threads = (0..self.threads.count)
            .map(|index| self.thread(index, running == Some(index as u16)))
            .collect::<Result<_>>()?;
        let owners = (0..self.objects.count)
            .map(|index| {
                let owner = self
                    .records
                    .read("Object", self.objects.at(index), "owner", 0)?;
                Ok(self.threads.index(owner))
            })
            .collect::<Result<_>>()?;
        // (behind those of the map comes the kernel's own)
        let processes = (0..self.records.map.names.processes.len() as u16)
            .map(|index| self.process(index))
            .collect::<Result<_>>()?;
        Ok(Standing {
            threads,
            owners,
            processes,
        })
    }

    fn process(&self, index: u16) -> Result<ProcessStanding> {
        let record = self.processes.at(index.into());
        let word = |field: &str, at| self.records.read("Process", record, field, at);
        let ends = word("ends", 0)? as u32;
        let how = word("first.how", 0)? as u32;
        let (code, length) = (how & 0xFFFF, (how >> 16) as usize);
        let count = self.records.count("Process", "first.bytes");
        let mut memory = Vec::new();
        for at in 0..count {
            memory.extend_from_slice(&(word("first.bytes", at)? as u32).to_le_bytes());
        }
        memory.truncate(length);
        let cause = FaultCause::ALL.get(code as usize).copied();
        let thread = word("first.thread", 0)?.checked_sub(1);
        let has_registers = thread.is_some() && cause != Some(FaultCause::Panic);
        let first = Fault {
            tick: Ticks(word("first.at", 1)? << 32 | word("first.at", 0)?),
            process: index,
            thread: thread.and_then(|thread| u16::try_from(thread).ok()),
            cause,
            code,
            pc: word("first.pc", 0)?,
            address: word("first.address", 0)?,
            registers: match has_registers {
                true => Some((word("first.sp", 0)?, word("first.ra", 0)?)),
                false => None,
            },
            memory,
        };
        Ok(ProcessStanding {
            ends,
            restarts: word("generation", 0)? as u32,
            first: (ends != 0).then_some(first),
        })
    }

    fn thread(&self, index: usize, is_running: bool) -> Result<ThreadStanding> {
        let records = &self.records;
        let record = self.threads.at(index);
        let word = |field: &str, index| records.read("Thread", record, field, index);
        let bits = word("state", 0)?;
        let is = |name: &str| Ok::<_, anyhow::Error>(bits & records.constant("state", name)? != 0);
        let low = |index| Ok::<_, anyhow::Error>(word("context.t", index)? & 0xFFFF_FFFF);
        let state = self.state(record, is_running, bits)?;
        let is_waiting = matches!(state, State::Waits(_) | State::Sleeps);
        let until = match is_waiting && is("ARMED")? {
            true => Some(Ticks(low(1)? << 32 | low(0)?)),
            false => None,
        };
        let (registers, stack, stack_used) = self.position(index, is_running, state)?;
        Ok(ThreadStanding {
            state,
            until,
            is_hinted: is("HINTED")?,
            is_in_ring: is("IN_RING")?,
            restarts: records.read("Process", word("process", 0)?, "generation", 0)? as u32,
            violations: violations(records, record)?,
            registers,
            stack,
            stack_used,
        })
    }

    fn state(&self, record: u64, is_running: bool, bits: u64) -> Result<State> {
        let records = &self.records;
        let word = |field: &str| records.read("Thread", record, field, 0);
        let life = records.read("Process", word("process")?, "life", 0)?;
        if life != records.constant("life", "ALIVE")? {
            return Ok(match life == records.constant("life", "DEAD")? {
                true => State::Dead,
                false => State::Ending,
            });
        }
        let tenancy = word("tenancy")?;
        let is = |name: &str| Ok::<_, anyhow::Error>(tenancy == records.constant("tenancy", name)?);
        if is_running {
            return Ok(State::Running);
        } else if is("ENDED")? {
            return Ok(State::Ended);
        } else if is("NOBODY")? {
            return Ok(State::Absent);
        }
        let (waits, wants) = (word("waits")?, word("wants")?);
        if waits == 0 {
            return Ok(match wants {
                0 => State::Ready,
                wanted => State::Waits(self.awaited(wanted)),
            });
        }
        if bits & records.constant("state", "SLEEPS")? != 0 {
            return Ok(State::Sleeps);
        }
        // (who waits in the list of a condition has noted the mutex that it wants then)
        if waits != self.nowhere {
            return Ok(State::Waits(self.awaited(waits)));
        }
        if wants != 0 {
            return Ok(State::Waits(self.awaited(wants)));
        }
        let line = self.handlers.iter().find(|(_, handler)| *handler == record);
        if let Some((number, _)) = line {
            return Ok(State::Waits(Awaited::Line(*number)));
        }
        Ok(match is("TASK")? || is("UPCALL")? {
            true => State::Idle,
            false => State::Waits(Awaited::Unknown),
        })
    }

    fn awaited(&self, object: u64) -> Awaited {
        let Row { first, size, count } = self.processes;
        let server = self.hands.iter().position(|hand| *hand == object);
        match (self.objects.index(object), server) {
            (Some(index), _) => Awaited::Object(index),
            (None, Some(server)) => Awaited::Reply(server as u16),
            // (the list of those that wait so lies in the record of their process)
            _ if (first..first.saturating_add(size * count as u64)).contains(&object) => {
                Awaited::End
            }
            _ => Awaited::Unknown,
        }
    }

    /// Where a thread goes on, what is known of its stack, and how much of it is in use.
    fn position(
        &self,
        index: usize,
        is_running: bool,
        state: State,
    ) -> Result<(Option<Registers>, StackCopy, Option<u32>)> {
        let records = &self.records;
        let lives = !matches!(
            state,
            State::Ended | State::Absent | State::Dead | State::Ending | State::Idle
        );
        let Some(stack) = records.map.stacks.get(index).filter(|_| lives) else {
            return Ok((None, StackCopy::default(), None));
        };
        let record = self.threads.at(index);
        let word = |field: &str| records.read("Thread", record, field, 0);
        let (pc, sp) = (word("context.pc")?, word("context.sp")?);
        let is_full = word("kind")? == records.constant("resumed", "FULL")?;
        let used = u64::from(stack.top).checked_sub(sp);
        let used = used.and_then(|used| u32::try_from(used).ok());
        let used = used.filter(|used| *used <= stack.size);
        let copy = used.map_or_else(StackCopy::default, |used| {
            let place = u64::from(stack.place) + u64::from(stack.size - used);
            StackCopy {
                start: sp,
                bytes: records
                    .memory
                    .read_up_to(place, STACK.min(used as usize))
                    .to_vec(),
            }
        });
        // The running thread was interrupted, or its record tells where it was before.
        // Nobody keeps the return address of who has called: it lies on the stack.
        let registers = match pc != 0 && (is_full || !is_running) {
            false => None,
            true => Some(Registers {
                pc: if is_full { pc } else { pc.wrapping_sub(CALL) },
                sp,
                ra: match is_full {
                    true => Some(word("context.ra")?),
                    false => None,
                },
            }),
        };
        Ok((registers, copy, used))
    }
}

#[cfg(test)]
impl ThreadStanding {
    /// A thread of which no more is known than what it does.
    pub(crate) fn of(state: State) -> ThreadStanding {
        ThreadStanding {
            state,
            ..ThreadStanding::default()
        }
    }
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
