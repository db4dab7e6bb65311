//! What the named tests of services share: systems, acts, and what came of them.
//!
//! Thread `n` of a system is the `n`th of its priorities. Threads arrive one
//! after the other, the most urgent last, so that each finds what it is to meet.

use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::{RIGHT_MANAGE, RIGHT_USE};
use giornata_abi::trace::{FaultCause, TraceKind, TraceRecord};
use giornata_sim::{Act, Ended, Scheduling, Script, SystemBuilder, Tables};

pub(crate) const DONE: Answer = Answer::DONE;
pub(crate) const FAULT: Act = Act::Fault(FaultCause::Store);

/// One process a priority list, with a thread for each of them.
pub(crate) fn threads<const N: usize>(processes: [&[u8]; N]) -> SystemBuilder {
    let mut b = SystemBuilder::new();
    for priorities in processes {
        let process = b.process();
        for priority in priorities {
            b.thread(process, Scheduling::Fifo(*priority));
        }
    }
    b
}

/// Lets every process do everything with every object.
pub(crate) fn shared(mut b: SystemBuilder) -> Tables {
    for object in 0..b.tables.objects.len() {
        for process in 0..b.tables.processes.len() {
            b.grant_object(process as u16, object as u16, RIGHT_USE | RIGHT_MANAGE);
        }
    }
    b.finish()
}

/// Threads of one process that share so many mutexes.
pub(crate) fn with_mutexes(priorities: &[u8], mutexes: usize) -> Tables {
    let mut b = threads([priorities]);
    for _ in 0..mutexes {
        b.mutex();
    }
    shared(b)
}

/// What came of a run.
pub(crate) struct Played {
    pub(crate) timeline: Vec<(u64, Option<u16>)>,
    /// By thread, those of `sleep` too.
    pub(crate) answers: Vec<Vec<Answer>>,
    pub(crate) records: Vec<TraceRecord>,
}

/// Each thread runs its acts.
pub(crate) fn play<const N: usize>(tables: &Tables, acts: [Vec<Act>; N]) -> Played {
    simulate(tables, |simulation| {
        let mut answers = Vec::new();
        for (thread, acts) in acts.into_iter().enumerate() {
            let script = Script::new(acts);
            answers.push(script.answers());
            simulation.set_thread(thread as u16, script);
        }
        assert_eq!(simulation.run(), Ended::Quiet);
        assert_eq!(count(simulation.records(), TraceKind::Impossible), 0);
        Played {
            timeline: timeline(simulation.records()),
            answers: answers.iter().map(|answers| answers.take()).collect(),
            records: simulation.take_records(),
        }
    })
}

/// Until when, in two halves.
pub(crate) fn until(micros: Option<u64>) -> [usize; 2] {
    let at = micros.map_or(u64::MAX, |micros| at_us(micros).0);
    [at as u32 as usize, (at >> 32) as usize]
}

pub(crate) fn lock(object: usize) -> Act {
    lock_until(object, None)
}

pub(crate) fn lock_until(object: usize, micros: Option<u64>) -> Act {
    let [low, high] = until(micros);
    call(Call::Lock, &[object, low, high])
}

pub(crate) fn unlock(object: usize) -> Act {
    call(Call::Unlock, &[object])
}

pub(crate) fn wait(condition: usize, mutex: usize) -> Act {
    wait_until(condition, mutex, None)
}

pub(crate) fn wait_until(condition: usize, mutex: usize, micros: Option<u64>) -> Act {
    let [low, high] = until(micros);
    call(Call::Wait, &[condition, mutex, low, high])
}

pub(crate) fn signal(condition: usize) -> Act {
    call(Call::Signal, &[condition])
}

pub(crate) fn broadcast(condition: usize) -> Act {
    call(Call::Broadcast, &[condition])
}

pub(crate) fn set_priority(thread: usize, priority: usize) -> Act {
    call(Call::SetPriority, &[thread, priority])
}
