//! Requests: calls that wait for a reply (helping, KERNEL 7, rule 4).
//!
//! ```text
//!             call                    receive                 reply_receive
//!   ready ----------> in a mailbox -------------> in a hand ----------------> ready
//!     |                wants: it         ^      wants: `nowhere`                ^
//!     |                    ^             |           |  |                       |
//!     +--------------------|-------------+           |  +-----------------------+
//!       a server waits     |          forward        |    the server has ended
//!                          +-------------------------+
//! ```
//! The client stays in the ready queue all the time, at its own urgency; the server runs
//! in its place. Its registers are saved, so what the kernel has to know of its request
//! lies in them: see [`Request`].
//!
//! The clients whose requests a thread has are a list, the last first. A reply names
//! its client by the slot and a token that is never given twice.

use core::cell::Cell;

use giornata_abi::Error;
use giornata_abi::next::id::EXTRA;

use crate::message::special;
use crate::sending::Destination;
use crate::ready::level;
use crate::thread::{kind, state};
use crate::wait::leave;
use crate::{Kernel, Machine, Object, Ref, Thread, same};

/// Where the registers of a client hold its request.
pub(crate) struct Request {
    /// In a hand: who replies must know it.
    pub(crate) token: &'static Cell<usize>,
    /// In a hand: the label of the server. In a mailbox: the number of the message.
    pub(crate) with: &'static Cell<usize>,
    /// In a hand: numbers plus 1, or 0, of the clients whose requests came before and
    /// (upper half) after it.
    pub(crate) links: &'static Cell<usize>,
    /// Upper half: the priority.
    pub(crate) priority: &'static Cell<usize>,
    /// What it says.
    pub(crate) words: [&'static Cell<usize>; 4],
}

/// The half of a register that holds a number.
const LOW: usize = 0xFFFF;

impl Thread {
    #[inline(always)]
    pub(crate) fn request(&'static self) -> Request {
        let [token, with, links, priority, ..] = &self.context.t;
        let [_, _, w0, w1, w2, w3, ..] = &self.context.a;
        Request {
            token,
            with,
            links,
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
        self.kind.set(kind::RESULTS);
    }

    /// The same, seldom; its call has succeeded.
    #[inline(never)]
    pub(crate) extern "C" fn hand_over(
        &self,
        w0: usize,
        w1: usize,
        w2: usize,
        w3: usize,
        fifth: usize,
        sixth: usize,
    ) {
        self.answer(0);
        self.hand([w0, w1, w2, w3], fifth, sixth);
    }

    /// Its number in the upper half of a register.
    #[inline(always)]
    pub(crate) fn upper(&self) -> usize {
        self.label as usize & !LOW
    }
}

impl Kernel {
    /// The next token.
    #[inline(always)]
    pub(crate) fn next_token(&self) -> usize {
        let token = self.token.get().wrapping_add(2);
        self.token.set(token);
        token as usize
    }

    /// The thread that runs in the place of one that has called: who has its request, or
    /// would receive it.
    pub(crate) fn server_of(&self, client: Ref<Thread>, wanted: Ref<Object>) -> Option<Ref<Thread>> {
        match same(wanted, self.nowhere) {
            true => self.threads.get(client.request().with.get() >> EXTRA),
            false => wanted.owner.get(),
        }
    }

    /// Who runs in the place of a thread.
    pub(crate) fn helped_by(&self, thread: Ref<Thread>) -> Option<Ref<Thread>> {
        self.server_of(thread, thread.wants.get()?)
    }

    /// Whether a thread would wait for itself if it waited for another.
    #[inline(never)]
    pub(crate) fn would_close_circle(&self, thread: Ref<Thread>, other: Ref<Thread>) -> bool {
        let mut at = other;
        loop {
            if same(at, thread) {
                return true;
            }
            match self.helped_by(at) {
                Some(next) => at = next,
                None => return false,
            }
        }
    }

    /// The client of a request that the caller has in its hand; none if the token is
    /// stale.
    pub(crate) fn client_of(&self, me: Ref<Thread>, slot: usize, token: usize) -> Option<Ref<Thread>> {
        let client = self.threads.get(slot)?;
        let request = client.request();
        let is_in_hand = client
            .wants
            .get()
            .is_some_and(|wanted| same(wanted, self.nowhere));
        let is_it = request.token.get() as u32 == token as u32
            && request.with.get() == me.label as usize;
        (is_in_hand && is_it).then_some(client)
    }

    /// A client by its number plus 1.
    fn client(&self, number: usize) -> Option<Ref<Thread>> {
        self.threads.get(number.wrapping_sub(1))
    }

    /// A thread has the request of a client in its hand: the token of the reply.
    #[inline(never)]
    pub(crate) fn take_in_hand<M: Machine>(
        &self,
        client: Ref<Thread>,
        server: Ref<Thread>,
    ) -> usize {
        self.come_back::<M>(client);
        let (request, token) = (client.request(), self.next_token());
        let (number, bits) = (client.number() as usize + 1, server.state.get());
        let before = bits as usize >> state::HAND;
        request.token.set(token);
        request.with.set(server.label as usize);
        request.links.set(before);
        if let Some(before) = self.client(before) {
            let links = before.request().links;
            links.set(links.get() & LOW | number << EXTRA);
        }
        server.state.set(bits & LOW as u32 | (number as u32) << state::HAND);
        client.wants.set(Some(self.nowhere));
        token
    }

