//! A board: memory map and clocks, read from `boards/NAME.toml`.

mod needs;
mod overlap;

use crate::board_keys::BOARD;
use crate::config;
use crate::file::SystemFile;
use crate::problem::{Findings, Problem, Refusal, suggest, utf8};
use crate::section::{self, Section, as_text};
use giornata_abi::rate::Rate;
use overlap::Region;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Stack pointers are multiples of this, by the calling convention.
const STACK_GRAIN: u32 = 16;
/// The granularity of protection: mappings cover whole pages.
pub const PAGE: u32 = 4096;

/// What a board is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its name.
    pub name: String,
    /// Which file it is from, for the kernel's build script: a name of `boards/`, or the
    /// path of another file without its extension.
    pub selector: String,
    /// How user mode is confined.
    pub protection: Protection,
    /// What processes are compiled for.
    pub target: String,
    /// What the kernel is compiled for.
    pub kernel_target: String,
    /// Which parts of the kernel it takes: features of the image's crate.
    pub kernel_features: Vec<String>,
    /// Records of its task manager; 0 without one.
    pub task_records: u16,
    /// Harts that the kernel runs on.
    pub harts: u32,
    /// Where the kernel's image lies: first address and bytes.
    pub kernel: (u32, u32),
    /// Where the records of the system begin: where the kernel's memory ends.
    pub system: u32,
    /// Ticks a second of its timer.
    pub timer_hertz: u32,
    /// How that counts.
    pub rate: Rate,
    /// Where memory begins.
    pub memory_base: u32,
    /// Bytes of memory.
    pub memory_size: u32,
    /// Its devices, in the order of the file.
    pub devices: Vec<Device>,
    /// The program that stands in for it.
    pub emulator: Option<Emulator>,
}

/// The part of the kernel that runs on several harts.
const HARTS: &str = "harts";
/// The part of the kernel that runs stream graphs.
const STREAMS: &str = "streams";

/// What confines user mode, and in which format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Page tables of three levels; 64 bit.
    Sv39,
    /// Page tables of two levels; 32 bit.
    Sv32,
    /// Regions of the PMP, naturally aligned powers of two; 32 bit.
    Pmp {
        /// Bytes of the smallest region.
        grain: u32,
    },
}

/// How a board is emulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulator {
    /// The program.
    pub command: String,
    /// Its arguments; `-kernel` and the image come behind them.
    pub arguments: Vec<String>,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Physical address of its registers.
    pub base: u32,
    /// Bytes of them.
    pub size: u32,
    /// Its line at the interrupt controller.
    pub interrupt: Option<u16>,
    /// The kernel's own: granted to nobody.
    pub kernel: bool,
    /// How it is driven, where the board's file says so.
    pub kind: Option<Kind>,
}

/// What kind of device its registers make it: which driver of `user/servers`
/// knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data and line status of a 16550, registers of one byte.
    Ns16550,
    /// A slot for VirtIO devices, by MMIO.
    Virtio,
}

impl Kind {
    /// All, by their names in board files.
    pub(crate) const NAMES: [(&'static str, Kind); 2] =
        [("ns16550", Kind::Ns16550), ("virtio", Kind::Virtio)];

    /// Its name in board files.
    pub fn name(self) -> &'static str {
        let found = Kind::NAMES.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }
}

impl Protection {
    /// Names in board files, with the architectures that have them.
    pub(crate) const NAMES: [(&'static str, &'static str); 3] =
        [("sv39", "rv64"), ("sv32", "rv32"), ("pmp", "rv32")];

    /// Bytes of a pointer on such a board.
    pub fn word(self) -> u32 {
        match self {
            Protection::Sv39 => 8,
            Protection::Sv32 | Protection::Pmp { .. } => 4,
        }
    }

    /// What is granted with registers of `size` bytes at `base`: first address
    /// and bytes of the pages, or of the region, that cover them.
    fn cover(self, base: u32, size: u32) -> (u32, u32) {
        let end = u64::from(base) + u64::from(size);
        let Protection::Pmp { grain } = self else {
            let first = base / PAGE * PAGE;
            let end = end.next_multiple_of(u64::from(PAGE));
            return (first, (end - u64::from(first)) as u32);
        };
        let mut bytes = u64::from(grain);
        while u64::from(base) / bytes != (end - 1) / bytes {
            bytes *= 2;
        }
        ((u64::from(base) / bytes * bytes) as u32, bytes as u32)
    }

