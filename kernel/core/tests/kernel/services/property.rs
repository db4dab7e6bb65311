//! Random programs of threads do what the model says, entry by entry.
//!
//! What a thread does next is chosen when it runs, with a look at the model, so
//! that it often meets others: it locks what they have, gives back what it has in
//! any order, deletes what they wait for. After each entry into the kernel it is
//! compared who runs, with what answer, at which level, where the other threads
//! stand, and when the alarm will ring.

use super::model::{Departure, Life, Model, NEVER, Process, State};
use crate::dice::Dice;
use crate::rig::simulate;
use giornata_abi::call::{Call, Request};
use giornata_abi::system::{FaultPolicy, OBJECT_AT_BOOT, ObjectKind, RIGHT_MANAGE, RIGHT_USE};
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Id, Ticks};
use giornata_core::{Event, Next};
use giornata_sim::{Scheduling, Simulation, SystemBuilder, Tables, trace};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

const STEPS: usize = if cfg!(miri) { 100 } else { 100_000 };
/// Most steps of one system.
const LENGTH: usize = 150;
/// A tick.
const US: u64 = 1_000;
/// A thread may run ahead of what is due for so many ticks, and one.
const SLICE: u64 = 1_000;
/// Operations that are shown when something fails.
const SHOWN: usize = 40;

fn random_system(dice: &mut Dice) -> Tables {
    let mut b = SystemBuilder::new();
    b.tables.header.timer_hertz = 1_000_000;
    b.tables.header.deadline_band = 6;
    let processes = 1 + dice.below(3);
    let most = if dice.one_in(6) { 14 } else { 6 };
    let threads = processes.max(2 + dice.below(most - 1));
    for process in 0..processes {
        let index = b.process();
        let entry = b.process_entry(index);
        entry.max_priority = dice.pick(&[255, 255, 8, 4]);
        entry.on_fault = dice.pick(&[FaultPolicy::Stop, FaultPolicy::Restart]) as u8;
        let share = threads / processes + usize::from(process < threads % processes);
        for _ in 0..share {
            let scheduling = match dice.below(6) {
                0 => Scheduling::Deadline(dice.pick(&[8, 40, 40, 200]) * US),
                _ => Scheduling::Fifo(dice.pick(&[3, 4, 5, 5, 7, 8])),
            };
            b.thread(index, scheduling);
        }
    }
    for number in 0..1 + dice.below(4) {
        let kind = if number == 0 { 0 } else { dice.below(9) };
        let object = match kind {
            0..=2 => b.mutex(),
            3 | 4 => b.ceiling_mutex(dice.pick(&[5, 7, 8, 9])),
            5 | 6 => b.semaphore(dice.below(3) as u32, 2 + dice.below(2) as u32),
            _ => b.condition(),
        };
        for process in 0..processes {
            let all = RIGHT_USE | RIGHT_MANAGE;
            let rights = dice.pick(&[all, all, all, all, RIGHT_USE, RIGHT_USE, RIGHT_MANAGE, 0]);
            b.grant_object(process as u16, object, rights);
        }
        if dice.one_in(10) {
            b.tables.objects[usize::from(object)].flags &= !OBJECT_AT_BOOT;
        }
    }
    b.finish()
}

/// An instant up to which a thread waits: often soon, at times never or past.
fn random_until(dice: &mut Dice, now: u64) -> u64 {
    match dice.below(20) {
        0 | 1 => 0,
        2 => now.saturating_sub(US),
        3 => now,
        4..=8 => NEVER,
        9..=11 => now + (50 + dice.below(200) as u64) * US,
        // between two ticks
        12 => now + 1 + dice.below(20_000) as u64,
        _ => now + (1 + dice.below(20) as u64) * US,
    }
}

/// One of a kind, if there is one, else any.
fn random_object(dice: &mut Dice, model: &Model, kinds: &[ObjectKind]) -> usize {
    let is_wanted = |o: &usize| {
        let object = &model.objects[*o];
        object.exists && kinds.contains(&object.kind)
    };
    let wanted: Vec<usize> = (0..model.objects.len()).filter(is_wanted).collect();
    match wanted.is_empty() || dice.one_in(30) {
        true => dice.below(model.objects.len()),
        false => dice.pick(&wanted),
    }
}

/// The id of an object; at times one of another time, or of nothing.
fn random_id(dice: &mut Dice, model: &Model, object: usize) -> usize {
    let id = model.id_of(object);
    let id = match dice.below(80) {
        0 => Id::new(id.index(), id.generation().wrapping_sub(1)),
        1 => Id::new(id.index() + 1, id.generation()),
        2 => Id::new(u16::MAX, 0),
        _ => id,
    };
    id.0 as usize
}

