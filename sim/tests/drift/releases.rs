//! Releases of one task, again and again, each checked.

use giornata_abi::Instant;
use giornata_abi::time::Timebase;
use giornata_sim::{Simulation, SystemBuilder};
use giornata_test_microcode::assemble;
use giornata_trace::{Content, Expansion};
use std::cell::Cell;

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Releases seen.
    pub(crate) releases: u64,
    /// Releases at another instant than the exact one.
    pub(crate) wrong: u64,
    /// Most ticks from the last one not behind the instant to the release.
    pub(crate) latest_ticks: u64,
}

/// Makes `count` releases, `period / frequency` nanoseconds apart, on a timer
/// of `hertz` ticks a second.
pub(crate) fn release(count: u64, hertz: u32, period: u64, frequency: u64) -> Outcome {
    let mut b = SystemBuilder::new();
    b.description.timer_hertz = hertz;
    let process = b.process();
    b.task(process, "t", &[], &[]);
    b.program(&assemble(&format!(
        "denominator {frequency}
         task t
         a: release t, {period}ns/{frequency}
            future after({period}ns/{frequency}), a
            return"
    )));
    let system = b.finish();
    let (mut exact, base) = (Exact::new(period, frequency), Timebase::new(hertz));
    let outcome = Cell::new(Outcome::default());
    let mut expansion = Expansion::new(hertz);
    let mut seen = Outcome::default();
    let mut simulation = Simulation::new(&system);
    let last = Exact {
        k: count - 1,
        ..exact
    }
    .next();
    simulation.listen(|index, record| {
        expansion.push(index, record, |event| {
            let Content::Release { at, .. } = event.content else {
                return;
            };
            let due = exact.tick(hertz);
            seen.wrong += u64::from(at.0 != exact.next());
            seen.releases += 1;
            seen.latest_ticks = seen.latest_ticks.max(event.tick.0 - due);
            outcome.set(seen);
        });
    });
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

    /// The last tick that does not lie behind the k-th.
    fn tick(&self, hertz: u32) -> u64 {
        let parts = u128::from(self.k) * u128::from(self.period) * u128::from(hertz);
        (parts / (u128::from(self.frequency) * 1_000_000_000)) as u64
    }

    fn next(&mut self) -> u64 {
        let doubled = 2 * u128::from(self.k) * u128::from(self.period);
        self.k += 1;
        ((doubled + u128::from(self.frequency)) / (2 * u128::from(self.frequency))) as u64
    }
}
