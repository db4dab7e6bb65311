//! The debug map: what a debugger has to know of an image beside its symbols. Written as
//! JSON beside the image, read by `giornata debug` and its commands in gdb.
//!
//! It holds the name map, where the records of the kernel lie and what their shapes are, and
//! where processes and stacks lie. Nothing of that is written down a second time: the
//! shapes come from the kernel's own definitions.

use std::collections::BTreeMap;

use giornata_records::{FieldShape, RecordShape, constants, records};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::board::{Board, PAGE, Protection};
use crate::model::Model;
use crate::names::NameMap;
use crate::place::Placement;

/// The version of this map's shape.
pub const FORMAT: u32 = 1;

/// The device whose count is the clock, and where in it that lies.
const CLOCK: (&str, u32) = ("clint", 0xBFF8);

/// What a debugger has to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DebugMap {
    /// [`FORMAT`].
    pub format: u32,
    /// Tells images apart: 16 digits of the SHA-256 of the image.
    pub image: String,
    /// Bytes of an address.
    pub width: u32,
    /// Whether page tables translate what processes address.
    pub translated: bool,
    /// Where memory begins, and its bytes.
    pub memory: (u32, u32),
    /// Where the clock is read, 64 bits; 0: the kernel's board has none in memory.
    pub clock: u32,
    /// Where the record of the system lies.
    pub kernel: u32,
    /// The first address behind all that the system uses.
    pub end: u32,
    /// Executables with symbols, in the folder of this map: the kernel's, then one for each
    /// process.
    pub symbols: Vec<String>,
    /// Folder of the system file, from which C sources are named.
    pub sources: String,
    /// By thread of the name map: its stack.
    pub stacks: Vec<Stack>,
    /// The records' shapes, by name.
    pub records: BTreeMap<String, Record>,
    /// What words in them mean, by the module that says so.
    pub constants: BTreeMap<String, BTreeMap<String, u32>>,
    /// The names of everything.
    pub names: NameMap,
}

/// A stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stack {
    /// First user address above it.
    pub top: u32,
    /// Its bytes.
    pub size: u32,
    /// Physical address of its lowest byte.
    pub place: u32,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its bytes.
    pub size: usize,
    /// By path: offset, bytes of one, how many in a row.
    pub fields: BTreeMap<String, (usize, usize, usize)>,
}

impl DebugMap {
    /// The map of an image. `end`: the first address behind all that it uses.
    pub(crate) fn of(
        model: &Model,
        placement: &Placement,
        names: &NameMap,
        image: &[u8],
        end: u32,
    ) -> DebugMap {
        let board = &model.board;
        let width = board.protection.word();
        let processes = model.processes.iter();
        let symbols = processes.map(|process| format!("{}.process.elf", process.name));
        let shapes = records(board.laid_for(!model.streams.is_empty())).into_iter();
        let groups = constants().map(|(name, words)| {
            let words = words.into_iter().map(|(name, word)| (name.into(), word));
            (name.into(), words.collect())
        });
        DebugMap {
            format: FORMAT,
            image: fingerprint(image),
            width,
            translated: is_translated(board),
            memory: (board.memory_base, board.memory_size),
            clock: board
                .device(CLOCK.0)
                .map_or(0, |clint| clint.base + CLOCK.1),
            kernel: board.system,
            end,
            symbols: ["kernel.elf".into()].into_iter().chain(symbols).collect(),
            sources: String::new(),
            stacks: stacks(model, placement),
            records: shapes
                .map(|(name, shape)| (name.into(), shape.into()))
                .collect(),
            constants: groups.collect(),
            names: names.clone(),
        }
    }

    /// The map as JSON text with a final newline; equal maps give equal text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a map; the error says what is wrong with the text.
    pub fn from_json(text: &str) -> Result<DebugMap, String> {
        let map: DebugMap = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match map.format {
            FORMAT => Ok(map),
            other => Err(format!(
                "debug map of format {other}, this version reads format {FORMAT}: build the \
                 system again"
            )),
        }
    }
}

/// What [`DebugMap::image`] holds of an image.
pub fn fingerprint(image: &[u8]) -> String {
    let digest = Sha256::digest(image);
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

impl From<RecordShape> for Record {
    fn from(shape: RecordShape) -> Record {
        let field = |FieldShape {
                         offset,
                         bytes,
                         count,
                     }| (offset, bytes, count);
        let fields = shape.fields.into_iter();
        Record {
            size: shape.size,
            fields: fields.map(|(path, shape)| (path, field(shape))).collect(),
        }
    }
}

fn is_translated(board: &Board) -> bool {
    matches!(board.protection, Protection::Sv39 | Protection::Sv32)
}

/// Where the stacks lie: with page tables, in the order of threads behind all else that
/// their process writes; else where user mode sees them.
fn stacks(model: &Model, placement: &Placement) -> Vec<Stack> {
    let mut stacks = vec![
        Stack {
            top: 0,
            size: 0,
            place: 0
        };
        model.threads.len()
    ];
    for (index, place) in (0u16..).zip(&placement.processes) {
        let mut behind = place.data + place.data_stretch.next_multiple_of(PAGE);
        for ((number, thread), top) in model.threads_of(index).zip(&place.stack_tops) {
            let lowest = match is_translated(&model.board) {
                true => behind,
                false => top - thread.stack,
            };
            behind += thread.stack;
            if let Some(stack) = stacks.get_mut(usize::from(number)) {
                *stack = Stack {
                    top: *top,
                    size: thread.stack,
                    place: lowest,
                };
            }
        }
    }
    stacks
}
