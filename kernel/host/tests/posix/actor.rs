//! What a thread does, step by step: the library's way to take and give, and its calls.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::posix::{self, Operation};
use giornata_abi::word::{LIMIT, MOST};

use crate::world::{CALL, EVER, USER, World, word_of};

/// What a thread is doing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Doing {
    Nothing,
    /// It has read the word, in a block, or is about to.
    Lock {
        mutex: usize,
        until: u64,
        loaded: Option<u32>,
    },
    Unlock {
        mutex: usize,
        loaded: Option<u32>,
    },
    Wait {
        condition: usize,
        mutex: usize,
        until: u64,
    },
    Take {
        semaphore: usize,
        until: u64,
        loaded: Option<u32>,
    },
    Give {
        semaphore: usize,
        loaded: Option<u32>,
    },
    /// A call whose result tells nothing.
    Other,
    Ended,
}

#[derive(Debug)]
pub(crate) struct Actor {
    pub(crate) doing: Doing,
    /// The call that it makes.
    pub(crate) call: Option<(usize, [usize; 6])>,
    /// Objects that it has tried for one word.
    pub(crate) tries: usize,
    /// Things that it does before it ends.
    pub(crate) left: u32,
}

fn halves(until: u64) -> [usize; 2] {
    [until as u32 as usize, (until >> 32) as usize]
}

fn lock(mutex: usize, until: u64) -> Doing {
    Doing::Lock {
        mutex,
        until,
        loaded: None,
    }
}

impl World {
    pub(crate) fn step(&mut self, me: usize) {
        if let Some((number, arguments)) = self.actors[me].call {
            let context = &self.rig.thread(me).context;
            let (pc, answer) = (context.pc.get(), context.a[0].get());
            match self.rig.take_results(me) {
                Some(results) => self.finish(me, results[0]),
                // a signal has found it in its call, or before it begins again
                None if pc == CALL => self.call(me, number, arguments),
                None => self.finish(me, answer),
            }
            return;
        }
        let mine = word_of(me);
        match self.actors[me].doing {
            Doing::Nothing => self.choose(me),
            Doing::Lock {
                mutex,
                until,
                loaded,
            } => {
                let place = self.mutex_place(mutex);
                match loaded {
                    None => self.load(me, place),
                    Some(0) => {
                        self.set_word(place, mine);
                        self.came_to(me, mutex, false);
                        self.actors[me].doing = Doing::Nothing;
                    }
                    Some(_) => {
                        let [low, high] = halves(until);
                        let slot = self.mutex_object(mutex);
                        self.call(
                            me,
                            Call::Lock as usize,
                            [slot, 1, low, high, USER + place, 0],
                        );
                    }
                }
            }
            Doing::Unlock { mutex, loaded } => {
                let place = self.mutex_place(mutex);
                match loaded {
                    None => self.load(me, place),
                    Some(word) if word == mine => {
                        self.mutexes[mutex].owner = None;
                        self.set_word(place, 0);
                        self.actors[me].doing = Doing::Nothing;
                    }
                    Some(_) => {
                        self.mutexes[mutex].owner = None;
                        let slot = self.mutex_object(mutex);
                        self.call(me, Call::Unlock as usize, [slot, 1, USER + place, 0, 0, 0]);
                    }
                }
            }
            Doing::Wait {
                condition,
                mutex,
                until,
            } => {
                self.mutexes[mutex].owner = None;
                let [low, high] = halves(until);
                let (slot, mutex_slot) =
                    (self.condition_object(condition), self.mutex_object(mutex));
                let word = USER + self.mutex_place(mutex);
                self.call(
                    me,
                    Call::Wait as usize,
                    [slot, 1, mutex_slot, low, high, word],
                );
            }
            Doing::Take {
                semaphore,
                until,
                loaded,
            } => {
                let place = self.semaphore_place(semaphore);
                match loaded {
                    None => self.load(me, place),
                    Some(word) if (1..=MOST).contains(&(word & 0xFFFF)) => {
                        self.set_word(place, word - 1);
                        self.semaphores[semaphore].count -= 1;
                        self.actors[me].doing = Doing::Nothing;
                    }
                    Some(_) => {
                        let [low, high] = halves(until);
                        let slot = self.semaphore_object(semaphore);
                        self.call(
                            me,
                            Call::Lock as usize,
                            [slot, 1, low, high, USER + place, 0],
                        );
                    }
                }
            }
            Doing::Give { semaphore, loaded } => {
                let place = self.semaphore_place(semaphore);
                match loaded {
                    None => self.load(me, place),
                    Some(word) if word & 0xFFFF < word >> LIMIT => {
                        self.set_word(place, word + 1);
                        self.semaphores[semaphore].count += 1;
                        self.actors[me].doing = Doing::Nothing;
                    }
                    Some(_) => {
                        let slot = self.semaphore_object(semaphore);
                        self.semaphores[semaphore].count += 1;
                        self.call(me, Call::Unlock as usize, [slot, 1, USER + place, 0, 0, 0]);
                    }
                }
            }
            Doing::Other | Doing::Ended => panic!("{}: {me} goes on", self.seed),
        }
    }

