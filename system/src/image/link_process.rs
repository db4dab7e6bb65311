//! Links the parts of a process at its user addresses.

use crate::file::ProcessSection;
use crate::image::c::Compiled;
use crate::image::compile::{Toolchain, shuffle};
use crate::image::executable::POSIX_MAIN;
use crate::problem::{Problem, Refusal};
use giornata_abi::Record;
use giornata_abi::process::{
    CONSTRUCTORS_SYMBOLS, FILTER_SYMBOL, FILTERS_SYMBOL, GRANTS_SYMBOL, Grants,
    LOCAL_START_SYMBOLS, LOCALS_SYMBOLS, RESTARTABLE_BLOCK, RESTARTABLE_SYMBOLS, START_SYMBOLS,
    TABLE_SYMBOL,
};
use giornata_abi::rate::Rate;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The symbol of a trace reader's cursor.
pub(crate) const CURSOR_SYMBOL: &str = "GIORNATA_TRACE_CURSOR";

/// The symbol where the linked data begins.
pub(crate) const DATA_SYMBOL: &str = "__giornata_data";
/// The symbol after the zeroed data.
pub(crate) const END_SYMBOL: &str = "__giornata_end";

/// Functions of the C library that the runtime of programs after POSIX calls in their place
/// (`stream.c`, `printf.c` and `scanf.c` in `user/posix/runtime`).
const WRAPPED: [&str; 5] = ["fputs", "fwrite", "puts", "vfprintf", "vfscanf"];

/// Where a process is linked, and what it is told of its grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// Address of its code.
    pub(crate) text: u32,
    /// Address of its constants; the page behind its code if it does not matter.
    pub(crate) rodata: Option<u32>,
    /// Address of its data; the page behind its constants if it does not matter.
    pub(crate) data: Option<u32>,
    /// How its clock counts.
    pub(crate) rate: Rate,
    /// Address of the trace ring; 0 = not granted.
    pub(crate) ring: u32,
    /// Records that it holds; 0 = not granted.
    pub(crate) records: u32,
    /// Address of the kernel's records, and their bytes; 0 = not granted.
    pub(crate) inspected: (u32, u32),
    /// Addresses of its devices, and their bytes.
    pub(crate) devices: Vec<(u32, u32)>,
    /// The words of its filters; `None`: it has none.
    pub(crate) filters: Option<Vec<u32>>,
}

/// The words that lie beside the constants of a process: its grants.
fn grants(site: &Site) -> Vec<u32> {
    let (addresses, lengths): (Vec<u32>, Vec<u32>) = site.devices.iter().copied().unzip();
    let devices = site.devices.len() as u32;
    let grants = Grants {
        rate: site.rate,
        trace_ring: site.ring,
        trace_records: site.records,
        devices,
        kernel_records: site.inspected.1,
    };
    let mut bytes = Vec::new();
    grants.append_to(&mut bytes);
    let words = bytes.chunks_exact(4);
    let words = words.filter_map(|word| Some(u32::from_le_bytes(word.try_into().ok()?)));
    let inspected = Some(site.inspected.0).filter(|_| site.inspected.1 > 0);
    [
        words.collect(),
        addresses,
        lengths,
        inspected.into_iter().collect(),
    ]
    .concat()
}

/// Sections in the order of protection: code, constants, data. Each begins a
/// page, or a region, of its own, with the rights of one section. A word that is
/// no instruction ends the code, so that nobody fetches what lies behind it. Call frame
/// information is for the host, as all of debugging: no memory of the process has it.
fn script(site: &Site, is_posix: bool) -> String {
    // (a process without a C library does not end by itself)
    let destructors = match is_posix {
        true => {
            "PROVIDE(__fini_array_start = .);
    KEEP(*(SORT_BY_INIT_PRIORITY(.fini_array.*))) KEEP(*(.fini_array))
    PROVIDE(__fini_array_end = .);"
        }
        false => "",
    };
    let at = |place: Option<u32>| place.map_or("ALIGN(4096)".into(), |at| format!("{at:#x}"));
    let [begin, end, all] = LOCALS_SYMBOLS;
    let [constructors, constructors_end] = CONSTRUCTORS_SYMBOLS;
    let grants = grants(site).into_iter();
    let long = |word: u32| format!("LONG({word:#x})");
    let grants: Vec<String> = grants.map(long).collect();
    let filters = site.filters.iter().map(|words| {
        let words: Vec<String> = words.iter().copied().map(long).collect();
        format!("\n    {FILTERS_SYMBOL} = .; {}", words.join(" "))
    });
    let filters: String = filters.collect();
    let rodata = format!(
        "  . = {};
  .rodata : {{ *(.rodata .rodata.* .srodata .srodata.*) *(.data.rel.ro .data.rel.ro.*) *(.got .got.*)
    . = ALIGN(8); {constructors} = .;
    KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*))) KEEP(*(.init_array))
    {constructors_end} = .;
    {destructors}
    . = ALIGN(4); {GRANTS_SYMBOL} = .; {}{filters} }}
  .tdata : ALIGN(8) {{ *(.tdata .tdata.*) . = ALIGN(8); }}
  .tbss : {{ *(.tbss .tbss.*) . = ALIGN(8); }}
  {begin} = ADDR(.tdata);
  {end} = ADDR(.tdata) + SIZEOF(.tdata);
  {all} = SIZEOF(.tdata) + SIZEOF(.tbss);
