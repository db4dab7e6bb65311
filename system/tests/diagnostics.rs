//! What is said about each mistake: file and line, reason, mend.
//!
//! One snapshot holds all messages of one kind of file, each after the change
//! that provokes it.

mod sample;

use giornata_abi::module::{
    DriverKind, DriverSymbol, ModuleWriter, NameSymbol, PortKind, PortSymbol,
};
use giornata_abi::process::{Direction, FunctionKind};
use giornata_abi::{Instruction, Opcode, Predicate, PredicateKind};
use giornata_system::functions::Parameter;
use giornata_system::{Board, Functions, Model, Refusal, SystemFile};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use sample::{SYSTEM, functions, input, module, output, project};
use std::collections::BTreeMap;
use std::path::Path;

/// The message as a terminal without colours shows it.
fn render(refusal: &dyn Diagnostic) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    let mut text = String::new();
    handler.render_report(&mut text, refusal).unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// `text` with one change; the change must hit.
fn changed(text: &str, from: &str, to: &str) -> String {
    let changed = text.replacen(from, to, 1);
    assert_ne!(changed, text, "`{from}` is not in the sample");
    changed
}

/// All messages, each under its change.
fn messages(changes: &[(&str, &str)], refuse: impl Fn(&str, &str) -> Refusal) -> String {
    let one =
        |(from, to): &(&str, &str)| format!("### {from} => {to}\n{}\n", render(&refuse(from, to)));
    changes.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn refuse_system(from: &str, to: &str) -> Refusal {
    let system = changed(SYSTEM, from, to);
    let refused = project(&system, &module(sample::PROGRAM)).and_then(|p| Model::outline(&p));
    refused
        .err()
        .unwrap_or_else(|| panic!("{from} => {to} is accepted"))
}

#[test]
fn shapes_of_a_system_file() {
    let changes = [
        ("name = \"sample\"\n", ""),
        ("name = \"sample\"", "name = 7"),
        ("name = \"sample\"", "name = \"../up\""),
        ("name = \"sample\"", "name = "),
        ("config = \"es\"", "config = \"emerald\""),
        ("deadline-band = 200", "deadline-band = 256"),
        ("deadline-band = 200", "deadlin-band = 200"),
        ("trace = 1024", "trace = 1000"),
        ("[kernel]", "[kernal]"),
        ("source = \"flight.giotto\"\n", ""),
        ("schedule = \"edf\"", "schedule = \"llf\""),
        ("schedule = \"edf\"", "schedule = \"s:llf\""),
        ("\"skip\"", "\"ignore\""),
        ("overrun =", "overun ="),
        ("crate = \"control\"\n", ""),
        ("crate = \"control\"", "c = [\"a.c\"]"),
        ("crate = \"control\"", "crate = \"control\"\nc = \"a.c\""),
        ("stack = \"8K\"", "stack = \"8Q\""),
        ("stack = \"8K\"", "stack = \"64M\""),
        ("budget = \"1ms\"", "budget = \"1 fortnight\""),
        ("budget = \"1ms\"", "bugdet = \"1ms\""),
        ("tasks = {", "tsks = {"),
        ("on-fault = \"restart\"", "on-fault = \"reboot\""),
        ("on-fault = \"restart\"", "restart = { most = 3 }"),
        (
            "on-fault = \"restart\"",
            "on-fault = \"restart\"\nrestart = { pause = \"11s\", longest-pause = \"1s\", most = -1, within = \"0s\", then = \"reboot\", after = 3 }",
        ),
        ("priority = 5", "priority = 21"),
        (
            "policy = \"round-robin\", quantum = \"1ms\"",
            "policy = \"round-robin\"",
        ),
        ("policy = \"round-robin\"", "policy = \"deadline\""),
        ("policy = \"round-robin\"", "policy = \"roundrobin\""),
        ("autostart = false", "autostart = \"no\""),
        ("\"read\"", "\"look\""),
        ("irq = [\"rtc\"]", "irq = \"rtc\""),
        ("irq = [\"rtc\"]", "mailbox = { telemetry = \"send\" }"),
    ];
    insta::assert_snapshot!(messages(&changes, refuse_system));
}

#[test]
fn references_of_a_system_file() {
    let changes = [
        ("filter = {", "filtre = {"),
        ("read_altitude = { budget = \"20us\" }, ", ""),
        ("write_servo = { budget = \"20us\" }", "write_servo = {}"),
        ("handler:shed", "handler:shedd"),
        (
            "shed = { budget = \"10us\" }",
            "shed = { budget = \"10us\" }, first_pose = { budget = \"1us\" }",
        ),
        ("device = [\"rtc\"]", "device = [\"rtcc\"]"),
        ("device = [\"rtc\"]", "device = [\"plic\"]"),
        ("device = [\"rtc\"]", "device = [\"rtc\", \"rtc\"]"),
        ("device = [\"rtc\"]", "device = [\"uart0\"]"),
        ("irq = [\"rtc\"]", "irq = [99]"),
        ("irq = [\"rtc\"]", "irq = [11, \"rtc\"]"),
        ("\"flight.pose\"", "\"flight.poes\""),
        ("\"flight.pose\" = \"read\"", "\"flight.pose\" = \"write\""),
        ("schedule = \"edf\"", "schedule = \"edf\"\nslot = 100"),
        ("schedule = \"edf\"", "schedule = \"rm\"\nslot = 200"),
        ("schedule = \"edf\"", "schedule = \"rm\"\nslot = 0"),
        ("schedule = \"edf\"", "schedule = \"s\""),
        (
            "max-priority = 20\nthreads = { watch = { priority = 5 }",
            "max-priority = 255\nthreads = { watch = { priority = 200 }",
        ),
        // a process with drivers has a thread of this name already
        ("[process.io]", "threads = { upcall = {} }\n[process.io]"),
        (
            "schedule = \"edf\"",
            "registers = { read_altitude = { device = \"uart0\", offset = 5, width = 4 } }",
        ),
        (
            "schedule = \"edf\"",
            "registers = { read_speed = { device = \"uart0\", offset = 5 } }",
        ),
        ("schedule = \"edf\"", "interrupts = { tick = \"rtc\" }"),
    ];
    insta::assert_snapshot!(messages(&changes, refuse_system));
}

#[test]
fn expectations_of_a_system_file() {
    let name = "name = \"sample\"";
    let expect = |list: &str| format!("{name}\nexpect = [{list}]");
    let changes = [
        "\"overun:filter\"",
        "\"overrun:filtre\"",
        "\"panic:contrl\"",
        "\"never-run:watsch\"",
        "\"fault:\"",
        "\"status:0\"",
        "7",
    ];
    let changes = changes.map(expect);
    let changes: Vec<(&str, &str)> = changes.iter().map(|to| (name, to.as_str())).collect();
    insta::assert_snapshot!(messages(&changes, refuse_system));
}

#[test]
fn what_the_system_has_can_be_expected() {
    let expect = "expect = [\"overrun\", \"panic:control\", \"never-run:watch\", \"status:3\"]";
    let system = changed(
        SYSTEM,
        "name = \"sample\"",
        &format!("name = \"sample\"\n{expect}"),
    );
    let project = project(&system, &module(sample::PROGRAM)).unwrap();
    let names = giornata_system::names::name_map(&Model::outline(&project).unwrap(), &[]);
    let expected = ["overrun", "panic:control", "never-run:watch", "status:3"];
    assert_eq!(names.expect, expected);
}

/// What the sample becomes with objects in it.
const OBJECTS: &str = r#"
[mutex.bus]
protocol = "ceiling"
ceiling = 120

[semaphore.slots]
initial = 4
most = 8

[condition.full]
at-boot = false

[process.peer]
crate = "peer"
threads = { serve = {} }
grants = { mutex = ["bus"], semaphore = ["slots"], condition = ["full"], manage = ["full"] }
"#;

#[test]
fn objects_of_a_system_file() {
    let changes = [
        ("config = \"all\"", "config = \"es\""),
        ("config = \"all\"", "config = \"es-load\""),
        ("config = \"all\"", "config = \"emeralds\""),
        ("protocol = \"ceiling\"", "protocol = \"protect\""),
        ("protocol = \"ceiling\"\n", ""),
        ("ceiling = 120\n", ""),
        ("ceiling = 120", "ceiling = 256"),
        ("most = 8", "most = 3"),
        ("most = 8", "most = 0"),
        ("initial = 4", "inital = 4"),
        ("initial = 4", "initial = -1"),
        ("[condition.full]", "[condition.full]\nmost = 1"),
        ("[condition.full]", "[condition.bus]"),
        ("mutex = [\"bus\"]", "mutex = [\"bsu\"]"),
        ("mutex = [\"bus\"]", "mutex = [\"bus\", \"slots\"]"),
        ("mutex = [\"bus\"]", "mutex = [\"bus\", \"bus\"]"),
        ("mutex = [\"bus\"]", "mutex = \"bus\""),
        ("mutex = [\"bus\"], ", ""),
        (", manage = [\"full\"]", ", manage = [\"file\"]"),
        (", manage = [\"full\"]", ""),
    ];
    insta::assert_snapshot!(messages_of_services(OBJECTS, &changes));
}

/// All messages about a system with services, each after its change.
fn messages_of_services(more: &str, changes: &[(&str, &str)]) -> String {
    let system = changed(SYSTEM, "config = \"es\"", "config = \"all\"") + more;
    let outline = |system: &str| {
        let project = project(system, &module(sample::PROGRAM));
        project.and_then(|project| Model::outline(&project))
    };
    if let Err(refusal) = outline(&system) {
        panic!("{}", render(&refusal));
    }
    let refuse = |from: &str, to: &str| {
        let refused = outline(&changed(&system, from, to)).err();
        refused.unwrap_or_else(|| panic!("{from} => {to} is accepted"))
    };
    messages(changes, refuse)
}

/// What the sample becomes with mailboxes in it.
const MAILBOXES: &str = r#"
[mailbox.orders]
server = "stack"

[mailbox.stack]

[mutex.bus]

[process.net]
crate = "net"
threads = { serve = {} }
messages = 4
message-size = "256"
grants = { mutex = ["bus"], mailbox = { stack = "full", orders = ["send", "receive"] } }
"#;

#[test]
fn mailboxes_of_a_system_file() {
    let changes = [
        ("config = \"all\"", "config = \"es\""),
        ("server = \"stack\"", "server = \"stakc\""),
        ("server = \"stack\"", "server = \"bus\""),
        ("server = \"stack\"", "server = \"orders\""),
        ("[mailbox.stack]", "[mailbox.stack]\nserver = \"orders\""),
        ("[mailbox.stack]", "[mailbox.stack]\nmost = 3"),
        ("[mutex.bus]", "[mutex.bus]\nserver = \"stack\""),
        ("mutex = [\"bus\"], ", ""),
        ("mutex = [\"bus\"]", "mutex = [\"stack\", \"bus\"]"),
        ("stack = \"full\"", "stack = \"fully\""),
        ("stack = \"full\"", "stack = []"),
        ("stack = \"full\"", "stack = [\"full\", 3]"),
        ("stack = \"full\"", "stack = \"receive\""),
        ("stack = \"full\"", "stack = \"full\", stakc = \"send\""),
        ("stack = \"full\"", "stack = \"full\", bus = \"send\""),
        ("orders = [\"send\", \"receive\"]", "orders = \"receive\""),
        ("server = \"stack\"", "[mailbox.extra]"),
        ("messages = 4", "messages = 65535"),
        (
            "messages = 4\nmessage-size = \"256\"",
            "messages = 65534\nmessage-size = \"60K\"",
        ),
        ("message-size = \"256\"", "message-size = \"64K\""),
        ("message-size = \"256\"", "message-size = \"a word\""),
        ("max-priority = 20", "max-priority = 20\nmessages = 2"),
    ];
    insta::assert_snapshot!(messages_of_services(MAILBOXES, &changes));
}

#[test]
fn spare_threads_of_a_system_file() {
    let beside = "max-priority = 20";
    let with = |spare: &str| format!("{beside}\nspare-threads = {spare}");
    let texts = [
        "3",
        "{}",
        "{ count = 0 }",
        "{ count = 4097 }",
        "{ count = 2, stack = \"64M\" }",
        "{ count = 2, priority = 5 }",
        "{ count = 1 }\nthreads = { spare0 = {} }\n[process.more]\ncrate = \"more\"",
    ];
    let texts = texts.map(with);
    let mut changes: Vec<(&str, &str)> = texts.iter().map(|to| (beside, to.as_str())).collect();
    let elsewhere =
        "config = \"es\"\n[process.early]\ncrate = \"early\"\nspare-threads = { count = 1 }";
    changes.push((
        "config = \"all\"\ndeadline-band = 200\ntrace = 1024",
        elsewhere,
    ));
    insta::assert_snapshot!(messages_of_services("", &changes));
}

#[test]
fn heaps_of_a_system_file() {
    let beside = "max-priority = 20";
    let changes = [
        (beside, "max-priority = 20\nheap = \"257M\""),
        (beside, "max-priority = 20\nheap = \"much\""),
        (
            "config = \"all\"\ndeadline-band = 200\ntrace = 1024",
            "config = \"es\"\n[process.early]\ncrate = \"early\"\nheap = 64",
        ),
    ];
    insta::assert_snapshot!(messages_of_services("", &changes));
}

#[test]
fn names_on_several_boards() {
    let changes = [
        ("device = [\"rtc\"]", "device = [[]]"),
        ("device = [\"rtc\"]", "device = [[\"generator\", \"rtcc\"]]"),
        ("device = [\"rtc\"]", "device = [[\"generator\", 11]]"),
        (
            "device = [\"rtc\"]",
            "device = [[\"generator\", \"uart0\"]]",
        ),
        ("irq = [\"rtc\"]", "irq = [[\"generator\", 99]]"),
        ("irq = [\"rtc\"]", "irq = [11, [\"generator\", \"rtc\"]]"),
    ];
    insta::assert_snapshot!(messages(&changes, refuse_system));
}

#[test]
fn intervals_of_interrupts() {
    let changes = [
        ("irq = [\"rtc\"]", "irq-interval = \"100us\""),
        (
            "irq = [\"rtc\"]",
            "irq = [\"rtc\"], irq-interval = \"often\"",
        ),
        ("irq = [\"rtc\"]", "irq = [\"rtc\"], irq-interval = 100"),
        ("irq = [\"rtc\"]", "irq = [\"rtc\"], irq-interval = \"5s\""),
    ];
    insta::assert_snapshot!(messages(&changes, refuse_system));
}

/// What the sample becomes with supervisors in it.
const SUPERVISED: &str = r#"
[process.guard]
crate = "guard"
threads = { serve = {} }
grants = { supervise = ["valve", "pump"] }

[process.valve]
crate = "valve"
threads = { turn = {} }
start = "call"

[process.pump]
crate = "pump"
threads = { turn_too = {} }
grants = { supervise = [] }
"#;

const REGIONS: &str = r#"
[region.ring]
size = "4K"

[process.guard]
crate = "guard"
threads = { serve = {} }
grants = { region = { ring = "write" } }

[process.view]
crate = "view"
threads = { look = {} }
grants = { region = { ring = "read" } }
"#;

#[test]
fn regions_of_a_system_file() {
    let many: String = (0..32)
        .map(|n| format!("[region.r{n}]\nsize = 1\n"))
        .collect();
    let grants: Vec<String> = (0..32).map(|n| format!("r{n} = \"write\"")).collect();
    let many_more = format!("{many}[region.ring]");
    let all = format!("{{ {}, ring = \"write\" }}", grants.join(", "));
    let changes = [
        ("config = \"all\"", "config = \"es\""),
        ("size = \"4K\"", ""),
        ("size = \"4K\"", "size = 0"),
        ("size = \"4K\"", "size = \"17M\""),
        ("size = \"4K\"", "size = \"4 pages\""),
        ("size = \"4K\"", "size = \"4K\"\nserver = \"x\""),
        ("ring = \"write\"", "rnig = \"write\""),
        ("ring = \"write\"", "ring = \"send\""),
        ("ring = \"write\"", "ring = \"read\""),
        ("{ ring = \"write\" }", "[\"ring\"]"),
    ];
    let text = messages_of_services(REGIONS, &changes);
    let crowded = REGIONS.replace("[region.ring]", &many_more);
    let crowded = crowded.replace("{ ring = \"write\" }", &all);
    let system = changed(SYSTEM, "config = \"es\"", "config = \"all\"") + &crowded;
    let project = project(&system, &module(sample::PROGRAM));
    let refused = project
        .and_then(|project| Model::outline(&project))
        .unwrap_err();
    let reasons: Vec<&str> = refused.problems().iter().map(|p| p.reason()).collect();
    assert_eq!(reasons, ["there are 33 regions"]);
    insta::assert_snapshot!(text);
}

#[test]
fn supervisors_of_a_system_file() {
    let changes = [
        ("config = \"all\"", "config = \"es\""),
        ("start = \"call\"", "start = \"cell\""),
        ("\"valve\", \"pump\"", "\"pump\""),
        ("\"valve\", \"pump\"", "\"valve\", \"pumps\""),
        ("\"valve\", \"pump\"", "\"valve\", \"guard\""),
        ("\"valve\", \"pump\"", "\"valve\", \"valve\""),
        ("supervise = []", "supervise = [\"valve\"]"),
        ("supervise = []", "supervise = [\"guard\"]"),
        ("supervise = []", "supervise = [3]"),
    ];
    insta::assert_snapshot!(messages_of_services(SUPERVISED, &changes));
}

/// What the sample becomes with processes of which one may precede programs.
const PRECEDING: &str = r#"
[mutex.bus]
protocol = "ceiling"
ceiling = 120

[process.pulse]
crate = "pulse"
max-priority = 230
threads = { beat = { priority = 230 } }
grants = { mutex = ["bus"], above-programs = true }

[process.other]
crate = "other"
max-priority = 100
threads = { turn = {} }
grants = { mutex = ["bus"] }
"#;

#[test]
fn processes_that_precede_programs() {
    let changes = [
        ("above-programs = true", "above-programs = 1"),
        ("max-priority = 100", "max-priority = 230"),
        ("max-priority = 100", "max-priority = 255"),
        ("ceiling = 120", "ceiling = 240"),
        (
            "max-priority = 230\nthreads = { beat = { priority = 230 } }",
            "max-priority = 201\nthreads = { beat = {} }",
        ),
    ];
    insta::assert_snapshot!(messages_of_services(PRECEDING, &changes));
}

/// What the sample becomes with private objects in it.
const PRIVATE: &str = r#"
[mutex.bus]
private = true

[semaphore.slots]
private = true
most = 8

[process.one]
crate = "one"
threads = { serve = {} }
grants = { mutex = ["bus"], semaphore = ["slots"], manage = ["bus"] }

[process.two]
crate = "two"
threads = { watch_it = {} }
"#;

#[test]
fn private_objects_of_a_system_file() {
    let beside = "threads = { watch_it = {} }";
    let changes = [
        ("private = true", "private = 1"),
        (
            "private = true",
            "private = true\nceiling = 7\nprotocol = \"ceiling\"",
        ),
        ("most = 8", "initial = 3"),
        ("most = 8", "most = 32768"),
        ("[semaphore.slots]", "[condition.slots]"),
        (
            beside,
            "threads = { watch_it = {} }\ngrants = { mutex = [\"bus\"] }",
        ),
        (
            beside,
            "threads = { watch_it = {} }\ngrants = { manage = [\"slots\"] }",
        ),
        ("mutex = [\"bus\"], ", ""),
        ("crate = \"one\"", "crate = \"one\"\nparallel = true"),
        ("crate = \"one\"", "crate = \"one\"\nparallel = \"no\""),
        (
            "crate = \"one\"",
            "c = [\"src/*.c\"]\nposix = true\nparallel = true",
        ),
        (
            beside,
            "spare-threads = { count = 4096 }\n[process.three]\ncrate = \"three\"\n\
             spare-threads = { count = 4096 }\n[process.four]\ncrate = \"four\"\n\
             spare-threads = { count = 4096 }\n[process.five]\ncrate = \"five\"\n\
             spare-threads = { count = 4096 }",
        ),
    ];
    insta::assert_snapshot!(messages_of_services(PRIVATE, &changes));
}

#[test]
fn generated_schedules_of_a_system_file() {
    let with = |schedule: &str| changed(SYSTEM, "schedule = \"edf\"", schedule);
    let edf = with("schedule = \"s:edf\"");
    let made = project(&edf, &module(sample::PROGRAM)).expect("schedulable");
    let carrying = &made.modules[0].bytes;
    let switching = sample::PROGRAM.replace("actfreq 1", "exitfreq 1 do other(leave); actfreq 1");
    let switching = switching.replace(
        "start flight {",
        "driver leave() output () { if is_sane() then dummy() }\nstart flight {\nmode other() period 20ms { taskfreq 1 do filter(to_filter); }",
    );
    let cases = [
        (
            "control takes too long",
            edf.replace("budget = \"2ms\"", "budget = \"19ms\""),
            sample::PROGRAM,
        ),
        (
            "control does not complete before the next filter",
            with("schedule = \"s:synchronous\"").replace("budget = \"2ms\"", "budget = \"9500us\""),
            sample::PROGRAM,
        ),
        (
            "filter has no worst-case time",
            edf.replace("filter = { budget = \"1ms\" }", "filter = {}"),
            sample::PROGRAM,
        ),
        ("modes", edf.clone(), switching.as_str()),
    ];
    let refused = |system: &str, bytes: &[u8]| project(system, bytes).expect_err("refused");
    let mut texts: Vec<String> = cases
        .iter()
        .map(|(title, system, program)| {
            format!(
                "### {title}\n{}\n",
                render(&refused(system, &module(program)))
            )
        })
        .collect();
    texts.push(format!(
        "### S code already\n{}\n",
        render(&refused(&edf, carrying))
    ));
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn registers_of_a_system_file() {
    let bound = |entry: &str| {
        let system = changed(SYSTEM, "read_altitude = { budget = \"20us\" }, ", "");
        let entry = format!("schedule = \"edf\"\n[program.flight.registers]\n{entry}\n");
        let system = changed(
            &system,
            "schedule = \"edf\"\non-violation = { overrun = \"handler:shed\", time-safety = \"skip\" }\n",
            &entry,
        );
        let system = changed(&system, ", shed = { budget = \"10us\" }", "");
        project(&system, &module(sample::PROGRAM)).and_then(|p| Model::outline(&p))
    };
    let refused = [
        "read_altitude = { device = \"uart1\", offset = 0, width = 4 }",
        "read_altitude = { device = \"plic\", offset = 0, width = 4 }",
        "read_altitude = { device = \"uart0\", offset = 2, width = 4 }",
        "read_altitude = { device = \"uart0\", offset = 256, width = 4 }",
        "read_altitude = { device = \"uart0\", offset = 0, width = 3 }",
        "read_altitude = { device = \"uart0\", offset = 0, width = 1 }",
        "read_altitude = { offset = 0, width = 4 }",
    ];
    let text =
        refused.map(|entry| format!("### {entry}\n{}\n", render(&bound(entry).unwrap_err())));
    insta::assert_snapshot!(text.join("\n"));
    let model = bound("read_altitude = { device = \"rtc\", offset = 8, width = 4 }").unwrap();
    let work: Vec<_> = model
        .drivers
        .iter()
        .filter(|d| d.function == "read_altitude")
        .map(|d| d.work.clone())
        .collect();
    assert_eq!(work, [giornata_system::model::Work::Load(0x10_1008, 4)]);
}

/// The sample's functions with one change.
fn refuse_functions(change: impl Fn(&mut BTreeMap<String, Functions>)) -> Refusal {
    let mut functions = functions();
    change(&mut functions);
    let project = project(SYSTEM, &module(sample::PROGRAM)).unwrap();
    Model::resolve(&project, &functions).unwrap_err()
}

fn set(
    process: &str,
    function: &str,
    parameters: Vec<Parameter>,
) -> impl Fn(&mut BTreeMap<String, Functions>) {
    let (process, function) = (process.to_string(), function.to_string());
    move |functions| {
        let list = &mut functions.get_mut(&process).unwrap().list;
        list.iter_mut()
            .find(|f| f.name == function)
            .unwrap()
            .parameters = parameters.clone();
    }
}

#[test]
fn functions_that_do_not_fit_their_program() {
    let state = Parameter {
        direction: Direction::State,
        ..input("u32", 4)
    };
    let refused = [
        (
            "a task takes too much",
            refuse_functions(set(
                "control",
                "control",
                vec![input("Pose", 12), input("f32", 4), output("f32", 4)],
            )),
        ),
        (
            "a task takes another type",
            refuse_functions(set(
                "control",
                "control",
                vec![input("Position", 12), output("f32", 4)],
            )),
        ),
        (
            "one type has two sizes",
            refuse_functions(set(
                "control",
                "control",
                vec![input("Pose", 16), output("f32", 4)],
            )),
        ),
        (
            "a scalar has another size",
            refuse_functions(set(
                "control",
                "control",
                vec![input("Pose", 12), output("f64", 8)],
            )),
        ),
        (
            "a value of no bytes",
            refuse_functions(set("control", "first_pose", vec![output("Pose", 0)])),
        ),
        (
            "a guard that answers nothing",
            refuse_functions(set("io", "is_sane", vec![input("f32", 4)])),
        ),
        (
            "a handler that takes nothing",
            refuse_functions(set("io", "shed", vec![])),
        ),
        (
            "a function that is missing",
            refuse_functions(|all| all.get_mut("control").unwrap().list[0].name = "filters".into()),
        ),
        (
            "a task that is a driver",
            refuse_functions(|all| {
                all.get_mut("control").unwrap().list[0].kind = FunctionKind::Driver
            }),
        ),
        (
            "a process without a table",
            refuse_functions(|all| drop(all.remove("logger"))),
        ),
    ];
    let text = refused.map(|(what, refusal)| format!("### {what}\n{}\n", render(&refusal)));
    insta::assert_snapshot!(text.join("\n"));
    // states that the program does not know are the function's own affair
    let mut functions = functions();
    set(
        "control",
        "filter",
        vec![input("f32", 4), output("Pose", 12), state],
    )(&mut functions);
    let project = project(SYSTEM, &module(sample::PROGRAM)).unwrap();
    assert!(Model::resolve(&project, &functions).is_ok());
}

/// A module made by hand, without tasks.
fn writer() -> ModuleWriter {
    let mut writer = ModuleWriter::new("flight", "flight.giotto");
    writer
        .instructions
        .push(Instruction::new(Opcode::Return, 0, 0, 0));
    writer
}

fn plain_system(extra: &str) -> String {
    format!(
        "name = \"plain\"\nboard = \"qemu-virt64\"\n[program.flight]\nsource = \"flight.gmod\"\n{extra}\n[process.p]\ncrate = \"p\"\n"
    )
}

fn refuse_module(bytes: &[u8]) -> Refusal {
    let refused = project(&plain_system(""), bytes)
        .and_then(|p| Model::resolve(&p, &BTreeMap::from([("p".into(), Functions::default())])));
    refused.unwrap_err()
}

#[test]
fn modules_that_cannot_be_loaded() {
    let mut damaged = writer().finish();
    *damaged.last_mut().unwrap() ^= 1;
    let mut endless = writer();
    endless.instructions = vec![Instruction::new(Opcode::Jump, 0, 0, 0)];
    let mut mail = writer();
    let name = mail.text("orders");
    mail.mailboxes.push(NameSymbol { name });
    let mut waits = writer();
    let name = waits.text("pulse");
    waits.interrupts.push(NameSymbol { name });
    waits
        .predicates
        .push(Predicate::of(PredicateKind::Interrupt, 0));
    let mut unsized_port = writer();
    let (name, type_name) = (unsized_port.text("shape"), unsized_port.text("Shape"));
    let port = PortSymbol {
        name,
        type_name,
        kind: PortKind::Output as u8,
        value_type: 0,
        size: 0,
        reserved: 0,
    };
    unsized_port.ports.push(port);
    let mut copies = writer();
    let names = [copies.text("a"), copies.text("b")];
    let size = |size| PortSymbol {
        name: names[0],
        type_name,
        kind: PortKind::Output as u8,
        value_type: 0,
        size,
        reserved: 0,
    };
    let type_name = copies.text("Shape");
    copies
        .ports
        .extend([size(8), size(16)].map(|p| PortSymbol { type_name, ..p }));
    let (reads, writes) = (copies.list(&[0]), copies.list(&[1]));
    let kind = DriverKind::Copy as u32;
    let function = copies.text("");
    copies.drivers.push(DriverSymbol {
        name: names[1],
        function,
        reads,
        writes,
        wcet: 0,
        kind,
        reserved: 0,
    });
    let refused = [
        ("damaged", damaged),
        ("not a module", b"task control".to_vec()),
        ("runs for ever in no time", endless.finish()),
        ("waits for messages", mail.finish()),
        ("waits for an unbound interrupt", waits.finish()),
        ("has a port of unknown size", unsized_port.finish()),
        ("copies between sizes", copies.finish()),
    ];
    let text =
        refused.map(|(what, bytes)| format!("### {what}\n{}\n", render(&refuse_module(&bytes))));
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn an_interrupt_of_a_program_is_bound_to_a_line() {
    let mut waits = writer();
    let name = waits.text("pulse");
    waits.interrupts.push(NameSymbol { name });
    waits
        .predicates
        .push(Predicate::of(PredicateKind::Interrupt, 0));
    let project = project(
        &plain_system("interrupts = { pulse = \"rtc\" }"),
        &waits.finish(),
    )
    .unwrap();
    let model = Model::outline(&project).unwrap();
    assert_eq!(model.programs[0].interrupts, [11]);
    assert_eq!(
        (model.interrupts[0].number, model.interrupts[0].process),
        (11, None)
    );
}

#[test]
fn boards() {
    let changes = [
        ("timer-hertz = 10_000_000\n", ""),
        ("protection = \"sv39\"", "protection = \"sv32\""),
        ("[memory]\nbase", "[memory]\nbsae"),
        ("size = 0x0800_0000", "size = 0x8000_0000"),
        ("[kernel]", "[kernle]"),
        ("size = 0x0004_0000", "size = 0x0004_0800"),
        ("irq = 10", "irq = \"ten\""),
        ("base = 0x1000_8000", "base = 0x1000_0080"),
        ("base = 0x0010_1000", "base = 0x8001_0000"),
        (
            "base = 0x8000_0000\nsize = 0x0004_0000",
            "base = 0x7FFF_0000\nsize = 0x0004_0000",
        ),
        ("console = \"uart0\"\n", ""),
        ("console = \"uart0\"", "console = \"uart1\""),
        ("harts = 1\n", ""),
        ("harts = 1", "harts = 9"),
        ("[devices.clint]", "[devices.klint]"),
    ];
    let refused = |board: &str, from: &str, to: &str| {
        let board = changed(board, from, to);
        Board::parse(Path::new("boards/test.toml"), &board).unwrap_err()
    };
    let several = changed(sample::BOARD, "harts = 1", "harts = 2");
    let of_one = [
        ("\"atomics\", ", ""),
        ("\"atomics\", ", "\"atomics\", \"rtm\", "),
    ];
    let text = messages(&changes, |from, to| refused(sample::BOARD, from, to))
        + &messages(&of_one, |from, to| refused(&several, from, to));
    insta::assert_snapshot!(text);
}

#[test]
fn a_board_of_ones_own_is_a_file_beside_the_system() {
    let folder = std::env::temp_dir().join(format!("giornata-own-board-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("boards")).unwrap();
    let system = changed(SYSTEM, "\"qemu-virt64\"", "\"boards/mine.toml\"");
    let file = SystemFile::parse(&folder.join("system.toml"), &system).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = || Board::of(&file, &root, None);
    let missing = render(&read().unwrap_err());
    assert!(
        missing.contains("boards/mine.toml cannot be read"),
        "{missing}"
    );
    let path = folder.join("boards/mine.toml");
    std::fs::write(&path, changed(sample::BOARD, "qemu-virt64", "mine")).unwrap();
    let board = read().unwrap();
    assert_eq!(board.name, "mine");
    // what the kernel's build script puts `.toml` behind
    assert_eq!(Path::new(&board.selector), folder.join("boards/mine"));
    assert_eq!(
        Board::of(&file, &root, Some("rtl-pmp")).unwrap().selector,
        "rtl-pmp"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn of_a_file_of_a_newer_format_only_that_is_told() {
    let newer = format!("format = 2\nunheard-of = 1\n{SYSTEM}");
    let refuse = |text: &str| SystemFile::parse(Path::new("sample/system.toml"), text).unwrap_err();
    insta::assert_snapshot!(render(&refuse(&newer)));
    assert_eq!(refuse(&newer).problems().len(), 1);
    assert!(SystemFile::parse(Path::new("s"), &format!("format = 1\n{SYSTEM}")).is_ok());
    let wrong = refuse(&format!("format = \"new\"\n{SYSTEM}"));
    assert_eq!(wrong.problems().len(), 1);
}

#[test]
fn a_board_that_does_not_exist_names_those_that_do() {
    let file = SystemFile::parse(
        Path::new("sample/system.toml"),
        &changed(SYSTEM, "virt64", "virt46"),
    )
    .unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    insta::assert_snapshot!(render(&Board::of(&file, &root, None).unwrap_err()));
}
