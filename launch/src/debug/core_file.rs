//! A dump: an ELF core file, as gdb opens it.
//!
//! ```text
//! notes    registers of each thread, the current one first; the debug map
//! memory   all that the system uses, at its physical address
//!          the same bytes again, where each process sees them
//!          the clock
//! ```
//! No address of a process is another's, so one file holds all of them. A thread is the
//! `LWP` of its number and 1; where the kernel runs, the hart is one more.

use anyhow::{Context, Result};
use giornata_system::DebugMap;
use giornata_trace::{Memory, Records};
use object::Endianness;
use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, Writer};
use serde::{Deserialize, Serialize};

use crate::debug::halted::{Halted, Registers};
use crate::debug::pages;

/// Who defines the note that holds what a debugger has to know.
const OWNER: &[u8] = b"giornata";
/// Its type.
const MAP: elf::NoteType = elf::NoteType(1);
/// The signal that a debugger shows: a breakpoint.
const SIGTRAP: u16 = 5;

/// What a debugger has to know of a dump.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// Where the symbols lay when it was made.
    pub(crate) folder: String,
    /// The map of the image that ran.
    pub(crate) map: DebugMap,
    /// What the hart held.
    pub(crate) hart: Hart,
}

/// What of the registers of a hart says where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hart {
    pub(crate) pc: u64,
    /// The record of the thread that it runs, or whose call it serves.
    pub(crate) mscratch: u64,
}

/// A thread in a dump.
struct Saved {
    number: u32,
    pc: u64,
    registers: Registers,
}

/// Bytes in memory, at an address.
struct Load {
    address: u64,
    /// Bytes before them in what is loaded.
    at: u64,
    bytes: u64,
}

/// The bytes of a dump.
pub(crate) fn write(about: &About, halted: &Halted) -> Result<Vec<u8>> {
    let map = &about.map;
    let base: u64 = map.memory.0.into();
    let memory = Memory::of(base, &halted.memory);
    let mut notes = Vec::new();
    for saved in threads(map, halted, &memory)? {
        note(
            &mut notes,
            b"CORE",
            elf::NT_PRSTATUS,
            &status(map.width, &saved),
        );
    }
    let about = serde_json::to_vec(about).context("the debug map")?;
    note(&mut notes, OWNER, MAP, &about);
    let length = halted.memory.len() as u64;
    let mut loads = vec![Load {
        address: base,
        at: 0,
        bytes: length,
    }];
    for (address, place, bytes) in pages::reached(map, &memory)? {
        loads.push(Load {
            address,
            at: place - base,
            bytes,
        });
    }
    let mut bytes = halted.memory.clone();
    if map.clock != 0 {
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        loads.push(Load {
            address: map.clock.into(),
            at: bytes.len() as u64,
            bytes: 8,
        });
        bytes.extend(halted.clock.to_le_bytes());
    }
    file(map.width == 8, &notes, &loads, &bytes)
}

/// What a debugger has to know of a dump, read from it.
pub(crate) fn about(file: &[u8]) -> Result<About> {
    let not_ours = "it is no dump of giornata: make one with `giornata run --dump FILE`";
    let text = find(file).context(not_ours)?;
    serde_json::from_slice(text).context(not_ours)
}

/// Registers of all threads that have names, and of the hart where it runs none of them.
fn threads(map: &DebugMap, halted: &Halted, memory: &Memory<'_>) -> Result<Vec<Saved>> {
    let records = Records { map, memory };
    let first = records.read("System", map.kernel.into(), "threads.address", 0)?;
    let in_kernel = (u64::from(map.memory.0)..u64::from(map.kernel)).contains(&halted.pc);
    let hart = |number| Saved {
        number,
        pc: halted.pc,
        registers: halted.registers,
    };
    let mut threads = Vec::new();
    let mut is_elsewhere = true;
    for number in 0..map.names.threads.len() {
        let record = first + (number * records.size("Thread")?) as u64;
        let number = number as u32 + 1;
        if record == halted.current && !in_kernel {
            is_elsewhere = false;
            threads.insert(0, hart(number));
        } else {
            threads.push(saved(&records, record, number)?);
        }
    }
    if is_elsewhere {
        threads.insert(0, hart(map.names.threads.len() as u32 + 1));
    }
    Ok(threads)
}

