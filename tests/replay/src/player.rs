//! Plays a scenario on a machine and writes down what is seen.

use crate::call::{Call, Name, Patience};
use crate::machine::{Answer, Departure, Machine, Request, Until, Write};
use crate::names::Names;
use crate::observation::{Observation, Occurrence, Runner};
use crate::scenario::{Event, Scenario};
use crate::system::{Driver, Role, System};
use crate::{EAGAIN, GRID, IDLE_STEP, START};

/// How often a call is made again that asks for that.
const AGAIN: usize = 64;

/// Plays a scenario on a machine that has booted its system at tick 0.
pub fn play(scenario: &Scenario, machine: &mut impl Machine) -> Observation {
    let mut player = Player {
        scenario,
        machine,
        clock: 0,
        runner: Runner::Idle,
        names: Names::of(&scenario.system),
        places: vec![0; scenario.system.threads.len()],
        calls: vec![None; scenario.system.threads.len()],
        completions: 0,
        is_late: false,
        steps: vec![Vec::new()],
    };
    player.machine.begin_step(0);
    player.look();
    player.advance(START);
    for (index, event) in scenario.events.iter().enumerate() {
        player.steps.push(Vec::new());
        player.machine.begin_step(index + 1);
        player.pass_before(event);
        if !matches!(player.runner, Runner::Stopped(_)) {
            player.perform(event);
        }
    }
    Observation {
        steps: player.steps,
        end: player.machine.state(),
    }
}

struct Player<'s, M> {
    scenario: &'s Scenario,
    machine: &'s mut M,
    clock: u64,
    /// Who had the hart at the last look.
    runner: Runner,
    names: Names,
    /// By thread: where its script stands.
    places: Vec<usize>,
    /// By thread: its last call.
    calls: Vec<Option<Call>>,
    /// Jobs and upcalls that have ended.
    completions: u32,
    /// The timer is late until the next event is over.
    is_late: bool,
    steps: Vec<Vec<Occurrence>>,
}

