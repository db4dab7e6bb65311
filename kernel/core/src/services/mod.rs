//! Objects that threads synchronise by: semaphores for mutual exclusion
//! (*mutexes*), semaphores that count, condition variables (EMERALDS, section 7),
//! and mailboxes (section 6). And what processes do with threads, other processes,
//! and memory that is theirs or shared (sections 4, 6.2 and 7.4).
//!
//! ```text
//!           has (a list)                   ring of those that wait
//!  thread ----------------> object a  <------- thread <-> thread
//!     ^        next_held -> object b  <------- thread ...
//!     +-- runs as urgently as the most urgent of them all
//! ```
//!
//! Objects have their slots in the system's tables, and so do the rights to
//! them: one word for each process. What lives in a slot has a generation.

mod condition;
mod hint;
mod inheritance;
mod invariants;
mod mailbox;
mod object;
mod pool;
mod process;
mod receive;
mod region;
mod semaphore;
mod send;
mod short;
mod thread;
mod waiting;
mod word;

pub use object::Object;
pub use pool::{Message, Pool};
pub use region::Region;
pub(crate) use thread::Place;
pub use waiting::Tie;

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::table::Table;
use crate::thread::State;
use giornata_abi::call::{Answer, Call};
use giornata_abi::id::NONE;
use giornata_abi::system::{RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE, SystemHeader};
use giornata_abi::{Error, Id, Instant};
use giornata_queue::{WaitNode, WaitRings};
use receive::Wish;

/// Every right to an object.
const RIGHT_ANY: u16 = u16::MAX;

/// What a call is answered, if that is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Nothing but that it is done.
    Done,
    /// Nothing yet, or it has been answered.
    Later,
    /// A word.
    Word(usize),
}

/// What the services keep.
pub(crate) struct Services<'a> {
    pub(crate) objects: Table<'a, Object>,
    pub(crate) ties: Table<'a, Tie>,
    pub(crate) waits: WaitRings<'a>,
    pub(crate) letters: Table<'a, Message>,
    pub(crate) pools: Table<'a, Pool>,
    pub(crate) regions: Table<'a, Region>,
    /// A thread was lent something while it was not ready: of some, the urgency
    /// with which they wake is not their own.
    pub(crate) has_lent: bool,
}

/// Their memory.
pub(crate) struct ServicesMemory<'a> {
    pub(crate) objects: &'a mut [Object],
    pub(crate) ties: &'a mut [Tie],
    pub(crate) wait_nodes: &'a mut [WaitNode],
    pub(crate) letters: &'a mut [Message],
    pub(crate) pools: &'a mut [Pool],
    pub(crate) regions: &'a mut [Region],
}

/// Objects, threads with a tie, messages, processes with some, and regions, that a
/// system's services need.
pub(crate) fn needs(header: &SystemHeader) -> [usize; 5] {
    let counts = [
        header.objects,
        header.threads,
        header.messages,
        header.processes,
        header.regions,
    ];
    counts.map(usize::from)
}

