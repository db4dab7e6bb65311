//! What processes take from and do to each other by services: from the system
//! file to the tables, the names and the identifiers.

#[expect(dead_code, reason = "the samples of programs are for other tests")]
mod sample;

use giornata_abi::id::NONE;
use giornata_abi::process::FunctionKind;
use giornata_abi::system::{
    OBJECT_PRIVATE, ObjectEntry, ObjectKind, ProcessEntry, REGION_READ, REGION_WRITE, RIGHT_DIRECT,
    RIGHT_FULL, RIGHT_MANAGE, RIGHT_RECEIVE, RIGHT_USE, Range, RegionEntry, ThreadEntry,
    ThreadKind,
};
use giornata_system::names::name_map;
use giornata_system::{Functions, Model, NameMap, Placement, Tables, identifiers, link};
use sample::{function, project};

const HEAD: &str = "name = \"served\"\nboard = \"qemu-virt64\"\n[kernel]\nconfig = \"emeralds\"\n";

/// The tables of a system whose processes, of these names, have a thread `run` each.
fn linked(system: &str, processes: &[&str]) -> (Model, Tables) {
    let project = project(&format!("{HEAD}{system}"), &[]).unwrap();
    let run = Functions(vec![function(FunctionKind::Thread, "run", vec![])]);
    let functions = processes.iter().map(|name| (name.to_string(), run.clone()));
    let model = Model::resolve(&project, &functions.collect()).unwrap();
    let tables = link(&model, &Placement::for_host(&model)).unwrap();
    (model, tables)
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
    let (_, tables) = linked(MAIL, &MAIL_PROCESSES);
    let mailbox = ObjectKind::Mailbox as u8;
    let kinds: Vec<u8> = tables.objects.iter().map(|o| o.kind).collect();
    assert_eq!(kinds, [ObjectKind::Mutex as u8, mailbox, mailbox, mailbox]);
    let servers: Vec<u16> = tables.objects.iter().map(|o| o.server).collect();
    assert_eq!(servers, [NONE, 2, NONE, NONE]);
    let rights = |object: usize| {
        let start = usize::from(tables.objects[object].rights);
        [0, 1, 2, 3].map(|process| tables.links[start + process])
    };
    assert_eq!(rights(1), [RIGHT_USE, RIGHT_DIRECT, RIGHT_RECEIVE, 0]);
    assert_eq!(rights(2), [0, RIGHT_USE | RIGHT_FULL, 0, 0]);
    assert_eq!(rights(3), [RIGHT_RECEIVE, RIGHT_MANAGE, 0, RIGHT_USE]);
}

#[test]
fn each_process_that_sends_has_messages_of_its_own() {
    let (model, tables) = linked(MAIL, &MAIL_PROCESSES);
    let pool = |entry: &ProcessEntry| {
        let Range { start, count } = entry.messages;
        (start, count, entry.message_size, entry.message_place)
    };
    let pools: Vec<_> = tables.processes.iter().map(pool).collect();
    let after = 3 * 256;
    assert_eq!(
        pools,
        [
            (0, 3, 256, 0),
            (3, 8, 0, 0),
            (11, 0, 0, 0),
            (11, 8, 64, after)
        ]
    );
    assert_eq!(tables.header.messages, 19);
    assert_eq!(tables.header.arena_size, after + 8 * 64);
    assert_eq!(model.arena_size, after + 8 * 64);
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
    let (model, tables) = linked(SPARE, &["pool", "after"]);
    let names: Vec<&str> = model.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["run", "spare0", "spare1", "run", "spare0"]);
    let spare = |t: &ThreadEntry| (t.process, t.spare, t.autostart, t.priority, t.stack_size);
    let spare: Vec<_> = tables.threads.iter().map(spare).collect();
    let page = 4096;
    assert_eq!(
        spare,
        [
            (0, 0, 1, 9, page),
            (0, 1, 0, 0, 3 * page),
            (0, 1, 0, 0, 3 * page),
            (1, 0, 1, 50, page),
            (1, 1, 0, 0, page),
        ]
    );
    let own = &tables.threads[1..3];
    assert!(own.iter().all(|t| t.arguments() == [t.control, 0]));
    assert_ne!(own[0].control, own[1].control);
    assert_eq!(own[0].kind, ThreadKind::Thread as u8);
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
    let (model, tables) = linked(PRIVATE, &["one", "two"]);
    let of = |o: &ObjectEntry| (o.flags & OBJECT_PRIVATE != 0, o.initial, o.most);
    let objects: Vec<_> = tables.objects.iter().map(of).collect();
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
    let (model, tables) = linked(SUPERVISED, &["io", "guard", "middle", "leaf"]);
    let of = |p: &ProcessEntry| (p.supervisor, p.by_call);
    let processes: Vec<_> = tables.processes.iter().map(of).collect();
    assert_eq!(processes, [(1, 1), (NONE, 0), (1, 0), (2, 0)]);
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
    let (model, _) = linked(MAIL, &MAIL_PROCESSES);
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
    let (model, tables) = linked(SHARED, &["camera", "log", "view"]);
    let of = |region: &RegionEntry| {
        let first = usize::from(region.grants);
        (
            region.address,
            region.size,
            tables.links[first..first + 3].to_vec(),
        )
    };
    let both = REGION_READ | REGION_WRITE;
    let expected = [
        (0x6000_0000, 8192, vec![REGION_READ, both, 0]),
        (0x6100_0000, 65536, vec![both, 0, REGION_READ]),
    ];
    assert_eq!(tables.regions.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(tables.header.regions, 2);
    let rust = identifiers::rust(&model).unwrap();
    let picture = "/// Shared region picture, 65536 bytes, written by `camera`, read by `view`.\n\
                   pub const REGION_PICTURE: ::giornata_rt::region::Region = \
                   ::giornata_rt::region::Region::new(1);\n";
    assert!(rust.contains(picture), "{rust}");
}
