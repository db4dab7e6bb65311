//! From names to numbers: the sample system, resolved and described.

mod sample;

use giornata_abi::Record;
use giornata_abi::control::ControlPage;
use giornata_abi::module::PortKind;
use giornata_abi::system::{FaultPolicy, Policy};
use giornata_core::micro::block;
use giornata_core::process::grant;
use giornata_core::sched::thread::role;
use giornata_records::Description;
use giornata_records::program::{Op, To};
use giornata_system::describe::describe;
use giornata_system::model::{Place, Work};
use giornata_system::names::{ThreadRole, name_map};
use giornata_system::place::USER_BASE;
use giornata_system::{Model, NameMap, Placement};
use sample::{SYSTEM, functions, module, project};

fn model(system: &str) -> Model {
    let project = project(system, &module(sample::PROGRAM)).unwrap();
    Model::resolve(&project, &functions()).unwrap()
}

fn described() -> (Model, Description) {
    let model = model(SYSTEM);
    let description = describe(&model, &Placement::for_host(&model)).unwrap();
    (model, description)
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
    let (model, described) = described();
    let names: Vec<&str> = model.threads.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(
        names,
        ["filter", "control", "upcall", "upcall", "watch", "beat"]
    );
    let roles = described
        .threads
        .iter()
        .map(|t| t.role & (role::TASK | role::UPCALL));
    let expected = [role::TASK, role::TASK, role::UPCALL, role::UPCALL, 0, 0];
    assert_eq!(roles.collect::<Vec<_>>(), expected);
    let processes: Vec<usize> = described.threads.iter().map(|t| t.process).collect();
    assert_eq!(processes, [0, 0, 0, 1, 2, 2]);
}

#[test]
fn limits_and_policies_of_the_file_reach_the_kernel() {
    let (model, described) = described();
    // the timer of the board counts in steps of 100 ns
    let control = &described.threads[thread(&model, "control") as usize];
    assert_eq!((control.allowance, control.priority), (20_000, 200));
    assert_eq!(model.threads[1].stack, 12 << 10);
    assert_eq!(model.threads[0].stack, 8 << 10);
    let beat = &described.threads[thread(&model, "beat") as usize];
    assert_eq!((beat.role, beat.allowance), (role::ROUND_ROBIN, 10_000));
    let watch = &described.threads[thread(&model, "watch") as usize];
    assert_eq!((watch.role, watch.priority), (role::AUTOSTART, 5));
    let faults = described.processes.iter().map(|p| p.on_fault.unwrap());
    assert_eq!(
        faults.collect::<Vec<_>>(),
        [FaultPolicy::Restart, FaultPolicy::Stop, FaultPolicy::Halt]
    );
    let logger = &described.processes[2];
    assert_eq!(
        (logger.grants, logger.max_priority),
        (grant::SHUTDOWN | grant::TRACE, 20)
    );
    assert_eq!(described.programs.programs[0].priority, None);
}

#[test]
fn a_driver_conflicts_with_the_tasks_whose_copies_it_touches() {
    let (model, described) = described();
    let (filter, control) = (thread(&model, "filter"), thread(&model, "control"));
    let mut of_tasks = 0;
    for (driver, entry) in model.drivers.iter().zip(&described.programs.drivers) {
        let touched = driver.reads.iter().chain(&driver.writes);
        let mut owners: Vec<u16> = touched
            .filter_map(|p| match model.ports[*p as usize].place {
                Place::Block(thread, _) => Some(thread),
                Place::Arena(_) => None,
            })
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let touched: Vec<u16> = entry.touches.iter().map(|thread| *thread as u16).collect();
        assert_eq!(touched, owners, "driver {}", driver.name);
        assert!(owners.iter().all(|t| [filter, control].contains(t)));
        of_tasks += usize::from(!owners.is_empty());
    }
    assert!(of_tasks >= 4, "inputs and outputs of two tasks are copied");
    let sensor = &described.programs.drivers[driver(&model, "read_altitude")];
    assert!(sensor.touches.is_empty());
}