    /// A request is in no hand any more.
    fn let_go(&self, client: Ref<Thread>, server: Ref<Thread>) {
        let links = client.request().links.get();
        let (before, after) = (links & LOW, links >> EXTRA & LOW);
        match self.client(after) {
            None => server
                .state
                .set(server.state.get() & LOW as u32 | (before as u32) << state::HAND),
            Some(after) => {
                let links = after.request().links;
                links.set(links.get() & !LOW | before);
            }
        }
        if let Some(before) = self.client(before) {
            let links = before.request().links;
            links.set(links.get() & LOW | after << EXTRA);
        }
    }

    /// What a client waits for ends or changes: it is ready, if it was parked.
    #[inline(never)]
    pub(crate) fn come_back<M: Machine>(&self, client: Ref<Thread>) {
        if client.is(state::ORPHAN) {
            leave(client);
            self.awaken::<M>(client);
        }
        let mut at = client;
        while client.is(state::PARKED)
            && let Some(next) = self.helped_by(at)
        {
            if next.is(state::PARKED_ON) {
                self.unpark(next);
            }
            at = next;
        }
    }

    /// A client does not wait for its request any more, and nobody has it. Returns who had
    /// it in its hand.
    #[inline(never)]
    pub(crate) fn withdraw<M: Machine>(&self, client: Ref<Thread>) -> Option<Ref<Thread>> {
        let wanted = client.wants.get()?;
        self.come_back::<M>(client);
        client.wants.set(None);
        if same(wanted, self.nowhere) {
            let server = self.threads.get(client.request().with.get() >> EXTRA)?;
            self.let_go(client, server);
            return Some(server);
        }
        let messages = client.process.messages;
        let message = messages.get(client.request().with.get())?;
        match message.holder.get() {
            // it is a message without a client for who receives it now
            Some(_) => message.special.set(special::BYTES),
            None => {
                wanted.pull(message);
                message.free();
                self.weigh_server(wanted);
            }
        }
        None
    }

    /// The reply of a client will not come.
    pub(crate) fn refuse_client<M: Machine>(&self, client: Ref<Thread>, error: Error) {
        let server = self.withdraw::<M>(client);
        client.refuse(error);
        if let Some(server) = server
            && server.process.is_alive()
        {
            self.weigh(server);
        }
    }

    /// A client has ended, and its request with it. Who has that in its hand, and no other
    /// client, goes on as urgently as the request was.
    #[inline(never)]
    pub(crate) fn end_client<M: Machine>(&self, client: Ref<Thread>) {
        let (level, deadline) = client.rank.get().urgency();
        let Some(server) = self.withdraw::<M>(client) else {
            return;
        };
        if !server.process.is_alive() {
            return;
        }
        if server.is(state::SERVER)
            && let Some(mail) = server.serves.get().and_then(|mailbox| mailbox.mail)
        {
            mail.level.set(level);
            mail.deadline.set(deadline);
            return self.weigh(server);
        }
        if server.state.get() >> state::HAND == 0 {
            server.set(state::LATE);
            // (a deadline's rank is the client's: next to the band instead)
            let behind = (level == self.band) as u32;
            self.set_rank(server, self.rank_of_level(level.wrapping_add(behind)));
        }
    }

    /// A request comes to a mailbox: who waits there has it in its hand, else it lies
    /// there. Errors: EDEADLK, EAGAIN; then nothing has changed.
    #[inline(never)]
    pub(crate) fn ask<M: Machine>(
        &self,
        client: Ref<Thread>,
        mailbox: Ref<Object>,
        destination: Destination,
    ) -> Result<(), Error> {
        let request = client.request();
        let priority = request.priority.get() >> EXTRA;
        let [w0, w1, w2, w3] = request.words.map(Cell::get);
        let (receiver, wants_words) = receiver(mailbox);
        if receiver.is_none()
            && let Some(owner) = mailbox.owner.get()
            && self.would_close_circle(client, owner)
        {
            return Err(Error::EDEADLK);
        }
        if let (Some(server), true) = (receiver, wants_words) {
            self.drop_request::<M>(client);
            leave(server);
            server.waits.set(Some(self.nowhere));
            let token = self.take_in_hand::<M>(client, server);
            server.hand_over(w0, w1, w2, w3, client.upper() | priority, token);
            self.weigh(server);
            self.awaken::<M>(server);
            return Ok(());
        }
        let Some(message) = client.process.take_place() else {
            return Err(Error::EAGAIN);
        };
        self.drop_request::<M>(client);
        self.stamp(message, client, destination);
        message.fill([w0, w1, w2, w3]);
        message.priority.set(priority as u32);
        message.special.set(special::CALL);
        request.with.set(message.number as usize);
        client.wants.set(Some(mailbox));
        self.deliver::<M>(message, mailbox, false);
        Ok(())
    }

    /// A request that is forwarded leaves the hand in which it is.
    fn drop_request<M: Machine>(&self, client: Ref<Thread>) {
        if let Some(server) = self.withdraw::<M>(client) {
            self.weigh(server);
        }
    }

    /// A caller of a mailbox that nobody serves waits in the list of that.
    #[inline(never)]
    pub(crate) fn orphan(&self, caller: Ref<Thread>, mailbox: Ref<Object>) {
        self.remove(caller);
        caller.set(state::ORPHAN);
        crate::wait::enter(caller, mailbox);
    }
}

/// Who waits for a message in a mailbox first, and whether it wants it in registers.
pub(crate) fn receiver(mailbox: Ref<Object>) -> (Option<Ref<Thread>>, bool) {
    match mailbox.waiters.get() {
        Some(first) if !first.is(state::ORPHAN) => (Some(first), !first.is(state::BYTES)),
        _ => (None, false),
    }
}

// the number of a thread, plus 1, is the upper half of its state
const _: () = assert!(state::HAND == EXTRA && state::LATE < 1 << state::HAND);
const _: () = assert!(level::IDLE > level::STREAM);
