//! Whether threads run ahead of what is due or not, the same ones run at the same
//! times. A thread of the highest priority that sleeps for ever keeps all others
//! from it.

use crate::dice::Dice;
use crate::rig::*;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::{FaultCause, TraceKind};
use giornata_abi::{Duration, Id, Instant, ValueType};
use giornata_sim::{Act, Moment, SCRATCH, Scheduling, SystemBuilder, Tables, trace};
use std::cell::RefCell;
use std::rc::Rc;

const SYSTEMS: u64 = if cfg!(miri) { 2 } else { 1_000 };
const OWNED_LINES: [u16; 3] = [3, 10, 11];
/// A line that serves microcode.
const LINE: u16 = 12;
const END: Instant = Instant(2_000_000);
/// Of a control page.
const CEILING: usize = 24;
const PENDING: usize = 28;

const PROGRAMS: [&str; 5] = [
    "a: release work 100us\n future after(1ms) a\n return",
    "a: release work 50us\n future after(100us) a\n return",
    "a: release work 100us\n future irq(12) b\n return\nb: future after(50us) a\n return",
    "a: future changed(p) b\n return\nb: release work 50us\n future after(300us) a\n return",
    "a: release work 500us\n dispatch work until after(30us) else b\n \
     future after(500us) a\n return\nb: idle completed(work)\n return",
];

/// Processes of threads of all kinds, perhaps a program with a task, and last the
/// thread that may keep others from going ahead.
struct World {
    tables: Tables,
    threads: u16,
    guard: u16,
}

fn world(dice: &mut Dice) -> World {
    let mut b = SystemBuilder::new();
    let port = b.port("p", ValueType::U32);
    b.tables.header.deadline_band = dice.pick(&[200, 5, 7]);
    let processes = 1 + dice.below(3) as u16;
    for process in 0..processes {
        b.process();
        let highest = dice.pick(&[3, 5, 7, 9]);
        b.process_entry(process).max_priority = highest;
        b.process_entry(process).on_fault = FaultPolicy::Restart as u8;
        for _ in 0..1 + dice.below(4) {
            let priority = 1 + dice.below(highest as usize) as u8;
            let scheduling = match dice.below(6) {
                0 => Scheduling::RoundRobin(priority, 1000 * (1 + dice.below(30) as u32)),
                1 => Scheduling::Deadline(1000 * (1 + dice.below(400) as u64)),
                _ => Scheduling::Fifo(priority),
            };
            b.thread(process, scheduling);
        }
        b.grant_ports(process, &[port], &[port]);
    }
    let threads = b.tables.threads.len() as u16;
    for line in OWNED_LINES {
        b.interrupt(line, Some(dice.below(processes as usize) as u16));
    }
    b.interrupt(LINE, None);
    if dice.one_in(2) {
        let process = b.process();
        let task = b.task(process, "work", &[], &[]).thread;
        let entry = &mut b.tables.threads[task as usize];
        entry.budget = dice.pick(&[0, 10_000, 20_000]);
        if dice.one_in(2) {
            (entry.policy, entry.priority) = (0, dice.pick(&[4, 6, 8, 10]));
        }
        b.program(dice.pick(&PROGRAMS));
    }
    let last = b.process();
    let guard = b.thread(last, Scheduling::Fifo(255));
    b.tables.header.stop_at = if dice.one_in(2) { END.0 } else { 0 };
    World {
        tables: b.finish(),
        threads,
        guard,
    }
}

fn act(dice: &mut Dice, moment: &mut Moment<'_>, tables: &Tables) -> Act {
    let own = tables.threads[moment.thread as usize];
    let process = tables.processes[own.process as usize];
    let page = own.control as usize;
    match dice.below(19) {
        0..=3 => compute(1 + dice.below(30) as u64),
        4..=6 => sleep_until(moment.now.0 / 10_000 * 10 + 10 * (1 + dice.below(6) as u64)),
        7..=9 => call(Call::AwaitInterrupt, &[dice.pick(&OWNED_LINES) as usize]),
        10 => call(Call::Yield, &[]),
        11 => {
            let other = process.threads.start + dice.below(process.threads.count as usize) as u16;
            let priority = dice.below(process.max_priority as usize + 1);
            call(Call::SetPriority, &[Id::new(other, 0).0 as usize, priority])
        }
        12 => call(Call::CpuTime, &[]),
        13 | 14 => {
            let ceiling = dice.below(10) as u32;
            let written = moment.memory.write(page + CEILING, &ceiling.to_le_bytes());
            written.expect("its own page");
            compute(5 + dice.below(20) as u64)
        }
        15 => {
            let is_pending = moment.memory.word(page + PENDING, 4).expect("its own page") != 0;
            let written = moment.memory.write(page + CEILING, &[0; 8]);
            written.expect("its own page");
            match is_pending {
                true => call(Call::Yield, &[]),
                false => compute(1),
            }
        }
        16 if dice.one_in(40) => Act::Fault(FaultCause::Load),
        16 => call(Call::ReadPort, &[0, SCRATCH, 4]),
        17 => call(Call::WritePort, &[0, SCRATCH, 4]),
        _ => call(Call::Clock, &[]),
    }
}

