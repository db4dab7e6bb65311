//! The names of a program: where each is declared and used, and when what it names
//! happens. For editors, which have a text under way: whatever the syntax tree has is
//! in, and what is not declared is left out.

use std::collections::BTreeSet;

use super::tree::{Condition, Count, Job, Name, Program, Statement, Task, Width};
use crate::index::{Index, Kind, Space, Symbol};
use crate::quantity;

/// Windows of a task that are listed; of more the rest is counted.
const LISTED: usize = 8;

/// The names of a program. A job is declared where it is called first.
/// O(names * log names).
pub fn index(program: &Program) -> Index {
    let mut indexer = Indexer::default();
    indexer.declare(program);
    for task in &program.tasks {
        indexer.task(task);
    }
    indexer.index
}

#[derive(Default)]
struct Indexer<'t> {
    index: Index,
    clocks: Space<'t>,
    globals: Space<'t>,
    jobs: Space<'t>,
    /// The states of the task that is looked at.
    states: Space<'t>,
}

impl<'t> Indexer<'t> {
    fn declare(&mut self, program: &'t Program) {
        let index = &mut self.index;
        for clock in &program.clocks {
            index.add(&mut self.clocks, &clock.name, Kind::Clock, None);
        }
        let devices = [
            (&program.sensors, Kind::Sensor),
            (&program.actuators, Kind::Actuator),
        ];
        for (devices, kind) in devices {
            for device in devices {
                let of = Some(device.type_name.text.clone());
                index.add(&mut self.globals, &device.name, kind, of);
            }
        }
        let variables = program.tasks.iter().flat_map(|task| &task.variables);
        for variable in variables.filter(|variable| variable.is_exported) {
            let of = Some(variable.type_name.text.clone());
            index.add(&mut self.globals, &variable.name, Kind::Export, of);
        }
        let mut tasks = Space::new();
        for task in &program.tasks {
            index.add(&mut tasks, &task.name, Kind::Task, None);
        }
    }

    fn task(&mut self, task: &'t Task) {
        self.states.clear();
        for state in task.variables.iter().filter(|v| !v.is_exported) {
            let of = Some(state.type_name.text.clone());
            self.index
                .add(&mut self.states, &state.name, Kind::State, of);
        }
        self.statements(&task.body);
    }

    /// (As deep as the parser lets them be.)
    fn statements(&mut self, statements: &'t [Statement]) {
        for statement in statements {
            match statement {
                Statement::Job(job) => self.job(job),
                Statement::Advance(width) => {
                    if let Some(unit) = &width.unit {
                        let clock = self.clocks.get(unit.text.as_str());
                        self.index.used(clock.copied(), unit.span);
                    }
                }
                Statement::If(arms, otherwise) => {
                    for (condition, body) in arms {
                        tested(condition).for_each(|name| self.variable(name));
                        self.statements(body);
                    }
                    self.statements(otherwise);
                }
                Statement::Loop(count, body, _) => {
                    if let Count::Variable(name, _) = count {
                        self.variable(name);
                    }
                    self.statements(body);
                }
            }
        }
    }

    fn job(&mut self, job: &'t Job) {
        let function = &job.function;
        match self.jobs.get(function.text.as_str()) {
            Some(known) => self.index.used(Some(*known), function.span),
            None => self.index.add(&mut self.jobs, function, Kind::Job, None),
        }
        let names = job.arguments.iter().chain(&job.results);
        names.for_each(|name| self.variable(name));
    }

    fn variable(&mut self, name: &Name) {
        let own = self.states.get(name.text.as_str());
        let found = own.or_else(|| self.globals.get(name.text.as_str()));
        self.index.used(found.copied(), name.span);
    }
}

fn tested(condition: &Condition) -> impl Iterator<Item = &Name> {
    let tests = condition.alternatives.iter().flatten();
    tests.map(|test| &test.variable)
}

/// When what a symbol names happens, a line for each.
pub fn instants(program: &Program, symbol: &Symbol) -> Vec<String> {
    let name = symbol.name.as_str();
    let task = |task: &&Task| task.name.span == symbol.declared;
    match symbol.kind {
        Kind::Clock => {
            let mut clocks = program.clocks.iter();
            let clock = clocks.find(|clock| clock.name.span == symbol.declared);
            let said = clock.map(|clock| format!("a tick of {}", quantity::show(clock.tick.value)));
            said.into_iter().collect()
        }
        Kind::Task => {
            let task = program.tasks.iter().find(task);
            task.map_or(Vec::new(), |task| of_task(program, task))
        }
        Kind::Job => of_job(program, name),
        _ => of_variable(program, symbol),
    }
}

