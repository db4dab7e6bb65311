//! Private mutexes: threads of one process take them by a word of their memory, and
//! call only when one has to wait.
//!
//! The kernel takes over what the word says at the first contention, and believes its
//! own record from then on until nobody waits any more.

use super::{Model, Tenancy};
use crate::request::Reply;
use crate::system::Kind;
use giornata_abi::Error;
use giornata_abi::id::Id;

/// The word of a private mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Nobody owns it and nobody waits: a thread takes it without a call.
    Free,
    /// A thread owns it, and nobody waits: it gives it back without a call.
    Held(Id),
    /// Somebody waits: to take it or to give it back needs a call. Who owns it.
    Contended(Option<Id>),
}

impl Model {
    fn is_private_mutex(&self, object: usize) -> bool {
        matches!(self.objects[object].kind, Kind::Mutex { private: true, .. })
    }

    /// A call names a private mutex: what its word says is taken over, unless the kernel
    /// knows better.
    pub(super) fn take_over(&mut self, caller: usize, mutex: usize) -> Result<(), Error> {
        let is_known = self.objects[mutex].owner.is_some() || !self.wanting(mutex).is_empty();
        if !self.is_private_mutex(mutex) || is_known && self.objects[mutex].taken_over {
            return Ok(());
        }
        self.objects[mutex].abandoned = false;
        let owner = match self.objects[mutex].word {
            Word::Free => None,
            Word::Held(owner) | Word::Contended(Some(owner)) => Some(owner),
            Word::Contended(None) => None,
        };
        if let Some(id) = owner {
            let thread = id.slot as usize;
            let process = self.threads[caller].process;
            let record = self.threads.get(thread).ok_or(Error::EINVAL)?;
            if record.process != process {
                return Err(Error::EINVAL);
            }
            let ended = matches!(record.tenancy, Tenancy::Free | Tenancy::Ended(_));
            let is_here =
                record.serial == id.serial && !ended && record.state != super::State::Dormant;
            match is_here {
                true => _ = self.take(thread, mutex, Reply::DONE),
                false => self.objects[mutex].abandoned = true,
            }
        }
        self.objects[mutex].taken_over = true;
        Ok(())
    }

    /// An operation on a mutex is over: if it is private its word says how it stands, and
    /// what nobody waits for is forgotten.
    pub(super) fn publish(&mut self, mutex: usize) {
        if !self.is_private_mutex(mutex) || !self.objects[mutex].taken_over {
            return;
        }
        let owner = self.objects[mutex].owner.map(|owner| self.thread_id(owner));
        let is_wanted = !self.wanting(mutex).is_empty();
        let object = &mut self.objects[mutex];
        // (who asks next finds out by the word that its owner ended)
        let owner = match (object.abandoned, object.word) {
            (true, Word::Held(id) | Word::Contended(Some(id))) => Some(id),
            _ => owner,
        };
        object.word = match (is_wanted, owner) {
            (true, owner) => Word::Contended(owner),
            (false, Some(owner)) => Word::Held(owner),
            (false, None) => Word::Free,
        };
        if !is_wanted {
            object.taken_over = false;
            self.release(mutex, false);
        }
    }
}
