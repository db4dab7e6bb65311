//! A kernel in virtual time, and its trace of words.

use std::collections::{BTreeMap, VecDeque};

use giornata_abi::call::Call;
use giornata_abi::ring::{Kind, NONE, members, reason, split_head};
use giornata_abi::trace::{FaultCause, Violation};
use giornata_host::Rig;

use super::system::{CALL, DATA, End, LINES, System, Work};

/// What happens from outside at an instant.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Interrupt(u32),
    Write(usize, u64),
    Message(usize, bool),
    /// The thread that acts for the world makes a call.
    Call(Request),
    /// The process of the task that runs faults.
    Fault,
}

/// A call, and what lies in the data of its process meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) call: Call,
    pub(crate) arguments: [usize; 6],
    pub(crate) bytes: Vec<u8>,
}

/// A kernel in its world.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) system: System,
    rig: Option<Rig>,
    pub(crate) words: Vec<String>,
    pub(crate) events: Vec<(u64, Event)>,
    /// Execution times of the next jobs of tasks, in turn; the last repeats.
    durations: BTreeMap<String, VecDeque<u64>>,
    /// What is left of the job of each task that has begun one.
    left: BTreeMap<usize, u64>,
    /// Violations that the trace has told, by thread.
    violations: BTreeMap<u16, u32>,
    /// Instants of the releases of each task.
    pub(crate) releases: BTreeMap<String, Vec<u64>>,
    /// What the thread does that acts for the world.
    pending: VecDeque<Event>,
    /// The task that ran last.
    shown: Option<usize>,
    /// Instants that the machine has handled.
    instants: u32,
    pub(crate) now: u64,
    /// Ticks by which the alarm comes late.
    pub(crate) late: u64,
    /// Upcalls are left running.
    pub(crate) holds_upcalls: bool,
    /// What lies in blocks of upcalls when they return.
    results: Vec<(usize, u64)>,
    /// Values that ports have from the beginning.
    initial: Vec<(usize, u64)>,
    /// What calls have answered: a code, and results.
    pub(crate) answers: Vec<[usize; 4]>,
    /// Drivers that have run, and when.
    pub(crate) ran: Vec<(String, u64)>,
    /// Jobs that have missed their deadlines.
    pub(crate) misses: usize,
    /// What the clock says at boot.
    pub(crate) clock: u64,
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

/// The next of a script; its last entry repeats.
fn next<T: Copy>(script: &mut VecDeque<T>) -> T {
    if script.len() > 1 {
        script.pop_front().unwrap()
    } else {
        script[0]
    }
}

impl World {
    pub(crate) fn new(sources: &[&str]) -> World {
        World::of(System::assembled(sources))
    }

    pub(crate) fn of(system: System) -> World {
        World {
            system,
            rig: None,
            words: vec!["@0ms".to_string()],
            events: Vec::new(),
            durations: BTreeMap::new(),
            left: BTreeMap::new(),
            violations: BTreeMap::new(),
            releases: BTreeMap::new(),
            pending: VecDeque::new(),
            shown: None,
            instants: 0,
            now: 0,
            late: 0,
            clock: 0,
            holds_upcalls: false,
            results: Vec::new(),
            initial: Vec::new(),
            answers: Vec::new(),
            ran: Vec::new(),
            misses: 0,
        }
    }

    /// Execution times of a task's jobs, in turn; the last repeats.
    pub(crate) fn takes(&mut self, task: &str, millis: &[f64]) {
        let times = millis.iter().map(|m| (m * 1e6) as u64).collect();
        self.durations.insert(task.to_string(), times);
    }

    /// A budget of a task's jobs.
    pub(crate) fn limit(&mut self, task: &str, millis: f64) {
        let task = self
            .system
            .tasks
            .iter_mut()
            .find(|own| own.name == task)
            .expect("a task");
        task.budget = (millis * 1e6) as u32;
    }

    pub(crate) fn does(&mut self, driver: &str, work: Work) {
        let driver = self
            .system
            .drivers
            .iter_mut()
            .find(|own| own.name == driver);
        driver.expect("a driver").work = work;
    }

    /// The driver writes these values to the port, one a call.
    pub(crate) fn writes(&mut self, driver: &str, port: &str, values: &[u64]) {
        let port = self.port(port);
        self.does(driver, Work::Write(port, values.iter().copied().collect()));
    }

