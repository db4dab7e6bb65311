//! Random systems: a few processes that share a few objects.

use super::{Plan, programs};
use crate::random::Random;
use crate::scenario::Theme;
use crate::system::{
    Line, Object, ObjectKind, OnFault, Process, Region, Rights, Role, Scheduling, System, Thread,
};

/// Numbers of the interrupt lines.
const LINES: [u16; 2] = [3, 10];
/// Most tasks and threads with deadlines: each lacks another number of ticks to a
/// multiple of the grid.
const DEADLINES: usize = 5;

pub(super) fn draw(random: &mut Random, plan: Plan) -> System {
    let mut system = System::default();
    let shape = Shape::draw(random, plan.theme);
    for process in 0..shape.processes {
        add_process(random, plan, &shape, &mut system, process);
    }
    add_objects(random, plan, &mut system);
    if shape.has_regions {
        add_regions(random, &mut system);
    }
    add_lines(random, &shape, &mut system);
    if shape.tasks > 0 {
        programs::draw(random, plan, &mut system);
        grant_ports(random, &mut system);
    }
    system
}

/// How much there is of what.
struct Shape {
    processes: usize,
    threads: usize,
    tasks: usize,
    lines: usize,
    has_regions: bool,
}

impl Shape {
    fn draw(random: &mut Random, theme: Theme) -> Shape {
        let processes = random.between(2, 4) as usize;
        let (threads, tasks, lines) = match theme {
            Theme::Locks => (random.between(3, 7), 0, random.weighted(&[3, 1])),
            Theme::Mail => (random.between(3, 6), 0, random.weighted(&[3, 1])),
            Theme::Lives => (random.between(3, 5), 0, random.weighted(&[3, 1])),
            Theme::Timing => {
                let tasks = random.between(1, 4);
                let threads = random.between(1, 3);
                (threads, tasks, random.weighted(&[1, 3, 3]))
            }
            Theme::Mixed => {
                let tasks = random.below(3);
                (random.between(3, 5), tasks, random.weighted(&[2, 2, 1]))
            }
        };
        Shape {
            processes,
            threads: threads as usize,
            tasks: tasks as usize,
            lines,
            has_regions: matches!(theme, Theme::Lives) && random.one_in(2),
        }
    }

    /// How many of `all` a process has.
    fn share(&self, all: usize, process: usize) -> usize {
        all / self.processes + usize::from(process < all % self.processes)
    }
}

fn add_process(
    random: &mut Random,
    plan: Plan,
    shape: &Shape,
    system: &mut System,
    process: usize,
) {
    let comes_and_goes = matches!(plan.theme, Theme::Lives);
    let supervisor = (comes_and_goes && process > 0 && !random.one_in(3)).then_some(0);
    let has_mail = !matches!(plan.theme, Theme::Locks | Theme::Timing);
    system.processes.push(Process {
        on_fault: random.pick(&[
            OnFault::Stop,
            OnFault::Stop,
            OnFault::Restart,
            OnFault::Restart,
            OnFault::Restart,
            OnFault::Halt,
        ]),
        max_priority: random.pick(&[255, 255, 255, 120]),
        supervisor,
        starts_by_call: supervisor.is_some() && random.one_in(3),
        messages: match has_mail {
            true => random.pick(&[1, 2, 4, 8]),
            false => 0,
        },
        message_size: if has_mail { 48 } else { 0 },
        heap: if comes_and_goes { 64 } else { 0 },
        readable: Vec::new(),
        writable: Vec::new(),
    });
    let mut add = |role| system.threads.push(Thread { process, role });
    if shape.tasks > 0 && random.one_in(3) {
        add(Role::Upcalls);
    }
    for _ in 0..shape.share(shape.threads, process) {
        add(Role::Given(Scheduling::Fifo(0)));
    }
    if comes_and_goes && !random.one_in(3) {
        add(Role::Spare);
    }
    // from the last process on, so that not all lie in the first
    for _ in 0..shape.share(shape.tasks, shape.processes - 1 - process) {
        add(Role::Task {
            inputs: random.between(1, 2) as usize,
            outputs: random.between(1, 2) as usize,
            budget: random.one_in(4).then(|| random.pick(&[53, 103, 203])),
        });
    }
    schedule(random, plan, shape, system, process);
}

