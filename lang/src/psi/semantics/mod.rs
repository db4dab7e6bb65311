//! From tree to model: names, types, writers, windows.
//!
//! All findings are reported at once. Ways through a task are looked at
//! ([`windows`]) once every name has a meaning.

mod clocks;
mod conditions;
mod flow;
mod jobs;
mod variables;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use giornata_abi::Comparison;

use self::clocks::Clocks;
use super::Code;
use super::annotation::{Notes, Reader};
use super::model::{Constant, Model};
use super::tree::{Condition, Count, Name, Program, Statement};
use super::{reach, usage};
use crate::diagnostic::{Findings, Span};
use crate::names::Names;

/// A comparison whose variable is known.
#[derive(Clone, Copy, Debug)]
struct Test {
    port: usize,
    comparison: Comparison,
    constant: Constant,
    span: Span,
}

/// How often a loop runs.
#[derive(Clone, Copy, Debug)]
enum Times {
    Constant(u64),
    /// As often as `from` says when the loop begins, which `to` remembers.
    Variable {
        from: usize,
        to: usize,
        most: u64,
    },
}

/// A statement whose names are known.
#[derive(Clone, Debug)]
enum Step {
    Job(usize, Span),
    Advance(u64, Span),
    If(Vec<(Vec<Vec<Test>>, Vec<Step>)>, Vec<Step>),
    Loop(Times, Vec<Step>, Span),
}

/// Checks a program. `None` if it has errors. O(program) but for
/// loops, which are unrolled: O(jobs of a round).
pub(super) fn check(program: &Program, findings: &mut Findings) -> Option<Model> {
    let mut checker = Checker {
        program,
        model: Model::default(),
        globals: Names::default(),
        tasks: Names::default(),
        states: Vec::new(),
        clocks: Clocks::new(program, findings),
        annotations: Reader::default(),
        notes: Vec::new(),
        tested: Vec::new(),
        functions: BTreeMap::new(),
        contradictions: BTreeSet::new(),
        loops: 0,
        findings,
    };
    checker.declare();
    let bodies = checker.bodies();
    let Checker {
        mut model,
        clocks,
        tested,
        ..
    } = checker;
    clocks.unused(findings);
    if findings.has_errors() {
        return None;
    }
    let unrolled = program.tasks.iter().zip(bodies);
    let unrolled = unrolled.filter_map(|(task, body)| flow::unroll(task, &body, findings));
    model.tasks = unrolled.collect();
    if model.tasks.len() < program.tasks.len() {
        return None;
    }
    for task in 0..model.tasks.len() {
        windows::check(&model, task, findings);
        if !findings.has_errors() {
            reach::check(&model, task, findings);
        }
    }
    usage::check(&model, &tested, findings);
    (!findings.has_errors()).then_some(model)
}

struct Checker<'t, 'f> {
    program: &'t Program,
    model: Model,
    /// Sensors, actuators and exported variables: indices of ports.
    globals: Names<'t>,
    /// The tasks.
    tasks: Names<'t>,
    /// The states of each task: indices of ports.
    states: Vec<Names<'t>>,
    clocks: Clocks<'t>,
    annotations: Reader,
    /// What each task says of its jobs.
    notes: Vec<Notes>,
    /// Ports that conditions and loops read.
    tested: Vec<usize>,
    /// The job of each function.
    functions: BTreeMap<&'t str, usize>,
    /// Budgets that are too small, which tasks hand on to many jobs.
    contradictions: BTreeSet<Span>,
    /// Loops of variables so far, of the task that is looked at.
    loops: usize,
    findings: &'f mut Findings,
}

impl<'t> Checker<'t, '_> {
    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.findings.report(code, span, message, help);
    }

    fn bodies(&mut self) -> Vec<Vec<Step>> {
        let program = self.program;
        let bodies = program.tasks.iter().enumerate();
        bodies
            .map(|(index, task)| {
                self.loops = 0;
                self.steps(index, &task.body)
            })
            .collect()
    }

    /// Statements, as far as they have a meaning. (As deep as the parser lets them be.)
    fn steps(&mut self, task: usize, statements: &'t [Statement]) -> Vec<Step> {
        let mut steps = Vec::new();
        for statement in statements {
            if self.findings.is_enough() && self.findings.has_errors() {
                break;
            }
            steps.extend(self.step(task, statement));
        }
        steps
    }

    fn step(&mut self, task: usize, statement: &'t Statement) -> Option<Step> {
        Some(match statement {
            Statement::Job(job) => Step::Job(self.job(task, job)?, job.function.span),
            Statement::Advance(width) => {
                let nanos = self.clocks.nanos(width, self.findings)?;
                Step::Advance(nanos, width.span)
            }
            Statement::If(arms, otherwise) => {
                let arms = arms.iter();
                let arms = arms.map(|(condition, body)| {
                    let alternatives = self.condition(task, condition);
                    (alternatives, self.steps(task, body))
                });
                Step::If(arms.collect(), self.steps(task, otherwise))
            }
            Statement::Loop(count, body, span) => {
                let times = self.times(task, count);
                let body = self.steps(task, body);
                Step::Loop(times?, body, *span)
            }
        })
    }

    fn condition(&mut self, task: usize, condition: &'t Condition) -> Vec<Vec<Test>> {
        let alternatives = condition.alternatives.iter();
        alternatives
            .map(|tests| {
                let tests = tests.iter();
                tests.filter_map(|test| self.test(task, test)).collect()
            })
            .collect()
    }

    fn times(&mut self, task: usize, count: &'t Count) -> Option<Times> {
        match count {
            Count::Constant(count) => Some(Times::Constant(count.value)),
            Count::Variable(name, most) => {
                let from = self.own(task, name)?;
                self.count_variable(task, name, from, *most)
            }
        }
    }

    /// One of the task's own variables, to be tested.
    fn own(&mut self, task: usize, name: &Name) -> Option<usize> {
        let port = self.look_up(task, name)?;
        if self.is_device(port) {
            let message = format!("`{}` is no variable", name.text);
            let help = "a task chooses by its own variables: let a job write one";
            self.report(Code::Direction, name.span, message, help);
            return None;
        }
        let declared = &self.model.ports[port];
        if declared.task != Some(task) {
            let owner = declared
                .task
                .map_or("", |of| &self.program.tasks[of].name.text);
            let message = format!("`{}` is a variable of task `{owner}`", name.text);
            let help = "a task chooses by its own variables: let a job read it and write a state";
            self.report(Code::OtherTask, name.span, message, help);
            return None;
        }
        self.tested.push(port);
        Some(port)
    }
}
