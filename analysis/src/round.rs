//! A schedule of a program that always does the same: from release to release.

use giornata_abi::Instant;

use crate::job::{Job, Segment};
use crate::walk::{Figures, Walked};

/// What happens from one instant with releases to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// When it begins.
    pub from: Instant,
    /// When it ends; never if there is no release any more.
    pub until: Instant,
    /// The jobs released at its beginning.
    pub released: Vec<Job>,
    /// Who runs.
    pub segments: Vec<Segment>,
}

/// Intervals one after the other, and the one that follows the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The intervals. The first may begin without a release: at the start.
    pub intervals: Vec<Interval>,
    /// The interval that comes again after the last; `None` if the program ends.
    pub repeats: Option<usize>,
}

impl Round {
    /// The intervals of a walk without branches: what it repeats is unrolled
    /// until the first instant with releases comes again. O(steps).
    pub fn of(walked: &Walked) -> Round {
        let mut round = Round {
            intervals: Vec::new(),
            repeats: None,
        };
        let mut begun = Vec::new();
        for (index, step) in walked.steps.iter().enumerate() {
            begun.push(round.intervals.len());
            let continues = step.released.is_empty() && index > 0;
            round.add(step.at, &step.released, &step.segments, continues);
            if continues {
                *begun.last_mut().unwrap_or(&mut 0) = round.intervals.len() - 1;
            }
        }
        let Some((first, end)) = walked.repeats else {
            return round;
        };
        let repeated = walked.steps.get(first..).unwrap_or(&[]);
        let origin = repeated.first().map_or(end, |step| step.at);
        let quiet = repeated.iter().take_while(|step| step.released.is_empty());
        let quiet_steps = quiet.clone().count();
        for step in quiet {
            let segments = step.segments.iter().map(|s| shifted(s, origin, end));
            let segments: Vec<Segment> = segments.collect();
            round.add(end + step.at.since(origin), &[], &segments, true);
        }
        let releasing = repeated.get(quiet_steps);
        if let (Some(step), Some(last)) = (releasing, round.intervals.last_mut()) {
            last.until = end + step.at.since(origin);
            round.repeats = begun.get(first + quiet_steps).copied();
        }
        round
    }

    fn add(&mut self, at: Instant, released: &[Job], segments: &[Segment], continues: bool) {
        match self.intervals.last_mut().filter(|_| continues) {
            Some(last) => last.segments.extend_from_slice(segments),
            None => {
                if let Some(last) = self.intervals.last_mut() {
                    last.until = at;
                }
                self.intervals.push(Interval {
                    from: at,
                    until: Instant::NEVER,
                    released: released.to_vec(),
                    segments: segments.to_vec(),
                });
            }
        }
    }

    /// The interval after this one.
    pub fn after(&self, index: usize) -> Option<&Interval> {
        match index + 1 < self.intervals.len() {
            true => self.intervals.get(index + 1),
            false => self.intervals.get(self.repeats?),
        }
    }

    /// Notes what the jobs come to that complete.
    pub(crate) fn note_figures(&self, tasks: &mut [Option<Figures>]) {
        let segments = self.intervals.iter().flat_map(|i| &i.segments);
        for segment in segments.filter(|segment| segment.completes) {
            let is_it = |job: &&Job| (job.task, job.number) == (segment.task, segment.number);
            let job = self.jobs().map(|(_, job)| job).find(is_it);
            if let (Some(job), Some(task)) = (job, tasks.get_mut(segment.task as usize)) {
                Figures::note(task, job, segment.until);
            }
        }
    }

    /// All jobs, each with its release interval.
    pub fn jobs(&self) -> impl Iterator<Item = (usize, &Job)> {
        let intervals = self.intervals.iter().enumerate();
        intervals.flat_map(|(index, interval)| interval.released.iter().map(move |j| (index, j)))
    }
}

fn shifted(segment: &Segment, origin: Instant, to: Instant) -> Segment {
    Segment {
        from: to + segment.from.since(origin),
        until: to + segment.until.since(origin),
        ..*segment
    }
}
