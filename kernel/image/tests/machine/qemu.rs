//! Builds the kernel and the programs, runs them in QEMU, reads the trace.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use giornata_abi::Record;
use giornata_abi::trace::{TraceKind, TraceRecord};
use object::{Object, ObjectSegment, ObjectSymbol};

use crate::system::{Plan, SYSTEM, lay_out};

const KERNEL_TARGET: &str = "riscv64imac-unknown-none-elf";
const USER_TARGET: &str = "riscv64gc-unknown-none-elf";

/// What the tests run: built once.
struct Build {
    kernel: PathBuf,
    folder: PathBuf,
    text: Vec<u8>,
    symbols: HashMap<String, u32>,
}

/// What a machine said and how it ended.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) console: Vec<u8>,
    pub(crate) records: Vec<TraceRecord>,
}

fn build() -> &'static Build {
    static BUILD: OnceLock<Build> = OnceLock::new();
    BUILD.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let kernel = build_kernel(&folder);
        let programs = build_programs(&folder);
        let elf = std::fs::read(programs).unwrap();
        let elf = object::File::parse(&*elf).unwrap();
        let text = elf.segments().find(|s| s.address() == 0x1000_0000).unwrap();
        let symbols = elf
            .symbols()
            .map(|s| (s.name().unwrap().to_string(), s.address() as u32))
            .collect();
        Build {
            kernel,
            text: text.data().unwrap().to_vec(),
            symbols,
            folder,
        }
    })
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The kernel as it ships: the release build.
fn build_kernel(folder: &Path) -> PathBuf {
    let target = folder.join("kernel");
    run(Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "-p",
            "giornata-image",
            "--bin",
            "giornata-image",
        ])
        .args(["--target", KERNEL_TARGET])
        .env("CARGO_TARGET_DIR", &target));
    target.join(KERNEL_TARGET).join("release/giornata-image")
}

fn build_programs(folder: &Path) -> PathBuf {
    let out = folder.join("programs.elf");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/programs.rs");
    run(Command::new("rustc")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args([
            "--edition",
            "2024",
            "--target",
            USER_TARGET,
            "-C",
            "panic=abort",
            "-O",
        ])
        .args([
            "-C",
            "link-arg=-Ttext=0x10000000",
            "-C",
            "link-arg=--no-relax",
        ])
        .arg("-o")
        .arg(&out)
        .arg(source));
    out
}

/// Address of a program.
pub(crate) fn address(program: &str) -> u32 {
    build().symbols[program]
}

/// Address of a symbol of the kernel.
pub(crate) fn kernel_address(symbol: &str) -> u32 {
    let kernel = std::fs::read(&build().kernel).unwrap();
    let kernel = object::File::parse(&*kernel).unwrap();
    let found = kernel.symbols().find(|s| s.name() == Ok(symbol));
    found.unwrap().address() as u32
}

/// Boots a system and waits for its end.
pub(crate) fn boot(name: &str, plan: &Plan) -> Run {
    boot_image(name, &lay_out(plan, &build().text))
}

/// Boots what lies in memory beside the kernel.
pub(crate) fn boot_image(name: &str, image: &[u8]) -> Run {
    let build = build();
    let file = build.folder.join(format!("{name}.system"));
    std::fs::write(&file, image).unwrap();
    // a machine that hangs fails the test
    let Output { status, stdout, .. } = Command::new("timeout")
        .args(["60", "qemu-system-riscv64"])
        .args([
            "-machine",
            "virt",
            "-m",
            "128M",
            "-bios",
            "none",
            "-nographic",
        ])
        .args([
            "-monitor",
            "none",
            "-serial",
            "stdio",
            "-icount",
            "shift=0,sleep=off",
        ])
        .arg("-kernel")
        .arg(&build.kernel)
        .arg("-device")
        .arg(format!(
            "loader,file={},addr={SYSTEM:#x},force-raw=on",
            file.display()
        ))
        .output()
        .unwrap();
    let records = stdout.split(|byte| *byte == 0).filter_map(record).collect();
    Run {
        status: status.code().unwrap(),
        console: stdout,
        records,
    }
}

/// A record out of a COBS frame without its end.
fn record(frame: &[u8]) -> Option<TraceRecord> {
    let (mut out, mut rest) = (Vec::new(), frame);
    while let [length, tail @ ..] = rest {
        let run = tail.get(..usize::from(*length).checked_sub(1)?)?;
        out.extend_from_slice(run);
        rest = &tail[run.len()..];
        if !rest.is_empty() {
            out.push(0);
        }
    }
    TraceRecord::decode(out.get(4..)?)
}

impl Run {
    /// The records of a kind.
    pub(crate) fn of(&self, kind: TraceKind) -> Vec<TraceRecord> {
        self.records
            .iter()
            .filter(|r| r.kind == kind as u8)
            .copied()
            .collect()
    }

    /// The pairs of numbers that programs reported.
    pub(crate) fn reports(&self) -> Vec<(u32, u32)> {
        self.of(TraceKind::Log)
            .iter()
            .map(|r| (r.x as u32, r.y as u32))
            .collect()
    }
}
