//! The short ways of the calls of the services, where nothing else waits to be
//! handled.
//!
//! What comes back at once and concerns nobody else (a free mutex is taken, a
//! message is left where nobody waits for it, a region is attached) is done without
//! a look at the clock.
//! What leads elsewhere is carried out as on the long way, and whoever is the most
//! urgent then goes on ([`Kernel::go_elsewhere`]).
//!
//! ```text
//!  serve_now --> lock_now --> taken: AtOnce
//!            --> send_now |-> Core::lock, Core::post: Changed --> go_elsewhere
//!            --> ...      |
//!            --> serve_changed: every other call, and what is refused
//! ```
//! Each short way is a function of its own, which the dispatch goes on in, so that
//! it saves no register that it does not need.

use crate::core_state::Core;
use crate::event::{Next, Served};
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use crate::services::Reply;
use crate::services::object::Object;
use crate::services::pool::{Cover, Letter};
use crate::services::receive::{Wish, in_registers};
use crate::services::thread::Place;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::id::NONE;
use giornata_abi::message::INLINE;
use giornata_abi::system::{
    OBJECT_CEILING, OBJECT_PRIVATE, ObjectEntry, ObjectKind, RIGHT_MANAGE, RIGHT_RECEIVE,
    RIGHT_USE, ThreadEntry, ThreadKind,
};
use giornata_abi::{Error, Id, Instant};

/// Objects of which a call may concern others, whoever waits.
const SPECIAL: u8 = OBJECT_CEILING | OBJECT_PRIVATE;

