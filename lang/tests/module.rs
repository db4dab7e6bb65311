//! What stands in the tables of a module.

use giornata_abi::ValueType;
use giornata_abi::id::NONE;
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, Name, PortKind, PortList, PortSymbol, TaskSymbol,
};
use giornata_abi::trace::Violation;
use giornata_lang::giotto::{Options, compile};
use giornata_microcode::interface::{self, Limits, map_needed};
use giornata_microcode::verify::{Scratch, scratch_needed, verify};

const CONTROLLER: &str = include_str!("programs/controller.giotto");

const EVERYTHING: &str = "
sensor f64 s uses get [wcet 3us]; position p uses get_position;
actuator f32 a uses put;
input u16 command;
output f64 o := zero; i32 q := zero;
private bool done := no;
task t(f64 x, u16 c) output (o, done) state (u64 n := none, f64 sum := zero) [wcet 2ms; priority 9]
  { schedule work(n, c, done, x, sum, o) }
task idle() output (q) state () { schedule rest(q) }
task never() output () state () { schedule nothing_at_all() }
driver in(s, command) output (f64 x, u16 c) [wcet 7us] { if fresh(command, s) then mix(x, s, c, command) }
driver none() output () { if c_true() then nothing() }
driver out(o) output (f32 v) { if true(o) then narrow(o, v) }
start m { mode m() period 8 { actfreq 1 do a(out); taskfreq 2 do t(in); taskfreq 1 do idle(none) [wcet 1ms]; } }
";

fn options(handlers: [Option<&str>; 4]) -> Options {
    Options {
        name: None,
        handlers: handlers.map(|h| h.map(str::to_owned)),
    }
}

fn bytes(source: &str, options: &Options) -> Vec<u8> {
    let (bytes, diagnostics) = compile("dir/everything.v2.giotto", source, options);
    bytes.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

fn task<'a>(module: &Module<'a>, name: &str) -> TaskSymbol {
    module
        .tasks()
        .find(|t| module.text(t.name) == name)
        .unwrap()
}

fn driver(module: &Module<'_>, name: &str) -> DriverSymbol {
    module
        .drivers()
        .find(|d| module.text(d.name) == name)
        .unwrap()
}

fn port(module: &Module<'_>, name: &str) -> PortSymbol {
    module
        .ports()
        .find(|p| module.text(p.name) == name)
        .unwrap()
}

fn ports<'a>(module: &Module<'a>, list: PortList) -> Vec<&'a str> {
    let text = |name: Name| module.text(name);
    module
        .list(list)
        .map(|p| text(module.port(p).unwrap().name))
        .collect()
}

