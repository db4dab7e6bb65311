//! What ends with threads, processes and mailboxes: requests in a hand or that nobody is
//! left to receive, messages that were on their way. All in pieces.

use giornata_abi::Error;
use giornata_abi::system::{FaultPolicy, RIGHT_FULL, RIGHT_RECEIVE};

use crate::message::special;
use crate::object::kind;
use crate::process::life;
use crate::thread::state;
use crate::{Kernel, Machine, Object, Process, Ref, Thread, same};

/// The rights by which a process receives.
const RECEIVES: u32 = RIGHT_RECEIVE as u32 | RIGHT_FULL as u32;
/// Threads or objects that one piece looks at.
const PIECE: usize = 8;

impl Kernel {
    /// A thread that ends is no protocol server any more.
    #[inline(never)]
    pub(crate) fn end_servers(&self, thread: Ref<Thread>) {
        while let (Some(mailbox), true) = (thread.serves(), thread.is(state::SERVER)) {
            self.unserve(mailbox);
        }
        thread.clear(state::LATE);
        thread.hand.serves.set(None);
    }

    /// A thread that ends of itself refuses one client, or leaves a mailbox that it serves.
    /// Returns whether there may be more. O(objects), O(threads) with clients.
    #[inline(never)]
    pub(crate) fn end_service<M: Machine>(&self, me: Ref<Thread>) -> bool {
        self.end_servers(me);
        if me.is(state::IN_HAND) {
            // the search goes on where it was put back
            let place = &me.hand.most;
            for _ in 0..PIECE {
                match self.threads.get(place.get() as usize) {
                    None => place.set(0),
                    Some(client) => {
                        place.set(place.get().wrapping_add(1));
                        if client.wants_it(me.hand) {
                            self.refuse_client::<M>(client, Error::EIDRM);
                        }
                    }
                }
            }
            return true;
        }
        for (handle, object) in me.handles.iter().zip(self.objects) {
            if handle.rights & RECEIVES != 0 && is_read_by(object, |owner| same(owner, me)) {
                self.unserve(object);
                return true;
            }
        }
        false
    }

    /// The next piece of what a process that ends has to do with messages; 0 behind the
    /// last.
    #[inline(never)]
    pub(crate) fn end_mail<M: Machine>(&self, process: Ref<Process>, index: usize) -> u32 {
        if let Some(message) = process.bound.get() {
            process.bound.set(message.below.get());
            message.holder.set(None);
            match message.special.get() & special::OUT {
                0 => self.lose::<M>(message),
                _ => message.free(),
            }
            return 1;
        }
        // (each object, then each thread)
        let objects = self.objects.len();
        if let Some(object) = self.objects.get(index) {
            if is_read_by(object, |owner| same(owner.process, process)) {
                self.unserve(object);
            }
            return 1;
        }
        let Some(client) = self.threads.get(index.wrapping_sub(objects)) else {
            return 0;
        };
        let Some(wanted) = client.wants.get() else {
            return 1;
        };
        let is_lost = match wanted.kind.get() & kind::KIND {
            kind::HAND => wanted
                .owner
                .get()
                .is_some_and(|server| same(server.process, process)),
            kind::MAILBOX => !self.has_receiver(wanted, process),
            _ => false,
        };
        if is_lost {
            self.refuse_client::<M>(client, Error::EIDRM);
        }
        1
    }

    /// Whether a process lives, or will, that may receive from a mailbox. O(processes).
    fn has_receiver(&self, mailbox: Ref<Object>, ends: Ref<Process>) -> bool {
        self.processes.iter().any(|process| {
            // (threads that run jobs have none)
            let mut handles = process.threads.iter().map(|thread| thread.handles);
            let handle = handles.find_map(|handles| handles.get(mailbox.number as usize));
            let lives = match same(process, ends) {
                true => process.image.policy == FaultPolicy::Restart as u32,
                false => process.life.get() != life::DEAD,
            };
            lives && handle.is_some_and(|handle| handle.rights & RECEIVES != 0)
        })
    }

    /// A piece of the end of a mailbox: its next message is lost, or a thread forgets that
    /// it received from there. Returns whether there is more. Its receivers are not seen
    /// to, and its serial number is another one's already, or it is free.
    #[inline(never)]
    pub(crate) fn drain<M: Machine>(&self, mailbox: Ref<Object>) -> bool {
        if let Some(message) = mailbox.first.get() {
            if let (Some(client), true) = (message.sender.get(), message.is_call()) {
                self.refuse_client::<M>(client, Error::EIDRM);
            } else {
                mailbox.pull(message);
                message.free();
                self.weigh_server(mailbox);
            }
            return true;
        }
        if mailbox.owner.get().is_some() {
            self.unserve(mailbox);
        }
        let place = &mailbox.count;
        for _ in 0..PIECE {
            let Some(thread) = self.threads.get(place.get() as usize) else {
                place.set(0);
                return false;
            };
            place.set(place.get().wrapping_add(1));
            if thread.serves().is_some_and(|served| same(served, mailbox)) {
                thread.hand.serves.set(None);
            }
        }
        true
    }
}

/// Whether a thread of this kind serves a mailbox, or received from it last.
fn is_read_by(object: Ref<Object>, is_it: impl Fn(Ref<Thread>) -> bool) -> bool {
    object.kind.get() & kind::KIND == kind::MAILBOX && object.owner.get().is_some_and(is_it)
}
