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
    /// The kernel waits for an interrupt.
    Wait,
    /// The timer's line rose.
    Timer,
    /// The line of the software interrupt rose: another hart, or the same, asked for it.
    Software,
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
    /// Instructions that the hart has executed so far, the one that is seen included.
    pub instructions: u64,
    /// Of the instruction before an entry, or the first after it; else 0.
    pub pc: u32,
    /// Of which hart.
    pub hart: u8,
}

impl Point {
    /// Reads a line of the harness; none if it is not whole.
    pub(crate) fn read(line: &str) -> Option<Point> {
        let mut words = line.split(' ');
        let mut word = || words.next();
        let (kind, cycle, count) = (word()?, word()?.parse().ok()?, word()?.parse().ok()?);
        let value: u32 = word()?.parse().ok()?;
        let hart = word()?.parse().ok()?;
        let (sight, pc) = match kind {
            "mark" => (Sight::Mark(u16::try_from(value).ok()?), 0),
            "enter" => (Sight::Enter, value),
            "leave" => (Sight::Leave, value),
            "wait" => (Sight::Wait, 0),
            "timer" => (Sight::Timer, 0),
            "software" => (Sight::Software, 0),
            "line" => (Sight::Line, 0),
            _ => return None,
        };
        Some(Point {
            sight,
            cycle,
            instructions: count,
            pc,
            hart,
        })
    }
}

/// An instruction that was executed outside user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its address.
    pub pc: u32,
    /// When it left the pipeline: the low half of the cycles since reset.
    pub cycle: u32,
    /// Of which hart.
    pub hart: u8,
}

impl Executed {
    /// Reads what the harness wrote: three words each, little-endian.
    pub(crate) fn read_all(bytes: &[u8]) -> Vec<Executed> {
        let read = |record: &[u8; 12]| {
            let [a, b, c, d, e, f, g, h, hart, ..] = *record;
            Executed {
                pc: u32::from_le_bytes([a, b, c, d]),
                cycle: u32::from_le_bytes([e, f, g, h]),
                hart,
            }
        };
        bytes.as_chunks().0.iter().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_instructions_are_three_words_each() {
        let executed = Executed::read_all(&[4, 0, 0, 0x40, 9, 1, 0, 0, 3, 0, 0, 0, 7]);
        let first = Executed {
            pc: 0x4000_0004,
            cycle: 0x109,
            hart: 3,
        };
        assert_eq!(executed, [first]);
    }

    #[test]
    fn lines_of_the_harness_are_points() {
        let point = Point::read("mark 10 7 4095 2").unwrap();
        assert_eq!(point.sight, Sight::Mark(4095));
        assert_eq!((point.cycle, point.instructions, point.hart), (10, 7, 2));
        assert_eq!(Point::read("leave 12 9 64 0").unwrap().pc, 64);
        for line in [
            "mark 10 7",
            "mark 10 7 1",
            "mark 10 7 65536 0",
            "seen 1 2 3 0",
            "",
            "enter a 1 2 0",
        ] {
            assert_eq!(Point::read(line), None, "{line}");
        }
    }
}
