//! Instants of programs that are handled late, and who had the processor meanwhile.

use std::collections::VecDeque;

use giornata_abi::time::Timebase;
use giornata_abi::{Duration, Instant};
use giornata_system::NameMap;
use giornata_system::expect::Expectation;

use crate::event::{Content, Event, UpcallStep};

/// How late an instant may be if nobody says.
const BOUND: Duration = Duration::from_millis(1);
/// Turns of threads that are looked back at.
const TURNS: usize = 64;

/// An instant that was handled late.
pub(super) struct Late {
    pub(super) program: u16,
    pub(super) at: Instant,
    pub(super) lag: Duration,
    /// The thread that had most of the time in between.
    pub(super) instead: Option<u16>,
}

/// Watches the instants of programs.
#[derive(Clone, Debug)]
pub(super) struct Lateness {
    base: Timebase,
    bound: Duration,
    /// The latest turns: since when a thread ran.
    turns: VecDeque<(u64, Option<u16>)>,
}

impl Lateness {
    /// The bound is the largest that an expectation says.
    pub(super) fn new(names: &NameMap) -> Lateness {
        let expectations = names.expect.iter();
        let expectations = expectations.filter_map(|e| e.parse::<Expectation>().ok());
        let stated = expectations.filter_map(|e| e.bound()).max();
        Lateness {
            base: Timebase::new(names.timer_hertz),
            bound: stated.unwrap_or(BOUND),
            turns: VecDeque::new(),
        }
    }

    /// Adds an event: what of it was late. O(1).
    pub(super) fn observe(&mut self, event: &Event, names: &NameMap) -> Option<Late> {
        let driven = |driver: u16| Some(names.drivers.get(usize::from(driver))?.program);
        let (program, at) = match &event.content {
            Content::Switch { thread, .. } => {
                if self.turns.len() == TURNS {
                    self.turns.pop_front();
                }
                self.turns.push_back((event.tick.0, *thread));
                return None;
            }
            Content::Release { thread, at, .. } => {
                (names.threads.get(usize::from(*thread))?.program?, at)
            }
            Content::Port { port, at, .. } => (names.ports.get(usize::from(*port))?.program, at),
            Content::Upcall {
                driver,
                step: UpcallStep::Begun,
                at,
                ..
            } => (driven(*driver)?, at),
            Content::Violation(breach) => (breach.program, &breach.at),
            _ => return None,
        };
        let entered = self.base.instant(event.tick);
        let lag = Duration(entered.0.saturating_sub(at.0));
        (lag > self.bound).then(|| Late {
            program,
            at: *at,
            lag,
            instead: self.most(self.base.ticks(*at).0, event.tick.0),
        })
    }

    /// The thread that ran most of the time between two ticks.
    fn most(&self, since: u64, until: u64) -> Option<u16> {
        let ends = self.turns.iter().skip(1).map(|(tick, _)| *tick);
        let turns = self.turns.iter().zip(ends.chain([until]));
        let mut shares: Vec<(u64, u16)> = Vec::new();
        for ((begin, thread), end) in turns {
            let ran = end.min(until).saturating_sub(*begin.max(&since));
            let Some(thread) = *thread else { continue };
            match shares.iter_mut().find(|(_, own)| *own == thread) {
                Some((share, _)) => *share += ran,
                None => shares.push((ran, thread)),
            }
        }
        let most = shares.into_iter().filter(|(ran, _)| *ran > 0).max()?;
        Some(most.1)
    }
}
