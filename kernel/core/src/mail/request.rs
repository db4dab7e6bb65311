//! Requests: calls that wait for a reply (helping, KERNEL 7, rule 4).
//!
//! ```text
//!             call                    receive                 reply_receive
//!   ready ----------> in a mailbox -------------> in a hand ----------------> ready
//!     |               wants: that        ^      wants: the hand                 ^
//!     |                    ^             |           |  |                       |
//!     +--------------------|-------------+           |  +-----------------------+
//!       a server waits     |          forward        |    the server has ended
//!                          +-------------------------+
//! ```
//! The client stays in the ready queue all the time, at its own urgency; the server runs
//! in its place. Its registers are saved, so what the kernel has to know of its request
//! lies in them: see [`Request`].
//!
//! A thread that can receive has an object of its own, its *hand*, which it owns for ever:
//! what clients want whose requests it has, so they chain as through a mutex. A reply
//! names its client by the slot and a token that is never given twice.

use core::cell::Cell;

use giornata_abi::Error;

use crate::mail::message::special;
use crate::sched::thread::{kind as resumed, state};
use crate::sync::object::kind;
use crate::{Object, Ref, System, Thread, is_not};

/// Where the registers of a client hold its request.
pub(crate) struct Request {
    /// In a hand: who replies must know it. In a mailbox: the number of the message.
    pub(crate) token: &'static Cell<usize>,
    /// Upper half: the priority.
    pub(crate) priority: &'static Cell<usize>,
    /// What it says.
    pub(crate) words: [&'static Cell<usize>; 4],
}

impl Request {
    /// Its words are these.
    #[inline(always)]
    pub(crate) fn say(self, words: [usize; 4]) {
        let [p0, p1, p2, p3] = self.words;
        p0.set(words[0]);
        p1.set(words[1]);
        p2.set(words[2]);
        p3.set(words[3]);
    }
}

impl Thread {
    #[inline(always)]
    pub(crate) fn request(&'static self) -> Request {
        let [token, priority, ..] = &self.context.t;
        let [_, _, w0, w1, w2, w3, ..] = &self.context.a;
        Request {
            token,
            priority,
            words: [w0, w1, w2, w3],
        }
    }

    /// What its pending call returns besides 0: four words, and two values.
    #[inline(always)]
    pub(crate) fn hand(&self, words: [usize; 4], fifth: usize, sixth: usize) {
        let [_, a1, a2, a3, a4, a5, a6, _] = &self.context.a;
        a1.set(words[0] as u32 as usize);
        a2.set(words[1] as u32 as usize);
        a3.set(words[2] as u32 as usize);
        a4.set(words[3] as u32 as usize);
        a5.set(fifth);
        a6.set(sixth);
        self.kind.set(resumed::RESULTS);
    }

    /// Its number in the upper half of a register.
    #[inline(always)]
    pub(crate) fn upper(&self) -> usize {
        self.label as usize & !0xFFFF
    }
}

impl Object {
    /// Of a mailbox: whether who waits for a message first is dead.
    pub(crate) fn has_dead_receivers(&self) -> bool {
        let first = self.waiters.get();
        first.is_some_and(|first| !first.is(state::ORPHAN) && !first.process.is_alive())
    }
}

impl System {
    /// The next token.
    #[inline(always)]
    pub(crate) fn next_token(&self) -> usize {
        let token = self.token.get().wrapping_add(2);
        self.token.set(token);
        token as usize
    }

    /// The client of a request that the caller has in its hand; none if the token is
    /// stale, or the client dead.
    #[inline(never)]
    pub(crate) fn client_of(
        &self,
        me: Ref<Thread>,
        slot: usize,
        token: usize,
    ) -> Option<Ref<Thread>> {
        let client = self.threads.get(slot)?;
        let is_it = client.request().token.get() as u32 == token as u32;
        (is_it && client.wants_it(me.hand) && client.process.is_alive()).then_some(client)
    }