/// What a random thread does. It changes a priority only some time after its last
/// entry: what falls due at the very instant of a call comes after it, but before
/// an interrupt.
fn behaviour(seed: u64, told: Told, tables: Tables) -> impl FnMut(&mut Moment<'_>) -> Act {
    let mut dice = Dice(seed);
    let (mut acts, mut later) = (0, None);
    move |moment| {
        told.borrow_mut().push((moment.now, moment.answer));
        acts += 1;
        if let Some(act) = later.take() {
            return act;
        }
        if acts % 5 == 0 {
            return compute(1 + dice.below(9) as u64);
        }
        match act(&mut dice, moment, &tables) {
            act @ Act::Call(Request { number, .. }) if number == Call::SetPriority as usize => {
                later = Some(act);
                compute(1)
            }
            act => act,
        }
    }
}

/// When a thread was asked what it does next, and what it was answered.
type Told = Rc<RefCell<Vec<(Instant, Option<Answer>)>>>;

/// Who ran from when on, without stretches of no length; what threads were told;
/// the port trace.
type Ran = (
    Vec<(u64, u16)>,
    Vec<Vec<(Instant, Option<Answer>)>>,
    Vec<trace::PortPiece>,
);

fn run(world: &World, seed: u64, guarded: bool) -> Ran {
    let (threads, guard) = (world.threads, world.guard);
    let tables = &world.tables;
    let tables_of_threads = tables.clone();
    simulate(tables, |simulation| {
        let told: Vec<Told> = (0..threads).map(|_| Told::default()).collect();
        for (thread, told) in (0..).zip(&told) {
            let seed = seed << 8 | thread as u64;
            let behaviour = behaviour(seed, told.clone(), tables_of_threads.clone());
            simulation.set_thread(thread, behaviour);
        }
        simulation.set_durations(|_, number| us(5 + number as u64 % 20));
        if guarded {
            let never = |_: &mut Moment<'_>| sleep_until(1_000_000);
            simulation.set_thread(guard, never);
        }
        let mut dice = Dice(seed << 8 | 0xFF);
        for _ in 0..200 {
            let at = dice.below(2000) as u64;
            let at = if dice.one_in(2) { at / 10 * 10 } else { at };
            simulation.raise_at(at_us(at), dice.pick(&[3, 10, 11, LINE]));
        }
        simulation.run_until(END);
        let records = simulation.records();
        assert_eq!(count(records, TraceKind::Impossible), 0);
        let mut stretches: Vec<(u64, u16)> = Vec::new();
        for (tick, thread) in trace::switches(records) {
            let thread = if thread == guard { NONE } else { thread };
            stretches.pop_if(|(last, _)| *last == tick);
            if stretches.last().is_none_or(|(_, last)| *last != thread) {
                stretches.push((tick, thread));
            }
        }
        let told = told.iter().map(|told| told.take()).collect();
        (stretches, told, trace::ports(records))
    })
}

#[test]
fn whoever_runs_ahead_would_run_anyway() {
    for seed in 0..SYSTEMS {
        let world = world(&mut Dice(seed));
        let (ahead, in_order) = (run(&world, seed, false), run(&world, seed, true));
        assert_eq!(ahead.0, in_order.0, "who runs, seed {seed}");
        assert_eq!(ahead.1, in_order.1, "what threads see, seed {seed}");
        assert_eq!(ahead.2, in_order.2, "the ports, seed {seed}");
    }
}

#[test]
fn a_job_whose_far_deadline_has_come_near_waits_for_nobody_ahead() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    b.task(process, "far", &[], &[]);
    b.task(process, "near", &[], &[]);
    b.program(
        "a: release far 100000ms\n future after(33000ms) b\n return\n\
         b: release near 68000ms\n future after(100000ms) a\n return",
    );
    simulate(&b.finish(), |simulation| {
        simulation.set_durations(|_, _| Duration::from_millis(60_000));
        simulation.run_until(at_us(40_000_000));
        // the first key is renewed 34.36 s after its release
        let expected = [(0, Some(0)), (33_000_000, Some(1)), (34_359_738, Some(0))];
        assert_eq!(timeline(simulation.records()), expected);
    });
}
