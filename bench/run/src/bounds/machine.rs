//! The kernel in QEMU, watched instruction by instruction.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use giornata_bounds::{Analysis, Bounds, Watch};

use giornata_launch::image::{Host, Image};

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
    let mut child = Command::new(&emulator.command)
        .args(&emulator.arguments)
        // one instruction a block, and a line for each of the kernel's
        .args(["-singlestep", "-d", "exec,nochain", "-dfilter"])
        .arg(format!("{:#x}..{:#x}", code.start, code.end - 1))
        .arg("-kernel")
        .arg(&image.elf)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} cannot be started", emulator.command))?;
    let mut log = child.stderr.take().context("the log of the machine")?;
    let mut watch = Watch::new(analysis, bounds);
    watch.read_log(&mut log)?;
    child.wait()?;
    watch.most().map_err(|place| {
        anyhow!("the kernel executes what is not in its graph: {place}; the bounds are wrong")
    })
}
