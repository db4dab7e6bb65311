//! Mailboxes, their messages, and servers.

use super::{Model, Position, State, Wait};
use giornata_abi::call::Answer;
use giornata_abi::message::{Envelope, INLINE, receive, send};
use giornata_abi::system::{ObjectKind, RIGHT_DIRECT, RIGHT_FULL, RIGHT_RECEIVE, RIGHT_USE};
use giornata_abi::{Error, Id};
use giornata_sim::SCRATCH;

/// Bytes at the beginning of each process's scratch page that messages are sent
/// from.
const SOURCE: usize = 2048;

/// What lies there.
pub(crate) fn pattern() -> [u8; SOURCE] {
    std::array::from_fn(|at| ((at * 167) >> 3) as u8 ^ at as u8)
}

/// A message.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// What a server has of it.
    pub(super) urgency: Position,
    priority: u32,
    /// Where it is to go, as its sender named it.
    destination: u32,
    node: u16,
    incoming: bool,
    sender: Id,
    /// The process from whose pool it is.
    pool: usize,
    bytes: Vec<u8>,
}

/// How a thread wants its message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wish {
    Words,
    /// At an address, if it is not longer.
    Bytes(usize, usize),
    /// The same, as a server.
    Full(usize, usize),
}

impl Wish {
    fn has_room_for(self, letter: &Letter) -> bool {
        let room = match self {
            Wish::Words => INLINE,
            Wish::Bytes(_, room) | Wish::Full(_, room) => room,
        };
        letter.bytes.len() <= room
    }
}

impl Model {
    fn find_mailbox(&self, caller: usize, id: usize, right: u16) -> Result<usize, Error> {
        let object = self.find(caller, id, right)?;
        match self.objects[object].kind {
            ObjectKind::Mailbox => Ok(object),
            _ => Err(Error::EINVAL),
        }
    }

    /// A message to a mailbox from a thread that runs.
    fn letter(&self, caller: usize, mailbox: usize, priority: usize, bytes: Vec<u8>) -> Letter {
        Letter {
            urgency: self.threads[caller].position,
            priority: priority as u32,
            destination: self.id_of(mailbox).0,
            node: 0,
            incoming: false,
            sender: self.id_of_thread(caller),
            pool: self.threads[caller].process,
            bytes,
        }
    }

    pub(super) fn send(
        &mut self,
        caller: usize,
        [id, priority, words @ ..]: [usize; 6],
    ) -> Result<Option<Answer>, Error> {
        let mailbox = self.find_mailbox(caller, id, RIGHT_USE)?;
        let bytes = words.iter().flat_map(|word| (*word as u32).to_le_bytes());
        let mut letter = self.letter(caller, mailbox, priority, bytes.collect());
        let mailbox = self.redirect(mailbox, &mut letter)?;
        self.post(caller, mailbox, letter)
    }

    pub(super) fn send_bytes(
        &mut self,
        caller: usize,
        [id, priority, address, length, how, via]: [usize; 6],
    ) -> Result<Option<Answer>, Error> {
        let right = match how {
            0 => RIGHT_USE,
            send::DIRECT => RIGHT_DIRECT,
            send::VIA => 0,
            _ => return Err(Error::EINVAL),
        };
        let source = pattern()[address - SCRATCH..][..length].to_vec();
        let (mailbox, letter) = if how == send::VIA {
            let server = self.slot(caller, via & 0xFFFF, RIGHT_USE)?;
            if !self.objects[server].exists {
                return Err(Error::ESRCH);
            }
            if self.objects[server].kind != ObjectKind::Mailbox {
                return Err(Error::EINVAL);
            }
            let letter = self.letter(caller, server, priority, source);
            let (destination, node) = (id as u32, (via >> 16) as u16);
            (
                server,
                Letter {
                    destination,
                    node,
                    ..letter
                },
            )
        } else {
            let mailbox = self.find_mailbox(caller, id, right)?;
            let mut letter = self.letter(caller, mailbox, priority, source);
            match how {
                0 => (self.redirect(mailbox, &mut letter)?, letter),
                _ => (mailbox, letter),
            }
        };
        let longest = self.processes[letter.pool].message_size.max(INLINE);
        if letter.bytes.len() > longest {
            return Err(Error::EMSGSIZE);
        }
        self.post(caller, mailbox, letter)
    }

    /// Where a message to a mailbox goes: to its server, if it has one. Then it is as
    /// urgent as the thread that it is for: the first that waits for one, else who
    /// received last.
    fn redirect(&mut self, mailbox: usize, letter: &mut Letter) -> Result<usize, Error> {
        let Some(server) = self.objects[mailbox].server else {
            return Ok(mailbox);
        };
        if !self.objects[server].exists {
            return Err(Error::ESRCH);
        }
        letter.incoming = true;
        let first = self.queue(mailbox).first().copied();
        if let Some(reader) = first.or(self.objects[mailbox].reader) {
            letter.urgency = match self.threads[reader].state {
                State::Ready | State::Waiting(_) => self.threads[reader].position,
                _ => self.at_rest(reader),
            };
        }
        Ok(server)
    }

