//! What holds at a step that kernels may see to in another order.

use giornata_core::sched::thread::role;
use giornata_core::sync::object::kind;
use giornata_core::{Object, Ref, Thread};
use giornata_replay_logs as logs;
use giornata_replay_logs::{Call, Until};

use crate::machine::Machine;
use crate::state::wanted;

/// Bits of circumstances.
pub(crate) type Bits = u16;

/// A mutex is free, and a thread that waits for it has not had its turn; or a wait for a
/// condition that is over at once asks anew for a mutex that others want.
pub(crate) const FREE_AND_WANTED: Bits = 1;
/// The same of a mutex with a ceiling, or the owner of one waits.
pub(crate) const CEILING: Bits = 2;
/// A thread waits for a condition and owns another mutex.
pub(crate) const NESTED_WAIT: Bits = 4;
/// A process is being torn down or restored.
pub(crate) const CHANGING: Bits = 8;
/// The caller's process has a message that its receiver has yet to copy.
pub(crate) const BOUND: Bits = 16;
/// Something was due before an event.
pub(crate) const LATE: Bits = 32;
/// A line with an interval rose before that had passed since the boot.
pub(crate) const FIRST_INTERVAL: Bits = 64;
/// Code waits because a thread runs that is as urgent as it.
pub(crate) const CODE_WAITS: Bits = 128;
/// The timer was late, and whoever ran had used its budget or quantum by then.
pub(crate) const LATE_LIMIT: Bits = 1024;
/// The timer was late, and a thread was interrupted that was about to enter the kernel:
/// it does when it has its turn again.
pub(crate) const PUT_BACK: Bits = 2048;
/// Threads of equal urgency can run, or wait for one thing; or a quantum is used.
pub(crate) const EQUALS: Bits = 256;
/// A protocol server lives.
pub(crate) const SERVER: Bits = 512;

fn is<T>(a: Ref<T>, b: Ref<T>) -> bool {
    std::ptr::eq(a, b)
}

impl Machine<'_> {
    fn threads(&self) -> impl Iterator<Item = Ref<Thread>> {
        (0..self.system.threads.len()).map(|number| self.rig.thread(number))
    }

    fn wanters(&self, mutex: Ref<Object>) -> usize {
        let wants = |thread: &Ref<Thread>| wanted(thread).is_some_and(|own| is(own, mutex));
        self.threads().filter(wants).count()
    }

    fn objects(&self) -> impl Iterator<Item = Ref<Object>> {
        (0..self.system.objects.len()).map(|slot| self.rig.object(slot))
    }

    /// What holds now.
    pub(crate) fn circumstances(&self) -> Bits {
        let bit = |holds: bool, bit: Bits| if holds { bit } else { 0 };
        let mut bits = 0;
        for mutex in self
            .objects()
            .filter(|object| object.made & kind::KIND == kind::MUTEX)
        {
            let is_passed_on = mutex.owner().is_none() && self.wanters(mutex) > 0;
            let owner_waits = mutex
                .owner()
                .is_some_and(|owner| owner.waits().is_some() || wanted(owner).is_some());
            bits |= bit(is_passed_on, FREE_AND_WANTED);
            let has_ceiling = mutex.made & kind::CEILING != 0;
            bits |= bit(has_ceiling && (is_passed_on || owner_waits), CEILING);
        }
        bits |= bit(!self.heirs.is_empty(), FREE_AND_WANTED);
        for thread in self.threads() {
            let waits_for = thread.waits().map(|object| object.made & kind::KIND);
            let is_nested = waits_for == Some(kind::CONDITION) && thread.held().is_some();
            bits |= bit(is_nested, NESTED_WAIT);
        }
        let mut processes = 0..self.system.processes.len();
        let is_changing = |number| {
            use giornata_core::process::life;
            let life = self.rig.process(number).life.get();
            life != life::ALIVE && life != life::DEAD
        };
        bits |= bit(processes.any(is_changing), CHANGING);
        bits |= bit(self.rig.kernel().has_late_code(), CODE_WAITS);
        bits |= bit(self.has_equals(), EQUALS);
        let is_server = |object: &Ref<Object>| object.mail.is_some_and(|mail| mail.is_served());
        bits |= bit(self.objects().any(|object| is_server(&object)), SERVER);
        bits
    }

    /// Whether something is due before an event, and whether a limit is.
    pub(crate) fn lateness(&self) -> Bits {
        let now = self.rig.now();
        if self.rig.alarm().is_none_or(|alarm| alarm > now) {
            return 0;
        }
        let runs = self.rig.thread(self.rig.running());
        let used = self.rig.kernel().hart().uncharged(now as u32);
        let left = runs.limit.get().wrapping_sub(runs.spent.get());
        match runs.limited.get() != 0 && left <= used {
            true => LATE | LATE_LIMIT,
            false => LATE,
        }
    }

    /// Threads to which a mutex will go that is free.
    pub(crate) fn note_heirs(&mut self) {
        let mutexes = self
            .objects()
            .filter(|object| object.made & kind::KIND == kind::MUTEX);
        let free = mutexes.filter(|mutex| mutex.owner().is_none());
        let heirs = free.filter_map(|mutex| self.first_that_wants(mutex));
        let heirs: Vec<usize> = heirs.map(|thread| thread.number() as usize).collect();
        self.heirs.extend(heirs);
    }

    /// Whether threads of equal urgency are ready or wait.
    fn has_equals(&self) -> bool {
        let threads: Vec<Ref<Thread>> = self
            .threads()
            .filter(|thread| thread.lives() && thread.role & (role::TASK | role::UPCALL) == 0)
            .collect();
        let equal = |one: &Ref<Thread>, other: &Ref<Thread>| {
            is(one.rank(), other.rank()) || one.role & role::ROUND_ROBIN != 0
        };
        threads
            .iter()
            .enumerate()
            .any(|(index, one)| threads[index + 1..].iter().any(|other| equal(one, other)))
    }

    /// What holds because of the call that is about to be made.
    pub(crate) fn circumstances_of(&self, request: &logs::Request<'_>) -> Bits {
        let mut bits = 0;
        if let (Call::Wait(_, mutex, _), Until::Now) = (request.call, request.until) {
            let object = self.rig.object(mutex.slot);
            if self.wanters(object) > 0 {
                bits |= FREE_AND_WANTED;
            }
            if object.made & kind::CEILING != 0 {
                bits |= CEILING;
            }
        }
        if let Call::Send(..) | Call::SendBytes(..) = request.call {
            let process = self.rig.thread(self.rig.running()).process;
            let in_mailboxes = self.objects().flat_map(|object| object.messages());
            let queued = in_mailboxes
                .filter(|message| is(message.pool, process))
                .count();
            if process.free_messages() + queued < process.messages.len() {
                bits |= BOUND;
            }
        }
        bits
    }
}
