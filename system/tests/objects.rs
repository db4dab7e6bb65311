//! Objects that threads synchronise by: from the system file to what the kernel is
//! told, the names and the identifiers.

#[expect(dead_code, reason = "the samples of programs are for other tests")]
mod sample;

use giornata_abi::process::FunctionKind;
use giornata_records::{Description, Object, ObjectKind, Rights};
use giornata_system::describe::describe;
use giornata_system::names::{ObjectName, name_map};
use giornata_system::{Functions, Model, NameMap, Placement, identifiers};
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

fn described() -> (Model, Description) {
    let project = project(SYSTEM, &[]).unwrap();
    let thread = |name| Functions::from(vec![function(FunctionKind::Thread, name, vec![])]);
    let functions = [("maker", "make"), ("taker", "take")];
    let functions = functions.map(|(process, name)| (process.to_string(), thread(name)));
    let model = Model::resolve(&project, &functions.into_iter().collect()).unwrap();
    let description = describe(&model, &Placement::for_host(&model)).unwrap();
    (model, description)
}

fn object<'a>(description: &'a Description, name: &str) -> &'a Object {
    let names = ["log", "bus", "slots", "any-number", "full"];
    &description.objects[names.iter().position(|n| *n == name).unwrap()]
}

#[test]
fn objects_are_numbered_by_kind_in_the_order_of_the_file() {
    let (model, described) = described();
    let names: Vec<&str> = model.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["log", "bus", "slots", "any-number", "full"]);
    let kinds: Vec<ObjectKind> = described.objects.iter().map(|o| o.kind).collect();
    let (mutex, semaphore) = (ObjectKind::Mutex, ObjectKind::Semaphore);
    let condition = ObjectKind::Condition;
    assert_eq!(kinds, [mutex, mutex, semaphore, semaphore, condition]);
}

#[test]
fn what_the_file_says_of_an_object_reaches_the_kernel() {
    let (_, described) = described();
    let bus = object(&described, "bus");
    assert_eq!((bus.at_boot, bus.ceiling), (false, Some(120)));
    let log = object(&described, "log");
    assert_eq!((log.at_boot, log.ceiling), (true, None));
    let slots = object(&described, "slots");
    assert_eq!((slots.initial, slots.most), (4, 8));
    let any = object(&described, "any-number");
    assert_eq!((any.initial, any.most), (0, 0x7FFF_FFFF));
    assert!(object(&described, "full").at_boot);
}

#[test]
fn each_process_has_the_rights_that_it_is_granted() {
    let (_, described) = described();
    let rights = |name| object(&described, name).rights.clone();
    let none = Rights::default();
    let used = Rights { used: true, ..none };
    let managed = Rights {
        managed: true,
        ..used
    };
    assert_eq!(rights("log"), [used, none]);
    assert_eq!(rights("bus"), [managed, used]);
    assert_eq!(rights("slots"), [used, used]);
    assert_eq!(rights("any-number"), [none, used]);
    assert_eq!(rights("full"), rights("bus"));
}

#[test]
fn the_name_map_names_objects_and_who_has_a_right_to_them() {
    let (model, _) = described();
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
    let (model, _) = described();
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
