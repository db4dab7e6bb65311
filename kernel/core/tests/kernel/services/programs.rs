//! Random systems of threads and objects, and what their threads do next.
//!
//! Each system is about something: locks, mail, threads and processes that come
//! and go, or all of it. What a thread asks for is chosen when it runs, with a look
//! at the model, so that it often meets others: it locks what they have, answers
//! what they asked, deletes what they wait for. Some of it goes by a plan of a few
//! calls, as a client's or a server's, which leads to where chance alone seldom
//! comes.

use super::model::{Model, NEVER, Place};
use crate::dice::Dice;
use giornata_abi::Id;
use giornata_abi::call::{Call, Request};
use giornata_abi::message::{receive, send};
use giornata_abi::system::{
    FaultPolicy, OBJECT_AT_BOOT, ObjectKind, RIGHT_DIRECT, RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE,
    RIGHT_USE,
};
use giornata_sim::{SCRATCH, Scheduling, SystemBuilder, Tables};
use std::collections::VecDeque;

/// A tick.
pub(crate) const US: u64 = 1_000;
/// Where threads receive into, each in a room of its own.
const ROOMS: usize = SCRATCH + 2048;
const ROOM: usize = 64;
/// Where processes have memory to take.
const HEAP: usize = 0x5000;

/// What a system is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matter {
    Locks,
    Mail,
    Lives,
    All,
}

/// A random system, and what goes on in it.
pub(crate) struct Program {
    matter: Matter,
    /// By thread: calls that it makes one after the other.
    plans: Vec<VecDeque<Request>>,
}

impl Program {
    /// A program, and the system that it runs on.
    pub(crate) fn random(dice: &mut Dice) -> (Program, Tables) {
        use Matter::{All, Lives, Locks, Mail};
        let matter = dice.pick(&[Locks, Locks, Mail, Mail, Mail, Lives, All]);
        let tables = random_system(dice, matter);
        let plans = vec![VecDeque::new(); tables.threads.len()];
        (Program { matter, plans }, tables)
    }

    /// What the thread that runs asks for.
    pub(crate) fn next(
        &mut self,
        dice: &mut Dice,
        model: &Model,
        thread: usize,
        now: u64,
    ) -> Request {
        let mut author = Author {
            dice,
            model,
            thread,
            now,
        };
        if matches!(self.matter, Matter::Mail | Matter::All) {
            let plan = &mut self.plans[thread];
            if plan.is_empty() && author.dice.one_in(3) {
                *plan = author.plan();
            }
            if !author.dice.one_in(5)
                && let Some(next) = plan.pop_front()
            {
                return next;
            }
        }
        // locks are part of everything
        let parts: &[Matter] = match self.matter {
            Matter::Locks => &[Matter::Locks],
            Matter::Mail => &[Matter::Mail, Matter::Mail, Matter::Locks],
            Matter::Lives => &[Matter::Lives, Matter::Lives, Matter::Locks],
            Matter::All => &[Matter::Mail, Matter::Lives, Matter::Locks],
        };
        match author.dice.pick(parts) {
            Matter::Mail => author.mail_request(),
            Matter::Lives => author.lives_request(),
            _ => author.lock_request(),
        }
    }
}

fn random_system(dice: &mut Dice, matter: Matter) -> Tables {
    let mut b = SystemBuilder::new();
    b.tables.header.timer_hertz = 1_000_000;
    b.tables.header.deadline_band = 6;
    let processes = match matter {
        Matter::Locks | Matter::Mail => 1 + dice.below(3),
        Matter::Lives | Matter::All => 2 + dice.below(2),
    };
    let most = if dice.one_in(6) { 14 } else { 6 };
    let threads = processes.max(2 + dice.below(most - 1));
    for process in 0..processes {
        let share = threads / processes + usize::from(process < threads % processes);
        add_process(&mut b, dice, matter, share);
    }
    if matches!(matter, Matter::Locks | Matter::All | Matter::Lives) {
        add_locks(&mut b, dice, processes, 4);
    }
    if matches!(matter, Matter::Mail | Matter::All) {
        add_mailboxes(&mut b, dice, processes);
    }
    if matter == Matter::Mail {
        add_locks(&mut b, dice, processes, 2);
    }
    b.finish()
}