    /// The driver copies one port to another and does nothing else.
    pub(crate) fn copies(&mut self, driver: &str, from: &str, to: &str) {
        self.moves(driver, &[(from, to)]);
    }

    /// The same with several ports, all read before any is written.
    pub(crate) fn moves(&mut self, driver: &str, pairs: &[(&str, &str)]) {
        let pairs = pairs.iter();
        let pairs = pairs.map(|(from, to)| (self.port(from), self.port(to)));
        let pairs = pairs.collect();
        self.does(driver, Work::Copy(pairs));
    }

    /// The low word of the value of a port.
    pub(crate) fn value(&mut self, name: &str) -> u32 {
        let place = self.system.place(self.port(name));
        self.rig().word(place)
    }

    pub(crate) fn answers(&mut self, driver: &str, ends: &[End]) {
        self.does(driver, Work::Upcall(ends.iter().copied().collect()));
    }

    /// What the upcall of a driver returns in its block, for a port.
    pub(crate) fn puts_out(&mut self, driver: &str, port: &str, value: u64) {
        let port = self.port(port);
        let driver = self
            .system
            .drivers
            .iter_mut()
            .find(|own| own.name == driver);
        let driver = driver.expect("a driver");
        driver.result = Some(port);
        let source = driver.source;
        self.results.push((source, value));
    }

    pub(crate) fn port(&self, name: &str) -> usize {
        self.system
            .ports
            .iter()
            .position(|(own, _)| own == name)
            .expect("a port")
    }

    /// The value that a port has from the beginning.
    pub(crate) fn holds(&mut self, name: &str, value: u64) {
        let port = self.port(name);
        self.initial.push((port, value));
    }

    /// Something from outside at a time in ms.
    pub(crate) fn at(&mut self, millis: f64, event: Event) {
        self.events.push(((millis * 1e6) as u64, event));
        self.events.sort_by_key(|(at, _)| *at);
    }

    pub(crate) fn interrupt_at(&mut self, millis: f64, name: &str) {
        let number = self
            .system
            .lines
            .iter()
            .position(|own| own == name)
            .expect("an irq");
        self.at(millis, Event::Interrupt(LINES + number as u32));
    }

    pub(crate) fn write_at(&mut self, millis: f64, name: &str, value: u64) {
        let port = self.port(name);
        self.at(millis, Event::Write(port, value));
    }

    pub(crate) fn rig(&mut self) -> &mut Rig {
        self.rig.as_mut().expect("a world that has begun")
    }

    /// The first instant.
    pub(crate) fn begin(&mut self) {
        let description = self.system.description();
        self.rig = Some(Rig::boot_at(&description, self.clock));
        // (the thread that acts for the world runs before any code)
        for (port, value) in std::mem::take(&mut self.initial) {
            let place = self.system.place(port);
            self.rig().set_word(place, value as u32);
            self.rig().set_word(place + 4, (value >> 32) as u32);
        }
        self.set_sources();
        // (nor is the trace of boot told)
        self.rig().take_trace(drop);
        self.attend();
        self.handle_outside(0);
        self.settle();
    }

    /// Runs until a time in ns: handles every event before it.
    pub(crate) fn run_until(&mut self, until: u64) {
        if self.rig.is_none() {
            self.begin();
        }
        while let Some(at) = self.next_event().filter(|at| *at < until) {
            self.pass_until(at);
            self.handle(at);
        }
        self.pass_until(until);
    }

    fn next_event(&mut self) -> Option<u64> {
        let late = self.late;
        let alarm = self.rig().alarm().map(|at| at + late);
        let completion = self.running_task().map(|task| self.now + self.left[&task]);
        let outside = self.events.first().map(|(at, _)| *at);
        [alarm, completion, outside].into_iter().flatten().min()
    }

    /// The task that has the hart.
    pub(crate) fn running_task(&mut self) -> Option<usize> {
        let running = self.rig().running();
        self.system
            .tasks
            .iter()
            .position(|task| task.thread == running)
    }

    /// Time passes, up to an instant or, if the kernel itself took longer, up to where it is.
    pub(crate) fn pass_until(&mut self, at: u64) {
        let now = self.rig().now();
        let at = at.max(now);
        if let Some(task) = self.running_task() {
            let left = self.left.get_mut(&task).expect("a job");
            *left = left.saturating_sub(at - self.now);
        }
        self.rig().pass(at - now);
        self.now = at;
    }

