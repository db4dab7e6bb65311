//! The meaning of Giotto, straight from the syntax tree: slow, and written
//! without a look at the compiler. At every unit of time it asks of every line
//! whether it is due, and keeps the set of tasks that run.

use std::collections::{BTreeMap, BTreeSet};

use giornata_lang::giotto::convention;
use giornata_lang::giotto::tree::{Driver, Line, LineKind, Mode, Program};

use super::events::{Event, Moment, answer};

pub(crate) struct Reference<'p> {
    program: &'p Program,
    denominator: u128,
    seed: u64,
    mode: &'p Mode,
    /// Since the mode's beginning, in units.
    phase: u128,
    at: u128,
    /// Tasks that run, with the instant at which each ends.
    running: BTreeMap<&'p str, u128>,
    started: bool,
}

impl<'p> Reference<'p> {
    pub(crate) fn new(program: &'p Program, denominator: u32, seed: u64) -> Reference<'p> {
        let start = &program.start.as_ref().unwrap().text;
        let mode = program
            .modes
            .iter()
            .find(|mode| mode.name.text == *start)
            .unwrap();
        let (denominator, running) = (denominator.into(), BTreeMap::new());
        Reference {
            program,
            denominator,
            seed,
            mode,
            phase: 0,
            at: 0,
            running,
            started: false,
        }
    }

    fn period(&self, mode: &Mode) -> u128 {
        u128::from(mode.period.value) * self.denominator
    }

    /// The time between two events of a line.
    fn step(&self, mode: &Mode, line: &Line) -> u128 {
        self.period(mode) / u128::from(line.frequency.value)
    }

    fn due(&self, kind: LineKind) -> Vec<&'p Line> {
        let (mode, phase) = (self.mode, self.phase);
        mode.lines
            .iter()
            .filter(|l| l.kind == kind && phase.is_multiple_of(self.step(mode, l)))
            .collect()
    }

