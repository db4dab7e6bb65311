//! What was seen of a run on several harts, hart by hart, and the spans in it.

use anyhow::Result;
use bench_marks::psigma::WOKEN;
use giornata_soc::{Point, Report, Sight};

use super::super::kernel::span::{Sequence, Span, between};
use super::moments::{Moment, Moments};
use super::{Samples, Way};

/// Harts of a chip at most.
const HARTS: usize = 8;
/// Cycles from a store that interrupts a hart until its line rises, at most.
const FLIGHT: u64 = 60;

/// A run that is over.
pub(super) struct Seen {
    points: Vec<Point>,
    harts: [Hart; HARTS],
}

/// What a hart did in the kernel.
#[derive(Default)]
struct Hart {
    /// Cycles of its instructions in the kernel.
    executed: Vec<u64>,
    /// From asking for the lock to having it to giving it back.
    sections: Vec<[u64; 3]>,
    /// When it interrupted a hart.
    kicks: Vec<u64>,
    /// When it executed `wfi`: at the end of a wait.
    waits: Vec<u64>,
}

impl Seen {
    /// Sorts a report by harts.
    pub(super) fn of(report: Report, moments: &mut Moments) -> Result<Seen> {
        let mut harts: [Hart; HARTS] = Default::default();
        let mut under_way = [[0; 2]; HARTS];
        for one in &report.executed {
            let number = usize::from(one.hart);
            let (Some(hart), Some([asked, has])) =
                (harts.get_mut(number), under_way.get_mut(number))
            else {
                continue;
            };
            let cycle = u64::from(one.cycle);
            hart.executed.push(cycle);
            match moments.at(one.pc)? {
                Moment::Asks => *asked = cycle,
                Moment::Has => *has = cycle,
                Moment::Gives if *has != 0 => hart.sections.push([*asked, *has, cycle]),
                Moment::Kicks => hart.kicks.push(cycle),
                Moment::Gives | Moment::Other => {}
            }
        }
        let points = report.points;
        for point in points.iter().filter(|point| point.sight == Sight::Wait) {
            if let Some(hart) = harts.get_mut(usize::from(point.hart)) {
                hart.waits.push(point.cycle);
            }
        }
        Ok(Seen { points, harts })
    }

    /// The samples of an operation.
    pub(super) fn samples(&self, way: Way) -> Samples {
        match way {
            Way::OnOneHart(sequence) => {
                let spans = (0..HARTS).flat_map(|hart| self.on_one(hart, &sequence));
                let (cycles, instructions) = spans
                    .map(|span| (span.cycles - 1, span.instructions - 1))
                    .unzip();
                Samples {
                    cycles,
                    instructions,
                }
            }
            Way::TimerToUser => cycles(self.wakes()),
            Way::ControlLatency => cycles(self.control_latencies()),
            Way::KickToWaiting => cycles(self.kicks_of_waiting()),
            Way::KickToBusy => cycles(self.kicks_of_busy()),
            Way::Section => cycles(self.sections()),
            Way::LockWait => cycles(self.waits()),
        }
    }

    /// The spans of a sequence of one hart, which does not wait meanwhile.
    fn on_one(&self, hart: usize, sequence: &Sequence) -> Vec<Span> {
        let is_its = |point: &&Point| usize::from(point.hart) == hart;
        let points: Vec<Point> = self.points.iter().filter(is_its).copied().collect();
        let waits = &self.harts[hart].waits;
        let found = sequence.find(&points).into_iter();
        found
            .filter(|(from, to)| before(waits, to.cycle) <= before(waits, from.cycle))
            .map(|(from, to)| between(from, to))
            .collect()
    }

    /// From each rise of hart 0's timer to the exit of the kernel, on whichever hart, that the
    /// mark of the thread follows which it wakes.
    fn wakes(&self) -> Vec<u64> {
        let mut rise = None;
        let mut left = [None; HARTS];
        let mut spans = Vec::new();
        for point in &self.points {
            let Some(left) = left.get_mut(usize::from(point.hart)) else {
                continue;
            };
            match point.sight {
                Sight::Timer if point.hart == 0 => rise = Some(point.cycle),
                Sight::Leave => *left = Some(point.cycle),
                Sight::Mark(WOKEN) => {
                    if let (Some(rise), Some(left)) = (rise.take(), *left)
                        && rise < left
                    {
                        spans.push(left - rise - 1);
                    }
                }
                _ => {}
            }
        }
        spans
    }