#[test]
fn a_task_takes_its_ports_in_the_order_of_its_schedule() {
    let bytes = bytes(EVERYTHING, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    let t = task(&module, "t");
    assert_eq!(module.text(t.function), "work");
    assert_eq!(ports(&module, t.inputs), ["t.c", "t.x"]);
    assert_eq!(ports(&module, t.outputs), ["t.done", "t.o"]);
    assert_eq!(ports(&module, t.states), ["t.n", "t.sum"]);
    assert_eq!((t.wcet, t.priority), (2_000_000, 9));
    assert_eq!(task(&module, "idle").wcet, 1_000_000);
}

#[test]
fn a_task_that_no_mode_invokes_is_not_in_the_module() {
    let bytes = bytes(EVERYTHING, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    assert_eq!(module.header().tasks, 2);
}

#[test]
fn results_are_copied_to_the_ports_of_the_same_name() {
    let bytes = bytes(EVERYTHING, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    let copy = driver(&module, "t.outputs");
    assert_eq!(DriverKind::from_code(copy.kind), Some(DriverKind::Copy));
    assert_eq!(ports(&module, copy.reads), ["t.o", "t.done"]);
    assert_eq!(ports(&module, copy.writes), ["o", "done"]);
}

#[test]
fn ports_have_the_kinds_and_types_of_their_declarations() {
    let bytes = bytes(EVERYTHING, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    let all = [
        ("s", PortKind::Sensor, ValueType::F64, 8),
        ("p", PortKind::Sensor, ValueType::Opaque, 0),
        ("a", PortKind::Actuator, ValueType::F32, 4),
        ("command", PortKind::Input, ValueType::U16, 2),
        ("o", PortKind::Output, ValueType::F64, 8),
        ("done", PortKind::Private, ValueType::Bool, 1),
        ("t.c", PortKind::TaskInput, ValueType::U16, 2),
        ("t.done", PortKind::TaskOutput, ValueType::Bool, 1),
        ("t.n", PortKind::State, ValueType::U64, 8),
        ("in.guard", PortKind::Guard, ValueType::Bool, 1),
    ];
    for (name, kind, value_type, size) in all {
        let port = port(&module, name);
        let found = (
            PortKind::from_code(port.kind),
            ValueType::from_code(port.value_type),
            port.size,
        );
        assert_eq!(found, (Some(kind), Some(value_type), size), "{name}");
    }
    assert_eq!(module.text(port(&module, "p").type_name), "position");
}

#[test]
fn drivers_take_ports_in_the_order_of_their_arguments() {
    let bytes = bytes(EVERYTHING, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    let (guard, action) = (driver(&module, "in.guard"), driver(&module, "in"));
    assert_eq!(module.text(guard.function), "fresh");
    assert_eq!(ports(&module, guard.reads), ["command", "s"]);
    assert_eq!(module.text(action.function), "mix");
    assert_eq!(ports(&module, action.reads), ["s", "command"]);
    assert_eq!(ports(&module, action.writes), ["t.x", "t.c"]);
    assert_eq!((guard.wcet, action.wcet), (7_000, 7_000));
    assert_eq!(driver(&module, "s.read").wcet, 3_000);
    assert!(module.drivers().all(|d| module.text(d.name) != "none"));
}

#[test]
fn the_module_is_named_after_its_source_unless_told_otherwise() {
    let plain = bytes(CONTROLLER, &Options::default());
    let module = Module::parse(&plain).unwrap();
    assert_eq!(
        (module.name(), module.text(module.header().source)),
        ("everything", "everything.v2.giotto")
    );
    let named = bytes(
        CONTROLLER,
        &Options {
            name: Some("flight".into()),
            ..Options::default()
        },
    );
    assert_eq!(Module::parse(&named).unwrap().name(), "flight");
}

#[test]
fn every_instruction_has_its_source_line() {
    let bytes = bytes(CONTROLLER, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    let lines: Vec<&str> = CONTROLLER.lines().collect();
    for (address, instruction) in module.instructions().enumerate() {
        let position = module.position(address as u16).unwrap();
        let text = &lines[position.line as usize - 1][usize::from(position.column) - 1..];
        let begins = match instruction.opcode().unwrap().mnemonic() {
            "release" => ["t1(", "t2("].iter().any(|t| text.starts_with(t)),
            "future" => text.starts_with("20 {"),
            _ => true,
        };
        assert!(begins, "{address}: {text}");
    }
}

#[test]
fn a_handler_is_a_block_that_calls_its_function_with_who_was_involved() {
    let handlers = [None, Some("shed_load"), Some("shed_load"), Some("report")];
    let bytes = bytes(CONTROLLER, &options(handlers));
    let module = Module::parse(&bytes).unwrap();
    let blocks = module.header().handlers;
    assert_eq!(blocks[Violation::TimeSafety as usize], NONE);
    assert_eq!(blocks[1], blocks[2]);
    assert_ne!(blocks[1], blocks[3]);
    let call = module.instruction(blocks[1]).unwrap();
    assert_eq!(call.opcode().unwrap().mnemonic(), "call");
    assert_eq!(
        module
            .instruction(blocks[1] + 1)
            .unwrap()
            .opcode()
            .unwrap()
            .mnemonic(),
        "return"
    );
    let driver = module.driver(call.a).unwrap();
    assert_eq!(module.text(driver.function), "shed_load");
    assert_eq!(
        ports(&module, driver.reads),
        ["violation.task", "violation.driver"]
    );
    assert_eq!(
        port(&module, "violation.task").kind,
        PortKind::ViolationTask as u8
    );
    assert_eq!(
        port(&module, "violation.driver").value_type,
        ValueType::U16 as u8
    );
}

#[test]
fn a_program_without_handlers_has_no_violation_ports() {
    let bytes = bytes(CONTROLLER, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    assert_eq!(module.header().handlers, [NONE; 4]);
    assert!(
        module
            .ports()
            .all(|p| p.kind != PortKind::ViolationTask as u8)
    );
}

/// What the verifier says an instant can take.
fn steps_needed(module: &Module<'_>) -> Option<u32> {
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
    verify(module, &mut scratch)
        .unwrap_or_else(|refusal| panic!("{refusal}"))
        .steps
}

#[test]
fn step_bound_is_the_longest_instant() {
    let bytes = bytes(CONTROLLER, &Options::default());
    let module = Module::parse(&bytes).unwrap();
    // Two initialisers, jump, da, servo, position, di, ds, two releases, future, return.
    assert_eq!(module.header().max_steps, 12);
    assert_eq!(steps_needed(&module), Some(12));
}

#[test]
fn step_bound_counts_every_handler_that_an_instant_can_need() {
    let h = Some("h");
    // Seven calls and two releases on the longest path, two tasks, two steps a handler.
    let cases = [
        ([h, None, None, None], 12 + 2 * (7 + 2)),
        ([None, h, None, None], 12),
        ([None, None, h, None], 12 + 2 * (7 + 2)),
        ([None, None, Some("a"), Some("b")], 12 + 2 * (7 + 2 + 2)),
        ([h; 4], 12 + 2 * (7 + 2 + 2 + 2)),
    ];
    for (handlers, steps) in cases {
        let bytes = bytes(CONTROLLER, &options(handlers));
        let module = Module::parse(&bytes).unwrap();
        assert_eq!(
            (module.header().max_steps, steps_needed(&module)),
            (steps, Some(steps)),
            "{handlers:?}"
        );
    }
}

#[test]
fn part_of_a_program_links_with_the_whole_of_it_by_names() {
    let navigation = CONTROLLER
        .replace("actfreq 1 do servo(da);", "")
        .replace("taskfreq 1 do t1(di);", "")
        .replace("taskfreq 2 do t2(ds);", "taskfreq 1 do t2(ds);");
    let whole = bytes(CONTROLLER, &options([None; 4]));
    let part = bytes(&navigation, &options([None; 4]));
    let [whole, part] = [&whole, &part].map(|bytes| Module::parse(bytes).unwrap());
    let limits = Limits {
        instructions: whole.header().instructions,
        predicates: 4,
        durations: 4,
        steps: whole.header().max_steps,
        triggers: 4,
        threads: 0,
    };
    let link = |module: &Module<'_>, interface: &Module<'_>| {
        let mut scratch = vec![Scratch::EMPTY; scratch_needed(module)];
        let mut map = vec![0; map_needed(module)];
        let linked = interface::link(*module, interface, &limits, &mut scratch, &mut map);
        let linked = linked.map(|linked| {
            let times = linked.times(1_000_000_000).unwrap();
            (linked.released().collect(), linked.frame(&times).round)
        });
        linked.map_err(|error| error.to_string())
    };
    // t2 is the first of the part's tasks and the second of the whole's.
    assert_eq!((part.header().tasks, whole.header().tasks), (1, 2));
    let released: Vec<u16> = vec![1];
    assert_eq!(link(&part, &whole), Ok((released, part.header().round)));
    assert_ne!(part.header().round, NONE);
    let words = link(&whole, &part).unwrap_err();
    assert!(words.contains("no port `t1.state_in`"), "{words}");
}
