//! The names of a program: where each is declared and used, and when what it names
//! happens. For editors, which have a text under way: whatever the syntax tree has is
//! in, and what is not declared is left out.

use super::tree::{Formal, Line, LineKind, Mode, Name, PortUse, Program};
use crate::index::{Index, Kind, Space, Symbol};
use crate::quantity;

/// Instants of a period that are listed; of more the rest is counted.
const LISTED: u64 = 8;

/// The names of a program. O(names * log names).
pub fn index(program: &Program) -> Index {
    let mut indexer = Indexer::default();
    indexer.program(program);
    indexer.index
}

#[derive(Default)]
struct Indexer {
    index: Index,
}

impl Indexer {
    fn program(&mut self, program: &Program) {
        let [ports, tasks, drivers, modes] = self.declare_all(program);
        for task in &program.tasks {
            self.use_ports(&ports, &task.outputs);
            let states = task.states.iter().map(|state| &state.formal);
            let mut own = self.parameters(task.inputs.iter().chain(states));
            // outputs are passed by the names of their ports
            for output in &task.outputs {
                if let Some(port) = ports.get(output.name.text.as_str()) {
                    own.entry(&output.name.text).or_insert(*port);
                }
            }
            self.use_names(&own, &task.schedule.arguments);
        }
        for driver in &program.drivers {
            self.use_ports(&ports, &driver.sources);
            let own = self.parameters(driver.formals.iter());
            for call in [&driver.guard, &driver.action] {
                for argument in &call.arguments {
                    let own = own.get(argument.text.as_str());
                    let found = own.or_else(|| ports.get(argument.text.as_str()));
                    self.index.used(found.copied(), argument.span);
                }
            }
        }
        self.use_names(&modes, &program.start);
        for mode in &program.modes {
            self.use_ports(&ports, &mode.ports);
            for line in &mode.lines {
                let targets = match line.kind {
                    LineKind::Update => &ports,
                    LineKind::Exit => &modes,
                    LineKind::Invoke => &tasks,
                };
                self.use_names(targets, [&line.target]);
                self.use_names(&drivers, [&line.driver]);
            }
        }
    }

    fn declare_all<'t>(&mut self, program: &'t Program) -> [Space<'t>; 4] {
        let mut ports = Space::new();
        let bound = [
            (&program.sensors, Kind::Sensor),
            (&program.actuators, Kind::Actuator),
            (&program.outputs, Kind::Output),
            (&program.privates, Kind::Private),
        ];
        for (list, kind) in bound {
            let formals = list.iter().map(|bound| &bound.formal);
            formals.for_each(|formal| self.formal(&mut ports, formal, kind));
        }
        let inputs = program.inputs.iter();
        inputs.for_each(|formal| self.formal(&mut ports, formal, Kind::Input));
        let tasks = self.declare(program.tasks.iter().map(|task| &task.name), Kind::Task);
        let drivers = program.drivers.iter().map(|driver| &driver.name);
        let drivers = self.declare(drivers, Kind::Driver);
        let modes = self.declare(program.modes.iter().map(|mode| &mode.name), Kind::Mode);
        [ports, tasks, drivers, modes]
    }

    fn declare<'t>(&mut self, names: impl Iterator<Item = &'t Name>, kind: Kind) -> Space<'t> {
        let mut space = Space::new();
        names.for_each(|name| self.index.add(&mut space, name, kind, None));
        space
    }

    fn parameters<'t>(&mut self, formals: impl Iterator<Item = &'t Formal>) -> Space<'t> {
        let mut space = Space::new();
        formals.for_each(|formal| self.formal(&mut space, formal, Kind::Parameter));
        space
    }

    fn formal<'t>(&mut self, space: &mut Space<'t>, formal: &'t Formal, kind: Kind) {
        self.index.add(
            space,
            &formal.name,
            kind,
            Some(formal.type_name.text.clone()),
        );
    }

    fn use_ports(&mut self, ports: &Space<'_>, used: &[PortUse]) {
        self.use_names(ports, used.iter().map(|used| &used.name));
    }

    fn use_names<'n>(&mut self, space: &Space<'_>, names: impl IntoIterator<Item = &'n Name>) {
        for name in names {
            self.index
                .used(space.get(name.text.as_str()).copied(), name.span);
        }
    }
}

