//! The project's own system-on-chip in a cycle-accurate simulation.
//!
//! `rtl/` is the chip in SystemVerilog, `harness/` its C++ side; the core is
//! VexRiscv, fetched as a pinned Python wheel: one, in Verilog, or a cluster of
//! them, generated from Scala. This crate turns them into a simulator with
//! Verilator, once for each [`Variant`], and runs programs:
//!
//! ```no_run
//! use giornata_soc::{Caches, Core, Image, Run, Simulator, Variant};
//! # fn main() -> Result<(), giornata_soc::Error> {
//! let variant = Variant::new(Core::Pmp, Caches::Large);
//! let simulator = Simulator::prepare("target/soc".as_ref(), variant)?;
//! let report = simulator.run(&Run::new(Image::read("program.elf".as_ref())?))?;
//! println!("{:?} after {} cycles", report.end, report.cycles);
//! # Ok(()) }
//! ```
//!
//! A run depends on its inputs alone: the same program with the same inputs
//! takes the same cycles each time. See the README for the memory map.

mod cluster;
mod core_text;
mod error;
mod harts;
mod image;
mod jars;
mod machine;
mod point;
mod report;
mod scala_text;
mod simulator;
mod wheel;

pub use error::Error;
pub use giornata_rtm::Parameters as TaskManager;
pub use harts::Harts;
pub use image::{Image, RAM_BASE, RAM_SIZE};
pub use machine::{Input, Latency, Machine, Run, Watch, Waveform};
pub use point::{Executed, Point, Sight};
pub use report::{End, Probe, Report};
pub use simulator::Simulator;

/// Cycles a second of the clock that the chip is said to have.
pub const CLOCK_HERTZ: u32 = 100_000_000;

/// Which VexRiscv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Core {
    /// rv32ima with machine, supervisor and user mode and Sv32 page tables.
    Mmu,
    /// rv32im with machine and user mode and 16 PMP regions.
    Pmp,
    /// rv32ima with machine and user mode and 16 PMP regions, so many of them with
    /// coherent data caches.
    Smp(Harts),
}

/// How large instruction and data cache are, each; direct mapped, lines of 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caches {
    /// 4 KiB, as the core comes: cycle counts depend on the layout of a program.
    Shipped,
    /// 64 KiB: a small program fits, wherever it lies. Virtual and physical
    /// addresses must agree in bits 15:12 under Sv32.
    Large,
}

impl Caches {
    /// Of each.
    pub const fn bytes(self) -> u32 {
        match self {
            Caches::Shipped => 4 << 10,
            Caches::Large => 64 << 10,
        }
    }
}

impl Core {
    /// How many harts a chip with it has.
    pub fn harts(self) -> u8 {
        match self {
            Core::Mmu | Core::Pmp => 1,
            Core::Smp(harts) => harts.count(),
        }
    }
}

/// Which simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The core.
    pub core: Core,
    /// Its caches.
    pub caches: Caches,
    /// Whether it can write waveforms, which costs it a third of its speed.
    pub waveform: bool,
    /// The task manager, if it has one: `hw/rtm`.
    pub task_manager: Option<TaskManager>,
}

impl Variant {
    /// One without waveforms and without a task manager.
    pub fn new(core: Core, caches: Caches) -> Variant {
        Variant {
            core,
            caches,
            waveform: false,
            task_manager: None,
        }
    }

    /// The same, able to write waveforms.
    pub fn with_waveform(self) -> Variant {
        Variant {
            waveform: true,
            ..self
        }
    }

    /// The same with a task manager.
    pub fn with_task_manager(self, task_manager: TaskManager) -> Variant {
        Variant {
            task_manager: Some(task_manager),
            ..self
        }
    }

    /// A name for people and folders: `pmp-large`.
    pub fn name(&self) -> String {
        let core = match self.core {
            Core::Mmu => "mmu".into(),
            Core::Pmp => "pmp".into(),
            Core::Smp(harts) => format!("smp{}", harts.count()),
        };
        let caches = match self.caches {
            Caches::Shipped => "shipped",
            Caches::Large => "large",
        };
        let waveform = if self.waveform { "-waveform" } else { "" };
        let task_manager = match self.task_manager {
            Some(parameters) => format!("-rtm{}", parameters.records),
            None => String::new(),
        };
        format!("{core}-{caches}{task_manager}{waveform}")
    }
}
