//! What a program means: an interpreter of the syntax tree, which knows neither compiler
//! nor kernel. At each instant outputs of tasks that end, actuators, sensors, one switch,
//! inputs and releases follow each other; whatever a driver reads it reads before it
//! writes anything.

use std::collections::{BTreeMap, BTreeSet};

use giornata_lang::giotto::tree::{Driver, Line, LineKind, Mode, Program, Task};

use crate::{Call, holds, put_out};

type Value = Vec<u8>;

pub(crate) struct Oracle<'p> {
    program: &'p Program,
    sizes: &'p BTreeMap<String, u16>,
    values: BTreeMap<String, Value>,
    counts: BTreeMap<String, u32>,
    /// By task: when its job ends, and what it puts out then.
    running: BTreeMap<&'p str, (u64, Vec<Value>)>,
    mode: &'p Mode,
    phase: u64,
    /// Calls of functions in their order.
    pub(crate) calls: Vec<Call>,
    /// Copies that read what they wrote.
    pub(crate) aliased: u32,
}

impl<'p> Oracle<'p> {
    pub(crate) fn new(program: &'p Program, sizes: &'p BTreeMap<String, u16>) -> Oracle<'p> {
        let start = program.start.as_ref().unwrap();
        let mode = program
            .modes
            .iter()
            .find(|mode| mode.name.text == start.text);
        let mut oracle = Oracle {
            program,
            sizes,
            values: BTreeMap::new(),
            counts: BTreeMap::new(),
            running: BTreeMap::new(),
            mode: mode.unwrap(),
            phase: 0,
            calls: Vec::new(),
            aliased: 0,
        };
        let bound = [&program.sensors, &program.actuators, &program.outputs];
        for port in bound.into_iter().flatten() {
            let zero = vec![0; oracle.size(&port.formal.type_name.text)];
            oracle.values.insert(port.formal.name.text.clone(), zero);
        }
        for task in &program.tasks {
            for input in &task.inputs {
                let zero = vec![0; oracle.size(&input.type_name.text)];
                oracle.values.insert(own(task, &input.name.text), zero);
            }
        }
        oracle
    }

    fn size(&self, type_name: &str) -> usize {
        match type_name {
            "u32" => 4,
            "u64" => 8,
            other => self.sizes[other].into(),
        }
    }

    /// Plays all instants before `until` nanoseconds.
    pub(crate) fn run(&mut self, until: u64) {
        for output in &self.program.outputs {
            let name = &output.formal.name.text;
            let value = self.call(
                &output.function.text,
                Vec::new(),
                &[self.values[name].len()],
            );
            self.values.insert(name.clone(), value[0].clone());
        }
        let mut at = 0;
        while at < until {
            self.instant(at);
            let step = |line: &Line| {
                let step = self.mode.period.value / line.frequency.value;
                step - self.phase % step
            };
            let step = self.mode.lines.iter().map(step).min().unwrap();
            at += step;
            self.phase = (self.phase + step) % self.mode.period.value;
        }
    }

    fn due(&self, kind: LineKind) -> Vec<&'p Line> {
        let (mode, phase) = (self.mode, self.phase);
        let is_due = |line: &&Line| phase.is_multiple_of(mode.period.value / line.frequency.value);
        let lines = mode.lines.iter().filter(|line| line.kind == kind);
        lines.filter(is_due).collect()
    }

    fn driver(&self, line: &Line) -> &'p Driver {
        let mut drivers = self.program.drivers.iter();
        drivers
            .find(|driver| driver.name.text == line.driver.text)
            .unwrap()
    }

    fn task(&self, line: &Line) -> &'p Task {
        let mut tasks = self.program.tasks.iter();
        tasks
            .find(|task| task.name.text == line.target.text)
            .unwrap()
    }

    fn instant(&mut self, at: u64) {
        for line in self.due(LineKind::Invoke) {
            let task = self.task(line);
            let name = task.name.text.as_str();
            if self.running.get(name).is_some_and(|(end, _)| *end == at) {
                let (_, results) = self.running.remove(name).unwrap();
                for (port, value) in task.outputs.iter().zip(results) {
                    self.values.insert(port.name.text.clone(), value);
                }
            }
        }
        for line in self.due(LineKind::Update) {
            if self.drive(line, std::slice::from_ref(&line.target.text)) {
                let mut actuators = self.program.actuators.iter();
                let actuator = actuators.find(|a| a.formal.name.text == line.target.text);
                let value = self.values[&line.target.text].clone();
                self.call(&actuator.unwrap().function.text, vec![value], &[]);
            }
        }
        let mut exits = self.due(LineKind::Exit);
        let is_certain = |line: &&Line| self.driver(line).guard.function.text == "true";
        if let Some(certain) = exits.iter().position(is_certain) {
            exits.truncate(certain + 1);
        }
        let readers = [
            self.due(LineKind::Update),
            exits.clone(),
            self.due(LineKind::Invoke),
        ];
        let mut read = BTreeSet::new();
        self.read(&readers.concat(), &mut read);
        for exit in exits {
            if self.guard(self.driver(exit)) {
                self.switch(exit, at);
                self.read(&self.due(LineKind::Invoke), &mut read);
                break;
            }
        }
        let due = self.due(LineKind::Invoke);
        for line in &due {
            let task = self.task(line);
            let inputs = task.inputs.iter().map(|input| own(task, &input.name.text));
            self.drive(line, &inputs.collect::<Vec<_>>());
        }
        for line in due {
            let task = self.task(line);
            let inputs = task.inputs.iter().map(|input| own(task, &input.name.text));
            let got: Vec<Value> = inputs.map(|input| self.values[&input].clone()).collect();
            let outputs = task.outputs.iter();
            let sizes: Vec<usize> = outputs.map(|o| self.values[&o.name.text].len()).collect();
            let results = self.call(&task.schedule.function.text, got, &sizes);
            self.calls.last_mut().unwrap().is_job = true;
            let end = at + self.mode.period.value / line.frequency.value;
            let old = self.running.insert(task.name.text.as_str(), (end, results));
            assert!(old.is_none(), "released while it runs");
        }
    }

    /// Reads the sensors that drivers of these lines use, once each.
    fn read(&mut self, lines: &[&Line], read: &mut BTreeSet<String>) {
        let used: BTreeSet<&str> = lines
            .iter()
            .flat_map(|line| {
                let driver = self.driver(line);
                driver
                    .guard
                    .arguments
                    .iter()
                    .chain(&driver.action.arguments)
            })
            .map(|argument| argument.text.as_str())
            .collect();
        for sensor in &self.program.sensors {
            let name = &sensor.formal.name.text;
            if used.contains(name.as_str()) && read.insert(name.clone()) {
                let size = self.values[name].len();
                let value = self.call(&sensor.function.text, Vec::new(), &[size]);
                self.values.insert(name.clone(), value[0].clone());
            }
        }
    }

    fn guard(&mut self, driver: &Driver) -> bool {
        let function = &driver.guard.function.text;
        if function == "true" {
            return true;
        }
        let arguments = driver.guard.arguments.iter();
        let got: Vec<Value> = arguments
            .map(|port| self.values[&port.text].clone())
            .collect();
        let number = self.counts.get(function).copied().unwrap_or(0) + 1;
        let answer = holds(function, number, &got);
        self.call(function, got, &[]);
        answer
    }

    /// A driver of a line, its formals bound to these ports; whether its guard held.
    fn drive(&mut self, line: &Line, bound: &[String]) -> bool {
        let driver = self.driver(line);
        let is_held = self.guard(driver);
        if is_held {
            self.act(driver, bound);
        }
        is_held
    }

    fn act(&mut self, driver: &Driver, bound: &[String]) {
        let formal = |name: &str| driver.formals.iter().position(|f| f.name.text == name);
        let (mut got, mut sources, mut written) = (Vec::new(), Vec::new(), Vec::new());
        for argument in &driver.action.arguments {
            match formal(&argument.text) {
                Some(at) => written.push(bound[at].clone()),
                None => {
                    sources.push(&argument.text);
                    got.push(self.values[&argument.text].clone());
                }
            }
        }
        let results = match driver.action.function.text.as_str() {
            "dummy" => return,
            "copy" => {
                let is_aliased = |(at, from): (usize, &&String)| {
                    written
                        .iter()
                        .enumerate()
                        .any(|(to, port)| to < at && port == *from)
                };
                self.aliased += u32::from(sources.iter().enumerate().any(is_aliased));
                got
            }
            function => {
                let sizes: Vec<usize> = written.iter().map(|to| self.values[to].len()).collect();
                self.call(function, got, &sizes)
            }
        };
        self.values.extend(written.into_iter().zip(results));
    }

    fn switch(&mut self, exit: &Line, at: u64) {
        let mut modes = self.program.modes.iter();
        let target = modes
            .find(|mode| mode.name.text == exit.target.text)
            .unwrap();
        let ports: Vec<String> = target
            .ports
            .iter()
            .map(|port| port.name.text.clone())
            .collect();
        self.act(self.driver(exit), &ports);
        // the latest phase at which every task that runs ends when it does
        let fits = |phase: u64| {
            self.running.iter().all(|(task, (end, _))| {
                let mut lines = target.lines.iter();
                let line = lines.find(|l| l.kind == LineKind::Invoke && l.target.text == **task);
                let step = target.period.value / line.unwrap().frequency.value;
                (phase + end - at).is_multiple_of(step) && end - at < step
            })
        };
        let unit = 1_000_000;
        self.phase = match self.running.is_empty() {
            true => 0,
            false => {
                let mut phases = (0..target.period.value / unit).rev();
                phases.find(|phase| fits(phase * unit)).unwrap() * unit
            }
        };
        self.mode = target;
    }

    /// Calls a function: what it puts out, by sizes.
    fn call(&mut self, function: &str, got: Vec<Value>, sizes: &[usize]) -> Vec<Value> {
        let number = self.counts.entry(function.to_string()).or_default();
        *number += 1;
        let outputs = (0..).zip(sizes);
        let outputs = outputs.map(|(at, size)| put_out(function, *number, &got, at, *size));
        let outputs = outputs.collect();
        let function = function.to_string();
        self.calls.push(Call {
            function,
            is_job: false,
            got,
        });
        outputs
    }
}

fn own(task: &Task, input: &str) -> String {
    format!("{}.{input}", task.name.text)
}
