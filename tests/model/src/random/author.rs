//! What the running thread asks for, with a look at the model.

use super::{Dice, UNIT};
use crate::model::{Event, Model, State, Tenancy, Word};
use crate::request::{NEVER, Request, Route};
use crate::system::Kind;
use giornata_abi::id::Id;
use std::collections::VecDeque;

pub(super) struct Author<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) model: &'a Model,
    pub(super) thread: usize,
    pub(super) now: u64,
}

fn is_mutex(kind: Kind) -> bool {
    matches!(kind, Kind::Mutex { .. })
}

fn is_mailbox(kind: Kind) -> bool {
    matches!(kind, Kind::Mailbox { .. })
}

impl Author<'_> {
    // --- what calls are about ---

    /// An instant until which a thread waits: often soon, at times never or past.
    fn until(&mut self) -> u64 {
        match self.dice.below(20) {
            0 | 1 => 0,
            2 => self.now.saturating_sub(1),
            3 => self.now,
            4..=8 => NEVER,
            9..=11 => self.in_units(50, 200),
            _ => self.in_units(1, 20),
        }
    }

    fn soon(&mut self) -> u64 {
        self.in_units(0, 12)
    }

    /// An instant after so many units, and up to `span` more. Each thread has instants of
    /// its own: in which order those of one instant come is not promised.
    fn in_units(&mut self, from: usize, span: usize) -> u64 {
        let units = (from + self.dice.below(span)) as u64;
        (self.now / UNIT + units) * UNIT + self.thread as u64 % UNIT
    }

    fn kind(&self, object: usize) -> Kind {
        self.model.system().objects[object].kind
    }

    /// One of a kind, if one exists, else any.
    fn object(&mut self, is_wanted: impl Fn(Kind) -> bool) -> usize {
        let count = self.model.system().objects.len();
        let exists = |object: &usize| self.model.exists(*object);
        let wanted = (0..count).filter(|o| exists(o) && is_wanted(self.kind(*o)));
        let wanted: Vec<usize> = wanted.collect();
        match self.dice.maybe(&wanted) {
            Some(object) if !self.dice.one_in(30) => object,
            _ => self.dice.below(count),
        }
    }

    /// The mutexes that exist.
    pub(super) fn mutexes(model: &Model) -> Vec<usize> {
        let kinds = model.system().objects.iter().enumerate();
        let mutexes = kinds.filter(|(slot, spec)| model.exists(*slot) && is_mutex(spec.kind));
        mutexes.map(|(slot, _)| slot).collect()
    }

    /// A mutex that the thread owns, if it owns one, else any.
    fn own_mutex(&mut self) -> usize {
        let mut owned = Author::mutexes(self.model);
        owned.retain(|mutex| self.model.owns(self.thread, *mutex));
        match self.dice.maybe(&owned) {
            Some(mutex) => mutex,
            None => self.object(is_mutex),
        }
    }

    /// The mailbox that the thread serves, if it does, else any.
    fn own_mailbox(&mut self) -> usize {
        let count = self.model.system().objects.len();
        let served = |object: &usize| self.model.server(*object) == Some(self.thread);
        let served: Vec<usize> = (0..count).filter(served).collect();
        match self.dice.maybe(&served) {
            Some(mailbox) if !self.dice.one_in(8) => mailbox,
            _ => self.object(is_mailbox),
        }
    }

    /// The id of an object; at times of another tenant, or of nothing.
    fn id(&mut self, object: usize) -> Id {
        let id = self.model.object_id(object);
        stale(self.dice, id, 80)
    }

    /// The id of a thread, of a created one of the own process if there is one; at times
    /// of who was there before.
    fn thread_id(&mut self) -> Id {
        let threads = &self.model.system().threads;
        let process = threads[self.thread].process;
        let is_created = |thread: &usize| {
            let tenancy = self.model.tenancy(*thread);
            let is_here = !matches!(tenancy, Tenancy::Given | Tenancy::Free);
            threads[*thread].process == process && is_here
        };
        let created: Vec<usize> = (0..threads.len()).filter(is_created).collect();
        let other = match self.dice.maybe(&created) {
            Some(thread) if !self.dice.one_in(5) => thread,
            _ => self.dice.below(threads.len()),
        };
        stale(self.dice, self.model.thread_id(other), 20)
    }

    // --- calls ---

    fn lock(&mut self, object: usize) -> Request {
        let (object, until) = (self.id(object), self.until());
        Request::Lock { object, until }
    }

    fn unlock(&mut self, object: usize) -> Request {
        let object = self.id(object);
        Request::Unlock { object }
    }

    fn words(&mut self) -> [u32; 4] {
        [0; 4].map(|_| self.dice.word() as u32)
    }

    fn priority(&mut self) -> u8 {
        self.dice.pick(&[0, 1, 1, 2, 255])
    }

    fn send(&mut self, mailbox: usize) -> Request {
        let (id, priority) = (self.id(mailbox), self.priority());
        if self.dice.one_in(2) {
            return Request::Send {
                mailbox: id,
                priority,
                words: self.words(),
            };
        }
        let length = self.dice.pick(&[0, 5, 8, 16, 17, 24, 40]);
        let bytes = (0..length).map(|_| self.dice.word() as u8).collect();
        let server = self.object(is_mailbox);
        let node = self.dice.below(3) as u16;
        let routes = [Route::Usual, Route::Direct, Route::Via(server, node)];
        Request::SendBytes {
            mailbox: id,
            priority,
            bytes,
            route: routes[self.dice.pick(&[0, 0, 0, 1, 2, 2])],
        }
    }

    fn receive_words(&mut self, mailbox: usize) -> Request {
        let (mailbox, until) = (self.id(mailbox), self.until());
        Request::Receive { mailbox, until }
    }

    fn receive(&mut self, mailbox: usize) -> Request {
        if self.dice.one_in(2) {
            return self.receive_words(mailbox);
        }
        let (mailbox, until) = (self.id(mailbox), self.until());
        Request::ReceiveBytes {
            mailbox,
            until,
            capacity: self.dice.pick(&[4, 16, 40, 40]),
            full: false,
        }
    }

    /// Asks for the next message as a server.
    fn serve(&mut self, mailbox: usize) -> Request {
        let (mailbox, until) = (self.id(mailbox), self.until());
        Request::ReceiveBytes {
            mailbox,
            until,
            capacity: self.dice.pick(&[16, 40, 40, 40]),
            full: true,
        }
    }

    fn call(&mut self, mailbox: usize) -> Request {
        Request::Call {
            mailbox: self.id(mailbox),
            priority: self.priority(),
            words: self.words(),
        }
    }

    /// The client whose request came last, or another, or a token that is stale.
    fn client(&mut self) -> (Option<usize>, u32) {
        let last = self.model.client(self.thread);
        let waiting = self.model.clients(self.thread);
        match (last, self.dice.maybe(&waiting)) {
            (Some((client, token)), _) if !self.dice.one_in(10) => (Some(client), token),
            (_, Some((client, token))) if !self.dice.one_in(10) => (Some(client), token),
            _ => (self.dice.maybe(&[0, 1]), self.dice.below(5) as u32),
        }
    }

    fn reply(&mut self) -> Request {
        let (client, token) = self.client();
        Request::ReplyReceive {
            client,
            token,
            words: self.words(),
        }
    }

    fn sleep(&mut self) -> Request {
        let until = self.soon();
        Request::Sleep { until }
    }

    fn set_priority(&mut self) -> Request {
        let other = self.dice.below(self.model.system().threads.len());
        // (when the ids of a process that ends become stale is not promised)
        let other = match self.model.is_alive(other) {
            true => other,
            false => self.thread,
        };
        Request::SetPriority {
            thread: stale(self.dice, self.model.thread_id(other), 40),
            priority: self.dice.pick(&[2, 3, 4, 5, 5, 6, 7, 8, 9, 256]),
        }
    }

    /// An object begins; one that does not exist, if there is one.
    fn create(&mut self) -> Request {
        let count = self.model.system().objects.len();
        let gone = (0..count).find(|object| !self.model.exists(*object));
        let any = self.dice.below(count + 1);
        let slot = gone.unwrap_or(any);
        if self.dice.one_in(3) {
            return Request::OpenObject { slot };
        }
        let server = self.object(is_mailbox);
        Request::CreateObject {
            slot,
            server: self.dice.one_in(3).then_some(server),
        }
    }

    fn delete(&mut self) -> Request {
        let object = self.dice.below(self.model.system().objects.len());
        let object = self.id(object);
        Request::DeleteObject { object }
    }

    fn exit(&mut self) -> Request {
        Request::Exit {
            value: self.dice.word() as u32,
        }
    }

    fn await_interrupt(&mut self) -> Request {
        match self.model.system().lines.len() {
            0 => Request::Yield,
            lines => Request::AwaitInterrupt {
                line: self.dice.below(lines),
            },
        }
    }

    // --- menus ---

    pub(super) fn locks(&mut self) -> Request {
        let is_semaphore = |kind| matches!(kind, Kind::Semaphore { .. });
        let is_condition = |kind| kind == Kind::Condition;
        match self.dice.below(103) {
            0..33 => {
                let object = self.object(|kind| is_mutex(kind) || is_semaphore(kind));
                self.lock(object)
            }
            33..53 => {
                let object = match self.dice.below(3) {
                    0 => self.object(is_semaphore),
                    _ => self.own_mutex(),
                };
                self.unlock(object)
            }
            53..63 => {
                let condition = self.object(is_condition);
                Request::Wait {
                    mutex: self.own_mutex(),
                    condition: self.id(condition),
                    until: self.until(),
                }
            }
            63..72 => {
                let condition = self.object(is_condition);
                let condition = self.id(condition);
                match self.dice.one_in(3) {
                    true => Request::Broadcast { condition },
                    false => Request::Signal { condition },
                }
            }
            72..82 => self.sleep(),
            82..88 => self.set_priority(),
            88..93 => self.create(),
            93..96 => self.delete(),
            96..99 => Request::Yield,
            99..102 => self.await_interrupt(),
            _ => self.exit(),
        }
    }

    pub(super) fn mail(&mut self) -> Request {
        let any = self.object(is_mailbox);
        match self.dice.below(100) {
            0..32 => self.send(any),
            32..56 => self.receive(any),
            56..80 => {
                let own = self.own_mailbox();
                self.serve(own)
            }
            80..87 => self.sleep(),
            87..95 => self.set_priority(),
            95..98 => self.create(),
            _ => self.delete(),
        }
    }

    pub(super) fn client_or_server(&mut self) -> Request {
        let any = self.object(is_mailbox);
        match self.dice.below(100) {
            0..28 => self.call(any),
            28..52 => self.reply(),
            52..72 => self.receive_words(any),
            72..79 => {
                let (client, token) = self.client();
                Request::Forward {
                    mailbox: self.id(any),
                    client: client.unwrap_or(0),
                    token,
                }
            }
            79..83 => Request::Send {
                mailbox: self.id(any),
                priority: self.priority(),
                words: self.words(),
            },
            83..89 => self.sleep(),
            89..94 => self.set_priority(),
            94..97 => self.create(),
            97..99 => self.delete(),
            _ => self.exit(),
        }
    }

    pub(super) fn lives(&mut self) -> Request {
        let process = self.dice.below(self.model.system().processes.len() + 1);
        let until = self.until();
        match self.dice.below(100) {
            0..25 => Request::CreateThread {
                priority: self.dice.pick(&[3, 4, 5, 6, 7, 8, 200, 300]),
            },
            25..45 => Request::JoinThread {
                thread: self.thread_id(),
                until,
            },
            45..52 => Request::DetachThread {
                thread: self.thread_id(),
            },
            52..64 => self.exit(),
            64..74 => self.sleep(),
            74..80 => Request::AwaitProcess { until },
            80..86 => Request::KillProcess { process },
            86..92 => Request::CreateProcess { process },
            _ => self.set_priority(),
        }
    }

    // --- plans ---

    /// What a sender does, or a server, or one that both must wait for.
    pub(super) fn mail_plan(&mut self) -> VecDeque<Request> {
        let [asked, answers] = [0; 2].map(|_| self.object(is_mailbox));
        let own = self.own_mailbox();
        let mutex = self.object(is_mutex);
        let steps = match self.dice.below(5) {
            0 => vec![
                self.lock(mutex),
                self.send(asked),
                self.receive(answers),
                self.unlock(mutex),
            ],
            1 => vec![self.send(asked), self.sleep(), self.receive(answers)],
            2 => vec![
                self.serve(own),
                self.sleep(),
                self.send(answers),
                self.serve(own),
            ],
            3 => vec![
                self.serve(own),
                self.lock(mutex),
                self.unlock(mutex),
                self.serve(own),
            ],
            _ => vec![
                self.serve(own),
                self.send(asked),
                self.receive(answers),
                self.serve(own),
            ],
        };
        steps.into()
    }

    /// What a client does with a mutex, or a server that blocks on the way.
    pub(super) fn call_plan(&mut self) -> VecDeque<Request> {
        let [asked, other] = [0; 2].map(|_| self.object(is_mailbox));
        let mutex = self.object(is_mutex);
        let steps = match self.dice.below(4) {
            0 => vec![self.lock(mutex), self.call(asked), self.unlock(mutex)],
            1 => vec![self.receive_words(asked), self.sleep(), self.reply()],
            2 => vec![self.receive_words(asked), self.call(other), self.reply()],
            _ => vec![
                self.receive_words(asked),
                self.lock(mutex),
                self.unlock(mutex),
                self.reply(),
            ],
        };
        steps.into()
    }

    /// A thread takes a private mutex by its word, or gives it back, as its runtime would;
    /// at times it writes nonsense.
    pub(super) fn store(dice: &mut Dice, model: &Model, thread: usize) -> Option<Event> {
        let process = model.system().threads[thread].process;
        let objects = model.system().objects.iter().enumerate();
        let private = objects.filter(|(_, spec)| {
            let is_private = matches!(spec.kind, Kind::Mutex { private: true, .. });
            is_private && spec.rights[process] != 0
        });
        let private: Vec<usize> = private.map(|(slot, _)| slot).collect();
        let mutex = dice.maybe(&private)?;
        let own = model.thread_id(thread);
        let word = match model.word(mutex) {
            _ if dice.one_in(20) => {
                let other = dice.below(model.system().threads.len());
                let Id { slot, serial } = stale(dice, model.thread_id(other), 2);
                // (as much of an id as a word can hold)
                let id = Id {
                    slot: slot & 0xFFF,
                    serial: serial & 0xFFFF,
                };
                // (one that says that somebody waits, kernels with POSIX's services refuse)
                dice.pick(&[Word::Free, Word::Held(id)])
            }
            Word::Free => Word::Held(own),
            Word::Held(id) if id == own => Word::Free,
            _ => return None,
        };
        Some(Event::Store(mutex, word))
    }
}

/// An id; once in `often` times of another tenant, or of nothing.
fn stale(dice: &mut Dice, id: Id, often: usize) -> Id {
    let Id { slot, serial } = id;
    match dice.below(3 * often) {
        0 => Id {
            slot,
            serial: serial.wrapping_sub(1),
        },
        1 => Id {
            slot: slot + 1,
            serial,
        },
        2 => Id {
            slot: 0xFFFF,
            serial: 1,
        },
        _ => id,
    }
}

impl Model {
    /// Whether a thread owns a mutex, by what the kernel knows or its word says.
    fn owns(&self, thread: usize, mutex: usize) -> bool {
        self.owner(mutex) == Some(thread) || self.word(mutex) == Word::Held(self.thread_id(thread))
    }

    /// The clients whose requests a thread has, and the tokens of the replies.
    fn clients(&self, thread: usize) -> Vec<(usize, u32)> {
        let all = 0..self.system().threads.len();
        let client = |client: usize| match self.state(client) {
            State::Calls {
                server: Some(server),
                token,
                ..
            } if *server == thread => Some((client, *token)),
            _ => None,
        };
        all.filter_map(client).collect()
    }
}
