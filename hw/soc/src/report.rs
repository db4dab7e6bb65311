//! What a run leaves: how the program ended, what it said and when.

use crate::error::Error;
use crate::point::{Executed, Point};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It stored this in the exit register.
    Exit(u32),
    /// It had used up its cycles.
    OutOfCycles,
    /// Nothing lies at this address: the core, which knows no bus errors, would
    /// wait for ever.
    NoAnswer(u32),
}

/// A store to the probe register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// When, in cycles since reset.
    pub cycle: u64,
    /// What was stored.
    pub id: u32,
    /// By which hart.
    pub hart: u8,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub end: End,
    /// Cycles from reset to the end.
    pub cycles: u64,
    /// What the program sent on the serial line.
    pub output: Vec<u8>,
    /// The marked points, in order.
    pub probes: Vec<Probe>,
    /// What was seen of the core, in order, if it was watched.
    pub points: Vec<Point>,
    /// The instructions of all harts executed outside user mode, if they were watched.
    pub executed: Vec<Executed>,
}

impl Report {
    /// Reads the files that the harness has written; none if they are not whole.
    pub(crate) fn read(
        summary: &str,
        probes: &str,
        points: &str,
        executed: &[u8],
        output: Vec<u8>,
    ) -> Option<Report> {
        let (mut end, mut cycles) = (None, None);
        for line in summary.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["exit", code] => end = Some(End::Exit(code.parse().ok()?)),
                ["out-of-cycles"] => end = Some(End::OutOfCycles),
                ["cycles", count] => cycles = Some(count.parse().ok()?),
                ["no-answer", address] => end = Some(End::NoAnswer(address.parse().ok()?)),
                _ => return None,
            }
        }
        Some(Report {
            end: end?,
            cycles: cycles?,
            output,
            probes: probes.lines().map(probe).collect::<Option<_>>()?,
            points: points.lines().map(Point::read).collect::<Option<_>>()?,
            executed: Executed::read_all(executed),
        })
    }

    /// Whether the program ended by itself and with 0.
    ///
    /// # Errors
    /// With what it ended instead, and the end of what it said.
    pub fn expect_success(&self) -> Result<(), Error> {
        if self.end == End::Exit(0) {
            return Ok(());
        }
        Err(Error::Image(format!(
            "it ended with {:x?} after {} cycles, having said:\n{}",
            self.end,
            self.cycles,
            String::from_utf8_lossy(&self.output)
        )))
    }

    /// The cycles between consecutive probes of these two identifiers, whichever harts stored them.
    pub fn between(&self, from: u32, to: u32) -> Vec<u64> {
        let mut spans = Vec::new();
        let mut start = None;
        for probe in &self.probes {
            if probe.id == to
                && let Some(start) = start.take()
            {
                spans.push(probe.cycle - start);
            }
            if probe.id == from {
                start = Some(probe.cycle);
            }
        }
        spans
    }
}

fn probe(line: &str) -> Option<Probe> {
    let (cycle, rest) = line.split_once(' ')?;
    let (id, hart) = rest.split_once(' ')?;
    Some(Probe {
        cycle: cycle.parse().ok()?,
        id: id.parse().ok()?,
        hart: hart.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_gives_end_and_cycles() {
        let summary = "exit 4294967295\ncycles 99\n";
        let report = Report::read(summary, "7 1 0\n9 2 3\n", "", &[], b"hi".to_vec()).unwrap();
        assert_eq!(report.end, End::Exit(u32::MAX));
        assert_eq!((report.cycles, &report.output[..]), (99, &b"hi"[..]));
        let lost = Report::read("no-answer 4096\ncycles 9\n", "", "", &[], Vec::new()).unwrap();
        assert_eq!(lost.end, End::NoAnswer(4096));
        let last = Probe {
            cycle: 9,
            id: 2,
            hart: 3,
        };
        assert_eq!(report.probes.last(), Some(&last));
    }

    #[test]
    fn a_summary_that_breaks_off_is_none() {
        assert_eq!(Report::read("exit 0\n", "", "", &[], Vec::new()), None);
        assert_eq!(Report::read("cycles 4\n", "", "", &[], Vec::new()), None);
        assert_eq!(
            Report::read("out-of-cycles\ncycles 4\n", "7 1", "", &[], Vec::new()),
            None
        );
    }

    #[test]
    fn spans_reach_from_the_last_start_to_the_next_end() {
        let probes = "1 1 0\n4 2 1\n5 2 0\n10 1 0\n11 1 0\n15 2 0\n";
        let report = Report::read("exit 0\ncycles 20\n", probes, "", &[], Vec::new()).unwrap();
        assert_eq!(report.between(1, 2), [3, 4]);
        assert_eq!(report.between(2, 2), [1, 10]);
    }
}
