//! How a message is sent in general: past servers or through them, out of registers or
//! memory, to whoever waits or into a mailbox.

use giornata_abi::Error;
use giornata_abi::message::{Envelope, INLINE, send as how_bits};
use giornata_abi::next::call::Call;
use giornata_abi::next::id::{EXTRA, SLOT_MASK};
use giornata_abi::system::{RIGHT_DIRECT, RIGHT_USE};

use crate::mailbox::NO_CLIENT;
use crate::message::special;
use crate::object::{is_mailbox, kind};
use crate::ready::level;
use crate::request::receiver;
use crate::wait::leave;
use crate::{Kernel, Machine, Message, Object, Outcome, Ref, Thread};

/// Where a message goes: the id to which it is sent, and the node; see [`Envelope`].
pub(crate) type Destination = (usize, usize, u32);

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
    let (mailbox, destination) = match kernel.route(me, to, serial, RIGHT_USE) {
        Ok(route) => route,
        Err(error) => return Outcome::error(error),
    };
    if let (Some(waiter), true) = receiver(mailbox) {
        leave(waiter);
        waiter.hand_over(w0, w1, w2, w3, to >> EXTRA | NO_CLIENT, 0);
        kernel.awaken::<M>(waiter);
    } else {
        let Some(message) = me.process.take_place() else {
            return Outcome::error(Error::EAGAIN);
        };
        kernel.stamp(message, me, destination);
        message.fill([w0, w1, w2, w3]);
        message.priority.set((to >> EXTRA) as u32);
        kernel.deliver::<M>(message, mailbox, false);
    }
    me.answer(0);
    kernel.go_from(me)
}

/// `call`, whatever there is to see to.
#[inline(never)]
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
    let request = me.request();
    request.priority.set(to);
    for (place, word) in request.words.into_iter().zip([w0, w1, w2, w3]) {
        place.set(word);
    }
    let asked = kernel
        .route(me, to, serial, RIGHT_USE)
        .and_then(|(mailbox, destination)| kernel.place_request::<M>(me, mailbox, destination));
    match asked {
        Ok(()) => kernel.go_from(me),
        Err(error) => Outcome::error(error),
    }
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
    let forwarded = kernel
        .route(me, to & SLOT_MASK, serial, RIGHT_USE)
        .and_then(|(mailbox, destination)| {
            let client = kernel.client_of(me, slot, token).ok_or(Error::EINVAL)?;
            kernel.place_request::<M>(client, mailbox, destination)
        });
    if let Err(error) = forwarded {
        return Outcome::error(error);
    }
    me.answer(0);
    kernel.go_from(me)
}

/// `send_bytes`: as a call that begins again; a message that is not whole is bound to the
/// caller.
pub(crate) fn send_bytes<M: Machine>(
    arguments: [usize; 6],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let [_, _, address, ..] = arguments;
    let bound = me.unbind(special::OUT);
    let (message, mailbox) = match kernel.to_send(me, arguments, bound) {
        Ok(to_send) => to_send,
        Err(error) => {
            if let Some(message) = bound {
                message.free();
            }
            return Outcome::error(error);
        }
    };
    match message.copy::<M>(me, address, false) {
        Copied::All => {}
        Copied::Some => return kernel.copy_on(me, message, Call::SendBytes, arguments),
        Copied::Fault => {
            message.free();
            return Outcome::error(Error::EFAULT);
        }
    }
    message.special.set(special::BYTES);
    if message.length.get() <= crate::message::INLINE {
        message.load_words::<M>();
    }
    if !kernel.deliver::<M>(message, mailbox, false) {
        message.special.set(special::BYTES | special::OUT);
        return kernel.copy_on(me, message, Call::SendBytes, arguments);
    }
    me.answer(0);
    kernel.go_from(me)
}

impl Kernel {
    /// Where a message goes that is sent to a mailbox: to the server that this is attached
    /// to, if it is.
    #[inline(never)]
    pub(crate) fn route(
        &self,
        me: Ref<Thread>,
        to: usize,
        serial: usize,
        right: u16,
    ) -> Result<(Ref<Object>, Destination), Error> {
        let slot = to & SLOT_MASK;
        let mailbox = self.mailbox(me, slot, serial, right.into())?;
        if to >> EXTRA > HIGHEST {
            return Err(Error::EINVAL);
        }
        let server = mailbox.mail.and_then(|mail| mail.server.get());
        match server {
            Some(server) if right == RIGHT_USE => match server.kind.get() {
                kind::FREE => Err(Error::ESRCH),
                _ => Ok((server, (slot, serial, INCOMING))),
            },
            _ => Ok((mailbox, (slot, serial, 0))),
        }
    }

