//! The meaning of Psi, straight from the syntax tree: slow, and written without a look
//! at the compiler. A task is interpreted statement by statement. The width of a window
//! is found by trial: a copy of the interpreter goes on to the `advance`.

use std::collections::BTreeMap;

use giornata_abi::{Comparison, ValueType};
use giornata_lang::psi::tree::{Condition, Count, Job, Program, Statement, Task, Test, Width};

use crate::events::{Begun, Moment, put_out};

/// A block that is under way: what is left of it, and how often it comes again.
#[derive(Clone)]
struct Frame<'p> {
    body: &'p [Statement],
    next: usize,
    again: u64,
}

/// Something that takes time, or begins to.
enum Event<'p> {
    Job(&'p Job),
    Advance(u64),
}

/// Where a task stands.
#[derive(Clone)]
struct Walker<'p> {
    task: &'p Task,
    frames: Vec<Frame<'p>>,
}

struct Window<'p> {
    ends: u64,
    /// The job, and what it has computed.
    job: Option<(&'p Job, Vec<Vec<u8>>)>,
}

pub(crate) struct Reference<'p> {
    program: &'p Program,
    /// By the name of the variable, a state with its task in front.
    values: BTreeMap<String, Vec<u8>>,
    walkers: Vec<Walker<'p>>,
    windows: Vec<Window<'p>>,
    /// How often each function was called.
    calls: BTreeMap<&'p str, u64>,
}

fn type_of(name: &str) -> ValueType {
    let mut all = ValueType::ALL.into_iter();
    all.find(|of| of.name() == name).unwrap()
}

impl<'p> Walker<'p> {
    /// Goes on to the next job or `advance`.
    fn next(&mut self, values: &BTreeMap<String, Vec<u8>>) -> Event<'p> {
        loop {
            let Some(frame) = self.frames.last_mut() else {
                self.enter(&self.task.body, 1);
                continue;
            };
            let Some(statement) = frame.body.get(frame.next) else {
                frame.next = 0;
                frame.again -= 1;
                if frame.again == 0 {
                    self.frames.pop();
                }
                continue;
            };
            frame.next += 1;
            match statement {
                Statement::Job(job) => return Event::Job(job),
                Statement::Advance(width) => return Event::Advance(nanos(width)),
                Statement::If(arms, otherwise) => {
                    let taken = arms
                        .iter()
                        .find(|(condition, _)| self.all(condition, values));
                    self.enter(taken.map_or(otherwise, |(_, body)| body), 1);
                }
                Statement::Loop(Count::Constant(count), body, _) => self.enter(body, count.value),
                Statement::Loop(Count::Variable(name, most), body, _) => {
                    let (of, value) = self.value(&name.text, values);
                    let times = match of {
                        ValueType::I16 => i16::from_le_bytes([value[0], value[1]]).max(0) as u64,
                        _ => value[0].into(),
                    };
                    self.enter(body, times.min(most.value));
                }
            }
        }
    }

    fn enter(&mut self, body: &'p [Statement], times: u64) {
        if times > 0 {
            let (next, again) = (0, times);
            self.frames.push(Frame { body, next, again });
        }
    }

    fn value<'v>(
        &self,
        name: &str,
        values: &'v BTreeMap<String, Vec<u8>>,
    ) -> (ValueType, &'v [u8]) {
        let declared = self
            .task
            .variables
            .iter()
            .find(|v| v.name.text == name)
            .unwrap();
        let key = key(self.task, name);
        (type_of(&declared.type_name.text), &values[&key])
    }

    fn all(&self, condition: &Condition, values: &BTreeMap<String, Vec<u8>>) -> bool {
        let mut alternatives = condition.alternatives.iter();
        alternatives.any(|tests| tests.iter().all(|test| self.holds(test, values)))
    }

    fn holds(&self, test: &Test, values: &BTreeMap<String, Vec<u8>>) -> bool {
        let (of, value) = self.value(&test.variable.text, values);
        let constant = test
            .constant
            .as_ref()
            .map_or("1", |constant| &constant.text);
        let left = match of {
            ValueType::I16 => i16::from_le_bytes([value[0], value[1]]).into(),
            ValueType::F32 => f32::from_le_bytes(value.try_into().unwrap()),
            _ => value[0].into(),
        };
        let right: f32 = constant.parse().unwrap();
        match test.comparison {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }
    }
}

fn nanos(width: &Width) -> u64 {
    let unit = width.unit.as_ref().map_or("ms", |unit| &unit.text);
    width.count.value * if unit == "us" { 1_000 } else { 1_000_000 }
}