    /// Bytes of memory that a stack of at least `bytes` takes; a private one has a
    /// region of its own where there are regions.
    pub fn stack(self, bytes: u32, is_private: bool) -> u32 {
        match self {
            Protection::Sv39 | Protection::Sv32 => bytes.next_multiple_of(PAGE),
            Protection::Pmp { grain } if is_private => bytes.next_power_of_two().max(grain),
            Protection::Pmp { .. } => bytes.max(1).next_multiple_of(STACK_GRAIN),
        }
    }
}

impl Board {
    /// What records of the kernel are laid for, if it runs streams or not.
    pub fn laid_for(&self, streams: bool) -> giornata_records::Target {
        giornata_records::Target {
            width: self.protection.word() as usize,
            several: self.harts > 1,
            streams,
        }
    }

    /// Features of the kernel's binary for this board in a configuration, with streams or not.
    pub fn features_of(&self, config: &str, streams: bool) -> impl Iterator<Item = &str> {
        let parts = config::parts(config).iter().copied();
        let several = (self.harts > 1).then_some(HARTS);
        let features = self.kernel_features.iter().map(String::as_str);
        let streams = streams.then_some(STREAMS);
        features.chain(parts).chain(several).chain(streams)
    }

    /// Reads the board that a system file names, or `other` instead: by its name in
    /// `root`'s `boards/`, or by the path of a file, from the system file on, `other` from
    /// the current folder on.
    pub fn of(file: &SystemFile, root: &Path, other: Option<&str>) -> Result<Board, Refusal> {
        let word = other.unwrap_or(file.board.get_ref());
        let own = is_path(word).then(|| match other {
            Some(path) => PathBuf::from(path),
            None => file.relative(word),
        });
        let Some(path) = own else {
            return Board::named(word, root).map_err(|refusal| match Board::known(root) {
                // what the file says of it is wrong, or it is not there
                known if known.iter().any(|known| known == word) => refusal,
                known => missing(word, &known)
                    .at(&file.source, file.board.span())
                    .into(),
            });
        };
        let bytes = std::fs::read(&path).map_err(|error| {
            let reason = format!("the board file {} cannot be read: {error}", path.display());
            let mend = "give its path from the system file on, or the name of a board";
            Problem::new(reason, mend).at(&file.source, file.board.span())
        })?;
        let board = Board::parse(&path, &utf8(&path, bytes)?)?;
        let whole = std::path::absolute(&path).unwrap_or(path);
        Ok(Board {
            selector: whole.with_extension("").to_string_lossy().into_owned(),
            ..board
        })
    }

    /// Reads the board of a name.
    pub fn named(name: &str, root: &Path) -> Result<Board, Refusal> {
        let path = root.join("boards").join(format!("{name}.toml"));
        let bytes = std::fs::read(&path).map_err(|_| missing(name, &Board::known(root)))?;
        let board = Board::parse(&path, &utf8(&path, bytes)?)?;
        Ok(Board {
            selector: name.into(),
            ..board
        })
    }

    /// The names of the boards in `root`'s `boards/`, in order.
    pub fn known(root: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(root.join("boards"));
        let mut names: Vec<String> = (entries.into_iter().flatten().flatten())
            .map(|e| e.path())
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
            .filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }

    /// Reads a board file's text.
    pub fn parse(path: &Path, text: &str) -> Result<Board, Refusal> {
        let mut findings = Findings::about(path, text);
        let board = section::read_text(&mut findings, text, &BOARD, |findings, top| {
            board(findings, &top)
        });
        match board {
            Some(board) => findings.conclude(board),
            None => Err(findings.conclude(()).err().unwrap_or_else(|| {
                Problem::new(
                    "the board file is incomplete",
                    "give name, target, timer-hertz and [memory]",
                )
                .into()
            })),
        }
    }