/// Nanoseconds of a window, as far as its clock is declared.
fn nanos(program: &Program, width: &Width) -> Option<u64> {
    let tick = match (&width.unit, &program.clocks[..]) {
        (None, []) => quantity::unit(""),
        (None, [clock]) => Some(clock.tick.value),
        (None, _) => None,
        (Some(unit), clocks) => {
            let clock = clocks.iter().find(|clock| clock.name.text == unit.text);
            let tick = clock.map(|clock| clock.tick.value);
            tick.or_else(|| quantity::unit(&unit.text))
        }
    };
    tick?.checked_mul(width.count.value)
}

/// A job, or nothing, and from when until when, in nanoseconds of a round.
type Window<'t> = (Option<&'t str>, u64, u64);

/// The windows of a task that chooses nothing, and how long its round is.
fn windows<'t>(program: &Program, task: &'t Task) -> Option<(Vec<Window<'t>>, u64)> {
    let (mut windows, mut job, mut at) = (Vec::new(), None, 0u64);
    for statement in &task.body {
        match statement {
            Statement::Job(begun) if job.is_none() => job = Some(begun.function.text.as_str()),
            Statement::Advance(width) => {
                let end = at.checked_add(nanos(program, width)?)?;
                windows.push((job.take(), at, end));
                at = end;
            }
            _ => return None,
        }
    }
    (job.is_none() && at > 0).then_some((windows, at))
}

fn of_task(program: &Program, task: &Task) -> Vec<String> {
    let Some((windows, round)) = windows(program, task) else {
        return vec!["a round that depends on what it chooses".to_owned()];
    };
    let mut said = vec![format!("a round of {}", quantity::show(round))];
    for (job, from, until) in windows.iter().take(LISTED) {
        let job = job.map_or("nothing".to_owned(), |job| format!("`{job}`"));
        let [from, until] = [from, until].map(|at| quantity::show(*at));
        said.push(format!("{job} from {from} to {until}"));
    }
    if let Some(rest @ 1..) = windows.len().checked_sub(LISTED) {
        said.push(format!("... ({rest} more)"));
    }
    said
}

/// The jobs of statements, each with those behind it in its block.
fn calls<'t>(statements: &'t [Statement], found: &mut Vec<(&'t Job, &'t [Statement])>) {
    for (index, statement) in statements.iter().enumerate() {
        match statement {
            Statement::Job(job) => found.push((job, &statements[index + 1..])),
            Statement::If(arms, otherwise) => {
                arms.iter().for_each(|(_, body)| calls(body, found));
                calls(otherwise, found);
            }
            Statement::Loop(_, body, _) => calls(body, found),
            Statement::Advance(_) => {}
        }
    }
}

fn of_job(program: &Program, function: &str) -> Vec<String> {
    let mut said = Vec::new();
    for task in &program.tasks {
        let mut all = Vec::new();
        calls(&task.body, &mut all);
        all.retain(|(job, _)| job.function.text == function);
        if let Some((job, _)) = all.first() {
            let names = |names: &[Name]| {
                let names = names.iter().map(|name| format!("`{}`", name.text));
                names.collect::<Vec<String>>().join(", ")
            };
            said.push(format!("a job of task `{}`", task.name.text));
            if !job.arguments.is_empty() {
                let read = names(&job.arguments);
                said.push(format!("{read} read where its window begins"));
            }
            if !job.results.is_empty() {
                let written = names(&job.results);
                said.push(format!("{written} written where its window ends"));
            }
        }
        let chosen = || "a window that depends on what comes next".to_owned();
        let widths = all.iter().map(|(_, behind)| match behind.first() {
            Some(Statement::Advance(width)) => nanos(program, width).map_or_else(chosen, |nanos| {
                format!("a window of {}", quantity::show(nanos))
            }),
            _ => chosen(),
        });
        let widths: BTreeSet<String> = widths.collect();
        said.extend(widths);
    }
    said
}

