//! Tests that compare loads: of all tasks, or as one of them sees them.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{Lack, Ratio, Says, Tasks, fraction};
use crate::periodic::Periodic;

/// GFB: J. Goossens, S. Funk, S. Baruah, "Priority-Driven Scheduling of Periodic Task Systems
/// on Multiprocessors", Real-Time Systems 25, 2003; with densities for deadlines that are
/// shorter than periods: M. Bertogna, M. Cirinei, G. Lipari, "Improved Schedulability Analysis
/// of EDF on Multiprocessor Platforms", ECRTS 2005. O(tasks).
///
/// The densities may be `harts` less what the greatest of them keeps from all harts but one.
pub(super) fn gfb(tasks: &[Periodic], harts: u32) -> Says {
    let densities: Vec<Ratio> = tasks.iter().map(density).collect();
    let Some(greatest) = densities.iter().max() else {
        return Says::Schedulable;
    };
    let needed: Ratio = densities.iter().sum();
    Says::of(needed, room(harts, greatest), None)
}

/// BAK: T. P. Baker, "Multiprocessor EDF and Deadline Monotonic Schedulability Analysis",
/// RTSS 2003. O(tasks^2).
///
/// From the last instant before a late job at which less work was at hand than its task's
/// density keeps harts busy with, the others load the harts by no more than their sum here.
/// It is not known to hold of tasks whose windows differ.
pub(super) fn bak(tasks: &Tasks<'_>, harts: u32) -> Says {
    if tasks.view.iter().any(|task| task.windows.len() > 1) {
        return Says::Unknown;
    }
    let (tasks, mut worst) = (tasks.all, None::<Lack>);
    for late in tasks {
        let share = density(late);
        let loads = tasks.iter().map(|task| load(task, late, &share));
        let needed: Ratio = loads.map(|load| load.min(Ratio::one())).sum();
        if let Says::NotShown(lack) = Says::of(needed, room(harts, &share), Some(late.task))
            && worst.as_ref().is_none_or(|worst| lack.exceeds(worst))
        {
            worst = Some(lack);
        }
    }
    worst.map_or(Says::Schedulable, Says::NotShown)
}

/// What a task loads harts with before a job of `late`, whose density is `share`.
fn load(task: &Periodic, late: &Periodic, share: &Ratio) -> Ratio {
    let utilisation = fraction(task.time, task.period);
    let [period, deadline, time] =
        [task.period, task.deadline, task.time].map(|length| BigInt::from(length.0));
    let window = BigInt::from(late.deadline.0.max(1));
    let carried = Ratio::new(&period - deadline, window.clone());
    let usual = &utilisation * (Ratio::one() + carried);
    if *share >= utilisation {
        return usual;
    }
    let beyond = Ratio::from(time) - share * Ratio::from(period);
    usual + beyond / Ratio::from(window)
}

/// Time in relation to deadline.
fn density(task: &Periodic) -> Ratio {
    match task.time.0 {
        0 => Ratio::zero(),
        _ => fraction(task.time, task.deadline),
    }
}

/// What the others may load so many harts with while a job of this density waits.
fn room(harts: u32, density: &Ratio) -> Ratio {
    let others = Ratio::from(BigInt::from(harts.saturating_sub(1)));
    Ratio::from(BigInt::from(harts)) - others * density
}
