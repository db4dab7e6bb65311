//! The suite `promises`: what the example flight-control promises of its actuators.

use anyhow::{Context, Result};
use giornata_bench::{Catalogue, Circumstances, Kind, Statistics};

use super::{Measurement, catalogue};
use crate::promises::{Lags, fly_for_lags};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "promises";
/// How it is measured: an instruction is a nanosecond.
const CONFIG: &str = "icount";
/// Operations with goals.
const LAG: &str = "actuator-lag";
const JITTER: &str = "actuator-jitter";

/// All rows.
pub(super) fn measure(catalogue: &Catalogue) -> Result<Measurement> {
    let flight = fly_for_lags()?;
    let circumstances = Circumstances {
        board: flight.board.into(),
        config: CONFIG.into(),
        elf_hash: flight.kernel_hash,
        clock_hz: flight.timer_hertz,
    };
    let Lags { called, returned } = &flight.lags;
    let jitter = flight.lags.jitter().context("the actuators never wrote")?;
    let row = |op, samples: &[u64]| {
        let statistics = Statistics::of(samples)?;
        catalogue.row(op, &circumstances, statistics, None)
    };
    let jitter = Statistics {
        min: jitter,
        median: jitter,
        max: jitter,
    };
    let rows = vec![
        row(LAG, called)?,
        row("actuator-written", returned)?,
        catalogue.row(JITTER, &circumstances, jitter, None)?,
    ];
    Ok((rows, Vec::new()))
}

/// The lag and the jitter that must not be exceeded, in ticks.
///
/// # Errors
/// The suite's file says none.
pub(crate) fn limits() -> Result<(u64, u64)> {
    let catalogue = catalogue(SUITE)?;
    let must = |op| -> Result<u64> {
        let figures = &catalogue.operation(op)?.figures;
        let must = figures.iter().find(|figure| figure.kind == Kind::Must);
        Ok(must.with_context(|| format!("a goal of `{op}`"))?.value)
    };
    Ok((must(LAG)?, must(JITTER)?))
}
