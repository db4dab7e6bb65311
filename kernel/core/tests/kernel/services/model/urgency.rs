//! Who stands where: urgencies of their own, and what is lent.

use super::mail::Letter;
use super::{Model, Position, State, Thread};
use giornata_abi::system::ObjectKind;

impl Position {
    pub(super) fn precedes(self, other: Position) -> bool {
        (other.level, self.key) < (self.level, other.key)
    }

    fn more_urgent(self, other: Position) -> Position {
        match other.precedes(self) {
            true => other,
            false => self,
        }
    }
}

pub(super) fn level_of(priority: u8) -> u16 {
    u16::from(priority) + 1
}

impl Model {
    /// Comes to the tail of its level.
    pub(super) fn arrive(&mut self, thread: usize) {
        self.tail += 1;
        let level = self.own_level(thread);
        let thread = &mut self.threads[thread];
        (thread.arrival, thread.level, thread.is_fresh) = (self.tail, level, true);
    }

    pub(super) fn own_level(&self, thread: usize) -> u16 {
        match self.threads[thread].deadline {
            Some(_) => self.deadline_level,
            None => level_of(self.threads[thread].priority),
        }
    }

    /// Where it stands by itself.
    fn base(&self, thread: usize) -> Position {
        let Thread {
            level,
            arrival,
            deadline,
            ..
        } = self.threads[thread];
        let key = match deadline {
            Some((_, at)) if level == self.deadline_level => (at >> 6) as i64,
            _ => arrival,
        };
        Position { level, key }
    }

    /// The most urgent of the messages that a thread has as a server.
    fn letters_of(&self, thread: usize) -> Option<Position> {
        let urgencies = self.letters_with(thread).map(|letter| letter.urgency);
        urgencies.reduce(Position::more_urgent)
    }

    /// The messages that a thread has as a server: in its mailboxes and in its hand.
    pub(super) fn letters_with(&self, server: usize) -> impl Iterator<Item = &Letter> {
        let served = self.owned_by(server).into_iter();
        let waiting = served.flat_map(|object| &self.objects[object].letters);
        waiting.chain(&self.threads[server].in_hand)
    }

    /// Where a thread stands that is there by itself, if the others stand there:
    /// its messages are in the stead of its own; ceilings, and those that wait for
    /// its mutexes, come to that.
    fn lent(&self, thread: usize, own: Position, positions: &[Position]) -> Position {
        let mut most = self.letters_of(thread).unwrap_or(own);
        for object in self.owned_by(thread) {
            most = self.objects[object]
                .place
                .map_or(most, |place| most.more_urgent(place));
        }
        for (waiter, position) in positions.iter().enumerate() {
            if self.awaited(waiter) == Some(thread) {
                most = most.more_urgent(*position);
            }
        }
        most
    }

    /// Where each stands, and the messages of those that wait for an answer.
    fn effective(&mut self) -> Vec<Position> {
        let all = 0..self.threads.len();
        let mut positions: Vec<Position> = self.threads.iter().map(|t| t.position).collect();
        // a chain is no longer than there are threads; who is in a circle of
        // servers that ask each other stands anywhere
        for _ in 0..=all.len() {
            self.hasten(&positions);
            let place = |thread| self.lent(thread, self.base(thread), &positions);
            let next: Vec<Position> = all.clone().map(place).collect();
            if next == positions {
                break;
            }
            positions = next;
        }
        positions
    }

    /// Where a thread would stand that waits for nothing and came just now.
    pub(super) fn at_rest(&mut self, thread: usize) -> Position {
        self.tail += 1;
        let level = self.own_level(thread);
        let key = match self.threads[thread].deadline {
            Some((_, at)) => (at >> 6) as i64,
            None => self.tail,
        };
        let positions: Vec<Position> = self.threads.iter().map(|t| t.position).collect();
        self.lent(thread, Position { level, key }, &positions)
    }

    /// Who has the mutex that a thread is queued for.
    fn awaited(&self, thread: usize) -> Option<usize> {
        match self.threads[thread].state {
            State::Waiting(wait) if self.objects[wait.object].kind == ObjectKind::Mutex => {
                self.objects[wait.object].owner
            }
            _ => None,
        }
    }

    /// Whom a thread lends its urgency.
    fn borrowers(&self, thread: usize) -> Vec<usize> {
        let mut all = self.servers_asked_by(thread);
        all.extend(self.awaited(thread));
        all
    }