    fn driver(&self, line: &Line) -> &'p Driver {
        self.program
            .drivers
            .iter()
            .find(|d| d.name.text == line.driver.text)
            .unwrap()
    }

    pub(crate) fn moment(&mut self) -> Moment {
        let mut moment = Moment {
            at: self.at,
            ..Moment::default()
        };
        self.initialise(&mut moment);
        self.end_tasks(&mut moment);
        self.update(&mut moment);
        for kind in [LineKind::Update, LineKind::Invoke] {
            self.due(kind)
                .into_iter()
                .for_each(|line| self.read(line, &mut moment));
        }
        self.exits()
            .into_iter()
            .for_each(|line| self.read(line, &mut moment));
        if let Some(line) = self.first_exit(&mut moment) {
            self.switch(line, &mut moment);
        }
        self.invoke(&mut moment);
        self.advance();
        moment
    }

    fn initialise(&mut self, moment: &mut Moment) {
        if !std::mem::replace(&mut self.started, true) {
            let outputs = self
                .program
                .outputs
                .iter()
                .map(|o| Event::Initial(o.formal.name.text.clone()));
            moment.events.extend(outputs);
        }
    }

    /// Tasks end in the order of the mode's lines.
    fn end_tasks(&mut self, moment: &mut Moment) {
        for line in self.due(LineKind::Invoke) {
            if self.running.get(line.target.text.as_str()) == Some(&self.at) {
                self.running.remove(line.target.text.as_str());
                let task = self
                    .program
                    .tasks
                    .iter()
                    .find(|t| t.name.text == line.target.text)
                    .unwrap();
                if !task.outputs.is_empty() {
                    moment.events.push(Event::Outputs(line.target.text.clone()));
                }
            }
        }
        assert!(
            self.running.values().all(|end| *end > self.at),
            "no task is forgotten"
        );
    }

    fn update(&mut self, moment: &mut Moment) {
        for line in self.due(LineKind::Update) {
            if self.run(line, std::slice::from_ref(&line.target.text), moment) {
                moment.events.push(Event::Write(line.target.text.clone()));
            }
        }
    }

    /// Tests a driver's guard and runs its function; whether the guard held.
    fn run(&self, line: &Line, bound: &[String], moment: &mut Moment) -> bool {
        let driver = self.driver(line);
        let holds = self.holds(driver, moment);
        if holds && !convention::NOTHING.contains(&driver.action.function.text.as_str()) {
            moment
                .events
                .push(Event::Driver(driver.name.text.clone(), bound.to_vec()));
        }
        holds
    }

    fn holds(&self, driver: &Driver, moment: &mut Moment) -> bool {
        if convention::TRUE.contains(&driver.guard.function.text.as_str()) {
            return true;
        }
        moment.events.push(Event::Guard(driver.name.text.clone()));
        answer(self.seed, &driver.name.text, self.at)
    }

    fn read(&self, line: &Line, moment: &mut Moment) {
        let sensors: BTreeSet<&str> = self
            .program
            .sensors
            .iter()
            .map(|s| s.formal.name.text.as_str())
            .collect();
        let driver = self.driver(line);
        let all = driver
            .guard
            .arguments
            .iter()
            .chain(&driver.action.arguments);
        moment.sensors.extend(
            all.map(|a| a.text.clone())
                .filter(|a| sensors.contains(a.as_str())),
        );
    }

    /// The exits that can be tested: none after one that is always taken.
    fn exits(&self) -> Vec<&'p Line> {
        let all = self.due(LineKind::Exit);
        let is_certain = |line: &&Line| {
            convention::TRUE.contains(&self.driver(line).guard.function.text.as_str())
        };
        let count = all
            .iter()
            .position(is_certain)
            .map_or(all.len(), |at| at + 1);
        all.into_iter().take(count).collect()
    }

    fn first_exit(&self, moment: &mut Moment) -> Option<&'p Line> {
        self.exits().into_iter().find(|line| {
            let driver = self.driver(line);
            self.holds(driver, moment)
        })
    }

    fn switch(&mut self, line: &'p Line, moment: &mut Moment) {
        let driver = self.driver(line);
        let target = self
            .program
            .modes
            .iter()
            .find(|mode| mode.name.text == line.target.text)
            .unwrap();
        if !convention::NOTHING.contains(&driver.action.function.text.as_str()) {
            let ports = target.ports.iter().map(|p| p.name.text.clone()).collect();
            moment
                .events
                .push(Event::Driver(driver.name.text.clone(), ports));
        }
        self.phase = self.entry(target);
        self.mode = target;
        self.due(LineKind::Invoke)
            .into_iter()
            .for_each(|line| self.read(line, moment));
    }

    /// By trial: the latest phase at which every running task would end when it does.
    fn entry(&self, target: &Mode) -> u128 {
        if self.running.is_empty() {
            return 0;
        }
        let fits = |phase: &u128| {
            self.running.iter().all(|(task, end)| {
                let line = target
                    .lines
                    .iter()
                    .find(|l| l.kind == LineKind::Invoke && l.target.text == **task)
                    .unwrap();
                (phase + (end - self.at)).is_multiple_of(self.step(target, line))
            })
        };
        // Phases that end with the shortest-lived task are enough to try.
        let (first, end) = self.running.iter().min_by_key(|(_, end)| **end).unwrap();
        let line = target
            .lines
            .iter()
            .find(|l| l.kind == LineKind::Invoke && l.target.text == **first)
            .unwrap();
        let (step, left) = (self.step(target, line), end - self.at);
        (1..=line.frequency.value)
            .rev()
            .map(|k| step * u128::from(k) - left)
            .find(fits)
            .unwrap()
    }

    fn invoke(&mut self, moment: &mut Moment) {
        let due = self.due(LineKind::Invoke);
        for line in &due {
            let task = self
                .program
                .tasks
                .iter()
                .find(|t| t.name.text == line.target.text)
                .unwrap();
            let inputs: Vec<String> = task
                .inputs
                .iter()
                .map(|i| format!("{}.{}", task.name.text, i.name.text))
                .collect();
            self.run(line, &inputs, moment);
        }
        for line in due {
            let period = self.step(self.mode, line);
            assert!(
                self.running
                    .insert(&line.target.text, self.at + period)
                    .is_none(),
                "released while running"
            );
            moment
                .events
                .push(Event::Release(line.target.text.clone(), period));
        }
    }

    /// To the next instant at which anything is due.
    fn advance(&mut self) {
        let next = |line: &Line| {
            let step = self.step(self.mode, line);
            (self.phase / step + 1) * step
        };
        let period = self.period(self.mode);
        let next = self
            .mode
            .lines
            .iter()
            .map(next)
            .min()
            .unwrap_or(period)
            .min(period);
        self.at += next - self.phase;
        self.phase = next % period;
    }
}
