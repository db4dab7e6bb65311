//! From a number to a scenario.
//!
//! **Frozen** as [`random`](crate::random) is: another draw, another order of
//! draws, or another meaning of one, and the recorded answers are worth nothing.
//!
//! So that two kernels can be expected to do the same, most scenarios leave out
//! what no document orders. Threads have classes of priorities of their own, and
//! so have ceilings, the deadline band and slots of S code, so that there are no
//! equals; deadlines differ in what they lack to a multiple of the grid; events lie
//! between the instants at which anything falls due.

mod log;
mod programs;
mod scripts;
mod systems;

use crate::observation::Kind;
use crate::random::Random;
use crate::scenario::{Scenario, Theme};

/// Priorities lie so far apart in a class.
const CLASSES: u8 = 16;
/// Members of a class.
const MEMBERS: u32 = 14;
/// The class of ceilings. Those below 12 are of threads, 12 is that of the
/// deadline band.
const CEILINGS: u8 = 13;
/// The class of slots of S code.
const SLOTS: u8 = 14;

/// What is decided first.
#[derive(Clone, Copy, Debug)]
struct Plan {
    theme: Theme,
    /// Priorities may be equal, and some threads are scheduled round robin.
    equals: bool,
    /// Some mailboxes have servers.
    servers: bool,
    /// The timer is late at times.
    late: bool,
}

impl Plan {
    fn draw(random: &mut Random) -> Plan {
        use Theme::{Lives, Locks, Mail, Mixed, Timing};
        let themes = [Locks, Mail, Lives, Timing, Mixed];
        let theme = themes[random.weighted(&[30, 18, 14, 22, 16])];
        let has_mail = matches!(theme, Mail | Mixed);
        Plan {
            theme,
            equals: random.one_in(12),
            servers: random.one_in(6) && has_mail,
            late: random.one_in(8),
        }
    }

    fn touches(self) -> Vec<Kind> {
        let kinds = [(self.equals, Kind::Equals), (self.servers, Kind::Servers)];
        let set = kinds.into_iter().filter(|(is_set, _)| *is_set);
        set.map(|(_, kind)| kind).collect()
    }

    /// A priority of a class, unless there may be equals.
    fn priority(self, random: &mut Random, class: u8) -> u8 {
        match self.equals {
            true => random.pick(&[20, 30, 30, 40]),
            false => 1 + class + CLASSES * random.below(MEMBERS) as u8,
        }
    }

    fn ceiling(self, random: &mut Random) -> u8 {
        match self.equals {
            true => random.pick(&[30, 40, 50]),
            false => 1 + CEILINGS + CLASSES * random.between(8, MEMBERS - 1) as u8,
        }
    }
}

/// The scenario with this number.
pub fn scenario(number: u32) -> Scenario {
    let random = &mut Random::of_scenario(number);
    let plan = Plan::draw(random);
    let system = systems::draw(random, plan);
    let scripts = scripts::draw(random, plan, &system);
    let events = log::draw(random, plan, &system, &scripts);
    Scenario {
        number,
        theme: plan.theme,
        touches: plan.touches(),
        system,
        scripts,
        events,
    }
}
