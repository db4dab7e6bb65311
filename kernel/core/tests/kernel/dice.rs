//! Random systems and events by seed: the same everywhere and for ever.

use giornata_abi::ValueType;
use giornata_abi::system::{FaultPolicy, RIGHT_MANAGE, RIGHT_USE};
use giornata_sim::{Scheduling, Shape, SystemBuilder, Tables};

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Whether an event of chance one in `n` comes.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Numbers of the interrupt lines that random systems have.
pub(crate) const LINES: [u16; 3] = [3, 10, 11];

/// A random system: up to three processes, two programs, everything connected
/// to anything, tables of microcode sometimes too small.
pub(crate) fn random_system(dice: &mut Dice) -> Tables {
    let mut b = SystemBuilder::new();
    let header = &mut b.tables.header;
    header.timer_hertz = dice.pick(&[10_000_000, 32_768, 9_999_991, 1_000_000_000]);
    header.triggers = dice.pick(&[2, 8, 32]);
    header.s_threads = dice.pick(&[1, 4, 16]);
    header.stop_at = if dice.one_in(10) { 2_000_000 } else { 0 };
    let ports: Vec<u16> = (0..1 + dice.below(5))
        .map(|n| port(&mut b, dice, n))
        .collect();
    let mut names = Names {
        ports: ports.len(),
        ..Names::default()
    };
    let mut copies = ports.clone();
    for process in 0..1 + dice.below(3) as u16 {
        add_process(&mut b, dice, &mut names, &mut copies);
        let some = |dice: &mut Dice| ports.iter().copied().filter(|_| dice.one_in(2)).collect();
        let (readable, writable): (Vec<u16>, Vec<u16>) = (some(dice), some(dice));
        b.grant_ports(process, &readable, &writable);
    }
    add_objects(&mut b, dice);
    for (index, line) in LINES.into_iter().enumerate() {
        let owner = (index as u16 <= dice.below(3) as u16).then_some(0);
        b.interrupt(line, owner);
    }
    add_drivers(&mut b, dice, &mut names, &copies);
    for _ in 0..1 + dice.below(2) {
        let program = b.program(&random_program(dice, &names));
        let entry = b.program_entry(program);
        entry.max_steps = dice.pick(&[5, 40, 200]);
        entry.slot = dice.pick(&[giornata_abi::system::BAND_DEADLINE, 7, 255]);
    }
    b.finish()
}

/// What microcode can name.
#[derive(Default)]
struct Names {
    ports: usize,
    tasks: usize,
    drivers: usize,
}

fn shape(dice: &mut Dice) -> Shape {
    match dice.below(4) {
        0 => Shape::Bytes(1 + dice.below(700) as u16),
        _ => Shape::Scalar(dice.pick(&[ValueType::U8, ValueType::I32, ValueType::F64])),
    }
}

fn port(b: &mut SystemBuilder, dice: &mut Dice, number: usize) -> u16 {
    let shape = shape(dice);
    b.port(&format!("p{number}"), shape)
}

fn add_process(b: &mut SystemBuilder, dice: &mut Dice, names: &mut Names, copies: &mut Vec<u16>) {
    let process = b.process();
    let entry = b.process_entry(process);
    let policies = [
        FaultPolicy::Stop,
        FaultPolicy::Restart,
        FaultPolicy::Restart,
        FaultPolicy::Halt,
    ];
    entry.on_fault = dice.pick(&policies) as u8;
    entry.max_priority = dice.pick(&[0, 7, 255]);
    entry.grants = dice.one_in(4) as u32;
    b.upcall_thread(process);
    for _ in 0..dice.below(4) {
        let scheduling = match dice.below(3) {
            0 => Scheduling::Fifo(dice.pick(&[0, 7, 8, 255])),
            1 => Scheduling::RoundRobin(7, 1 + dice.below(100_000) as u32),
            _ => Scheduling::Deadline(dice.word() >> dice.below(64)),
        };
        b.thread(process, scheduling);
    }
    for _ in 0..dice.below(4) {
        let inputs: Vec<Shape> = (0..dice.below(3)).map(|_| shape(dice)).collect();
        let outputs: Vec<Shape> = (0..dice.below(3)).map(|_| shape(dice)).collect();
        let task = b.task(process, &format!("t{}", names.tasks), &inputs, &outputs);
        names.tasks += 1;
        b.tables.threads[task.thread as usize].budget = dice.pick(&[0, 1, 50_000, 1_000_000]);
        copies.extend(task.inputs.into_iter().chain(task.outputs));
    }
}

