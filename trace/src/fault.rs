//! A fault of a process: what it was in words, and where.

use giornata_abi::Ticks;
use giornata_abi::panic::{self, word};
use giornata_abi::trace::FaultCause;
use giornata_symbols::{Backtrace, Executable, Frame, Memory, Registers, Symbols};
use giornata_system::NameMap;

use crate::address::Reach;
use crate::notation::printable;

/// A fault, put together from its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// When.
    pub tick: Ticks,
    /// The process.
    pub process: u16,
    /// The thread; `None` if the records do not tell, as of a panic. Of a process that its
    /// supervisor ended: the one that says best what it was at.
    pub thread: Option<u16>,
    /// Why, as the kernel sees it; `None` for a cause that this version does not know.
    pub cause: Option<FaultCause>,
    /// The same as a number.
    pub code: u32,
    /// Where it was; of a panic the address of what it tells.
    pub pc: u64,
    /// What it reached for; of a panic its third argument.
    pub address: u64,
    /// Its stack pointer and return address; that is 0 if it lies on the stack.
    pub registers: Option<(u64, u64)>,
    /// What could be read: of a panic what it tells, else its stack.
    pub memory: Vec<u8>,
}

/// What a fault was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// In words: `null pointer: load from 0x8`, `panic: index out of bounds: ...`.
    pub words: String,
    /// The function and the line that is meant: the innermost of the project's own, or of
    /// those of libraries if none is.
    pub place: Option<Frame>,
    /// The functions that the thread was in, the innermost first.
    pub backtrace: Backtrace,
}

/// What a panic tells.
#[derive(Default)]
struct Panic {
    text: String,
    file: String,
    line: u32,
    registers: Option<Registers>,
}

impl Fault {
    /// What it was.
    pub fn explain(&self, names: &NameMap, symbols: Option<&Symbols>) -> Explanation {
        let executable = symbols.and_then(|symbols| symbols.of(self.process));
        if self.cause == Some(FaultCause::Panic) {
            return self.explain_panic(names, executable);
        }
        let (sp, ra) = self.registers.unzip();
        let memory = Memory {
            start: sp.unwrap_or(0),
            bytes: self.memory.clone(),
        };
        let registers = Registers {
            pc: self.pc,
            sp: sp.unwrap_or(0),
            ra: ra.filter(|ra| *ra != 0),
        };
        let is_anywhere = self.cause != Some(FaultCause::Killed) || self.registers.is_some();
        let backtrace = executable
            .filter(|_| is_anywhere)
            .map(|executable| executable.backtrace(registers, &memory))
            .unwrap_or_default();
        let instruction = executable.and_then(|executable| {
            let bytes = executable.constant(self.pc, 2)?;
            let long = executable.constant(self.pc, 4);
            Some(long.map_or_else(
                || u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            ))
        });
        let reach = Reach {
            names,
            process: self.process,
            thread: self.thread,
            sp,
            pc: self.pc,
            address: self.address,
            instruction,
        };
        let mut words = match self.cause {
            Some(FaultCause::Killed) => self.killed(names),
            Some(cause) => reach.words(cause),
            None => self.cause_in_words(),
        };
        if is_anywhere && backtrace.frames.is_empty() {
            words = format!("{words}, at pc {:#x}", self.pc);
        }
        Explanation {
            words,
            place: innermost(&backtrace.frames),
            backtrace,
        }
    }

    /// Whether two faults of a process are not panics with notes of different places or
    /// messages. (Where the constants of a note lie says which they are.)
    pub(crate) fn is_same_panic(&self, other: &Fault) -> bool {
        let is_note = |fault: &Fault| {
            fault.cause == Some(FaultCause::Panic) && fault.address == panic::NOTE as u64
        };
        let words = |fault: &Fault| {
            let (from, to) = (4 * word::TEXT, 8 * panic::WORDS);
            let known = fault.memory.get(from..to.min(fault.memory.len()));
            known.map(<[u8]>::to_vec)
        };
        !is_note(self) || !is_note(other) || words(self) == words(other)
    }

    /// Of a process that its supervisor ended, with the thread that was anywhere.
    fn killed(&self, names: &NameMap) -> String {
        let cause = self.cause_in_words();
        let thread = self.thread.and_then(|t| names.threads.get(usize::from(t)));
        match thread {
            Some(thread) => format!("{cause}: thread {}", thread.both()),
            None => cause,
        }
    }

    /// The cause as the kernel sees it.
    pub fn cause_in_words(&self) -> String {
        let known = self.cause.map(|cause| cause.name().to_string());
        known.unwrap_or_else(|| format!("cause {}", self.code))
    }

    /// What a panic says of itself: the message, without the place.
    pub fn message(&self, names: &NameMap, symbols: Option<&Symbols>) -> String {
        match self.cause {
            Some(FaultCause::Panic) => {
                self.panic(names, symbols.and_then(|symbols| symbols.of(self.process)))
                    .text
            }
            _ => String::new(),
        }
    }

