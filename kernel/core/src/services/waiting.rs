//! How a thread waits for an object, and how it stops.

use crate::core_state::Core;
use crate::dispatch::{End, RENEWAL};
use crate::hardware::Hardware;
use crate::services::Reply;
use crate::services::pool::Cover;
use crate::services::receive::Wish;
use crate::services::thread::Place;
use crate::thread::State;
use giornata_abi::id::NONE;
use giornata_abi::system::ObjectKind;
use giornata_abi::{Error, Instant};
use giornata_queue::Urgency;

/// The instant up to which a caller waits that does not wait.
const AT_ONCE: Instant = Instant(0);

/// What ties a thread to objects.
#[derive(Clone, Copy, Debug)]
pub struct Tie {
    /// What it waits for.
    pub(crate) waits_for: u16,
    /// The first of what it has.
    pub(crate) held: u16,
    /// Of a thread that waits for a condition, or for the mutex after it: the
    /// mutex and its generation.
    pub(crate) mutex: u16,
    pub(crate) mutex_generation: u16,
    /// The mutex's word, if it is private.
    pub(crate) mutex_word: u32,
    /// How a wait for a condition ended, told when the thread has the mutex.
    pub(crate) verdict: Option<Error>,
    /// Of a thread that waits for a message: how it wants it.
    pub(crate) wish: Wish,
    /// The mailbox into which its last message went.
    pub(crate) asked: u16,
    /// While urgencies are renewed: who is to be looked at after it.
    pub(crate) renewed_later: u16,
    /// Of a server: whose the message in its hand is.
    pub(crate) in_hand: Option<Cover>,
    /// The mailbox that it came out of.
    pub(crate) taken_from: u16,
    /// The thread that waits for its end.
    pub(crate) joiner: u16,
    /// A place for a created thread that is free: the next one.
    pub(crate) next_spare: u16,
    /// What it ended with, if nobody has joined it.
    pub(crate) value: usize,
    /// How a created thread stands.
    pub(crate) place: Place,
    /// Up to when it waits.
    pub(crate) until: Instant,
    /// It has an event in the agenda while it waits.
    pub(crate) timed: bool,
    /// What it is queued with is lent, not its own.
    pub(crate) lent: bool,
    /// It waits for the mutex that it will ask for next.
    pub(crate) hinted: bool,
}

impl Tie {
    /// Of a thread that has nothing and waits for nothing.
    pub const EMPTY: Tie = Tie {
        waits_for: NONE,
        held: NONE,
        mutex: NONE,
        mutex_generation: 0,
        mutex_word: 0,
        verdict: None,
        wish: Wish::Words,
        asked: NONE,
        renewed_later: NONE,
        in_hand: None,
        taken_from: NONE,
        joiner: NONE,
        next_spare: NONE,
        value: 0,
        place: Place::Given,
        until: Instant::NEVER,
        timed: false,
        lent: false,
        hinted: false,
    };
}

impl<H: Hardware> Core<'_, H> {
    /// The error of a caller that would have to wait and does not.
    pub(crate) fn refuse_to_wait(&self, until: Instant, at_once: Error) -> Result<(), Error> {
        match until {
            AT_ONCE => Err(at_once),
            _ if until <= self.now() => Err(Error::ETIMEDOUT),
            _ => Ok(()),
        }
    }

    /// A thread waits for an object, up to an instant; answers how urgently.
    pub(crate) fn await_object(&mut self, thread: u16, object: u16, until: Instant) -> Urgency {
        let (urgency, parked) = self.arriving_urgency(thread, End::Tail);
        self.suspend(thread, State::Waiting);
        let services = &mut self.services;
        let first = &mut services.objects.at_mut(object).waiter;
        *first = services.waits.insert(*first, thread, urgency);
        let tie = services.ties.at_mut(thread);
        (tie.waits_for, tie.until) = (object, until);
        if parked || until != Instant::NEVER {
            self.set_alarm_of(thread, parked);
        }
        urgency
    }

    /// A thread waits for a mutex that another has, without an instant.
    pub(crate) fn await_for_ever(&mut self, thread: u16, mutex: u16) {
        let urgency = self.await_object(thread, mutex, Instant::NEVER);
        self.raise_owner(mutex, urgency);
    }

    /// A waiter is to be looked at when its time is over, or its key to be renewed.
    fn set_alarm_of(&mut self, thread: u16, parked: bool) {
        let renewal = match parked {
            true => self.now() + RENEWAL,
            false => Instant::NEVER,
        };
        let tie = self.services.ties.at_mut(thread);
        let alarm = tie.until.min(renewal);
        tie.timed = alarm != Instant::NEVER;
        if tie.timed {
            self.agenda.insert(thread, alarm);
        }
    }

    /// A thread does not wait any more; what it waited for.
    pub(crate) fn leave(&mut self, thread: u16) -> Option<u16> {
        let services = &mut self.services;
        let tie = services.ties.at_mut(thread);
        let object = core::mem::replace(&mut tie.waits_for, NONE);
        if object == NONE {
            return None;
        }
        if core::mem::replace(&mut tie.timed, false) {
            self.agenda.remove(thread);
        }
        let first = &mut services.objects.at_mut(object).waiter;
        *first = services.waits.remove(*first, thread);
        Some(object)
    }

    /// A thread that waited goes on with an answer.
    pub(crate) fn release_waiter(&mut self, thread: u16, reply: Result<Reply, Error>) {
        if self.services.ties.at(thread).hinted {
            return self.end_hinted(thread, reply);
        }
        self.reply(thread, reply);
        self.unblock(thread);
    }

    /// The alarm of a thread that waits: the instant has come up to which it does,
    /// or its deadline has come near enough for a key of its own.
    pub(crate) fn time_out(&mut self, thread: u16) {
        let now = self.now();
        let tie = self.services.ties.at_mut(thread);
        tie.timed = false;
        if tie.until > now {
            let (urgency, parked) = self.arriving_urgency(thread, End::Tail);
            self.move_waiter(thread, urgency);
            self.set_alarm_of(thread, parked);
            return self.lend(thread, urgency);
        }
        if self.threads.at(thread).state == State::Joining {
            self.stop_joining(thread);
            return self.release_waiter(thread, Err(Error::ETIMEDOUT));
        }
        let Some(object) = self.leave(thread) else {
            return;
        };
        if self.is_a(object, ObjectKind::Condition) {
            return self.take_again(thread, Some(Error::ETIMEDOUT));
        }
        self.release_waiter(thread, Err(Error::ETIMEDOUT));
        self.renew_owner(object);
    }
}