    fn load(&mut self, me: usize, place: usize) {
        let word = self.word(place);
        if let Some(loaded) = self.loaded(me) {
            *loaded = Some(word);
        }
    }

    fn call(&mut self, me: usize, number: usize, arguments: [usize; 6]) {
        let context = &self.rig.thread(me).context;
        context.pc.set(CALL);
        // (no frame has room there, so a signal ends a wait and does nothing else)
        context.sp.set(0);
        self.actors[me].call = Some((number, arguments));
        self.rig.call_number(number, arguments);
    }

    /// Its word has another object. The next one is tried, unless somebody has found it.
    fn try_next(&mut self, me: usize, slot: usize, is_mutex: bool, number: usize) {
        let count = self.actors.len();
        self.actors[me].tries += 1;
        assert!(
            self.actors[me].tries <= 2 * count + 1,
            "{}: a word has no object",
            self.seed
        );
        let hint = match is_mutex {
            true => &mut self.mutexes[number].hint,
            false => &mut self.semaphores[number].hint,
        };
        if *hint == slot % count {
            *hint = (*hint + 1) % count;
        }
    }

    /// The call of a thread is over.
    fn finish(&mut self, me: usize, code: usize) {
        let Some((_, arguments)) = self.actors[me].call.take() else {
            return;
        };
        let (error, now, seed) = (Error::from_code(code), self.rig.now(), self.seed);
        let may_be_refused = self.has_short_chains || !self.owns(me).is_empty();
        let mut next = Doing::Nothing;
        match (self.actors[me].doing, error) {
            (Doing::Lock { mutex, .. }, None) => self.came_to(me, mutex, false),
            (Doing::Lock { mutex, .. } | Doing::Wait { mutex, .. }, Some(Error::EOWNERDEAD)) => {
                self.came_to(me, mutex, true);
            }
            (doing @ Doing::Lock { mutex, .. }, Some(Error::EINVAL)) => {
                self.has_not(me, mutex);
                self.try_next(me, arguments[0], true, mutex);
                next = doing;
            }
            (Doing::Lock { mutex, until, .. }, Some(Error::EINTR)) => {
                self.has_not(me, mutex);
                next = lock(mutex, until);
            }
            (Doing::Lock { mutex, until, .. }, Some(Error::ETIMEDOUT)) => {
                self.has_not(me, mutex);
                assert!(
                    until <= now,
                    "{seed}: {me} has waited for {mutex} until {until}, at {now}"
                );
            }
            (
                Doing::Lock {
                    mutex, until: 0, ..
                },
                Some(Error::EBUSY),
            ) => self.has_not(me, mutex),
            (Doing::Lock { mutex, .. } | Doing::Wait { mutex, .. }, Some(Error::EDEADLK))
                if may_be_refused =>
            {
                self.has_not(me, mutex);
            }
            (Doing::Wait { mutex, until, .. }, None | Some(Error::ETIMEDOUT)) => {
                assert!(
                    error.is_none() || until <= now,
                    "{seed}: {me} has waited until {until}"
                );
                self.came_to(me, mutex, false);
            }
            (doing @ Doing::Wait { mutex, .. }, Some(Error::EINVAL)) if self.has(me, mutex) => {
                self.try_next(me, arguments[2], true, mutex);
                next = doing;
            }
            // it has waited, and another mutex has the object, or a signal has come
            (Doing::Wait { mutex, .. }, Some(Error::EINVAL | Error::EINTR)) => {
                self.has_not(me, mutex);
                next = lock(mutex, EVER);
            }
            (doing @ Doing::Unlock { mutex, .. }, Some(Error::EINVAL)) => {
                self.try_next(me, arguments[0], true, mutex);
                next = doing;
            }
            (Doing::Unlock { .. } | Doing::Give { .. } | Doing::Other, None) => {}
            (Doing::Take { semaphore, .. }, None) => self.semaphores[semaphore].count -= 1,
            (doing @ Doing::Take { semaphore, .. }, Some(Error::EINVAL)) => {
                self.try_next(me, arguments[0], false, semaphore);
                next = doing;
            }
            (doing @ Doing::Give { semaphore, .. }, Some(Error::EINVAL)) => {
                self.semaphores[semaphore].count -= 1;
                self.try_next(me, arguments[0], false, semaphore);
                next = doing;
            }
            (Doing::Take { until, .. }, Some(Error::ETIMEDOUT)) => {
                assert!(until <= now, "{seed}: {me} has waited until {until}");
            }
            (Doing::Take { .. } | Doing::Other, Some(_)) => {}
            (doing, error) => panic!("{seed}: {me} is told {error:?}: {doing:?}"),
        }
        if !matches!(error, Some(Error::EINVAL)) || matches!(next, Doing::Nothing) {
            self.actors[me].tries = 0;
        }
        if matches!(next, Doing::Lock { loaded: None, .. }) {
            self.actors[me].tries = 0;
        }
        self.actors[me].doing = next;
    }