    /// What `send_bytes` sends, and where it goes.
    fn to_send(
        &self,
        me: Ref<Thread>,
        arguments: [usize; 6],
        bound: Option<Ref<Message>>,
    ) -> Result<(Ref<Message>, Ref<Object>), Error> {
        let [to, serial, _, length, how, via] = arguments;
        let (mailbox, destination) = match how {
            0 => self.route(me, to, serial, RIGHT_USE)?,
            how_bits::DIRECT => self.route(me, to, serial, RIGHT_DIRECT)?,
            how_bits::VIA if to >> EXTRA <= HIGHEST => {
                let server = is_mailbox(self.named(me, via, RIGHT_USE.into())?)?;
                (server, (to & SLOT_MASK, serial, (via >> EXTRA) as u32))
            }
            _ => return Err(Error::EINVAL),
        };
        if let Some(message) = bound {
            return Ok((message, mailbox));
        }
        if length > INLINE.max(me.process.message_size as usize) {
            return Err(Error::EMSGSIZE);
        }
        let message = me.process.take_place().ok_or(Error::EAGAIN)?;
        self.stamp(message, me, destination);
        message.priority.set((to >> EXTRA) as u32);
        message.special.set(special::BYTES | special::OUT);
        message.length.set(length as u32);
        message.done.set(0);
        Ok((message, mailbox))
    }

    /// Who sent a message, where to, and how urgent it is: as the caller is now, or as the
    /// thread that it is for.
    #[inline(never)]
    pub(crate) fn stamp(
        &self,
        message: Ref<Message>,
        sender: Ref<Thread>,
        destination: Destination,
    ) {
        let (slot, serial, from) = destination;
        let (mut level, mut deadline) = self.top.get().urgency();
        if from == INCOMING
            && let Some(mailbox) = self.objects.get(slot)
            && let Some(reader) = mailbox.waiters.get().or(mailbox.owner.get())
        {
            let urgency = reader.rank.get().urgency();
            if urgency.0 < level::IDLE {
                (level, deadline) = urgency;
            }
        }
        message.level.set(level);
        message.deadline.set(deadline);
        message.sender.set(Some(sender));
        message.serial.set(sender.serial.get());
        message.destination.set(slot as u32);
        message.tenant.set(serial as u32);
        message.from.set(from);
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
            if wants_words && message.length.get() > crate::message::INLINE {
                waiter.refuse(Error::EMSGSIZE);
                self.awaken::<M>(waiter);
                if M::pending() {
                    return false;
                }
                continue;
            }
            match wants_words {
                true => self.hand_message::<M>(message, waiter),
                false => self.bind_received(message, mailbox, waiter),
            }
            self.awaken::<M>(waiter);
            return true;
        }
    }

    /// The copying of a message goes on when its thread makes its call again.
    pub(crate) fn copy_on(
        &self,
        me: Ref<Thread>,
        message: Ref<Message>,
        call: Call,
        arguments: [usize; 6],
    ) -> Outcome {
        message.bind(me);
        self.again(me, call, arguments)
    }
}

/// How far a message has been copied.
pub(crate) enum Copied {
    /// It is whole.
    All,
    /// An interrupt waits.
    Some,
    /// The process may not reach the memory.
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
            let done = self.done.get();
            let left = self.length.get().wrapping_sub(done) as usize;
            if left == 0 {
                return Copied::All;
            }
            let at = address.wrapping_add(done as usize);
            let (bytes, place) = M::reach(thread.process, at, left.min(64), write);
            if bytes == 0 {
                return Copied::Fault;
            }
            let (bytes, room) = (bytes.min(64), self.room.wrapping_add(done as usize));
            match write {
                true => M::copy(room, place, bytes),
                false => M::copy(place, room, bytes),
            }
            self.done.set(done.wrapping_add(bytes as u32));
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
            let word = match left {
                0 => 0,
                1..4 => M::load(at) & (1u32.wrapping_shl(left.wrapping_mul(8))).wrapping_sub(1),
                _ => M::load(at),
            };
            place.set(word);
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
                .is_some_and(|holder| crate::same(holder, self));
            if is_its && message.special.get() & special::OUT == way {
                message.holder.set(None);
                link.set(message.below.get());
                return Some(message);
            }
            link = &message.below;
        }
    }
}
