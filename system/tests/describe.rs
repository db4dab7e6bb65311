//! What the second kernel is told of a system, seen by booting it on the host.

mod sample;

use giornata_next_core::thread::role;
use giornata_next_host::Rig;
use giornata_next_records::Description;
use giornata_system::describe::describe;
use giornata_system::{Functions, Generation, Model, Placement};
use std::collections::BTreeMap;

/// A system as the second kernel sees it on the host; its processes provide these
/// functions.
fn described(
    system: &str,
    program: &[u8],
    functions: &BTreeMap<String, Functions>,
) -> (Model, Description) {
    let mut project = sample::project(system, program).unwrap();
    project.generation = Generation::Second;
    let model = Model::resolve(&project, functions).unwrap();
    let description = describe(&model, &Placement::for_host(&model)).unwrap();
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
        let roles = record.place.role;
        assert_eq!(roles & role::TASK != 0, thread.task.is_some());
        assert_eq!(roles & role::AUTOSTART != 0, thread.autostart);
    }
    let watch = model.threads.iter().position(|t| t.name == "watch");
    assert_eq!(
        Some(rig.running()),
        watch,
        "the only thread that begins at boot"
    );
}
