//! The kernel in QEMU, watched instruction by instruction.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use giornata_bounds::{Analysis, Bounds, Watch};

use giornata_launch::image::{Host, Image};
use giornata_launch::processor;

/// Runs an image to its end and answers the most instructions of a stretch of
/// each kind of entry.
///
/// # Errors
/// The board runs in no emulator; the kernel executes what the bounds leave out.
pub(super) fn watch(image: &Image, analysis: &Analysis, bounds: &Bounds) -> Result<Vec<u64>> {
    let Host::Emulator(emulator) = &image.host else {
        bail!("only a kernel in QEMU can be watched instruction by instruction");
    };
    let code = analysis.code();
    let mut child = processor::spawn(
        Command::new(&emulator.command)
            .args(&emulator.arguments)
            // one instruction a block, and a line for each of the kernel's
            .args(["-singlestep", "-d", "exec,nochain", "-dfilter"])
            .arg(format!("{:#x}..{:#x}", code.start, code.end - 1))
            .arg("-kernel")
            .arg(&image.elf)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    )
    .with_context(|| format!("{} cannot be started", emulator.command))?;
    let log = child.stderr.take().context("the log of the machine")?;
    let mut watch = Watch::new(analysis, bounds);
    let mut log = BufReader::with_capacity(1 << 16, log);
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line)? > 0 {
        match Line::read(&line) {
            Line::Executes(address) => watch.see(address),
            Line::Stopped => watch.take_back(),
            Line::Other => {}
        }
        line.clear();
    }
    child.wait()?;
    watch.most().map_err(|place| {
        anyhow!("the kernel executes what is not in its graph: {place}; the bounds are wrong")
    })
}

/// A line of the emulator's log.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// `Trace 0: HOST [BASE/ADDRESS/FLAGS/FLAGS] NAME`
    Executes(u64),
    /// `Stopped execution of TB chain before HOST [ADDRESS] NAME`
    Stopped,
    /// Anything else.
    Other,
}

impl Line {
    fn read(line: &[u8]) -> Line {
        if line.starts_with(b"Stopped execution") {
            return Line::Stopped;
        }
        if !line.starts_with(b"Trace ") {
            return Line::Other;
        }
        let mut parts = line.split(|byte| *byte == b'/');
        let address = parts.nth(1).and_then(|part| std::str::from_utf8(part).ok());
        let address = address.and_then(|text| u64::from_str_radix(text, 16).ok());
        address.map_or(Line::Other, Line::Executes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_log_are_told_apart() {
        let executes = b"Trace 0: 0x7f2a34000100 [00000000/0000000080000044/00000103/ff02] f\n";
        assert_eq!(Line::read(executes), Line::Executes(0x8000_0044));
        let stopped = b"Stopped execution of TB chain before 0x7f2a34000100 [80000044] f\n";
        assert_eq!(Line::read(stopped), Line::Stopped);
        assert_eq!(Line::read(b"qemu: a warning / a word\n"), Line::Other);
    }
}
