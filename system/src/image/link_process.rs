//! Links the archive of a process at its user addresses.

use crate::image::compile::Toolchain;
use crate::place::USER_BASE;
use crate::problem::{Problem, Refusal};
use giornata_abi::process::{START_SYMBOLS, TABLE_SYMBOL};
use std::path::Path;
use std::process::Command;

/// The symbol of a trace reader's cursor.
pub(crate) const CURSOR_SYMBOL: &str = "GIORNATA_TRACE_CURSOR";

/// The symbol where the linked data begins: a page of its own.
pub(crate) const DATA_SYMBOL: &str = "__giornata_data";
/// The symbol after the zeroed data.
pub(crate) const END_SYMBOL: &str = "__giornata_end";

/// Sections in the order of protection: code, constants, data. Each begins a
/// page of its own, so that each page has the rights of one section.
fn script() -> String {
    format!(
        "SECTIONS {{
  . = {USER_BASE:#x};
  .text : {{ *(.text .text.*) }}
  . = ALIGN(4096);
  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) *(.data.rel.ro .data.rel.ro.*) *(.got .got.*) }}
  . = ALIGN(4096);
  {DATA_SYMBOL} = .;
  .data : {{ *(.data .data.* .sdata .sdata.*) }}
  . = ALIGN(8);
  .bss : {{ *(.sbss .sbss.* .bss .bss.* COMMON) }}
  . = ALIGN(8);
  {END_SYMBOL} = .;
  /DISCARD/ : {{ *(.eh_frame .eh_frame_hdr .comment .note.* .llvmbc .llvmcmd) }}
}}
"
    )
}

/// Links `archive` to an executable at `output`.
pub(crate) fn link(
    toolchain: &Toolchain,
    name: &str,
    archive: &Path,
    output: &Path,
) -> Result<(), Refusal> {
    let path = output.with_extension("ld");
    let script_error = |error| {
        Problem::new(
            format!("cannot write {}: {error}", path.display()),
            "free the disk",
        )
    };
    std::fs::write(&path, script()).map_err(script_error)?;
    let mut command = Command::new(toolchain.linker()?);
    command.args([
        "-flavor",
        "gnu",
        "--gc-sections",
        "--fatal-warnings",
        "--build-id=none",
    ]);
    command.args(["--entry=0", "-T"]).arg(&path);
    for root in START_SYMBOLS.iter().chain(&[TABLE_SYMBOL, CURSOR_SYMBOL]) {
        command.args(["-u", root]);
    }
    command.arg("-o").arg(output).arg(archive);
    let result = command
        .output()
        .map_err(|error| Problem::new(format!("cannot run rust-lld: {error}"), ""))?;
    if result.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&result.stderr);
    let reason = format!("process `{name}` does not link: {}", message.trim());
    Err(Problem::new(
        reason,
        "a process is `no_std` and calls nothing outside its crates",
    )
    .into())
}
