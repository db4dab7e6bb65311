//! Windows: each job has one, whose width is known when it begins and that holds it.

use std::collections::BTreeSet;

use super::super::Code;
use super::super::model::{Model, Node};
use super::super::ways::{Mode, Next, Ways, Width, next};
use crate::diagnostic::{Diagnostic, Findings, Span};
use crate::quantity;

/// A task stands at so many places at most: each is an instruction at least.
const MOST_PLACES: usize = 65_000;

/// Looks at every way through a task. O(places).
pub(super) fn check(model: &Model, task: usize, findings: &mut Findings) {
    let ways = Ways::of(&model.tasks[task]);
    let declared = &model.tasks[task];
    if ways.is_endless {
        let message = format!("a way round task `{}` has no `advance`", declared.name);
        let help = "end a window on every way from the first job to the last: `advance(1 ms);`";
        findings.report(Code::NoAdvance, declared.span, message, help);
        return;
    }
    let mut checker = Checker {
        model,
        task,
        ways: &ways,
        reported: BTreeSet::new(),
        findings,
    };
    let first = (declared.start, Mode::Free);
    let (mut seen, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some((node, mode)) = open.pop() {
        let to: Vec<(usize, Mode)> = match next(declared, &ways, node, mode) {
            Next::Now(node, mode) => vec![(node, mode)],
            Next::Either(both) => both.to_vec(),
            Next::Window { job, width, then } => {
                if let Some(job) = job {
                    checker.fits(
                        job,
                        width,
                        declared.nodes[node].span().unwrap_or(declared.span),
                    );
                }
                vec![then]
            }
            Next::Nowhere => Vec::new(),
        };
        checker.place(node, mode);
        open.extend(to.into_iter().filter(|place| seen.insert(*place)));
        if seen.len() > MOST_PLACES {
            let message = format!(
                "task `{}` has more than {MOST_PLACES} combinations of jobs and tests",
                declared.name
            );
            let help = "decide before the job begins, or after its window ends";
            checker
                .findings
                .report(Code::TooBig, declared.span, message, help);
            return;
        }
    }
}

struct Checker<'c> {
    model: &'c Model,
    task: usize,
    ways: &'c Ways,
    /// What has been said, and where: loops are unrolled, and say nothing twice.
    reported: BTreeSet<(&'static str, Span, u64)>,
    findings: &'c mut Findings,
}

impl Checker<'_> {
    fn once(&mut self, what: &'static str, span: Span, number: u64) -> bool {
        self.reported.insert((what, span, number))
    }

    /// What is wrong with standing at a node like this.
    fn place(&mut self, node: usize, mode: Mode) {
        let task = &self.model.tasks[self.task];
        match (task.nodes[node], mode) {
            (Node::Job { job, span, .. }, Mode::Begins(_) | Mode::Ended)
                if self.once("two functions", span, 0) =>
            {
                self.two_functions(job, span);
            }
            (Node::Test { port, span, .. }, Mode::Begins(job))
            | (
                Node::Note {
                    from: port, span, ..
                },
                Mode::Begins(job),
            ) if self.model.jobs[job].writes.contains(&port)
                && self.once("postponement", span, job as u64) =>
            {
                self.postponement(job, port, span);
            }
            _ => {}
        }
    }

    fn two_functions(&mut self, job: usize, span: Span) {
        let name = &self.model.jobs[job].function;
        let message = format!("`{name}` would begin in the window of another job");
        let help = "a job is one function: put an `advance` between the two, or call both from one";
        self.findings
            .report(Code::TwoFunctions, span, message, help);
    }

    fn postponement(&mut self, index: usize, port: usize, span: Span) {
        let task = &self.model.tasks[self.task];
        let job = &self.model.jobs[index];
        let mut widths = task.nodes.iter().filter_map(|node| match node {
            Node::Job { job: of, next, .. } if *of == index => Some(self.ways.width(*next)),
            _ => None,
        });
        let several = |width: &Width| matches!(width, Width::Several(..));
        let widths = match widths.find(several) {
            Some(Width::Several(one, other)) => format!(
                "between {} and {}",
                quantity::show(one),
                quantity::show(other)
            ),
            _ => "one of several".to_owned(),
        };
        let port = &self.model.ports[port];
        let message = format!(
            "the window of `{}` is {widths}, by `{}`, which `{0}` itself writes",
            job.function, port.name
        );
        let help = "this would postpone the deadline of a job that runs, which the kernel cannot: end the window where the shortest ends and test then, or test what an earlier job has written";
        self.findings.add(
            Diagnostic::new(Code::Postponement, span, message, help)
                .also(job.span, "the job begins here"),
        );
    }

    /// Whether a window holds a job.
    fn fits(&mut self, index: usize, width: u64, span: Span) {
        let job = &self.model.jobs[index];
        let name = &job.function;
        let shown = quantity::show(width);
        if job.wcet > width && self.once("wcet", span, width) {
            let message = format!(
                "`{name}` takes up to {}, in a window of {shown}",
                quantity::show(job.wcet)
            );
            let help = "give it a wider window, or less to do";
            self.findings
                .report(Code::WorstCaseBeyondWindow, span, message, help);
        } else if job.budget > width && self.once("budget", span, width) {
            let message = format!(
                "the budget of `{name}` is {}, in a window of {shown}",
                quantity::show(job.budget)
            );
            let help =
                "a budget beyond the window stops no job in time: lower it, or widen the window";
            self.findings
                .report(Code::BudgetBeyondWindow, span, message, help);
        }
    }
}
