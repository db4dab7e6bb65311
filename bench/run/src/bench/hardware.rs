//! The suite `hardware`: what the cores themselves take, measured by the assembly
//! of `bench/hardware/floor.s`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use giornata_bench::{Catalogue, Statistics};
use giornata_soc::{Core, Image, Probe, Report, Run};

use super::{Machine, Measurement, folder};
use crate::crates::target_folder;
use crate::process::check;

/// Cycles of the operation that calibrates, and its index in floor.s.
const NOTHING: (u32, u64) = (0, 16);
/// The first spans are those with cold caches.
const COLD: usize = 10;
/// One that only the other core has: its instructions trap here.
const PMP_ONLY: &str = "pmp";
const MMU_ONLY: &str = "atomics";

pub(super) fn measure(catalogue: &Catalogue, machine: &Machine) -> Result<Measurement> {
    let layouts: Vec<Image> = (0..machine.layouts).map(link).collect::<Result<_>>()?;
    let hash = layouts.first().context("a layout")?.hash();
    let circumstances = machine.circumstances(hash);
    let mut rows = Vec::new();
    for (index, operation) in (1..).zip(&catalogue.operations) {
        let lacking = match machine.chip.variant.core {
            Core::Mmu => Some(PMP_ONLY),
            Core::Pmp => Some(MMU_ONLY),
            Core::Smp(_) => None,
        };
        if lacking == Some(operation.op.as_str()) {
            continue;
        }
        let samples: Vec<Vec<u64>> = layouts
            .iter()
            .map(|image| samples(machine, image, index))
            .collect::<Result<_>>()?;
        let statistics = Statistics::over_layouts(&samples).context(operation.op.clone())?;
        rows.push(catalogue.row(&operation.op, &circumstances, statistics, None)?);
    }
    Ok((rows, Vec::new()))
}

/// The program with its sections in one of many orders; 0 is that of the file,
/// since the linker takes 0 for any order.
fn link(seed: u32) -> Result<Image> {
    let sources = folder("hardware");
    let elf = target_folder().join(format!("floor-{seed}.elf"));
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let shuffle = (seed > 0).then(|| format!("-Clink-arg=--shuffle-sections=.text.op_*={seed}"));
    check(
        Command::new(rustc)
            .current_dir(&sources)
            .args(["--edition", "2024", "--crate-type", "bin", "-Cpanic=abort"])
            .args(["--target", "riscv32imac-unknown-none-elf"])
            .args(["-Clink-arg=-Tfloor.ld"])
            .args(shuffle)
            .arg("-o")
            .arg(&elf)
            .arg("floor.rs"),
    )?;
    Ok(Image::read(&elf)?)
}

/// Spans of an operation, without what the probes cost.
fn samples(machine: &Machine, image: &Image, index: u32) -> Result<Vec<u64>> {
    let run = |argument| -> Result<Report> {
        machine.simulate(Run {
            argument,
            ..Run::new(image.clone())
        })
    };
    let nothing = run(NOTHING.0)?.between(1, 2);
    let overhead = nothing.last().context("no span of nothing")? - NOTHING.1;
    let report = run(index)?;
    let spans: Vec<u64> = match report.between(1, 2) {
        spans if spans.is_empty() => latencies(&report.probes),
        spans => spans
            .iter()
            .map(|span| span.saturating_sub(overhead))
            .collect(),
    };
    ensure!(
        spans.len() > COLD,
        "operation {index} has {} spans",
        spans.len()
    );
    Ok(spans[COLD..].to_vec())
}

/// From the rise of a line, which the second probe of a pair tells, to the first.
fn latencies(probes: &[Probe]) -> Vec<u64> {
    probes
        .chunks_exact(2)
        .map(|pair| pair[0].cycle.saturating_sub(u64::from(pair[1].id)))
        .collect()
}
