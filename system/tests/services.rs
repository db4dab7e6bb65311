//! What processes take from and do to each other by services: from the system
//! file to what the kernel is told, the names and the identifiers.

#[expect(dead_code, reason = "the samples of programs are for other tests")]
mod sample;

use giornata_abi::process::FunctionKind;
use giornata_abi::system::{REGION_READ, REGION_WRITE};
use giornata_core::sched::thread::role;
use giornata_records::{Description, ObjectKind, Rights};
use giornata_system::describe::describe;
use giornata_system::names::name_map;
use giornata_system::{Functions, Model, NameMap, Placement, identifiers};
use sample::{function, project};

const HEAD: &str = "name = \"served\"\nboard = \"qemu-virt64\"\n[kernel]\nconfig = \"emeralds\"\n";

/// A system whose processes, of these names, have a thread `run` each.
fn described(system: &str, processes: &[&str]) -> (Model, Description) {
    let project = project(&format!("{HEAD}{system}"), &[]).unwrap();
    let run = Functions::from(vec![function(FunctionKind::Thread, "run", vec![])]);
    let functions = processes.iter().map(|name| (name.to_string(), run.clone()));
    let model = Model::resolve(&project, &functions.collect()).unwrap();
    let description = describe(&model, &Placement::for_host(&model)).unwrap();
    (model, description)
}

const MAIL: &str = r#"
[mailbox.telemetry]
server = "stack"

[mutex.log]

[mailbox.stack]

[mailbox.later]
at-boot = false

[process.io]
crate = "io"
threads = { run = {} }
messages = 3
message-size = "250"
grants = { mutex = ["log"], mailbox = { telemetry = "send", later = "receive" } }

[process.net]
crate = "net"
threads = { run = {} }
grants = { mailbox = { stack = ["send", "full"], telemetry = "direct" }, manage = ["later"] }

[process.ground]
crate = "ground"
threads = { run = {} }
grants = { mailbox = { telemetry = "receive" } }

[process.other]
crate = "other"
threads = { run = {} }
message-size = 64
grants = { mailbox = { later = "send" } }
"#;

const MAIL_PROCESSES: [&str; 4] = ["io", "net", "ground", "other"];

#[test]
fn mailboxes_follow_the_other_objects_and_know_their_servers() {
    let (_, described) = described(MAIL, &MAIL_PROCESSES);
    let mailbox = ObjectKind::Mailbox;
    let kinds: Vec<ObjectKind> = described.objects.iter().map(|o| o.kind).collect();
    assert_eq!(kinds, [ObjectKind::Mutex, mailbox, mailbox, mailbox]);
    let servers: Vec<Option<usize>> = described.objects.iter().map(|o| o.server).collect();
    assert_eq!(servers, [None, Some(2), None, None]);
    let letters = |rights: &Rights| {
        let Rights {
            used,
            managed,
            received,
            direct,
            full,
        } = *rights;
        let all = [used, managed, received, direct, full];
        let held = all.iter().zip("umrdf".chars()).filter(|(held, _)| **held);
        held.map(|(_, letter)| letter).collect::<String>()
    };
    let rights = |object: usize| {
        let rights = described.objects[object].rights.iter();
        rights.map(letters).collect::<Vec<_>>()
    };
    assert_eq!(rights(1), ["u", "d", "r", ""]);
    assert_eq!(rights(2), ["", "uf", "", ""]);
    assert_eq!(rights(3), ["r", "m", "", "u"]);
}

#[test]
fn each_process_that_sends_has_messages_of_its_own() {
    let (_, described) = described(MAIL, &MAIL_PROCESSES);
    let pools: Vec<_> = described.processes.iter().map(|p| p.messages).collect();
    assert_eq!(pools, [(3, 256), (8, 0), (0, 0), (8, 64)]);
}

const SPARE: &str = r#"
[process.pool]
crate = "pool"
threads = { run = { priority = 9 } }
spare-threads = { count = 2, stack = "10K" }

[process.after]
crate = "after"
threads = { run = {} }
spare-threads = { count = 1 }
"#;

#[test]
fn spare_threads_are_places_without_a_body() {
    let (model, described) = described(SPARE, &["pool", "after"]);
    let names: Vec<&str> = model.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["run", "spare0", "spare1", "run", "spare0"]);
    let threads = described.threads.iter();
    let places: Vec<_> = threads
        .map(|t| (t.process, t.role, t.priority, t.stack.1))
        .collect();
    let page = 4096;
    assert_eq!(
        places,
        [
            (0, role::AUTOSTART, 9, page),
            (0, role::SPARE, 0, 3 * page),
            (0, role::SPARE, 0, 3 * page),
            (1, role::AUTOSTART, 50, page),
            (1, role::SPARE, 0, page),
        ]
    );
    let own = &described.threads[1..3];
    assert!(own.iter().all(|t| t.arguments == [t.control, 0]));
    assert_ne!(own[0].control, own[1].control);
    let rust = identifiers::rust(&model).unwrap();
    assert!(
        rust.contains("THREAD_AFTER_RUN") && !rust.contains("SPARE"),
        "{rust}"
    );
}