    /// The device of this name.
    pub fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|d| d.name == name)
    }

    /// What a process gets that is granted a device: first address and bytes.
    pub fn extent(&self, device: &Device) -> (u32, u32) {
        self.protection.cover(device.base, device.size.max(1))
    }

    /// The device at an interrupt line.
    pub fn device_at(&self, interrupt: u16) -> Option<&Device> {
        self.devices.iter().find(|d| d.interrupt == Some(interrupt))
    }

    /// The names of the devices that can be granted.
    pub fn grantable(&self) -> impl Iterator<Item = &str> {
        self.devices
            .iter()
            .filter(|d| !d.kernel)
            .map(|d| d.name.as_str())
    }
}

/// Whether a word means a file, not a name.
fn is_path(word: &str) -> bool {
    word.ends_with(".toml") || word.contains('/')
}

fn missing(name: &str, known: &[String]) -> Problem {
    let mend = suggest(name, known.iter().map(String::as_str));
    Problem::new(format!("there is no board \"{name}\""), mend)
}

fn board(findings: &mut Findings, top: &Section<'_>) -> Option<Board> {
    top.refuse_unknown(findings);
    let name = top.needed(findings, "name", "\"qemu-virt64\"");
    let arch = top.needed(findings, "arch", "\"rv64\"");
    let protection = top.needed(findings, "protection", "\"sv39\"");
    let target = top.needed(findings, "target", "\"riscv64gc-unknown-none-elf\"");
    let hertz = top.number(findings, "timer-hertz");
    let rate = hertz
        .as_ref()
        .and_then(|hertz| Rate::new(*hertz.get_ref() as u32));
    if rate.is_none() {
        findings.refuse(
            0..0,
            "the board has no timer frequency",
            "add `timer-hertz = 10_000_000`",
        );
    }
    let memory = top.section(findings, "memory");
    if memory.is_none() {
        findings.refuse(
            0..0,
            "the board has no memory",
            "add `[memory]` with `base` and `size`",
        );
    }
    let memory = memory?;
    let (memory_base, memory_size) = extent(findings, &memory)?;
    let kernel = top.section(findings, "kernel");
    if kernel.is_none() {
        findings.refuse(
            0..0,
            "the board has no place for a kernel",
            "add `[kernel]` with `target`, `base`, `size`",
        );
    }
    let kernel = kernel?;
    let kernel_target = kernel.needed(findings, "target", "\"riscv64imac-unknown-none-elf\"");
    let kernel_features = texts(findings, &kernel, "features");
    let task_records = kernel.number(findings, "task-records");
    let harts = kernel.needed_number(findings, "harts", "1");
    let kernel_extent = extent(findings, &kernel)?;
    let devices = top.sections(findings, "devices");
    let devices = devices.into_iter().filter_map(|(name, section)| {
        let read = device(findings, name.into_inner(), &section)?;
        Some((read, section.span()))
    });
    let devices: Vec<(Device, Range<usize>)> = devices.collect();
    let region = |title: &str, (base, size): (u32, u32), span: Range<usize>| Region {
        title: title.into(),
        base,
        size,
        span,
    };
    let memory = region("the memory", (memory_base, memory_size), memory.span());
    let regions = devices.iter().map(|(device, span)| {
        let title = format!("device `{}`", device.name);
        region(&title, (device.base, device.size), span.clone())
    });
    let kernel_region = region("the kernel", kernel_extent, kernel.span());
    overlap::within(findings, &memory, &kernel_region);
    let regions: Vec<Region> = std::iter::once(memory).chain(regions).collect();
    overlap::apart(findings, &regions);
    let devices: Vec<Device> = devices.into_iter().map(|(device, _)| device).collect();
    needs::check(findings, &kernel, kernel_extent, &kernel_features, &devices);
    let emulator = emulator(findings, top);
    let name = name?.into_inner();
    Some(Board {
        selector: name.clone(),
        name,
        protection: read_protection(findings, top, &arch?, &protection?)?,
        target: target?.into_inner(),
        kernel_target: kernel_target?.into_inner(),
        kernel_features,
        task_records: task_records.map_or(0, |records| records.into_inner() as u16),
        harts: harts.map_or(1, |harts| harts.into_inner() as u32),
        kernel: kernel_extent,
        system: kernel_extent.0.saturating_add(kernel_extent.1),
        timer_hertz: hertz?.into_inner() as u32,
        rate: rate?,
        memory_base,
        memory_size,
        devices,
        emulator,
    })
}

