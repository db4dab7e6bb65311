//! What the kernel is told of a system, seen by booting it on the host.

mod sample;

use giornata_abi::call::Call;
use giornata_core::sched::thread::role;
use giornata_host::{MEMORY, Rig};
use giornata_records::Description;
use giornata_system::describe::describe;
use giornata_system::names::ThreadRole;
use giornata_system::{Functions, Model, Placement};
use std::collections::BTreeMap;

/// A system as the kernel sees it on the host; its processes provide these
/// functions.
fn described(
    system: &str,
    program: &[u8],
    functions: &BTreeMap<String, Functions>,
) -> (Model, Description) {
    let project = sample::project(system, program).unwrap();
    let model = Model::resolve(&project, functions).unwrap();
    let placement = Placement::in_memory(&model, MEMORY as u32);
    let description = describe(&model, &placement).unwrap();
    (model, description)
}

#[test]
fn the_sample_boots_and_its_threads_are_numbered_as_in_the_name_map() {
    let (model, description) = described(
        sample::SYSTEM,
        &sample::module(sample::PROGRAM),
        &sample::functions(),
    );
    assert_eq!(description.threads.len(), model.threads.len());
    let rig = Rig::boot(&description);
    rig.check_invariants();
    for (number, thread) in model.threads.iter().enumerate() {
        let record = rig.thread(number);
        assert_eq!(record.number() as usize, number);
        assert_eq!(record.process.number, u32::from(thread.process));
        let roles = record.role;
        assert_eq!(roles & role::TASK != 0, thread.task.is_some());
        assert_eq!(roles & role::AUTOSTART != 0, thread.autostart);
    }
}

#[test]
fn the_sample_runs_its_program_from_the_first_driver_to_the_last_task() {
    let (model, description) = described(
        sample::SYSTEM,
        &sample::module(sample::PROGRAM),
        &sample::functions(),
    );
    let mut rig = Rig::boot(&description);
    let mut ran = Vec::new();
    while ran.len() < 20 {
        rig.check_invariants();
        let thread = &model.threads[rig.running()];
        let process = &model.processes[usize::from(thread.process)].name;
        ran.push(format!("{process}.{}", thread.name));
        let call = match thread.role {
            ThreadRole::Upcall => Call::Return,
            ThreadRole::Task => Call::Complete,
            ThreadRole::Thread | ThreadRole::Filter => break,
        };
        rig.call(call, [0; 6]);
    }
    // both ports get their first values, the sensor is read and its value is not sane, so
    // `filter` goes on with what it had
    let expected = [
        "control.upcall",
        "control.upcall",
        "io.upcall",
        "io.upcall",
        "io.upcall",
        "control.filter",
        "control.control",
        "logger.watch",
    ];
    assert_eq!(ran, expected);
}
