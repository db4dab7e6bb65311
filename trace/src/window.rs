//! The events that belong to a run of a certain length.

use giornata_abi::time::Timebase;
use giornata_abi::{Instant, Ticks};
use giornata_system::NameMap;

use crate::event::{Content, Event};

/// What happens from 0 up to an end. At the end itself jobs that were released
/// before it still complete, miss and are violated, but nothing begins: a run
/// of one second of a task with a period of 10 ms has 100 releases.
#[derive(Clone, Debug)]
pub struct UpTo {
    end: Instant,
    tick: Ticks,
    /// By thread: the first job that is released at or after the end.
    after: Vec<Option<u32>>,
}

impl UpTo {
    /// The window of a system's events that ends at `end`.
    pub fn new(end: Instant, names: &NameMap) -> UpTo {
        UpTo {
            end,
            tick: Timebase::new(names.timer_hertz).ticks(end),
            after: vec![None; names.threads.len()],
        }
    }

    /// Whether the next event lies in the window. O(1).
    pub fn admits(&mut self, event: &Event) -> bool {
        match &event.content {
            Content::Release {
                thread, job, at, ..
            } => {
                let is_inside = *at < self.end;
                if let Some(after) = self.after.get_mut(usize::from(*thread))
                    && !is_inside
                {
                    *after = after.or(Some(*job));
                }
                is_inside
            }
            Content::Complete {
                thread, job, at, ..
            } => {
                let after = self.after.get(usize::from(*thread)).copied().flatten();
                *at <= self.end && after.is_none_or(|first| *job < first)
            }
            Content::Violation(breach) => breach.at <= self.end,
            _ => event.tick < self.tick || matches!(event.content, Content::Miss { .. }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    #[test]
    fn at_the_end_jobs_end_and_none_begins() {
        let events = [
            release(0, 0, 1, 10),
            switch(0, Some(0)),
            complete(10_000, 0, 1),
            release(10, 0, 2, 10),
            switch(10_000, Some(0)),
            complete(10_000, 0, 2),
        ];
        let mut window = UpTo::new(Instant(10_000_000), &names());
        let admitted = events.map(|event| window.admits(&event));
        assert_eq!(admitted, [true, true, true, false, false, false]);
    }
}
