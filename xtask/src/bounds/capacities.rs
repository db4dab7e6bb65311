//! What a system has of everything that loops of the kernel depend on.

use std::collections::BTreeMap;

use giornata_system::Model;

/// Bytes that the kernel moves in one piece.
const PIECE: usize = 64;

/// The capacities of a system, by the names that the declarations use.
pub(crate) fn of(model: &Model) -> BTreeMap<String, u64> {
    let counts = counts(model)
        .into_iter()
        .chain(moved(model))
        .chain(served(model))
        .chain([("depth", giornata_records::DEPTH as usize)]);
    counts
        .map(|(name, count)| (name.into(), count as u64))
        .collect()
}

fn counts(model: &Model) -> [(&'static str, usize); 10] {
    let processes = &model.processes;
    let most = |counts: &mut dyn Iterator<Item = usize>| counts.max().unwrap_or(0);
    let programs = || model.programs.iter();
    let granted = processes
        .iter()
        .flat_map(|p| [p.readable.len(), p.writable.len()]);
    [
        ("threads", model.threads.len()),
        ("triggers", model.triggers.into()),
        ("s-threads", model.s_threads.into()),
        ("processes", processes.len()),
        ("programs", model.programs.len()),
        ("lines", model.interrupts.len()),
        ("granted-ports", most(&mut { granted })),
        (
            "program-tasks",
            most(&mut programs().map(|p| p.tasks.len())),
        ),
        (
            "program-drivers",
            most(&mut programs().map(|p| p.drivers.len())),
        ),
        (
            "process-threads",
            most(&mut processes.iter().map(|p| p.threads.1.into())),
        ),
    ]
}

/// What drivers and calls move.
fn moved(model: &Model) -> [(&'static str, usize); 4] {
    let size = |port: &u16| -> usize {
        let port = model.ports.get(*port as usize);
        port.map_or(0, |port| port.size.into())
    };
    let pieces = |ports: &[u16]| -> usize {
        let pieces = ports.iter().map(|port| size(port).div_ceil(PIECE));
        pieces.sum()
    };
    let drivers = || model.drivers.iter();
    let value = (0..model.ports.len() as u16).map(|port| size(&port)).max();
    let value = value.unwrap_or(0);
    let of_driver = drivers()
        .map(|d| pieces(&d.reads).max(pieces(&d.writes)))
        .max();
    let message = message_bytes(model);
    let moves = drivers().map(|d| d.reads.len() + d.writes.len()).max();
    [
        ("moves", moves.unwrap_or(0)),
        (
            "conflicts",
            drivers().map(|d| d.conflicts.len()).max().unwrap_or(0),
        ),
        ("port-bytes", value),
        (
            "pieces",
            of_driver
                .unwrap_or(0)
                .max(value.max(message).div_ceil(PIECE)),
        ),
    ]
}

/// What the services have: none of it in a system without them.
fn served(model: &Model) -> [(&'static str, usize); 3] {
    let messages = model
        .processes
        .iter()
        .map(|p| usize::from(p.messages.count));
    [
        ("objects", model.objects.len()),
        ("messages", messages.sum()),
        ("message-bytes", message_bytes(model)),
    ]
}

/// Bytes of the longest message.
fn message_bytes(model: &Model) -> usize {
    let sizes = model.processes.iter().map(|p| p.messages.size as usize);
    sizes.max().unwrap_or(0)
}
