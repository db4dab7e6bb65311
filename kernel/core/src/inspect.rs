//! Views of the kernel's state from outside: for recordings and tests.

use crate::hardware::Hardware;
use crate::kernel::Kernel;
use crate::process::Life;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::{Id, Instant};

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// An instant.
    Instant(Instant),
    /// An interrupt line, by its number.
    Interrupt(u16),
    /// An object, up to an instant.
    Object(u16, Instant),
    /// The end of a thread or a process, up to an instant.
    End(Instant),
}

/// Whether a process lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vitality {
    /// It does.
    Alive,
    /// It is being torn down or restored.
    Changing,
    /// It does not.
    Dead,
}

impl<H: Hardware> Kernel<'_, H> {
    /// What a thread waits for, if it does.
    pub fn wait_of(&self, thread: u16) -> Option<Wait> {
        let core = &self.core;
        let tie = core.services.ties.get(thread)?;
        match core.threads.get(thread)?.state {
            State::Sleeping => Some(Wait::Instant(core.agenda.instant_of(thread)?)),
            State::Waiting => Some(Wait::Object(tie.waits_for, tie.until)),
            State::Joining => Some(Wait::End(tie.until)),
            State::Awaiting | State::Throttled => {
                let line = core.interrupts.iter().position(|i| i.waiter == thread)?;
                let entry = core.system.interrupts.get(line)?;
                Some(Wait::Interrupt(entry.number))
            }
            State::Dormant | State::Ready | State::Held => None,
        }
    }

    /// Whether a process lives.
    pub fn vitality_of(&self, process: u16) -> Vitality {
        match self.core.processes.at(process).life {
            Life::Alive => Vitality::Alive,
            Life::Dying(_) | Life::Restoring(_) => Vitality::Changing,
            Life::Dead => Vitality::Dead,
        }
    }

    /// The id of a thread that lives in its place, or has ended there and can be
    /// joined.
    pub fn id_of_thread(&self, thread: u16) -> Option<Id> {
        use crate::services::Place;
        let record = self.core.threads.get(thread)?;
        let place = self.core.services.ties.at(thread).place;
        let is_there = record.state != State::Dormant || place == Place::Ended;
        is_there.then(|| Id::new(thread, record.generation))
    }

    /// The id of the object that lives in a slot.
    pub fn id_of_object(&self, slot: u16) -> Option<Id> {
        let object = self.core.services.objects.get(slot)?;
        object.exists.then(|| Id::new(slot, object.generation))
    }

    /// The thread that has a mutex or serves a mailbox.
    pub fn owner_of(&self, slot: u16) -> Option<u16> {
        let owner = self.core.services.objects.get(slot)?.owner;
        (owner != NONE).then_some(owner)
    }

    /// Whether who had a mutex last ended without giving it back, and nobody has
    /// been told.
    pub fn is_abandoned(&self, slot: u16) -> bool {
        self.core.services.objects.at(slot).abandoned
    }

    /// The count of a semaphore.
    pub fn count_of(&self, slot: u16) -> u32 {
        self.core.services.objects.at(slot).count
    }

    /// The messages of a mailbox, in order: priority, length, words.
    pub fn messages_of(&self, slot: u16) -> impl Iterator<Item = (u32, u16, [u32; 4])> + '_ {
        let services = &self.core.services;
        let mut at = services.objects.at(slot).letter;
        core::iter::from_fn(move || {
            let message = services.letters.get(at)?;
            at = message.next;
            let letter = &message.letter;
            Some((letter.priority, letter.length, letter.words))
        })
    }

    /// The first 8 bytes of a program's port.
    pub fn value_of(&self, port: u16) -> u64 {
        self.core.arena_value(port)
    }
}
