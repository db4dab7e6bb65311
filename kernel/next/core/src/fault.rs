//! Faults: what is recorded of them, and that they end the process.

use giornata_abi::next::ring::{Kind, head};
use giornata_abi::trace::FaultCause;

use crate::process::life;
use crate::{Kernel, Machine, Outcome, Process, Ref, Thread};

/// Most bytes of a panic message that are recorded.
const TEXT: usize = 96;
/// Bytes of it in one record and the one behind it.
const PIECE: usize = 16;

impl Kernel {
    /// The running thread did what it may not: its process ends, and nobody else
    /// notices. `cause` is a [`FaultCause`], `address` what it reached for. The next
    /// is never the thread itself.
    pub fn fault<M: Machine>(
        &self,
        me: Ref<Thread>,
        cause: u32,
        pc: usize,
        address: usize,
    ) -> Outcome {
        let process = me.process;
        self.end_process::<M>(process, cause, pc, address);
        self.queue_reaper::<M>(process, me.own.get());
        // (its first piece runs now, wherever it is queued: the thread has not to be asked
        // whether it lives)
        Outcome::switch(process.reaper)
    }

    /// The process faults by its own word; the message is recorded by its reaper.
    #[inline(never)]
    pub(crate) fn panic<M: Machine>(
        &self,
        me: Ref<Thread>,
        address: usize,
        length: usize,
        line: usize,
    ) -> Outcome {
        let outcome = self.fault::<M>(me, FaultCause::Panic as u32, address, line);
        let process = me.process;
        let [at, left, ..] = &process.reaper.context.a;
        at.set(address);
        left.set(length);
        process.life.set(life::MESSAGE);
        outcome
    }

    /// Records the next bytes of the message of a panic, as far as they can be read.
    /// Returns how many.
    #[inline(never)]
    pub(crate) fn record_message<M: Machine>(&self, process: Ref<Process>, offset: usize) -> u32 {
        let [address, length, ..] = &process.reaper.context.a;
        let wanted = length.get().min(TEXT).saturating_sub(offset).min(PIECE);
        let address = address.get().wrapping_add(offset);
        let (length, place) = M::reach(process, address, wanted, false);
        let length = length.min(wanted);
        let mut words = [0; 4];
        for at in 0..length {
            // (of the machine's words, which are read whole)
            let byte = place.wrapping_add(at);
            let byte = M::load(byte & !3).wrapping_shr(8 * (byte as u32 & 3)) & 0xFF;
            words[at / 4 % 4] |= byte.wrapping_shl(8 * (at as u32 & 3));
        }
        if length != 0 {
            let label = head(Kind::FaultText, 0, process.number as u16);
            self.write_text::<M>(label, offset as u32, words);
        }
        length as u32
    }

    /// A record with 16 bytes, and the one behind it.
    #[inline(never)]
    pub(crate) fn write_text<M: Machine>(&self, label: u32, first: u32, words: [u32; 4]) {
        let [w0, w1, w2, w3] = words;
        self.trace.write(M::now(), label, first, w0);
        let more = label & !0xFF | Kind::More as u32;
        self.trace.write(w1, more, w2, w3);
    }

    /// Adds up to 16 bytes to the trace as text of the caller.
    pub(crate) fn log<M: Machine>(
        &self,
        me: Ref<Thread>,
        length: usize,
        words: [usize; 4],
    ) -> Outcome {
        let bytes = length & !0x100;
        if bytes.wrapping_sub(1) >= PIECE {
            return Outcome::error(crate::Error::EINVAL);
        }
        let label = head(Kind::Log, 0, me.number() as u16);
        match bytes {
            0..=4 => self
                .trace
                .write(M::now(), label, length as u32, words[0] as u32),
            _ => self.write_text::<M>(label, length as u32, words.map(|word| word as u32)),
        }
        Outcome::DONE
    }
}