    /// Messages of a process that are under way.
    fn under_way(&self, process: usize) -> usize {
        let all = self.objects.iter().flat_map(|object| &object.letters);
        all.filter(|letter| letter.pool == process).count()
    }

    /// A message comes into a mailbox, or to a thread that waits there.
    fn post(
        &mut self,
        caller: usize,
        mailbox: usize,
        letter: Letter,
    ) -> Result<Option<Answer>, Error> {
        let waiters = self.queue(mailbox);
        let first = waiters.first().map(|waiter| self.wait_of(*waiter).wish);
        // it goes from registers to registers
        let needs_none = matches!(first, Some(wish @ Wish::Words) if wish.has_room_for(&letter));
        let process = self.threads[caller].process;
        if !needs_none && self.under_way(process) >= self.processes[process].messages {
            return Err(Error::EAGAIN);
        }
        self.threads[caller].asked = Some(mailbox);
        let letters = &mut self.objects[mailbox].letters;
        let place = letters.partition_point(|other| other.priority >= letter.priority);
        letters.insert(place, letter);
        // nobody waits where there are others
        for waiter in waiters {
            let wish = self.wait_of(waiter).wish;
            if wish.has_room_for(&self.objects[mailbox].letters[0]) {
                let letter = self.objects[mailbox].letters.remove(0);
                let answer = self.deliver(waiter, mailbox, wish, letter);
                self.release(waiter, answer);
                break;
            }
            self.release(waiter, Answer::error(Error::EMSGSIZE));
        }
        Ok(Some(Answer::DONE))
    }

    fn wait_of(&self, thread: usize) -> Wait {
        match self.threads[thread].state {
            State::Waiting(wait) => wait,
            _ => unreachable!("it is in a queue"),
        }
    }

    /// A thread has a message; what it is answered.
    fn deliver(&mut self, thread: usize, mailbox: usize, wish: Wish, letter: Letter) -> Answer {
        self.objects[mailbox].reader = Some(thread);
        let (length, priority) = (letter.bytes.len(), letter.priority as usize);
        let sender = letter.sender.0 as usize;
        let record = &mut self.threads[thread];
        match wish {
            Wish::Words => {
                let mut bytes = letter.bytes;
                bytes.resize(INLINE, 0);
                let word = |at: usize| {
                    let bytes = bytes[4 * at..][..4].try_into().expect("four bytes");
                    u32::from_le_bytes(bytes) as usize
                };
                Answer::five([word(0), word(1), word(2), word(3), priority])
            }
            Wish::Bytes(address, _) => {
                record.received = Some((address, letter.bytes));
                Answer::five([length, priority, 0, 0, sender])
            }
            Wish::Full(address, _) => {
                record.received = Some((address, letter.bytes.clone()));
                let Letter {
                    destination,
                    node,
                    incoming,
                    ..
                } = letter;
                (record.in_hand, record.taken_from) = (Some(letter), Some(mailbox));
                let from = Envelope { node, incoming }.word();
                Answer::five([length, priority, destination as usize, from, sender])
            }
        }
    }

    pub(super) fn receive_bytes(
        &mut self,
        caller: usize,
        [id, address, room, how]: [usize; 4],
        until: u64,
    ) -> Result<Option<Answer>, Error> {
        match how {
            0 => self.receive(caller, id, RIGHT_RECEIVE, until, Wish::Bytes(address, room)),
            receive::FULL => self.receive(caller, id, RIGHT_FULL, until, Wish::Full(address, room)),
            _ => Err(Error::EINVAL),
        }
    }

    pub(super) fn receive(
        &mut self,
        caller: usize,
        id: usize,
        right: u16,
        until: u64,
        wish: Wish,
    ) -> Result<Option<Answer>, Error> {
        let mailbox = self.find_mailbox(caller, id, right)?;
        if let Wish::Full(..) = wish {
            self.serve(caller, mailbox)?;
        }
        if let Some(first) = self.objects[mailbox].letters.first() {
            if !wish.has_room_for(first) {
                return Err(Error::EMSGSIZE);
            }
            let first = self.objects[mailbox].letters.remove(0);
            return Ok(Some(self.deliver(caller, mailbox, wish, first)));
        }
        match until {
            0 => return Err(Error::EAGAIN),
            until if until <= self.now => return Err(Error::ETIMEDOUT),
            _ => {}
        }
        self.enqueue(caller, mailbox, wish);
        self.set_alarm(caller, until);
        Ok(None)
    }

