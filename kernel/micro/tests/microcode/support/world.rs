//! A small kernel with virtual time: tasks that take as long as the test says,
//! drivers that do what it says, and the default EDF scheduler.

use std::collections::{BTreeMap, VecDeque};

use giornata_abi::id::NONE;
use giornata_abi::trace::Violation;
use giornata_abi::{Instant, ValueType};
use giornata_micro::{Called, Host, Machine, Progress, Report, UpcallEnd};

use super::linker::{Slots, Tables};

/// What a driver does when it is called.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// Nothing, at once.
    Nothing,
    /// Writes the next value to a port, at once.
    Write(u16, VecDeque<u64>),
    /// Runs as an upcall with the next of these ends; the last repeats.
    Upcall(VecDeque<UpcallEnd>),
    /// Cannot run.
    Fails,
}

/// A task as the kernel sees it.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) program: u16,
    /// Deadline of the uncompleted job.
    pub(crate) deadline: Option<Instant>,
    /// Execution time left of it.
    pub(crate) left: u64,
    /// Execution times of the next jobs, in turn.
    pub(crate) durations: VecDeque<u64>,
    pub(crate) permitted: bool,
    pub(crate) releases: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Port {
    pub(crate) value_type: ValueType,
    pub(crate) value: u64,
    pub(crate) version: u32,
}

/// What happens from outside at an instant.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Interrupt(u16),
    Write(u16, u64),
    Message(u16, bool),
    /// The job of a task is stopped and the violation raised.
    Stop(u16, Violation),
}

/// The kernel in tests.
pub(crate) struct Kernel {
    pub(crate) words: Vec<String>,
    pub(crate) tasks: Vec<Task>,
    pub(crate) drivers: Vec<(String, Vec<u16>, Work)>,
    pub(crate) ports: Vec<Port>,
    pub(crate) port_names: Vec<String>,
    pub(crate) mailboxes: Vec<bool>,
    pub(crate) timers: BTreeMap<u16, Instant>,
    pub(crate) governed: Vec<bool>,
    pub(crate) reports: Vec<Report>,
    /// Answer of the upcall in progress.
    upcall: Option<UpcallEnd>,
    pub(crate) running: u16,
}

/// A machine in its world.
pub(crate) struct World<'a> {
    pub(crate) machine: Machine<'a>,
    pub(crate) kernel: Kernel,
    pub(crate) now: u64,
    pub(crate) events: Vec<(u64, Event)>,
    tables: &'a Tables,
    /// Pieces that the last reaction took.
    pub(crate) pieces: usize,
}

/// A time in its largest whole unit.
pub(crate) fn text(nanos: u64) -> String {
    let units = [
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
        (1_000, "us"),
        (1, "ns"),
    ];
    let (size, unit) = units
        .into_iter()
        .find(|(size, _)| nanos.is_multiple_of(*size) && (nanos > 0 || *size == 1_000_000))
        .unwrap();
    format!("{}{unit}", nanos / size)
}

