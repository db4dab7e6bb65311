//! What threads do: a few sections each, over and over.

use super::Plan;
use crate::call::{Call, Name, Patience, Way};
use crate::random::Random;
use crate::scenario::Theme;
use crate::system::{ObjectKind, Role, System};

/// Lengths of messages; up to 16 bytes travel in registers, and longer ones than
/// 64 have no room.
const LENGTHS: [u32; 8] = [0, 5, 8, 16, 17, 24, 48, 60];
/// Priorities of messages.
const MESSAGE_PRIORITIES: [u32; 5] = [0, 1, 1, 2, 31];

/// By thread: its script. Tasks and upcalls have none.
pub(super) fn draw(random: &mut Random, plan: Plan, system: &System) -> Vec<Vec<Call>> {
    let threads = 0..system.threads.len();
    let write = |thread| {
        let mut author = Author::new(random, plan, system, thread);
        match system.threads[thread].role {
            Role::Given(_) => author.script(),
            Role::Spare => {
                let mut script = author.script();
                script.truncate(4);
                script.push(Call::Exit(author.random.below(100)));
                script
            }
            Role::Task { .. } | Role::Upcalls => Vec::new(),
        }
    };
    threads.map(write).collect()
}

/// Who writes what a thread does.
pub(super) struct Author<'a> {
    random: &'a mut Random,
    plan: Plan,
    system: &'a System,
    thread: usize,
    mutexes: Vec<usize>,
    semaphores: Vec<usize>,
    conditions: Vec<usize>,
    mailboxes: Vec<usize>,
}

/// A part of a script.
#[derive(Clone, Copy)]
enum Section {
    Critical,
    Condition,
    Take,
    Give,
    Signal,
    Send,
    Receive,
    Sleep,
    Yield,
    Port,
    Interrupt,
    Priority,
    Child,
    Supervise,
    Region,
    Allocate,
    Clock,
    Manage,
}