/// Mutexes, semaphores and conditions that most may do everything with.
fn add_objects(b: &mut SystemBuilder, dice: &mut Dice) {
    for _ in 0..dice.below(5) {
        let object = match dice.below(6) {
            0 | 1 => b.mutex(),
            2 => b.ceiling_mutex(dice.pick(&[7, 8, 200, 255])),
            3 => b.semaphore(dice.below(3) as u32, 2),
            _ => b.condition(),
        };
        for process in 0..b.tables.processes.len() as u16 {
            let all = RIGHT_USE | RIGHT_MANAGE;
            b.grant_object(process, object, dice.pick(&[all, all, RIGHT_USE, 0]));
        }
    }
}

fn add_drivers(b: &mut SystemBuilder, dice: &mut Dice, names: &mut Names, ports: &[u16]) {
    for number in 0..1 + dice.below(6) {
        let name = format!("d{number}");
        let list =
            |dice: &mut Dice, count| (0..count).map(|_| dice.pick(ports)).collect::<Vec<_>>();
        let count = dice.below(3);
        let (reads, writes) = (list(dice, count), list(dice, count));
        match dice.below(5) {
            0 | 1 => b.copy(&name, &reads, &writes),
            2 => b.load(
                &name,
                0x4000_0000,
                dice.pick(&[1, 2, 4, 8]),
                dice.pick(&[0]),
            ),
            3 => b.store(
                &name,
                0x4000_0000,
                dice.pick(&[1, 2, 4, 8]),
                dice.pick(&[0]),
            ),
            _ => {
                let process = dice.below(b.tables.processes.len()) as u16;
                b.upcall(
                    &name,
                    process,
                    &reads,
                    &writes,
                    dice.pick(&[0, 100, 20_000]),
                )
            }
        };
        names.drivers += 1;
    }
}

/// A program that need not make sense: not even the verifier has seen it.
fn random_program(dice: &mut Dice, names: &Names) -> String {
    let length = 3 + dice.below(20);
    let mut text = String::new();
    for at in 0..length {
        if dice.one_in(8) {
            let handlers = ["on_time_safety", "on_time_share", "on_overrun", "on_fault"];
            let handler = dice.pick(&handlers);
            if !text.contains(handler) {
                text += &format!("{handler}:\n");
            }
        }
        text += &format!("l{at}: {}\n", instruction(dice, names, length));
    }
    text
}

fn instruction(dice: &mut Dice, names: &Names, length: usize) -> String {
    let label = format!("l{}", dice.below(length));
    let task = format!("t{}", dice.below(names.tasks.max(1)));
    let tasks = names.tasks > 0;
    match dice.below(12) {
        0 => "return".into(),
        1..=3 => format!("call d{}", dice.below(names.drivers)),
        4 | 5 if tasks => format!(
            "release {task} {}us",
            dice.pick(&[0, 10, 1000, 200_000_000])
        ),
        6 | 7 => format!("future {} {label}", predicate(dice, names)),
        8 if tasks => format!(
            "dispatch {task} until {} else {label}",
            predicate(dice, names)
        ),
        9 => format!("idle {}", predicate(dice, names)),
        10 => format!("fork {label}"),
        11 => format!("branch {} {label}", predicate(dice, names)),
        _ => format!("jump {label}"),
    }
}

fn predicate(dice: &mut Dice, names: &Names) -> String {
    let port = format!("p{}", dice.below(names.ports));
    match dice.below(10) {
        0 => "true".into(),
        1 => "never".into(),
        2..=4 => format!(
            "after({}us/{})",
            dice.pick(&[0, 1, 50, 300]),
            dice.pick(&[1, 3])
        ),
        5 if names.tasks > 0 => format!("released(t{})", dice.below(names.tasks)),
        6 if names.tasks > 0 => format!("completed(t{})", dice.below(names.tasks)),
        7 => format!("changed({port})"),
        8 => format!("irq({})", dice.pick(&LINES)),
        9 => format!("upcall(d{})", dice.below(names.drivers)),
        _ => format!(
            "{port}{}{}",
            dice.pick(&["<", ">=", "!="]),
            dice.pick(&["activation", "3"])
        ),
    }
}
