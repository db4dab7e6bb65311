//! Several programs with S code on one hart: who gets time slots, and what is
//! refused before anything runs.

#[allow(dead_code, reason = "each test file uses a part")]
mod sample;

use giornata_abi::Opcode;
use giornata_abi::module::Module;
use giornata_analysis::{ECode, Kind, Program, Times, attach, generate};
use giornata_system::{Project, Refusal, SystemFile};
use sample::{board, module};
use std::path::Path;

/// A program with a task of so many milliseconds, as often in 20 ms.
fn program(task: &str, millis: u32, rate: u32) -> String {
    format!(
        "sensor u32 {task}_in uses get_{task};
output u32 {task}_out := no_{task};
task {task}(u32 x) output ({task}_out) state () [wcet {millis}ms] {{ schedule {task}(x, {task}_out) }}
driver sense({task}_in) output (u32 x) {{ if constant_true() then copy({task}_in, x) }}
start m {{ mode m() period 20ms {{ taskfreq {rate} do {task}(sense); }} }}
"
    )
}

fn system(schedules: [&str; 2]) -> String {
    let [left, right] = schedules;
    format!(
        "name = \"two\"
board = \"qemu-virt64\"

[program.left]
source = \"left.giotto\"
schedule = \"{left}\"

[program.right]
source = \"right.giotto\"
schedule = \"{right}\"

[process.all]
crate = \"all\"
tasks = {{ left = {{}}, right = {{}} }}
"
    )
}

fn assemble(text: &str, modules: &[Vec<u8>]) -> Result<Project, Refusal> {
    let file = SystemFile::parse(Path::new("two/system.toml"), text)?;
    Project::assemble(file, board(), modules, &[vec![], vec![]])
}

fn refusal(text: &str, modules: &[Vec<u8>]) -> String {
    let refused = assemble(text, modules).err();
    refused.map_or(String::new(), |refusal| {
        format!("{:?}", miette::Report::from(refusal))
    })
}

fn two(millis: [u32; 2], rates: [u32; 2]) -> [Vec<u8>; 2] {
    [
        module(&program("left", millis[0], rates[0])),
        module(&program("right", millis[1], rates[1])),
    ]
}

/// The module with the S code that it would have alone.
fn alone(bytes: &[u8]) -> Vec<u8> {
    let program = Program::of(&Module::parse(bytes).unwrap()).unwrap();
    let code = ECode::of(&program).unwrap();
    let times = Times::of(&program, None).unwrap();
    let kind = Kind::EarliestDeadline;
    attach(
        bytes,
        &generate(&program, &code, &times, kind, false).unwrap(),
    )
    .unwrap()
}

/// How many dispatches the programs have.
fn dispatches(project: &Project) -> Vec<usize> {
    let is_it = |code: Option<Opcode>| code == Some(Opcode::Dispatch);
    let count = |bytes: &[u8]| {
        let module = Module::parse(bytes).unwrap();
        module.instructions().filter(|i| is_it(i.opcode())).count()
    };
    project.modules.iter().map(|m| count(&m.bytes)).collect()
}

#[test]
fn programs_that_ask_for_schedules_get_slots_of_one_round() {
    // 8 of 20 ms, and 3 of each 10: the longer job is cut in two
    let project = assemble(&system(["s:edf", "s:edf"]), &two([8, 3], [1, 2])).unwrap();
    assert_eq!(dispatches(&project), [2, 2]);
    let project = assemble(&system(["s:edf", "edf"]), &two([8, 3], [1, 2])).unwrap();
    assert_eq!(
        dispatches(&project),
        [1, 0],
        "one program has the hart to itself"
    );
}

#[test]
fn programs_that_are_not_schedulable_together_are_refused_with_a_run() {
    let text = refusal(&system(["s:edf", "s:edf"]), &two([12, 5], [1, 2]));
    assert!(
        text.contains("programs `left`, `right` are not schedulable by \"s:edf\""),
        "{text}"
    );
    assert!(
        text.contains("left.left") && text.contains("right.right"),
        "{text}"
    );
}

#[test]
fn carried_s_code_of_two_programs_that_claim_the_hart_at_once_is_refused() {
    let carried = two([8, 3], [1, 2]).map(|bytes| alone(&bytes));
    let text = refusal(&system(["s", "s"]), &carried);
    assert!(text.contains("claim the hart at once"), "{text}");
    assert!(
        text.contains("schedule = \"s\""),
        "it shows the place: {text}"
    );
    // one of them leaves its tasks to the kernel: nothing is claimed twice
    let text = refusal(
        &system(["s", "edf"]),
        &[carried[0].clone(), two([8, 3], [1, 2])[1].clone()],
    );
    assert_eq!(text, "");
}

#[test]
fn carried_slots_that_do_not_overlap_are_let_through() {
    let project = assemble(&system(["s:edf", "s:edf"]), &two([8, 3], [1, 2])).unwrap();
    let slots: Vec<Vec<u8>> = project.modules.iter().map(|m| m.bytes.clone()).collect();
    assert_eq!(refusal(&system(["s", "s"]), &slots), "");
}

#[test]
fn other_kinds_of_schedules_do_not_share_the_hart() {
    let text = refusal(&system(["s:edf", "s:rm"]), &two([2, 2], [1, 1]));
    assert!(
        text.contains("program `right` cannot share the hart by"),
        "{text}"
    );
}

#[test]
fn slots_lie_at_whole_nanoseconds() {
    // a third of 20 ms
    let text = refusal(&system(["s:edf", "s:edf"]), &two([2, 2], [1, 3]));
    assert!(text.contains("whole nanoseconds"), "{text}");
}
