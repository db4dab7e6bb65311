//! Watches for what another kernel may do otherwise: see
//! [`Kind`](giornata_replay_logs::Kind).

use crate::machine::Machine;
use giornata_core::{Kernel, State, Vitality, Wait};
use giornata_replay_logs as logs;
use giornata_replay_logs::{Call, Kind, Machine as _, ObjectKind, Runner, Touch};
use giornata_sim::Board;

/// What is known of mutexes and waits after each entry into the kernel, and what
/// has touched the scenario.
#[derive(Default)]
pub(crate) struct Watch {
    step: usize,
    touches: Vec<Touch>,
    /// By slot; empty for what is no mutex.
    mutexes: Vec<Mutex>,
    /// By slot: whether it is a mutex with a ceiling.
    ceilings: Vec<bool>,
    /// By thread: the slot that it waits for.
    waits: Vec<Option<usize>>,
    /// Who ran when the kernel was entered, and made the entry.
    caller: Option<u16>,
    /// The entry may change who gets a mutex that was passed on.
    is_risky: bool,
}

/// A mutex after an entry.
#[derive(Clone, Default, PartialEq, Eq)]
struct Mutex {
    owner: Option<u16>,
    waiters: Vec<u16>,
    /// Its owner got it from another, and has not run since.
    is_passed_on: bool,
}

impl Watch {
    pub(crate) fn new(scenario: &logs::Scenario) -> Watch {
        let objects = scenario.system.objects.iter();
        let has_ceiling = |kind| matches!(kind, ObjectKind::CeilingMutex(_));
        let mut watch = Watch {
            ceilings: objects.map(|object| has_ceiling(object.kind)).collect(),
            mutexes: vec![Mutex::default(); scenario.system.objects.len()],
            waits: vec![None; scenario.system.threads.len()],
            ..Watch::default()
        };
        scenario.touches.iter().for_each(|kind| watch.touch(*kind));
        watch
    }

    pub(crate) fn touches(mut self) -> Vec<Touch> {
        self.touches.sort_by_key(|touch| touch.kind);
        self.touches
    }

    fn touch(&mut self, kind: Kind) {
        if self.touches.iter().all(|touch| touch.kind != kind) {
            let step = self.step;
            self.touches.push(Touch { kind, step });
        }
    }

    pub(crate) fn begin_step(&mut self, step: usize) {
        self.step = step;
    }

    pub(crate) fn begin_entry(&mut self, caller: Option<u16>) {
        (self.caller, self.is_risky) = (caller, false);
    }

    pub(crate) fn time_passes(&mut self, runner: Runner, ticks: u64) {
        if matches!(runner, Runner::Upcall(_)) && ticks > 0 {
            self.touch(Kind::UpcallTime);
        }
    }

    /// Whoever runs enters the kernel, with a call or otherwise.
    pub(crate) fn note_call(
        &mut self,
        request: Option<&logs::Request<'_>>,
        is_late: bool,
        kernel: &Kernel<'_, Board<'_>>,
    ) {
        if is_late {
            self.touch(Kind::Late);
        }
        let Some(request) = request else {
            return;
        };
        match request.call {
            Call::SetPriority(thread, _) => {
                self.is_risky = true;
                let thread = *thread as u16;
                let is_there = kernel.id_of_thread(thread).is_some();
                if is_there && kernel.state_of(thread) == Some(State::Dormant) {
                    self.touch(Kind::EndedThread);
                }
            }
            Call::Exit(_) | Call::KillProcess(_) | Call::Panic => self.is_risky = true,
            Call::Lock(name, _) | Call::Unlock(name) | Call::Delete(name) => {
                self.touch_if_passed_on(name.slot);
            }
            Call::Wait(_, mutex, _) => {
                self.touch_if_passed_on(mutex.slot);
                if request.until == logs::Until::Now {
                    self.note_retake(mutex.slot);
                }
            }
            _ => {}
        }
    }

    /// Whoever runs unlocks a mutex and asks for it again at once: before those that
    /// wait, or behind them; at its ceiling all the time, or not in between.
    fn note_retake(&mut self, slot: usize) {
        if !self.mutexes[slot].waiters.is_empty() {
            self.touch(Kind::Handover);
        }
        if self.ceilings[slot] {
            self.touch(Kind::Ceiling);
        }
    }

