//! From names to tables: the sample system, resolved and linked.

mod sample;

use giornata_abi::Record;
use giornata_abi::id::NONE;
use giornata_abi::module::{PortKind, crc32};
use giornata_abi::system::{
    BAND_DEADLINE, DriverWork, FaultPolicy, GRANT_SHUTDOWN, Policy, ProcessEntry, System,
    SystemHeader, ThreadEntry, ThreadKind,
};
use giornata_system::model::{Place, Work};
use giornata_system::names::{ThreadRole, name_map};
use giornata_system::place::USER_BASE;
use giornata_system::{Model, NameMap, Placement, Tables, link};
use sample::{SYSTEM, functions, module, project};

fn model(system: &str) -> Model {
    let project = project(system, &module(sample::PROGRAM)).unwrap();
    Model::resolve(&project, &functions()).unwrap()
}

fn linked() -> (Model, Tables) {
    let model = model(SYSTEM);
    let tables = link(&model, &Placement::for_host(&model)).unwrap();
    (model, tables)
}

fn thread(model: &Model, name: &str) -> u16 {
    model.threads.iter().position(|t| t.name == name).unwrap() as u16
}

/// The index of the driver whose function or copied port has this name.
fn driver(model: &Model, function: &str) -> usize {
    model
        .drivers
        .iter()
        .position(|d| d.function == function)
        .unwrap()
}

#[test]
fn threads_of_a_process_lie_together_tasks_first_upcall_last() {
    let (model, tables) = linked();
    let names: Vec<&str> = model.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(
        names,
        ["filter", "control", "upcall", "upcall", "watch", "beat"]
    );
    let kinds: Vec<u8> = tables.threads.iter().map(|t| t.kind).collect();
    let expected = [
        ThreadKind::Task,
        ThreadKind::Task,
        ThreadKind::Upcall,
        ThreadKind::Upcall,
        ThreadKind::Thread,
        ThreadKind::Thread,
    ];
    assert_eq!(kinds, expected.map(|k| k as u8));
    let ranges: Vec<(u16, u16, u16)> = tables
        .processes
        .iter()
        .map(|p| (p.threads.start, p.threads.count, p.upcall))
        .collect();
    assert_eq!(ranges, [(0, 3, 2), (3, 1, 3), (4, 2, NONE)]);
}

#[test]
fn limits_and_policies_of_the_file_reach_the_tables() {
    let (model, tables) = linked();
    let control = tables.threads[thread(&model, "control") as usize];
    assert_eq!(
        (control.budget, control.policy, control.program),
        (2_000_000, Policy::Deadline as u8, 0)
    );
    assert_eq!(model.threads[1].stack, 12 << 10);
    assert_eq!(model.threads[0].stack, 8 << 10);
    let beat = tables.threads[thread(&model, "beat") as usize];
    assert_eq!(
        (beat.policy, beat.quantum, beat.autostart),
        (Policy::RoundRobin as u8, 1_000_000, 0)
    );
    let watch = tables.threads[thread(&model, "watch") as usize];
    assert_eq!(
        (watch.policy, watch.priority, watch.autostart),
        (Policy::Fifo as u8, 5, 1)
    );
    let faults: Vec<u8> = tables.processes.iter().map(|p| p.on_fault).collect();
    assert_eq!(
        faults,
        [
            FaultPolicy::Restart as u8,
            FaultPolicy::Stop as u8,
            FaultPolicy::Halt as u8
        ]
    );
    assert_eq!(
        (tables.processes[2].grants, tables.processes[2].max_priority),
        (GRANT_SHUTDOWN, 20)
    );
    assert_eq!(tables.header.trace_process, 2);
    assert_eq!(tables.programs[0].slot, BAND_DEADLINE);
}

#[test]
fn a_driver_conflicts_with_the_tasks_whose_copies_it_touches() {
    let (model, tables) = linked();
    let (filter, control) = (thread(&model, "filter"), thread(&model, "control"));
    let mut of_tasks = 0;
    for (driver, entry) in model.drivers.iter().zip(&tables.drivers) {
        let touched = driver.reads.iter().chain(&driver.writes);
        let mut owners: Vec<u16> = touched
            .filter_map(|p| match model.ports[*p as usize].place {
                Place::Block(thread, _) => Some(thread),
                Place::Arena(_) => None,
            })
            .collect();
        owners.sort_unstable();
        owners.dedup();
        assert_eq!(
            entry.conflicts.of(&tables.links),
            owners,
            "driver {}",
            driver.name
        );
        assert!(owners.iter().all(|t| [filter, control].contains(t)));
        of_tasks += usize::from(!owners.is_empty());
    }
    assert!(of_tasks >= 4, "inputs and outputs of two tasks are copied");
    let sensor = &tables.drivers[driver(&model, "read_altitude")];
    assert_eq!(sensor.conflicts.count, 0);
}

