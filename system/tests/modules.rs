//! Programs that may be replaced while the system runs: what the kernel is told of
//! them, and what is refused when the system is built.

mod sample;

use giornata_abi::module::Module;
use giornata_abi::process::FunctionKind;
use giornata_core::micro::block;
use giornata_records::Description;
use giornata_records::program::Program;
use giornata_system::describe::describe;
use giornata_system::{Model, Placement, Project, Refusal, SystemFile};
use sample::{PROGRAM, SYSTEM, board, function, functions, module, output};
use std::path::Path;

/// A controller that begins with another command, and twice as often.
const FIRM: &str = "
sensor f32 altitude uses read_altitude;
actuator f32 servo uses write_servo;
output Pose pose := first_pose; f32 command := firm_command;
task filter(f32 a) output (pose) state () { schedule filter(a, pose) }
task control(Pose p) output (command) state () { schedule control(p, command) }
driver to_filter(altitude) output (f32 a) { if constant_true() then copy(altitude, a) }
driver to_control(pose) output (Pose p) { if constant_true() then copy(pose, p) }
driver to_servo(command) output (f32 s) { if constant_true() then copy(command, s) }
start flight {
  mode flight() period 10ms {
    actfreq 1 do servo(to_servo);
    taskfreq 1 do filter(to_filter);
    taskfreq 1 do control(to_control);
  }
}
";

/// The sample with this in the section of its program, in the configuration
/// that loads; `granted`: the logger may replace it.
fn system(keys: &str, granted: bool) -> String {
    let mut text = SYSTEM.replace("config = \"es\"", "config = \"es-load\"");
    text = text.replace(
        "schedule = \"edf\"\n",
        &format!("schedule = \"edf\"\n{keys}\n"),
    );
    if keys.contains("modules") {
        text = text.replace(
            "no_command = { budget = \"20us\" }",
            "no_command = { budget = \"20us\" }, firm_command = { budget = \"20us\" }",
        );
    }
    if granted {
        text = text.replace("shutdown = true", "shutdown = true, program = [\"flight\"]");
    }
    text
}

fn project(text: &str, others: &[&str]) -> Result<Project, Refusal> {
    let file = SystemFile::parse(Path::new("sample/system.toml"), text)?;
    let others = others.iter().map(|text| module(text)).collect();
    Project::assemble(file, board(), &[module(PROGRAM)], &[others])
}

fn described(text: &str, others: &[&str]) -> Description {
    of(&project(text, others).unwrap())
}

fn of(project: &Project) -> Description {
    let mut functions = functions();
    let firm = function(FunctionKind::Driver, "firm_command", vec![output("f32", 4)]);
    functions.get_mut("control").unwrap().list.push(firm);
    let model = Model::resolve(project, &functions).unwrap();
    describe(&model, &Placement::for_host(&model)).unwrap()
}

/// The only program.
fn flight(description: &Description) -> &Program {
    let [flight] = &description.programs.programs[..] else {
        panic!("one program")
    };
    flight
}

/// Bytes of the records of a system.
fn size(description: &Description) -> usize {
    giornata_records::build(description, 8, 0x8000_0000)
        .bytes
        .len()
}

/// What is wrong, in words; nothing if all is right.
fn refusal(text: &str, others: &[&str]) -> String {
    let refused = project(text, others).err();
    refused.map_or(String::new(), |refusal| {
        format!("{:?}", miette::Report::from(refusal))
    })
}

#[test]
fn a_program_that_nobody_may_replace_has_no_room() {
    let plain = of(&sample::project(SYSTEM, &module(PROGRAM)).unwrap());
    assert!(flight(&plain).change.is_none());
}