/// What a name in a task is called outside of it.
fn key(task: &Task, name: &str) -> String {
    let mut states = task.variables.iter().filter(|v| !v.is_exported);
    match states.any(|state| state.name.text == name) {
        true => format!("{}.{name}", task.name.text),
        false => name.to_owned(),
    }
}

impl<'p> Reference<'p> {
    pub(crate) fn new(program: &'p Program) -> Reference<'p> {
        let mut values = BTreeMap::new();
        for task in &program.tasks {
            for variable in &task.variables {
                let of = type_of(&variable.type_name.text);
                let first = match &variable.initialiser {
                    Some(function) => put_out(of, &function.text, 0, &[], 0),
                    None => vec![0; of.size().unwrap().into()],
                };
                values.insert(key(task, &variable.name.text), first);
            }
        }
        let walker = |task| Walker {
            task,
            frames: Vec::new(),
        };
        let window = |_| Window { ends: 0, job: None };
        Reference {
            program,
            values,
            walkers: program.tasks.iter().map(walker).collect(),
            windows: program.tasks.iter().map(window).collect(),
            calls: BTreeMap::new(),
        }
    }

    pub(crate) fn moment(&mut self) -> Moment {
        let at = self.windows.iter().map(|window| window.ends).min().unwrap();
        let mut moment = Moment {
            at,
            ..Moment::default()
        };
        let ending: Vec<usize> = (0..self.windows.len())
            .filter(|task| self.windows[*task].ends == at)
            .collect();
        for task in &ending {
            self.end(*task, &mut moment);
        }
        for task in ending {
            self.begin(task, &mut moment);
        }
        for task in &self.program.tasks {
            for variable in task.variables.iter().filter(|v| v.is_exported) {
                let name = variable.name.text.clone();
                let value = self.values[&name].clone();
                moment.visible.push((name, value));
            }
        }
        moment.sort();
        moment
    }

    /// What the job of a window has computed becomes visible.
    fn end(&mut self, task: usize, moment: &mut Moment) {
        let Some((job, results)) = self.windows[task].job.take() else {
            return;
        };
        for (name, value) in job.results.iter().zip(results) {
            let mut actuators = self.program.actuators.iter();
            if actuators.any(|actuator| actuator.name.text == name.text) {
                moment.written.push((name.text.clone(), value));
            } else {
                let key = key(self.walkers[task].task, &name.text);
                self.values.insert(key, value);
            }
        }
        // (the way from the job to the end of its window)
        match self.walkers[task].next(&self.values) {
            Event::Advance(_) => {}
            Event::Job(job) => panic!("{} begins in the window of another", job.function.text),
        }
    }

    fn begin(&mut self, task: usize, moment: &mut Moment) {
        let at = moment.at;
        let event = self.walkers[task].next(&self.values);
        let job = match event {
            Event::Advance(width) => {
                self.windows[task] = Window {
                    ends: at + width,
                    job: None,
                };
                return;
            }
            Event::Job(job) => job,
        };
        let Event::Advance(width) = self.walkers[task].clone().next(&self.values) else {
            panic!("a second job in a window");
        };
        let got: Vec<Vec<u8>> = job
            .arguments
            .iter()
            .map(|name| self.argument(task, &name.text, at))
            .collect();
        let number = self.calls.entry(&job.function.text).or_insert(0);
        *number += 1;
        let number = *number;
        let results = job.results.iter().enumerate().map(|(which, name)| {
            let of = self.result_type(task, &name.text);
            put_out(of, &job.function.text, number, &got, which)
        });
        let results = results.collect();
        let name = format!(
            "{}.{}",
            self.walkers[task].task.name.text, job.function.text
        );
        moment.begun.push(Begun {
            job: name,
            deadline: width,
            got,
        });
        self.windows[task] = Window {
            ends: at + width,
            job: Some((job, results)),
        };
    }

    fn argument(&self, task: usize, name: &str, at: u64) -> Vec<u8> {
        let mut sensors = self.program.sensors.iter();
        match sensors.find(|sensor| sensor.name.text == name) {
            Some(sensor) => {
                let of = type_of(&sensor.type_name.text);
                put_out(of, &sensor.function.text, at, &[], 0)
            }
            None => self.values[&key(self.walkers[task].task, name)].clone(),
        }
    }

    fn result_type(&self, task: usize, name: &str) -> ValueType {
        let actuators = self.program.actuators.iter();
        let actuators = actuators.map(|device| (&device.name.text, &device.type_name.text));
        let own = self.walkers[task].task.variables.iter();
        let own = own.map(|variable| (&variable.name.text, &variable.type_name.text));
        let mut all = actuators.chain(own);
        type_of(all.find(|(known, _)| *known == name).unwrap().1)
    }
}
