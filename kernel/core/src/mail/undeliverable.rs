//! What ends with threads, processes and mailboxes: requests in a hand or that nobody is
//! left to receive, messages that were on their way. All in pieces.

use giornata_abi::system::{FaultPolicy, RIGHT_FULL, RIGHT_RECEIVE};

use crate::mail::message::special;
use crate::process::life;
use crate::sched::thread::state;
use crate::sync::object::kind;
use crate::{Object, Process, Ref, System, Thread, is_not, same};

/// The rights by which a process receives.
const RECEIVES: u32 = RIGHT_RECEIVE as u32 | RIGHT_FULL as u32;

/// Threads that are looked at in one piece.
const LOOK: usize = 32;

/// Whether a process has a right to receive from a mailbox.
fn may_receive(process: Ref<Process>, mailbox: Ref<Object>) -> bool {
    let handle = process.handles.get(mailbox.number as usize);
    handle.is_some_and(|handle| handle.rights & RECEIVES != 0)
}

fn is_mailbox(object: Ref<Object>) -> bool {
    object.kind.get() & kind::KIND == kind::MAILBOX
}

impl System {
    /// A thread that ends serves no mailbox any more, and has no urgency of messages. From
    /// others it received last until it [leaves](Self::leave_one) them, one a piece.
    /// O(mailboxes that it serves).
    #[inline(never)]
    pub(crate) fn end_servers(&self, thread: Ref<Thread>) {
        thread.clear(state::LATE | state::SERVER);
        let hand = thread.hand;
        while let Some(mailbox) = hand.held_next.get()
            && mailbox.served().is_some()
        {
            self.unserve(mailbox);
        }
        if let Some(last) = hand.serves.take()
            && is_not(last.serves.get(), hand) == 0
        {
            last.serves.set(None);
        }
    }

    /// A thread that ends leaves one of the mailboxes from which it received last. Returns
    /// whether there was one. O(1).
    pub(crate) fn leave_one(&self, thread: Ref<Thread>) -> bool {
        let mailbox = thread.hand.held_next.get();
        if let Some(mailbox) = mailbox {
            self.unserve(mailbox);
        }
        mailbox.is_some()
    }

    /// A thread that ends of itself refuses a client, or looks for one. Returns whether it
    /// had one. O(1): of some threads.
    #[inline(never)]
    pub(crate) fn end_service(&self, me: Ref<Thread>) -> bool {
        self.end_servers(me);
        if !me.is(state::IN_HAND) {
            return false;
        }
        // (the search goes on where it stopped, and from the first when it has seen the last)
        let next = &me.hand.word;
        let rest = self.threads.get(next.get()..).unwrap_or(&[]);
        if rest.is_empty() {
            next.set(0);
        }
        for client in rest.iter().take(LOOK) {
            next.set(next.get().wrapping_add(1));
            if client.wants_it(me.hand) {
                self.refuse_client(client);
                break;
            }
        }
        true
    }

    /// A thread of a process that ends copies no bytes of a message any more.
    pub(crate) fn end_bytes(&self, thread: Ref<Thread>) {
        if let Some(message) = self.unbind(thread) {
            match message.special.get() & special::OUT {
                0 => self.lose(message),
                _ => message.free(),
            }
        }
    }

    /// The next piece of what a process that ends has to do with messages; 0 behind the
    /// last.
    #[inline(never)]
    pub(crate) fn end_mail(&self, process: Ref<Process>, index: usize) -> u32 {
        // (who may not receive has nobody's hand: then nobody has called it)
        let receives = |thread: &Thread| !same(thread.hand, self.no_list);
        let mut done = 0;
        if process.threads.first().is_some_and(receives) {
            let rest = self.threads.get(index..).unwrap_or(&[]);
            for client in rest.iter().take(LOOK) {
                done += 1;
                if self.is_lost(client, process) {
                    self.refuse_client(client);
                    break;
                }
                // (one walk of the processes a piece)
                if client.wants.get().is_some_and(is_mailbox) {
                    break;
                }
            }
        }
        done
    }

    /// Whether nobody will reply to a client when a process ends.
    #[inline(always)]
    fn is_lost(&self, client: Ref<Thread>, ends: Ref<Process>) -> bool {
        let Some(wanted) = client.wants.get() else {
            return false;
        };
        match wanted.kind.get() & kind::KIND {
            kind::HAND => wanted
                .owner
                .get()
                .is_some_and(|server| same(server.process, ends)),
            kind::MAILBOX => may_receive(ends, wanted) && !self.has_receiver(wanted, ends),
            _ => false,
        }
    }

    /// Whether a process lives, or will, that may receive from a mailbox. O(processes).
    fn has_receiver(&self, mailbox: Ref<Object>, ends: Ref<Process>) -> bool {
        self.processes.iter().any(|process| {
            let lives = match same(process, ends) {
                true => process.image.policy == FaultPolicy::Restart as u32,
                false => process.life.get() != life::DEAD,
            };
            lives && may_receive(process, mailbox)
        })
    }

    /// A piece of the end of a mailbox: its next message is lost. Returns whether there was
    /// one. Its receivers are not seen to.
    #[inline(never)]
    pub(crate) fn drain(&self, mailbox: Ref<Object>) -> bool {
        let first = mailbox.first.get();
        match first {
            None => {
                self.unserve(mailbox);
                if let Some(mail) = mailbox.mail {
                    mail.server.set(None);
                }
            }
            Some(message) => {
                mailbox.pull(message);
                self.lose(message);
                self.weigh_server(mailbox);
            }
        }
        first.is_some()
    }
}
