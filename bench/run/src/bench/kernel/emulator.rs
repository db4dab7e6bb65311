//! What QEMU executes, instruction by instruction: the same sights as of a chip,
//! with counts in the stead of cycles.
//!
//! QEMU is told to translate one instruction at a time and to write down each
//! that it begins. An instruction that it takes back, because an access to a
//! device wants to be the last of its stretch or the time is up, is written
//! twice, with a line between that says so.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use giornata_soc::{Point, Sight};
use giornata_system::{Board, Emulator};
use object::{Object, ObjectSection, SectionKind};

use crate::process::capture;
use giornata_launch::image::Image;

/// A mark, but for its number.
const MARK: u32 = 0x2013;
const MARK_MASK: u32 = 0xF_FFFF;
/// Waits for an interrupt.
const WAIT: u32 = 0x1050_0073;
/// From this version on, QEMU has another word for single instructions.
const NEWER: u32 = 8;

/// Runs an image to its end and answers what was seen.
///
/// # Errors
/// QEMU cannot be started, or the machine ends with another status than 0.
pub(super) fn watch(image: &Image, emulator: &Emulator, board: &Board) -> Result<Vec<Point>> {
    let Emulator { command, arguments } = emulator;
    let mut child = Command::new(command)
        .args(arguments)
        .args(single(command)?)
        .args(["-d", "exec,nochain", "-kernel"])
        .arg(&image.elf)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command} cannot be started; `./x test` installs QEMU"))?;
    let log = child.stderr.take().context("the emulator's log")?;
    let mut watcher = Watcher::of(image, board)?;
    let mut others = Vec::new();
    for line in BufReader::with_capacity(1 << 20, log).lines() {
        let line = line?;
        if !watcher.read(&line) {
            others.push(line);
        }
    }
    let status = child.wait()?;
    ensure!(
        status.success(),
        "the machine ended with {status}: {}",
        others.join("\n")
    );
    Ok(watcher.finish())
}

/// How to ask for one instruction at a time.
fn single(command: &str) -> Result<&'static [&'static str]> {
    let text = capture(Command::new(command).arg("--version"))?;
    let version = text.split("version ").nth(1).unwrap_or_default();
    let mut numbers = version.split(['.', ' ']).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
        bail!("`{command} --version` does not tell a version: {text}");
    };
    Ok(if (major, minor) > (NEWER, 0) {
        &["-accel", "tcg,one-insn-per-tb=on"]
    } else {
        &["-singlestep"]
    })
}

/// Turns lines of the log into points.
struct Watcher {
    kernel: Range<u64>,
    sights: BTreeMap<u64, Sight>,
    points: Vec<Point>,
    /// The instruction that was begun last.
    begun: Option<u64>,
    /// The last one in user mode, if it was the last of all.
    user: Option<u64>,
    count: u64,
}

impl Watcher {
    fn of(image: &Image, board: &Board) -> Result<Watcher> {
        let folder = image.elf.parent().context("the image's folder")?;
        let mut sights = BTreeMap::new();
        find(&image.kernel, |address, word| {
            if word == WAIT {
                sights.insert(address, Sight::Wait);
            }
            Ok(())
        })?;
        for process in &image.names.processes {
            let elf = folder.join(format!("{}.process.elf", process.name));
            find(&elf, |address, word| {
                if word & MARK_MASK == MARK {
                    let sight = Sight::Mark((word >> 20) as u16);
                    let other = sights.insert(address, sight);
                    ensure!(
                        other.is_none_or(|other| other == sight),
                        "two marks at {address:#x}: processes of two crates with marks need a board without translation"
                    );
                }
                Ok(())
            })?;
        }
        let (start, size) = board.kernel;
        Ok(Watcher {
            kernel: u64::from(start)..u64::from(start) + u64::from(size),
            sights,
            points: Vec::new(),
            begun: None,
            user: None,
            count: 0,
        })
    }

    /// Whether the line is one that it understands.
    fn read(&mut self, line: &str) -> bool {
        if let Some(trace) = line.strip_prefix("Trace ") {
            self.settle();
            let pc = trace.split('/').nth(1);
            self.begun = pc.and_then(|pc| u64::from_str_radix(pc, 16).ok());
            return self.begun.is_some();
        }
        let taken_back = line.starts_with("cpu_io_recompile")
            || line.starts_with("Stopped execution of TB chain");
        if taken_back {
            self.begun = None;
        }
        taken_back
    }

    /// The instruction that was begun is executed.
    fn settle(&mut self) {
        let Some(pc) = self.begun.take() else { return };
        let is_user = !self.kernel.contains(&pc);
        // what starts the machine, before the kernel, is neither
        if is_user && self.count == 0 {
            return;
        }
        self.count += 1;
        match (self.user, is_user) {
            (Some(last), false) => self.note(Sight::Enter, self.count - 1, last),
            (None, true) if self.count > 1 => self.note(Sight::Leave, self.count, pc),
            _ => {}
        }
        if let Some(sight) = self.sights.get(&pc).copied() {
            self.note(sight, self.count, pc);
        }
        self.user = is_user.then_some(pc);
    }

    fn note(&mut self, sight: Sight, count: u64, pc: u64) {
        self.points.push(Point {
            sight,
            cycle: count,
            instructions: count,
            pc: pc as u32,
            hart: 0,
        });
    }

    fn finish(mut self) -> Vec<Point> {
        self.settle();
        self.points
    }
}

/// All words of the code of an executable, at every place where one can begin.
fn find(elf: &Path, mut each: impl FnMut(u64, u32) -> Result<()>) -> Result<()> {
    let bytes = std::fs::read(elf).with_context(|| elf.display().to_string())?;
    let file = object::File::parse(&*bytes).with_context(|| elf.display().to_string())?;
    for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
        let code = section.data()?;
        for (index, word) in code.windows(4).enumerate().step_by(2) {
            let word = u32::from_le_bytes(word.try_into()?);
            each(section.address() + index as u64, word)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watcher() -> Watcher {
        Watcher {
            kernel: 0x8000_0000..0x8004_0000,
            sights: BTreeMap::from([(0x1000_0004, Sight::Mark(7))]),
            points: Vec::new(),
            begun: None,
            user: None,
            count: 0,
        }
    }

    fn trace(pc: u64) -> String {
        format!("Trace 0: 0x7f4ca0000100 [00000000/{pc:016x}/00101003/ff020201] ")
    }

    #[test]
    fn entries_exits_and_marks_have_their_counts() {
        let mut watcher = watcher();
        let pcs = [
            0x1000,
            0x8000_0000,
            0x8000_0004,
            0x1000_0000,
            0x1000_0004,
            0x8000_0000,
            0x1000_0008,
        ];
        for pc in pcs {
            assert!(watcher.read(&trace(pc)));
        }
        let seen: Vec<(Sight, u64)> = watcher
            .finish()
            .iter()
            .map(|point| (point.sight, point.instructions))
            .collect();
        assert_eq!(
            seen,
            [
                (Sight::Leave, 3),
                (Sight::Mark(7), 4),
                (Sight::Enter, 4),
                (Sight::Leave, 6),
            ]
        );
    }

    #[test]
    fn what_is_taken_back_counts_once() {
        let mut watcher = watcher();
        for line in [
            trace(0x8000_0000),
            trace(0x8000_0004),
            "cpu_io_recompile: rewound execution of TB to 80000004".into(),
            trace(0x8000_0004),
            trace(0x1000_0000),
        ] {
            assert!(watcher.read(&line));
        }
        assert!(!watcher.read("qemu: something else"));
        assert_eq!(watcher.finish()[0].instructions, 3);
    }
}
