//! Faults: what is recorded of them, and that they end the process.
//!
//! Of a fault the host is told enough to say which functions had called which: program
//! counter, stack pointer, return address, and the stack from its pointer on, as far as
//! it can be read. What a panic tells of itself lies where its process says.

use giornata_abi::ring::Kind;
use giornata_abi::trace::FaultCause;

use crate::process::life;
use crate::{Machine, Outcome, Process, Ref, System, Thread};

/// Most bytes of what a panic tells that are recorded.
const TEXT: usize = giornata_abi::panic::MOST;
/// Most bytes of the stack that are recorded.
const STACK: usize = 256;
/// Bytes of it in one record and the one behind it.
const PIECE: usize = 16;

/// Leaves to the reaper of a process that ends what it is to record: `length` bytes, from
/// where its first register says.
#[inline(always)]
pub(crate) fn leave_message(process: Ref<Process>, from: usize, length: usize) {
    let [at, left, ..] = &process.reaper.context.a;
    at.set(from);
    left.set(length);
}

impl System {
    /// The running thread did what it may not: its process ends, and nobody else
    /// notices. `cause` is a [`FaultCause`], `address` what it reached for. The next
    /// is never the thread itself.
    #[inline(always)]
    pub fn fault<M: Machine>(
        &self,
        me: Ref<Thread>,
        cause: u32,
        pc: usize,
        address: usize,
    ) -> Outcome {
        self.fail::<M>(me, cause, pc, address)
    }

    /// The process of the running thread ends. What a panic tells has been left to its
    /// reaper; of anything else that is the stack.
    #[inline(never)]
    fn fail<M: Machine>(&self, me: Ref<Thread>, cause: u32, pc: usize, address: usize) -> Outcome {
        if cfg!(feature = "harts") && !me.process.is_alive() {
            // (another hart has ended it, and this one is about to leave)
            self.note_change();
            return self.dispatch();
        }
        if cause != FaultCause::Panic as u32 {
            self.record_registers::<M>(me, me.context.ra.get());
        }
        let process = me.process;
        self.record_cause::<M>(process, Some(me), cause, pc, address);
        self.end_process::<M>(process, cause, life::MESSAGE, me.own.get());
        // (its first piece runs now, wherever it is queued: the thread has not to be asked
        // whether it lives)
        Outcome::switch(process.reaper)
    }

    /// Records registers of a thread of whose end the next record tells; its stack is to
    /// come. The first time, they are kept.
    #[inline(never)]
    pub(crate) fn record_registers<M: Machine>(&self, thread: Ref<Thread>, ra: usize) {
        let (process, sp) = (thread.process, thread.context.sp.get());
        leave_message(process, sp, STACK);
        let label = self.head(Kind::Registers, thread.number() as u16);
        self.trace.write(M::now(), label, sp as u32, ra as u32);
        if process.ends.get() == 0 {
            process.first.sp.set(sp);
            process.first.ra.set(ra);
        }
    }

    /// The process faults by its own word; what it tells is recorded by its reaper.
    pub(crate) fn panic<M: Machine>(
        &self,
        me: Ref<Thread>,
        address: usize,
        length: usize,
        line: usize,
    ) -> Outcome {
        if !cfg!(feature = "harts") || me.process.is_alive() {
            leave_message(me.process, address, length.min(TEXT));
        }
        self.fail::<M>(me, FaultCause::Panic as u32, address, line)
    }

    /// Records the next bytes that a fault left to be read, as far as they can be.
    /// Returns how many.
    #[inline(never)]
    pub(crate) fn record_message<M: Machine>(&self, process: Ref<Process>, offset: usize) -> u32 {
        let [address, left, ..] = &process.reaper.context.a;
        let (length, place) = M::reach(process, address.get(), left.get(), false);
        let length = length.min(left.get()).min(PIECE);
        if length == 0 {
            return 0;
        }
        let mut words = [0; 4];
        let mut at = length;
        while at != 0 {
            at = at.wrapping_sub(1);
            // (the machine's words are read whole)
            let byte = place.wrapping_add(at);
            let shifted = M::load(byte & !3).wrapping_shr(8 * (byte as u32 & 3));
            let word = &mut words[at / 4 % 4];
            *word = *word << 8 | shifted & 0xFF;
        }
        if process.ends.get() == 1
            && let Some([a, b, c, d, ..]) = process.first.bytes.get(offset / 4..)
        {
            let [first, second, third, fourth] = words;
            a.set(first);
            b.set(second);
            c.set(third);
            d.set(fourth);
        }
        address.set(address.get().wrapping_add(length));
        left.set(left.get().wrapping_sub(length));
        let label = self.head(Kind::FaultText, process.number as u16);
        self.write_text::<M>(label, offset as u32, words);
        length as u32
    }

    /// A record with 16 bytes, and the one behind it.
    #[inline(always)]
    pub(crate) fn write_text<M: Machine>(&self, label: u32, first: u32, words: [u32; 4]) {
        let [a, b, c, d] = words;
        self.trace.write_two(M::now(), label, first, a, b, c, d);
    }

    /// Adds up to 16 bytes to the trace as text of the caller.
    pub(crate) fn log<M: Machine>(
        &self,
        me: Ref<Thread>,
        length: usize,
        [first, second, third, fourth]: [u32; 4],
    ) -> Outcome {
        let bytes = length & !0x100;
        if bytes.wrapping_sub(1) >= PIECE {
            return Outcome::error(crate::Error::EINVAL);
        }
        let label = self.head(Kind::Log, me.number() as u16);
        match bytes {
            0..=4 => self.trace.write(M::now(), label, length as u32, first),
            _ => self.write_text::<M>(label, length as u32, [first, second, third, fourth]),
        }
        Outcome::DONE
    }
}
