//! How a message is received in general: into registers or memory, by any thread or by
//! the protocol server of its mailbox.

use giornata_abi::Error;
use giornata_abi::message::receive as how_bits;
use giornata_abi::next::call::{Call, ENVELOPE_CALL};
use giornata_abi::next::id::{EXTRA, SLOT_MASK};
use giornata_abi::system::{RIGHT_FULL, RIGHT_RECEIVE};

use crate::mailbox::NO_CLIENT;
use crate::message::{INLINE, special};
use crate::object::is_mailbox;
use crate::sending::Copied;
use crate::thread::state;
use crate::timer::FOR_EVER;
use crate::{Kernel, Machine, Message, Object, Outcome, Ref, Thread};

/// `receive`, whatever there is to see to.
#[inline(never)]
pub(crate) extern "C" fn receive<M: Machine>(
    from: usize,
    serial: usize,
    low: usize,
    high: usize,
    _: usize,
    _: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    match kernel.mailbox(me, from, serial, RIGHT_RECEIVE.into()) {
        Ok(mailbox) => kernel.receive_from::<M>(me, mailbox, low, high),
        Err(error) => Outcome::error(error),
    }
}

/// `reply_receive`, whatever there is to see to.
#[inline(never)]
pub(crate) extern "C" fn reply<M: Machine>(
    slot: usize,
    token: usize,
    w0: usize,
    w1: usize,
    w2: usize,
    w3: usize,
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    if let Some(client) = kernel.client_of(me, slot, token) {
        let _ = kernel.withdraw::<M>(client);
        client.hand_over(w0, w1, w2, w3, 0, 0);
    }
    match me.serves().ok_or(Error::EINVAL).and_then(is_mailbox) {
        Ok(mailbox) => kernel.receive_from::<M>(me, mailbox, FOR_EVER, FOR_EVER),
        Err(error) => {
            kernel.weigh(me);
            me.answer(error as usize);
            kernel.go_from(me)
        }
    }
}

/// `receive_bytes`: as a call that begins again, once there is a message; that is bound to
/// the caller.
pub(crate) fn receive_bytes<M: Machine>(
    arguments: [usize; 6],
    me: Ref<Thread>,
    kernel: Ref<Kernel>,
) -> Outcome {
    let [slot, serial, low, high, address, how] = arguments;
    let (capacity, full) = (how & SLOT_MASK, how >> EXTRA == how_bits::FULL);
    let bound = match me.unbind(0) {
        Some(message) => Ok(Ok(message)),
        None => kernel.first_for::<M>(me, arguments, full),
    };
    let message = match bound {
        Ok(Ok(message)) => message,
        Ok(Err(mailbox)) => {
            me.set(state::BYTES);
            kernel.put_back(me, Call::ReceiveBytes, arguments);
            return kernel.wait_for_message::<M>(me, mailbox, low, high);
        }
        Err(error) => {
            me.answer(error as usize);
            return kernel.go_from(me);
        }
    };
    if message.done.get() == 0 && message.length.get() <= INLINE {
        message.store_words::<M>();
    }
    let error = match message.copy::<M>(me, address, true) {
        _ if message.length.get() as usize > capacity => Error::EMSGSIZE,
        Copied::Some => return kernel.copy_on(me, message, Call::ReceiveBytes, arguments),
        Copied::Fault => Error::EFAULT,
        Copied::All => {
            kernel.finish::<M>(message, me, full);
            return kernel.go_from(me);
        }
    };
    // it stays for who has room for it
    kernel.put_down(me);
    match kernel.mailbox(me, slot, serial, RIGHT_RECEIVE as u32 | RIGHT_FULL as u32) {
        Ok(mailbox) => {
            if !kernel.deliver::<M>(message, mailbox, true) {
                return kernel.copy_on(me, message, Call::ReceiveBytes, arguments);
            }
        }
        Err(_) => kernel.lose::<M>(message),
    }
    kernel.weigh(me);
    me.answer(error as usize);
    kernel.go_from(me)
}

impl Kernel {
    /// The next message of a mailbox in registers; the caller has no other in its hand.
    #[inline(never)]
    fn receive_from<M: Machine>(
        &self,
        me: Ref<Thread>,
        mailbox: Ref<Object>,
        low: usize,
        high: usize,
    ) -> Outcome {
        self.put_down(me);
        self.read_by(me, mailbox);
        let error = match mailbox.first.get() {
            Some(message) if message.length.get() <= INLINE => {
                self.take_out::<M>(mailbox, message);
                self.hand_message::<M>(message, me);
                return self.go_from(me);
            }
            Some(_) => Error::EMSGSIZE,
            None if low | high == 0 => Error::EAGAIN,
            None => {
                me.answer(0);
                return self.wait_for_message::<M>(me, mailbox, low, high);
            }
        };
        self.weigh(me);
        me.answer(error as usize);
        self.go_from(me)
    }

