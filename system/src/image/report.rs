//! How a system's memory is spent, for people.

use crate::image::kernel::Kernel;
use crate::image::layout::{Layout, Usage};
use crate::mailboxes::RIGHTS;
use crate::model::Model;
use crate::model::Process;
use crate::objects::{Kind, Object};
use crate::shared::{Region, right};
use giornata_abi::ring;
use giornata_abi::system::GRANT_TRUSTED_DMA;
use std::fmt;

/// The account of a built system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The system's name.
    pub system: String,
    /// The board's name.
    pub board: String,
    /// Bytes of the kernel's image.
    pub kernel: u32,
    /// Hash of the kernel's image: equal in all systems of a board.
    pub kernel_hash: String,
    /// Bytes of the kernel's tables at run time.
    pub kernel_tables: u32,
    /// Bytes of the trace ring's slots.
    pub trace: u32,
    /// Bytes of memory left over.
    pub free: u32,
    /// Bytes between what has a place, lost to alignment.
    pub gaps: u32,
    /// The processes.
    pub processes: Vec<ProcessUsage>,
    /// What threads synchronise by and send to, and memory that processes share:
    /// each, and the processes that may use it, with their rights where there are
    /// several.
    pub objects: Vec<(String, Vec<String>)>,
}

/// The account of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Its name.
    pub name: String,
    /// Its memory.
    pub usage: Usage,
    /// What it may use beyond its own memory.
    pub grants: Vec<String>,
    /// It is outside the protection promise.
    pub trusted_dma: bool,
}

impl Report {
    pub(crate) fn of(model: &Model, kernel: &Kernel, layout: &Layout) -> Report {
        let processes = model.processes.iter().zip(&layout.usage);
        let objects = model.objects.iter().filter(|object| !object.is_of_library);
        let objects = objects.map(|object| users(model, object));
        let regions = model.regions.iter().zip(&layout.placement.regions);
        let regions = regions.map(|(region, place)| sharers(model, region, place.address));
        Report {
            system: model.name.clone(),
            board: model.board.name.clone(),
            kernel: kernel.segments.iter().map(|s| s.size).sum(),
            kernel_hash: kernel.hash(),
            kernel_tables: layout.placement.ram_size,
            trace: model.trace_capacity * ring::BYTES as u32,
            free: layout.free,
            gaps: layout.gaps,
            processes: (0u16..)
                .zip(processes)
                .map(|(index, (process, usage))| ProcessUsage {
                    name: process.name.clone(),
                    usage: *usage,
                    grants: grants(model, index),
                    trusted_dma: process.grants & GRANT_TRUSTED_DMA != 0,
                })
                .collect(),
            objects: objects.chain(regions).collect(),
        }
    }
}

/// An object, and the processes that may use it.
fn users(model: &Model, object: &Object) -> (String, Vec<String>) {
    let name = |index: u16| Some(model.processes.get(usize::from(index))?.name.clone());
    if object.shape.kind() != Kind::Mailbox {
        let names = object.users().filter_map(name);
        return (object.to_string(), names.collect());
    }
    let users = (0u16..).zip(&object.rights).filter_map(|(index, held)| {
        let rights = RIGHTS.iter().filter(|(_, right)| held & right != 0);
        let rights: Vec<&str> = rights.map(|(name, _)| *name).collect();
        (!rights.is_empty()).then_some(format!("{} ({})", name(index)?, rights.join(", ")))
    });
    let server = object
        .server
        .and_then(|s| model.objects.get(usize::from(s)));
    let server = server.map_or(String::new(), |s| format!(", attached to {}", s.name));
    (format!("{object}{server}"), users.collect())
}

/// A region, and the processes that may attach it.
fn sharers(model: &Model, region: &Region, address: u32) -> (String, Vec<String>) {
    let processes = model.processes.iter().zip(&region.grants);
    let granted = processes.filter(|(_, bits)| **bits != 0);
    let sharers = granted.map(|(process, bits)| format!("{} ({})", process.name, right(*bits)));
    (format!("{region} at {address:#x}"), sharers.collect())
}

/// The messages of a process.
fn messages(process: &Process) -> Option<String> {
    let messages = process.messages;
    let size = match messages.size {
        0 => String::new(),
        size => format!(" of {size} bytes"),
    };
    (messages.count > 0).then(|| format!("{} messages{size}", messages.count))
}

fn grants(model: &Model, index: u16) -> Vec<String> {
    let Some(process) = model.processes.get(index as usize) else {
        return Vec::new();
    };
    let devices = process
        .devices
        .iter()
        .filter_map(|d| model.board.devices.get(*d))
        .map(|d| d.name.clone());
    let lines = model
        .interrupts
        .iter()
        .filter(|i| i.process == Some(index))
        .map(|i| format!("irq {}", i.number));
    let port = |verb: &str, port: &u16| {
        let port = model.ports.get(*port as usize)?;
        Some(format!(
            "{verb} {}.{}",
            model.programs.get(port.program as usize)?.name,
            port.name
        ))
    };
    let reads = process
        .readable
        .iter()
        .filter(|p| !process.writable.contains(p))
        .filter_map(|p| port("read", p));
    let writes = process.writable.iter().filter_map(|p| port("write", p));
    let trace = process.reads_trace.then(|| "trace".to_string());
    let inspect = process.inspects.then(|| "inspect".to_string());
    let precedes = process
        .precedes_programs
        .then(|| "above-programs".to_string());
    let managed = model
        .objects
        .iter()
        .filter(|object| object.managers().any(|holder| holder == index))
        .map(|object| format!("manage {}", object.name));
    let supervised = model.processes.iter();
    let supervised = supervised
        .filter(|process| process.supervisor == Some(index))
        .map(|process| format!("supervise {}", process.name));
    devices
        .chain(lines)
        .chain(reads)
        .chain(writes)
        .chain(trace)
        .chain(inspect)
        .chain(precedes)
        .chain(messages(process))
        .chain(managed)
        .chain(supervised)
        .collect()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on {}", self.system, self.board)?;
        writeln!(
            f,
            "  {:<13} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
            "process", "text", "rodata", "data", "blocks", "stacks", "heap", "tables", "waste"
        )?;
        for process in &self.processes {
            let u = process.usage;
            writeln!(
                f,
                "  {:<13} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}",
                process.name,
                u.text,
                u.rodata,
                u.data,
                u.blocks,
                u.stacks,
                u.heap,
                u.tables,
                u.waste
            )?;
        }
        writeln!(
            f,
            "  kernel {} ({}) + tables {}, trace {}, between them {}, free {} bytes",
            self.kernel, self.kernel_hash, self.kernel_tables, self.trace, self.gaps, self.free
        )?;
        for (object, users) in &self.objects {
            writeln!(f, "  {object}: {}", users.join(", "))?;
        }
        for process in self.processes.iter().filter(|p| !p.grants.is_empty()) {
            writeln!(
                f,
                "  {} may use: {}",
                process.name,
                process.grants.join(", ")
            )?;
        }
        for process in self.processes.iter().filter(|p| p.trusted_dma) {
            writeln!(
                f,
                "  warning: {} may program DMA: nothing protects the system from it",
                process.name
            )?;
        }
        Ok(())
    }
}
