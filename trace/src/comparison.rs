//! The three traces as vectors that tests compare. Every claim of "same" or
//! "unchanged" names one of them.
//!
//! - The *port trace* is the same everywhere for a time-safe program.
//! - The *decision trace* is the same for one event log, whatever the queues
//!   are made of.
//! - The *physical trace* has tick stamps; between runs of different systems it
//!   may shift by a stated bound.

use giornata_abi::{Instant, Ticks};
use giornata_system::NameMap;

use crate::event::{Content, Event, UpcallStep};
use crate::port::Assembly;

/// One entry of the port trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortValue {
    /// The logical instant.
    pub at: Instant,
    /// The port's full name: `program.port`.
    pub port: String,
    /// The value.
    pub value: Vec<u8>,
}

/// One entry of the physical trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// When.
    pub tick: Ticks,
    /// What: a port write, an upcall that begins, a release or a completion.
    pub what: Happening,
}

/// What the physical trace stamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A port was written.
    Write(PortValue),
    /// An upcall of this driver began, at this logical instant.
    Upcall(String, Instant),
    /// A task's job was released.
    Release(String, u32),
    /// A task's job completed.
    Complete(String, u32),
}

/// The port trace: every write of a traced port, in order.
pub fn port_trace(events: &[Event], names: &NameMap) -> Vec<PortValue> {
    let mut assembly = Assembly::new(names);
    events
        .iter()
        .filter_map(|event| port_value(event, &mut assembly, names))
        .collect()
}

fn port_value(event: &Event, assembly: &mut Assembly, names: &NameMap) -> Option<PortValue> {
    let write = assembly.push(event)?;
    Some(PortValue {
        at: write.at,
        port: port_name(names, write.port)?,
        value: write.value,
    })
}

fn port_name(names: &NameMap, index: u16) -> Option<String> {
    let port = names.ports.get(usize::from(index))?;
    qualify(names, Some(port.program), &port.name)
}

/// `program.name`, in whatever company the program is.
fn qualify(names: &NameMap, program: Option<u16>, name: &str) -> Option<String> {
    let program = names.programs.get(usize::from(program?))?;
    Some(format!("{}.{name}", program.name))
}

/// The physical trace of the ports, drivers and tasks that `of` selects by full name.
/// Releases of one instant that nothing comes between are told by name: who schedules
/// decides in which order they are made.
pub fn physical_trace(events: &[Event], names: &NameMap, of: impl Fn(&str) -> bool) -> Vec<Stamp> {
    let mut assembly = Assembly::new(names);
    let (mut stamps, mut released) = (Vec::new(), Vec::new());
    for event in events {
        if let Some(what) = happening(event, &mut assembly, names)
            && of(what.name())
        {
            stamps.push(Stamp {
                tick: event.tick,
                what,
            });
            released.push(match event.content {
                Content::Release { at, .. } => Some(at),
                _ => None,
            });
        }
    }
    let mut rest = stamps.as_mut_slice();
    for run in released.chunk_by(|one, other| one.is_some() && one == other) {
        let (releases, behind) = rest.split_at_mut(run.len());
        releases.sort_by(|one, other| one.what.name().cmp(other.what.name()));
        rest = behind;
    }
    stamps
}

fn happening(event: &Event, assembly: &mut Assembly, names: &NameMap) -> Option<Happening> {
    let task = |index: u16| {
        let thread = names.threads.get(usize::from(index))?;
        qualify(names, thread.program, &thread.name)
    };
    Some(match &event.content {
        Content::Port { .. } => Happening::Write(port_value(event, assembly, names)?),
        Content::Upcall {
            driver,
            step: UpcallStep::Begun,
            at,
            ..
        } => {
            let driver = names.drivers.get(usize::from(*driver))?;
            Happening::Upcall(qualify(names, Some(driver.program), &driver.name)?, *at)
        }
        Content::Release { thread, job, .. } => Happening::Release(task(*thread)?, *job),
        Content::Complete { thread, job, .. } => Happening::Complete(task(*thread)?, *job),
        _ => return None,
    })
}

