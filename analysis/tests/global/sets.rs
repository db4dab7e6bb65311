//! Sets of tasks, all from a seed.

use giornata_abi::Duration;
use giornata_analysis::Periodic;
use giornata_analysis::global::Sporadic;

/// Period, deadline and time.
pub(crate) type Row = (u64, u64, u64);

pub(crate) fn sporadic(rows: &[Row]) -> Vec<Sporadic> {
    tasks(rows).into_iter().map(Sporadic::from).collect()
}

pub(crate) fn tasks(rows: &[Row]) -> Vec<Periodic> {
    let task = |(number, (period, deadline, time)): (usize, &Row)| Periodic {
        task: number as u16,
        period: Duration(*period),
        deadline: Duration(*deadline),
        time: Duration(*time),
    };
    rows.iter().enumerate().map(task).collect()
}