/// When what a symbol names happens, a line for each mode in which it does.
pub fn instants(program: &Program, symbol: &Symbol) -> Vec<String> {
    let name = symbol.name.as_str();
    let mut said = Vec::new();
    for mode in &program.modes {
        match symbol.kind {
            Kind::Mode if mode.name.text == name => {
                said.push(format!("period {}", quantity::show(mode.period.value)));
                said.extend(mode.lines.iter().map(|line| of_line(mode, line)));
            }
            Kind::Task => {
                let lines = lines(mode, LineKind::Invoke, |line| line.target.text == name);
                for line in lines {
                    said.extend(of_task(program, mode, line));
                }
            }
            Kind::Driver => {
                let lines = mode.lines.iter().filter(|line| line.driver.text == name);
                said.extend(lines.map(|line| within(mode, &of_line(mode, line))));
            }
            Kind::Actuator => {
                let lines = lines(mode, LineKind::Update, |line| line.target.text == name);
                said.extend(lines.map(|line| within(mode, &of_line(mode, line))));
            }
            Kind::Sensor | Kind::Input => said.extend(of_read(program, mode, name)),
            Kind::Output | Kind::Private => {
                said.extend(of_output(program, mode, name));
                said.extend(of_read(program, mode, name));
            }
            _ => {}
        }
    }
    said
}

fn lines(mode: &Mode, kind: LineKind, is: impl Fn(&Line) -> bool) -> impl Iterator<Item = &Line> {
    let lines = mode.lines.iter();
    lines.filter(move |line| line.kind == kind && is(line))
}

fn within(mode: &Mode, what: &str) -> String {
    format!("mode `{}`: {what}", mode.name.text)
}

fn of_line(mode: &Mode, line: &Line) -> String {
    let what = match line.kind {
        LineKind::Update => "actuator",
        LineKind::Exit => "switch to",
        LineKind::Invoke => "task",
    };
    let does = match line.kind {
        LineKind::Update => "is updated",
        LineKind::Exit => "is tested",
        LineKind::Invoke => "is released",
    };
    let at = listed(mode, line.frequency.value, Shown::Begins);
    format!(
        "{what} `{}` {does} by `{}` at {at}",
        line.target.text, line.driver.text
    )
}

fn of_task(program: &Program, mode: &Mode, line: &Line) -> Vec<String> {
    let frequency = line.frequency.value;
    let period = quantity::show(mode.period.value / frequency.max(1));
    let begins = listed(mode, frequency, Shown::Begins);
    let released = format!(
        "released at {begins}, every {period}; inputs are read then, by `{}`",
        line.driver.text
    );
    let mut said = vec![within(mode, &released)];
    let task = program
        .tasks
        .iter()
        .find(|task| task.name.text == line.target.text);
    let outputs: Vec<String> = task
        .iter()
        .flat_map(|task| &task.outputs)
        .map(|output| format!("`{}`", output.name.text))
        .collect();
    if !outputs.is_empty() {
        let ends = listed(mode, frequency, Shown::Ends);
        let outputs = outputs.join(", ");
        said.push(within(mode, &format!("{outputs} written at {ends}")));
    }
    said
}

/// What writes an output in a mode.
fn of_output(program: &Program, mode: &Mode, port: &str) -> Vec<String> {
    let writes = |line: &Line| {
        let task = program
            .tasks
            .iter()
            .find(|task| task.name.text == line.target.text);
        task.is_some_and(|task| task.outputs.iter().any(|output| output.name.text == port))
    };
    let lines = lines(mode, LineKind::Invoke, writes);
    let said = lines.map(|line| {
        let ends = listed(mode, line.frequency.value, Shown::Ends);
        within(
            mode,
            &format!("written by task `{}` at {ends}", line.target.text),
        )
    });
    said.collect()
}