",
        at(site.rodata),
        grants.join(" "),
    );
    let data = format!(
        "  . = {};
  {DATA_SYMBOL} = .;
  .data : {{ *(.data .data.* .sdata .sdata.*) }}
  . = ALIGN(8);
  .bss : {{ *(.sbss .sbss.* .bss .bss.* COMMON) }}
  . = ALIGN(8);
  {END_SYMBOL} = .;
",
        at(site.data),
    );
    let [begin, end] = RESTARTABLE_SYMBOLS;
    // (the linker wants what lies in one file segment in the order of its addresses)
    let [first, second] = match (site.data, site.rodata) {
        (Some(low), Some(high)) if low < high => [data, rodata],
        _ => [rodata, data],
    };
    format!(
        "SECTIONS {{
  . = {:#x};
  .text : {{
    . = ALIGN({RESTARTABLE_BLOCK});
    {begin} = .;
    *(.text.giornata_restartable.*)
    {end} = .;
    *(.text .text.*)
    . = ALIGN(4);
    LONG(0)
  }}
{first}{second}  .eh_frame (INFO) : {{ *(.eh_frame) }}
  /DISCARD/ : {{ *(.eh_frame_hdr .comment .note.* .llvmbc .llvmcmd) }}
}}
",
        site.text,
    )
}

/// What a process is linked of.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// What came of its C sources.
    pub(crate) c: Compiled,
    /// Its crate, or what C sources alone need.
    pub(crate) archive: PathBuf,
}

/// Links the parts of a process to an executable at `output`. Its filters call `filters`.
pub(crate) fn link(
    toolchain: &Toolchain,
    section: &ProcessSection,
    filters: &[&str],
    parts: &Parts,
    site: &Site,
    output: &Path,
) -> Result<(), Refusal> {
    let path = output.with_extension("ld");
    let script_error = |error| {
        Problem::new(
            format!("cannot write {}: {error}", path.display()),
            "free the disk",
        )
    };
    std::fs::write(&path, script(site, section.code.is_posix)).map_err(script_error)?;
    let mut command = Command::new(toolchain.linker()?);
    command.args([
        "-flavor",
        "gnu",
        "--gc-sections",
        "--fatal-warnings",
        "--build-id=none",
    ]);
    command.args(shuffle(toolchain.order));
    command.args(["--entry=0", "-T"]).arg(&path);
    for root in START_SYMBOLS.iter().chain(&[TABLE_SYMBOL, CURSOR_SYMBOL]) {
        command.args(["-u", root]);
    }
    if site.filters.is_some() {
        command.args(["-u", FILTER_SYMBOL]);
    }
    // only compilers of C make thread-local variables
    let locals = LOCAL_START_SYMBOLS.iter();
    for root in locals.filter(|_| !parts.c.objects.is_empty()) {
        command.args(["-u", root]);
    }
    // a thread of the C sources is needed though nothing calls it, and what a filter calls
    let threads = section.threads.iter();
    let threads = threads.map(|thread| thread.name.get_ref().as_str());
    let needed = threads.chain(filters.iter().copied());
    for name in needed.filter(|_| !parts.c.objects.is_empty()) {
        command.args(["-u", name]);
    }
    if section.code.is_posix {
        command.args(["-u", POSIX_MAIN]);
        command.args(WRAPPED.map(|name| format!("--wrap={name}")));
    }
    command.arg("-o").arg(output);
    // (the library calls what the archive has, and the other way round)
    command.args(&parts.c.objects).arg("--start-group");
    command
        .arg(&parts.archive)
        .args(&parts.c.library)
        .arg("--end-group");
    let result = command
        .output()
        .map_err(|error| Problem::new(format!("cannot run rust-lld: {error}"), ""))?;
    if result.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&result.stderr);
    let name = section.name.get_ref();
    let reason = format!("process `{name}` does not link: {}", message.trim());
    let mend = match (&section.code.package, parts.c.objects.is_empty()) {
        (_, true) => "a process is `no_std` and calls nothing outside its crates",
        (None, false) if section.code.is_posix => {
            "docs/posix.md says which functions of POSIX there are"
        }
        (None, false) => {
            "there is no C library without `posix = true`; what there is, <giornata.h> declares"
        }
        (Some(_), false) => {
            "for <giornata.h>, the crate depends on `giornata-c` and says `extern crate giornata_c as _;`"
        }
    };
    Err(Problem::new(reason, mend).into())
}