    /// From each rise of hart 0's timer until that has given the lock back for the last time
    /// before it waits again.
    fn control_latencies(&self) -> Vec<u64> {
        let gives: Vec<u64> = self.harts[0].sections.iter().map(|[.., at]| *at).collect();
        let mut rises = Vec::new();
        let mut spans = Vec::new();
        for point in self.points.iter().filter(|point| point.hart == 0) {
            match point.sight {
                Sight::Timer => rises.push(point.cycle),
                Sight::Wait => {
                    let given = gives.partition_point(|at| *at <= point.cycle);
                    let Some(given) = given.checked_sub(1).map(|last| gives[last]) else {
                        continue;
                    };
                    // (what rose since then it sees when it waits)
                    while rises.first().is_some_and(|rise| *rise < given) {
                        spans.push(given - rises.remove(0));
                    }
                }
                _ => {}
            }
        }
        spans
    }

    /// From the store that interrupts a hart that waits to the first instruction behind its
    /// `wfi`, which is executed then.
    fn kicks_of_waiting(&self) -> Vec<u64> {
        let wakes = |(store, rise, hart): (u64, u64, &Hart)| {
            let behind = hart.executed.partition_point(|at| *at < store);
            let [wait, next] = *hart.executed.get(behind..)?.first_chunk()?;
            (wait >= rise && self.waits_at(hart, wait)).then_some(next - store)
        };
        self.kicks().filter_map(wakes).collect()
    }

    /// The same of a hart in user mode: to its first instruction in the kernel.
    fn kicks_of_busy(&self) -> Vec<u64> {
        let enters = |(store, rise, hart): (u64, u64, &Hart)| {
            let behind = hart.executed.partition_point(|at| *at < store);
            let first = *hart.executed.get(behind)?;
            let is_user = first >= rise && !self.waits_at(hart, first);
            is_user.then_some(first - store)
        };
        self.kicks().filter_map(enters).collect()
    }

    /// Whether a hart executes `wfi` at a cycle.
    fn waits_at(&self, hart: &Hart, cycle: u64) -> bool {
        hart.waits.binary_search(&cycle).is_ok()
    }

    /// Each store that interrupts another hart, when its line rises, and the hart.
    fn kicks(&self) -> impl Iterator<Item = (u64, u64, &Hart)> {
        let rises = self
            .points
            .iter()
            .filter(|point| point.sight == Sight::Software);
        rises.filter_map(|point| {
            let number = usize::from(point.hart);
            let others = self.harts.iter().enumerate();
            let store = others
                .filter(|(other, _)| *other != number)
                .filter_map(|(_, other)| before(&other.kicks, point.cycle))
                .max()?;
            let is_of_it = point.cycle - store <= FLIGHT;
            is_of_it.then_some((store, point.cycle, self.harts.get(number)?))
        })
    }

    /// When threads have begun to run: what boot does is not measured.
    fn begin(&self) -> u64 {
        let mut marks = self
            .points
            .iter()
            .filter(|point| matches!(point.sight, Sight::Mark(_)));
        marks.nth(super::WARMING).map_or(0, |point| point.cycle)
    }

    /// Of each section for which another hart waits: how long one does.
    fn sections(&self) -> Vec<u64> {
        let begin = self.begin();
        let mut spans = Vec::new();
        for (number, hart) in self.harts.iter().enumerate() {
            for [_, has, gives] in hart.sections.iter().filter(|[asked, ..]| *asked >= begin) {
                let others = self.harts.iter().enumerate();
                let others = others.filter(|(other, _)| *other != number);
                let asks = others.filter_map(|(_, other)| {
                    let next = other.sections.partition_point(|[_, has, _]| has < gives);
                    let [asks, ..] = other.sections.get(next)?;
                    (asks < gives).then_some(*asks)
                });
                spans.extend(asks.min().map(|asks| gives - asks.max(*has)));
            }
        }
        spans
    }

    /// How long harts wait for the lock.
    fn waits(&self) -> Vec<u64> {
        let begin = self.begin();
        let sections = self.harts.iter().flat_map(|hart| &hart.sections);
        sections
            .filter(|[asked, ..]| *asked >= begin)
            .map(|[asked, has, _]| has - asked)
            .collect()
    }
}

/// Nobody counts instructions.
fn cycles(cycles: Vec<u64>) -> Samples {
    Samples {
        cycles,
        instructions: Vec::new(),
    }
}

/// The last of some cycles that are in order, up to one.
fn before(cycles: &[u64], cycle: u64) -> Option<u64> {
    let behind = cycles.partition_point(|at| *at <= cycle);
    cycles.get(behind.checked_sub(1)?).copied()
}