    fn explain_panic(&self, names: &NameMap, executable: Option<&Executable>) -> Explanation {
        let panic = self.panic(names, executable);
        let mut backtrace = match (panic.registers, executable) {
            (Some(registers), Some(executable)) => {
                executable.backtrace(registers, &self.memory_at())
            }
            _ => Backtrace::default(),
        };
        let inner = backtrace.frames.iter().take_while(|frame| is_panic(frame));
        let inner = inner.count();
        if inner < backtrace.frames.len() {
            backtrace.frames.drain(..inner);
        }
        let mut place = innermost(&backtrace.frames);
        if !panic.file.is_empty() {
            let (file, is_own) = executable.map_or_else(
                || (panic.file.clone(), true),
                |executable| executable.file(&panic.file),
            );
            // the function that the line is in, whatever was inlined there
            let is_there = |frame: &&Frame| {
                frame.file.as_deref().is_some_and(|known| {
                    known == file || known.ends_with(&file) || file.ends_with(known)
                })
            };
            let frames = &backtrace.frames;
            let there = frames
                .iter()
                .find(|frame| is_there(frame) && frame.line == Some(panic.line))
                .or_else(|| frames.iter().find(is_there));
            let function = there.or(place.as_ref());
            place = Some(Frame {
                function: function.map_or_else(String::new, |frame| frame.function.clone()),
                file: Some(there.and_then(|frame| frame.file.clone()).unwrap_or(file)),
                line: Some(panic.line).filter(|line| *line != 0),
                is_inlined: false,
                is_own,
            });
        }
        let words = match panic.text.as_str() {
            "" => "panic".to_string(),
            text => format!("panic: {text}"),
        };
        Explanation {
            words,
            place,
            backtrace,
        }
    }

    /// What it tells, where that lay.
    fn memory_at(&self) -> Memory {
        Memory {
            start: self.pc,
            bytes: self.memory.clone(),
        }
    }

    fn panic(&self, names: &NameMap, executable: Option<&Executable>) -> Panic {
        if self.address != panic::NOTE as u64 {
            let text = &self.memory[..self.memory.len().min(panic::MESSAGE)];
            return Panic {
                text: clean(text),
                ..Panic::default()
            };
        }
        let memory = self.memory_at();
        let is_64 = names.machine.word == 8;
        let width = if is_64 { 8 } else { 4 };
        let word = |index: usize| memory.word(self.pc + width * index as u64, is_64);
        let text = |index: usize| -> Option<String> {
            let (address, length) = (word(index)?, usize::try_from(word(index + 1)?).ok()?);
            let length = length.min(LONGEST);
            let bytes = memory
                .read(address, length)
                .or_else(|| executable?.constant(address, length))?;
            Some(clean(bytes))
        };
        Panic {
            text: text(word::TEXT).unwrap_or_default(),
            file: text(word::FILE).unwrap_or_default(),
            line: word(word::LINE)
                .and_then(|line| u32::try_from(line).ok())
                .unwrap_or(0),
            registers: word(word::PC)
                .zip(word(word::SP))
                .map(|(pc, sp)| Registers {
                    pc,
                    sp,
                    ra: word(word::RA),
                }),
        }
    }
}

/// Longest message that is kept; the rest is cut.
const LONGEST: usize = 512;

/// The innermost function of the project's own, or of a library.
pub(crate) fn innermost(frames: &[Frame]) -> Option<Frame> {
    let own = frames.iter().find(|frame| frame.is_own && !is_panic(frame));
    own.or(frames.first()).cloned()
}

/// What is between a function that panics and the call of the kernel.
fn is_panic(frame: &Frame) -> bool {
    let name = frame.function.as_str();
    const INNER: [&str; 4] = [
        "rust_begin_unwind",
        "__rustc::rust_begin_unwind",
        "abort",
        "gio_fail",
    ];
    const FOLDERS: [&str; 5] = [
        "core/src/panicking.rs",
        "user/rt/src/panic.rs",
        "user/rt/src/riscv.rs",
        "user/rt/src/call.rs",
        "user/c/src/failure.rs",
    ];
    let is_in = |file: &String| FOLDERS.iter().any(|inner| file.ends_with(inner));
    INNER.contains(&name) || frame.file.as_ref().is_some_and(is_in)
}

impl Explanation {
    /// In one line: words, function, file and line.
    pub fn line(&self) -> String {
        match &self.place {
            Some(place) if place.function.is_empty() => {
                let at = place.place().unwrap_or_default();
                format!("{}, at {at}", self.words)
            }
            Some(place) => format!("{}, in {place}", self.words),
            None => self.words.clone(),
        }
    }

    /// The functions of the project's own that the place was called by.
    pub(crate) fn own_callers(&self) -> String {
        let own = self.backtrace.frames.iter().filter(|frame| frame.is_own);
        let behind = own.skip_while(|frame| Some(*frame) != self.place.as_ref());
        let mut callers: Vec<&Frame> = behind.skip(1).collect();
        callers.dedup_by(|outer, inner| outer.function == inner.function);
        callers
            .iter()
            .map(|frame| format!(", by {frame}"))
            .collect()
    }

    /// The callers, a line each, where there are any; the innermost first.
    pub fn callers(&self) -> Vec<String> {
        let frames = &self.backtrace.frames;
        if frames.len() < 2 && !self.backtrace.is_cut {
            return Vec::new();
        }
        let mut lines: Vec<String> = frames
            .iter()
            .map(|frame| match frame.is_inlined {
                true => format!("    in {frame} (inlined)"),
                false => format!("    in {frame}"),
            })
            .collect();
        if self.backtrace.is_cut && !lines.is_empty() {
            lines.push("    (what called it is not known)".into());
        }
        lines
    }
}

/// Without the zeros that fill the last piece and the newline of a line.
pub(crate) fn clean(text: &[u8]) -> String {
    let end = text
        .iter()
        .rposition(|byte| !matches!(byte, 0 | b'\n' | b'\r'))
        .map_or(0, |at| at + 1);
    printable(&text[..end])
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