    /// A thread does something else.
    fn choose(&mut self, me: usize) {
        let actor = &mut self.actors[me];
        let Some(left) = actor.left.checked_sub(1) else {
            return self.end(me);
        };
        actor.left = left;
        let now = self.rig.now();
        let soon = now + self.dice.below(12) as u64;
        let last = self.owns(me).pop();
        let other = self.dice.below(self.actors.len());
        match self.dice.below(16) {
            0..5 => {
                let mutex = self.dice.below(self.mutexes.len());
                let is_in_order = last.is_none_or(|last| last < mutex);
                if self.mutexes[mutex].owner != Some(me) {
                    let until = match self.dice.below(3) {
                        0 => 0,
                        1 if is_in_order => EVER,
                        _ => soon.max(1),
                    };
                    self.actors[me].doing = lock(mutex, until);
                }
            }
            5..8 => {
                let owned = self.owns(me);
                if let Some(mutex) = self.dice.maybe(&owned) {
                    self.actors[me].doing = Doing::Unlock {
                        mutex,
                        loaded: None,
                    };
                }
            }
            8..11 => {
                let condition = self.dice.below(self.conditions.len());
                let mutex = self.conditions[condition];
                if last == Some(mutex) {
                    let until = soon.max(1);
                    self.actors[me].doing = Doing::Wait {
                        condition,
                        mutex,
                        until,
                    };
                }
            }
            11 => {
                let condition = self.dice.below(self.conditions.len());
                let number = self.dice.pick(&[Call::Signal, Call::Broadcast]);
                let slot = self.condition_object(condition);
                self.ask(me, number as usize, [slot, 1, 0, 0, 0, 0]);
            }
            12 => {
                let semaphore = self.dice.below(self.semaphores.len());
                self.actors[me].doing = match self.dice.one_in(2) {
                    true => Doing::Take {
                        semaphore,
                        until: soon.max(1),
                        loaded: None,
                    },
                    false => Doing::Give {
                        semaphore,
                        loaded: None,
                    },
                };
            }
            13 => {
                let [low, high] = halves(soon);
                self.ask(me, Call::Sleep as usize, [low, high, 0, 0, 0, 0]);
            }
            14 => {
                let priority = 1 + self.dice.below(9);
                self.ask(
                    me,
                    Call::SetPriority as usize,
                    [other, 1, priority, 0, 0, 0],
                );
            }
            _ => {
                let interrupt = Operation::Interrupt as usize;
                self.ask(me, posix::CALL, [interrupt, other, 1, CALL, 0, 0]);
            }
        }
    }

    fn ask(&mut self, me: usize, number: usize, arguments: [usize; 6]) {
        self.actors[me].doing = Doing::Other;
        self.call(me, number, arguments);
    }

    /// It gives back what it has, or leaves it to others, and ends.
    fn end(&mut self, me: usize) {
        if let Some(mutex) = self.owns(me).pop() {
            if !self.dice.one_in(4) {
                self.actors[me].doing = Doing::Unlock {
                    mutex,
                    loaded: None,
                };
                return;
            }
            self.mutexes[mutex].owner = None;
            self.mutexes[mutex].is_abandoned = true;
            return;
        }
        self.actors[me].doing = Doing::Ended;
        self.call(me, Call::Exit as usize, [0; 6]);
    }
}