    /// A thread is the server of a mailbox, with nothing in its hand.
    fn serve(&mut self, caller: usize, mailbox: usize) -> Result<(), Error> {
        match self.objects[mailbox].owner {
            None => {
                self.tail += 1;
                let object = &mut self.objects[mailbox];
                (object.owner, object.taken) = (Some(caller), self.tail);
            }
            Some(owner) if owner == caller => {}
            Some(_) => return Err(Error::EBUSY),
        }
        self.threads[caller].in_hand = None;
        self.settle();
        Ok(())
    }

    /// What somebody who waits for a message has asked for, and what is on its way
    /// to its mailbox, is as urgent as the first that waits there.
    pub(super) fn hasten(&mut self, positions: &[Position]) {
        for thread in 0..self.threads.len() {
            let Some(waits_for) = self.waits_for_message(thread) else {
                continue;
            };
            let own = positions[thread];
            let mut first = own;
            for other in self.queue(waits_for) {
                first = match positions[other].precedes(first) {
                    true => positions[other],
                    false => first,
                };
            }
            for letter in self.concerning(thread) {
                letter.urgency = if letter.incoming { first } else { own };
            }
        }
    }

    /// Whether several wait where one should: how urgent a message is that is on its
    /// way to them by a server, after the first of them has gone, is not said, nor
    /// what a server has of one that another takes from its mailbox.
    pub(super) fn is_contested(&self) -> bool {
        let is_contested = |mailbox: usize| {
            let object = &self.objects[mailbox];
            let has_server = object.server.is_some() || object.owner.is_some();
            has_server && object.kind == ObjectKind::Mailbox && self.queue(mailbox).len() > 1
        };
        (0..self.objects.len()).any(is_contested)
    }

    /// The servers that have such messages of a thread.
    pub(super) fn servers_asked_by(&self, thread: usize) -> Vec<usize> {
        let asked = self.threads[thread].asked;
        let Some(waits_for) = self.waits_for_message(thread) else {
            return Vec::new();
        };
        let mut servers = Vec::new();
        for mailbox in [asked, self.objects[waits_for].server]
            .into_iter()
            .flatten()
        {
            let object = &self.objects[mailbox];
            let Some(server) = object.owner else { continue };
            let server_has = &self.threads[server];
            let hand = server_has.in_hand.iter();
            let hand = hand.filter(|_| server_has.taken_from == Some(mailbox));
            let mut all = object.letters.iter().chain(hand);
            if all.any(|letter| self.concerns(letter, thread, waits_for)) {
                servers.push(server);
            }
        }
        servers
    }

    fn concerns(&self, letter: &Letter, thread: usize, waits_for: usize) -> bool {
        match letter.incoming {
            true => letter.destination == self.id_of(waits_for).0,
            false => letter.sender == self.id_of_thread(thread) && !self.is_at_its_own(thread),
        }
    }

    /// Whether a thread waits as a server: for no answer.
    fn is_at_its_own(&self, thread: usize) -> bool {
        matches!(self.wait_of(thread).wish, Wish::Full(..))
    }

    /// The mailbox that a thread waits at.
    fn waits_for_message(&self, thread: usize) -> Option<usize> {
        match self.threads[thread].state {
            State::Waiting(wait) => {
                let is_mailbox = self.objects[wait.object].kind == ObjectKind::Mailbox;
                is_mailbox.then_some(wait.object)
            }
            _ => None,
        }
    }

    /// The messages that a thread waits for: where it sent its last one, and at the
    /// server of the mailbox that it waits at.
    fn concerning(&mut self, thread: usize) -> Vec<&mut Letter> {
        let Some(waits_for) = self.waits_for_message(thread) else {
            return Vec::new();
        };
        let mailboxes = [self.threads[thread].asked, self.objects[waits_for].server];
        let servers = mailboxes.map(|mailbox| self.objects[mailbox?].owner);
        let (own, destination) = (self.id_of_thread(thread), self.id_of(waits_for).0);
        let asks = !self.is_at_its_own(thread);
        let concerns = |letter: &&mut Letter| match letter.incoming {
            true => letter.destination == destination,
            false => letter.sender == own && asks,
        };
        let objects = self.objects.iter_mut().enumerate();
        let waiting = objects.filter(|(index, _)| mailboxes.contains(&Some(*index)));
        let waiting = waiting.flat_map(|(_, object)| &mut object.letters);
        let threads = self.threads.iter_mut().enumerate();
        let hands = threads.filter(|(index, thread)| {
            let of_server = |pair| pair == (thread.taken_from, Some(*index));
            mailboxes.into_iter().zip(servers).any(of_server)
        });
        let hands = hands.filter_map(|(_, thread)| thread.in_hand.as_mut());
        waiting.chain(hands).filter(concerns).collect()
    }
}