impl<'a> World<'a> {
    pub(crate) fn new(tables: &'a Tables, slots: &'a mut Slots) -> World<'a> {
        let machine = Machine::new(
            tables.system(),
            &mut slots.bindings,
            &mut slots.threads,
            &mut slots.programs,
        );
        World {
            machine,
            kernel: Kernel::of(tables),
            now: 0,
            events: Vec::new(),
            tables,
            pieces: 0,
        }
    }

    /// Starts all programs at 0.
    pub(crate) fn start_all(&mut self) {
        for program in 0..self.tables.programs.len() as u16 {
            assert!(self.machine.start(program, Instant::START));
        }
    }

    /// Execution times of a task's jobs, in turn; the last repeats.
    pub(crate) fn takes(&mut self, task: &str, millis: &[f64]) {
        let index = self.task(task);
        self.kernel.tasks[index as usize].durations =
            millis.iter().map(|m| (m * 1e6) as u64).collect();
    }

    pub(crate) fn does(&mut self, driver: &str, work: Work) {
        let driver = self
            .kernel
            .drivers
            .iter_mut()
            .find(|(name, ..)| name == driver);
        driver.expect("a driver").2 = work;
    }

    /// The driver writes these values to the port, one a call.
    pub(crate) fn writes(&mut self, driver: &str, port: &str, values: &[u64]) {
        let port = self.port(port);
        self.does(driver, Work::Write(port, values.iter().copied().collect()));
    }

    pub(crate) fn answers(&mut self, driver: &str, ends: &[UpcallEnd]) {
        self.does(driver, Work::Upcall(ends.iter().copied().collect()));
    }

    pub(crate) fn task(&self, name: &str) -> u16 {
        self.tables
            .task_names
            .iter()
            .position(|n| n == name)
            .expect("a task") as u16
    }

    pub(crate) fn port(&self, name: &str) -> u16 {
        self.tables
            .port_names
            .iter()
            .position(|n| n == name)
            .expect("a port") as u16
    }

    pub(crate) fn irq(&self, name: &str) -> u16 {
        40 + self
            .tables
            .irq_names
            .iter()
            .position(|n| n == name)
            .expect("an irq") as u16
    }

    /// Something from outside at a time in ms.
    pub(crate) fn at(&mut self, millis: f64, event: Event) {
        self.events.push(((millis * 1e6) as u64, event));
        self.events.sort_by_key(|(at, _)| *at);
    }

    pub(crate) fn interrupt_at(&mut self, millis: f64, name: &str) {
        let number = self.irq(name);
        self.at(millis, Event::Interrupt(number));
    }

    pub(crate) fn write_at(&mut self, millis: f64, name: &str, value: u64) {
        let port = self.port(name);
        self.at(millis, Event::Write(port, value));
    }

    /// Runs until a time in ns: handles every event before it.
    pub(crate) fn run_until(&mut self, until: u64) {
        if self.now == 0 && self.machine.begin(Instant::START, None) {
            self.handle_outside(0);
            self.react();
        }
        while let Some(at) = self.next_event().filter(|at| *at < until) {
            self.pass_until(at);
            self.handle(at);
        }
        self.pass_until(until);
    }

    fn next_event(&self) -> Option<u64> {
        let timer = self.kernel.timers.values().map(|at| at.0).min();
        let running = self.kernel.tasks.get(self.kernel.running as usize);
        let completion = running.map(|task| self.now + task.left);
        let outside = self.events.first().map(|(at, _)| *at);
        [timer, completion, outside].into_iter().flatten().min()
    }

    fn pass_until(&mut self, at: u64) {
        if let Some(task) = self.kernel.tasks.get_mut(self.kernel.running as usize) {
            task.left -= at - self.now;
        }
        self.now = at;
    }

    /// Handles all that happens at one instant.
    fn handle(&mut self, at: u64) {
        let instant = Instant(at);
        self.kernel.timers.retain(|_, timer| *timer > instant);
        assert!(
            self.machine.begin(instant, None),
            "settled between instants"
        );
        if let Some(task) = self.kernel.tasks.get_mut(self.kernel.running as usize)
            && task.left == 0
        {
            task.deadline = None;
            self.kernel
                .words
                .push(format!("@{} {}-done", text(at), task.name));
            self.machine.completed(self.kernel.running);
        } else {
            self.kernel.words.push(format!("@{}", text(at)));
        }
        self.handle_outside(at);
        self.react();
    }

    /// What comes from outside, an interrupt in a reaction of its own.
    fn handle_outside(&mut self, at: u64) {
        while self.events.first().is_some_and(|(when, _)| *when == at) {
            match self.events.remove(0).1 {
                Event::Interrupt(number) => {
                    self.react();
                    assert!(self.machine.begin(Instant(at), Some(number)));
                }
                Event::Write(port, value) => self.kernel.set(port, value),
                Event::Message(mailbox, holds) => {
                    self.kernel.mailboxes[mailbox as usize] = holds;
                }
                Event::Stop(task, violation) => {
                    let program = self.kernel.tasks[task as usize].program;
                    self.kernel.tasks[task as usize].deadline = None;
                    self.machine.completed(task);
                    self.machine
                        .raise(&mut self.kernel, program, violation, Some(task), None);
                }
            }
        }
    }

    /// Runs the reaction to its end and lets the scheduler choose.
    pub(crate) fn react(&mut self) {
        self.pieces = 0;
        loop {
            self.pieces += 1;
            assert!(self.pieces < 10_000, "the reaction ends");
            let progress = self.machine.run(&mut self.kernel);
            self.machine
                .check_invariants()
                .expect("the invariants hold");
            match progress {
                Progress::Settled => break,
                Progress::More => {}
                Progress::Upcall => {
                    let end = self.kernel.upcall.take().expect("an upcall runs");
                    self.machine.upcall_ended(&mut self.kernel, end);
                }
            }
        }
        self.kernel.choose();
    }
}

impl Kernel {
    fn of(tables: &Tables) -> Kernel {
        let names = tables.task_names.iter().zip(&tables.task_programs);
        let drivers = tables.driver_names.iter().zip(&tables.conflicts);
        Kernel {
            words: vec!["@0ms".to_string()],
            tasks: names
                .map(|(name, program)| Task {
                    name: name.clone(),
                    program: *program,
                    deadline: None,
                    left: 0,
                    durations: VecDeque::from([1_000_000]),
                    permitted: false,
                    releases: Vec::new(),
                })
                .collect(),
            drivers: drivers
                .map(|(name, c)| (name.clone(), c.clone(), Work::Nothing))
                .collect(),
            ports: tables
                .ports
                .iter()
                .map(|p| Port {
                    value_type: ValueType::from_code(p.value_type).unwrap(),
                    value: 0,
                    version: 0,
                })
                .collect(),
            port_names: tables.port_names.clone(),
            mailboxes: vec![false; tables.mailbox_names.len()],
            timers: BTreeMap::new(),
            governed: vec![false; tables.programs.len()],
            reports: Vec::new(),
            upcall: None,
            running: NONE,
        }
    }