/// Says how the ordinary threads of a process are scheduled.
fn schedule(random: &mut Random, plan: Plan, shape: &Shape, system: &mut System, process: usize) {
    let threads: Vec<usize> = system.threads_of(process).collect();
    for index in threads {
        let Role::Given(_) = system.threads[index].role else {
            continue;
        };
        let priority = plan.priority(random, index as u8);
        let deadlines = count_deadlines(system);
        let has_room = shape.tasks + deadlines < DEADLINES;
        system.threads[index].role = Role::Given(match random.below(8) {
            0 if has_room => {
                // tasks have the remainders from 0 on
                let remainder = DEADLINES - 1 - deadlines;
                Scheduling::Deadline(u64::from(random.between(2, 60)) * 10 - remainder as u64)
            }
            1 | 2 if plan.equals => Scheduling::RoundRobin(priority, random.pick(&[203, 403])),
            _ => Scheduling::Fifo(priority),
        });
    }
}

/// How many ordinary threads are scheduled by deadlines.
fn count_deadlines(system: &System) -> usize {
    let by_deadline =
        |thread: &&Thread| matches!(thread.role, Role::Given(Scheduling::Deadline(_)));
    system.threads.iter().filter(by_deadline).count()
}

fn add_objects(random: &mut Random, plan: Plan, system: &mut System) {
    let between = |random: &mut Random, low, high| random.between(low, high) as usize;
    let [mutexes, semaphores, conditions, mailboxes] = match plan.theme {
        Theme::Locks => {
            let mutexes = between(random, 1, 3);
            let semaphores = between(random, 0, 2);
            [mutexes, semaphores, between(random, 0, 2), 0]
        }
        Theme::Mail => {
            let [mutexes, semaphores] = [0; 2].map(|_| between(random, 0, 1));
            [mutexes, semaphores, 0, between(random, 1, 3)]
        }
        Theme::Lives => {
            let mutexes = between(random, 1, 2);
            let [semaphores, mailboxes] = [0; 2].map(|_| between(random, 0, 1));
            [mutexes, semaphores, 0, mailboxes]
        }
        Theme::Timing => {
            let [mutexes, semaphores] = [0; 2].map(|_| between(random, 0, 1));
            [mutexes, semaphores, 0, 0]
        }
        Theme::Mixed => {
            let mutexes = between(random, 1, 2);
            let [semaphores, conditions] = [0; 2].map(|_| between(random, 0, 1));
            let fewest = u32::from(plan.servers);
            [mutexes, semaphores, conditions, between(random, fewest, 2)]
        }
    };
    for _ in 0..mutexes {
        add_object(random, system, ObjectKind::Mutex);
    }
    if mutexes > 0 && random.one_in(5) {
        let ceiling = plan.ceiling(random);
        add_object(random, system, ObjectKind::CeilingMutex(ceiling));
    }
    for _ in 0..semaphores {
        let (initial, most) = (random.below(2), random.between(2, 3));
        add_object(random, system, ObjectKind::Semaphore { initial, most });
    }
    for _ in 0..conditions {
        add_object(random, system, ObjectKind::Condition);
    }
    for number in 0..mailboxes {
        let first = system.objects.len() - number;
        let server = (plan.servers && number > 0 && random.one_in(2)).then_some(first);
        add_object(random, system, ObjectKind::Mailbox { server });
    }
}

fn add_object(random: &mut Random, system: &mut System, kind: ObjectKind) {
    let all = [Rights::All; 8];
    let some = [
        Rights::All,
        Rights::NoManaging,
        Rights::UseOnly,
        Rights::Nothing,
    ];
    let mut rights = Vec::new();
    for _ in 0..system.processes.len() {
        let from: &[Rights] = if random.one_in(10) { &some } else { &all };
        rights.push(random.pick(from));
    }
    system.objects.push(Object {
        kind,
        at_boot: !random.one_in(16),
        rights,
    });
}

fn add_regions(random: &mut Random, system: &mut System) {
    for _ in 0..random.between(1, 2) {
        let rights = system.processes.iter().map(|_| {
            let choices = [(true, true), (true, true), (true, false), (false, false)];
            random.pick(&choices)
        });
        let rights = rights.collect();
        let size = 1024 * random.between(1, 3);
        system.regions.push(Region { size, rights });
    }
}

fn add_lines(random: &mut Random, shape: &Shape, system: &mut System) {
    for number in LINES.into_iter().take(shape.lines) {
        let owner = (!random.one_in(3)).then(|| random.index(system.processes.len()));
        let is_throttled = owner.is_some() && random.one_in(4);
        system.lines.push(Line {
            number,
            owner,
            interval: if is_throttled { 302 } else { 0 },
        });
    }
}

fn grant_ports(random: &mut Random, system: &mut System) {
    let ports = system.ports;
    for process in &mut system.processes {
        let mut some = |share| (0..ports).filter(|_| random.one_in(share)).collect();
        (process.readable, process.writable) = (some(2), some(2));
    }
}
