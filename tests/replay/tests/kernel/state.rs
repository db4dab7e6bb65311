//! Where everything stands.

use giornata_core::process::life;
use giornata_core::sched::thread::{role, state};
use giornata_core::sync::object::kind;
use giornata_core::{Object, Rank, Ref, Thread};
use giornata_replay_logs as logs;

use crate::machine::Machine;
use crate::places;

/// The state of the kernel in the words of the logs.
pub(crate) fn of(machine: &Machine<'_>) -> logs::State {
    let look = Look { machine };
    let system = machine.system;
    logs::State {
        threads: (0..system.threads.len())
            .map(|number| look.thread(number))
            .collect(),
        objects: (0..system.objects.len())
            .map(|slot| look.object(slot))
            .collect(),
        processes: (0..system.processes.len())
            .map(|number| match machine.rig.process(number).life.get() {
                life::ALIVE => logs::ProcessState::Alive,
                life::DEAD => logs::ProcessState::Dead,
                _ => logs::ProcessState::Changing,
            })
            .collect(),
        ports: (0..system.ports)
            .map(|port| machine.rig.word(places::port(port)))
            .collect(),
    }
}

/// Bits of a message's priority; above them lies what names no client.
const PRIORITY: u32 = 0xFFFF;

#[derive(Clone, Copy)]
struct Look<'m> {
    machine: &'m Machine<'m>,
}

fn is<T>(a: Ref<T>, b: Ref<T>) -> bool {
    std::ptr::eq(a, b)
}

/// The mutex that a thread wants and waits for in no list.
pub(crate) fn wanted(thread: Ref<Thread>) -> Option<Ref<Object>> {
    let is_parked = thread.state.get() & state::PARKED != 0;
    thread
        .wants()
        .filter(|_| thread.waits().is_none() || is_parked)
}

impl Machine<'_> {
    /// Who gets a mutex that is free: the most urgent that wants it, the first of these.
    pub(crate) fn first_that_wants(&self, mutex: Ref<Object>) -> Option<Ref<Thread>> {
        Look { machine: self }.first_that_wants(mutex)
    }
}

impl Look<'_> {
    fn threads(self) -> impl Iterator<Item = Ref<Thread>> {
        let count = self.machine.system.threads.len();
        (0..count).map(move |number| self.machine.rig.thread(number))
    }

    /// The slot of an object; none: it is none of the system's.
    fn slot(self, object: Ref<Object>) -> Option<usize> {
        let mut slots = 0..self.machine.system.objects.len();
        slots.find(|slot| is(self.machine.rig.object(*slot), object))
    }

    fn thread(self, number: usize) -> logs::ThreadState {
        use logs::ThreadState::*;
        let thread = self.machine.rig.thread(number);
        if !thread.process.is_alive() {
            return Inactive;
        }
        if thread.role & role::TASK != 0 {
            // (one that no program names has no jobs)
            let is_released = thread.place.task.is_some_and(|task| task.is_released());
            return match (is_released, thread.waits()) {
                (false, _) => Inactive,
                (true, None) => Ready,
                (true, Some(_)) => Held,
            };
        }
        if thread.role & role::UPCALL != 0 {
            return Inactive;
        }
        if !thread.lives() {
            return Inactive;
        }
        if let Some(mutex) = wanted(thread) {
            let gets_it = mutex.owner().is_none()
                && self
                    .first_that_wants(mutex)
                    .is_some_and(|first| is(first, thread));
            return match self.slot(mutex) {
                Some(slot) if mutex.lives() && !gets_it => Waits(slot, thread.timeout()),
                _ => Ready,
            };
        }
        let Some(waits) = thread.waits() else {
            return Ready;
        };
        if let Some(slot) = self.slot(waits) {
            return Waits(slot, thread.timeout());
        }
        if thread.state.get() & state::SLEEPS != 0 {
            return Sleeping(thread.timeout().expect("the end of a sleep"));
        }
        let mut lines = thread.process.lines.iter();
        let line = lines.find(|line| line.handler().is_some_and(|handler| is(handler, thread)));
        match line {
            Some(line) => AwaitsInterrupt(line.number as u16),
            None => AwaitsEnd(thread.timeout()),
        }
    }

    fn first_that_wants(self, mutex: Ref<Object>) -> Option<Ref<Thread>> {
        let wants = |thread: &Ref<Thread>| {
            thread.process.is_alive() && wanted(thread).is_some_and(|wanted| is(wanted, mutex))
        };
        let asked = |thread: Ref<Thread>| thread.context.t[3].get() as u32;
        let precedes = |one: Ref<Thread>, other: Ref<Thread>| {
            let (own, others) = (self.urgency(one), self.urgency(other));
            let is_earlier = (asked(one).wrapping_sub(asked(other)) as i32) < 0;
            own.is_above(others) || !others.is_above(own) && is_earlier
        };
        self.threads()
            .filter(wants)
            .reduce(|first, other| if precedes(other, first) { other } else { first })
    }

    /// The most urgent of a thread's own urgency and of those that wait for it.
    fn urgency(self, thread: Ref<Thread>) -> Ref<Rank> {
        let waits = |other: &Ref<Thread>| {
            let owner = wanted(other).and_then(Object::owner);
            owner.is_some_and(|owner| is(owner, thread))
        };
        let others = self
            .threads()
            .filter(waits)
            .map(|other| self.urgency(other));
        others.fold(thread.rank(), |most, other| {
            if other.is_above(most) { other } else { most }
        })
    }

    fn object(self, slot: usize) -> logs::ObjectState {
        let object = self.machine.rig.object(slot);
        if !object.lives() {
            return logs::ObjectState::Gone;
        }
        match object.made & kind::KIND {
            kind::MUTEX => {
                let owner = object.owner().or_else(|| self.first_that_wants(object));
                let number = owner.map(|owner| owner.number() as usize);
                logs::ObjectState::Mutex(number, owner.is_none() && object.is_abandoned())
            }
            kind::SEMAPHORE => logs::ObjectState::Semaphore(object.count()),
            kind::CONDITION => logs::ObjectState::Condition,
            _ => logs::ObjectState::Mailbox(
                object
                    .messages()
                    .map(|message| {
                        let (words, priority) = message.content();
                        let length = message.length();
                        logs::Message {
                            priority: priority & PRIORITY,
                            length,
                            content: match length {
                                0..=16 => u64::from(words[1]) << 32 | u64::from(words[0]),
                                _ => 0,
                            },
                        }
                    })
                    .collect(),
            ),
        }
    }
}