fn add_process(b: &mut SystemBuilder, dice: &mut Dice, matter: Matter, threads: usize) {
    let index = b.process();
    let entry = b.process_entry(index);
    entry.max_priority = dice.pick(&[255, 255, 8, 4]);
    entry.on_fault = dice.pick(&[FaultPolicy::Stop, FaultPolicy::Restart]) as u8;
    let comes_and_goes = matches!(matter, Matter::Lives | Matter::All);
    if comes_and_goes {
        (entry.heap, entry.heap_size) = (HEAP as u32, 64);
        if index > 0 && !dice.one_in(4) {
            entry.supervisor = dice.below(index.into()) as u16;
            entry.by_call = u16::from(dice.one_in(3));
        }
    }
    for _ in 0..threads {
        let scheduling = match dice.below(6) {
            0 => Scheduling::Deadline(dice.pick(&[8, 40, 40, 200]) * US),
            _ => Scheduling::Fifo(dice.pick(&[3, 4, 5, 5, 7, 8])),
        };
        b.thread(index, scheduling);
    }
    if comes_and_goes {
        for _ in 0..dice.below(4) {
            b.spare_thread(index);
        }
    }
    if matches!(matter, Matter::Mail | Matter::All) {
        b.messages(index, dice.pick(&[0, 1, 2, 4, 8]), dice.pick(&[0, 24, 48]));
    }
}

fn add_locks(b: &mut SystemBuilder, dice: &mut Dice, processes: usize, most: usize) {
    for number in 0..1 + dice.below(most) {
        let kind = if number == 0 { 0 } else { dice.below(9) };
        let object = match kind {
            0..=2 => b.mutex(),
            3 | 4 => b.ceiling_mutex(dice.pick(&[5, 7, 8, 9])),
            5 | 6 => b.semaphore(dice.below(3) as u32, 2 + dice.below(2) as u32),
            _ => b.condition(),
        };
        let all = RIGHT_USE | RIGHT_MANAGE;
        let rights = [all, all, all, all, RIGHT_USE, RIGHT_USE, RIGHT_MANAGE, 0];
        grant(b, dice, processes, object, &rights);
    }
}

/// A server's mailbox or two, others that are attached to one, and others.
fn add_mailboxes(b: &mut SystemBuilder, dice: &mut Dice, processes: usize) {
    let first = b.mailbox();
    let mut mailboxes = vec![first];
    for _ in 0..1 + dice.below(4) {
        mailboxes.push(match dice.below(3) {
            0 => b.attached_mailbox(dice.pick(&mailboxes)),
            _ => b.mailbox(),
        });
    }
    let all = RIGHT_USE | RIGHT_MANAGE | RIGHT_RECEIVE | RIGHT_DIRECT | RIGHT_FULL;
    let rights = [
        all,
        all,
        all,
        all,
        all,
        all & !RIGHT_MANAGE,
        RIGHT_USE,
        RIGHT_FULL,
        0,
    ];
    for mailbox in mailboxes {
        grant(b, dice, processes, mailbox, &rights);
    }
}

/// Each process has one of these rights to an object, which may not be there yet.
fn grant(b: &mut SystemBuilder, dice: &mut Dice, processes: usize, object: u16, rights: &[u16]) {
    for process in 0..processes {
        b.grant_object(process as u16, object, dice.pick(rights));
    }
    if dice.one_in(10) {
        b.tables.objects[usize::from(object)].flags &= !OBJECT_AT_BOOT;
    }
}

fn request(call: Call, arguments: &[usize]) -> Request {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    Request {
        number: call as usize,
        arguments: all,
    }
}

/// Who chooses what the thread that runs asks for.
struct Author<'a> {
    dice: &'a mut Dice,
    model: &'a Model,
    thread: usize,
    now: u64,
}