fn request(call: Call, arguments: &[usize]) -> Request {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    Request {
        number: call as usize,
        arguments: all,
    }
}

/// What the thread that runs asks for.
fn random_request(dice: &mut Dice, model: &Model, thread: usize, now: u64) -> Request {
    use ObjectKind::{Condition, Mutex, Semaphore};
    let owned = model.owned_by(thread);
    let until = random_until(dice, now);
    let (low, high) = (until as u32 as usize, (until >> 32) as usize);
    let own = |dice: &mut Dice| match owned.is_empty() {
        true => random_object(dice, model, &[Mutex]),
        false => dice.pick(&owned),
    };
    match dice.below(100) {
        0..33 => {
            let object = random_object(dice, model, &[Mutex, Mutex, Semaphore]);
            request(Call::Lock, &[random_id(dice, model, object), low, high])
        }
        33..53 => {
            let object = match dice.below(3) {
                0 => random_object(dice, model, &[Semaphore]),
                _ => own(dice),
            };
            request(Call::Unlock, &[random_id(dice, model, object)])
        }
        53..63 => {
            let condition = random_object(dice, model, &[Condition]);
            let ids = [condition, own(dice)].map(|object| random_id(dice, model, object));
            request(Call::Wait, &[ids[0], ids[1], low, high])
        }
        63..72 => {
            let call = dice.pick(&[Call::Signal, Call::Signal, Call::Broadcast]);
            let object = random_object(dice, model, &[Condition]);
            request(call, &[random_id(dice, model, object)])
        }
        72..82 => {
            let soon = now + dice.below(12) as u64 * US;
            request(Call::Sleep, &[soon as usize, (soon >> 32) as usize])
        }
        82..88 => {
            let other = dice.below(model.threads.len());
            let id = Id::new(other as u16, model.threads[other].generation);
            let priority = dice.pick(&[2, 3, 4, 5, 5, 7, 8, 9]);
            request(Call::SetPriority, &[id.0 as usize, priority])
        }
        88..93 => {
            let gone = model.objects.iter().position(|object| !object.exists);
            let index = gone.unwrap_or(dice.below(model.objects.len() + 1));
            let call = dice.pick(&[Call::CreateObject, Call::CreateObject, Call::OpenObject]);
            request(call, &[index])
        }
        93..96 => {
            let object = dice.below(model.objects.len());
            request(Call::DeleteObject, &[random_id(dice, model, object)])
        }
        96..99 => request(Call::Yield, &[]),
        _ => request(Call::Exit, &[]),
    }
}

/// A kernel and a model of it, side by side.
struct Pair<'s, 'a> {
    simulation: &'s mut Simulation<'a>,
    model: Model,
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
                format!("{call:?} {:x?}", &arguments[..4])
            }
            event => format!("{event:?}"),
        };
        let line = format!("{:6} us, {runs:?}: {what}", self.now / US);
        self.log.borrow_mut().push(line);
        let before = self.lives();
        match (event, runs) {
            (Event::Call(request), Some(thread)) => self.model.call(thread, &request, self.now),
            (Event::Fault { .. }, Some(thread)) => self.model.fault(thread, self.now),
            _ => self.model.advance(self.now),
        }
        self.has_torn_down = before != self.lives() || matches!(event, Event::Fault { .. });
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
        self.compare_level(thread)
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
                | (Some(Kernel::Waiting), State::Waiting(_)) => true,
                (Some(Kernel::Sleeping | Kernel::Waiting), _) => thread.is_woken,
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
            _ => Event::Call(random_request(
                dice,
                &self.model,
                thread,
                self.now + span * US,
            )),
        };
        self.enter(dice, span, event)?;
        Ok(true)
    }
}

/// One random system for a while; answers how many steps it made.
fn run(seed: u64, log: &RefCell<Vec<String>>) -> Result<usize, String> {
    let dice = &mut Dice(seed);
    let tables = random_system(dice);
    simulate(&tables, |simulation| {
        let mut pair = Pair {
            simulation,
            model: Model::new(&tables),
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
            match pair.step(dice) {
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

#[test]
fn random_programs_of_threads_do_what_the_model_says() {
    let (mut steps, mut seed) = (0, 0);
    while steps < STEPS {
        match check(seed) {
            Ok(count) => steps += count,
            Err(why) => panic!("{why}"),
        }
        seed += 1;
    }
}
