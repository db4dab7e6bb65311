//! The trace of a system on the host: from bytes on a wire to records, totals,
//! plain lines, a live table, a file for Perfetto, and the vectors that tests
//! compare.

mod comparison;
mod event;
mod frame;
mod message;
mod narration;
mod notation;
mod perfetto;
mod port;
#[cfg(test)]
mod sample;
mod statistics;
mod table;
mod transcript;

pub use comparison::{
    Decision, PortValue, Stamp, decision_trace, first_difference, physical_trace, port_trace,
    worst_shift,
};
pub use event::{Breach, Content, Event, UpcallStep};
pub use frame::{Damage, Decoder, Numbered, encode};
pub use message::{Assembly as MessageAssembly, Message};
pub use narration::{Narrator, closing, describe_breach, summary};
pub use perfetto::Perfetto;
pub use port::{Assembly as PortAssembly, Write};
pub use statistics::{
    DriverTotals, PortTotals, ProcessTotals, Spread, Statistics, Stop, ThreadTotals,
};
pub use table::{Dashboard, height};
pub use transcript::transcript;

/// All events of a recorded stream, and what did not arrive whole.
pub fn read(bytes: &[u8]) -> (Vec<Event>, Damage) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    decoder.push(bytes, |numbered| events.push(Event::read(&numbered)));
    (events, decoder.damage())
}