impl Author<'_> {
    // --- what calls are about ---

    /// An instant up to which a thread waits, in two halves: often soon, at times
    /// never or past.
    fn until(&mut self) -> [usize; 2] {
        let (dice, now) = (&mut *self.dice, self.now);
        let until = match dice.below(20) {
            0 | 1 => 0,
            2 => now.saturating_sub(US),
            3 => now,
            4..=8 => NEVER,
            9..=11 => now + (50 + dice.below(200) as u64) * US,
            // between two ticks
            12 => now + 1 + dice.below(20_000) as u64,
            _ => now + (1 + dice.below(20) as u64) * US,
        };
        [until as u32 as usize, (until >> 32) as usize]
    }

    /// One of a kind, if there is one, else any.
    fn object(&mut self, kinds: &[ObjectKind]) -> usize {
        let is_wanted = |o: &usize| {
            let object = &self.model.objects[*o];
            object.exists && kinds.contains(&object.kind)
        };
        let wanted: Vec<usize> = (0..self.model.objects.len()).filter(is_wanted).collect();
        match wanted.is_empty() || self.dice.one_in(30) {
            true => self.dice.below(self.model.objects.len()),
            false => self.dice.pick(&wanted),
        }
    }

    /// A mutex that the thread has, if it has one, else any.
    fn own_mutex(&mut self) -> usize {
        let mut owned = self.model.owned_by(self.thread);
        owned.retain(|object| self.model.objects[*object].kind == ObjectKind::Mutex);
        match owned.is_empty() {
            true => self.object(&[ObjectKind::Mutex]),
            false => self.dice.pick(&owned),
        }
    }

    /// The mailbox that the thread serves, if it does, else any.
    fn own_mailbox(&mut self) -> usize {
        let mut owned = self.model.owned_by(self.thread);
        owned.retain(|object| self.model.objects[*object].kind == ObjectKind::Mailbox);
        match owned.is_empty() || self.dice.one_in(8) {
            true => self.object(&[ObjectKind::Mailbox]),
            false => self.dice.pick(&owned),
        }
    }

    /// The id of an object; at times one of another time, or of nothing.
    fn id(&mut self, object: usize) -> usize {
        let id = self.model.id_of(object);
        let id = match self.dice.below(80) {
            0 => Id::new(id.index(), id.generation().wrapping_sub(1)),
            1 => Id::new(id.index() + 1, id.generation()),
            2 => Id::new(u16::MAX, 0),
            _ => id,
        };
        id.0 as usize
    }

    /// The id of a thread of the own process, of a created one if there is one;
    /// at times of another, or of who was there before.
    fn thread_id(&mut self) -> usize {
        let threads = &self.model.threads;
        let own = threads[self.thread].process;
        let is_created = |t: &usize| {
            let place = threads[*t].place;
            threads[*t].process == own && !matches!(place, Place::Given | Place::Free)
        };
        let created: Vec<usize> = (0..threads.len()).filter(is_created).collect();
        let other = match created.is_empty() || self.dice.one_in(5) {
            true => self.dice.below(threads.len()),
            false => self.dice.pick(&created),
        };
        let id = self.model.id_of_thread(other);
        match self.dice.one_in(20) {
            true => Id::new(id.index(), id.generation().wrapping_sub(1)).0 as usize,
            false => id.0 as usize,
        }
    }

    // --- calls ---

    fn lock(&mut self, object: usize) -> Request {
        let (id, [low, high]) = (self.id(object), self.until());
        request(Call::Lock, &[id, low, high])
    }

    fn unlock(&mut self, object: usize) -> Request {
        request(Call::Unlock, &[self.id(object)])
    }

    fn send(&mut self, mailbox: usize) -> Request {
        let priority = self.dice.pick(&[0, 1, 1, 2, u32::MAX as usize]);
        let id = self.id(mailbox);
        if self.dice.one_in(2) {
            let words = [0; 3].map(|_| self.dice.word() as u32 as usize);
            return request(Call::Send, &[id, priority, words[0], words[1], words[2]]);
        }
        let length = self.dice.pick(&[0, 5, 8, 16, 17, 24, 40]);
        let address = SCRATCH + 8 * self.dice.below(128);
        let how = self
            .dice
            .pick(&[0, 0, 0, send::DIRECT, send::VIA, send::VIA, 3]);
        let server = self.object(&[ObjectKind::Mailbox]);
        let via = self.dice.below(3) << 16 | server;
        request(Call::SendBytes, &[id, priority, address, length, how, via])
    }

    fn receive(&mut self, mailbox: usize) -> Request {
        let (id, [low, high]) = (self.id(mailbox), self.until());
        if self.dice.one_in(2) {
            return request(Call::Receive, &[id, low, high]);
        }
        let room = self.dice.pick(&[4, 16, 40, 40]);
        request(Call::ReceiveBytes, &[id, low, high, self.room(), room, 0])
    }

    /// Asks for the next message as a server.
    fn serve(&mut self, mailbox: usize) -> Request {
        let (id, [low, high]) = (self.id(mailbox), self.until());
        let room = self.dice.pick(&[16, 40, 40, 40]);
        let how = receive::FULL;
        request(Call::ReceiveBytes, &[id, low, high, self.room(), room, how])
    }

    /// Where the thread receives into.
    fn room(&self) -> usize {
        ROOMS + ROOM * self.thread
    }

    fn sleep(&mut self) -> Request {
        let soon = self.now + self.dice.below(12) as u64 * US;
        request(Call::Sleep, &[soon as usize, (soon >> 32) as usize])
    }

    /// The priority of any thread becomes another.
    fn set_priority(&mut self) -> Request {
        let other = self.dice.below(self.model.threads.len());
        let id = self.model.id_of_thread(other).0 as usize;
        let priority = self.dice.pick(&[2, 3, 4, 5, 5, 6, 7, 8, 9]);
        request(Call::SetPriority, &[id, priority])
    }

    /// An object begins; one that there is not, if there is one.
    fn create(&mut self) -> Request {
        let gone = self.model.objects.iter().position(|object| !object.exists);
        let any = self.dice.below(self.model.objects.len() + 1);
        let index = gone.unwrap_or(any);
        let call = self
            .dice
            .pick(&[Call::CreateObject, Call::CreateObject, Call::OpenObject]);
        let server = self.object(&[ObjectKind::Mailbox]);
        let how = usize::from(self.dice.one_in(3));
        request(call, &[index, how, self.id(server)])
    }

    fn delete(&mut self) -> Request {
        let object = self.dice.below(self.model.objects.len());
        request(Call::DeleteObject, &[self.id(object)])
    }

    fn exit(&mut self) -> Request {
        request(Call::Exit, &[self.dice.word() as usize])
    }

    // --- what is done ---

    fn lock_request(&mut self) -> Request {
        use ObjectKind::{Condition, Mutex, Semaphore};
        match self.dice.below(100) {
            0..33 => {
                let object = self.object(&[Mutex, Semaphore]);
                self.lock(object)
            }
            33..53 => {
                let object = match self.dice.below(3) {
                    0 => self.object(&[Semaphore]),
                    _ => self.own_mutex(),
                };
                self.unlock(object)
            }
            53..63 => {
                let condition = self.object(&[Condition]);
                let mutex = self.own_mutex();
                let [low, high] = self.until();
                let ids = [condition, mutex].map(|object| self.id(object));
                request(Call::Wait, &[ids[0], ids[1], low, high])
            }
            63..72 => {
                let calls = [Call::Signal, Call::Signal, Call::Broadcast];
                let (call, object) = (self.dice.pick(&calls), self.object(&[Condition]));
                request(call, &[self.id(object)])
            }
            72..82 => self.sleep(),
            82..88 => self.set_priority(),
            88..93 => self.create(),
            93..96 => self.delete(),
            96..99 => request(Call::Yield, &[]),
            _ => self.exit(),
        }
    }

    fn mail_request(&mut self) -> Request {
        let any = self.object(&[ObjectKind::Mailbox]);
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

    fn lives_request(&mut self) -> Request {
        let number = self.dice.below(self.model.processes.len() + 1);
        let [low, high] = self.until();
        match self.dice.below(100) {
            0..25 => {
                let priority = self.dice.pick(&[3, 4, 5, 6, 7, 8, 200, 300]);
                request(Call::CreateThread, &[0x4000, 7, priority])
            }
            25..45 => request(Call::JoinThread, &[self.thread_id(), low, high]),
            45..52 => request(Call::DetachThread, &[self.thread_id()]),
            52..64 => self.exit(),
            64..74 => self.sleep(),
            74..80 => request(Call::AwaitProcess, &[low, high]),
            80..86 => request(Call::KillProcess, &[number]),
            86..92 => request(Call::CreateProcess, &[number]),
            92..96 => request(
                Call::Allocate,
                &[self.dice.pick(&[1, 16, 17, 33, usize::MAX])],
            ),
            _ => self.set_priority(),
        }
    }

    // --- plans ---

    /// What a client does, or a server, or one that both must wait for.
    fn plan(&mut self) -> VecDeque<Request> {
        let [asked, answers] = [0; 2].map(|_| self.object(&[ObjectKind::Mailbox]));
        let own = self.own_mailbox();
        let mutex = self.object(&[ObjectKind::Mutex]);
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
}
