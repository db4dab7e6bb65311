//! Releases of one task, again and again, each checked.

use giornata_abi::time::Timebase;
use giornata_abi::trace::{TraceKind, TraceRecord};
use giornata_abi::{Instant, Ticks};
use giornata_sim::{Simulation, Storage, SystemBuilder};
use std::cell::Cell;

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Releases seen.
    pub(crate) releases: u64,
    /// Releases at another instant than the exact one.
    pub(crate) wrong: u64,
    /// Most ticks from the first one not before the instant to the release.
    pub(crate) latest_ticks: u64,
}

/// Makes `count` releases, `period / frequency` nanoseconds apart, on a timer
/// of `hertz` ticks a second.
pub(crate) fn release(count: u64, hertz: u32, period: u64, frequency: u64) -> Outcome {
    let mut b = SystemBuilder::new();
    b.tables.header.timer_hertz = hertz;
    b.tables.header.trace_mask = 1 << TraceKind::Release as u32;
    let process = b.process();
    b.task(process, "t", &[], &[]);
    b.program(&format!(
        "a: release t {period}ns/{frequency}
            future after({period}ns/{frequency}) a
            return"
    ));
    let tables = b.finish();
    let mut storage = Storage::new(&tables.system());
    let (exact, base) = (
        Cell::new(Exact::new(period, frequency)),
        Timebase::new(hertz),
    );
    let outcome = Cell::new(Outcome::default());
    let mut simulation = Simulation::new(&tables, &mut storage);
    simulation.listen(|record: &TraceRecord| {
        let mut seen = outcome.get();
        let (mut sequence, due) = (exact.get(), base.ticks(Instant(record.x)));
        seen.wrong += u64::from(record.x != sequence.next());
        seen.releases += 1;
        seen.latest_ticks = seen.latest_ticks.max(Ticks(record.tick).0 - due.0);
        exact.set(sequence);
        outcome.set(seen);
    });
    let last = Exact {
        k: count - 1,
        ..exact.get()
    }
    .next();
    simulation.run_until(base.instant(base.ticks(Instant(last))));
    drop(simulation);
    outcome.get()
}

/// round(k P / f) for k = 0, 1, 2..., halves up, in integers.
#[derive(Clone, Copy)]
struct Exact {
    period: u64,
    frequency: u64,
    k: u64,
}

impl Exact {
    fn new(period: u64, frequency: u64) -> Exact {
        Exact {
            period,
            frequency,
            k: 0,
        }
    }

    fn next(&mut self) -> u64 {
        let doubled = 2 * u128::from(self.k) * u128::from(self.period);
        self.k += 1;
        ((doubled + u128::from(self.frequency)) / (2 * u128::from(self.frequency))) as u64
    }
}