    pub(crate) fn set(&mut self, port: u16, value: u64) {
        let port = &mut self.ports[port as usize];
        if port.value != value {
            port.value = value;
            port.version += 1;
        }
    }

    /// EDF among the released tasks that may run; ties by number.
    fn choose(&mut self) {
        let may_run =
            |task: &&(usize, &Task)| !self.governed[task.1.program as usize] || task.1.permitted;
        let released = self
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| task.deadline.is_some());
        let chosen = released
            .filter(|t| may_run(&t))
            .min_by_key(|(i, task)| (task.deadline, *i));
        let chosen = chosen.map_or(NONE, |(i, _)| i as u16);
        if chosen != self.running {
            let name = self
                .tasks
                .get(chosen as usize)
                .map_or("idle", |task| &task.name);
            self.words.push(format!("run:{name}"));
            self.running = chosen;
        }
    }

    fn say(&mut self, words: impl Into<String>) {
        self.words.push(words.into());
    }
}

impl Host for Kernel {
    fn is_released(&self, task: u16) -> bool {
        self.tasks[task as usize].deadline.is_some()
    }

    fn conflict(&self, driver: u16) -> Option<u16> {
        let conflicts = &self.drivers[driver as usize].1;
        conflicts
            .iter()
            .copied()
            .find(|task| self.is_released(*task))
    }

    fn call(&mut self, driver: u16, _: Instant) -> Called {
        let (name, _, work) = &mut self.drivers[driver as usize];
        let word = name.clone();
        let write = match work {
            Work::Nothing => None,
            Work::Write(port, values) => Some((*port, next(values))),
            Work::Upcall(ends) => {
                assert!(self.upcall.is_none(), "upcalls never nest");
                self.upcall = Some(next(ends));
                self.words.push(format!("{word}()"));
                return Called::Started;
            }
            Work::Fails => return Called::Failed,
        };
        self.say(word);
        if let Some((port, value)) = write {
            self.set(port, value);
        }
        Called::Done
    }

    fn release(&mut self, task: u16, instant: Instant, deadline: Instant) {
        let task = &mut self.tasks[task as usize];
        assert!(task.deadline.is_none(), "a task has one job at a time");
        task.deadline = Some(deadline);
        task.left = next(&mut task.durations);
        task.releases.push(instant.0);
        let word = format!("{}!{}", task.name, text(deadline.0));
        self.say(word);
    }

    fn port_type(&self, port: u16) -> ValueType {
        self.ports[port as usize].value_type
    }

    fn port_value(&self, port: u16) -> u64 {
        self.ports[port as usize].value
    }

    fn port_version(&self, port: u16) -> u32 {
        self.ports[port as usize].version
    }

    fn set_port(&mut self, port: u16, value: u64, _: Instant) {
        self.set(port, value);
        let word = format!("{}={value}", self.port_names[port as usize]);
        self.say(word);
    }

    fn has_message(&self, mailbox: u16) -> bool {
        self.mailboxes[mailbox as usize]
    }

    fn arm(&mut self, timer: u16, at: Instant) {
        self.timers.insert(timer, at);
    }

    fn disarm(&mut self, timer: u16) {
        self.timers.remove(&timer);
    }

    fn govern(&mut self, program: u16, governed: bool) {
        assert_ne!(
            self.governed[program as usize], governed,
            "only what changed is told"
        );
        self.governed[program as usize] = governed;
    }

    fn permit(&mut self, task: u16, permitted: bool) {
        let task = &mut self.tasks[task as usize];
        assert_ne!(task.permitted, permitted, "only what changed is told");
        assert!(
            !permitted || self.governed[task.program as usize],
            "only a governed task"
        );
        task.permitted = permitted;
    }

    fn is_interrupted(&mut self) -> bool {
        false
    }

    fn report(&mut self, report: Report) {
        let who = |names: Option<String>| names.map_or(String::new(), |n| format!(":{n}"));
        let task = who(report.task.map(|t| self.tasks[t as usize].name.clone()));
        let driver = who(report.driver.map(|d| self.drivers[d as usize].0.clone()));
        let handled = if report.handled { "+handler" } else { "" };
        let kind = report.violation.name();
        self.say(format!("[{kind}{task}{driver}{handled}]"));
        self.reports.push(report);
    }
}

/// The next of a script; its last entry repeats.
fn next<T: Copy>(script: &mut VecDeque<T>) -> T {
    if script.len() > 1 {
        script.pop_front().unwrap()
    } else {
        script[0]
    }
}
