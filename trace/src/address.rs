//! What somebody reached for who may not: an address in words.

use giornata_abi::trace::FaultCause;
use giornata_system::NameMap;
use giornata_system::memory_map::Stretch;

use crate::narration::{process_name, thread_name};

/// Below this nothing lies on any board; a field of what a null pointer points to does.
const NULL: u64 = 4096;
/// An access this far below a stack pointer is of the frame there.
const FRAME: u64 = 64;
/// A stack pointer this far below its stack has overflowed; farther below it is wild.
const DEEPEST: u64 = 16 << 20;

/// An access that faulted.
pub(crate) struct Reach<'a> {
    pub(crate) names: &'a NameMap,
    pub(crate) process: u16,
    pub(crate) thread: Option<u16>,
    pub(crate) sp: Option<u64>,
    pub(crate) pc: u64,
    pub(crate) address: u64,
    /// The instruction at `pc`, where that is known.
    pub(crate) instruction: Option<u32>,
}

impl Reach<'_> {
    /// The fault in words.
    pub(crate) fn words(&self, cause: FaultCause) -> String {
        match cause {
            FaultCause::Load => self.access("load from", "read"),
            FaultCause::Store => self.access("store to", "written"),
            FaultCause::StackOverflow => self
                .overflow()
                .unwrap_or_else(|| format!("stack overflow: access to {:#x}", self.address)),
            FaultCause::Execute => self.jump(),
            FaultCause::Illegal => self.illegal(),
            FaultCause::Breakpoint => {
                "trap instruction: a check that the compiler put in has failed, or \
                 __builtin_trap()"
                    .into()
            }
            FaultCause::Panic | FaultCause::Call | FaultCause::Killed | FaultCause::Overrun => {
                cause.name().into()
            }
        }
    }

    fn own(&self) -> &[Stretch] {
        let process = self.names.processes.get(usize::from(self.process));
        process.map_or(&[], |process| &process.memory)
    }

    /// A stack that has grown below its end, by how much.
    fn overflow(&self) -> Option<String> {
        let index = self.thread?;
        let thread = self.names.threads.get(usize::from(index))?;
        let top = u64::from(thread.stack_top);
        let bottom = top.checked_sub(thread.stack.into()).filter(|_| top != 0)?;
        let sp = self.sp?;
        let deepest = sp.min(self.address);
        let is_below = sp < bottom + FRAME
            && bottom.saturating_sub(sp) <= DEEPEST
            && (sp.saturating_sub(FRAME)..bottom).contains(&self.address);
        is_below.then(|| {
            format!(
                "stack overflow of thread {} by {} bytes: its stack has {}",
                thread_name(self.names, index),
                bottom - deepest,
                thread.stack
            )
        })
    }

    fn access(&self, does: &str, done: &str) -> String {
        let at = self.address;
        if let Some(words) = self.overflow() {
            return words;
        }
        if at < NULL {
            return format!("null pointer: {does} {at:#x}");
        }
        if let Some(stretch) = self.own().iter().find(|stretch| stretch.contains(at)) {
            let right = if done == "read" { 'r' } else { 'w' };
            return match stretch.rights.contains(right) {
                true if !at.is_multiple_of(2) => {
                    format!("misaligned {does} {at:#x}, in its own {}", stretch.what)
                }
                true => format!("{does} {at:#x}, in its own {}", stretch.what),
                false => format!("{does} {at:#x}: its own {} cannot be {done}", stretch.what),
            };
        }
        format!("{does} {at:#x}: {}", self.foreign(at))
    }

    /// Whose memory it is that is not the process's own.
    fn foreign(&self, at: u64) -> String {
        let machine = &self.names.machine;
        let guarded = self.names.threads.iter().find(|thread| {
            let bottom = u64::from(thread.stack_top).saturating_sub(thread.stack.into());
            let guard = u64::from(thread.guard);
            thread.process == self.process
                && thread.stack_top != 0
                && (bottom.saturating_sub(guard)..bottom).contains(&at)
        });
        if let Some(thread) = guarded {
            return format!("the guard below the stack of thread {}", thread.name);
        }
        if !machine.is_translated {
            let others = (0u16..).zip(&self.names.processes);
            for (index, process) in others.filter(|(index, _)| *index != self.process) {
                let own = |stretch: &&Stretch| {
                    stretch.contains(at) && !stretch.what.starts_with("device ")
                };
                if let Some(stretch) = process.memory.iter().find(own) {
                    let name = process_name(self.names, index);
                    return format!("memory of process {name}, its {}", stretch.what);
                }
            }
        }
        match machine.memory.iter().find(|stretch| stretch.contains(at)) {
            Some(stretch) => match stretch.what.strip_prefix("device ") {
                Some(device) => format!("device {device} is not granted to it"),
                None => format!("memory of {}", stretch.what),
            },
            None => "no memory of its own".into(),
        }
    }

    fn jump(&self) -> String {
        let at = self.pc;
        if at < NULL {
            return format!("jump to a null pointer ({at:#x})");
        }
        match self.own().iter().find(|stretch| stretch.contains(at)) {
            Some(stretch) if stretch.rights.contains('x') => {
                format!("jump to {at:#x}, where no instruction begins")
            }
            Some(stretch) => format!("jump to {at:#x}: its own {} is no code", stretch.what),
            None => format!("jump to {at:#x}: {}", self.foreign(at)),
        }
    }

    fn illegal(&self) -> String {
        match self.instruction {
            // `unimp`, and what `core::intrinsics::abort` is
            Some(word) if word & 0xFFFF == 0 || word == 0xC000_1073 => {
                "code that is never to be reached (`unimp`)".into()
            }
            Some(word) if word & 0x7F == 0x73 => {
                format!("privileged instruction {word:#010x}")
            }
            Some(word) if word & 3 == 3 => format!("illegal instruction {word:#010x}"),
            Some(word) => format!("illegal instruction {:#06x}", word & 0xFFFF),
            None => "illegal or privileged instruction".into(),
        }
    }
}