    /// The caller waits for a message, with what its call returns or needs saved.
    #[inline(never)]
    fn wait_for_message<M: Machine>(
        &self,
        me: Ref<Thread>,
        mailbox: Ref<Object>,
        low: usize,
        high: usize,
    ) -> Outcome {
        self.weigh(me);
        if low & high != FOR_EVER {
            self.arm::<M>(me, low, high);
        }
        self.wait_behind(me, mailbox)
    }

    /// Takes the first message out of a mailbox for a thread that receives it.
    fn take_out<M: Machine>(&self, mailbox: Ref<Object>, message: Ref<Message>) {
        mailbox.pull(message);
        self.bring_back::<M>(mailbox);
    }

    /// A thread has a short message in its registers.
    #[inline(never)]
    pub(crate) fn hand_message<M: Machine>(&self, message: Ref<Message>, thread: Ref<Thread>) {
        let [w0, w1, w2, w3] = message.words_as_sent();
        let (mut client, mut token) = (NO_CLIENT, 0);
        if let (Some(sender), true) = (message.sender.get(), message.is_call()) {
            token = self.take_in_hand::<M>(sender, thread);
            client = sender.upper();
        }
        let priority = message.priority.get() as usize;
        thread.hand_over(w0, w1, w2, w3, priority | client, token);
        message.free();
        self.weigh(thread);
    }

    /// What a caller of `receive_bytes` receives that has no message yet, or the mailbox
    /// in which it waits for one.
    fn first_for<M: Machine>(
        &self,
        me: Ref<Thread>,
        arguments: [usize; 6],
        full: bool,
    ) -> Result<Result<Ref<Message>, Ref<Object>>, Error> {
        let [slot, serial, low, high, _, how] = arguments;
        let right = match how >> EXTRA {
            0 => RIGHT_RECEIVE,
            how_bits::FULL => RIGHT_FULL,
            _ => return Err(Error::EINVAL),
        };
        let mailbox = self.mailbox(me, slot, serial, right.into())?;
        if full {
            self.serve(me, mailbox)?;
        }
        self.put_down(me);
        self.read_by(me, mailbox);
        let error = match mailbox.first.get() {
            Some(first) if first.length.get() as usize <= how & SLOT_MASK => {
                self.take_out::<M>(mailbox, first);
                self.has_in_hand(first, me, full);
                return Ok(Ok(first));
            }
            Some(_) => Error::EMSGSIZE,
            None if low | high == 0 => Error::EAGAIN,
            None => return Ok(Err(mailbox)),
        };
        self.weigh(me);
        Err(error)
    }

    /// A message is bound to a thread that waited for it.
    pub(crate) fn bind_received(
        &self,
        message: Ref<Message>,
        mailbox: Ref<Object>,
        thread: Ref<Thread>,
    ) {
        let [.., how, _, _] = &thread.context.a;
        self.read_by(thread, mailbox);
        message.bind(thread);
        self.has_in_hand(message, thread, how.get() >> EXTRA == how_bits::FULL);
    }

    /// A thread has a message, of which it has copied nothing: a protocol server is as
    /// urgent.
    fn has_in_hand(&self, message: Ref<Message>, thread: Ref<Thread>, full: bool) {
        message.done.set(0);
        message.special.set(message.special.get() & !special::OUT);
        if full
            && !message.is_call()
            && let Some(mail) = thread.serves().and_then(|mailbox| mailbox.mail)
        {
            mail.level.set(message.level.get());
            mail.deadline.set(message.deadline.get());
        }
        self.weigh(thread);
    }

    /// The caller has a message in its memory.
    fn finish<M: Machine>(&self, message: Ref<Message>, me: Ref<Thread>, full: bool) {
        let (mut sender, mut serial) = (0, message.serial.get() as usize);
        let (mut slot, mut tenant, mut from) = (0, 0, 0);
        if full {
            slot = message.destination.get() as usize;
            tenant = message.tenant.get() as usize;
            from = message.from.get() as usize;
        }
        if let Some(thread) = message.sender.get() {
            sender = thread.number() as usize;
            if message.is_call() {
                serial = self.take_in_hand::<M>(thread, me);
                from |= ENVELOPE_CALL;
            }
        }
        let length = message.length.get() as usize | (message.priority.get() as usize) << EXTRA;
        me.results([length, slot, tenant, from, sender, serial]);
        message.free();
        self.weigh(me);
    }

    /// Nobody will receive a message that a thread had begun to receive.
    pub(crate) fn lose<M: Machine>(&self, message: Ref<Message>) {
        if let (Some(client), true) = (message.sender.get(), message.is_call()) {
            // (its place is freed with its request)
            return self.refuse_client::<M>(client, Error::EIDRM);
        }
        message.free();
    }
}

impl Message {
    /// The words of a short message, as bytes in its room.
    fn store_words<M: Machine>(&self) {
        let mut at = self.room;
        for word in &self.words {
            M::store(at, word.get());
            at = at.wrapping_add(4);
        }
    }
}