    /// Handles all that happens at one instant.
    fn handle(&mut self, at: u64) {
        let place = self.words.len();
        let mut header = format!("@{}", text(at));
        let mut is_told = self.events.first().is_some_and(|(when, _)| *when == at);
        if let Some(task) = self.running_task()
            && self.left[&task] == 0
        {
            self.left.remove(&task);
            header = format!("{header} {}-done", self.system.tasks[task].name);
            is_told = true;
            let _ = self.rig().call(Call::Complete, [0; 6]);
            self.attend();
        }
        self.rig().interrupt();
        self.attend();
        self.handle_outside(at);
        if self.settle() || is_told {
            self.words.insert(place, header);
        }
    }

    /// What comes from outside, one after the other.
    fn handle_outside(&mut self, at: u64) {
        while self.events.first().is_some_and(|(when, _)| *when == at) {
            match self.events.remove(0).1 {
                Event::Interrupt(number) => self.rig().raise(number),
                Event::Fault if self.running_task().is_none() => {}
                Event::Fault => self.rig().fault(FaultCause::Load, 0, 0),
                event => {
                    self.pending.push_back(event);
                    self.rig().raise(CALL);
                }
            }
            self.attend();
        }
    }

    /// Upcalls end, and who acts for the world does what it is asked.
    pub(crate) fn attend(&mut self) {
        loop {
            self.rig().check_invariants();
            self.set_sources();
            let running = self.rig().running();
            let driver = self
                .system
                .drivers
                .iter()
                .position(|driver| driver.thread == running);
            if running == 0 {
                self.act();
            } else if let Some(driver) = driver
                && !self.holds_upcalls
            {
                self.end_upcall(driver);
            } else {
                break;
            }
        }
        // jobs that were stopped are not gone on with
        let running = self.running_task();
        if let Some(task) = running {
            let name = &self.system.tasks[task].name;
            let default = VecDeque::from([1_000_000]);
            let script = self.durations.entry(name.clone()).or_insert(default);
            self.left.entry(task).or_insert_with(|| next(script));
        }
    }

    fn act(&mut self) {
        match self.pending.pop_front() {
            Some(Event::Write(port, value)) => {
                let (_, order) = self.system.ports[port];
                let data = self.rig().process(0).data_place - giornata_host::MEMORY;
                self.rig().set_word(data, value as u32);
                self.rig().set_word(data + 4, (value >> 32) as u32);
                let size = order.size().unwrap_or(8).into();
                let done = self
                    .rig()
                    .call(Call::WritePort, [port, DATA, size, 0, 0, 0]);
                assert!(done.is_none_or(|results| results[0] == 0), "{done:?}");
            }
            Some(Event::Message(mailbox, true)) => {
                let done = self.rig().call(Call::Send, [mailbox, 1, 0, 0, 0, 0]);
                assert!(done.is_none_or(|results| results[0] == 0), "{done:?}");
            }
            Some(Event::Message(mailbox, false)) => {
                let done = self.rig().call(Call::Receive, [mailbox, 1, 0, 0, 0, 0]);
                assert!(done.is_none_or(|results| results[0] == 0), "{done:?}");
            }
            Some(Event::Call(request)) => {
                let data = self.rig().process(0).data_place - giornata_host::MEMORY;
                for (index, word) in request.bytes.chunks(4).enumerate() {
                    let mut whole = [0; 4];
                    whole[..word.len()].copy_from_slice(word);
                    self.rig()
                        .set_word(data + 4 * index, u32::from_le_bytes(whole));
                }
                let done = self.rig().call(request.call, request.arguments);
                let [code, a, b, c, ..] = done.expect("a call that does not block");
                self.answers.push([code, a, b, c]);
            }
            _ => {
                let _ = self
                    .rig()
                    .call(Call::AwaitInterrupt, [CALL as usize, 0, 0, 0, 0, 0]);
            }
        }
    }

    fn end_upcall(&mut self, driver: usize) {
        let Work::Upcall(ends) = &mut self.system.drivers[driver].work else {
            panic!("driver {driver} has no upcall");
        };
        match next(ends) {
            End::Returned(value) => {
                let _ = self.rig().call(Call::Return, [value, 0, 0, 0, 0, 0]);
            }
            End::Overrun => {
                let budget = self.system.budget;
                self.rig().pass(budget.into());
                self.rig().interrupt();
            }
            End::Fault => self.rig().fault(FaultCause::Load, 0, 0),
        }
    }

