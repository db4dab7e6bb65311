//! How a message is received in general: into registers or memory, by any thread or by
//! the protocol server of its mailbox.

use giornata_abi::Error;
use giornata_abi::call::ENVELOPE_CALL;
use giornata_abi::id::{EXTRA, SLOT_MASK};
use giornata_abi::message::receive as how_bits;
use giornata_abi::system::{RIGHT_FULL, RIGHT_RECEIVE};

use crate::mail::mailbox::NO_CLIENT;
use crate::mail::message::{INLINE, special};
use crate::mail::sending::Copied;
use crate::sched::thread::state;
use crate::sched::timer::FOR_EVER;
use crate::{Machine, Message, Outcome, Ref, System, Thread, same};

/// How a message is wanted: in memory, as a protocol server.
pub(crate) const FULL: usize = how_bits::FULL;
/// In registers. No bit that a caller can set.
pub(crate) const WORDS: usize = how_bits::FULL << 1;

/// `receive_bytes`, and `receive` as well; the arguments lie in the caller's registers.
/// Into memory it is a call that continues in the kernel once there is a message, which is
/// `bound` to the caller then.
#[inline(never)]
pub(crate) fn receive_any<M: Machine>(
    me: Ref<Thread>,
    mut bound: Option<Ref<Message>>,
    system: Ref<System>,
) -> Outcome {
    let [slot, serial, low, high, address, how, ..] = &me.context.a;
    let (capacity, wish) = (how.get() & SLOT_MASK, how.get() >> EXTRA);
    let right = match wish {
        FULL => RIGHT_FULL,
        _ => RIGHT_RECEIVE,
    };
    let (found, why) = system.mailbox(me, slot.get(), serial.get(), u32::MAX, right.into());
    let error = 'error: {
        if bound.is_none() {
            let Some(mailbox) = found else {
                break 'error why;
            };
            if !system.read_by(me, mailbox, wish == FULL) {
                break 'error Error::EBUSY;
            }
            system.put_down(me);
            bound = mailbox.first.get();
            if let Some(client) = bound.and_then(|first| first.dead_client()) {
                // (one a piece)
                system.end_thread::<M>(client);
                system.weigh(me);
                return system.dispatch_from(me);
            }
            let Some(first) = bound else {
                let (low, high) = (low.get(), high.get());
                if low | high == 0 {
                    break 'error Error::EAGAIN;
                }
                match wish {
                    WORDS => me.end_call(0),
                    _ => me.set(state::BYTES),
                }
                system.weigh(me);
                if low & high != FOR_EVER {
                    system.arm::<M>(me, low, high);
                }
                return system.wait_behind(me, mailbox);
            };
            if first.length.get() as usize > capacity {
                // (whoever waits for a server has one all the same)
                system.bring_back(mailbox);
                break 'error Error::EMSGSIZE;
            }
            mailbox.pull(first);
            if mailbox.owner.get().is_some_and(|owner| !same(owner, me)) {
                // another is its protocol server, and has it no more
                system.weigh_server(mailbox);
            }
            system.bring_back(mailbox);
            system.has_in_hand(first, me);
        }
        let Some(message) = bound else {
            break 'error Error::EAGAIN;
        };
        let (copied, error) = match wish {
            WORDS => (Copied::All, Error::EFAULT),
            _ if message.length.get() as usize > capacity => (Copied::Fault, Error::EMSGSIZE),
            _ => (message.fetch::<M>(me, address.get()), Error::EFAULT),
        };
        match copied {
            Copied::All => {
                system.finish::<M>(message, me, wish);
                return system.dispatch_from(me);
            }
            Copied::Some => {}
            // it stays for who has room for it, unless its mailbox has ended
            Copied::Fault => {
                system.put_down(me);
                let Some(mailbox) = found else {
                    system.lose(message);
                    break 'error error;
                };
                if system.deliver::<M>(message, mailbox, true) {
                    break 'error error;
                }
                system.weigh(me);
            }
        }
        return message.bind(me, system);
    };
    system.weigh(me);
    system.end_call(me, error as usize)
}

impl System {
    /// A thread has a message, of which it has copied nothing: a protocol server is as
    /// urgent.
    #[inline(never)]
    pub(crate) fn has_in_hand(&self, message: Ref<Message>, thread: Ref<Thread>) {
        let [.., how, _, _] = &thread.context.a;
        message.done.set(0);
        let bits = message.special.get();
        message.special.set(bits & !special::OUT);
        if how.get() >> EXTRA == FULL
            && bits & special::CALL == 0
            && let Some(mail) = thread.hand.serves.get().and_then(|mailbox| mailbox.mail)
        {
            mail.hand.set(&message.urgency);
        }
        self.weigh(thread);
    }

    /// A thread has a message in its registers, or in its memory.
    #[inline(never)]
    pub(crate) fn finish<M: Machine>(
        &self,
        message: Ref<Message>,
        thread: Ref<Thread>,
        wish: usize,
    ) {
        if let Some(client) = message.dead_client() {
            // it was bound: what it says is received all the same
            message.holder.set(Some(thread));
            self.end_thread::<M>(client);
            message.holder.set(None);
        }
        let (mut client, mut token, mut from) = (NO_CLIENT, 0, 0);
        let mut serial = message.serial.get() as usize;
        let sender = message.sender.get();
        let number = sender.number() as usize;
        if message.is_call() {
            token = self.take_in_hand(sender, thread);
            (client, serial, from) = (sender.upper(), token, ENVELOPE_CALL);
        }
        let priority = message.priority().get() as usize & SLOT_MASK;
        if wish == WORDS {
            let [w0, w1, w2, w3] = message.words_as_sent();
            thread.results([w0, w1, w2, w3, priority | client, token]);
        } else {
            let (mut slot, mut tenant) = (0, 0);
            if wish == FULL {
                slot = message.destination.get() as usize;
                tenant = message.tenant.get() as usize;
                from |= message.from.get() as usize;
            }
            let length = message.length.get() as usize;
            let both = length | priority << EXTRA;
            thread.results([both, slot, tenant, from, number, serial]);
        }
        message.free();
        self.weigh(thread);
    }

    /// Nobody will receive a message that a thread had begun to receive.
    pub(crate) fn lose(&self, message: Ref<Message>) {
        match message.is_call() {
            // (its place is freed with its request)
            true => self.refuse_client(message.sender.get()),
            false => message.free(),
        }
    }
}

impl Message {
    /// Copies it into a thread's memory, see [`copy`](Self::copy).
    fn fetch<M: Machine>(&self, thread: Ref<Thread>, address: usize) -> Copied {
        if self.length.get() <= INLINE {
            let mut at = self.room;
            for word in self.words.iter().take(4) {
                M::store(at, word.get());
                at = at.wrapping_add(4);
            }
        }
        self.copy::<M>(thread, address, true)
    }
}