fn of_variable(program: &Program, symbol: &Symbol) -> Vec<String> {
    let is_it = |name: &Name| symbol.uses.contains(&name.span);
    let mut said = Vec::new();
    for task in &program.tasks {
        let mut all = Vec::new();
        calls(&task.body, &mut all);
        for (names, what) in [
            (
                (|job| &job.results) as fn(&Job) -> &Vec<Name>,
                "written where the window ends of",
            ),
            (|job| &job.arguments, "read where the window begins of"),
        ] {
            let jobs = all.iter().filter(|(job, _)| names(job).iter().any(is_it));
            let jobs: BTreeSet<&str> = jobs.map(|(job, _)| job.function.text.as_str()).collect();
            let lines = jobs.into_iter();
            said.extend(lines.map(|job| format!("{what} `{job}`, of task `{}`", task.name.text)));
        }
        if tests(&task.body, &is_it) {
            said.push(format!("tested by task `{}`", task.name.text));
        }
    }
    said
}

/// Whether statements test a variable, or count by it.
fn tests(statements: &[Statement], is_it: &impl Fn(&Name) -> bool) -> bool {
    statements.iter().any(|statement| match statement {
        Statement::If(arms, otherwise) => {
            let mut arms = arms.iter();
            arms.any(|(condition, body)| tested(condition).any(is_it) || tests(body, is_it))
                || tests(otherwise, is_it)
        }
        Statement::Loop(count, body, _) => {
            matches!(count, Count::Variable(name, _) if is_it(name)) || tests(body, is_it)
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::psi::parse;

    const PROGRAM: &str = "\
clock tick = 500us;
sensor u32 s uses get;
actuator u32 a uses put;
task t {
  export u32 v;
  f(s) -> v; advance(2 tick);
  g(v) -> a; advance(4 ms);
}
task u {
  state u8 n;
  h(v) -> n; advance(1 ms);
  if (n > 3) { k(n); advance(2 ms); } else { advance(1 ms); }
  h(v) -> n; if (n > 4) { advance(3 ms); } else { advance(3 ms); }
}
";

    /// What is said at the n-th place where a word stands.
    fn said(word: &str, n: usize) -> Vec<String> {
        let (program, findings) = parse("p", PROGRAM);
        assert!(findings.is_empty());
        let (offset, _) = PROGRAM.match_indices(word).nth(n).unwrap();
        let index = index(&program);
        instants(&program, index.at(offset).unwrap().0)
    }

    #[test]
    fn a_task_that_chooses_nothing_has_its_windows() {
        let windows = [
            "a round of 5 ms",
            "`f` from 0 ns to 1 ms",
            "`g` from 1 ms to 5 ms",
        ];
        assert_eq!(said("t {", 0), windows);
        assert_eq!(said("u {", 0), ["a round that depends on what it chooses"]);
        assert_eq!(said("tick)", 0), ["a tick of 500 us"]);
    }

    #[test]
    fn a_job_has_its_window_and_its_variables() {
        let of_f = [
            "a job of task `t`",
            "`s` read where its window begins",
            "`v` written where its window ends",
            "a window of 1 ms",
        ];
        assert_eq!(said("f(s)", 0), of_f);
        let of_h = said("h(v)", 1);
        let widths = [
            "a window of 1 ms",
            "a window that depends on what comes next",
        ];
        assert_eq!(of_h[3..], widths);
    }

    #[test]
    fn a_variable_has_its_writers_and_readers() {
        let of_v = [
            "written where the window ends of `f`, of task `t`",
            "read where the window begins of `g`, of task `t`",
            "read where the window begins of `h`, of task `u`",
        ];
        assert_eq!(said("v;", 0), of_v);
        let of_n = said("n > 3", 0);
        assert_eq!(of_n.last().unwrap(), "tested by task `u`");
    }

    #[test]
    fn a_name_leads_to_its_declaration() {
        let (program, _) = parse("p", PROGRAM);
        let index = index(&program);
        let symbol = |word: &str| index.at(PROGRAM.find(word).unwrap()).unwrap().0;
        assert_eq!(symbol("n > 3").declared.start, PROGRAM.find("n;").unwrap());
        assert_eq!(
            (symbol("k(n)").kind, symbol("v) ->").kind),
            (Kind::Job, Kind::Export)
        );
    }

    #[test]
    fn a_text_under_way_has_the_names_that_are_there() {
        for at in 0..PROGRAM.len() {
            let (program, _) = parse("p", &PROGRAM[..at]);
            for symbol in &index(&program).symbols {
                instants(&program, symbol);
            }
        }
    }
}