impl<H: Hardware> Kernel<'_, H> {
    /// A call of the services, of the thread that runs; the caller has seen that no
    /// instant has fallen due. O(1) where it comes back at once.
    #[inline(always)]
    pub fn serve_now(&mut self, request: &Request) -> Served {
        let core = &mut self.core;
        let (true, Some(thread)) = (core.calm && !self.handover.is_rung(), core.hart.current)
        else {
            return Served::No;
        };
        let caller = core.thread_entry(thread);
        if caller.kind != ThreadKind::Thread as u8 {
            return Served::No;
        }
        match Call::from_number(request.number) {
            Some(Call::Lock) => core.lock_now(thread, caller, request),
            Some(Call::Unlock) => core.unlock_now(thread, caller, request),
            Some(Call::Wait) => core.wait_now(thread, caller, request),
            Some(Call::Signal) => core.signal_now(thread, caller, request),
            Some(Call::Send) => core.send_now(thread, caller, request),
            Some(Call::Receive) => core.receive_now(thread, caller, request),
            Some(Call::CreateObject) => core.create_now(thread, caller, request),
            Some(Call::DeleteObject) => core.delete_now(thread, caller, request),
            Some(Call::JoinThread) => core.join_now(thread, caller, request),
            Some(Call::DetachThread) => core.detach_now(thread, caller, request),
            Some(_) => core.serve_changed(thread, request),
            None => Served::No,
        }
    }

    /// Whoever is the most urgent after a call that changed something goes on.
    #[inline(always)]
    pub fn go_elsewhere(&mut self) -> Next {
        let core = &mut self.core;
        let (thread, at) = (core.hart.shown, core.hart.entered);
        let is_served = core.is_served();
        if is_served && core.stays(thread) {
            return Next::Run(thread);
        }
        let was_limited = core.charge(thread, at);
        core.hart.resumed = at;
        let next = core.ready.first();
        if next == NONE || !is_served || core.is_held() {
            core.calm = false;
            return self.advance();
        }
        let is_new = core.agenda.next().unwrap_or(Instant::NEVER) != core.hart.next.0;
        core.succeed(was_limited | is_new, next, at);
        Next::Run(next)
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Whether a call of the services, made while nothing waited, left nothing to
    /// be worked on.
    fn is_served(&self) -> bool {
        !(self.call.is_some() | self.transfer.is_some() | (self.dying != 0))
    }

    /// Latches the clock for a call that changes something; answers whether no
    /// instant has fallen due by then.
    #[inline(always)]
    fn enter_now(&mut self) -> bool {
        let at = self.hardware.now();
        let is_early = at < self.hart.alarm;
        if is_early {
            self.enter_at(at);
        }
        is_early
    }

    /// Any call, as on the long way.
    #[inline(never)]
    fn serve_changed(&mut self, thread: u16, request: &Request) -> Served {
        let Some(call) = Call::from_number(request.number) else {
            return Served::No;
        };
        // nobody else goes on, or stops, for it
        let is_own_affair = matches!(
            call,
            Call::OpenObject | Call::Allocate | Call::AttachRegion | Call::DetachRegion
        );
        if !is_own_affair && !self.enter_now() {
            return Served::No;
        }
        self.serve(thread, call, &request.arguments);
        match is_own_affair {
            true => Served::AtOnce,
            false => Served::Changed,
        }
    }

    /// Answers a call that changed something.
    #[inline(always)]
    fn reply_changed(&mut self, thread: u16, reply: Result<Reply, Error>) -> Served {
        self.reply(thread, reply);
        Served::Changed
    }

    /// A slot to which the caller's process has one of these rights.
    #[inline(always)]
    fn granted_slot(
        &self,
        caller: &ThreadEntry,
        index: usize,
        rights: u16,
    ) -> Option<(&ObjectEntry, &Object)> {
        let system = &self.system;
        let entry = system.objects.get(index)?;
        let place = (entry.rights as usize).wrapping_add(caller.process as usize);
        let granted = system.links.get(place)?;
        let object = self.services.objects.get(index as u16)?;
        (granted & rights != 0).then_some((entry, object))
    }

    /// An object that lives, in such a slot.
    #[inline(always)]
    fn living(
        &self,
        caller: &ThreadEntry,
        id: usize,
        rights: u16,
    ) -> Option<(u16, &ObjectEntry, &Object)> {
        let id = Id(id as u32);
        let (entry, object) = self.granted_slot(caller, id.index() as usize, rights)?;
        let lives = object.exists && object.generation == id.generation();
        lives.then_some((id.index(), entry, object))
    }

    #[inline(never)]
    fn lock_changed(&mut self, thread: u16, index: u16, request: &Request) -> Served {
        if !self.enter_now() {
            return Served::No;
        }
        let [_, low, high, ..] = request.arguments;
        let reply = self.lock(thread, index, Instant(crate::call::wide(low, high)));
        self.reply_changed(thread, reply)
    }

    #[inline(never)]
    fn unlock_changed(&mut self, thread: u16, index: u16) -> Served {
        if !self.enter_now() {
            return Served::No;
        }
        let reply = self.unlock(thread, index);
        self.reply_changed(thread, reply)
    }

    #[inline(never)]
    fn signal_changed(&mut self, thread: u16, index: u16) -> Served {
        if !self.enter_now() {
            return Served::No;
        }
        let reply = self.signal(index);
        self.reply_changed(thread, reply)
    }

    /// A mutex that is free or not, a semaphore that has some left or none.
    #[inline(never)]
    fn lock_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, _, _, word, ..] = request.arguments;
        let Some((index, entry, object)) = self.living(caller, id, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        if entry.flags & SPECIAL != 0 || word != 0 {
            return self.serve_changed(thread, request);
        }
        let (kind, is_free) = (entry.kind, object.owner == NONE && !object.abandoned);
        let services = &mut self.services;
        let object = services.objects.at_mut(index);
        if kind == ObjectKind::Mutex as u8 && is_free {
            let first = &mut services.ties.at_mut(thread).held;
            (object.owner, object.next_held) = (thread, *first);
            *first = index;
        } else if kind == ObjectKind::Semaphore as u8 && object.count != 0 {
            object.count -= 1;
        } else {
            return self.lock_changed(thread, index, request);
        }
        self.hardware.finish(thread);
        Served::AtOnce
    }

    /// A mutex or semaphore that is waited for or not.
    #[inline(never)]
    fn unlock_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, word, ..] = request.arguments;
        let Some((index, entry, object)) = self.living(caller, id, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        if entry.flags & SPECIAL != 0 || word != 0 {
            return self.serve_changed(thread, request);
        }
        let (kind, most, is_waited_for) = (entry.kind, entry.most, object.waiter != NONE);
        let services = &mut self.services;
        let object = services.objects.at_mut(index);
        let first = &mut services.ties.at_mut(thread).held;
        // what its owner took last comes first
        if !is_waited_for && kind == ObjectKind::Mutex as u8 && *first == index {
            *first = object.next_held;
            (object.owner, object.next_held) = (NONE, NONE);
        } else if !is_waited_for && kind == ObjectKind::Semaphore as u8 && object.count < most {
            object.count += 1;
        } else {
            return self.unlock_changed(thread, index);
        }
        self.hardware.finish(thread);
        Served::AtOnce
    }

    /// A condition and a mutex that is not private.
    #[inline(never)]
    fn wait_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [condition, mutex, low, high, word, _] = request.arguments;
        let Some((condition, _, _)) = self.living(caller, condition, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        let Some((mutex, entry, _)) = self.living(caller, mutex, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        if entry.flags & OBJECT_PRIVATE != 0 || word != 0 {
            return self.serve_changed(thread, request);
        }
        if !self.enter_now() {
            return Served::No;
        }
        let until = Instant(crate::call::wide(low, high));
        let reply = self.wait(thread, condition, mutex, until);
        self.reply_changed(thread, reply)
    }

    /// A condition that is waited for or not.
    #[inline(never)]
    fn signal_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, ..] = request.arguments;
        let Some((index, entry, object)) = self.living(caller, id, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        if entry.kind != ObjectKind::Condition as u8 {
            return self.serve_changed(thread, request);
        }
        if object.waiter == NONE {
            self.hardware.finish(thread);
            return Served::AtOnce;
        }
        self.signal_changed(thread, index)
    }

    /// A message for a mailbox of no server, in which there is none: for the thread
    /// that waits for it, or to be left there.
    #[inline(never)]
    fn send_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, priority, words @ ..] = request.arguments;
        let Some((mailbox, entry, object)) = self.living(caller, id, RIGHT_USE) else {
            return self.serve_changed(thread, request);
        };
        let waiter = object.waiter;
        let concerned = object.owner & object.server & object.letter;
        if entry.kind != ObjectKind::Mailbox as u8 || concerned != NONE {
            return self.serve_changed(thread, request);
        }
        if waiter != NONE {
            return self.hand_now(thread, waiter, request);
        }
        let (Some(urgency), sender) = (self.ready.urgency_of(thread), self.id_of(thread).0) else {
            return self.serve_changed(thread, request);
        };
        let Ok(first) = self.take_message(caller.process) else {
            return self.serve_changed(thread, request);
        };
        let services = &mut self.services;
        let message = services.letters.at_mut(first);
        message.next = NONE;
        message.letter = Letter {
            cover: Cover {
                urgency,
                destination: id as u32,
                incoming: false,
                sender,
            },
            priority: priority as u32,
            node: 0,
            length: INLINE as u16,
            words: words.map(|word| word as u32),
        };
        let object = services.objects.at_mut(mailbox);
        (object.letter, object.lends) = (first, Some(urgency));
        services.ties.at_mut(thread).asked = mailbox;
        self.hardware.finish(thread);
        Served::AtOnce
    }

    /// A message goes from registers to registers.
    #[inline(never)]
    fn hand_now(&mut self, thread: u16, waiter: u16, request: &Request) -> Served {
        if self.services.ties.at(waiter).wish != Wish::Words {
            return self.serve_changed(thread, request);
        }
        if !self.enter_now() {
            return Served::No;
        }
        let [id, priority, a, b, c, d] = request.arguments;
        self.leave(waiter);
        let mailbox = Id(id as u32).index();
        self.services.objects.at_mut(mailbox).reader = waiter;
        self.services.ties.at_mut(thread).asked = mailbox;
        self.answer(waiter, Answer::five([a, b, c, d, priority]));
        self.unblock(waiter);
        self.hardware.finish(thread);
        Served::Changed
    }

    /// A mailbox of no server, with one message or none.
    #[inline(never)]
    fn receive_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, ..] = request.arguments;
        let Some((mailbox, entry, object)) = self.living(caller, id, RIGHT_RECEIVE) else {
            return self.serve_changed(thread, request);
        };
        let (first, kind, server) = (object.letter, entry.kind, object.owner);
        let Some(message) = self.services.letters.get(first) else {
            return self.receive_changed(thread, mailbox, request);
        };
        let is_alone = message.next == NONE && message.letter.length as usize <= INLINE;
        let has_hand_empty = self.services.ties.at(thread).in_hand.is_none();
        let is_mailbox = kind == ObjectKind::Mailbox as u8 && server == NONE;
        if !(is_alone & has_hand_empty & is_mailbox) {
            return self.receive_changed(thread, mailbox, request);
        }
        let answer = in_registers(&message.letter);
        self.hardware.answer(thread, answer);
        let services = &mut self.services;
        services.ties.at_mut(thread).wish = Wish::Words;
        let object = services.objects.at_mut(mailbox);
        (object.reader, object.letter, object.lends) = (thread, NONE, None);
        self.free_message(first);
        Served::AtOnce
    }

    #[inline(never)]
    fn receive_changed(&mut self, thread: u16, mailbox: u16, request: &Request) -> Served {
        if !self.enter_now() {
            return Served::No;
        }
        let [_, low, high, ..] = request.arguments;
        let until = Instant(crate::call::wide(low, high));
        let reply = self.receive(thread, mailbox, until, Wish::Words);
        self.reply_changed(thread, reply)
    }

    /// An object that is attached to none that the caller names.
    #[inline(never)]
    fn create_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [index, how, ..] = request.arguments;
        let Some((entry, object)) = self.granted_slot(caller, index, RIGHT_MANAGE) else {
            return self.serve_changed(thread, request);
        };
        if object.exists || how & 1 != 0 {
            return self.serve_changed(thread, request);
        }
        let (initial, server) = (entry.initial, entry.server);
        let object = self.services.objects.at_mut(index as u16);
        object.begin(initial, server);
        let id = object.id(index as u16);
        self.answer(thread, Answer::word(id));
        Served::AtOnce
    }

    /// An object that nobody has or waits for, and that holds nothing.
    #[inline(never)]
    fn delete_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, ..] = request.arguments;
        let Some((index, _, object)) = self.living(caller, id, RIGHT_MANAGE) else {
            return self.serve_changed(thread, request);
        };
        if object.waiter & object.owner & object.letter != NONE {
            return self.serve_changed(thread, request);
        }
        self.services.objects.at_mut(index).end();
        self.hardware.finish(thread);
        Served::AtOnce
    }

    /// A thread that has ended.
    #[inline(never)]
    fn join_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, ..] = request.arguments;
        let Some(ended) = self.created_so(thread, caller, id, Place::Ended) else {
            return self.serve_changed(thread, request);
        };
        let value = self.services.ties.at(ended).value;
        self.rename(ended);
        self.free_thread(ended);
        self.answer(thread, Answer::word(value));
        Served::AtOnce
    }

    /// A thread that has not ended.
    #[inline(never)]
    fn detach_now(&mut self, thread: u16, caller: &ThreadEntry, request: &Request) -> Served {
        let [id, ..] = request.arguments;
        let Some(joinable) = self.created_so(thread, caller, id, Place::Joinable) else {
            return self.serve_changed(thread, request);
        };
        self.services.ties.at_mut(joinable).place = Place::Detached;
        self.hardware.finish(thread);
        Served::AtOnce
    }

    /// A created thread of the caller's process, another than itself, that nobody
    /// waits for and that stands so.
    #[inline(always)]
    fn created_so(
        &self,
        thread: u16,
        caller: &ThreadEntry,
        id: usize,
        place: Place,
    ) -> Option<u16> {
        let id = Id(id as u32);
        let index = id.index();
        let (record, tie) = (self.threads.get(index)?, self.services.ties.at(index));
        let is_it = record.generation == id.generation()
            && self.thread_entry(index).process == caller.process
            && tie.place == place
            && tie.joiner == NONE
            && index != thread;
        is_it.then_some(index)
    }
}