/// The registers that a thread goes on with.
fn saved(records: &Records<'_>, thread: u64, number: u32) -> Result<Saved> {
    let word =
        |name: &str, index| records.read("Thread", thread, &format!("context.{name}"), index);
    let mut registers = Registers::default();
    for (first, name, index, count) in [
        (1, "ra", 0, 1),
        (2, "sp", 0, 1),
        (3, "gp", 0, 1),
        (4, "tp", 0, 1),
        (5, "t", 0, 3),
        (8, "s", 0, 2),
        (10, "a", 0, 8),
        (18, "s", 2, 10),
        (28, "t", 3, 4),
    ] {
        for next in 0..count {
            registers[first + next] = word(name, index + next)?;
        }
    }
    Ok(Saved {
        number,
        pc: word("pc", 0)?,
        registers,
    })
}

/// The `prstatus` of a thread: Linux's, which gdb reads for all of RISC-V.
fn status(width: u32, thread: &Saved) -> Vec<u8> {
    let (size, pid, first) = match width {
        8 => (376, 32, 112),
        _ => (204, 24, 72),
    };
    let mut bytes = vec![0; size];
    bytes[12..14].copy_from_slice(&SIGTRAP.to_le_bytes());
    bytes[pid..pid + 4].copy_from_slice(&thread.number.to_le_bytes());
    // the program counter is in the place of x0
    let words = std::iter::once(&thread.pc).chain(&thread.registers[1..]);
    let width = width as usize;
    for (number, word) in words.enumerate() {
        let at = first + number * width;
        bytes[at..at + width].copy_from_slice(&word.to_le_bytes()[..width]);
    }
    bytes
}

fn note(notes: &mut Vec<u8>, owner: &[u8], kind: elf::NoteType, content: &[u8]) {
    let words = [owner.len() as u32 + 1, content.len() as u32, kind.0];
    notes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    notes.extend(owner);
    notes.push(0);
    notes.resize(notes.len().next_multiple_of(4), 0);
    notes.extend(content);
    notes.resize(notes.len().next_multiple_of(4), 0);
}

fn file(is_64: bool, notes: &[u8], loads: &[Load], memory: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, is_64, &mut bytes);
    writer.reserve_file_header();
    writer.reserve_program_headers(loads.len() as u32 + 1);
    let notes_at = writer.reserve(notes.len() as u64, 8);
    let memory_at = writer.reserve(memory.len() as u64, 8);
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_CORE,
        e_machine: elf::EM_RISCV,
        e_entry: 0,
        e_flags: elf::EF_RISCV_RVC,
    })?;
    writer.write_align_program_headers();
    let header = |p_type, offset, address, bytes| ProgramHeader {
        p_type,
        p_flags: elf::PF_R | elf::PF_W,
        p_offset: offset,
        p_vaddr: address,
        p_paddr: address,
        p_filesz: bytes,
        p_memsz: bytes,
        p_align: 1,
    };
    writer.write_program_header(&header(elf::PT_NOTE, notes_at, 0, notes.len() as u64));
    for load in loads {
        let at = memory_at + load.at;
        writer.write_program_header(&header(elf::PT_LOAD, at, load.address, load.bytes));
    }
    writer.write_align(8);
    writer.write(notes);
    writer.write_align(8);
    writer.write(memory);
    Ok(bytes)
}

/// The content of our note.
fn find(file: &[u8]) -> Option<&[u8]> {
    match object::FileKind::parse(file).ok()? {
        object::FileKind::Elf32 => find_in::<elf::FileHeader32<Endianness>>(file),
        object::FileKind::Elf64 => find_in::<elf::FileHeader64<Endianness>>(file),
        _ => None,
    }
}

fn find_in<Header: object::read::elf::FileHeader<Endian = Endianness>>(
    file: &[u8],
) -> Option<&[u8]> {
    use object::read::elf::ProgramHeader;
    let header = Header::parse(file).ok()?;
    let endian = header.endian().ok()?;
    for segment in header.program_headers(endian, file).ok()? {
        let Ok(Some(mut notes)) = segment.notes(endian, file) else {
            continue;
        };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == OWNER && note.n_type(endian) == MAP {
                return Some(note.desc());
            }
        }
    }
    None
}
