//! Private semaphores: the threads of one process take and give them by a word of
//! its memory, and come here only when one has to wait (see
//! [`giornata_abi::word`]).
//!
//! On the way in, what the word says is taken over; on the way out, what has
//! become of it is written to the word, and forgotten if nobody waits.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::system::{OBJECT_PRIVATE, ObjectKind};
use giornata_abi::word::{LIMIT, LOCKED, MOST, WAITED_FOR};
use giornata_abi::{Error, Id};

impl<H: Hardware> Core<'_, H> {
    /// Does something to a semaphore, which has a word if it is private.
    pub(crate) fn with_word(
        &mut self,
        thread: u16,
        index: u16,
        address: usize,
        work: impl FnOnce(&mut Self) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        let is_private = self.object_entry(index).flags & OBJECT_PRIVATE != 0;
        if is_private != (address != 0) {
            return Err(Error::EINVAL);
        }
        if !is_private {
            return work(self);
        }
        let address = u32::try_from(address).map_err(|_| Error::EFAULT)?;
        self.take_over_word(thread, index, address)?;
        let answer = work(self);
        self.publish(index);
        answer
    }

    /// Takes over what a word says.
    pub(crate) fn take_over_word(
        &mut self,
        thread: u16,
        index: u16,
        address: u32,
    ) -> Result<(), Error> {
        let process = self.thread_entry(thread).process;
        let mut word = [0];
        let read = self.hardware.read(process, address as usize, &mut word, 4);
        read.map_err(|_| Error::EFAULT)?;
        let [word] = word.map(|word| word as u32);
        // what cannot be written is seen before anything happens
        self.write_word(process, address, word)?;
        let object = self.services.objects.at_mut(index);
        if object.word != 0 {
            // the kernel knows how it stands
            return match object.word == address {
                true => Ok(()),
                false => Err(Error::EINVAL),
            };
        }
        if self.is_a(index, ObjectKind::Semaphore) {
            let object = self.services.objects.at_mut(index);
            object.count = word & MOST;
            object.word = address;
            return Ok(());
        }
        if word & LOCKED != 0 {
            let id = Id(word & !(LOCKED | WAITED_FOR));
            let owner = id.index();
            let record = self.threads.get(owner).ok_or(Error::EINVAL)?;
            let is_here = record.generation == id.generation() && record.state != State::Dormant;
            if self.thread_entry(owner).process != process {
                return Err(Error::EINVAL);
            }
            match is_here {
                true => _ = self.own(owner, index, End::Head),
                false => self.services.objects.at_mut(index).abandoned = true,
            }
        }
        self.services.objects.at_mut(index).word = address;
        Ok(())
    }

    /// Writes down how a private semaphore stands; if nobody waits for it, that is
    /// all that is known of it then.
    pub(crate) fn publish(&mut self, index: u16) {
        let object = *self.services.objects.at(index);
        if object.word == 0 {
            return;
        }
        let is_waited_for = object.waiter != NONE;
        let generation = self.threads.get(object.owner).map(|owner| owner.generation);
        let owner = generation.map_or(0, |generation| Id::new(object.owner, generation).0 | LOCKED);
        let value = match self.is_a(index, ObjectKind::Mutex) {
            true => owner,
            false => object.count | self.object_entry(index).most << LIMIT,
        };
        let process = self.private_process(index);
        let waited_for = if is_waited_for { WAITED_FOR } else { 0 };
        // a process that has taken the memory back harms itself
        let _ = self.write_word(process, object.word, value | waited_for);
        if !is_waited_for {
            if object.owner != NONE {
                self.lose(index);
                self.renew(object.owner);
            }
            let object = self.services.objects.at_mut(index);
            (object.word, object.count) = (0, 0);
        }
    }

    /// The process whose a private object is: the first that may use it.
    fn private_process(&self, index: u16) -> u16 {
        let rights = self.object_entry(index).rights;
        let links = self.system.links.iter().skip(rights as usize);
        let mut granted = links.take(self.processes.len() as usize);
        granted
            .position(|right| *right != 0)
            .map_or(NONE, |p| p as u16)
    }

    fn write_word(&mut self, process: u16, address: u32, word: u32) -> Result<(), Error> {
        let words = [word as u64];
        let written = self.hardware.write(process, address as usize, &words, 4);
        written.map_err(|_| Error::EFAULT)
    }
}
