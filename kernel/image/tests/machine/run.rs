//! Runs a system on its board, and reads what it leaves.

use std::path::PathBuf;
use std::process::Command;

use giornata_abi::ring::{FRAME, FRAME_BYTES, Kind, Words, split_head};
use giornata_soc::{Caches, Core, End, Image, Point, Run as ChipRun, Simulator, Variant, Watch};
use object::{Object, ObjectSegment};

use crate::boards::Board;
use crate::plan::{Plan, lay_out};

/// What a machine said and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// `None`: it had to be stopped.
    pub(crate) status: Option<u32>,
    pub(crate) console: Vec<u8>,
    /// What was seen of it, if it is a chip.
    pub(crate) points: Vec<Point>,
}

/// Boots a system and waits for its end.
pub(crate) fn boot(board: Board, name: &str, plan: &Plan) -> Run {
    boot_image(board, name, &lay_out(board, plan))
}

/// Boots what lies in memory from the records on.
pub(crate) fn boot_image(board: Board, name: &str, image: &[u8]) -> Run {
    match board.is_chip() {
        true => on_chip(board, Caches::Large, image, 4_000_000),
        false => in_qemu(board, name, image),
    }
}

fn in_qemu(board: Board, name: &str, image: &[u8]) -> Run {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("{}-{name}.system", board.0));
    std::fs::write(&file, image).unwrap();
    let qemu = board.file()["qemu"].as_table().unwrap().clone();
    let arguments = qemu["arguments"].as_array().unwrap();
    // a machine that hangs fails the test
    let output = Command::new("timeout")
        .args(["60", qemu["command"].as_str().unwrap()])
        .args(arguments.iter().map(|argument| argument.as_str().unwrap()))
        .arg("-kernel")
        .arg(&board.build().kernel)
        .arg("-device")
        .arg(format!(
            "loader,file={},addr={:#x},force-raw=on",
            file.display(),
            board.records()
        ))
        .output()
        .unwrap();
    Run {
        status: output.status.code().map(|code| code as u32),
        console: output.stdout,
        points: Vec::new(),
    }
}

/// Runs a system on the chip, seen from outside.
pub(crate) fn on_chip(board: Board, caches: Caches, image: &[u8], cycles: u64) -> Run {
    let core = if board.has_regions() {
        Core::Pmp
    } else {
        Core::Mmu
    };
    on_core(board, Variant::new(core, caches), image, cycles)
}

/// The same on another chip than the board's, for which its kernel is fine too.
pub(crate) fn on_core(board: Board, chip: Variant, image: &[u8], cycles: u64) -> Run {
    let elf = std::fs::read(&board.build().kernel).unwrap();
    let elf = object::File::parse(&*elf).unwrap();
    let mut bytes = vec![0; (board.records() - board.ram()) as usize];
    for segment in elf.segments() {
        let (at, data) = (
            (segment.address() - board.ram()) as usize,
            segment.data().unwrap(),
        );
        bytes[at..at + data.len()].copy_from_slice(data);
    }
    bytes.extend(image);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../soc");
    std::fs::create_dir_all(&folder).unwrap();
    let simulator = Simulator::prepare(&folder, chip).unwrap();
    let mut run = ChipRun::new(Image::raw(bytes).unwrap());
    run.max_cycles = cycles;
    run.watch = Watch::Points;
    let report = simulator.run(&run).unwrap();
    Run {
        status: match report.end {
            End::Exit(status) => Some(status),
            End::OutOfCycles => None,
            End::NoAnswer(address) => panic!("nothing answers at {address:#x}"),
        },
        console: report.output,
        points: report.points,
    }
}

impl Run {
    /// The records of the trace that the kernel sent when the machine stopped.
    pub(crate) fn records(&self) -> Vec<Words> {
        self.console
            .split(|byte| *byte == 0)
            .filter_map(record)
            .collect()
    }

    /// Those of a kind.
    pub(crate) fn of(&self, kind: Kind) -> Vec<Words> {
        let records = self.records().into_iter();
        records
            .filter(|[_, head, ..]| split_head(*head).0 == Some(kind))
            .collect()
    }

    /// What it printed before the trace.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.console).into_owned()
    }
}

/// A record out of a COBS frame without its end.
fn record(frame: &[u8]) -> Option<Words> {
    let (mut out, mut rest) = (Vec::new(), frame);
    while let [length, tail @ ..] = rest {
        let run = tail.get(..usize::from(*length).checked_sub(1)?)?;
        out.extend_from_slice(run);
        rest = &tail[run.len()..];
        if !rest.is_empty() {
            out.push(0);
        }
    }
    if out.len() != FRAME_BYTES || out[0] != FRAME {
        return None;
    }
    let word = |n: usize| u32::from_le_bytes(out[5 + 4 * n..][..4].try_into().unwrap());
    Some([0, 1, 2, 3].map(word))
}
