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
//!
//! The Serving Invariant: the mailboxes from which a thread received last are a list of its
//! hand, linked both ways. Those of which it is the protocol server come first, and are
//! [`SERVED`] at most: so its place follows from a constant number of them, and each
//! leaves the list at once, however many a process has been granted.

use crate::mail::message::Urgency;
use crate::sched::epoch::keep;
use crate::sched::parking::PIECE;
use crate::sched::ready::level;
use crate::sched::thread::state;
use crate::{Mail, Object, Rank, Ref, System, Thread, before, is_not, same};

/// Mailboxes of which one thread can be the protocol server.
const SERVED: usize = giornata_abi::message::SERVED;

impl Urgency {
    /// It is that of a rank now: of a deadline it is another one's later.
    #[inline(never)]
    pub(crate) extern "C" fn take_from(&self, rank: &Rank) {
        self.level.set(rank.level.get());
        self.deadline.set(rank.deadline.get());
    }

    /// It is the same as another.
    pub(crate) fn set(&self, other: &Urgency) {
        self.level.set(other.level.get());
        self.deadline.set(other.deadline.get());
    }

    /// It is none.
    pub(crate) fn clear(&self) {
        self.level.set(level::IDLE);
    }

    /// (As [`Rank::is_above`].)
    #[inline(never)]
    extern "C" fn is_above(&self, other: &Urgency) -> bool {
        let (own, level) = (self.level.get(), other.level.get());
        if own == level {
            return before(self.deadline.get(), other.deadline.get());
        }
        own < level
    }
}

impl Object {
    /// What a mailbox has that a protocol server serves.
    pub(crate) fn served(&self) -> Option<Ref<Mail>> {
        self.mail.filter(|mail| mail.served.get() != 0)
    }
}

impl System {
    /// The place of a thread but for ceilings and those that hang on it. O(mailboxes that it
    /// serves), which are [`SERVED`] at most.
    #[inline(never)]
    pub(crate) extern "C" fn place_by_messages(&self, thread: Ref<Thread>) -> Ref<Rank> {
        let mut most: Option<(Ref<Urgency>, Ref<Mail>)> = None;
        let mut next = thread.hand.held_next.get();
        while let Some(mailbox) = next
            && let Some(mail) = mailbox.served()
        {
            next = mailbox.held_next.get();
            let mut first = &mail.hand;
            if let Some(message) = mailbox.first.get()
                && !message.is_call()
                && message.urgency.is_above(first)
            {
                first = &message.urgency;
            }
            if first.level.get() != level::IDLE && most.is_none_or(|(most, _)| first.is_above(most))
            {
                most = Some((first, mail));
            }
        }
        let level = if let Some((urgency, mail)) = most {
            let (level, deadline) = (urgency.level.get(), urgency.deadline.get());
            if level == self.band {
                let rank = &mail.rank;
                if rank.deadline.get() != deadline {
                    // its only thread leaves it before it becomes another
                    if same(thread.rank.get(), rank) {
                        self.set_rank(thread, thread.own.get(), true);
                    }
                    rank.deadline.set(deadline);
                }
                return rank;
            }
            level
        } else if thread.is(state::LATE) {
            thread.hand.word.get() as u32
        } else if thread.is(state::IN_HAND) {
            return self.idle().rank.get();
        } else {
            return thread.own.get();
        };
        // (none is below that of priority 0)
        &self.ranks[level.wrapping_sub(1).min(255) as usize]
    }

    /// Looks at the urgency of one of all mailboxes and messages, see
    /// [`epoch`](crate::sched::epoch). False if there is none of this index. O(processes).
    pub(crate) fn keep_mail(&self, mut index: usize, oldest: u32) -> bool {
        if let Some(object) = self.objects.get(index) {
            if let Some(mail) = object.mail {
                keep(&mail.hand.deadline, oldest);
            }
            return true;
        }
        index = index.wrapping_sub(self.objects.len());
        for process in self.processes {
            if let Some(message) = process.messages.get(index) {
                keep(&message.urgency.deadline, oldest);
                return true;
            }
            index = index.wrapping_sub(process.messages.len());
        }
        false
    }

    /// What a thread has in its hand, or what lies in its mailbox, has changed.
    #[inline(never)]
    pub(crate) extern "C" fn weigh(&self, thread: Ref<Thread>) {
        self.settle_place(thread, false);
    }

    /// A message came into a mailbox, or left it.
    pub(crate) fn weigh_server(&self, mailbox: Ref<Object>) {
        if mailbox.served().is_some()
            && let Some(server) = mailbox.owner.get()
        {
            self.weigh(server);
        }
    }

