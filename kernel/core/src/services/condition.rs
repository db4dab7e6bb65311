//! Condition variables: a thread gives its mutex back and waits, in one step;
//! who is signalled goes on when it has the mutex again, and not before.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::thread::State;
use giornata_abi::call::Call;
use giornata_abi::id::NONE;
use giornata_abi::system::ObjectKind;
use giornata_abi::{Error, Instant};

/// Threads that a broadcast wakes in one piece.
const PIECE: u32 = 4;

impl<H: Hardware> Core<'_, H> {
    pub(crate) fn wait(
        &mut self,
        thread: u16,
        condition: u16,
        mutex: u16,
        until: Instant,
    ) -> Result<Reply, Error> {
        let fit =
            self.is_a(condition, ObjectKind::Condition) && self.is_a(mutex, ObjectKind::Mutex);
        if !fit {
            return Err(Error::EINVAL);
        }
        let record = *self.services.objects.at(mutex);
        if record.owner != thread {
            return Err(Error::EPERM);
        }
        let tie = self.services.ties.at_mut(thread);
        (tie.mutex, tie.mutex_generation) = (mutex, record.generation);
        tie.mutex_word = record.word;
        // at the end of its wait it may be as urgent as the ceiling
        self.services.has_lent |= record.lends.is_some();
        self.give_back(mutex);
        if until <= self.now() {
            self.suspend(thread, State::Waiting);
            self.take_again(thread, Some(Error::ETIMEDOUT));
        } else {
            self.await_object(thread, condition, until);
        }
        Ok(Reply::Later)
    }

    pub(crate) fn signal(&mut self, condition: u16) -> Result<Reply, Error> {
        if !self.is_a(condition, ObjectKind::Condition) {
            return Err(Error::EINVAL);
        }
        self.signal_one(condition);
        Ok(Reply::Done)
    }

    pub(crate) fn broadcast(
        &mut self,
        thread: u16,
        condition: u16,
        arguments: &[usize; 6],
    ) -> Result<Reply, Error> {
        if !self.is_a(condition, ObjectKind::Condition) {
            return Err(Error::EINVAL);
        }
        for _ in 0..PIECE {
            if !self.signal_one(condition) {
                return Ok(Reply::Done);
            }
        }
        self.once_more(thread, Call::Broadcast, arguments);
        Ok(Reply::Later)
    }

    /// The most urgent thread that waits for a condition goes on to its mutex;
    /// answers whether there was one.
    fn signal_one(&mut self, condition: u16) -> bool {
        let waiter = self.services.objects.at(condition).waiter;
        if waiter == NONE {
            return false;
        }
        self.leave(waiter);
        self.take_again(waiter, None);
        true
    }

    /// A thread's wait for a condition is over: it takes its mutex, or waits for
    /// that.
    pub(crate) fn take_again(&mut self, thread: u16, verdict: Option<Error>) {
        let tie = self.services.ties.at_mut(thread);
        let (mutex, generation, word) = (tie.mutex, tie.mutex_generation, tie.mutex_word);
        let object = self.services.objects.at(mutex);
        if !object.exists || object.generation != generation {
            return self.release_waiter(thread, Err(Error::EIDRM));
        }
        if word != 0
            && let Err(error) = self.take_over_word(thread, mutex, word)
        {
            return self.release_waiter(thread, Err(error));
        }
        self.take_known(thread, mutex, verdict);
        if word != 0 {
            self.publish(mutex);
        }
    }

    /// The same where the kernel knows how the mutex stands.
    fn take_known(&mut self, thread: u16, mutex: u16, verdict: Option<Error>) {
        let object = self.services.objects.at(mutex);
        if object.owner != NONE {
            self.services.ties.at_mut(thread).verdict = verdict;
            return self.await_for_ever(thread, mutex);
        }
        let taken = self.take(thread, mutex, End::Tail);
        let reply = match verdict {
            Some(error) if taken.is_ok() => Err(error),
            _ => taken,
        };
        self.release_waiter(thread, reply);
    }
}
