//! What must be true of messages and requests between two events. For tests.

use giornata_abi::message::SERVED;

use crate::mail::message::INLINE;
use crate::process::life;
use crate::sched::thread::{kind as resumed, state};
use crate::sync::object::kind;
use crate::{Object, Process, Ref, System, is_not, same, some};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl System {
    pub(crate) fn check_mail(&self) -> Result<(), &'static str> {
        let (mut queued, mut read) = (0, 0);
        for object in self.objects {
            if object.kind.get() & kind::KIND == kind::MAILBOX {
                let last = object.owner.get().map(|owner| owner.hand);
                let last = last.filter(|hand| is_not(hand.serves.get(), object) == 0);
                hold!(
                    some(last) == some(object.serves.get()),
                    "a mailbox knows who received from it, and then from no other"
                );
                queued += check_mailbox(object)?;
                read += i32::from(object.owner.get().is_some());
            }
        }
        let (mut all, mut others) = (0, 0);
        for process in self.processes {
            all += process.messages.len();
            others += process.free_messages() + check_bound(process)?;
        }
        hold!(
            queued + others == all,
            "each message is free, bound or in one mailbox"
        );
        for thread in self.threads {
            let clients = self.threads.iter();
            let clients = clients
                .filter(|client| client.wants_it(thread.hand))
                .count();
            let hand = thread.hand;
            hold!(
                clients == hand.count.get() as usize || same(hand, self.no_list),
                "a hand knows how many requests are in it"
            );
            hold!(
                thread.is(state::IN_HAND) == (clients != 0)
                    || same(hand, self.no_list)
                    || thread.process.life.get() != life::ALIVE,
                "the mark of a thread with requests in its hand is true"
            );
            let waits_for_server = thread
                .waits
                .get()
                .is_some_and(|object| thread.wants_it(object));
            hold!(
                thread.is(state::ORPHAN) == waits_for_server,
                "who waits in the list of what it wants has called nobody"
            );
            let has_no_place = same(thread.rank.get(), self.idle().rank.get());
            hold!(
                !thread.is(state::AFLOAT)
                    || clients != 0
                        && has_no_place
                        && (thread.waits.get().is_some() || same(thread.next.get(), thread)),
                "what is afloat has requests, no place, and is in no queue"
            );
            let mut next = thread.hand.held_next.get();
            let (mut last, mut served) = (thread.hand, 0);
            while let Some(mailbox) = next {
                hold!(
                    mailbox.owner.get().is_some_and(|owner| same(owner, thread)),
                    "what is in the list of a thread is read by it"
                );
                hold!(
                    mailbox.held_prev.get().is_some_and(|prev| same(prev, last)),
                    "what is in the list of a thread is linked both ways"
                );
                hold!(
                    mailbox.served().is_none()
                        || same(last, thread.hand)
                        || last.served().is_some(),
                    "what a thread serves is first in its list"
                );
                served += usize::from(mailbox.served().is_some());
                last = mailbox;
                read -= 1;
                next = mailbox.held_next.get();
            }
            hold!(served <= SERVED, "a thread serves no more than it can");
        }
        hold!(read == 0, "what a thread reads is in its list");
        Ok(())
    }
}

/// How many messages are in it.
fn check_mailbox(mailbox: Ref<Object>) -> Result<usize, &'static str> {
    let mut count = 0;
    let mut ring = mailbox.first.get();
    if let (Some(_), Some(waiter)) = (ring, mailbox.waiters.get()) {
        hold!(
            waiter.is(state::ORPHAN),
            "no receiver waits while there are messages"
        );
    }
    while let Some(first) = ring {
        let mut at = first;
        loop {
            hold!(same(at.next.get().prev.get(), at), "neighbours in a ring");
            hold!(
                at.priority().get() == first.priority().get(),
                "a ring is of one priority"
            );
            hold!(
                at.holder.get().is_none(),
                "what lies in a mailbox is nobody's"
            );
            hold!(
                !at.is_call() || at.sender.get().wants_it(mailbox),
                "the client of a request waits for it"
            );
            count += 1;
            at = at.next.get();
            if same(at, first) {
                break;
            }
        }
        ring = first.below.get();
        if let Some(below) = ring {
            hold!(
                below.priority().get() < first.priority().get(),
                "rings stand in order"
            );
        }
    }
    Ok(count)
}

/// How many messages of a process are bound to threads.
fn check_bound(process: &Process) -> Result<usize, &'static str> {
    let mut count = 0;
    for message in process.messages {
        let Some(holder) = message.holder.get() else {
            continue;
        };
        let most = INLINE.max(process.message_size);
        hold!(
            message.done.get() <= message.length.get() && message.length.get() <= most,
            "a message has room for what is copied into it"
        );
        hold!(
            same(message.next.get(), message),
            "a message that is bound lies in no mailbox"
        );
        // (a thread whose process ends continues nothing; its reaper lets go of the message)
        let [_, pool, .., number] = &holder.context.t;
        hold!(
            holder.process.life.get() != life::ALIVE
                || holder.kind.get() >= resumed::FINISHES
                    && (pool.get(), number.get())
                        == (process.number as usize, message.number as usize),
            "the call of who has a message continues, and knows which it is"
        );
        count += 1;
    }
    Ok(count)
}
