//! What a system has of everything that loops of the kernel depend on.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow};
use giornata_system::Model;

/// Bytes that the kernel moves in one piece.
const PIECE: usize = giornata_core::CHUNK;

/// The capacities of the system of a file, by the names that the declarations use.
///
/// # Errors
/// The system is refused.
pub(crate) fn of(system: &Path, root: &Path) -> Result<BTreeMap<String, u64>> {
    let model = giornata_system::check(system, root);
    let model = model.map_err(|refusal| anyhow!("{refusal:?}"))?;
    let counts = counts(&model).into_iter().chain(moved(&model));
    Ok(counts
        .map(|(name, count)| (name.into(), count as u64))
        .collect())
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
    let moves = drivers().map(|d| d.reads.len() + d.writes.len()).max();
    [
        ("moves", moves.unwrap_or(0)),
        (
            "conflicts",
            drivers().map(|d| d.conflicts.len()).max().unwrap_or(0),
        ),
        ("port-bytes", value),
        ("pieces", of_driver.unwrap_or(0).max(value.div_ceil(PIECE))),
    ]
}