#[test]
fn copies_of_a_task_lie_in_its_block_and_values_of_the_program_with_the_kernel() {
    let (model, described) = described();
    for (port, entry) in model.ports.iter().zip(&described.programs.ports) {
        match port.place {
            Place::Arena(offset) => {
                assert_eq!(entry.place, u64::from(offset));
                assert!(offset % 8 == 0 && offset + u32::from(port.size) <= model.arena_size);
            }
            Place::Block(thread, offset) => {
                let owner = &model.threads[thread as usize];
                assert_eq!(entry.place, u64::from(USER_BASE + offset));
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
    let block = u64::from(USER_BASE + filter.block);
    assert_eq!(described.threads[0].arguments, [block, 0]);
    let places = model.ports.iter().filter_map(|port| match port.place {
        Place::Arena(offset) => Some(offset),
        Place::Block(..) => None,
    });
    let places: Vec<u32> = places.collect();
    assert!(
        places.windows(2).all(|w| w[0] < w[1]),
        "no two ports share a place"
    );
}

#[test]
fn control_pages_and_blocks_of_a_process_do_not_overlap() {
    let (model, _) = described();
    let page = ControlPage::SIZE as u32;
    for process in 0..model.processes.len() as u16 {
        let threads = model
            .threads_of(process)
            .flat_map(|(_, t)| [(t.control, page), (t.block, t.block_size)]);
        let drivers = model
            .upcalls_of(process)
            .map(|(_, d)| (d.block, d.block_size));
        let mut areas: Vec<(u32, u32)> = threads
            .chain(drivers)
            .filter(|(_, size)| *size > 0)
            .collect();
        areas.sort_unstable();
        assert!(areas.iter().all(|(start, _)| start % 8 == 0));
        assert!(
            areas.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0),
            "{areas:?}"
        );
    }
}

#[test]
fn sizes_of_opaque_types_come_from_the_functions() {
    let (model, _) = described();
    let poses = model.ports.iter().filter(|p| p.type_name == "Pose");
    assert_eq!(poses.map(|p| p.size).collect::<Vec<_>>(), [12, 12, 12]);
}

#[test]
fn a_handler_of_the_file_becomes_a_block_that_calls_its_driver() {
    let (model, described) = described();
    let program = &described.programs.programs[0];
    let handled = program.blocks[block::HANDLERS..]
        .iter()
        .map(Option::is_some);
    assert_eq!(handled.collect::<Vec<_>>(), [false, false, true, false]);
    let first = program.blocks[block::HANDLERS + 2].unwrap();
    let shed = driver(&model, "shed");
    assert_eq!(program.code[first..][..2], [Op::Call(shed), Op::Return]);
    let at = |place: u64| {
        let mut ports = described.programs.ports.iter();
        ports.position(|port| port.place == place)
    };
    let moves = described.programs.drivers[shed].moves.iter();
    let read: Vec<PortKind> = moves
        .filter_map(|step| Some(model.ports[at(step.from)?].kind))
        .collect();
    assert_eq!(read, [PortKind::ViolationTask, PortKind::ViolationDriver]);
    let own = &model.programs[0];
    let involved = [own.violation_task, own.violation_driver];
    assert_eq!(program.involved, involved.map(|port| port.map(usize::from)));
    assert!(program.involved.iter().all(Option::is_some));
}

#[test]
fn what_a_driver_writes_to_a_port_of_the_program_is_told_of_it() {
    let (model, described) = described();
    for (driver, entry) in model.drivers.iter().zip(&described.programs.drivers) {
        let results = entry.upcall.iter().flat_map(|upcall| &upcall.results);
        let given = if entry.upcall.is_some() {
            0
        } else {
            entry.moves.len()
        };
        let written = entry.moves[..given].iter().chain(results);
        let ports = driver
            .writes
            .iter()
            .map(|port| match model.ports[*port as usize].place {
                Place::Arena(_) => To::Port((*port).into()),
                Place::Block(..) => To::Place(described.programs.ports[*port as usize].place),
            });
        let written: Vec<To> = written.map(|step| step.to).collect();
        assert_eq!(written, ports.collect::<Vec<_>>(), "driver {}", driver.name);
    }
}

#[test]
fn rights_to_ports_are_what_is_granted() {
    let (model, described) = described();
    for (port, entry) in model.ports.iter().zip(&described.programs.ports) {
        let readers: &[usize] = if port.name == "pose" { &[2] } else { &[] };
        assert_eq!(entry.readers, readers, "{}", port.name);
        assert!(entry.writers.is_empty());
    }
}

#[test]
fn interrupts_belong_to_the_process_that_is_granted_them() {
    let (_, described) = described();
    let lines = described
        .lines
        .iter()
        .map(|line| (line.number, line.process));
    assert_eq!(lines.collect::<Vec<_>>(), [(11, Some(1))]);
}

#[test]
fn on_the_host_bodies_are_indices_into_the_functions() {
    let (model, described) = described();
    for (index, thread) in (0u16..).zip(&described.threads) {
        let body = thread.arguments[1] as usize;
        match model.threads[index as usize].role {
            ThreadRole::Upcall => assert_eq!(body, 0),
            _ => assert_eq!(Some(body), model.function_of(index)),
        }
    }
    let servo = &described.programs.drivers[driver(&model, "write_servo")];
    assert_eq!(servo.upcall.as_ref().unwrap().body, 1);
    assert_eq!(
        model.drivers[driver(&model, "write_servo")].work,
        Work::Upcall {
            process: 1,
            budget: 20_000
        }
    );
}

#[test]
fn equal_inputs_give_equal_records_and_names() {
    let build =
        |description: &Description| giornata_records::build(description, 8, 0x8000_0000).bytes;
    let (model, first) = described();
    let (again, second) = described();
    assert_eq!(build(&first), build(&second));
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
    let described = describe(&model, &Placement::for_host(&model)).unwrap();
    let levels = described.threads[..2].iter().map(|thread| thread.priority);
    assert_eq!(levels.collect::<Vec<_>>(), [120, 119]);
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
    let (model, described) = described();
    let map = name_map(&model, &[]);
    assert_eq!(map.threads.len(), described.threads.len());
    assert_eq!(map.ports.len(), described.programs.ports.len());
    assert_eq!(map.drivers.len(), described.programs.drivers.len());
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
        "/// Address of device `rtc` in process `io`.\n\
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
