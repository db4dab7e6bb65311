//! How a message is sent in general: past servers or through them, out of registers or
//! memory, to whoever waits or into a mailbox.

use giornata_abi::Error;
use giornata_abi::id::{EXTRA, SLOT_MASK};
use giornata_abi::message::{Envelope, send as how_bits};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};

use crate::mail::mailbox::NO_CLIENT;
use crate::mail::message::{INLINE, special};
use crate::mail::receiving::WORDS;
use crate::sched::ready::level;
use crate::sched::thread::kind;
use crate::{Machine, Message, Object, Outcome, Process, Ref, System, Thread, is_not, same};

/// The bit of [`Envelope`] of what was sent to a mailbox that is attached to a server.
const INCOMING: u32 = Envelope {
    node: 0,
    incoming: true,
}
.word() as u32;

/// The most that a priority can be.
const HIGHEST: usize = 255;

/// What the caller sends, or (`CALL`) the request of a client, which may be its own, that
/// it hands on. The arguments lie in the caller's registers.
///
/// Bytes as a call that continues in the kernel: a message that is not whole is `bound` to
/// the caller.
#[inline(never)]
pub(crate) fn post<M: Machine>(
    me: Ref<Thread>,
    sender: Option<Ref<Thread>>,
    special: u32,
    mut bound: Option<Ref<Message>>,
    system: Ref<System>,
) -> Outcome {
    let [_, _, address, length, how, via, ..] = &me.context.a;
    let (mut how, mut via, mut length) = (how.get(), via.get(), length.get());
    if special & special::BYTES == 0 {
        (how, via, length) = (0, 0, INLINE as usize);
    }
    let error = 'error: {
        let hands_on = is_not(sender, me) != 0;
        let (target, why) = system.target(me, how, via, hands_on);
        let Some(mailbox) = target else {
            break 'error why;
        };
        let Some(sender) = sender else {
            break 'error Error::EINVAL;
        };
        if bound.is_none() {
            let (_, wants_words) = system.receiver(mailbox);
            if mailbox.has_dead_receivers() {
                // (a few a piece)
                return system.dispatch_from(me);
            }
            // (who wants it in memory has it in its hand later)
            if special == special::CALL
                && !wants_words
                && let Some(owner) = mailbox.owner.get()
                && !system.may_wait(sender, owner)
            {
                break 'error Error::EDEADLK;
            }
            if length > INLINE.max(sender.process.message_size) as usize {
                break 'error Error::EMSGSIZE;
            }
            // who is waited for in `receive` needs no place: there is one of the idle process
            let whose = match wants_words & (special & special::BYTES == 0) {
                true => system.idle(),
                false => sender,
            };
            bound = system.compose(me, sender, whose.process, mailbox, how, via);
        }
        let Some(message) = bound else {
            break 'error Error::EAGAIN;
        };
        message.special.set(special);
        if special & special::BYTES == 0 {
            let [w0, w1, w2, w3] = sender.request().words;
            message.fill([w0.get(), w1.get(), w2.get(), w3.get()]);
        } else {
            message.length.set(length as u32);
            // (what lies behind it is an earlier message's)
            if message.done.get() == 0 {
                M::zero(message.room, INLINE as usize);
            }
            match message.copy::<M>(me, address.get(), false) {
                Copied::Fault => break 'error Error::EFAULT,
                Copied::All if length <= INLINE as usize => message.load_words::<M>(),
                Copied::All => {}
                Copied::Some => return message.bind(me, system),
            }
        }
        if special == special::CALL {
            // (of one that is forwarded: it leaves the hand)
            system.withdraw(sender);
            sender.request().token.set(message.number as usize);
            system.set_wants(sender, Some(mailbox));
        }
        if !system.deliver::<M>(message, mailbox, false) {
            return message.bind(me, system);
        }
        return system.end_call(me, 0);
    };
    if let Some(message) = bound {
        message.free();
    }
    system.end_call(me, error as usize)
}

impl System {
    /// The caller goes on with this answer when it has the turn.
    #[inline(never)]
    pub(crate) fn end_call(&self, me: Ref<Thread>, answer: usize) -> Outcome {
        me.end_call(answer);
        self.dispatch_from(me)
    }

    /// The mailbox into which goes what the caller sends: that of the server to which the
    /// one that it names is attached, if it is. What that server itself hands on goes past
    /// it, if it may send so.
    #[inline(never)]
    fn target(
        &self,
        me: Ref<Thread>,
        how: usize,
        via: usize,
        hands_on: bool,
    ) -> (Option<Ref<Object>>, Error) {
        let [to, serial, ..] = &me.context.a;
        let to = to.get();
        let (mut slot, mut mask, mut right) = (to, u32::MAX, RIGHT_USE);
        if how == how_bits::DIRECT {
            right = RIGHT_DIRECT;
        } else if how == how_bits::VIA {
            (slot, mask) = (via, 0);
        }
        let (mut found, mut why) = self.mailbox(me, slot, serial.get(), mask, right.into());
        if how > how_bits::VIA || to >> EXTRA > HIGHEST {
            return (None, Error::EINVAL);
        }
        if how == 0
            && let Some(server) = found.and_then(|mailbox| mailbox.mail?.server.get())
        {
            if hands_on && server.lives() && is_not(server.owner.get(), me) == 0 {
                return self.mailbox(me, slot, serial.get(), mask, RIGHT_DIRECT.into());
            }
            found = server.lives().then_some(server);
            why = Error::ESRCH;
        }
        (found, why)
    }

