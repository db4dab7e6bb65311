//! Stream graphs in a system file: what is said of mistakes, and where tokens lie.

use giornata_abi::process::{Direction, FunctionKind};
use giornata_system::functions::{Function, Parameter};
use giornata_system::{Functions, Model, Project, SystemFile};
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::collections::BTreeMap;
use std::path::Path;

const SYSTEM: &str = r#"name = "edges"
board = "qemu-virt32-pmp"

[stream.edges]
source = "graph.sigma"
process = "pixels"
budget = "2ms"
filters = { screen = { process = "display", stack = "8K" }, sum = { process = "display" } }

[process.pixels]
crate = "pixels"

[process.display]
crate = "display"
"#;

/// A function of a filter by its inputs and outputs, each the size and the name of a type.
fn function(name: &str, inputs: &[(usize, &str)], outputs: &[(usize, &str)]) -> Function {
    let parameter = |direction| {
        move |(size, type_name): &(usize, &str)| Parameter {
            direction,
            size: *size,
            type_name: (*type_name).into(),
        }
    };
    let inputs = inputs.iter().map(parameter(Direction::Input));
    let outputs = outputs.iter().map(parameter(Direction::Output));
    Function {
        name: name.into(),
        kind: FunctionKind::Filter,
        parameters: inputs.chain(outputs).collect(),
        body: 0,
    }
}

const LINE: (usize, &str) = (64, "[u8;64]");
const TOTAL: (usize, &str) = (12, "Total");

fn provided() -> BTreeMap<String, Functions> {
    let pixels = vec![
        function("camera", &[], &[LINE]),
        function("first_line", &[LINE], &[LINE]),
        function("next_line", &[LINE], &[LINE]),
    ];
    let display = vec![
        function("sum", &[LINE], &[TOTAL]),
        function("screen", &[TOTAL], &[]),
    ];
    let all = [("pixels", pixels), ("display", display)];
    all.map(|(name, list)| (name.into(), list.into())).into()
}

fn project(text: &str) -> Result<Project, miette::Report> {
    let file = SystemFile::parse(Path::new("tests/sample/system.toml"), text)?;
    Project::of(file, Path::new(".."), None)
}

fn resolve(text: &str, functions: &BTreeMap<String, Functions>) -> Result<Model, miette::Report> {
    Ok(Model::resolve(&project(text)?, functions)?)
}

/// The message as a terminal without colours shows it.
fn render(refusal: &miette::Report) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    handler.render_report(&mut text, refusal.as_ref()).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn tokens_lie_in_a_window_of_the_processes_that_exchange_them() {
    let model = resolve(SYSTEM, &provided()).unwrap();
    let windows = model.windows.iter();
    let windows: Vec<_> = windows.map(|w| (w.writer, w.reader, w.size)).collect();
    let [stream] = &model.streams[..] else {
        panic!("one stream")
    };
    let capacities: Vec<u32> = stream.channels.iter().map(|c| c.capacity).collect();
    // (the last are chosen; a `Total` has 12 bytes)
    assert_eq!(capacities[0], 7);
    let last = (12 * capacities[2]).next_multiple_of(8);
    assert_eq!(
        windows,
        [(0, 0, 7 * 64), (0, 1, 64 * capacities[1]), (1, 1, last)]
    );
    let filters = stream.filters.iter();
    let threads = filters.map(|f| &model.threads[usize::from(f.thread)]);
    let threads = threads.map(|t| (&*t.name, t.process, t.stack, t.budget));
    let (small, large, budget) = (4096, 8192, 2_000_000);
    let expected = [
        ("camera", 0, small, budget),
        ("laplace", 0, small, budget),
        ("sum", 1, small, budget),
        ("screen", 1, large, budget),
    ];
    assert!(threads.eq(expected));
}

#[test]
fn mistakes_in_the_file_are_told_where_they_are() {
    let changes = [
        ("source = \"graph.sigma\"\n", ""),
        ("graph.sigma", "graph.psi"),
        ("graph.sigma", "nowhere.sigma"),
        ("process = \"pixels\"\n", ""),
        ("process = \"pixels\"", "process = \"pixel\""),
        ("filters = { screen", "filters = { scren"),
        ("budget = \"2ms\"", "budgets = \"2ms\""),
        ("stack = \"8K\"", "stack = \"0\""),
        ("board =", "kernel = { config = \"emeralds\" }\nboard ="),
    ];
    let messages = changes.map(|(from, to)| {
        let text = SYSTEM.replacen(from, to, 1);
        assert_ne!(text, SYSTEM, "{from}");
        let refused = project(&text).and_then(|project| Ok(Model::outline(&project)?));
        let refused = refused
            .err()
            .unwrap_or_else(|| panic!("{from} => {to} is accepted"));
        format!("### {from} => {to}\n{}\n", render(&refused))
    });
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn functions_that_do_not_fit_their_filter_are_told() {
    type Change = fn(&mut BTreeMap<String, Functions>);
    fn of<'a>(all: &'a mut BTreeMap<String, Functions>, name: &str) -> &'a mut Function {
        let lists = all.values_mut().flat_map(|functions| &mut functions.list);
        lists
            .into_iter()
            .find(|function| function.name == name)
            .unwrap()
    }
    let changes: [(&str, Change); 6] = [
        ("no function", |all| {
            of(all, "first_line").name = "first_lin".into()
        }),
        ("a task", |all| of(all, "camera").kind = FunctionKind::Task),
        ("too few outputs", |all| {
            let parameters = &mut of(all, "next_line").parameters;
            parameters.pop();
        }),
        ("another length", |all| {
            let parameter = &mut of(all, "sum").parameters[0];
            (parameter.size, parameter.type_name) = (32, "[u8;32]".into());
        }),
        ("another type of the same size", |all| {
            of(all, "sum").parameters[0].type_name = "[i8;64]".into();
        }),
        ("two sizes of one token", |all| {
            of(all, "screen").parameters[0].size = 16
        }),
    ];
    let messages = changes.map(|(what, change)| {
        let mut functions = provided();
        change(&mut functions);
        let refused = resolve(SYSTEM, &functions).err();
        let refused = refused.unwrap_or_else(|| panic!("{what} is accepted"));
        format!("### {what}\n{}\n", render(&refused))
    });
    insta::assert_snapshot!(messages.join("\n"));
}
