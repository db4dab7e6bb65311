//! Threads that wait for a mutex that nobody gives back.
//!
//! Who waits for what is in the kernel's records when the machine has stopped; since when,
//! in the trace: a thread that waits for a mutex has asked for it when it ran last. Two
//! waits are the exceptions, after which a thread asks without having run: that for a
//! condition, and that for a semaphore by which it told its next lock. Such a thread may
//! have asked just now, so it counts only if the owner has not run for as long either.

use giornata_abi::{Instant, Ticks};
use giornata_symbols::Symbols;
use giornata_system::NameMap;

use super::finding::Finding;
use super::occupancy::Occupancy;
use crate::narration::thread_name;
use crate::notation::seconds;
use crate::standing::{Awaited, Standing, State};

/// A thread that waits for a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocked {
    /// Its index.
    pub(super) thread: u16,
    /// Since when.
    pub(super) since: Ticks,
    /// The mutex.
    pub(super) mutex: u16,
    /// Who owns that.
    pub(super) owner: u16,
}

/// The threads that have waited for a mutex for at least the last half of a run.
pub(super) fn blocked(
    standing: &Standing,
    occupancy: &Occupancy,
    end: Ticks,
    names: &NameMap,
) -> Vec<Blocked> {
    let threads = (0u16..).zip(&standing.threads);
    let waiting = threads.filter_map(|(thread, own)| {
        let State::Waits(Awaited::Object(mutex)) = own.state else {
            return None;
        };
        let object = names.objects.get(usize::from(mutex))?;
        let owner = standing.owners.get(usize::from(mutex)).copied().flatten()?;
        let since = occupancy.absent_since(thread, end)?;
        let asked_when_it_ran = !own.is_hinted && !uses_conditions(names, thread);
        let counts = asked_when_it_ran || occupancy.absent_since(owner, end).is_some();
        (object.kind == "mutex" && counts).then_some(Blocked {
            thread,
            since,
            mutex,
            owner,
        })
    });
    waiting.collect()
}

fn uses_conditions(names: &NameMap, thread: u16) -> bool {
    let process = names.threads.get(usize::from(thread)).map(|t| t.process);
    let mut objects = names.objects.iter();
    objects.any(|object| {
        object.kind == "condition" && process.is_some_and(|p| object.users.contains(&p))
    })
}