impl<M: Machine> Player<'_, M> {
    /// No two events of threads and devices have the same instant: a step of the
    /// [`GRID`] passes before each. Not while the timer is late, and not while an
    /// upcall runs.
    fn pass_before(&mut self, event: &Event) {
        let takes_time = !matches!(
            event,
            Event::Advance(_) | Event::Delay(_) | Event::SetRegister(..)
        );
        let stands_still = self.is_late || matches!(self.runner, Runner::Upcall(_));
        if takes_time && !stands_still {
            self.advance(GRID);
        }
        self.is_late = matches!(event, Event::Delay(_));
    }

    fn perform(&mut self, event: &Event) {
        match event {
            Event::Advance(ticks) => self.advance(*ticks),
            Event::Delay(ticks) => {
                self.clock += ticks;
                self.machine.set_clock(self.clock);
            }
            Event::Step => self.step(),
            Event::Call(call) => match self.runner {
                Runner::Thread(thread) => self.call(thread, call),
                _ => self.note(Occurrence::Skipped),
            },
            Event::Raise(line) => {
                self.machine.raise(*line);
                self.look();
            }
            Event::SetRegister(register, value) => self.machine.set_register(*register, *value),
            Event::Fault => match self.runner {
                Runner::Thread(_) | Runner::Upcall(_) => {
                    self.machine.fault();
                    self.look();
                }
                _ => self.note(Occurrence::Skipped),
            },
        }
    }

    fn note(&mut self, occurrence: Occurrence) {
        if let Some(step) = self.steps.last_mut() {
            step.push(occurrence);
        }
    }

    /// Time passes; each alarm interrupts when it is due.
    fn advance(&mut self, ticks: u64) {
        let target = self.clock + ticks;
        loop {
            while let Runner::Upcall(_) = self.runner {
                self.complete();
            }
            if let Runner::Stopped(_) = self.runner {
                return;
            }
            let Some(alarm) = self.machine.alarm().filter(|alarm| *alarm <= target) else {
                break;
            };
            self.clock = self.clock.max(alarm);
            self.machine.set_clock(self.clock);
            self.machine.timer();
            self.look();
        }
        self.clock = target;
        self.machine.set_clock(target);
    }

    fn step(&mut self) {
        let Runner::Thread(thread) = self.runner else {
            return match self.runner {
                Runner::Upcall(_) => self.complete(),
                _ => self.advance(IDLE_STEP),
            };
        };
        if let Role::Task { .. } = self.scenario.system.threads[thread].role {
            return self.complete();
        }
        let script = &self.scenario.scripts[thread];
        let Some(call) = script.get(self.places[thread] % script.len().max(1)) else {
            return self.note(Occurrence::Skipped);
        };
        self.places[thread] += 1;
        self.call(thread, call);
    }

    /// The task or upcall that runs ends. What it computes is a number that follows
    /// from its inputs and from how many have ended.
    fn complete(&mut self) {
        let inputs = self.machine.inputs();
        let sum: u32 = inputs.iter().fold(0, |sum, value| sum.wrapping_add(*value));
        self.note(Occurrence::Inputs(inputs));
        self.completions += 1;
        let value = |place| sum.wrapping_add(self.completions + 3 * place) % 32;
        let outputs: Vec<u32> = (0..most_outputs(&self.scenario.system))
            .map(value)
            .collect();
        self.machine.complete(&outputs);
        self.look();
    }

    fn call(&mut self, thread: usize, call: &Call) {
        let Some(request) = self.resolve(call) else {
            return self.note(Occurrence::Skipped);
        };
        self.calls[thread] = Some(*call);
        self.machine.call(&request);
        self.look();
    }

    fn instant(&self, ticks: u64) -> Until {
        Until::Tick((self.clock + ticks).next_multiple_of(GRID))
    }

    /// `None`: it names what nobody has an id of.
    fn resolve<'c>(&self, call: &'c Call) -> Option<Request<'c>> {
        let object = |name: &Name| self.names.object(*name);
        let thread = |thread: &usize| self.names.thread(*thread);
        let until = |patience: &Patience| match patience {
            Patience::None => Until::Now,
            Patience::Ticks(ticks) => self.instant(*ticks),
            Patience::Endless => Until::Never,
        };
        let (first, second, until) = match call {
            Call::Sleep(ticks) => (0, 0, self.instant(*ticks)),
            Call::SetPriority(other, _) | Call::Detach(other) => (thread(other)?, 0, Until::Now),
            Call::Join(other, patience) => (thread(other)?, 0, until(patience)),
            Call::Create(_, Some(server)) => (0, object(server)?, Until::Now),
            Call::Delete(name)
            | Call::Unlock(name)
            | Call::Signal(name)
            | Call::Broadcast(name)
            | Call::Send(name, ..)
            | Call::SendBytes(name, ..) => (object(name)?, 0, Until::Now),
            Call::Lock(name, patience)
            | Call::Receive(name, patience)
            | Call::ReceiveBytes(name, patience)
            | Call::Serve(name, patience) => (object(name)?, 0, until(patience)),
            Call::Wait(condition, mutex, patience) => {
                (object(condition)?, object(mutex)?, until(patience))
            }
            Call::AwaitProcess(patience) => (0, 0, until(patience)),
            _ => (0, 0, Until::Now),
        };
        Some(Request {
            call,
            first,
            second,
            until,
        })
    }

    /// Notes what has come of an event.
    fn look(&mut self) {
        for _ in 0..AGAIN {
            self.look_at_writes();
            self.names.look(&mut *self.machine);
            self.look_at_runner();
            let (Runner::Thread(_) | Runner::Upcall(_)) = self.runner else {
                return;
            };
            let call = self.last_call();
            match self.machine.departure(call.as_ref()) {
                Departure::Resumed => return,
                Departure::Begins => return self.note(Occurrence::Begins),
                Departure::Returns(answer) => match (&call, answer.error) {
                    (Some(Call::AttachRegion(..)), EAGAIN) => self.call_again(),
                    _ => return self.note_answer(call, answer),
                },
            }
        }
    }

    fn look_at_writes(&mut self) {
        for write in self.machine.take_writes() {
            self.note(match write {
                Write::Port(nanos, port, value) => Occurrence::Port(nanos, port, value),
                Write::Register(address, value) => Occurrence::Register(address, value),
            });
        }
    }

    fn look_at_runner(&mut self) {
        let runner = self.machine.runner();
        if runner != self.runner {
            self.runner = runner;
            self.note(Occurrence::Switch(self.clock, runner));
        }
    }

    fn last_call(&self) -> Option<Call> {
        match self.runner {
            Runner::Thread(thread) => self.calls[thread],
            _ => None,
        }
    }

    fn call_again(&mut self) {
        if let Some(call) = self.last_call()
            && let Some(request) = self.resolve(&call)
        {
            self.machine.call(&request);
        }
    }

    fn note_answer(&mut self, call: Option<Call>, answer: Answer) {
        let mut words = answer.words;
        let id = match call {
            Some(Call::Create(..) | Call::Open(_)) => words.first_mut(),
            Some(Call::Serve(..)) => words.get_mut(4),
            _ => None,
        };
        if let Some(id) = id {
            *id = self.names.told(*id);
        }
        self.note(Occurrence::Returns(answer.error, words));
    }
}

/// The most outputs that anything in a system has.
fn most_outputs(system: &System) -> u32 {
    let tasks = system.threads.iter().map(|thread| match thread.role {
        Role::Task { outputs, .. } => outputs,
        _ => 0,
    });
    let upcalls = system.drivers.iter().map(|driver| match driver {
        Driver::Upcall { writes, .. } => writes.len(),
        _ => 0,
    });
    tasks.chain(upcalls).max().unwrap_or(0) as u32
}