#[test]
fn a_program_that_may_be_replaced_has_room_for_another() {
    let (plain, roomy) = (described(SYSTEM, &[]), described(&system("", true), &[]));
    let (one, other) = (flight(&plain), flight(&roomy));
    let change = other.change.as_ref().unwrap();
    assert_eq!(change.loader, 2);
    assert_eq!(other.code.len(), one.code.len());
    assert!(change.room.0 >= 2 * one.code.len() && change.room.1 >= one.waits.len());
    assert!(other.bound > 0 && change.most >= other.bound);
    // an instruction of linked code takes a word and more
    assert!(size(&roomy) >= size(&plain) + 4 * change.room.0);
}

#[test]
fn what_other_modules_name_is_bound_behind_the_names_of_the_first() {
    let (plain, joined) = (
        described(&system("", true), &[]),
        described(&system("modules = [\"firm.giotto\"]", true), &[FIRM]),
    );
    let (one, both) = (flight(&plain), flight(&joined));
    assert_eq!(both.code, one.code);
    let (one, both) = (one.change.as_ref().unwrap(), both.change.as_ref().unwrap());
    assert_eq!((&both.tasks, &both.ports), (&one.tasks, &one.ports));
    assert!(both.drivers.len() > one.drivers.len());
    assert_eq!(both.drivers[..one.drivers.len()], one.drivers);
}

#[test]
fn a_program_that_does_not_boot_is_empty_and_has_its_names() {
    let empty = described(&system("boot = false", true), &[]);
    let program = flight(&empty);
    assert_eq!(
        (program.code.len(), program.blocks),
        (0, [None; block::COUNT])
    );
    let change = program.change.as_ref().unwrap();
    assert!(change.tag == 0 && change.room.0 > 0 && change.tasks.len() == 2);
}

#[test]
fn the_united_module_is_sound_and_says_all_names() {
    let project = project(&system("modules = [\"firm.giotto\"]", true), &[FIRM]).unwrap();
    let bytes = &project.modules[0].bytes;
    let module = Module::parse(bytes).unwrap();
    let mut scratch = vec![
        giornata_microcode::verify::Scratch::EMPTY;
        giornata_microcode::verify::scratch_needed(&module)
    ];
    giornata_microcode::verify::verify(&module, &mut scratch).unwrap();
    let names: Vec<&str> = module.drivers().map(|d| module.text(d.function)).collect();
    let once = |name| names.iter().filter(|known| **known == name).count() == 1;
    assert!(
        once("no_command") && once("firm_command") && once("read_altitude"),
        "{names:?}"
    );
}

#[test]
fn two_modules_that_mean_different_things_by_one_name_are_refused() {
    let other = FIRM
        .replace("f32 command", "f64 command")
        .replace("copy(command", "narrow(command");
    let said = refusal(&system("modules = [\"firm.giotto\"]", true), &[&other]);
    assert!(said.contains("port `command` is another in"), "{said}");
}

#[test]
fn what_could_never_be_loaded_is_refused_when_the_system_is_built() {
    for (keys, granted, said) in [
        ("boot = false", false, "no module would ever be loaded"),
        (
            "modules = [\"firm.giotto\"]",
            false,
            "other modules cannot come",
        ),
        (
            "room = { instructions = 3 }",
            true,
            "instructions, there is room for 3",
        ),
        ("room = { steps = 1 }", true, "steps, there is room for 1"),
        ("room = { tasks = 3 }", true, "has no key `tasks`"),
    ] {
        let found = refusal(&system(keys, granted), &[FIRM]);
        assert!(found.contains(said), "{keys}: {found}");
    }
    let es = system("", true).replace("es-load", "es");
    assert!(refusal(&es, &[]).contains("configuration \"es\" cannot be replaced"));
    let two = system("", true).replace("device = [\"rtc\"]", "program = [\"flight\"]");
    assert!(refusal(&two, &[]).contains("is granted to"));
    let unknown = system("", true).replace("program = [\"flight\"]", "program = [\"fligth\"]");
    assert!(refusal(&unknown, &[]).contains("there is no program `fligth`"));
}
