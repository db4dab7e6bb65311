//! Random event logs and what a kernel did with them: the corpus of a
//! differential test between two kernels.
//!
//! ```text
//!   number --> scenario() --> Scenario: a system, scripts, a log of events
//!                                |                       |
//!                          (builds tables)               |
//!                                v                       v
//!            a kernel <--- impl Machine <---------- play()
//!                                |                       |
//!                                +------ seen ------> Observation
//!                                                        |
//!   recorded/*.bin --> record() --> Record ------> difference()
//! ```
//!
//! Nothing here knows a kernel. Logs say what happens (time passes, whoever runs
//! makes the next call of its script, a line rises), observations what threads and
//! ports show of it. README.md says how to replay.

mod archive;
mod call;
mod checksum;
mod codec;
mod difference;
mod generate;
mod machine;
mod names;
mod observation;
mod player;
mod program;
mod random;
mod scenario;
mod system;

pub use archive::{CHUNK, Damage, chunk, folder, pack, record, scenarios_checksum};
pub use call::{Call, Name, Patience, ROOM, Way, message_byte};
pub use checksum::Checksum;
pub use difference::{Difference, difference, narrate};
pub use generate::scenario;
pub use machine::{Answer, Departure, Machine, Request, Until, Write, digest};
pub use observation::{
    Kind, Message, ObjectState, Observation, Occurrence, ProcessState, Record, Runner, State,
    ThreadState, Touch,
};
pub use player::play;
pub use program::{Instruction, Program, When};
pub use scenario::{Event, Scenario, Theme};
pub use system::{
    Driver, Line, Object, ObjectKind, OnFault, Place, Process, Region, Rights, Role, Scheduling,
    System, Thread,
};

/// The scenarios that are recorded: 0 up to this.
pub const COUNT: u32 = 20_000;
/// A tick of the board's timer, in ns: 10 MHz.
pub const TICK_NANOS: u64 = 100;
/// Every instant up to which a call waits, and every period of a program, is a
/// multiple of so many ticks.
pub const GRID: u64 = 10;
/// The first event of a log comes at this tick, and all events lie between two
/// instants of the [`GRID`]: nothing falls due at the very instant of an event.
pub const START: u64 = 5;
/// Ticks that pass in a step while nobody runs.
pub const IDLE_STEP: u64 = 100;
/// The fixed priority whose place the deadline band takes.
pub const DEADLINE_BAND: u8 = 125;

/// The error that asks to attach a region again.
const EAGAIN: u8 = 7;
