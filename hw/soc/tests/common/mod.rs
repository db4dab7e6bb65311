//! Simulators and programs of the checks.

use std::path::{Path, PathBuf};
use std::process::Command;

use giornata_soc::{Image, Report, Run, Simulator, Variant};

/// Whether all simulators are built: the compiler takes as long for one as all checks do on it.
pub(crate) fn is_long() -> bool {
    std::env::var_os("GIORNATA_LONG").is_some()
}

/// Where simulators and programs lie: with what else is built.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("soc")
}

pub(crate) fn simulator(variant: Variant) -> Simulator {
    Simulator::prepare(&folder(), variant).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn run(variant: Variant, run: &Run) -> Report {
    let report = simulator(variant).run(run);
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// A program of `tests/program`, compiled by the toolchain itself.
pub(crate) fn compile(name: &str, target: &str) -> Image {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
    let script = sources.join("program.ld");
    let elf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.elf"));
    let status = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-type", "bin", "-Cpanic=abort"])
        .args(["-Copt-level=2", "--target", target])
        .arg(format!("-Clink-arg=-T{}", script.display()))
        .arg("-o")
        .args([&elf, &sources.join(format!("{name}.rs"))])
        .status();
    assert!(status.expect("rustc can be started").success());
    Image::read(&elf).unwrap_or_else(|error| panic!("{error}"))
}