/// What reads a port in a mode.
fn of_read(program: &Program, mode: &Mode, port: &str) -> Vec<String> {
    let reads = |line: &&Line| {
        let driver = program
            .drivers
            .iter()
            .find(|driver| driver.name.text == line.driver.text);
        driver.is_some_and(|driver| driver.sources.iter().any(|source| source.name.text == port))
    };
    let lines = mode.lines.iter().filter(reads);
    let said = lines.map(|line| {
        let at = listed(mode, line.frequency.value, Shown::Begins);
        let (driver, target) = (&line.driver.text, &line.target.text);
        within(
            mode,
            &format!("read by driver `{driver}` for `{target}` at {at}"),
        )
    });
    said.collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Begins,
    Ends,
}

/// The instants of a frequency within a period.
fn listed(mode: &Mode, frequency: u64, shown: Shown) -> String {
    let (period, frequency) = (u128::from(mode.period.value), u128::from(frequency.max(1)));
    let instant = |k: u128| quantity::show(((2 * k * period + frequency) / (2 * frequency)) as u64);
    let first = u128::from(shown == Shown::Ends);
    let count = frequency.min(LISTED.into());
    let mut all: Vec<String> = (first..first + count).map(instant).collect();
    if frequency > count {
        all.push(format!("... ({frequency} in all)"));
    }
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::giotto::parse;

    const PROGRAM: &str = "\
sensor u32 s uses get;
actuator u32 a uses put;
output u32 o := init;
task t(u32 x) output (o) state (u32 s := zero) { schedule f(x, o, s) }
driver sense(s) output (u32 x) { if ready(s) then copy(s, x) }
driver act(o) output (u32 x) { if true() then copy(o, x) }
start m { mode m() period 20 { actfreq 1 do a(act); taskfreq 2 do t(sense); } }
";

    fn index() -> (Program, Index) {
        let (program, findings) = parse("p", PROGRAM);
        assert!(findings.is_empty());
        let index = super::index(&program);
        (program, index)
    }

    /// The symbol at the n-th place where a word stands.
    fn at<'i>(index: &'i Index, word: &str, n: usize) -> &'i Symbol {
        let (offset, _) = PROGRAM.match_indices(word).nth(n).unwrap();
        index.at(offset).unwrap().0
    }

    #[test]
    fn a_name_leads_to_its_declaration() {
        let (_, index) = index();
        let task = at(&index, "t(sense)", 0);
        assert_eq!((task.kind, task.name.as_str()), (Kind::Task, "t"));
        assert_eq!(task.declared.start, PROGRAM.find("t(u32").unwrap());
        let mode = at(&index, "m {", 0);
        assert_eq!(mode.declared.start, PROGRAM.find("m()").unwrap());
    }

    #[test]
    fn a_state_hides_the_port_of_its_name() {
        let (_, index) = index();
        let argument = PROGRAM.find("s) }").unwrap();
        assert_eq!(index.at(argument).unwrap().0.kind, Kind::Parameter);
        let source = PROGRAM.find("s) output").unwrap();
        assert_eq!(index.at(source).unwrap().0.kind, Kind::Sensor);
    }

    #[test]
    fn instants_are_those_of_each_mode() {
        let (program, index) = index();
        let of = |word: &str| instants(&program, at(&index, word, 0));
        assert_eq!(
            of("t(u32"),
            [
                "mode `m`: released at 0 ns, 10 ms, every 10 ms; inputs are read then, by `sense`",
                "mode `m`: `o` written at 10 ms, 20 ms",
            ]
        );
        assert_eq!(
            of("o := "),
            [
                "mode `m`: written by task `t` at 10 ms, 20 ms",
                "mode `m`: read by driver `act` for `a` at 0 ns",
            ]
        );
        assert_eq!(
            of("s uses"),
            ["mode `m`: read by driver `sense` for `t` at 0 ns, 10 ms"]
        );
    }

    #[test]
    fn a_text_under_way_has_the_names_that_are_there() {
        for at in 0..PROGRAM.len() {
            let (program, _) = parse("p", &PROGRAM[..at]);
            let index = super::index(&program);
            for symbol in &index.symbols {
                instants(&program, symbol);
            }
        }
    }
}
