//! Spans: stretches of a run from one sight to another, found by the sequence
//! of sights that they are part of.

use giornata_soc::{Point, Sight};

/// A sequence of sights, and which of them begin and end the span.
///
/// Sights that the sequence does not name may lie between, but entries and exits
/// of the kernel and marks always count, so that no span is found where another
/// entry or another thread came between.
#[derive(Clone, Copy, Debug)]
pub(in crate::bench) struct Sequence {
    /// The sights, in front.
    sights: [Sight; Sequence::MOST],
    /// How many there are.
    length: usize,
    /// Which of them begins the span.
    from: usize,
    /// Which of them ends it.
    to: usize,
}

/// Cycles and instructions from one sight to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::bench) struct Span {
    /// Cycles.
    pub(in crate::bench) cycles: u64,
    /// Instructions executed.
    pub(in crate::bench) instructions: u64,
}

impl Sequence {
    /// Sights that a sequence has at most: two marks, and nine entries between them.
    pub(super) const MOST: usize = 20;

    /// A sequence from one of its sights to another.
    ///
    /// # Panics
    /// When compiled with too many sights, or with a span that lies outside of them.
    pub(in crate::bench) const fn new(sights: &[Sight], from: usize, to: usize) -> Sequence {
        assert!(sights.len() <= Sequence::MOST && from < to && to < sights.len());
        let mut own = [Sight::Enter; Sequence::MOST];
        let (front, _) = own.split_at_mut(sights.len());
        front.copy_from_slice(sights);
        Sequence {
            sights: own,
            length: sights.len(),
            from,
            to,
        }
    }

    pub(super) fn sights(&self) -> &[Sight] {
        &self.sights[..self.length]
    }

    /// All spans of a run, in order.
    pub(in crate::bench) fn spans(&self, points: &[Point]) -> Vec<Span> {
        let found = self.find(points);
        found.iter().map(|(from, to)| between(from, to)).collect()
    }

    /// The ends of all spans of a run, in order; sequences do not overlap.
    pub(in crate::bench) fn find<'p>(&self, points: &'p [Point]) -> Vec<(&'p Point, &'p Point)> {
        let sights = self.sights();
        let counts = |point: &&Point| match point.sight {
            Sight::Timer | Sight::Software | Sight::Line | Sight::Wait => {
                sights.contains(&point.sight)
            }
            _ => true,
        };
        let seen: Vec<&Point> = points.iter().filter(counts).collect();
        let mut spans = Vec::new();
        let mut at = 0;
        while let Some(window) = seen.get(at..at + sights.len()) {
            if window.iter().map(|point| &point.sight).eq(sights) {
                spans.push((window[self.from], window[self.to]));
                at += sights.len() - 1;
            }
            at += 1;
        }
        spans
    }
}

/// What lies between two points.
pub(in crate::bench) fn between(from: &Point, to: &Point) -> Span {
    Span {
        cycles: to.cycle.saturating_sub(from.cycle),
        instructions: to.instructions.saturating_sub(from.instructions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(sights: &[Sight]) -> Vec<Point> {
        let point = |(index, sight): (usize, &Sight)| Point {
            sight: *sight,
            cycle: 10 * index as u64,
            instructions: index as u64,
            pc: 0,
            hart: 0,
        };
        sights.iter().enumerate().map(point).collect()
    }

    const CALL: Sequence = Sequence::new(
        &[Sight::Mark(1), Sight::Enter, Sight::Leave, Sight::Mark(2)],
        0,
        3,
    );

    #[test]
    fn a_span_lies_within_its_sequence() {
        use Sight::{Enter, Leave, Mark};
        let points = points(&[
            Mark(1),
            Enter,
            Leave,
            Mark(2),
            Mark(1),
            Enter,
            Leave,
            Mark(2),
        ]);
        let span = Span {
            cycles: 30,
            instructions: 3,
        };
        assert_eq!(CALL.spans(&points), [span, span]);
    }

    #[test]
    fn a_line_may_rise_within_but_nobody_may_enter() {
        use Sight::{Enter, Leave, Mark, Timer};
        let risen = points(&[Mark(1), Enter, Timer, Leave, Mark(2)]);
        assert_eq!(CALL.spans(&risen).len(), 1);
        let twice = points(&[Mark(1), Enter, Leave, Enter, Leave, Mark(2)]);
        assert_eq!(CALL.spans(&twice), []);
    }
}