#[test]
fn copies_of_a_task_lie_in_its_block_and_values_of_the_program_in_the_arena() {
    let (model, tables) = linked();
    for (port, entry) in model.ports.iter().zip(&tables.ports) {
        match port.place {
            Place::Arena(offset) => {
                assert_eq!((entry.process, entry.place), (NONE, offset));
                assert!(
                    offset % 8 == 0 && offset + u32::from(port.size) <= tables.header.arena_size
                );
            }
            Place::Block(thread, offset) => {
                let owner = &model.threads[thread as usize];
                assert_eq!(
                    (entry.process, entry.place),
                    (owner.process, USER_BASE + offset)
                );
                assert!(
                    offset >= owner.block
                        && offset + u32::from(port.size) <= owner.block + owner.block_size
                );
                assert!(
                    offset + u32::from(port.size) <= model.processes[owner.process as usize].area
                );
            }
        }
    }
    let filter = &model.threads[0];
    // f32 at 0, Pose of 12 bytes at 8, up to a multiple of 8
    assert_eq!(filter.block_size, 24);
    assert_eq!(tables.threads[0].arguments(), [USER_BASE + filter.block, 0]);
    let arena: Vec<u32> = tables
        .ports
        .iter()
        .filter(|p| p.process == NONE)
        .map(|p| p.place)
        .collect();
    assert!(
        arena.windows(2).all(|w| w[0] < w[1]),
        "no two ports share a place"
    );
}

#[test]
fn control_pages_and_blocks_of_a_process_do_not_overlap() {
    let (model, _) = linked();
    for process in 0..model.processes.len() as u16 {
        let threads = model
            .threads_of(process)
            .flat_map(|(_, t)| [(t.control, 48), (t.block, t.block_size)]);
        let drivers = model
            .upcalls_of(process)
            .map(|(_, d)| (d.block, d.block_size));
        let mut areas: Vec<(u32, u32)> = threads
            .chain(drivers)
            .filter(|(_, size)| *size > 0)
            .collect();
        areas.sort_unstable();
        assert!(areas.iter().all(|(start, _)| start % 8 == 0));
        let size = giornata_abi::control::ControlPage::SIZE as u32;
        let fits = |w: &[(u32, u32)]| w[0].0 + if w[0].1 == 48 { size } else { w[0].1 } <= w[1].0;
        assert!(areas.windows(2).all(fits), "{areas:?}");
    }
}

#[test]
fn sizes_of_opaque_types_come_from_the_functions() {
    let (model, _) = linked();
    let poses = model.ports.iter().filter(|p| p.type_name == "Pose");
    assert_eq!(poses.map(|p| p.size).collect::<Vec<_>>(), [12, 12, 12]);
}

#[test]
fn a_handler_of_the_file_becomes_a_block_that_calls_its_driver() {
    let (model, tables) = linked();
    let program = tables.programs[0];
    let [time_safety, time_share, overrun, fault] = program.handlers;
    assert_eq!([time_safety, time_share, fault], [NONE; 3]);
    let code = &tables.instructions[overrun as usize..][..2];
    assert_eq!(
        code.iter()
            .map(|i| i.opcode().unwrap().mnemonic())
            .collect::<Vec<_>>(),
        ["call", "return"]
    );
    let shed = program.drivers.of(&tables.links)[code[0].a as usize];
    assert_eq!(shed as usize, driver(&model, "shed"));
    let moves = tables.drivers[shed as usize].moves.of(&tables.moves);
    let port_at = |place: u32| model.ports.iter().find(|p| p.place == Place::Arena(place));
    let read: Vec<PortKind> = moves
        .iter()
        .filter_map(|step| Some(port_at(step.from)?.kind))
        .collect();
    assert_eq!(read, [PortKind::ViolationTask, PortKind::ViolationDriver]);
    assert_eq!(
        Some(program.violation_task),
        model.programs[0].violation_task
    );
    assert_ne!(program.violation_driver, NONE);
}

