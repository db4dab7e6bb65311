//! How a message is sent in general: past servers or through them, out of registers or
//! memory, to whoever waits or into a mailbox.

use giornata_abi::Error;
use giornata_abi::message::{Envelope, send as how_bits};
use giornata_abi::next::call::Call;
use giornata_abi::next::id::{EXTRA, SLOT_MASK};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};

use crate::message::{INLINE, special};
use crate::object::{is_mailbox, kind};
use crate::ready::level;
use crate::receiving::{FULL, WORDS};
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
    me.request().say([w0, w1, w2, w3]);
    kernel.post::<M>(me, me, to, serial, 0)
}

/// Hands a request that the caller has in its hand on to another mailbox.
pub(crate) fn forward<M: Machine>(
    to: usize,
    serial: usize,
    slot: usize,
    token: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    match kernel.client_of(me, slot, token) {
        Some(client) => {
            let to = to & SLOT_MASK | client.request().priority.get() & !SLOT_MASK;
            kernel.post::<M>(me, client, to, serial, special::CALL)
        }
        // (of an id that names nothing the error is another)
        None => match kernel.target(me, to & SLOT_MASK, serial, 0, 0) {
            Ok(_) => Outcome::error(Error::EINVAL),
            Err(error) => Outcome::error(error),
        },
    }
}

/// `send_bytes`: as a call that begins again; a message that is not whole is bound to the
/// caller.
pub(crate) fn send_bytes<M: Machine>(
    arguments: [usize; 6],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let [to, serial, address, length, how, via] = arguments;
    let mut bound = me.unbind(special::OUT);
    let error = 'error: {
        let mailbox = match kernel.target(me, to, serial, how, via) {
            Ok(mailbox) => mailbox,
            Err(error) => break 'error error,
        };
        if bound.is_none() {
            if length > INLINE.max(me.process.message_size) as usize {
                break 'error Error::EMSGSIZE;
            }
            bound = kernel.compose(me.process, me, mailbox, to, serial, how, via);
        }
        let Some(message) = bound else {
            break 'error Error::EAGAIN;
        };
        message.special.set(special::BYTES | special::OUT);
        message.length.set(length as u32);
        match message.copy::<M>(me, address, false) {
            Copied::Fault => break 'error Error::EFAULT,
            Copied::All => {
                if length <= INLINE as usize {
                    message.load_words::<M>();
                }
                if kernel.deliver::<M>(message, mailbox, false) {
                    me.answer(0);
                    return kernel.go_from(me);
                }
            }
            Copied::Some => {}
        }
        message.bind(me);
        return kernel.again(me, Call::SendBytes, arguments);
    };
    if let Some(message) = bound {
        message.free();
    }
    Outcome::error(error)
}

impl Kernel {
    /// The mailbox into which a message goes that is sent to another so: that of the
    /// server to which this is attached, if it is.
    #[inline(never)]
    fn target(
        &self,
        me: Ref<Thread>,
        to: usize,
        serial: usize,
        how: usize,
        via: usize,
    ) -> Result<Ref<Object>, Error> {
        let mailbox = match how {
            0 => self.mailbox(me, to, serial, RIGHT_USE.into())?,
            how_bits::DIRECT => self.mailbox(me, to, serial, RIGHT_DIRECT.into())?,
            how_bits::VIA => is_mailbox(self.named(me, via, RIGHT_USE.into())?)?,
            _ => return Err(Error::EINVAL),
        };
        if to >> EXTRA > HIGHEST {
            return Err(Error::EINVAL);
        }
        match mailbox.mail.and_then(|mail| mail.server.get()) {
            Some(server) if how == 0 && server.kind.get() == kind::FREE => Err(Error::ESRCH),
            Some(server) if how == 0 => Ok(server),
            _ => Ok(mailbox),
        }
    }

    /// A message from a thread, without what it says, in a place of this process: none if
    /// there is none. It is as urgent as the running thread is now, or as the thread that
    /// it is for.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    fn compose(
        &self,
        pool: Ref<Process>,
        sender: Ref<Thread>,
        mailbox: Ref<Object>,
        to: usize,
        serial: usize,
        how: usize,
        via: usize,
    ) -> Option<Ref<Message>> {
        let message = pool.take_place()?;
        let slot = to & SLOT_MASK;
        let (mut from, mut rank) = ((via >> EXTRA) as u32, self.top.get());
        if how != how_bits::VIA {
            from = 0;
            if let Some(named) = self.objects.get(slot)
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
        }
        message.level.set(rank.level.get());
        message.deadline.set(rank.deadline.get());
        message.sender.set(Some(sender));
        message.serial.set(sender.serial.get());
        message.destination.set(slot as u32);
        message.tenant.set(serial as u32);
        message.from.set(from);
        message.priority.set((to >> EXTRA) as u32);
        message.done.set(0);
        Some(message)
    }

    /// Four words, which lie in the registers of their sender: of the caller, or of a
    /// client (`CALL`).
    #[inline(never)]
    pub(crate) fn post<M: Machine>(
        &self,
        me: Ref<Thread>,
        sender: Ref<Thread>,
        to: usize,
        serial: usize,
        special: u32,
    ) -> Outcome {
        let mailbox = match self.target(me, to, serial, 0, 0) {
            Ok(mailbox) => mailbox,
            Err(error) => return Outcome::error(error),
        };
        let (receiver, wants_words) = receiver(mailbox);
        if special != 0
            && receiver.is_none()
            && let Some(owner) = mailbox.owner.get()
            && !self.may_wait(sender, owner)
        {
            return Outcome::error(Error::EDEADLK);
        }
        // who is waited for in `receive` needs no place: there is one of the idle process
        let pool = match wants_words {
            true => self.idle.process,
            false => sender.process,
        };
        let Some(message) = self.compose(pool, sender, mailbox, to, serial, 0, 0) else {
            return Outcome::error(Error::EAGAIN);
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
        me.answer(0);
        self.go_from(me)
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
                waiter.refuse(Error::EMSGSIZE);
            } else if wants_words {
                self.finish::<M>(message, waiter, WORDS);
            } else {
                let [.., how, _, _] = &waiter.context.a;
                self.read_by(waiter, mailbox);
                message.bind(waiter);
                self.has_in_hand(message, waiter, how.get() >> EXTRA == FULL);
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
