//! A small system for tests: one Giotto program, three processes, a board.

use giornata_system::functions::{Function, Parameter};
use giornata_system::{Board, Functions, Project, Refusal, SystemFile};

use giornata_abi::process::{Direction, FunctionKind};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const BOARD: &str = include_str!("../../../boards/qemu-virt64.toml");

pub(crate) const PROGRAM: &str = "
sensor f32 altitude uses read_altitude;
actuator f32 servo uses write_servo;
output Pose pose := first_pose; f32 command := no_command;
task filter(f32 a) output (pose) state () { schedule filter(a, pose) }
task control(Pose p) output (command) state () { schedule control(p, command) }
driver to_filter(altitude) output (f32 a) { if is_sane(altitude) then copy(altitude, a) }
driver to_control(pose) output (Pose p) { if constant_true() then copy(pose, p) }
driver to_servo(command) output (f32 s) { if constant_true() then copy(command, s) }
start flight {
  mode flight() period 20ms {
    actfreq 1 do servo(to_servo);
    taskfreq 2 do filter(to_filter);
    taskfreq 1 do control(to_control);
  }
}
";

pub(crate) const SYSTEM: &str = r#"name = "sample"
board = "qemu-virt64"

[kernel]
config = "es"
deadline-band = 200
trace = 1024

[program.flight]
source = "flight.giotto"
schedule = "edf"
on-violation = { overrun = "handler:shed", time-safety = "skip" }

[process.control]
crate = "control"
stack = "8K"
tasks = { filter = { budget = "1ms" }, control = { budget = "2ms", stack = "12K" } }
drivers = { first_pose = { budget = "20us" }, no_command = { budget = "20us" } }
on-fault = "restart"

[process.io]
crate = "io"
drivers = { read_altitude = { budget = "20us" }, write_servo = { budget = "20us" }, is_sane = { budget = "20us" }, shed = { budget = "10us" } }
grants = { device = ["rtc"], irq = ["rtc"] }

[process.logger]
crate = "logger"
max-priority = 20
threads = { watch = { priority = 5 }, beat = { policy = "round-robin", quantum = "1ms", autostart = false } }
grants = { device = ["uart0"], port = { "flight.pose" = "read" }, trace = true, shutdown = true }
on-fault = "halt"
"#;

/// A parameter that is read.
pub(crate) fn input(type_name: &str, size: usize) -> Parameter {
    Parameter {
        direction: Direction::Input,
        size,
        type_name: type_name.into(),
    }
}

/// A parameter that is written.
pub(crate) fn output(type_name: &str, size: usize) -> Parameter {
    Parameter {
        direction: Direction::Output,
        ..input(type_name, size)
    }
}

/// A function at an address made of nothing.
pub(crate) fn function(kind: FunctionKind, name: &str, parameters: Vec<Parameter>) -> Function {
    Function {
        name: name.into(),
        kind,
        parameters,
        body: 0x1000_0000 + name.len() as u64 * 16,
    }
}

/// What the processes of [`SYSTEM`] provide.
pub(crate) fn functions() -> BTreeMap<String, Functions> {
    use FunctionKind::{Driver, Task, Thread};
    let control = vec![
        function(Task, "filter", vec![input("f32", 4), output("Pose", 12)]),
        function(Task, "control", vec![input("Pose", 12), output("f32", 4)]),
        function(Driver, "first_pose", vec![output("Pose", 12)]),
        function(Driver, "no_command", vec![output("f32", 4)]),
    ];
    let io = vec![
        function(Driver, "read_altitude", vec![output("f32", 4)]),
        function(Driver, "write_servo", vec![input("f32", 4)]),
        function(Driver, "is_sane", vec![input("f32", 4), output("bool", 1)]),
        function(Driver, "shed", vec![input("u16", 2), input("u16", 2)]),
    ];
    let logger = vec![
        function(Thread, "watch", vec![]),
        function(Thread, "beat", vec![]),
    ];
    let all = [("control", control), ("io", io), ("logger", logger)];
    all.into_iter()
        .map(|(name, list)| (name.to_string(), list.into()))
        .collect()
}

/// The board of the samples.
pub(crate) fn board() -> Board {
    Board::parse(Path::new("boards/qemu-virt64.toml"), BOARD).unwrap()
}

/// The module of a Giotto program that compiles.
pub(crate) fn module(program: &str) -> Vec<u8> {
    let (module, findings) =
        giornata_lang::giotto::compile("flight.giotto", program, &Default::default());
    module.unwrap_or_else(|| panic!("the sample does not compile: {findings:?}"))
}

/// A project of a system file's text, whose programs are all `program`.
pub(crate) fn project(system: &str, program: &[u8]) -> Result<Project, Refusal> {
    let file = SystemFile::parse(Path::new("sample/system.toml"), system)?;
    let modules: Vec<Vec<u8>> = file.programs.iter().map(|_| program.to_vec()).collect();
    Project::assemble(file, board(), &modules, &[])
}