#[test]
fn rights_to_ports_are_what_is_granted() {
    let (model, tables) = linked();
    let logger = tables.processes[2];
    let pose = model.ports.iter().position(|p| p.name == "pose").unwrap() as u16;
    assert_eq!(logger.readable.of(&tables.links), [pose]);
    assert_eq!(logger.writable.count, 0);
    assert!(
        tables.processes[..2]
            .iter()
            .all(|p| p.readable.count == 0 && p.writable.count == 0)
    );
}

#[test]
fn interrupts_belong_to_the_process_that_is_granted_them() {
    let (_, tables) = linked();
    let lines: Vec<(u16, u16)> = tables
        .interrupts
        .iter()
        .map(|i| (i.number, i.process))
        .collect();
    assert_eq!(lines, [(11, 1)]);
}

#[test]
fn on_the_host_bodies_are_indices_into_the_functions() {
    let (model, tables) = linked();
    for (index, thread) in (0u16..).zip(&tables.threads) {
        let body = thread.arguments()[1] as usize;
        match model.threads[index as usize].role {
            ThreadRole::Upcall => assert_eq!(body, 0),
            _ => assert_eq!(Some(body), model.function_of(index)),
        }
    }
    let entry = &tables.drivers[driver(&model, "write_servo")];
    assert_eq!((entry.entry, entry.work), (1, DriverWork::Upcall as u8));
    assert_eq!(
        model.drivers[driver(&model, "write_servo")].work,
        Work::Upcall {
            process: 1,
            budget: 20_000
        }
    );
}

/// The tables as a reader of the blob finds them.
fn table<R: Record>(blob: &[u8], at: &mut usize, count: usize) -> Vec<R> {
    *at = at.next_multiple_of(8);
    let all = (0..count)
        .map(|i| R::decode(&blob[*at + i * R::SIZE..]).unwrap())
        .collect();
    *at += count * R::SIZE;
    all
}

#[test]
fn the_blob_holds_the_tables_in_order_each_aligned() {
    let (_, tables) = linked();
    let blob = tables.to_blob();
    let header = SystemHeader::decode(&blob).unwrap();
    assert_eq!(header, tables.header);
    assert_eq!(header.length as usize, blob.len());
    assert_eq!(header.crc, crc32(&blob[SystemHeader::SIZE..]));
    let mut at = SystemHeader::SIZE;
    let processes: Vec<ProcessEntry> = table(&blob, &mut at, header.processes as usize);
    let threads: Vec<ThreadEntry> = table(&blob, &mut at, header.threads as usize);
    let ports = table(&blob, &mut at, header.ports as usize);
    let drivers = table(&blob, &mut at, header.drivers as usize);
    let programs = table(&blob, &mut at, header.programs as usize);
    let interrupts = table(&blob, &mut at, header.interrupts as usize);
    let instructions = table(&blob, &mut at, header.instructions as usize);
    let predicates = table(&blob, &mut at, header.predicates as usize);
    let durations = table(&blob, &mut at, header.durations as usize);
    at = at.next_multiple_of(8);
    let links = blob[at..at + 2 * header.links as usize]
        .chunks_exact(2)
        .map(|b| u16::from_le_bytes([b[0], b[1]]))
        .collect();
    at += 2 * header.links as usize;
    let moves = table(&blob, &mut at, header.moves as usize);
    let read = Tables {
        spaces: Vec::new(),
        header,
        processes,
        threads,
        ports,
        drivers,
        programs,
        interrupts,
        instructions,
        predicates,
        durations,
        links,
        moves,
        objects: Vec::new(),
        regions: Vec::new(),
    };
    assert_eq!(read, tables);
    let System { threads, links, .. } = tables.as_system();
    assert_eq!(
        (threads.len(), links.len()),
        (tables.threads.len(), tables.links.len())
    );
}

#[test]
fn equal_inputs_give_equal_tables_and_names() {
    let (model, tables) = linked();
    let (again, tables_again) = linked();
    assert_eq!(tables.to_blob(), tables_again.to_blob());
    assert_eq!(
        name_map(&model, &[]).to_json(),
        name_map(&again, &[]).to_json()
    );
}

