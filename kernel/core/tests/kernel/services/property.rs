//! Random programs of threads do what the model says, entry by entry.
//!
//! After each entry into the kernel it is compared who runs, with what answer and
//! what in its memory, at which level, where the other threads stand, and when the
//! alarm will ring.

use super::model::{Departure, Life, Model, Process, State, pattern};
use super::programs::{Program, US};
use crate::dice::Dice;
use crate::rig::simulate;
use giornata_abi::Ticks;
use giornata_abi::call::{Call, Request};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_core::{Event, Next};
use giornata_sim::{SCRATCH, Simulation, trace};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

const STEPS: usize = if cfg!(miri) { 100 } else { 100_000 };
/// Random cases of other properties, where nothing else is said.
const CASES: usize = 256;
/// Most steps of one system.
const LENGTH: usize = 150;
/// A thread may run ahead of what is due for so many ticks, and one.
const SLICE: u64 = 1_000;
/// Operations that are shown when something fails.
const SHOWN: usize = 40;

/// A kernel and a model of it, side by side.
struct Pair<'s, 'a> {
    simulation: &'s mut Simulation<'a>,
    model: Model,
    program: Program,
    now: u64,
    log: &'s RefCell<Vec<String>>,
    /// Records of the trace that have been looked at.
    seen: usize,
    /// Something was torn down in this entry.
    has_torn_down: bool,
}

impl Pair<'_, '_> {
    /// Enters both after so many ticks; then the kernel works to its end.
    fn enter(&mut self, dice: &mut Dice, after: u64, event: Event) -> Result<(), String> {
        let runs = self.model.running();
        self.now += after * US;
        let what = match event {
            Event::Call(Request { number, arguments }) => {
                let call = Call::from_number(number).expect("a call");
                format!("{call:?} {:x?}", &arguments)
            }
            event => format!("{event:?}"),
        };
        let line = format!("{:6} us, {runs:?}: {what}", self.now / US);
        self.log.borrow_mut().push(line);
        let before = self.lives();
        match (event, runs) {
            (Event::Call(request), Some(thread)) => self.model.call(thread, &request, self.now),
            (Event::Fault { cause, .. }, Some(thread)) => self.model.fault(thread, cause, self.now),
            _ => self.model.advance(self.now),
        }
        self.has_torn_down = before != self.lives() || may_tear_down(event);
        let mut next = self.simulation.inject(Ticks(after), event);
        while next == Next::More {
            let pause = self.pause(dice);
            next = self.simulation.inject(Ticks(pause), Event::Resume);
        }
        self.compare(next)
    }

    fn lives(&self) -> Vec<Life> {
        self.model
            .processes
            .iter()
            .map(|process| process.life)
            .collect()
    }

    /// How long the kernel is away between two pieces of work. A call in pieces is
    /// one all the same; how far a teardown comes by when is not told by the model.
    fn pause(&mut self, dice: &mut Dice) -> u64 {
        let is_settled = |process: &Process| matches!(process.life, Life::Alive | Life::Dead);
        if !self.model.processes.iter().all(is_settled) || self.has_torn_down {
            return 0;
        }
        let pause = dice.below(4) as u64;
        self.now += pause * US;
        self.model.advance(self.now);
        pause
    }

    fn compare(&mut self, next: Next) -> Result<(), String> {
        let expected = self.model.running();
        let runs = match next {
            Next::Run(thread) => Some(usize::from(thread)),
            Next::Idle => None,
            other => return Err(format!("the kernel wants {other:?}")),
        };
        if runs != expected {
            return Err(format!("{runs:?} runs instead of {expected:?}"));
        }
        self.compare_states()?;
        self.compare_alarm(runs)?;
        let Some(thread) = runs else { return Ok(()) };
        let expected = self.model.take_departure(thread);
        let departure = match self.simulation.take_departure(thread as u16) {
            (true, _) => Some(Departure::Beginning),
            (false, answer) => answer.map(Departure::Answered),
        };
        if departure != expected {
            return Err(format!("{departure:?} instead of {expected:?}"));
        }
        self.compare_memory(thread)?;
        self.compare_level(thread)
    }

    /// What who runs received lies in its memory.
    fn compare_memory(&mut self, thread: usize) -> Result<(), String> {
        let Some((address, bytes)) = self.model.take_received(thread) else {
            return Ok(());
        };
        let process = self.model.threads[thread].process as u16;
        let memory = self.simulation.board().memory(process);
        match memory.range(address, bytes.len()) {
            Some(found) if *found == bytes[..] => Ok(()),
            found => Err(format!("{found:?} is received instead of {bytes:?}")),
        }
    }

    /// What the trace says of the level of who runs.
    fn compare_level(&mut self, thread: usize) -> Result<(), String> {
        let records = self.simulation.records();
        let new = &records[self.seen..];
        self.seen = records.len();
        let Some(switch) = trace::of_kind(new, TraceKind::Switch).last() else {
            return Ok(());
        };
        let (level, expected) = (switch.y >> 48, self.model.threads[thread].position.level);
        match level == u64::from(expected) {
            true => Ok(()),
            false => Err(format!("it runs at level {level} instead of {expected}")),
        }
    }

