//! What a system has of everything that loops of the kernel depend on.

use std::collections::BTreeMap;

use giornata_abi::system::{Policy, RIGHT_FULL, RIGHT_RECEIVE};
use giornata_system::Model;
use giornata_system::model::Thread;
use giornata_system::names::ThreadRole;
use giornata_system::objects::Shape;

/// Bytes that the kernel moves in one piece.
const PIECE: usize = 64;

/// Configurations of the kernel that have the services.
const SERVICES: [&str; 2] = ["emeralds", "all"];

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

fn counts(model: &Model) -> [(&'static str, usize); 11] {
    let processes = &model.processes;
    let most = |counts: &mut dyn Iterator<Item = usize>| counts.max().unwrap_or(0);
    let programs = || model.programs.iter();
    let granted = processes
        .iter()
        .flat_map(|p| [p.readable.len(), p.writable.len()]);
    [
        ("threads", model.threads.len()),
        ("deadlines", deadlines(model)),
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
fn served(model: &Model) -> [(&'static str, usize); 8] {
    let messages = model
        .processes
        .iter()
        .map(|p| usize::from(p.messages.count));
    let objects = |is: &dyn Fn(Shape) -> bool| model.objects.iter().filter(|o| is(o.shape)).count();
    let mailboxes = objects(&|shape| matches!(shape, Shape::Mailbox));
    [
        ("objects", model.objects.len()),
        (
            "mutexes",
            objects(&|shape| matches!(shape, Shape::Mutex { .. })),
        ),
        (
            "ceilings",
            objects(&|shape| matches!(shape, Shape::Mutex { ceiling: Some(_) })),
        ),
        ("mailboxes", mailboxes),
        ("receivers", receivers(model)),
        ("messages", messages.sum()),
        ("message-bytes", message_bytes(model)),
        ("services", SERVICES.contains(&&*model.config).into()),
    ]
}

/// Threads of processes that may receive from some mailbox.
fn receivers(model: &Model) -> usize {
    let right = RIGHT_RECEIVE | RIGHT_FULL;
    let receives = |process: usize| {
        let rights = model.objects.iter().filter_map(|o| o.rights.get(process));
        rights.into_iter().any(|rights| rights & right != 0)
    };
    let threads = model.threads.iter();
    threads.filter(|t| receives(t.process.into())).count()
}

/// Threads that can be ready in the deadline band: those of that policy, tasks, and, if
/// there are any, protocol servers, which have the urgency of a message, and reapers, which
/// have that of who faulted, or hangs on who did.
fn deadlines(model: &Model) -> usize {
    let own = |t: &&Thread| t.policy == Policy::Deadline || t.role == ThreadRole::Task;
    let count = model.threads.iter().filter(own).count();
    if count == 0 {
        return 0;
    }
    let has_services = SERVICES.contains(&&*model.config);
    let ends_there = |process: u16| {
        let mut threads = model.threads_of(process);
        has_services || threads.any(|(_, t)| own(&t) || t.role == ThreadRole::Upcall)
    };
    let reapers = (0..model.processes.len() as u16).filter(|p| ends_there(*p));
    count + receivers(model) + reapers.count()
}

/// Bytes of the longest message.
fn message_bytes(model: &Model) -> usize {
    let sizes = model.processes.iter().map(|p| p.messages.size as usize);
    sizes.max().unwrap_or(0)
}
