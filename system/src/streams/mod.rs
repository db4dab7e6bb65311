//! Stream graphs of a system: which process has the functions of each filter, and where tokens
//! lie.
//!
//! ```text
//!   [stream.NAME]  section    what the system file says
//!   edges.sigma    graph      the graph, consistent and live, with capacities
//!        |
//!        v         resolve    filters get processes and threads
//!                  bind       functions are there, tokens get sizes, channels windows
//!        |
//!        v         words      what the runtime of a process is told of its filters
//!                  records    what the kernel is told: balances and increments
//! ```

mod bind;
mod graph;
mod records;
mod resolve;
mod section;
mod words;

pub use graph::StreamGraph;
pub use section::{FilterEntry, StreamSection};

pub(crate) use bind::bind;
pub(crate) use graph::read;
pub(crate) use records::records;
pub(crate) use resolve::{add_threads, resolve};
pub(crate) use section::section;
pub(crate) use words::words;

use crate::model::{Model, Thread};
use crate::names::ThreadRole;

/// A stream graph, resolved.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// Its source as the system file names it.
    pub source: String,
    /// Its filters, those without code and what is outside the graph among them.
    pub filters: Vec<Filter>,
    /// Its channels.
    pub channels: Vec<Channel>,
    /// What filters wait for: who, and how much is there at boot beyond what the first instance
    /// needs.
    pub balances: Vec<(usize, i32)>,
}

/// A filter.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// The process that runs it.
    pub process: u16,
    /// Its thread.
    pub thread: u16,
    /// What its instances do.
    pub does: Does,
    /// Its channels in the order of its ports: inputs, then outputs.
    pub inputs: Vec<usize>,
    /// See `inputs`.
    pub outputs: Vec<usize>,
    /// Its cycle.
    pub positions: Vec<Position>,
}

/// The functions that the filters of a process call.
pub(crate) fn called_by(model: &Model, process: u16) -> Vec<&str> {
    let filters = model.streams.iter().flat_map(|stream| &stream.filters);
    let own = filters.filter(|filter| filter.process == process && filter.does == Does::Calls);
    let positions = own.flat_map(|filter| &filter.positions);
    positions.map(|position| &*position.function).collect()
}

impl Filter {
    /// Whether a thread of the model is its own.
    pub(crate) fn is_run_by(&self, thread: &Thread) -> bool {
        thread.role == ThreadRole::Filter
            && thread.process == self.process
            && thread.name == self.name
    }
}

/// What the instances of a filter do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// They call the function of their position.
    Calls,
    /// Each output gets what the only input has.
    Copies,
    /// Outputs get what inputs have, one behind the other.
    Deals,
    /// The only output gets what the only input has in this order.
    Permutes(Vec<u32>),
}

/// A position of a filter's cycle.
#[derive(Clone, Debug)]
pub struct Position {
    /// The function; empty if none is called.
    pub function: String,
    /// Tokens of an instance at each port: inputs, then outputs.
    pub rates: Vec<u32>,
    /// The balances that its end changes, and by how much.
    pub increments: Vec<(usize, i32)>,
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name, as `camera.out -> laplace.px`.
    pub name: String,
    /// What its elements are called in the program, and how many a token has.
    pub element: String,
    /// See `element`.
    pub count: u32,
    /// Who puts tokens in, and who takes them out.
    pub filters: [usize; 2],
    /// Bytes of a token; 0 before binding if only functions can tell.
    pub bytes: u32,
    /// Tokens that it holds.
    pub capacity: u32,
    /// Tokens that are there at boot: zeroes.
    pub initial: u32,
    /// The window in which its buffer lies, and the offset there; known after binding.
    pub place: (usize, u32),
}

/// Memory for the buffers of all channels from one process to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The process that reads and writes it.
    pub writer: u16,
    /// The process that reads it.
    pub reader: u16,
    /// Bytes.
    pub size: u32,
}

impl Window {
    /// Whether a process may write it; none: it may not reach it.
    pub(crate) fn access(&self, process: u16) -> Option<bool> {
        let writes = self.writer == process;
        (writes || self.reader == process).then_some(writes)
    }
}
