//! The urgency of servers.
//!
//! A *protocol server* asks for all that comes to its mailbox. Nobody waits behind these
//! messages, so none helps it: its place in the ready queue is the most urgent of two
//! values of its own, the message in its hand and the first of its mailbox. Its own
//! urgency counts while it has none.
//!
//! A thread that has the request of a *call* in its hand is helped by the client. It has
//! no urgency of its own: it stands behind the idle thread, or in no queue.
//!
//! Both are looked at when a message comes or goes, nowhere else.

use giornata_abi::Error;

use crate::ready::level;
use crate::thread::state;
use crate::wait::leave;
use crate::{Kernel, Machine, Mail, Message, Object, Rank, Ref, Thread, before, same};

/// A level, and inside the deadline band a deadline.
pub(crate) type Urgency = (u32, u32);

/// No urgency at all.
pub(crate) const NONE: Urgency = (level::IDLE, 0);

fn is_above(one: Urgency, other: Urgency) -> bool {
    one.0 < other.0 || (one.0 == other.0 && before(one.1, other.1))
}

impl Rank {
    /// Its urgency as numbers: a rank of a deadline is another one's later.
    pub(crate) fn urgency(&self) -> Urgency {
        (self.level.get(), self.deadline.get())
    }
}

impl Message {
    pub(crate) fn urgency(&self) -> Urgency {
        (self.level.get(), self.deadline.get())
    }
}

impl Kernel {
    /// The place of a thread but for ceilings and those that hang on it. O(mailboxes that it
    /// serves as a protocol server).
    #[inline(never)]
    pub(crate) extern "C" fn place_by_messages(&self, thread: Ref<Thread>) -> Ref<Rank> {
        let (mut most, mut of) = (NONE, None);
        let mut served = match thread.is(state::SERVER) {
            true => thread.serves(),
            false => None,
        };
        while let Some(mailbox) = served {
            let Some(mail) = mailbox.mail else { break };
            let mut weigh = |urgency| {
                if is_above(urgency, most) {
                    (most, of) = (urgency, Some(mail));
                }
            };
            weigh((mail.level.get(), mail.deadline.get()));
            if let Some(first) = mailbox.first.get()
                && !first.is_call()
            {
                weigh(first.urgency());
            }
            served = mail.next.get();
        }
        if let Some(mail) = of {
            return self.rank_of(thread, mail, most);
        }
        if thread.is(state::LATE) {
            return self.rank_of_level(thread.hand.word.get() as u32);
        }
        match thread.is(state::IN_HAND) {
            true => self.idle.rank.get(),
            false => thread.own.get(),
        }
    }

    /// The rank of an urgency; one of a deadline is its mailbox's own.
    fn rank_of(&self, thread: Ref<Thread>, mail: Ref<Mail>, urgency: Urgency) -> Ref<Rank> {
        let rank = &mail.rank;
        if urgency.0 != self.band {
            return self.rank_of_level(urgency.0);
        }
        if rank.deadline.get() != urgency.1 {
            // its only thread leaves it before it becomes another
            if same(thread.rank.get(), rank) {
                self.set_rank(thread, thread.own.get(), true);
            }
            rank.deadline.set(urgency.1);
        }
        rank
    }

    /// The rank of a level that is no deadline's; none is below that of priority 0.
    pub(crate) fn rank_of_level(&self, level: u32) -> Ref<Rank> {
        &self.ranks[level.wrapping_sub(1).min(255) as usize]
    }

    /// What a thread has in its hand, or what lies in its mailbox, has changed.
    #[inline(never)]
    pub(crate) extern "C" fn weigh(&self, thread: Ref<Thread>) {
        self.settle_place(thread, false);
    }

    /// A message came into a mailbox, or left it.
    pub(crate) fn weigh_server(&self, mailbox: Ref<Object>) {
        if let Some(mail) = mailbox.mail
            && mail.served.get() != 0
            && let Some(server) = mailbox.owner.get()
        {
            self.weigh(server);
        }
    }

    /// The caller is the protocol server of a mailbox from now on.
    pub(crate) fn serve(&self, me: Ref<Thread>, mailbox: Ref<Object>) -> Result<Ref<Mail>, Error> {
        let Some(mail) = mailbox.mail else {
            return Err(Error::EINVAL);
        };
        if mail.served.get() != 0 {
            return match mailbox.owner.get() {
                Some(owner) if same(owner, me) => Ok(mail),
                _ => Err(Error::EBUSY),
            };
        }
        mail.next.set(match me.is(state::SERVER) {
            true => me.serves(),
            false => None,
        });
        mail.served.set(1);
        mail.level.set(level::IDLE);
        mailbox.owner.set(Some(me));
        me.hand.serves.set(Some(mailbox));
        me.set(state::SERVER);
        Ok(mail)
    }

    /// Nobody serves a mailbox any more: its server has ended, or it is deleted. O(mailboxes
    /// that the thread serves as a protocol server).
    #[inline(never)]
    pub(crate) extern "C" fn unserve(&self, mailbox: Ref<Object>) {
        let owner = mailbox.owner.take();
        if let (Some(mail), Some(owner)) = (mailbox.mail, owner)
            && mail.served.replace(0) != 0
        {
            let mut link = &owner.hand.serves;
            while let Some(at) = link.get() {
                let Some(of_it) = at.mail else { break };
                if same(at, mailbox) {
                    link.set(of_it.next.get());
                    break;
                }
                link = &of_it.next;
            }
            if owner.serves().is_none() {
                owner.clear(state::SERVER);
            }
            if owner.process.is_alive() {
                self.weigh(owner);
            }
        }
    }

    /// A thread asks for the next message: it is done with the last.
    #[inline(never)]
    pub(crate) extern "C" fn put_down(&self, me: Ref<Thread>) {
        me.clear(state::LATE);
        if me.is(state::SERVER) {
            let mut served = me.serves();
            while let Some(mail) = served.and_then(|mailbox| mailbox.mail) {
                mail.level.set(level::IDLE);
                served = mail.next.get();
            }
        }
    }

    /// A thread receives from a mailbox: callers whose requests lie there wait for it now,
    /// unless there is a protocol server.
    #[inline(never)]
    pub(crate) extern "C" fn read_by(&self, me: Ref<Thread>, mailbox: Ref<Object>) {
        if !me.is(state::SERVER) {
            me.hand.serves.set(Some(mailbox));
        }
        if mailbox.mail.is_some_and(|mail| mail.served.get() != 0) {
            return;
        }
        if let Some(before) = mailbox.owner.replace(Some(me))
            && !same(before, me)
            && before.is(state::PARKED_ON)
        {
            self.unpark(before);
        }
    }

    /// The most urgent caller of a mailbox that nobody served is ready again: it helps
    /// whoever has received from there. One with each message that is received, so the
    /// most urgent of those that are left always helps.
    pub(crate) fn bring_back<M: Machine>(&self, mailbox: Ref<Object>) {
        if let Some(caller) = mailbox.waiters.get()
            && caller.is(state::ORPHAN)
        {
            leave(caller);
            self.awaken::<M>(caller);
        }
    }
}