    /// Whether threads lend each other their urgency in a circle.
    fn is_circular(&self) -> bool {
        let count = self.threads.len();
        let reach = |from: usize| {
            let mut reached = vec![false; count];
            let mut open = self.borrowers(from);
            while let Some(thread) = open.pop() {
                if !std::mem::replace(&mut reached[thread], true) {
                    open.extend(self.borrowers(thread));
                }
            }
            reached[from]
        };
        (0..count).any(reach)
    }

    /// Whether a server has done its last message and stands where a waiter of its
    /// mutexes stands, at the level that it has of its own: nothing says whether
    /// it stays or comes to the head of that.
    fn may_stay(&self, thread: usize) -> bool {
        let Thread {
            had_letters,
            position,
            ..
        } = self.threads[thread];
        let is_done = had_letters && self.letters_of(thread).is_none();
        let stands_there = |other: &Thread| other.position == position;
        let waiters = (0..self.threads.len()).filter(|other| self.awaited(*other) == Some(thread));
        let mut waiters = waiters.map(|other| &self.threads[other]);
        is_done && position.level == self.own_level(thread) && waiters.any(stands_there)
    }

    /// Recomputes where all stand. Who falls back to its own level comes to the head
    /// of that, each once, those that are waited for last.
    pub(super) fn settle(&mut self) {
        let mut has_moved: Vec<bool> = Vec::new();
        self.is_moot |= (0..self.threads.len()).any(|thread| self.may_stay(thread));
        for thread in 0..self.threads.len() {
            let level = self.own_level(thread);
            let before = self.threads[thread].level;
            if level > before {
                self.arrive(thread);
            } else if level < before {
                self.fall(thread);
            }
            has_moved.push(self.threads[thread].is_fresh);
        }
        loop {
            let positions = self.effective();
            let falls = |thread: &usize| {
                let (before, after) = (self.threads[*thread].position, positions[*thread]);
                let is_own = after.level == self.threads[*thread].level;
                let returns = self.threads[*thread].had_letters && after == self.base(*thread);
                let is_free = !has_moved[*thread] && self.letters_of(*thread).is_none();
                is_free && (returns || before.precedes(after) && is_own)
            };
            let falling: Vec<usize> = (0..self.threads.len()).filter(falls).collect();
            let is_last = |thread: &&usize| {
                let lends = |other: &usize| self.borrowers(*other).contains(*thread);
                !falling.iter().any(lends)
            };
            match falling.iter().find(is_last).or(falling.first()).copied() {
                Some(thread) => {
                    self.fall(thread);
                    has_moved[thread] = true;
                }
                None => return self.stand(&positions),
            }
        }
    }

    /// All threads, each behind those that lend it their urgency.
    fn lenders_first(&self) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..self.threads.len()).collect();
        let mut ordered = Vec::new();
        while !rest.is_empty() {
            let is_lent = |thread: &usize| {
                let lends = |other: &usize| self.borrowers(*other).contains(thread);
                rest.iter().any(lends)
            };
            // in a circle nobody is first
            let first = rest.iter().position(|thread| !is_lent(thread));
            ordered.push(rest.remove(first.unwrap_or(0)));
        }
        ordered
    }

    /// Each comes to where it stands; a waiter that stands elsewhere than before
    /// comes behind its equals.
    fn stand(&mut self, positions: &[Position]) {
        for thread in self.lenders_first() {
            let position = &positions[thread];
            let has_letters = self.letters_of(thread).is_some();
            let record = &mut self.threads[thread];
            if let State::Waiting(wait) = &mut record.state
                && record.position != *position
                && !(record.is_fresh && wait.since == record.arrival)
            {
                self.tail += 1;
                wait.since = self.tail;
            }
            (record.position, record.is_fresh) = (*position, false);
            record.had_letters = has_letters;
        }
        self.is_moot |= self.is_circular() || self.is_contested();
    }

    /// Comes to the head of its level.
    fn fall(&mut self, thread: usize) {
        self.head -= 1;
        let level = self.own_level(thread);
        let thread = &mut self.threads[thread];
        (thread.arrival, thread.level, thread.is_fresh) = (self.head, level, true);
    }

    /// Who waits for an object, the most urgent first.
    pub(crate) fn queue(&self, object: usize) -> Vec<usize> {
        let mut queue: Vec<(Position, i64, usize)> = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            if let State::Waiting(wait) = thread.state
                && wait.object == object
            {
                queue.push((thread.position, wait.since, index));
            }
        }
        queue.sort_by_key(|(p, since, _)| (std::cmp::Reverse(p.level), p.key, *since));
        queue.into_iter().map(|(.., thread)| thread).collect()
    }
}
