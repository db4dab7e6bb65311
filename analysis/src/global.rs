//! Several harts with one ready queue: does every job meet its deadline, however tasks are
//! released against each other?
//!
//! ```text
//!  Program, ECode --> sporadic: windows, period, time of each task
//!                        |
//!                        v                          holds for the program
//!      GFB  BAK  BAR  BCL  RTA   earliest deadline -> if one of them
//!                          RTA   fixed priorities     says so
//! ```
//!
//! None of the tests is exact, and none is better than all others, so each is asked. What
//! none of them shows may be so all the same; that a program is *not* schedulable is shown
//! by a run ([`walk_on`](crate::walk_on)).
//!
//! All take sporadic tasks whose deadlines are not beyond their periods, and whole
//! nanoseconds. Work is counted in 128 bits, loads in fractions of any size: nothing is
//! rounded.
//!
//! In the papers all deadlines of a task are as far from its releases. Here jobs of a task may
//! have windows of several lengths, as modes and Psi give them. A longer window is no easier
//! to meet, because more comes before it; so where a test asks of each task whether its job
//! can be late, it is asked of each window. What a task keeps others from running by does not
//! depend on it: that follows from how far apart its deadlines are, and its releases, and how
//! soon a release comes behind a deadline, which are never less than those of `least`. Baker's
//! test takes more from the papers' tasks; it applies where all windows of a task are equal.
//! That of Goossens, Funk and Baruah is about any jobs whose windows of one task do not
//! overlap.

mod demand;
mod density;
mod interference;
mod partition;
mod sporadic;

use giornata_abi::Duration;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

pub use partition::{Fit, partition};
pub use sporadic::{Sporadic, by_rates, sporadic};

use crate::periodic::Periodic;

/// An exact fraction.
pub type Ratio = BigRational;

/// In which order ready tasks run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Global earliest deadline first.
    EarliestDeadline,
    /// Fixed priorities: for each task its rank, 0 the most urgent; equal ones run in the
    /// order of their releases.
    Priorities(Vec<u64>),
}

/// A test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The bound of Goossens, Funk and Baruah on densities.
    Gfb,
    /// Baker's.
    Bak,
    /// Baruah's.
    Bar,
    /// That of Bertogna, Cirinei and Lipari on interference.
    Bcl,
    /// Response times after Bertogna and Cirinei.
    Rta,
}

impl Test {
    /// The name in the literature.
    pub const fn name(self) -> &'static str {
        match self {
            Test::Gfb => "GFB",
            Test::Bak => "BAK",
            Test::Bar => "BAR",
            Test::Bcl => "BCL",
            Test::Rta => "RTA",
        }
    }
}

/// What a test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// No job is late.
    Schedulable,
    /// More may be needed than there is: nothing is shown.
    NotShown(Lack),
    /// The test does not apply, or looks at more than it may.
    Unknown,
}

/// Where a test fails: what it cannot exclude, and the most with which it would hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The task whose job may be late; `None`: any.
    pub task: Option<u16>,
    /// The length of the interval that ends where it is late, if the test has one.
    pub interval: Option<Duration>,
    /// What may be needed: in harts, or in nanoseconds where `is_time`.
    pub needed: Ratio,
    /// What there is.
    pub fits: Ratio,
    /// Whether these are times.
    pub is_time: bool,
}

impl Lack {
    fn of_time(needed: u128, fits: u128, task: u16, interval: Option<Duration>) -> Lack {
        Lack {
            task: Some(task),
            interval,
            needed: BigInt::from(needed).into(),
            fits: BigInt::from(fits).into(),
            is_time: true,
        }
    }

    /// Whether this is farther from holding than another, by what is needed in relation to
    /// what there is.
    pub fn exceeds(&self, other: &Lack) -> bool {
        match (self.fits.is_positive(), other.fits.is_positive()) {
            (true, true) => &self.needed * &other.fits > &other.needed * &self.fits,
            (is_positive, other_is) => other_is && !is_positive,
        }
    }

    /// What is needed, in whole nanoseconds, or in thousandths of a hart rounded up.
    pub fn needed(&self) -> u64 {
        self.unit(&self.needed)
            .ceil()
            .to_integer()
            .to_u64()
            .unwrap_or(u64::MAX)
    }

    /// What there is, likewise, rounded down; 0 if it is less.
    pub fn fits(&self) -> u64 {
        self.unit(&self.fits)
            .floor()
            .to_integer()
            .to_u64()
            .unwrap_or(0)
    }