impl<'a> Author<'a> {
    pub(super) fn new(
        random: &'a mut Random,
        plan: Plan,
        system: &'a System,
        thread: usize,
    ) -> Author<'a> {
        Author {
            random,
            plan,
            system,
            thread,
            mutexes: system.slots(ObjectKind::is_mutex),
            semaphores: system.slots(|kind| matches!(kind, ObjectKind::Semaphore { .. })),
            conditions: system.slots(|kind| kind == ObjectKind::Condition),
            mailboxes: system.slots(|kind| matches!(kind, ObjectKind::Mailbox { .. })),
        }
    }

    fn script(&mut self) -> Vec<Call> {
        let mut script = Vec::new();
        for _ in 0..self.random.between(2, 4) {
            let section = self.section();
            script.extend(self.write(section));
        }
        // who never waits lets nobody else run
        if self.random.below(4) > 0 {
            script.push(self.sleep());
        }
        script
    }

    /// The next section, as often as the theme has it and the system allows it.
    fn section(&mut self) -> Section {
        use Section::{
            Allocate, Child, Clock, Condition, Critical, Give, Interrupt, Manage, Port, Priority,
            Receive, Region, Send, Signal, Sleep, Supervise, Take, Yield,
        };
        let theme = self.plan.theme;
        let process = self.system.threads[self.thread].process;
        let owns_line = self.system.lines.iter().any(|l| l.owner == Some(process));
        let supervises = self
            .system
            .processes
            .iter()
            .any(|p| p.supervisor == Some(process));
        let has_spare = self.spare().is_some();
        let is = |one: Theme| theme == one;
        let if_any = |weight, is_there| if is_there { weight } else { 0 };
        let table = [
            (Critical, if_any(30, !self.mutexes.is_empty())),
            (
                Condition,
                if_any(20, !self.conditions.is_empty() && !self.mutexes.is_empty()),
            ),
            (Signal, if_any(15, !self.conditions.is_empty())),
            (Take, if_any(15, !self.semaphores.is_empty())),
            (Give, if_any(15, !self.semaphores.is_empty())),
            (Send, if_any(30, !self.mailboxes.is_empty())),
            (Receive, if_any(30, !self.mailboxes.is_empty())),
            (Sleep, 12),
            (Yield, 2),
            (Port, if_any(25, self.system.ports > 0)),
            (Interrupt, if_any(25, owns_line)),
            (Priority, 5),
            (Child, if_any(25, has_spare)),
            (Supervise, if_any(40, supervises)),
            (Region, if_any(15, !self.system.regions.is_empty())),
            (Allocate, if_any(5, is(Theme::Lives))),
            (Clock, 4),
            (Manage, if_any(2, !self.system.objects.is_empty())),
        ];
        let weights = table.map(|(_, weight)| weight);
        table[self.random.weighted(&weights)].0
    }

    fn write(&mut self, section: Section) -> Vec<Call> {
        match section {
            Section::Critical => self.critical(0),
            Section::Condition => self.condition(),
            Section::Signal => vec![self.signal()],
            Section::Take => vec![self.take()],
            Section::Give => vec![self.give()],
            Section::Send => vec![self.send()],
            Section::Receive => vec![self.receive()],
            Section::Sleep => vec![self.sleep()],
            Section::Yield => vec![Call::Yield],
            Section::Port => vec![self.port()],
            Section::Interrupt => vec![self.interrupt()],
            Section::Priority => vec![self.set_priority()],
            Section::Child => self.child(),
            Section::Supervise => vec![self.supervise()],
            Section::Region => self.region(),
            Section::Allocate => vec![Call::Allocate(self.random.pick(&[1, 16, 20, 33, 70]))],
            Section::Clock => vec![self.clock()],
            Section::Manage => self.manage(),
        }
    }

    /// One call that belongs to no section.
    pub(super) fn any(&mut self) -> Call {
        let section = self.section();
        let calls = self.write(section);
        calls[self.random.index(calls.len())]
    }

    fn name(&mut self, slots: &[usize]) -> Name {
        Name {
            slot: slots[self.random.index(slots.len())],
            is_stale: self.random.one_in(50),
        }
    }

    fn mutex(&mut self) -> Name {
        self.name(&self.mutexes.clone())
    }

    fn patience(&mut self) -> Patience {
        match self.random.below(20) {
            0 | 1 => Patience::None,
            2..=8 => Patience::Ticks(self.random.between(2, 100).into()),
            9 | 10 => Patience::Ticks(10 * u64::from(self.random.between(10, 100))),
            _ => Patience::Endless,
        }
    }

    fn sleep(&mut self) -> Call {
        Call::Sleep(self.random.between(1, 40) as u64 * 10)
    }

    fn clock(&mut self) -> Call {
        let process = &self.system.processes[self.system.threads[self.thread].process];
        // what a thread had used before a restart may count or not
        let is_never_restarted = process.on_fault != crate::OnFault::Restart
            && process.supervisor.is_none()
            && !matches!(self.system.threads[self.thread].role, Role::Spare);
        match self.random.below(3) {
            0 if is_never_restarted => Call::CpuTime,
            1 => Call::Null,
            _ => Call::Clock,
        }
    }

    // --- mutexes, semaphores, conditions ---

    /// Something inside a mutex, maybe inside another.
    fn critical(&mut self, depth: u32) -> Vec<Call> {
        let mutex = self.mutex();
        let mut calls = vec![Call::Lock(mutex, self.patience())];
        match self.random.below(12) {
            0..=3 => calls.push(self.sleep()),
            4 | 5 if depth < 2 => calls.extend(self.critical(depth + 1)),
            6 if !self.conditions.is_empty() => calls.push(self.signal()),
            7 if !self.semaphores.is_empty() => calls.push(self.give()),
            8 if !self.semaphores.is_empty() => calls.push(self.take()),
            9 if !self.mailboxes.is_empty() => calls.push(self.send()),
            10 if self.random.one_in(3) => calls.push(self.set_priority()),
            _ => {}
        }
        calls.push(Call::Unlock(mutex));
        // else who waits may find it locked again before it has run
        if depth == 0 && self.random.below(3) > 0 {
            calls.push(self.sleep());
        }
        calls
    }

    fn condition(&mut self) -> Vec<Call> {
        let (condition, mutex) = (self.name(&self.conditions.clone()), self.mutex());
        vec![
            Call::Lock(mutex, Patience::Endless),
            Call::Wait(condition, mutex, self.patience()),
            Call::Unlock(mutex),
        ]
    }

    fn signal(&mut self) -> Call {
        let condition = self.name(&self.conditions.clone());
        match self.random.below(3) {
            0 => Call::Broadcast(condition),
            _ => Call::Signal(condition),
        }
    }

    fn take(&mut self) -> Call {
        let semaphore = self.name(&self.semaphores.clone());
        Call::Lock(semaphore, self.patience())
    }

    fn give(&mut self) -> Call {
        Call::Unlock(self.name(&self.semaphores.clone()))
    }

    /// Ends an object or makes it, or asks for its id.
    fn manage(&mut self) -> Vec<Call> {
        let slot = self.random.index(self.system.objects.len());
        let is_stale = self.random.one_in(8);
        match self.random.below(4) {
            0 => vec![Call::Open(slot)],
            1 => vec![self.create(slot)],
            _ => vec![Call::Delete(Name { slot, is_stale }), self.create(slot)],
        }
    }

    /// Makes what lives in a slot, at times attached to a server.
    fn create(&mut self, slot: usize) -> Call {
        let is_attached = self.plan.servers && self.random.one_in(2);
        let server = is_attached.then(|| self.name(&self.mailboxes.clone()));
        Call::Create(slot, server)
    }

    // --- mailboxes ---

    fn send(&mut self) -> Call {
        let mailbox = self.name(&self.mailboxes.clone());
        let priority = self.random.pick(&MESSAGE_PRIORITIES);
        if self.takes_words(mailbox) {
            let words = [0; 2].map(|_| self.random.below(200));
            return Call::Send(mailbox, priority, words);
        }
        let way = match self.plan.servers {
            false => Way::Usual,
            true => match self.random.below(6) {
                0 => Way::Direct,
                1 => Way::By(self.mailboxes[0], self.random.below(3) as u16),
                _ => Way::Usual,
            },
        };
        Call::SendBytes(mailbox, priority, self.random.pick(&LENGTHS), way)
    }

    /// Every second mailbox is for words; servers take bytes.
    fn takes_words(&self, mailbox: Name) -> bool {
        mailbox.slot.is_multiple_of(2) && !self.plan.servers
    }

    fn receive(&mut self) -> Call {
        let mailbox = self.name(&self.mailboxes.clone());
        let patience = self.patience();
        if self.takes_words(mailbox) {
            return Call::Receive(mailbox, patience);
        }
        match self.plan.servers && self.random.one_in(2) {
            true => Call::Serve(mailbox, patience),
            false => Call::ReceiveBytes(mailbox, patience),
        }
    }

    // --- ports, interrupts ---

    fn port(&mut self) -> Call {
        let port = self.random.index(self.system.ports);
        match self.random.one_in(2) {
            true => Call::ReadPort(port),
            false => Call::WritePort(port, self.random.below(32) as i32),
        }
    }

    fn interrupt(&mut self) -> Call {
        let line = self.random.index(self.system.lines.len());
        Call::AwaitInterrupt(self.system.lines[line].number)
    }

    // --- threads and processes ---

    /// The place for a thread that the process has.
    fn spare(&self) -> Option<usize> {
        let process = self.system.threads[self.thread].process;
        let mut threads = self.system.threads_of(process);
        threads.find(|thread| self.system.threads[*thread].role == Role::Spare)
    }

    /// The priority of a thread of the same process, mostly the own one.
    fn set_priority(&mut self) -> Call {
        let process = self.system.threads[self.thread].process;
        let threads: Vec<usize> = self.system.threads_of(process).collect();
        let other = match self.random.one_in(3) {
            true => threads[self.random.index(threads.len())],
            false => self.thread,
        };
        Call::SetPriority(other, self.plan.priority(self.random, other as u8))
    }

    fn child(&mut self) -> Vec<Call> {
        let Some(spare) = self.spare() else {
            return vec![Call::Yield];
        };
        let create = Call::CreateThread(self.plan.priority(self.random, spare as u8));
        match self.random.below(4) {
            0 => vec![create, Call::Detach(spare)],
            1 => vec![create],
            _ => {
                let patience = self.patience();
                vec![create, Call::Join(spare, patience)]
            }
        }
    }

    fn supervise(&mut self) -> Call {
        let own = self.system.threads[self.thread].process;
        let all = 0..self.system.processes.len();
        let supervised = all.filter(|one| self.system.processes[*one].supervisor == Some(own));
        let supervised: Vec<usize> = supervised.collect();
        let process = match self.random.one_in(6) {
            true => self.random.index(self.system.processes.len()),
            false => self.random.pick(&supervised),
        };
        match self.random.below(8) {
            0 => Call::KillProcess(process),
            1..=3 => Call::CreateProcess(process),
            _ => {
                let patience = self.patience();
                Call::AwaitProcess(patience)
            }
        }
    }

    fn region(&mut self) -> Vec<Call> {
        let region = self.random.index(self.system.regions.len());
        let attach = Call::AttachRegion(region, self.random.below(3) > 0);
        match self.random.below(3) {
            0 => vec![attach],
            _ => vec![attach, Call::DetachRegion(region)],
        }
    }
}
