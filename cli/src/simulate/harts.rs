//! On how many harts a system is simulated, and how long each of them was busy.

use giornata_abi::time::Timebase;
use giornata_abi::{Instant, Ticks};
use giornata_system::{Model, NameMap};
use giornata_trace::{Content, Event, share};
use serde_json::{Value, json};

use crate::complaint::Complaint;

/// Harts that a kernel has at most.
const MOST: u32 = 8;

/// Lets so many harts run threads, whatever the board has.
pub(super) fn apply(chosen: Option<u32>, model: &mut Model) -> Result<(), Complaint> {
    let Some(chosen) = chosen else { return Ok(()) };
    let all = chosen + u32::from(model.control_apart);
    if all > MOST {
        let message =
            format!("{chosen} harts and a control hart that is apart are more than {MOST}");
        let help = "take fewer by `--harts`, or a system whose control hart is not apart";
        return Err(Complaint::new("giornata::harts", message, help));
    }
    model.board.harts = all;
    Ok(())
}

/// How many harts of a model run threads.
pub(super) fn running(model: &Model) -> u32 {
    let apart = model.control_apart && model.board.harts > 1;
    model.board.harts - u32::from(apart)
}

/// How long each hart ran a thread.
pub(super) struct Occupancy {
    base: Timebase,
    /// Those of the system; whoever has a number beyond is the kernel's, or idle.
    threads: usize,
    /// By hart: in ticks, up to its last switch.
    busy: Vec<u64>,
    /// By hart: since when it has run a thread.
    since: Vec<Option<Ticks>>,
}

impl Occupancy {
    pub(super) fn new(harts: u32, names: &NameMap) -> Occupancy {
        Occupancy {
            base: Timebase::new(names.timer_hertz),
            threads: names.threads.len(),
            busy: vec![0; harts as usize],
            since: vec![None; harts as usize],
        }
    }

    /// Adds an event. O(1).
    pub(super) fn observe(&mut self, event: &Event) {
        if let Content::Switch { thread, .. } = event.content {
            let runs = thread.is_some_and(|thread| usize::from(thread) < self.threads);
            self.switch(event.hart.into(), event.tick, runs);
        }
    }

    fn switch(&mut self, hart: usize, tick: Ticks, runs: bool) {
        if let (Some(busy), Some(since)) = (self.busy.get_mut(hart), self.since.get_mut(hart)) {
            let begun = since.replace(tick).map_or(0, |begun| tick.0 - begun.0);
            *busy += begun;
            if !runs {
                *since = None;
            }
        }
    }

    /// No more happens.
    pub(super) fn close(&mut self, end: Instant) {
        let end = self.base.ticks(end);
        (0..self.busy.len()).for_each(|hart| self.switch(hart, end, false));
    }

    /// How long each was busy, in ns.
    fn nanos(&self) -> impl Iterator<Item = u64> {
        let ticks = self.busy.iter().copied();
        ticks.map(|ticks| self.base.instant(Ticks(ticks)).0)
    }

    /// A line of several harts.
    pub(super) fn say(&self, length: u64) -> Option<String> {
        let one = |(hart, busy): (usize, u64)| format!("{hart}: {} %", share(busy, length));
        let all: Vec<String> = self.nanos().enumerate().map(one).collect();
        (all.len() > 1).then(|| format!("busy harts: {}", all.join(", ")))
    }

    /// The same for programs.
    pub(super) fn tell(&self) -> Value {
        self.nanos()
            .map(|busy| json!({ "busy_ns": busy }))
            .collect()
    }
}
