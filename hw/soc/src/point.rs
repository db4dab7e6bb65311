//! What is seen of a core from outside, without a word from the program.

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sight {
    /// User mode executed `slti x0, x0, N`, a mark that does nothing.
    Mark(u16),
    /// The kernel was entered; time and count are those of the last instruction
    /// before it.
    Enter,
    /// The first instruction of user mode after the kernel was executed.
    Leave,
    /// The timer's line rose.
    Timer,
    /// The line of the interrupt generator rose.
    Line,
}

/// A sight, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// What.
    pub sight: Sight,
    /// Cycles since reset.
    pub cycle: u64,
    /// Instructions executed so far, the one that is seen included.
    pub instructions: u64,
    /// Of the instruction before an entry, or the first after it; else 0.
    pub pc: u32,
}

impl Point {
    /// Reads a line of the harness; none if it is not whole.
    pub(crate) fn read(line: &str) -> Option<Point> {
        let mut words = line.split(' ');
        let mut word = || words.next();
        let (kind, cycle, count) = (word()?, word()?.parse().ok()?, word()?.parse().ok()?);
        let value: u32 = word()?.parse().ok()?;
        let (sight, pc) = match kind {
            "mark" => (Sight::Mark(u16::try_from(value).ok()?), 0),
            "enter" => (Sight::Enter, value),
            "leave" => (Sight::Leave, value),
            "timer" => (Sight::Timer, 0),
            "line" => (Sight::Line, 0),
            _ => return None,
        };
        Some(Point {
            sight,
            cycle,
            instructions: count,
            pc,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_harness_are_points() {
        let point = Point::read("mark 10 7 4095").unwrap();
        assert_eq!(point.sight, Sight::Mark(4095));
        assert_eq!((point.cycle, point.instructions), (10, 7));
        assert_eq!(Point::read("leave 12 9 64").unwrap().pc, 64);
        for line in [
            "mark 10 7",
            "mark 10 7 65536",
            "seen 1 2 3",
            "",
            "enter a 1 2",
        ] {
            assert_eq!(Point::read(line), None, "{line}");
        }
    }
}
