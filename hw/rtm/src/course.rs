//! When the task manager does what, by cycle: how long requests take, and when time advances by
//! ticks that it counts itself.

use crate::place::Place;
use crate::{Access, Model, Parameters};

/// The course of a task manager since its reset.
///
/// Ticks that have been counted advance time as soon as no request is under way. A request that
/// comes in the same cycle waits for that, but not if the last thing that happened was such an
/// advance: however fast ticks come, requests come through.
#[derive(Clone, Debug)]
pub struct Course {
    parameters: Parameters,
    /// The cycle that is not over yet.
    now: u32,
    /// From when on the next request can be carried out.
    free_from: u32,
    /// Cycles of a tick; 0: none is counted.
    period: u32,
    /// Cycles until the next tick.
    phase: u32,
    /// Ticks that have been counted, and by which time has not advanced yet.
    counted: u32,
    /// The last thing that happened is that time advanced by such ticks.
    has_advanced: bool,
}

/// When a request was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The cycle of the response.
    pub at: u32,
    /// Cycles for which it waited until time had advanced by ticks that had been counted.
    pub waited: u32,
    /// For so many cycles nothing else had been happening.
    pub quiet: u32,
}

impl Course {
    /// As after a reset.
    pub fn new(parameters: Parameters) -> Course {
        Course {
            parameters,
            now: 0,
            free_from: 0,
            period: 0,
            phase: 0,
            counted: 0,
            has_advanced: false,
        }
    }

    /// For so many cycles nothing has been happening.
    pub fn quiet(&self) -> u32 {
        self.now.saturating_sub(self.free_from)
    }

    /// Nothing is asked before a cycle. Ticks advance the model's time.
    pub fn idle_until(&mut self, cycle: u32, model: &mut Model) {
        while self.now < cycle {
            self.step(false, model);
        }
    }

    /// A request comes in a cycle, and stays until its response. Returns when it is carried out;
    /// ticks that come before have advanced the model's time, and the request itself is left to
    /// the caller.
    pub fn request(&mut self, cycle: u32, access: Access, model: &mut Model) -> Carried {
        self.idle_until(cycle, model);
        let quiet = loop {
            let quiet = self.quiet();
            if self.step(true, model) {
                break quiet;
            }
        };
        let begin = self.now - 1;
        let at = begin + self.cycles(access) - 1;
        self.free_from = at + 1;
        match access {
            Access::Write {
                address,
                bytes,
                data,
            } if bytes != 0 && Place::at(&self.parameters, address) == Place::Tick => {
                self.period = data;
                self.phase = data.wrapping_sub(1);
            }
            _ => {}
        }
        Carried {
            at,
            waited: begin - cycle,
            quiet,
        }
    }

    /// A cycle passes; returns whether a request begins in it, if one is there.
    fn step(&mut self, is_requested: bool, model: &mut Model) -> bool {
        let is_free = self.now >= self.free_from;
        let advances = is_free && self.counted != 0 && !(is_requested && self.has_advanced);
        let begins = is_free && !advances && is_requested;
        if advances {
            model.advance(self.counted);
            self.counted = 0;
            self.has_advanced = true;
            self.free_from = self.now + 1 + self.parameters.groups();
        }
        if begins {
            self.has_advanced = false;
        }
        if self.period != 0 {
            let is_tick = self.phase == 0;
            self.counted += u32::from(is_tick);
            self.phase = if is_tick { self.period } else { self.phase } - 1;
        }
        self.now += 1;
        begins
    }

    /// Cycles from the one in which a request begins to its response, both counted.
    fn cycles(&self, access: Access) -> u32 {
        let Parameters { stages, .. } = self.parameters;
        let more = u32::from(stages != 0);
        match access {
            Access::Read { address } => match Place::at(&self.parameters, address) {
                Place::Question(_) => 3 + more,
                Place::Word(_) | Place::Delay(_) | Place::Key(_) => 2 + more,
                _ => 2,
            },
            Access::Write { address, bytes, .. } => match Place::at(&self.parameters, address) {
                Place::Advance if bytes != 0 => 2 + self.parameters.groups(),
                Place::Word(_) | Place::Delay(_) | Place::Key(_) => 2 + more,
                _ => 2,
            },
        }
    }
}