    /// A thread receives from a mailbox, or (`full`) is its protocol server from now on.
    /// Callers whose requests lie there wait for it now, unless there is a protocol
    /// server. Returns false if another is, or if the thread is that of as many mailboxes as
    /// it can. O(mailboxes that it serves).
    #[inline(never)]
    pub(crate) extern "C" fn read_by(
        &self,
        me: Ref<Thread>,
        mailbox: Ref<Object>,
        full: bool,
    ) -> bool {
        let owner = mailbox.owner.get();
        let is_its = owner.is_some_and(|owner| same(owner, me));
        if mailbox.served().is_some() {
            if !is_its {
                return !full;
            }
        } else if full || !is_its {
            let Some(at) = last_served(me, full) else {
                return false;
            };
            if is_its {
                unlist(mailbox);
            } else {
                self.unserve(mailbox);
            }
            self.note_change();
            mailbox.owner.set(Some(me));
            list_behind(mailbox, at);
            if let Some(owner) = owner
                && owner.is(state::PARKED_ON)
            {
                self.unpark(owner);
            }
        }
        let hand = me.hand;
        if let Some(last) = hand.serves.replace(Some(mailbox))
            && is_not(last.serves.get(), hand) == 0
        {
            last.serves.set(None);
        }
        mailbox.serves.set(Some(hand));
        me.hand.serial.set(mailbox.serial.get());
        if full && let Some(mail) = mailbox.mail {
            mail.served.set(1);
            me.set(state::SERVER);
        }
        true
    }

    /// Nobody serves a mailbox any more: its server has ended, or it is deleted. O(mailboxes
    /// that that serves).
    #[inline(never)]
    pub(crate) extern "C" fn unserve(&self, mailbox: Ref<Object>) {
        let Some(owner) = mailbox.owner.take() else {
            return;
        };
        self.note_change();
        mailbox.serves.set(None);
        unlist(mailbox);
        if let Some(mail) = mailbox.mail {
            mail.served.set(0);
            mail.hand.clear();
        }
        self.weigh(owner);
    }

    /// A thread asks for the next message: it is done with the last. O(mailboxes that it
    /// serves).
    #[inline(never)]
    pub(crate) extern "C" fn put_down(&self, me: Ref<Thread>) {
        me.clear(state::LATE);
        let mut next = me.hand.held_next.get();
        while let Some(mailbox) = next
            && let Some(mail) = mailbox.served()
        {
            mail.hand.clear();
            next = mailbox.held_next.get();
        }
    }

    /// The most urgent caller of a mailbox that nobody served is ready again: it helps
    /// whoever has received from there. One with each message that is received, so the
    /// most urgent of those that are left always helps. (In front of it may be dead ones, of
    /// which a few leave: with many of them it helps when their end has gone on, or with the
    /// next message.)
    pub(crate) fn bring_back(&self, mailbox: Ref<Object>) {
        for _ in 0..PIECE {
            match mailbox.waiters.get() {
                Some(caller) if caller.is(state::ORPHAN) => {
                    self.end_orphan(caller);
                    if caller.process.is_alive() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }
}

/// Behind what a thread takes a mailbox into its list: behind its hand, or behind those that
/// it serves. Nothing if it is to serve one more (`full`) than it can.
#[inline(never)]
extern "C" fn last_served(me: Ref<Thread>, full: bool) -> Option<Ref<Object>> {
    let mut at = me.hand;
    let mut left = SERVED;
    while let Some(next) = at.held_next.get()
        && next.served().is_some()
    {
        at = next;
        left = left.wrapping_sub(1);
    }
    match full {
        true if left == 0 => None,
        true => Some(me.hand),
        false => Some(at),
    }
}

/// A mailbox comes into the list of a thread behind another, or behind the hand.
fn list_behind(mailbox: Ref<Object>, at: Ref<Object>) {
    let next = at.held_next.replace(Some(mailbox));
    mailbox.held_next.set(next);
    mailbox.held_prev.set(Some(at));
    if let Some(next) = next {
        next.held_prev.set(Some(mailbox));
    }
}

/// A mailbox leaves the list of its owner.
fn unlist(mailbox: Ref<Object>) {
    let next = mailbox.held_next.get();
    if let Some(prev) = mailbox.held_prev.get() {
        prev.held_next.set(next);
    }
    if let Some(next) = next {
        next.held_prev.set(mailbox.held_prev.get());
    }
}
