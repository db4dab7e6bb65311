//! What must be true of the E and S machine between two events. For tests.

use super::cause::List;
use crate::micro::{Group, Program, Trigger, group_flag, mode};
use crate::sched::thread::state;
use crate::{Ref, System, same};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl Trigger {
    /// Whether its alarm is set.
    pub fn is_armed(&self) -> bool {
        self.is(mode::ARMED)
    }
}

/// Triggers that a list can have at most before it is held to have no end.
const MOST: usize = 1 << 16;

/// How often a trigger stands in a list.
fn times_in(list: &List, trigger: Ref<Trigger>) -> Result<usize, &'static str> {
    let (mut at, mut left, mut times) = (list.get(), MOST, 0);
    while let Some(other) = at {
        hold!(left != 0, "a list of triggers has an end");
        left -= 1;
        times += usize::from(same(other, trigger));
        at = other.next.get();
    }
    Ok(times)
}

impl System {
    /// The Place Invariant of triggers, the Ring Invariant of groups, and what S code
    /// dispatches. O(triggers squared).
    pub(crate) fn check_micro(&self) -> Result<(), &'static str> {
        for program in self.micro.programs {
            for trigger in program.triggers {
                self.check_trigger(program, trigger)?;
            }
            for group in program.groups {
                check_group(group)?;
            }
        }
        let mut at = self.micro.due.get();
        while let Some(first) = at {
            at = first.next.get();
            hold!(
                first.is(mode::UNPLACED)
                    || at.is_none_or(|next| !next.is(mode::UNPLACED) && !next.precedes(first)),
                "what is due stands in order, behind what has no place yet"
            );
        }
        self.check_dispatchers()
    }

    fn check_trigger(&self, program: &Program, trigger: Ref<Trigger>) -> Result<(), &'static str> {
        let micro = &self.micro;
        let [triggers, threads] = &program.free;
        let free = times_in(triggers, trigger)? + times_in(threads, trigger)?;
        let due = times_in(&micro.due, trigger)?;
        let mut hung = times_in(&micro.later, trigger)? + times_in(&micro.mail, trigger)?;
        for program in micro.programs {
            for group in program.groups {
                hung += times_in(&group.watchers, trigger)?;
            }
        }
        for port in micro.ports {
            hung += times_in(&port.watchers, trigger)?;
        }
        for line in self.lines.iter().flatten() {
            hung += times_in(&line.watchers, trigger)?;
        }
        hold!(free + due + hung <= 1, "a trigger stands in one list");
        hold!(
            trigger.is(mode::DUE) == (due == 1) && trigger.is(mode::HUNG) == (hung == 1),
            "the mode of a trigger says in which list it stands"
        );
        let is_armed = self.agenda.holds(&trigger.alarm);
        hold!(
            is_armed.is_none_or(|is_armed| is_armed == trigger.is(mode::ARMED)),
            "the mode of a trigger says whether its alarm is set"
        );
        hold!(
            free == 0 || !trigger.is(mode::ARMED),
            "a trigger that is free has no alarm"
        );
        Ok(())
    }

    fn check_dispatchers(&self) -> Result<(), &'static str> {
        let micro = &self.micro;
        let running = micro.running.get();
        let (mut at, mut left) = (micro.dispatchers.get(), MOST);
        // (who runs is decided anew while it is not settled, and known late in fast mode)
        let is_open = micro.unsettled.get() != 0 || micro.quick.get().is_some();
        let mut is_dispatched = is_open || running.is_none();
        while let Some(thread) = at {
            hold!(left != 0, "the list of dispatching threads has an end");
            left -= 1;
            let task = thread.task.get();
            hold!(
                thread.is(mode::S_THREAD) && task.is_some(),
                "what dispatches a task is a thread of S code"
            );
            is_dispatched |= task
                .zip(running)
                .is_some_and(|(task, running)| same(task, running));
            at = thread.peer.get();
        }
        hold!(is_dispatched, "the task that S code runs is dispatched");
        Ok(())
    }
}

fn check_group(group: Ref<Group>) -> Result<(), &'static str> {
    let threads = group.tasks.iter().map(|task| task.thread);
    if group.flags.get() & group_flag::APART != 0 {
        let released = group.tasks.iter().filter(|task| task.is_released());
        hold!(
            released.count() == group.left.get() as usize,
            "a group that is apart knows how many of its tasks have a job"
        );
        hold!(
            threads.clone().all(|thread| !thread.is(state::IN_RING)),
            "a task of a group that is apart is in no ring"
        );
        return Ok(());
    }
    let following = threads.clone().cycle().skip(1);
    for (thread, next) in threads.clone().zip(following) {
        hold!(
            thread.is(state::IN_RING) && same(thread.next.get(), next),
            "the tasks of a group are a ring, in the order of their numbers"
        );
    }
    let head = group.rank.head.get();
    hold!(
        head.is_none_or(|head| threads.clone().any(|thread| same(thread, head))),
        "what is ready in the rank of a group is of the group"
    );
    Ok(())
}