    /// Drivers that write find their next values.
    fn set_sources(&mut self) {
        let mut values = Vec::new();
        for driver in &mut self.system.drivers {
            if let Work::Write(_, script) = &mut driver.work {
                values.push((driver.source, script[0]));
            }
        }
        values.extend(&self.results);
        for (source, value) in values {
            self.rig().set_word(source, value as u32);
            self.rig().set_word(source + 4, (value >> 32) as u32);
        }
    }

    /// Reads what the trace tells, and who runs. Whether an instant was handled.
    pub(crate) fn settle(&mut self) -> bool {
        self.read_trace();
        self.check_counts();
        let running = self.running_task();
        if running != self.shown {
            let name = running.map_or("idle", |task| &self.system.tasks[task].name);
            self.words.push(format!("run:{name}"));
            self.shown = running;
        }
        let instants = self.rig().kernel().instants();
        std::mem::replace(&mut self.instants, instants) != instants
    }

    /// The records count what the trace tells.
    fn check_counts(&mut self) {
        for (thread, told) in std::mem::take(&mut self.violations) {
            let task = self.rig().thread(usize::from(thread)).place.task;
            let counted = task.expect("a task").violations.get();
            assert_eq!(counted, told, "violations of thread {thread}");
            self.violations.insert(thread, told);
        }
    }

    /// The name of a task's thread.
    fn task_name(&self, thread: u16) -> String {
        let task = self
            .system
            .tasks
            .iter()
            .find(|task| task.thread == usize::from(thread));
        task.expect("a task").name.clone()
    }

    pub(crate) fn read_trace(&mut self) {
        let mut records = Vec::new();
        self.rig().take_trace(|record| records.push(record));
        for record in records {
            self.read_record(record);
        }
    }

    fn read_record(&mut self, [at, head, first, second]: [u32; 4]) {
        let (kind, _, subject) = split_head(head);
        // (tests are shorter than a word of ticks)
        let at = u64::from(at);
        match kind {
            Some(Kind::Release) => {
                for thread in members::threads(subject, first) {
                    let name = self.task_name(thread);
                    self.words
                        .push(format!("{name}!{}", text(at + u64::from(second))));
                    self.releases.entry(name).or_default().push(at);
                }
            }
            Some(Kind::Complete) if first & reason::LATE != 0 => self.misses += 1,
            Some(Kind::Switch) if second & reason::LATE != 0 => self.misses += 1,
            Some(Kind::Change) => self.words.push(format!("change:{second}")),
            Some(Kind::Violation) => self.read_violation(first, second),
            Some(Kind::Upcall) if first == 1 => {
                let name = self.system.drivers[usize::from(subject)].name.clone();
                self.words.push(format!("{name}()"));
            }
            Some(Kind::Port) => {
                let port = usize::from(subject);
                let driver = self
                    .system
                    .drivers
                    .iter_mut()
                    .find(|driver| driver.log == port);
                let word = match driver {
                    Some(driver) => {
                        if let Work::Write(_, script) = &mut driver.work {
                            let _ = next(script);
                        }
                        self.ran.push((driver.name.clone(), at));
                        driver.name.clone()
                    }
                    None => format!("{}={first}", self.system.ports[port].0),
                };
                self.words.push(word);
            }
            _ => {}
        }
    }

    fn read_violation(&mut self, how: u32, who: u32) {
        let kind = Violation::from_code(how as u8).expect("a violation");
        let (task, driver) = (who as u16, (who >> 16) as u16);
        let task = match task {
            NONE => String::new(),
            task => {
                *self.violations.entry(task).or_default() += 1;
                // (a job that was stopped is gone)
                let stopped = self
                    .system
                    .tasks
                    .iter()
                    .position(|own| own.thread == usize::from(task));
                if matches!(kind, Violation::Overrun | Violation::Fault) {
                    self.left.remove(&stopped.expect("a task"));
                }
                format!(":{}", self.task_name(task))
            }
        };
        let driver = match driver {
            NONE => String::new(),
            driver => format!(":{}", self.system.drivers[usize::from(driver)].name),
        };
        let handled = if how >> 8 != 0 { "+handler" } else { "" };
        self.words
            .push(format!("[{}{task}{driver}{handled}]", kind.name()));
    }
}