const PRIVATE: &str = r#"
[mutex.shared]

[mutex.own]
private = true

[semaphore.slots]
private = true
most = 5

[process.one]
crate = "one"
threads = { run = {} }
grants = { mutex = ["shared", "own"], semaphore = ["slots"] }

[process.two]
crate = "two"
threads = { run = {} }
grants = { mutex = ["shared"] }
"#;

#[test]
fn what_is_private_has_its_word_in_its_process() {
    let (model, described) = described(PRIVATE, &["one", "two"]);
    let objects = described.objects.iter();
    let objects: Vec<_> = objects.map(|o| (o.private, o.initial, o.most)).collect();
    assert_eq!(objects, [(false, 0, 0), (true, 0, 0), (true, 0, 5)]);
    let rust = identifiers::rust(&model).unwrap();
    for line in [
        "/// Private mutex `own`, used by `one`.\n\
         pub static MUTEX_OWN: ::giornata_rt::sync::PrivateMutex = \
         ::giornata_rt::sync::PrivateMutex::new(1);\n",
        "/// Slot of the private semaphore `slots`, used by `one`: for a `static` of \
         `giornata_rt::sync::PrivateSemaphore`.\n\
         pub const SEMAPHORE_SLOTS: u16 = 2;\n",
    ] {
        assert!(rust.contains(line), "{rust}");
    }
}

const SUPERVISED: &str = r#"
[process.io]
crate = "io"
threads = { run = {} }
start = "call"

[process.guard]
crate = "guard"
threads = { run = {} }
grants = { supervise = ["io", "middle"] }

[process.middle]
crate = "middle"
threads = { run = {} }
start = "boot"
grants = { supervise = ["leaf"] }

[process.leaf]
crate = "leaf"
threads = { run = {} }
"#;

#[test]
fn processes_know_their_supervisors() {
    let (model, described) = described(SUPERVISED, &["io", "guard", "middle", "leaf"]);
    let processes = described.processes.iter();
    let processes: Vec<_> = processes.map(|p| (p.supervisor, p.by_call)).collect();
    assert_eq!(
        processes,
        [
            (Some(1), true),
            (None, false),
            (Some(1), false),
            (Some(2), false)
        ]
    );
    let rust = identifiers::rust(&model).unwrap();
    let io = "/// Process `io`, supervised by `guard`.\n\
              pub const PROCESS_IO: ::giornata_rt::supervisor::Process = \
              ::giornata_rt::supervisor::Process::new(0);\n";
    assert!(
        rust.contains(io) && !rust.contains("PROCESS_GUARD"),
        "{rust}"
    );
}

#[test]
fn mailboxes_have_names_and_handles() {
    let (model, _) = described(MAIL, &MAIL_PROCESSES);
    let map = name_map(&model, &[]);
    let telemetry = &map.objects[1];
    assert_eq!(
        (telemetry.kind.as_str(), telemetry.server),
        ("mailbox", Some(2))
    );
    assert_eq!(
        (&telemetry.users[..], &telemetry.receivers[..]),
        (&[0, 1][..], &[2][..])
    );
    assert_eq!(NameMap::from_json(&map.to_json()).unwrap(), map);
    let rust = identifiers::rust(&model).unwrap();
    for line in [
        "/// Mailbox `telemetry`, sent to by `io`, `net`, received from by `ground`.\n\
         pub const MAILBOX_TELEMETRY: ::giornata_rt::mailbox::Mailbox = \
         ::giornata_rt::mailbox::Mailbox::new(1);\n",
        "/// Mutex `log`, used by `io`.\n",
    ] {
        assert!(rust.contains(line), "{rust}");
    }
}

const SHARED: &str = r#"
[region.ring]
size = "5K"

[region.picture]
size = 65536

[process.camera]
crate = "camera"
threads = { run = {} }
grants = { region = { picture = "write", ring = "read" } }

[process.log]
crate = "log"
threads = { run = {} }
grants = { region = { ring = "write" } }

[process.view]
crate = "view"
threads = { run = {} }
grants = { region = { picture = "read" } }
"#;

#[test]
fn regions_are_powers_of_two_with_the_rights_of_each_process() {
    let (model, described) = described(SHARED, &["camera", "log", "view"]);
    let [read, both] = [REGION_READ, REGION_READ | REGION_WRITE].map(u32::from);
    let regions = described.regions.iter();
    let regions: Vec<_> = regions
        .map(|region| (region.address, region.size, region.grants.clone()))
        .collect();
    let expected = [
        (0x6000_0000, 8192, vec![read, both, 0]),
        (0x6100_0000, 65536, vec![both, 0, read]),
    ];
    assert_eq!(regions, expected);
    let rust = identifiers::rust(&model).unwrap();
    let picture = "/// Shared region picture, 65536 bytes, written by `camera`, read by `view`.\n\
                   pub const REGION_PICTURE: ::giornata_rt::region::Region = \
                   ::giornata_rt::region::Region::new(1);\n";
    assert!(rust.contains(picture), "{rust}");
}