#[test]
fn rate_monotonic_gives_the_shorter_deadline_the_higher_priority() {
    let system = SYSTEM.replace("schedule = \"edf\"", "schedule = \"rm\"\nslot = 120");
    let model = model(&system);
    let priorities: Vec<(u8, Policy)> = model.threads[..2]
        .iter()
        .map(|t| (t.priority, t.policy))
        .collect();
    assert_eq!(priorities, [(120, Policy::Fifo), (119, Policy::Fifo)]);
    let tables = link(&model, &Placement::for_host(&model)).unwrap();
    assert_eq!(tables.programs[0].slot, 120);
}

#[test]
fn rate_monotonic_leaves_the_deadline_band_out() {
    let system = SYSTEM.replace("schedule = \"edf\"", "schedule = \"rm\"\nslot = 201");
    let priorities: Vec<u8> = model(&system).threads[..2]
        .iter()
        .map(|t| t.priority)
        .collect();
    assert_eq!(priorities, [201, 199]);
}

#[test]
fn fifo_gives_all_tasks_one_priority_below_the_deadline_band() {
    let system = SYSTEM.replace("schedule = \"edf\"", "schedule = \"fifo\"");
    let model = model(&system);
    assert!(
        model.threads[..2]
            .iter()
            .all(|t| t.priority == 199 && t.policy == Policy::Fifo)
    );
}

#[test]
fn a_name_map_names_every_index_and_reads_back() {
    let (model, tables) = linked();
    let map = name_map(&model, &[]);
    assert_eq!(map.threads.len(), tables.threads.len());
    assert_eq!(map.ports.len(), tables.ports.len());
    assert_eq!(map.drivers.len(), tables.drivers.len());
    let pose = map.ports.iter().position(|p| p.name == "pose").unwrap() as u16;
    assert_eq!(map.port(pose).as_deref(), Some("pose"));
    assert_eq!(map.programs[0].handled, [false, false, true, false]);
    assert_eq!(map.threads[0].deadline, 10_000_000);
    assert_eq!(NameMap::from_json(&map.to_json()).unwrap(), map);
    let other = map.to_json().replace("\"format\": 1", "\"format\": 2");
    assert!(NameMap::from_json(&other).unwrap_err().contains("format 2"));
}

#[test]
fn indices_of_the_outline_are_final() {
    let project = project(SYSTEM, &module(sample::PROGRAM)).unwrap();
    let (outline, model) = (
        Model::outline(&project).unwrap(),
        Model::resolve(&project, &functions()).unwrap(),
    );
    assert_eq!(
        giornata_system::identifiers::rust(&outline).unwrap(),
        giornata_system::identifiers::rust(&model).unwrap()
    );
}

#[test]
fn identifiers_of_devices_say_where_their_process_has_them_and_their_line() {
    let project = project(SYSTEM, &module(sample::PROGRAM)).unwrap();
    let model = Model::outline(&project).unwrap();
    let rust = giornata_system::identifiers::rust(&model).unwrap();
    for line in [
        "/// Device `rtc` of process `io`, where it has it.\n\
         pub const DEVICE_IO_RTC: ::giornata_rt::device::Device = \
         ::giornata_rt::device::Device::new(0x40000000);\n",
        "/// Interrupt of `rtc`.\npub const INTERRUPT_RTC: u16 = 11;\n",
        "pub const DEVICE_LOGGER_UART0: ::giornata_rt::device::Device = \
         ::giornata_rt::device::Device::new(0x40000000);\n",
    ] {
        assert!(rust.contains(line), "{rust}");
    }
    let c = giornata_system::identifiers::c(&model).unwrap();
    assert!(c.contains("#define DEVICE_IO_RTC 0x40000000u\n"), "{c}");
    assert!(c.contains("#define INTERRUPT_RTC 0xbu\n"), "{c}");
}

#[test]
fn of_several_names_the_one_that_the_board_has_is_granted() {
    let rust = |text: &str| {
        let project = project(text, &module(sample::PROGRAM)).unwrap();
        giornata_system::identifiers::rust(&Model::outline(&project).unwrap()).unwrap()
    };
    let several = SYSTEM
        .replace(
            "device = [\"rtc\"]",
            "device = [[\"generator\", \"rtc\", \"uart0\"]]",
        )
        .replace("irq = [\"rtc\"]", "irq = [[\"generator\", \"rtc\"]]");
    assert_ne!(several, SYSTEM);
    assert_eq!(rust(&several), rust(SYSTEM));
}