    fn touch_if_passed_on(&mut self, slot: usize) {
        let mutex = &self.mutexes[slot];
        if mutex.is_passed_on && mutex.owner != self.caller {
            self.touch(Kind::Handover);
        }
    }

    pub(crate) fn note_fault(&mut self, kernel: &Kernel<'_, Board<'_>>) {
        self.is_risky = true;
        if kernel.upcall_in_progress().is_some() {
            self.touch(Kind::Teardown);
        }
    }

    pub(crate) fn note_answer(&mut self, call: Option<&Call>, error: u8) {
        let is_of_process = matches!(call, Some(Call::KillProcess(_) | Call::CreateProcess(_)));
        if is_of_process && error == 0 {
            self.touch(Kind::Teardown);
        }
    }

    /// The kernel has been entered and has nothing left to do.
    pub(crate) fn look(&mut self, machine: &mut Machine<'_>) {
        let runner = match machine.runner() {
            Runner::Thread(thread) => Some(thread as u16),
            _ => None,
        };
        let kernel = machine.simulation.kernel();
        let processes = 0..machine.system.processes.len() as u16;
        let is_changing = |process| kernel.vitality_of(process) == Vitality::Changing;
        if processes.into_iter().any(is_changing) {
            self.touch(Kind::Teardown);
        }
        let threads = 0..machine.system.threads.len() as u16;
        let waits: Vec<Option<usize>> = threads
            .map(|thread| match kernel.wait_of(thread) {
                Some(Wait::Object(slot, _)) => Some(usize::from(slot)),
                _ => None,
            })
            .collect();
        let mutexes = (0..machine.system.objects.len()).map(|slot| Mutex {
            owner: kernel.owner_of(slot as u16),
            waiters: (0..)
                .zip(&waits)
                .filter(|(_, wait)| **wait == Some(slot))
                .map(|(thread, _)| thread)
                .collect(),
            is_passed_on: false,
        });
        let mutexes: Vec<Mutex> = mutexes.collect();
        self.compare(machine.system, mutexes, waits, runner);
    }

    fn compare(
        &mut self,
        system: &logs::System,
        mut mutexes: Vec<Mutex>,
        waits: Vec<Option<usize>>,
        runner: Option<u16>,
    ) {
        let is_mutex = |slot: &usize| system.objects[*slot].kind.is_mutex();
        let new_wait = |thread: u16| {
            let thread = usize::from(thread);
            waits[thread] != self.waits[thread]
        };
        // somebody waits for a mutex, or for another one, who did not before
        let has_new_waiter = (0..waits.len()).any(|thread| {
            waits[thread].is_some_and(|slot| is_mutex(&slot)) && new_wait(thread as u16)
        });
        let mut touches = Vec::new();
        for slot in (0..mutexes.len()).filter(is_mutex) {
            let (before, now) = (&self.mutexes[slot], &mut mutexes[slot]);
            let has_changed = before.owner != now.owner;
            if before.is_passed_on {
                let has_run = now.owner == runner || before.owner == self.caller;
                now.is_passed_on = !has_changed && !has_run;
                let is_lost = has_changed && !has_run;
                // a timer that finds the mutex free may give it to its thread
                let has_left = before.waiters.iter().any(|one| !now.waiters.contains(one));
                if is_lost || has_new_waiter || has_left || self.is_risky {
                    touches.push(Kind::Handover);
                }
            }
            let is_passed = has_changed && now.owner.is_some() && now.owner != self.caller;
            if is_passed && now.owner != runner {
                now.is_passed_on = true;
                if now.waiters.iter().any(|waiter| new_wait(*waiter)) {
                    touches.push(Kind::Handover);
                }
            }
            let owner_waits = now
                .owner
                .is_some_and(|owner| waits[usize::from(owner)].is_some());
            if self.ceilings[slot] && (is_passed || owner_waits) {
                touches.push(Kind::Ceiling);
            }
            let waits_for_condition = now.owner.is_some_and(|owner| {
                let slot = waits[usize::from(owner)];
                slot.is_some_and(|slot| system.objects[slot].kind == ObjectKind::Condition)
            });
            if waits_for_condition {
                touches.push(Kind::NestedWait);
            }
        }
        touches.into_iter().for_each(|kind| self.touch(kind));
        (self.mutexes, self.waits) = (mutexes, waits);
    }
}
