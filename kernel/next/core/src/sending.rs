//! How a message is sent in general: past servers or through them, out of registers or
//! memory, to whoever waits or into a mailbox.

use giornata_abi::Error;
use giornata_abi::message::{Envelope, send as how_bits};
use giornata_abi::next::call::Call;
use giornata_abi::next::id::{EXTRA, SLOT_MASK};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};

use crate::message::{INLINE, special};
use crate::object::kind;
use crate::ready::level;
use crate::receiving::WORDS;
use crate::request::receiver;
use crate::wait::leave;
use crate::{Kernel, Machine, Message, Object, Outcome, Process, Ref, Thread, same};

/// The bit of [`Envelope`] of what was sent to a mailbox that is attached to a server.
const INCOMING: u32 = Envelope {
    node: 0,
    incoming: true,
}
.word() as u32;

/// The most that a priority can be.
const HIGHEST: usize = 255;

/// `send`, whatever there is to see to.
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of the call
pub(crate) extern "C" fn send<M: Machine>(
    to: usize,
    serial: usize,
    w0: usize,
    w1: usize,
    w2: usize,
    w3: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    me.set_call(Call::Send as usize, to, serial, w0, w1, w2, w3);
    me.request().priority.set(to);
    kernel.post::<M>(me, Some(me), 0)
}

/// `call`, whatever there is to see to.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn call<M: Machine>(
    to: usize,
    serial: usize,
    w0: usize,
    w1: usize,
    w2: usize,
    w3: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    me.set_call(Call::Call as usize, to, serial, w0, w1, w2, w3);
    me.request().priority.set(to);
    kernel.post::<M>(me, Some(me), special::CALL)
}

/// Hands a request that the caller has in its hand on to another mailbox.
#[allow(clippy::too_many_arguments)]
pub(crate) extern "C" fn forward<M: Machine>(
    to: usize,
    serial: usize,
    slot: usize,
    token: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let to = to & SLOT_MASK;
    me.set_call(Call::Forward as usize, to, serial, slot, token, 0, 0);
    let client = kernel.client_of(me, slot, token);
    kernel.post::<M>(me, client, special::CALL)
}

/// `send_bytes`: as a call that begins again; a message that is not whole is bound to the
/// caller.
#[inline(never)]
pub(crate) fn send_bytes<M: Machine>(me: Ref<Thread>, kernel: Ref<Kernel>) -> Outcome {
    let [_, _, address, length, how, via, ..] = &me.context.a;
    let (length, how, via) = (length.get(), how.get(), via.get());
    let mut bound = me.unbind(special::OUT);
    let error = 'error: {
        let mailbox = match kernel.target(me, how, via) {
            Ok(mailbox) => mailbox,
            Err(error) => break 'error error,
        };
        if bound.is_none() {
            if length > INLINE.max(me.process.message_size) as usize {
                break 'error Error::EMSGSIZE;
            }
            me.request().priority.set(me.called_for());
            bound = kernel.compose(me, me, me.process, mailbox, how, via);
        }
        let Some(message) = bound else {
            break 'error Error::EAGAIN;
        };
        message.special.set(special::BYTES | special::OUT);
        message.length.set(length as u32);
        match message.copy::<M>(me, address.get(), false) {
            Copied::Fault => break 'error Error::EFAULT,
            Copied::All => {
                message.load_words::<M>();
                if kernel.deliver::<M>(message, mailbox, false) {
                    return kernel.end_call(me, 0);
                }
            }
            Copied::Some => {}
        }
        message.bind(me);
        return kernel.go_from(me);
    };
    if let Some(message) = bound {
        message.free();
    }
    kernel.end_call(me, error as usize)
}

impl Thread {
    /// The first argument of its call, while that is carried out in general.
    pub(crate) fn called_for(&self) -> usize {
        let [to, ..] = &self.context.a;
        to.get()
    }
}

impl Kernel {
    /// The caller goes on with this answer when it has the turn.
    #[inline(never)]
    pub(crate) fn end_call(&self, me: Ref<Thread>, answer: usize) -> Outcome {
        me.end_call(answer);
        self.go_from(me)
    }

    /// The mailbox into which goes what the caller sends: that of the server to which the
    /// one that it names is attached, if it is.
    #[inline(never)]
    fn target(&self, me: Ref<Thread>, how: usize, via: usize) -> Result<Ref<Object>, Error> {
        let [to, serial, ..] = &me.context.a;
        let (to, mut serial) = (to.get(), serial.get());
        let (mut slot, mut right) = (to, RIGHT_USE);
        match how {
            0 => {}
            how_bits::DIRECT => right = RIGHT_DIRECT,
            how_bits::VIA => {
                slot = via;
                let server = self.objects.get(via & SLOT_MASK);
                serial = server.map_or(0, |server| server.serial.get() as usize);
            }
            _ => return Err(Error::EINVAL),
        }
        let mailbox = self.mailbox(me, slot, serial, right.into())?;
        if to >> EXTRA > HIGHEST {
            return Err(Error::EINVAL);
        }
        match mailbox.mail.and_then(|mail| mail.server.get()) {
            Some(server) if how == 0 => match server.kind.get() {
                kind::FREE => Err(Error::ESRCH),
                _ => Ok(server),
            },
            _ => Ok(mailbox),
        }
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
        let (mut from, mut rank) = (0, self.top.get());
        if how == how_bits::VIA {
            from = (via >> EXTRA) as u32;
        } else if let Some(named) = self.objects.get(slot)
            && !same(named, mailbox)
        {
            from = INCOMING;
            let reader = named.waiters.get().or(named.owner.get());
            if let Some(reader) = reader
                && reader.rank.get().level() < level::IDLE
            {
                rank = reader.rank.get();
            }
        }
        message.level.set(rank.level.get());
        message.deadline.set(rank.deadline.get());
        message.sender.set(Some(sender));
        message.serial.set(sender.serial.get());
        message.destination.set(slot as u32);
        message.tenant.set(serial.get() as u32);
        message.from.set(from);
        let priority = sender.request().priority.get() >> EXTRA;
        message.priority.set(priority as u32);
        message.done.set(0);
        Some(message)
    }

