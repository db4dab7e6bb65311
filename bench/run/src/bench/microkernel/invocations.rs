//! The kernel's invocations in a stretch of a run: from its entry, or the rise of
//! the line that ends its wait, to its exit, or its next wait.

use bench_marks as mark;
use giornata_soc::{Executed, Point, Sight};

/// What was seen of a hyperperiod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hyperperiod {
    /// Cycles of each invocation, in order.
    pub(super) invocations: Vec<u64>,
    /// Cycles in which the hart waited.
    pub(super) idle: u64,
    /// Jobs that began before another had ended.
    pub(super) preemptions: u64,
}

/// What is seen from one cycle to another; what lies across an end counts as
/// far as it is inside. `executed`: every instruction of the kernel.
pub(super) fn between(points: &[Point], executed: &[Executed], from: u64, to: u64) -> Hyperperiod {
    let inside = |since: u64, until: u64| until.clamp(from, to) - since.clamp(from, to);
    let (mut invocations, mut idle) = (Vec::new(), 0);
    let (mut entered, mut risen) = (None, 0);
    for point in points {
        match point.sight {
            Sight::Enter => entered = Some(point.cycle),
            Sight::Leave => {
                if let Some(since) = entered.take() {
                    invocations.push(inside(since, point.cycle));
                }
            }
            Sight::Wait => {
                let waiting = before(executed, point.cycle);
                let woken = if risen > waiting { risen } else { point.cycle };
                if let Some(since) = entered.replace(woken) {
                    invocations.push(inside(since, waiting));
                }
                idle += inside(waiting, woken);
            }
            Sight::Timer | Sight::Software | Sight::Line => risen = point.cycle,
            Sight::Mark(_) => {}
        }
    }
    invocations.retain(|cycles| *cycles > 0);
    Hyperperiod {
        invocations,
        idle,
        preemptions: preemptions(points, from, to),
    }
}

/// When the instruction before that of a cycle was executed: a wait is seen when
/// it is over, and has begun then.
fn before(executed: &[Executed], cycle: u64) -> u64 {
    let index = executed.partition_point(|one| u64::from(one.cycle) < cycle);
    let last = index.checked_sub(1).and_then(|index| executed.get(index));
    last.map_or(cycle, |last| u64::from(last.cycle))
}

/// Jobs that began while another was at work.
fn preemptions(points: &[Point], from: u64, to: u64) -> u64 {
    let marks = points.iter().filter_map(|point| match point.sight {
        Sight::Mark(id @ (mark::STARTED | mark::ENDED)) => Some((point.cycle, id)),
        _ => None,
    });
    let (mut at_work, mut count) = (false, 0);
    for (cycle, id) in marks {
        let begins = id == mark::STARTED;
        count += u64::from(begins && at_work && (from..to).contains(&cycle));
        at_work = begins;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use Sight::{Enter, Leave, Mark, Timer, Wait};

    fn points(sights: &[(Sight, u64)]) -> Vec<Point> {
        let point = |&(sight, cycle): &(Sight, u64)| Point {
            sight,
            cycle,
            instructions: 0,
            pc: 0,
            hart: 0,
        };
        sights.iter().map(point).collect()
    }

    #[test]
    fn a_wait_parts_two_invocations() {
        let points = points(&[
            (Enter, 10),
            (Timer, 70),
            (Wait, 74),
            (Leave, 80),
            (Timer, 90),
            (Enter, 91),
            (Timer, 95),
            (Leave, 101),
        ]);
        let executed = [12, 30, 74, 79].map(|cycle| Executed {
            cycle,
            pc: 0,
            hart: 0,
        });
        let seen = between(&points, &executed, 0, 1000);
        assert_eq!(seen.invocations, [20, 10, 10]);
        assert_eq!(seen.idle, 40);
        let part = between(&points, &executed, 25, 75);
        assert_eq!((part.invocations, part.idle), (vec![5, 5], 40));
    }

    #[test]
    fn a_job_that_begins_within_another_preempts_it() {
        let (started, ended) = (Mark(mark::STARTED), Mark(mark::ENDED));
        let points = points(&[
            (started, 1),
            (started, 2),
            (ended, 3),
            (started, 4),
            (ended, 5),
            (ended, 6),
        ]);
        assert_eq!(between(&points, &[], 0, 10).preemptions, 1);
    }
}
