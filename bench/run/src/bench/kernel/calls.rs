//! Rows of spans around calls, as several suites have them: marks of user code, and
//! entries into the kernel between them.

use giornata_soc::Sight::{self, Enter, Leave, Mark};

use super::span::Sequence;
use super::workload::{Measured, whole};

/// What makes no entry: from a mark to the mark of the next number.
pub(in crate::bench) const fn inside(op: &'static str, mark: u16) -> Measured {
    entering_often(op, mark, mark + 1, 0)
}

/// What makes one entry: from a mark to that of the next number.
pub(in crate::bench) const fn call(op: &'static str, mark: u16) -> Measured {
    entering(op, mark, mark + 1)
}

/// What makes one entry: from a mark to another, which may be that of the thread that the
/// entry leads to.
pub(in crate::bench) const fn entering(op: &'static str, first: u16, last: u16) -> Measured {
    entering_often(op, first, last, 1)
}

/// What makes so many entries, from a mark to another.
pub(in crate::bench) const fn entering_often(
    op: &'static str,
    first: u16,
    last: u16,
    entries: usize,
) -> Measured {
    whole(op, between_marks(first, last, entries))
}

/// A call that leads to a thread which was there already, and leaves no mark.
pub(in crate::bench) const fn leading_away(op: &'static str, mark: u16) -> Measured {
    whole(op, Sequence::new(&[Mark(mark), Enter, Leave], 0, 2))
}

/// From a mark to another, with so many entries between.
pub(in crate::bench) const fn between_marks(first: u16, last: u16, entries: usize) -> Sequence {
    let mut sights = [Enter; Sequence::MOST];
    let end = 2 * entries + 1;
    sights[0] = Mark(first);
    let mut at = 2;
    while at < end {
        sights[at] = Leave;
        at += 2;
    }
    sights[end] = Mark(last);
    let (sights, _): (&[Sight], _) = sights.split_at(end + 1);
    Sequence::new(sights, 0, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lie_between_the_marks() {
        assert_eq!(between_marks(1, 2, 0).sights(), [Mark(1), Mark(2)]);
        let twice = [Mark(1), Enter, Leave, Enter, Leave, Mark(2)];
        assert_eq!(between_marks(1, 2, 2).sights(), twice);
    }
}
