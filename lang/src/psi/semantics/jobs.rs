//! Jobs: functions with what they read and write.

use std::collections::BTreeSet;

use giornata_abi::module::PortKind;

use super::super::Code;
use super::super::annotation::{Notes, Place};
use super::super::model::Job;
use super::super::tree;
use super::super::tree::Name;
use super::Checker;
use crate::diagnostic::Diagnostic;
use crate::quantity;

impl<'t> Checker<'t, '_> {
    /// The job that a statement begins. The same function with the same arguments is
    /// the same job.
    pub(super) fn job(&mut self, task: usize, job: &'t tree::Job) -> Option<usize> {
        self.refuse_task(&job.function)?;
        let reads = self.list(task, &job.arguments, Checker::read);
        let writes = self.list(task, &job.results, Checker::written);
        let notes = self.notes(task, job);
        let (reads, writes) = (reads?, writes?);
        let made = Job {
            task,
            function: job.function.text.clone(),
            reads,
            writes,
            wcet: notes.wcet.map_or(0, |(nanos, _)| nanos),
            budget: notes.budget.map_or(0, |(nanos, _)| nanos),
            priority: notes.priority.unwrap_or(0),
            span: job.function.span,
        };
        let index = self.model.jobs.len();
        match self.functions.get(job.function.text.as_str()) {
            Some(known) => self.same(*known, &made, job),
            None => {
                self.functions.insert(&job.function.text, index);
                self.model.jobs.push(made);
                Some(index)
            }
        }
    }

    /// Tasks run from the start on; none is called.
    fn refuse_task(&mut self, function: &Name) -> Option<()> {
        let Some((_, declared)) = self.tasks.find(&function.text) else {
            return Some(());
        };
        let message = format!("`{}` is a task, and no job of one", function.text);
        let help = "tasks do not call each other, nor themselves: all run from the start, round after round";
        self.findings.add(
            Diagnostic::new(Code::Recursion, function.span, message, help)
                .also(declared, "the task is declared here"),
        );
        None
    }

    /// The ports of a list, each once. `None` if one has no meaning there.
    fn list(
        &mut self,
        task: usize,
        names: &'t [Name],
        one: fn(&mut Self, usize, &Name) -> Option<usize>,
    ) -> Option<Vec<usize>> {
        let mut ports = Vec::new();
        let (mut is_whole, mut earlier) = (true, BTreeSet::new());
        for name in names {
            if !earlier.insert(name.text.as_str()) {
                let message = format!("`{}` is passed twice", name.text);
                let help = "pass it once";
                self.report(Code::Duplicate, name.span, message, help);
                is_whole = false;
                continue;
            }
            match one(self, task, name) {
                Some(port) => ports.push(port),
                None => is_whole = false,
            }
        }
        is_whole.then_some(ports)
    }

    /// A port that a job reads.
    fn read(&mut self, task: usize, name: &Name) -> Option<usize> {
        let port = self.look_up(task, name)?;
        match self.model.ports[port].kind {
            PortKind::Actuator => {
                let message = format!(
                    "`{}` is an actuator: jobs write it, none reads it",
                    name.text
                );
                let help = "let the job that computes it write a variable too";
                self.report(Code::Direction, name.span, message, help);
                None
            }
            PortKind::Sensor => self.claim(task, port, name),
            _ => Some(port),
        }
    }

    /// A port that a job writes.
    fn written(&mut self, task: usize, name: &Name) -> Option<usize> {
        let port = self.look_up(task, name)?;
        let declared = &self.model.ports[port];
        match (declared.kind, declared.task) {
            (PortKind::Sensor, _) => {
                let message = format!("`{}` is a sensor: its device driver writes it", name.text);
                let help = "let the job write a variable of its task";
                self.report(Code::Direction, name.span, message, help);
                None
            }
            (PortKind::Actuator, _) => self.claim(task, port, name),
            (_, Some(owner)) if owner != task => {
                self.two_writers(task, owner, port, name);
                None
            }
            _ => Some(port),
        }
    }

    fn two_writers(&mut self, task: usize, owner: usize, port: usize, name: &Name) {
        let [owner, other] = [owner, task].map(|task| &self.program.tasks[task].name.text);
        let message = format!(
            "`{}` would be written by two tasks, `{owner}` and `{other}`",
            name.text
        );
        let help = "a variable is written by the task that declares it: export another one, and let a reader choose";
        let declared = self.model.ports[port].span;
        self.findings.add(
            Diagnostic::new(Code::TwoWriters, name.span, message, help)
                .also(declared, "declared here"),
        );
    }

    /// A sensor or an actuator belongs to the first task that uses it.
    fn claim(&mut self, task: usize, port: usize, name: &Name) -> Option<usize> {
        let declared = &mut self.model.ports[port];
        let owner = *declared.task.get_or_insert(task);
        if owner == task {
            return Some(port);
        }
        let is_sensor = declared.kind == PortKind::Sensor;
        let (span, tasks) = (declared.span, &self.program.tasks);
        let [owner, other] = [owner, task].map(|task| &tasks[task].name.text);
        let (code, message, help) = match is_sensor {
            true => (
                Code::TwoReaders,
                format!(
                    "sensor `{}` is read by two tasks, `{owner}` and `{other}`",
                    name.text
                ),
                "let one task read it, and export the value",
            ),
            false => (
                Code::TwoWriters,
                format!(
                    "actuator `{}` is written by two tasks, `{owner}` and `{other}`",
                    name.text
                ),
                "let one task write it, and read what the other exports",
            ),
        };
        self.findings
            .add(Diagnostic::new(code, name.span, message, help).also(span, "declared here"));
        None
    }

    /// What the annotations of a job and of its task say.
    fn notes(&mut self, task: usize, job: &'t tree::Job) -> Notes {
        let own = self
            .annotations
            .read(&job.annotations, Place::Jobs, self.findings);
        let notes = own.or(self.notes[task]);
        if let (Some((wcet, stated)), Some((budget, span))) = (notes.wcet, notes.budget)
            && budget < wcet
            && self.contradictions.insert(span)
        {
            let message = format!(
                "a budget of {} stops jobs that take up to {}",
                quantity::show(budget),
                quantity::show(wcet)
            );
            let help = "give the job at least its worst case";
            let found = Diagnostic::new(Code::Annotation, span, message, help);
            let found = found.also(stated, "the worst case is stated here");
            self.findings.add(found);
        }
        notes
    }

    /// A function is a job of one task, with one list of arguments.
    fn same(&mut self, known: usize, made: &Job, job: &tree::Job) -> Option<usize> {
        let first = &self.model.jobs[known];
        let tasks = &self.program.tasks;
        let name = &made.function;
        let (code, message, help) = if first.task != made.task {
            let [one, other] = [first.task, made.task].map(|task| &tasks[task].name.text);
            let message = format!("`{name}` is a job of two tasks, `{one}` and `{other}`");
            let help = "give each task a function of its own; both may call a third one";
            (Code::FunctionTwice, message, help)
        } else if (&first.reads, &first.writes) != (&made.reads, &made.writes) {
            let message = format!("`{name}` is called with other variables than before");
            let help = "a function has one list of variables; give these a function of their own";
            (Code::FunctionTwice, message, help)
        } else if !job.annotations.is_empty()
            && (first.wcet, first.budget, first.priority) != (made.wcet, made.budget, made.priority)
        {
            let message = format!("`{name}` has another annotation than before");
            let help = "say it once, where the function is first called";
            (Code::Annotation, message, help)
        } else {
            return Some(known);
        };
        let first = first.span;
        self.findings
            .add(Diagnostic::new(code, made.span, message, help).also(first, "first called here"));
        None
    }
}