impl<'a> Services<'a> {
    pub(crate) fn new(memory: ServicesMemory<'a>) -> Services<'a> {
        Services {
            objects: Table::new(memory.objects, Object::EMPTY),
            ties: Table::new(memory.ties, Tie::EMPTY),
            waits: WaitRings::new(memory.wait_nodes),
            letters: Table::new(memory.letters, Message::EMPTY),
            pools: Table::new(memory.pools, Pool::EMPTY),
            regions: Table::new(memory.regions, Region::EMPTY),
            has_lent: false,
        }
    }

    /// Whether an access named nothing since the last look.
    pub(crate) fn has_missed(&self) -> bool {
        self.objects.has_missed()
            | self.ties.has_missed()
            | self.letters.has_missed()
            | self.pools.has_missed()
            | self.regions.has_missed()
    }

    /// Accesses that named nothing, since the last look.
    pub(crate) fn take_misses(&self) -> u32 {
        self.objects.take_misses()
            + self.ties.take_misses()
            + self.letters.take_misses()
            + self.pools.take_misses()
            + self.regions.take_misses()
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Carries out a call to an object.
    #[inline]
    pub(crate) fn serve(&mut self, thread: u16, call: Call, arguments: &[usize; 6]) {
        let reply = self.try_to_serve(thread, call, arguments);
        self.reply(thread, reply);
    }

    /// Answers a call.
    pub(crate) fn reply(&mut self, thread: u16, reply: Result<Reply, Error>) {
        match reply {
            Ok(Reply::Done) => self.hardware.finish(thread),
            Ok(Reply::Later) => {}
            Ok(Reply::Word(word)) => self.answer(thread, Answer::word(word)),
            Err(error) => self.answer(thread, Answer::error(error)),
        }
    }

    fn try_to_serve(
        &mut self,
        thread: u16,
        call: Call,
        arguments: &[usize; 6],
    ) -> Result<Reply, Error> {
        let [a, b, c, d, e, _] = *arguments;
        let until = |low, high| Instant(crate::call::wide(low, high));
        match call {
            Call::Lock => {
                let semaphore = self.object_of(thread, a, RIGHT_USE)?;
                self.with_word(thread, semaphore, d, |core| {
                    core.lock(thread, semaphore, until(b, c))
                })
            }
            Call::Unlock => {
                let semaphore = self.object_of(thread, a, RIGHT_USE)?;
                self.with_word(thread, semaphore, b, |core| core.unlock(thread, semaphore))
            }
            Call::Wait => {
                let condition = self.object_of(thread, a, RIGHT_USE)?;
                let mutex = self.object_of(thread, b, RIGHT_USE)?;
                self.with_word(thread, mutex, e, |core| {
                    core.wait(thread, condition, mutex, until(c, d))
                })
            }
            Call::Signal => {
                let condition = self.object_of(thread, a, RIGHT_USE)?;
                self.signal(condition)
            }
            Call::Broadcast => {
                let condition = self.object_of(thread, a, RIGHT_USE)?;
                self.broadcast(thread, condition, arguments)
            }
            Call::CreateObject => {
                let index = self.slot_of(thread, a, RIGHT_MANAGE)?;
                let server = match b & 1 {
                    0 => None,
                    _ => Some(self.object_of(thread, c, RIGHT_ANY)?),
                };
                self.create_object(index, server)
            }
            Call::DeleteObject => {
                let object = self.object_of(thread, a, RIGHT_MANAGE)?;
                self.delete_object(thread, object, arguments)
            }
            Call::OpenObject => {
                let index = self.slot_of(thread, a, RIGHT_ANY)?;
                let object = self.services.objects.at(index);
                match object.exists {
                    true => Ok(object.named(index)),
                    false => Err(Error::ESRCH),
                }
            }
            Call::Send => {
                let mailbox = self.object_of(thread, a, RIGHT_USE)?;
                let [_, _, words @ ..] = *arguments;
                self.send(thread, mailbox, b as u32, words.map(|word| word as u32))
            }
            Call::SendBytes => self.send_bytes(thread, arguments),
            Call::Receive => {
                let mailbox = self.object_of(thread, a, RIGHT_RECEIVE)?;
                self.receive(thread, mailbox, until(b, c), Wish::Words)
            }
            Call::ReceiveBytes => self.receive_bytes(thread, arguments),
            Call::CreateThread => self.create_thread(thread, a, b, c),
            Call::JoinThread => self.join_thread(thread, Id(a as u32), until(b, c)),
            Call::DetachThread => self.detach_thread(thread, Id(a as u32)),
            Call::CreateProcess => self.create_process(thread, a),
            Call::KillProcess => self.kill_process(thread, a),
            Call::AwaitProcess => self.await_process(thread, until(a, b)),
            Call::Allocate => self.allocate(thread, a),
            Call::AttachRegion => self.attach_region(thread, a, b),
            Call::DetachRegion => self.detach_region(thread, a),
            _ => Err(Error::ENOSYS),
        }
    }

    /// The slot that a number names, if the thread's process has one of these
    /// rights to it.
    fn slot_of(&self, thread: u16, number: usize, rights: u16) -> Result<u16, Error> {
        let objects = self.system.objects;
        let entry = objects.get(number).ok_or(Error::ESRCH)?;
        let process = self.thread_entry(thread).process;
        let place = entry.rights as usize + process as usize;
        let granted = self.system.links.get(place).copied().unwrap_or(0);
        match granted & rights {
            0 => Err(Error::EPERM),
            _ => Ok(number as u16),
        }
    }

    /// The slot of the object with this id, if it lives and the thread's process
    /// has one of these rights to it.
    #[inline]
    pub(crate) fn object_of(&self, thread: u16, id: usize, rights: u16) -> Result<u16, Error> {
        let id = Id(id as u32);
        let index = self.slot_of(thread, id.index() as usize, rights)?;
        let object = self.services.objects.at(index);
        match object.exists && object.generation == id.generation() {
            true => Ok(index),
            false => Err(Error::ESRCH),
        }
    }

    /// A thread that ends gives back one thing that it had; answers whether there
    /// may be more. O(what it had).
    pub(crate) fn part(&mut self, thread: u16) -> bool {
        if let Some(object) = self.leave(thread) {
            self.suspend(thread, State::Held);
            self.renew_owner(object);
        }
        if self.threads.at(thread).state == State::Joining {
            self.stop_joining(thread);
            self.suspend(thread, State::Held);
        }
        let tie = self.services.ties.at_mut(thread);
        (tie.in_hand, tie.hinted) = (None, false);
        let held = tie.held;
        if held == NONE {
            return false;
        }
        self.abandon(held);
        self.renew(thread);
        self.hasten_end_of(thread);
        true
    }
}
