//! The samples of an operation, out of what was seen of a run.

use anyhow::{Result, bail, ensure};
use giornata_soc::{Point, Sight};

use super::Seen;
use super::functions::{Functions, Origins};
use super::span::{Sequence, Span, between};
use super::workload::{self, Measured, Way};

/// Spans with nothing in them that are not looked at, because caches are cold.
const WARMING: usize = 10;
/// What lies between two instructions that have nothing between them.
const NOTHING: Span = Span {
    cycles: 1,
    instructions: 1,
};

/// All samples of a chip's run but the first few.
pub(super) fn sample(measured: &Measured, seen: &Seen, warming: usize) -> Result<Vec<Span>> {
    if let Way::Inside {
        sequence,
        functions,
    } = measured.way
    {
        let spans = inside(&sequence, functions, seen)?;
        return Ok(spans.get(warming..).unwrap_or_default().to_vec());
    }
    take(measured, &seen.report.points, warming)
}

/// All samples but the first few of an operation that points alone tell.
pub(super) fn take(measured: &Measured, points: &[Point], warming: usize) -> Result<Vec<Span>> {
    let spans = match measured.way {
        Way::Whole(sequence) => less(&sequence.spans(points), NOTHING),
        Way::Shared { spans, parts } => share(&less(&spans.spans(points), NOTHING), parts),
        Way::Beyond { spans, base, parts } => {
            beyond(&spans.spans(points), &base.spans(points), parts)
        }
        Way::Latency { line, mark } => less(&latencies(points, line, mark), NOTHING),
        Way::Inside { .. } => bail!("`{}` is inside the kernel", measured.op),
    };
    Ok(spans.get(warming..).unwrap_or_default().to_vec())
}

/// Whether spans with nothing in them, where the run has some, are what is taken
/// off all others.
pub(super) fn check_nothing(points: &[Point]) -> Result<()> {
    let spans = workload::NOTHING.spans(points);
    let odd = spans.iter().skip(WARMING).find(|span| **span != NOTHING);
    ensure!(odd.is_none(), "a span with nothing in it is {odd:?}");
    Ok(())
}

fn less(spans: &[Span], base: Span) -> Vec<Span> {
    let less = |span: &Span| Span {
        cycles: span.cycles.saturating_sub(base.cycles),
        instructions: span.instructions.saturating_sub(base.instructions),
    };
    spans.iter().map(less).collect()
}

/// What spans take beyond the middle one of others, shared among `parts`; none if
/// there are no others.
fn beyond(spans: &[Span], base: &[Span], parts: u64) -> Vec<Span> {
    let middle = |of: fn(&Span) -> u64| {
        let mut values: Vec<u64> = base.iter().skip(WARMING).map(of).collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let (Some(cycles), Some(instructions)) =
        (middle(|span| span.cycles), middle(|span| span.instructions))
    else {
        return Vec::new();
    };
    let base = Span {
        cycles,
        instructions,
    };
    share(&less(spans, base), parts)
}

/// Each span's part, of so many equal ones.
fn share(spans: &[Span], parts: u64) -> Vec<Span> {
    let share = |span: &Span| Span {
        cycles: span.cycles.div_ceil(parts),
        instructions: span.instructions.div_ceil(parts),
    };
    spans.iter().map(share).collect()
}

/// From each rise of a line to the exit of the kernel that its handler's mark
/// follows.
fn latencies(points: &[Point], line: Sight, mark: Sight) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut rise, mut leave) = (None, None);
    for point in points {
        if point.sight == line {
            rise = Some(point);
        } else if point.sight == Sight::Leave {
            leave = Some(point);
        } else if point.sight == mark
            && let (Some(rise), Some(leave)) = (rise.take(), leave)
        {
            spans.push(between(rise, leave));
        }
    }
    spans
}

/// What functions of the kernel take within the spans of a sequence.
fn inside(sequence: &Sequence, functions: Functions, seen: &Seen) -> Result<Vec<Span>> {
    let mut origins = Origins::of(&seen.kernel, functions)?;
    let found = sequence.find(&seen.report.points);
    let executed = &seen.report.executed;
    let spans: Vec<Span> = found
        .into_iter()
        .map(|(from, to)| origins.cost(executed, (from.cycle, to.cycle)))
        .collect::<Result<_>>()?;
    let any = spans.is_empty() || spans.iter().any(|span| span.instructions > 0);
    ensure!(
        any,
        "no instruction of {:?} was executed: have they another name now?",
        functions.modules
    );
    Ok(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(cycles: u64) -> Span {
        Span {
            cycles,
            instructions: cycles / 2,
        }
    }

    #[test]
    fn what_lies_beyond_the_middle_is_shared() {
        let base: Vec<Span> = (0..21).map(|i| span(100 + i)).collect();
        let spans = beyond(&[span(196), span(90)], &base, 4);
        assert_eq!(spans[0].cycles, (196_u64 - 115).div_ceil(4));
        assert_eq!(spans[1].cycles, 0);
        assert!(beyond(&[span(1)], &base[..10], 1).is_empty());
    }

    #[test]
    fn a_latency_ends_with_the_exit_before_the_mark() {
        let point = |sight, cycle| Point {
            sight,
            cycle,
            instructions: cycle,
            pc: 0,
            hart: 0,
        };
        let points = [
            point(Sight::Line, 10),
            point(Sight::Leave, 20),
            point(Sight::Enter, 25),
            point(Sight::Leave, 30),
            point(Sight::Mark(3), 32),
            point(Sight::Leave, 40),
            point(Sight::Mark(3), 41),
        ];
        let found = latencies(&points, Sight::Line, Sight::Mark(3));
        assert_eq!(found.iter().map(|s| s.cycles).collect::<Vec<_>>(), [20]);
    }
}