/// The line of a finding of a run that ended at `end`.
pub(super) fn sentence(
    finding: &Finding,
    (names, symbols, standing): (&NameMap, Option<&Symbols>, Option<&Standing>),
    thread: u16,
    end: Instant,
) -> String {
    let place = |thread| {
        let place = standing?.place(thread, names, symbols?)?;
        Some(format!(" in {place}"))
    };
    let object = finding
        .mutex
        .and_then(|mutex| names.objects.get(usize::from(mutex)));
    let mutex = object.map_or("a mutex", |object| object.name.as_str());
    let owner = finding.other.map_or_else(
        || "nobody owns it".into(),
        |owner| {
            let (word, about) = standing.map_or(("is", String::new()), |standing| {
                standing.describe(owner, names)
            });
            let does = match word {
                "waits" if !about.is_empty() => format!("waits for {about}"),
                "waits" | "sleeps" | "is" => format!("{word} {about}").trim_end().into(),
                "running" | "ready" => "computes".into(),
                other => format!("is {other}"),
            };
            let at = place(owner).unwrap_or_default();
            format!("{} owns it and {does}{at}", thread_name(names, owner))
        },
    );
    format!(
        "thread {}{} waited for mutex {mutex} from {} to the end at {}: {owner}; give the mutex \
         back on every path, and do not wait while owning it",
        thread_name(names, thread),
        place(thread).map_or_else(String::new, |place| format!(" ({})", place.trim_start())),
        seconds(finding.first),
        seconds(end),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::sample::*;
    use crate::standing::ThreadStanding;
    use giornata_system::names::{ObjectName, ThreadRole};

    const OWNER: u16 = 0;
    const WAITER: u16 = 1;

    /// The sample, whose threads are plain ones and have a mutex.
    fn system() -> NameMap {
        let mut names = names();
        names.threads.truncate(2);
        for thread in &mut names.threads {
            thread.role = ThreadRole::Thread;
        }
        names.objects = vec![object("door", "mutex")];
        names
    }

    fn object(name: &str, kind: &str) -> ObjectName {
        ObjectName {
            name: name.into(),
            kind: kind.into(),
            ceiling: None,
            users: vec![0, 1],
            receivers: vec![],
            managers: vec![],
            server: None,
        }
    }

    fn standing() -> Standing {
        let waits = State::Waits(Awaited::Object(0));
        Standing {
            threads: vec![ThreadStanding::of(State::Sleeps), ThreadStanding::of(waits)],
            owners: vec![Some(OWNER)],
            processes: vec![],
        }
    }

    fn found(standing: &Standing, names: &NameMap, events: &[Event]) -> Vec<(u16, u64)> {
        let mut occupancy = Occupancy::new(names);
        events.iter().for_each(|e| occupancy.observe(e, names));
        let found = blocked(standing, &occupancy, Ticks(100 * 10_000), names);
        found
            .iter()
            .map(|b| (b.thread, b.since.0 / 10_000))
            .collect()
    }

    fn runs(owner_last_ms: u64, waiter_last_ms: u64) -> Vec<Event> {
        let mut events = vec![
            switch(0, Some(WAITER)),
            switch(waiter_last_ms * 1000, Some(OWNER)),
        ];
        events.push(switch(owner_last_ms * 1000, None));
        events
    }

    #[test]
    fn who_waits_for_the_last_half_is_blocked_whatever_the_owner_does() {
        let names = system();
        for owner_last in [21, 99] {
            let events = runs(owner_last, 20);
            assert_eq!(found(&standing(), &names, &events), [(WAITER, 20)]);
        }
        assert_eq!(
            found(&standing(), &names, &runs(99, 60)),
            [],
            "not for long"
        );
    }

    #[test]
    fn who_may_have_been_signalled_just_now_is_blocked_only_if_the_owner_does_nothing() {
        let mut names = system();
        names.objects.push(object("change", "condition"));
        assert_eq!(found(&standing(), &names, &runs(99, 20)), []);
        assert_eq!(found(&standing(), &names, &runs(21, 20)), [(WAITER, 20)]);
        let names = system();
        let mut hinted = standing();
        hinted.threads[usize::from(WAITER)].is_hinted = true;
        assert_eq!(found(&hinted, &names, &runs(99, 20)), []);
    }

    #[test]
    fn who_waits_for_anything_else_or_for_a_free_mutex_is_not_blocked() {
        let events = runs(21, 20);
        let mut names = system();
        names.objects = vec![object("bell", "semaphore")];
        assert_eq!(found(&standing(), &names, &events), []);
        let mut free = standing();
        free.owners = vec![None];
        assert_eq!(found(&free, &system(), &events), []);
    }

    #[test]
    fn the_line_names_thread_mutex_owner_and_what_that_does() {
        let names = system();
        let mut finding = Finding::new(
            giornata_system::expect::Kind::Blocked,
            giornata_system::expect::Subject::Thread(WAITER),
            Instant(20_000_000),
        );
        (finding.other, finding.mutex) = (Some(OWNER), Some(0));
        let line = |standing| {
            let known = (&names, None, standing);
            sentence(&finding, known, WAITER, Instant(100_000_000))
        };
        let standing = standing();
        assert_eq!(
            line(Some(&standing)),
            "thread io/slow waited for mutex door from 0.020 s to the end at 0.100 s: \
             control/fast owns it and sleeps; give the mutex back on every path, and do not \
             wait while owning it"
        );
    }
}