    /// Threads of living processes stand where they should. One that the clock
    /// has woken may not have been yet, if who runs is more urgent.
    fn compare_states(&mut self) -> Result<(), String> {
        use giornata_core::State as Kernel;
        for (index, thread) in self.model.threads.iter().enumerate() {
            if self.model.processes[thread.process].life != Life::Alive {
                continue;
            }
            let state = self.simulation.kernel().state_of(index as u16);
            let is_same = match (state, thread.state) {
                (Some(Kernel::Dormant), State::Dormant)
                | (Some(Kernel::Ready), State::Ready)
                | (Some(Kernel::Sleeping), State::Sleeping)
                | (Some(Kernel::Waiting), State::Waiting(_))
                | (Some(Kernel::Joining), State::Joining(_)) => true,
                (Some(Kernel::Sleeping | Kernel::Waiting | Kernel::Joining), _) => thread.is_woken,
                _ => false,
            };
            if !is_same {
                let expected = &thread.state;
                return Err(format!("{index} is {state:?} instead of {expected:?}"));
            }
        }
        Ok(())
    }

    /// The alarm rings at what happens next; who runs ahead need not care so soon.
    fn compare_alarm(&mut self, runs: Option<usize>) -> Result<(), String> {
        let alarm = self.simulation.outcome().alarm.map(|tick| tick.0);
        let expected = self.model.next_event().map(|at| at.div_ceil(US));
        let is_right = match (runs, alarm, expected) {
            (None, alarm, expected) => alarm == expected,
            (Some(_), _, None) => true,
            (Some(_), None, Some(_)) => false,
            (Some(_), Some(alarm), Some(next)) => alarm <= next.max(self.now / US + SLICE),
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("the alarm is at {alarm:?}, not {expected:?}")),
        }
    }

    /// What the thread that runs asks for, so many ticks from now.
    fn call(&mut self, dice: &mut Dice, thread: usize, after: u64) -> Request {
        let at = self.now + after * US;
        let request = self.program.next(dice, &self.model, thread, at);
        if request.number == Call::SendBytes as usize {
            let process = self.model.threads[thread].process as u16;
            let memory = self.simulation.board().memory(process);
            memory.write(SCRATCH, &pattern()).expect("the scratch page");
        }
        request
    }

    /// One random step; `false`: nothing will ever happen again.
    fn step(&mut self, dice: &mut Dice) -> Result<bool, String> {
        let now = self.now / US;
        let alarm = self.simulation.outcome().alarm;
        let to_alarm = alarm.map(|tick| tick.0.saturating_sub(now));
        let Some(thread) = self.model.running() else {
            let Some(to_alarm) = to_alarm else {
                return Ok(false);
            };
            let late = if dice.one_in(8) { dice.below(6) } else { 0 };
            self.enter(dice, to_alarm + late as u64, Event::Timer)?;
            return Ok(true);
        };
        // a call at the instant of an event comes before it, if it may still
        let soonest = u64::from(self.model.last_event == self.now);
        let span = soonest + dice.pick(&[0, 0, 1, 2, 4, 9]);
        // an alarm may ring late
        if let Some(to_alarm) = to_alarm
            && to_alarm < span
            && !dice.one_in(6)
        {
            self.enter(dice, to_alarm, Event::Timer)?;
            return Ok(true);
        }
        let event = match dice.below(60) {
            0 => Event::Fault {
                cause: FaultCause::Store,
                pc: 0,
                address: 0,
            },
            1 | 2 => Event::Timer,
            _ => Event::Call(self.call(dice, thread, span)),
        };
        self.enter(dice, span, event)?;
        Ok(true)
    }
}

/// Whether an event may end a process, or let it begin anew.
fn may_tear_down(event: Event) -> bool {
    match event {
        Event::Call(Request { number, .. }) => [Call::KillProcess, Call::CreateProcess]
            .map(|call| call as usize)
            .contains(&number),
        Event::Fault { .. } => true,
        _ => false,
    }
}

/// One random system for a while; answers how many steps it made.
fn run(seed: u64, log: &RefCell<Vec<String>>) -> Result<usize, String> {
    let dice = &mut Dice(seed);
    let (program, tables) = Program::random(dice);
    simulate(&tables, |simulation| {
        let mut pair = Pair {
            simulation,
            model: Model::new(&tables),
            program,
            now: 0,
            log,
            seen: 0,
            has_torn_down: false,
        };
        let show = |pair: &Pair<'_, '_>, why| Err(format!("{why}\n{}", pair.model));
        if let Err(why) = pair.enter(dice, 0, Event::Timer) {
            return show(&pair, why);
        }
        for step in 0..LENGTH {
            let outcome = pair.step(dice);
            if pair.model.is_moot {
                return Ok(step);
            }
            match outcome {
                Ok(true) => {}
                Ok(false) => return Ok(step),
                Err(why) => return show(&pair, why),
            }
        }
        let impossible = crate::rig::count(pair.simulation.records(), TraceKind::Impossible);
        match impossible {
            0 => Ok(LENGTH),
            count => Err(format!("{count} times the impossible")),
        }
    })
}

/// The run of a seed; why it failed, with what came last.
fn check(seed: u64) -> Result<usize, String> {
    let log = RefCell::new(Vec::new());
    let outcome = catch_unwind(AssertUnwindSafe(|| run(seed, &log)));
    let why = match outcome {
        Ok(Ok(steps)) => return Ok(steps),
        Ok(Err(why)) => why,
        Err(_) => "it panicked".into(),
    };
    let log = log.take();
    let last = log[log.len().saturating_sub(SHOWN)..].join("\n");
    Err(format!("seed {seed}, step {}: {why}\n{last}", log.len()))
}

/// Steps in all: in the long form of the tests more, as of other properties.
fn steps() -> usize {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok());
    STEPS * cases.unwrap_or(CASES) / CASES
}

#[test]
fn random_programs_of_threads_do_what_the_model_says() {
    let (mut made, mut seed) = (0, 0);
    while made < steps() {
        match check(seed) {
            Ok(count) => made += count,
            Err(why) => panic!("{why}"),
        }
        seed += 1;
    }
}
