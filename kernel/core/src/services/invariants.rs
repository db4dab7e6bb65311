//! What must hold of objects between two events.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::thread::State;
use crate::transfer::Purpose;
use giornata_abi::id::NONE;
use giornata_abi::system::ObjectKind;
use giornata_queue::Urgency;

impl<H: Hardware> Core<'_, H> {
    /// The first that does not. O(everything).
    pub(crate) fn check_services(&self) -> Result<(), &'static str> {
        let mut waiting = 0;
        for index in 0..self.services.objects.len() {
            waiting += self.check_object(index)?;
        }
        if waiting != self.services.waits.count() {
            return Err("a thread is in the ring of no object");
        }
        for thread in 0..self.threads.len() {
            self.check_tie(thread)?;
        }
        self.check_letters()?;
        self.check_regions()
    }

    /// Answers how many wait for it.
    fn check_object(&self, index: u16) -> Result<usize, &'static str> {
        let object = self.services.objects.at(index);
        let length = self.services.waits.check_ring(object.waiter)?;
        for thread in self.services.waits.ring(object.waiter) {
            let waits = self.threads.at(thread).state == State::Waiting;
            if !waits || self.services.ties.at(thread).waits_for != index {
                return Err("a thread is in the ring of what it does not wait for");
            }
        }
        let is_dead = !object.exists;
        if is_dead && (object.owner != NONE || object.waiter != NONE) {
            return Err("an object that does not exist has an owner or waiters");
        }
        if object.owner == NONE && object.waiter != NONE && self.is_a(index, ObjectKind::Mutex) {
            return Err("a mutex that nobody has is waited for");
        }
        if object.count != 0 && object.waiter != NONE {
            return Err("a semaphore that is not 0 is waited for");
        }
        let purpose = self.transfer.map(|transfer| transfer.purpose);
        let is_taken = matches!(purpose, Some(Purpose::Receive(_, from)) if from == index);
        if object.letter != NONE && object.waiter != NONE && !is_taken {
            return Err("a mailbox that is not empty is waited for");
        }
        Ok(length)
    }

    fn check_tie(&self, thread: u16) -> Result<(), &'static str> {
        let (services, tie) = (&self.services, self.services.ties.at(thread));
        let state = self.threads.at(thread).state;
        let joins = services.ties.iter().filter(|t| t.joiner == thread).count();
        let watches = services
            .pools
            .iter()
            .filter(|p| p.watcher == thread)
            .count();
        if joins + watches != (state == State::Joining) as usize {
            return Err("a thread waits for an end that does not know it");
        }
        if (state == State::Waiting) != (tie.waits_for != NONE) {
            return Err("a thread waits for no object, or has one and does not wait");
        }
        let (mut at, mut length) = (tie.held, 0);
        while let Some(object) = services.objects.get(at) {
            if object.owner != thread {
                return Err("a thread has what another owns");
            }
            length += 1;
            if length > services.objects.len() {
                return Err("what a thread has does not end");
            }
            at = object.next_held;
        }
        let owned = services
            .objects
            .iter()
            .filter(|o| o.owner == thread)
            .count();
        if owned != length as usize {
            return Err("a thread owns what it does not have");
        }
        let waits = services.waits.urgency_of(thread);
        let Some(queued) = self.ready.urgency_of(thread).or(waits) else {
            return Ok(());
        };
        let loans = self.loans(thread);
        let least = loans.locks.or(loans.messages);
        if least.is_some_and(|least| least.is_more_urgent_than(queued)) {
            return Err("a thread is less urgent than what it is lent");
        }
        let is_lent = |lent: Option<Urgency>| lent == Some(queued);
        if tie.lent && !is_lent(loans.locks) && !is_lent(loans.messages) {
            return Err("a thread is queued with what it is not lent any more");
        }
        Ok(())
    }
}
