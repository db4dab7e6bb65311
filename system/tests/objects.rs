//! Objects that threads synchronise by: from the system file to the tables, the
//! names and the identifiers.

#[expect(dead_code, reason = "the samples of programs are for other tests")]
mod sample;

use giornata_abi::process::FunctionKind;
use giornata_abi::system::{
    OBJECT_AT_BOOT, OBJECT_CEILING, ObjectEntry, ObjectKind, RIGHT_MANAGE, RIGHT_USE,
};
use giornata_system::names::{ObjectName, name_map};
use giornata_system::{Functions, Model, NameMap, Placement, Tables, identifiers, link};
use sample::{function, project};

const SYSTEM: &str = r#"name = "shared"
board = "qemu-virt64"

[kernel]
config = "emeralds"

[condition.full]

[semaphore.slots]
initial = 4
most = 8

[mutex.log]

[mutex.bus]
protocol = "ceiling"
ceiling = 120
at-boot = false

[semaphore.any-number]

[process.maker]
crate = "maker"
threads = { make = {} }
grants = { mutex = ["bus", "log"], semaphore = ["slots"], condition = ["full"], manage = ["bus", "full"] }

[process.taker]
crate = "taker"
threads = { take = {} }
grants = { mutex = ["bus"], semaphore = ["slots", "any-number"], condition = ["full"] }
"#;

fn linked() -> (Model, Tables) {
    let project = project(SYSTEM, &[]).unwrap();
    let thread = |name| Functions(vec![function(FunctionKind::Thread, name, vec![])]);
    let functions = [("maker", "make"), ("taker", "take")];
    let functions = functions.map(|(process, name)| (process.to_string(), thread(name)));
    let model = Model::resolve(&project, &functions.into_iter().collect()).unwrap();
    let tables = link(&model, &Placement::for_host(&model)).unwrap();
    (model, tables)
}

fn entry(tables: &Tables, name: &str) -> ObjectEntry {
    let names = ["log", "bus", "slots", "any-number", "full"];
    tables.objects[names.iter().position(|n| *n == name).unwrap()]
}

#[test]
fn objects_are_numbered_by_kind_in_the_order_of_the_file() {
    let (model, tables) = linked();
    let names: Vec<&str> = model.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["log", "bus", "slots", "any-number", "full"]);
    let kinds: Vec<u8> = tables.objects.iter().map(|o| o.kind).collect();
    let (mutex, semaphore) = (ObjectKind::Mutex as u8, ObjectKind::Semaphore as u8);
    let condition = ObjectKind::Condition as u8;
    assert_eq!(kinds, [mutex, mutex, semaphore, semaphore, condition]);
    assert_eq!(tables.header.objects, 5);
}

#[test]
fn what_the_file_says_of_an_object_reaches_its_entry() {
    let (_, tables) = linked();
    let bus = entry(&tables, "bus");
    assert_eq!((bus.flags, bus.ceiling), (OBJECT_CEILING, 120));
    let log = entry(&tables, "log");
    assert_eq!((log.flags, log.ceiling), (OBJECT_AT_BOOT, 0));
    let slots = entry(&tables, "slots");
    assert_eq!((slots.initial, slots.most), (4, 8));
    let any = entry(&tables, "any-number");
    assert_eq!((any.initial, any.most), (0, 0x7FFF_FFFF));
    assert_eq!(entry(&tables, "full").flags, OBJECT_AT_BOOT);
}

#[test]
fn rights_are_one_link_for_each_process() {
    let (_, tables) = linked();
    let rights = |name| {
        let start = usize::from(entry(&tables, name).rights);
        [tables.links[start], tables.links[start + 1]]
    };
    assert_eq!(rights("log"), [RIGHT_USE, 0]);
    assert_eq!(rights("bus"), [RIGHT_USE | RIGHT_MANAGE, RIGHT_USE]);
    assert_eq!(rights("slots"), [RIGHT_USE, RIGHT_USE]);
    assert_eq!(rights("any-number"), [0, RIGHT_USE]);
    assert_eq!(rights("full"), rights("bus"));
}

#[test]
fn the_name_map_names_objects_and_who_has_a_right_to_them() {
    let (model, _) = linked();
    let map = name_map(&model, &[]);
    let bus = ObjectName {
        name: "bus".into(),
        kind: "mutex".into(),
        ceiling: Some(120),
        users: vec![0, 1],
        receivers: vec![],
        server: None,
        managers: vec![0],
    };
    assert_eq!(map.objects[1], bus);
    assert_eq!(NameMap::from_json(&map.to_json()).unwrap(), map);
}

#[test]
fn identifiers_of_objects_are_handles_of_their_kind() {
    let (model, _) = linked();
    let rust = identifiers::rust(&model).unwrap();
    for line in [
        "/// Mutex `bus`, used by `maker`, `taker`, created and deleted by `maker`.\n\
         pub const MUTEX_BUS: ::giornata_rt::sync::Mutex = ::giornata_rt::sync::Mutex::new(1);\n",
        "pub const SEMAPHORE_ANY_NUMBER: ::giornata_rt::sync::Semaphore = \
         ::giornata_rt::sync::Semaphore::new(3);\n",
        "pub const CONDITION_FULL: ::giornata_rt::sync::Condition = \
         ::giornata_rt::sync::Condition::new(4);\n",
    ] {
        assert!(rust.contains(line), "{rust}");
    }
    let c = identifiers::c(&model).unwrap();
    assert!(c.contains("#define MUTEX_BUS 0x1u\n"), "{c}");
}