    /// A message that the caller sends or hands on, without what it says, in a place of
    /// this process: none if there is none. It is as urgent as the running thread is now,
    /// or as the thread that it is for.
    #[inline(never)]
    fn compose(
        &self,
        me: Ref<Thread>,
        sender: Ref<Thread>,
        pool: Ref<Process>,
        mailbox: Ref<Object>,
        how: usize,
        via: usize,
    ) -> Option<Ref<Message>> {
        let message = pool.take_place()?;
        let [to, serial, ..] = &me.context.a;
        let slot = to.get() & SLOT_MASK;
        let (mut from, mut rank) = (0, self.rank_of_turn());
        if how == how_bits::VIA {
            from = (via >> EXTRA) as u32;
        } else if let Some(named) = self.objects.get(slot)
            && !same(named, mailbox)
        {
            from = INCOMING;
            let reader = self.receiver(named).0.or(named.owner.get());
            if let Some(reader) = reader
                && reader.rank.get().level() < level::IDLE
            {
                rank = reader.rank.get();
            }
        }
        message.urgency.take_from(rank);
        message.sender.set(sender);
        message.serial.set(sender.serial.get());
        message.destination.set(slot as u32);
        message.tenant.set(serial.get() as u32);
        message.from.set(from);
        let priority = sender.request().priority.get() >> EXTRA | NO_CLIENT;
        message.priority().set(priority as u32);
        message.done.set(0);
        Some(message)
    }

    /// A message comes to whoever waits for it, or into the mailbox. Who waits for words
    /// and has no room for it is refused it. Returns false if one was, and an interrupt
    /// waits, or others are dead: then there is more to do.
    #[inline(never)]
    pub(crate) fn deliver<M: Machine>(
        &self,
        message: Ref<Message>,
        mailbox: Ref<Object>,
        in_front: bool,
    ) -> bool {
        loop {
            let (Some(waiter), wants_words) = self.receiver(mailbox) else {
                if mailbox.has_dead_receivers() {
                    return false;
                }
                mailbox.put(message, in_front);
                self.weigh_server(mailbox);
                self.message_came::<M>();
                return true;
            };
            self.leave(waiter);
            waiter.waits.set(Some(self.no_list));
            let is_refused = wants_words && message.length.get() > INLINE;
            if is_refused {
                waiter.end_call(Error::EMSGSIZE as usize);
            } else if wants_words {
                self.finish::<M>(message, waiter, WORDS);
            } else {
                self.read_by(waiter, mailbox, false);
                message.bind_to(waiter);
                self.has_in_hand(message, waiter);
            }
            self.awaken::<M>(waiter);
            if !is_refused {
                return true;
            }
            if crate::machine::waits::<M>() {
                return false;
            }
        }
    }
}

/// How far a message has been copied.
pub(crate) enum Copied {
    /// It is whole.
    All,
    /// An interrupt waits.
    Some,
    /// The thread may not reach the memory.
    Fault,
}

impl Message {
    /// Copies what is left of a message between its room and a thread's memory.
    #[inline(never)]
    pub(crate) fn copy<M: Machine>(
        &self,
        thread: Ref<Thread>,
        address: usize,
        write: bool,
    ) -> Copied {
        loop {
            let done = self.done.get() as usize;
            let left = (self.length.get() as usize).wrapping_sub(done);
            if left == 0 {
                return Copied::All;
            }
            let (at, room) = (address.wrapping_add(done), self.room.wrapping_add(done));
            let (bytes, place) = M::reach(thread.process, at, left.min(64), write);
            if bytes == 0 {
                return Copied::Fault;
            }
            let (from, to) = if write { (room, place) } else { (place, room) };
            M::copy(from, to, bytes);
            self.done.set(done.wrapping_add(bytes) as u32);
            if bytes < left && crate::machine::waits::<M>() {
                return Copied::Some;
            }
        }
    }

    /// The words of a short message that lies in its room.
    fn load_words<M: Machine>(&self) {
        let mut at = self.room;
        for place in self.words.iter().take(4) {
            place.set(M::load(at));
            at = at.wrapping_add(4);
        }
    }

    /// Binds it to the caller, whose call continues in the kernel.
    #[inline(never)]
    pub(crate) fn bind(&'static self, me: Ref<Thread>, system: Ref<System>) -> Outcome {
        self.bind_to(me);
        system.dispatch_from(me)
    }

    /// Binds it to a thread, whose call continues in the kernel. (Whatever the thread waited
    /// for it does not wait for any more, so the registers of that are nobody's.)
    #[inline(never)]
    pub(crate) fn bind_to(&'static self, thread: Ref<Thread>) {
        let [_, pool, .., number] = &thread.context.t;
        pool.set(self.pool.number as usize);
        number.set(self.number as usize);
        thread.kind.set(kind::CONTINUES);
        self.holder.set(Some(thread));
    }
}

impl System {
    /// The message that is bound to a thread is so no more. (The registers of a thread that has
    /// none may name any message, but none that is bound to it.)
    #[inline(never)]
    pub(crate) fn unbind(&self, thread: Ref<Thread>) -> Option<Ref<Message>> {
        let [_, pool, .., number] = &thread.context.t;
        let message = self.processes.get(pool.get())?.messages.get(number.get())?;
        if is_not(message.holder.get(), thread) != 0 {
            return None;
        }
        message.holder.set(None);
        Some(message)
    }
}