    /// A thread has the request of a client in its hand: the token of the reply.
    pub(crate) fn take_in_hand(&self, client: Ref<Thread>, server: Ref<Thread>) -> usize {
        self.come_back(client);
        let (hand, token) = (server.hand, self.next_token());
        client.request().token.set(token);
        self.set_wants(client, Some(hand));
        hand.count.set(hand.count.get().wrapping_add(1));
        server.set(state::IN_HAND);
        token
    }

    /// What a client waits for ends or changes: it is ready, if it was parked.
    #[inline(never)]
    fn come_back(&self, client: Ref<Thread>) {
        if client.is(state::ORPHAN) {
            self.end_orphan(client);
        }
        self.bring_up(client);
    }

    /// A caller of a mailbox that nobody served is ready again, at the ceiling that it has
    /// published; so are some of those that hang on it.
    #[inline(never)]
    pub(crate) fn end_orphan(&self, caller: Ref<Thread>) {
        self.leave(caller);
        caller.clear(state::ORPHAN);
        self.queue(caller);
        if caller.is(state::PARKED_ON) {
            self.unpark(caller);
        }
    }

    /// A client does not wait for its request any more, and nobody has it.
    #[inline(never)]
    pub(crate) fn withdraw(&self, client: Ref<Thread>) {
        let Some(wanted) = client.wants.get() else {
            return;
        };
        self.come_back(client);
        self.set_wants(client, None);
        if wanted.kind.get() == kind::HAND {
            let count = wanted.count.get().wrapping_sub(1);
            wanted.count.set(count);
            if let Some(server) = wanted.owner.get() {
                if count == 0 {
                    server.clear(state::IN_HAND);
                }
                self.weigh(server);
            }
            return;
        }
        let messages = client.process.messages;
        let Some(message) = messages.get(client.request().token.get()) else {
            return;
        };
        if message.holder.get().is_some() {
            // it is a message without a client for who receives it now
            return message.special.set(special::BYTES);
        }
        wanted.pull(message);
        message.free();
        self.weigh_server(wanted);
    }

    /// The reply of a client will not come.
    #[inline(never)]
    pub(crate) fn refuse_client(&self, client: Ref<Thread>) {
        self.withdraw(client);
        client.end_call(Error::EIDRM as usize);
    }

    /// A client ends, and its request with it. Who has that in its hand, and no other
    /// client's, goes on as urgently as the request was.
    #[inline(never)]
    pub(crate) fn end_client(&self, client: Ref<Thread>) {
        if let Some(hand) = client.wants.get()
            && hand.kind.get() == kind::HAND
            && let Some(server) = hand.owner.get()
        {
            let rank = client.rank.get();
            if server.is(state::SERVER)
                && let Some(mailbox) = hand.serves.get()
                // (another may have received from there since)
                && is_not(mailbox.serves.get(), hand) == 0
                && let Some(mail) = mailbox.mail
            {
                mail.hand.take_from(rank);
            } else if hand.count.get() == 1 {
                server.set(state::LATE);
                // (a deadline's rank is the client's: next to the band instead)
                let level = rank.level.get();
                let behind = (level == self.band) as u32;
                hand.word.set(level.wrapping_add(behind) as usize);
            }
        }
        self.withdraw(client);
    }

    /// A caller of a mailbox that nobody serves waits in the list of that.
    #[inline(never)]
    pub(crate) fn orphan(&self, caller: Ref<Thread>, mailbox: Ref<Object>) {
        caller.set(state::ORPHAN);
        self.enter(caller, mailbox);
    }

    /// Who waits for a message in a mailbox first and lives, and whether it wants it in
    /// registers. If it is none, but [`has_dead_receivers`](Object::has_dead_receivers), there
    /// may be one behind them. O(log waiters).
    #[inline(never)]
    pub(crate) fn receiver(&self, mailbox: Ref<Object>) -> (Option<Ref<Thread>>, bool) {
        if mailbox.has_dead_receivers() {
            self.first_alive(mailbox);
        }
        let first = mailbox.waiters.get();
        let first = first.filter(|first| !first.is(state::ORPHAN) && first.process.is_alive());
        (first, first.is_some_and(|first| !first.is(state::BYTES)))
    }
}