    /// The caller sends what lies in its registers, or (`CALL`) hands on the request of a
    /// client, which may be its own.
    #[inline(never)]
    fn post<M: Machine>(
        &self,
        me: Ref<Thread>,
        sender: Option<Ref<Thread>>,
        special: u32,
    ) -> Outcome {
        let error = 'error: {
            let mailbox = match self.target(me, 0, 0) {
                Ok(mailbox) => mailbox,
                Err(error) => break 'error error as usize,
            };
            let Some(sender) = sender else {
                break 'error Error::EINVAL as usize;
            };
            // (who wants it in memory may have no room for it)
            let (_, wants_words) = receiver(mailbox);
            if special != 0
                && !wants_words
                && let Some(owner) = mailbox.owner.get()
                && !self.may_wait(sender, owner)
            {
                break 'error Error::EDEADLK as usize;
            }
            // who is waited for in `receive` needs no place: there is one of the idle process
            let pool = match wants_words {
                true => self.idle.process,
                false => sender.process,
            };
            let Some(message) = self.compose(me, sender, pool, mailbox, 0, 0) else {
                break 'error Error::EAGAIN as usize;
            };
            message.fill(sender.request().words.map(|word| word.get()));
            message.special.set(special);
            if special != 0 {
                // (of one that is forwarded: it leaves the hand)
                self.withdraw::<M>(sender);
                sender.request().token.set(message.number as usize);
                sender.wants.set(Some(mailbox));
            }
            self.deliver::<M>(message, mailbox, false);
            0
        };
        self.end_call(me, error)
    }

    /// A message comes to whoever waits for it, or into the mailbox. Who waits for words
    /// and has no room for it is refused it. Returns false if one was, and an interrupt
    /// waits: then there is more to do.
    #[inline(never)]
    pub(crate) fn deliver<M: Machine>(
        &self,
        message: Ref<Message>,
        mailbox: Ref<Object>,
        in_front: bool,
    ) -> bool {
        loop {
            let (Some(waiter), wants_words) = receiver(mailbox) else {
                mailbox.put(message, in_front);
                self.weigh_server(mailbox);
                return true;
            };
            leave(waiter);
            waiter.waits.set(Some(self.nowhere));
            let is_refused = wants_words && message.length.get() > INLINE;
            if is_refused {
                waiter.end_call(Error::EMSGSIZE as usize);
            } else if wants_words {
                self.finish::<M>(message, waiter, WORDS);
            } else {
                self.read_by(waiter, mailbox, false);
                message.bind(waiter);
                self.has_in_hand(message, waiter);
            }
            self.awaken::<M>(waiter);
            if !is_refused {
                return true;
            }
            if M::pending() {
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
            if bytes < left && M::pending() {
                return Copied::Some;
            }
        }
    }

    /// The words of a short message that lies in its room.
    fn load_words<M: Machine>(&self) {
        let mut left = self.length.get();
        if left > INLINE {
            return;
        }
        let mut at = self.room;
        for place in &self.words {
            // (what lies behind it is an earlier message's)
            let mask = match left {
                0..4 => 1u32.wrapping_shl(left << 3).wrapping_sub(1),
                _ => u32::MAX,
            };
            place.set(M::load(at) & mask);
            left = left.saturating_sub(4);
            at = at.wrapping_add(4);
        }
    }

    /// Binds it to a thread.
    pub(crate) fn bind(&'static self, thread: Ref<Thread>) {
        let bound = &thread.process.bound;
        self.holder.set(Some(thread));
        self.below.set(bound.get());
        bound.set(Some(self));
    }
}

impl Thread {
    /// The message that is bound to it, to be sent (`OUT`) or received (0), is so no more.
    /// O(messages that threads of its process copy at this time).
    #[inline(never)]
    pub(crate) fn unbind(&'static self, way: u32) -> Option<Ref<Message>> {
        let mut link = &self.process.bound;
        loop {
            let message = link.get()?;
            let is_its = message
                .holder
                .get()
                .is_some_and(|holder| same(holder, self));
            if is_its && message.special.get() & special::OUT == way {
                message.holder.set(None);
                link.set(message.below.get());
                return Some(message);
            }
            link = &message.below;
        }
    }
}
