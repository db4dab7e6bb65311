//! Random systems, and what happens in them.
//!
//! Everything is chosen by seeds, the same everywhere and for ever. What a thread asks
//! for is chosen when it runs, with a look at the model, so that threads often meet:
//! they lock what others own, reply to who called, delete what is waited for.

mod author;
mod dice;
mod systems;

pub use dice::Dice;
pub use systems::system;

use crate::model::{Event, Model};
use crate::request::Request;
use author::Author;
use giornata_abi::trace::FaultCause;
use std::collections::VecDeque;

/// Ticks in which programs reckon: more than there are threads.
const UNIT: u64 = 32;

/// What a system is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Mutexes, semaphores, conditions, priorities.
    Locks,
    /// Messages, and servers that ask for all.
    Mailboxes,
    /// Requests, replies, forwarding.
    Calls,
    /// Threads and processes that come and go.
    Lives,
    /// All of these.
    All,
}

impl Menu {
    /// Every menu.
    pub const ALL: [Menu; 5] = [
        Menu::Locks,
        Menu::Mailboxes,
        Menu::Calls,
        Menu::Lives,
        Menu::All,
    ];
}

/// What happens beside plain calls. A kernel that cannot do one of these yet is compared
/// without it.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// Threads that are scheduled by deadline.
    pub deadlines: bool,
    /// Mutexes with ceilings.
    pub ceilings: bool,
    /// Private mutexes.
    pub private: bool,
    /// Published ceilings.
    pub published: bool,
    /// Announced mutexes.
    pub announced: bool,
    /// Interrupts.
    pub interrupts: bool,
    /// Faults.
    pub faults: bool,
    /// Which calls are made; a thread that would make another sleeps.
    pub calls: fn(&Request) -> bool,
}

impl Scope {
    /// All of it.
    pub const ALL: Scope = Scope {
        deadlines: true,
        ceilings: true,
        private: true,
        published: true,
        announced: true,
        interrupts: true,
        faults: true,
        calls: |_| true,
    };
}

/// What goes on in a system.
#[derive(Clone, Debug)]
pub struct Program {
    menu: Menu,
    scope: Scope,
    /// By thread: calls that it makes one after the other.
    plans: Vec<VecDeque<Request>>,
}

impl Program {
    /// Of a system with so many threads.
    pub fn new(menu: Menu, scope: Scope, threads: usize) -> Program {
        Program {
            menu,
            scope,
            plans: vec![VecDeque::new(); threads],
        }
    }

    /// What happens next, and when; nothing ever if `None`.
    pub fn next(&mut self, dice: &mut Dice, model: &mut Model) -> Option<(Event, u64)> {
        let now = model.now();
        let alarm = model.next_event();
        let Some(thread) = model.runs() else {
            let late = match dice.one_in(8) {
                true => dice.below(6) as u64 * UNIT,
                false => 0,
            };
            let line = self.line(dice, model);
            return match (line, alarm) {
                (Some(line), alarm) if alarm.is_none() || dice.one_in(4) => {
                    let at = alarm.map_or(now + 1, |alarm| alarm.min(now + 1));
                    Some((Event::Interrupt(line), at.max(now)))
                }
                (_, alarm) => alarm.map(|alarm| (Event::Timer, alarm.max(now) + late)),
            };
        };
        let at = now + dice.pick(&[0, 0, 0, 1, 2, 4, 9]) * UNIT;
        // what is due may come late, but seldom does
        if let Some(alarm) = alarm
            && alarm <= at
            && !dice.one_in(6)
        {
            return Some((Event::Timer, alarm.max(now)));
        }
        if let Some(aside) = self.aside(dice, model, thread) {
            let process = model.system().threads[thread].process;
            return match (aside, alarm) {
                // (an interrupt is taken before an instruction that would fault)
                (Event::Fault(_), Some(alarm)) if alarm <= at => Some((Event::Timer, at)),
                // (the model ends threads at once, the kernel each in its turn: that shows
                // where those outlive them that they wait for, or that wait for them)
                (Event::Fault(_), _) if model.outlives_in_turns(process, thread) => {
                    Some((Event::Publish(0), at))
                }
                (aside, _) => Some((aside, at)),
            };
        }
        let mut request = self.request(dice, model, thread, at);
        // (who kills is left for the first piece of that, and moved to its ceiling before: the
        // model sees it left later; and see above)
        let shows = match request {
            Request::KillProcess { process } => {
                model.has_published(thread) || model.outlives_in_turns(process, thread)
            }
            _ => false,
        };
        if shows || !(self.scope.calls)(&request) {
            let until = (at / UNIT + dice.below(12) as u64) * UNIT + thread as u64;
            request = Request::Sleep { until };
        }
        Some((Event::Call(request), at))
    }

    fn line(&self, dice: &mut Dice, model: &Model) -> Option<usize> {
        let lines = model.system().lines.len();
        (self.scope.interrupts && lines > 0).then(|| dice.below(lines))
    }

    /// Something else than a call.
    fn aside(&self, dice: &mut Dice, model: &Model, thread: usize) -> Option<Event> {
        match dice.below(60) {
            0 if self.scope.faults => Some(Event::Fault(FaultCause::Store)),
            1 | 2 => Some(Event::Timer),
            3 | 4 => self.line(dice, model).map(Event::Interrupt),
            5 if self.scope.published => Some(Event::Publish(dice.pick(&[4, 5, 7, 8, 20]))),
            6 if self.scope.published => Some(Event::Publish(0)),
            7 | 8 if self.scope.announced => {
                let mutexes = Author::mutexes(model);
                let mutex = dice.maybe(&mutexes);
                Some(Event::Announce(mutex.map(|mutex| model.object_id(mutex))))
            }
            9..=14 if self.scope.private => Author::store(dice, model, thread),
            _ => None,
        }
    }

    /// What the running thread asks for at an instant.
    fn request(&mut self, dice: &mut Dice, model: &Model, thread: usize, now: u64) -> Request {
        let mut author = Author {
            dice,
            model,
            thread,
            now,
        };
        if let Some(next) = self.planned(&mut author) {
            return next;
        }
        // locks are part of everything
        let parts: &[Menu] = match self.menu {
            Menu::Locks => &[Menu::Locks],
            Menu::Mailboxes => &[Menu::Mailboxes, Menu::Mailboxes, Menu::Locks],
            Menu::Calls => &[Menu::Calls, Menu::Calls, Menu::Calls, Menu::Locks],
            Menu::Lives => &[Menu::Lives, Menu::Lives, Menu::Locks],
            Menu::All => &[Menu::Mailboxes, Menu::Calls, Menu::Lives, Menu::Locks],
        };
        match author.dice.pick(parts) {
            Menu::Mailboxes => author.mail(),
            Menu::Calls => author.client_or_server(),
            Menu::Lives => author.lives(),
            _ => author.locks(),
        }
    }

    /// The next call of a thread's plan, which leads to where chance alone seldom comes.
    fn planned(&mut self, author: &mut Author<'_>) -> Option<Request> {
        let plan = &mut self.plans[author.thread];
        if plan.is_empty() && author.dice.one_in(3) {
            *plan = match self.menu {
                Menu::Mailboxes => author.mail_plan(),
                Menu::Calls => author.call_plan(),
                Menu::All if author.dice.one_in(2) => author.mail_plan(),
                Menu::All => author.call_plan(),
                _ => VecDeque::new(),
            };
        }
        match author.dice.one_in(5) {
            true => None,
            false => plan.pop_front(),
        }
    }
}