impl Happening {
    /// The full name of the port, driver or task: `program.name`.
    pub fn name(&self) -> &str {
        match self {
            Happening::Write(write) => &write.port,
            Happening::Upcall(name, _)
            | Happening::Release(name, _)
            | Happening::Complete(name, _) => name,
        }
    }
}

/// The first position at which two traces differ; one that ends earlier
/// differs where it ends.
pub fn first_difference<T: PartialEq>(a: &[T], b: &[T]) -> Option<usize> {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (common < a.len().max(b.len())).then_some(common)
}

/// By how many ticks the stamps of two physical traces differ at most.
///
/// # Errors
/// The first position at which something else happened in one than in the other.
pub fn worst_shift(a: &[Stamp], b: &[Stamp]) -> Result<Ticks, usize> {
    let what =
        |stamps: &[Stamp]| -> Vec<Happening> { stamps.iter().map(|s| s.what.clone()).collect() };
    match first_difference(&what(a), &what(b)) {
        Some(at) => Err(at),
        None => Ok(Ticks(
            a.iter()
                .zip(b)
                .map(|(a, b)| a.tick.0.abs_diff(b.tick.0))
                .max()
                .unwrap_or(0),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;

    fn late(mut event: Event, ticks: u64) -> Event {
        event.tick.0 += ticks;
        event
    }

    #[test]
    fn port_traces_are_equal_however_late_the_writes_are() {
        let events = [
            port_piece(0, 0, 20_000_000, [1; 8]),
            port_piece(0, 0, 40_000_000, [2; 8]),
        ];
        let delayed = events.clone().map(|event| late(event, 500));
        let trace = port_trace(&events, &names());
        assert_eq!(trace, port_trace(&delayed, &names()));
        let second = PortValue {
            at: Instant(40_000_000),
            port: "flight.servo".into(),
            value: vec![2; 4],
        };
        assert_eq!((trace.len(), &trace[1]), (2, &second));
    }

    #[test]
    fn port_traces_differ_where_a_value_or_an_instant_does() {
        let a = port_trace(
            &[port_piece(0, 0, 1, [1; 8]), port_piece(0, 0, 2, [1; 8])],
            &names(),
        );
        let b = port_trace(
            &[port_piece(0, 0, 1, [1; 8]), port_piece(0, 0, 3, [1; 8])],
            &names(),
        );
        assert_eq!(first_difference(&a, &b), Some(1));
        assert_eq!(first_difference(&a, &a[..1]), Some(1));
        assert_eq!(first_difference(&a, &a), None);
    }

    #[test]
    fn releases_of_one_instant_are_in_no_order() {
        let [fast, slow, next] = [(10, 0, 1), (10, 1, 1), (20, 0, 2)]
            .map(|(at, thread, job)| release(at, thread, job, 10));
        let of = |events: &[Event]| physical_trace(events, &names(), |_| true);
        let one = of(&[fast.clone(), slow.clone(), next.clone()]);
        assert_eq!(one, of(&[slow.clone(), fast.clone(), next.clone()]));
        assert_ne!(one, of(&[fast.clone(), next.clone(), slow.clone()]));
        let between = of(&[slow, complete(10, 1, 1), fast, next]);
        assert_eq!(first_difference(&one, &between), Some(0), "not in a row");
    }

    #[test]
    fn the_worst_shift_is_the_largest_of_the_selected() {
        let events = [complete(10, 0, 1), complete(20, 1, 1), complete(30, 0, 2)];
        let shifted = [
            late(events[0].clone(), 2),
            late(events[1].clone(), 90),
            late(events[2].clone(), 7),
        ];
        let physical =
            |events: &[Event]| physical_trace(events, &names(), |name| name == "flight.fast");
        assert_eq!(
            worst_shift(&physical(&events), &physical(&shifted)),
            Ok(Ticks(7))
        );
        assert_eq!(
            worst_shift(&physical(&events), &physical(&events[..2])),
            Err(1)
        );
    }
}