    fn unit(&self, amount: &Ratio) -> Ratio {
        match self.is_time {
            true => amount.clone(),
            false => amount * BigInt::from(1000),
        }
    }
}

impl Says {
    /// That so many harts may be needed, where there are so many.
    fn of(needed: Ratio, fits: Ratio, task: Option<u16>) -> Says {
        match needed <= fits {
            true => Says::Schedulable,
            false => Says::NotShown(Lack {
                task,
                interval: None,
                needed,
                fits,
                is_time: false,
            }),
        }
    }
}

/// What all tests say of some tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Each test that was asked.
    pub tests: Vec<(Test, Says)>,
    /// For each task the longest response of its jobs, where the test of responses holds.
    pub responses: Vec<Duration>,
}

impl Global {
    /// The first test by which no job is late.
    pub fn shown_by(&self) -> Option<Test> {
        let holds = |(_, says): &&(Test, Says)| *says == Says::Schedulable;
        self.tests.iter().find(holds).map(|(test, _)| *test)
    }

    /// Of the tests that fail the one that is closest to holding.
    pub fn closest(&self) -> Option<(Test, &Lack)> {
        let mut closest = None::<(Test, &Lack)>;
        for (test, says) in &self.tests {
            if let Says::NotShown(lack) = says
                && closest.is_none_or(|(_, so_far)| so_far.exceeds(lack))
            {
                closest = Some((*test, lack));
            }
        }
        closest
    }
}

/// Asks all tests of a policy, where so many harts run tasks. No test holds where a job needs
/// more than its window on a hart of its own.
pub fn global(view: &[Sporadic], harts: u32, policy: &Policy) -> Global {
    let harts = harts.max(1);
    let tasks: Vec<Periodic> = view.iter().map(|task| task.least).collect();
    let tasks = Tasks { view, all: &tasks };
    let asked: &[Test] = match policy {
        Policy::EarliestDeadline => &[Test::Gfb, Test::Bak, Test::Bar, Test::Bcl, Test::Rta],
        Policy::Priorities(_) => &[Test::Rta],
    };
    let mut responses = Vec::new();
    let mut all = tasks.all.iter();
    let hopeless = all.find(|task| task.time > task.deadline);
    let ask = |test: &Test| {
        let says = match (hopeless, test) {
            (Some(task), _) => {
                let [needed, fits] = [task.time, task.deadline].map(|time| time.0.into());
                Says::NotShown(Lack::of_time(needed, fits, task.task, None))
            }
            (None, Test::Gfb) => density::gfb(tasks.all, harts),
            (None, Test::Bak) => density::bak(&tasks, harts),
            (None, Test::Bar) => demand::bar(&tasks, harts),
            (None, Test::Bcl) => interference::bcl(&tasks, harts),
            (None, Test::Rta) => {
                let (says, bounds) = interference::responses(&tasks, harts, policy);
                responses = bounds;
                says
            }
        };
        (*test, says)
    };
    let tests = asked.iter().map(ask).collect();
    Global { tests, responses }
}

/// The tasks of a view, as the tests go through them.
struct Tasks<'a> {
    view: &'a [Sporadic],
    /// Each with its shortest window.
    all: &'a [Periodic],
}

impl Tasks<'_> {
    /// Every kind of job that may be late: the place of its task, and this with its window.
    fn jobs(&self) -> impl Iterator<Item = (usize, Periodic)> {
        self.view.iter().enumerate().flat_map(|(place, task)| {
            let windows = task.windows.iter();
            windows.map(move |window| {
                let deadline = *window;
                (
                    place,
                    Periodic {
                        deadline,
                        ..task.least
                    },
                )
            })
        })
    }

    /// The tasks but one.
    fn others(&self, than: usize) -> impl Iterator<Item = (usize, &Periodic)> {
        let all = self.all.iter().enumerate();
        all.filter(move |(place, _)| *place != than)
    }
}

/// What all tasks together load harts with, in thousandths of a hart, rounded up.
pub fn load(tasks: &[Sporadic]) -> u64 {
    let tasks = tasks.iter().map(|task| task.least);
    let sum: Ratio = tasks.map(|task| fraction(task.time, task.period)).sum();
    let thousandths = sum * BigInt::from(1000);
    thousandths.ceil().to_integer().to_u64().unwrap_or(u64::MAX)
}

/// A time in relation to another, which is taken to be 1 ns at least.
fn fraction(time: Duration, whole: Duration) -> Ratio {
    match time.0 {
        0 => Ratio::zero(),
        time => Ratio::new(time.into(), whole.0.max(1).into()),
    }
}
