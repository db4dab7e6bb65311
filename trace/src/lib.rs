//! The trace of a system on the host: from bytes on a wire to records, totals,
//! plain lines, a live table, a file for Perfetto, and the vectors that tests
//! compare.

mod address;
mod comparison;
mod decision;
mod event;
mod expansion;
mod fault;
mod frame;
mod gantt;
mod hart;
mod inspection;
mod job;
mod memory;
mod message;
mod narration;
mod notation;
mod outcome;
mod perfetto;
mod picture;
mod port;
mod recording;
mod records;
mod repetition;
mod rows;
#[cfg(test)]
mod sample;
mod scale;
mod schedule;
mod standing;
mod statistics;
mod table;
mod task_states;
mod transcript;
mod verdict;
mod window;

pub use comparison::{PortValue, Stamp, first_difference, physical_trace, port_trace, worst_shift};
pub use decision::decision_trace;
pub use event::{Breach, Content, Event, Piece, UpcallStep};
pub use expansion::Expansion;
pub use fault::{Explanation, Fault};
pub use frame::{Damage, Decoder, encode, words_of};
pub use gantt::{RUNS_LATE, gantt, margin, task_label, tasks};
pub use inspection::Inspection;
pub use memory::Memory;
pub use message::{Assembly as MessageAssembly, Message};
pub use narration::{Narrator, closing, describe_breach, port_table, summary, thread_table};
pub use notation::{brief, percent as share};
pub use outcome::{describe_late, task_table};
pub use perfetto::Perfetto;
pub use picture::picture;
pub use port::{Assembly as PortAssembly, Write};
pub use recording::{NotARecording, Recording};
pub use records::Records;
pub use rows::{PortRow, ProcessRow, StateRow, ThreadRow, port_rows, process_rows, thread_rows};
pub use scale::Scale;
pub use schedule::{Job, Late, Row, Schedule, Slice};
pub use standing::{Awaited, ProcessStanding, Standing, State, ThreadStanding};
pub use statistics::{DriverTotals, PortTotals, ProcessTotals, Spread, Statistics, ThreadTotals};
pub use table::{Dashboard, height};
pub use task_states::{state_rows, state_table, task_states};
pub use transcript::{transcript, transcript_with};
pub use verdict::{Found, Judge, Judgement};
pub use window::UpTo;

/// All events of a recorded stream of a machine whose timer counts so many ticks a
/// second, and what did not arrive whole.
pub fn read(bytes: &[u8], hertz: u32) -> (Vec<Event>, Damage) {
    let mut decoder = Decoder::new(hertz);
    let mut events = Vec::new();
    decoder.push(bytes, |event| events.push(event));
    (events, decoder.damage())
}