fn read_protection(
    findings: &mut Findings,
    top: &Section<'_>,
    arch: &Spanned<String>,
    word: &Spanned<String>,
) -> Option<Protection> {
    let (arch, name) = (arch.get_ref().as_str(), word.get_ref().as_str());
    match (name, arch) {
        ("sv39", "rv64") => Some(Protection::Sv39),
        ("sv32", "rv32") => Some(Protection::Sv32),
        ("pmp", "rv32") => Some(Protection::Pmp {
            grain: grain(findings, top)?,
        }),
        _ => {
            let known = Protection::NAMES.map(|(name, arch)| format!("\"{name}\" ({arch})"));
            let reason = format!("no {arch} board is protected by \"{name}\"");
            findings.refuse(
                word.span(),
                reason,
                format!("there are {}", known.join(", ")),
            );
            None
        }
    }
}

/// Bytes of the smallest region of the PMP; 64 at least, so that the kernel's
/// copies lie in two regions at most.
fn grain(findings: &mut Findings, top: &Section<'_>) -> Option<u32> {
    let size = top.size(findings, "region-grain");
    let bytes = size.as_ref().map_or(0, |size| *size.get_ref());
    if (64..=1 << 20).contains(&bytes) && bytes.is_power_of_two() {
        return Some(bytes as u32);
    }
    findings.refuse(
        size.map_or(0..0, |size| size.span()),
        "regions need the size of the smallest one",
        "add `region-grain = 256`: a power of two from 64 on",
    );
    None
}

fn emulator(findings: &mut Findings, top: &Section<'_>) -> Option<Emulator> {
    let section = top.section(findings, "qemu")?;
    let command = section.needed(findings, "command", "\"qemu-system-riscv64\"")?;
    let arguments = texts(findings, &section, "arguments");
    Some(Emulator {
        command: command.into_inner(),
        arguments,
    })
}

/// A list of strings; empty if there is none.
fn texts(findings: &mut Findings, section: &Section<'_>, key: &str) -> Vec<String> {
    let values = section.list(findings, key);
    let texts = values
        .into_iter()
        .filter_map(|value| as_text(findings, value, &format!("an entry of `{key}`")));
    texts.map(Spanned::into_inner).collect()
}

fn device(findings: &mut Findings, name: String, section: &Section<'_>) -> Option<Device> {
    let (base, size) = extent(findings, section)?;
    let interrupt = section
        .number(findings, "irq")
        .map(|n| n.into_inner() as u16);
    let kernel = section.flag(findings, "kernel").unwrap_or(false);
    let kind = section.text(findings, "kind");
    let kind = kind.and_then(|name| kind_of(findings, &name));
    Some(Device {
        kind,
        name,
        base,
        size,
        interrupt,
        kernel,
    })
}

fn kind_of(findings: &mut Findings, name: &Spanned<String>) -> Option<Kind> {
    let text = name.get_ref().as_str();
    let found = Kind::NAMES.iter().find(|(known, _)| *known == text);
    if found.is_none() {
        let reason = format!("there is no driver for a device of kind \"{text}\"");
        let mend = suggest(text, Kind::NAMES.map(|(known, _)| known));
        findings.refuse(name.span(), reason, mend);
    }
    found.map(|(_, kind)| *kind)
}

/// `base` and `size`, below 4 GiB.
fn extent(findings: &mut Findings, section: &Section<'_>) -> Option<(u32, u32)> {
    let base = section.number(findings, "base");
    let size = section.size(findings, "size");
    let (Some(base), Some(size)) = (base, size) else {
        findings.refuse(
            section.span(),
            "a region needs `base` and `size`",
            "add `base = 0x8000_0000` and `size = \"128M\"`",
        );
        return None;
    };
    let (base, size) = (base.into_inner(), size.into_inner());
    if base + size > u64::from(u32::MAX) {
        findings.refuse(
            section.span(),
            "the region leaves the first 4 GiB",
            "addresses are 32 bits wide here",
        );
        return None;
    }
    Some((base as u32, size as u32))
}
