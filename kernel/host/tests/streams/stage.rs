//! A system that runs a graph, and what must hold of both.

use giornata_abi::control::ControlPage;
use giornata_abi::system::FaultPolicy;
use giornata_core::sched::ready::level;
use giornata_core::sched::thread::role;
use giornata_core::streams::Filter;
use giornata_host::{MEMORY, Rig};
use giornata_records::{Description, Process, Thread};
use std::mem::offset_of;

use crate::graph::{Graph, Model};

/// Bytes between control pages, from the beginning of memory on.
const PAGE: usize = 64;
/// Where the data of processes begin in memory, and their bytes.
const DATA: usize = 0x8000;
const DATA_SIZE: usize = 0x1000;

/// A system: threads of these fixed priorities in the first process, and the filters of a graph
/// in the others, by number. Every second process begins anew when it faults.
pub(crate) fn system(graph: &Graph, harts: u32, urgent: &[u8], owners: &[usize]) -> Description {
    let count = owners.iter().max().map_or(0, |most| most + 1) + 1;
    let process = |number: usize| Process {
        data: (
            0x4000_0000,
            DATA_SIZE as u64,
            (MEMORY + DATA + number * DATA_SIZE) as u64,
        ),
        on_fault: (number % 2 == 1).then_some(FaultPolicy::Restart),
        ..Process::default()
    };
    let mut threads: Vec<(usize, Option<usize>, Thread)> = Vec::new();
    for priority in urgent {
        let thread = Thread {
            priority: *priority,
            role: role::AUTOSTART,
            ..Thread::default()
        };
        threads.push((0, None, thread));
    }
    for (filter, owner) in owners.iter().enumerate() {
        let thread = Thread {
            process: owner + 1,
            role: role::TASK,
            ..Thread::default()
        };
        threads.push((owner + 1, Some(filter), thread));
    }
    threads.sort_by_key(|(process, ..)| *process);
    let mut of_filters = vec![0; owners.len()];
    let numbered = threads.into_iter().enumerate();
    let threads = numbered.map(|(number, (_, filter, thread))| {
        if let Some(filter) = filter {
            of_filters[filter] = number;
        }
        Thread {
            control: (MEMORY + number * PAGE) as u64,
            entry: 0x100,
            arguments: [argument(number) as u64, 0],
            ..thread
        }
    });
    assert!(size_of::<ControlPage>() <= PAGE);
    Description {
        band: 200,
        harts,
        processes: (0..count).map(process).collect(),
        threads: threads.collect(),
        streams: Some(graph.streams(&of_filters)),
        trace_records: 64,
        accounts: cfg!(feature = "posix"),
        ..Description::default()
    }
}

/// The first argument of a thread.
fn argument(thread: usize) -> usize {
    0x1000 + 16 * thread
}

/// A graph that runs.
pub(crate) struct Stage {
    pub(crate) rig: Rig,
    pub(crate) model: Model,
}

impl Stage {
    pub(crate) fn new(graph: Graph, harts: u32, urgent: &[u8], owners: &[usize]) -> Stage {
        let description = system(&graph, harts, urgent, owners);
        Stage::of(&description, graph)
    }

    /// A system that [`system`] has described, amended.
    pub(crate) fn of(description: &Description, graph: Graph) -> Stage {
        let rig = Rig::boot(description);
        let stage = Stage {
            rig,
            model: Model::new(graph),
        };
        stage.check();
        stage
    }

    /// The record of a filter.
    pub(crate) fn filter(&self, filter: usize) -> &'static Filter {
        &self.rig.kernel().streams.filters[filter]
    }

    /// The filter that a thread is.
    pub(crate) fn filter_of(&self, thread: usize) -> Option<usize> {
        let filters = self.rig.kernel().streams.filters.iter();
        let mut numbers = filters.map(|filter| filter.thread.number() as usize);
        numbers.position(|number| number == thread)
    }

    /// Filters that are ready, in their order.
    #[cfg(not(feature = "harts"))]
    pub(crate) fn ring(&self) -> Vec<usize> {
        let system = self.rig.kernel();
        let mut rank = Some(system.first_rank());
        while let Some(open) = rank {
            if open.level() == level::STREAM {
                let head = open.head().expect("an open rank has a head");
                let all = std::iter::successors(Some(head), |thread| {
                    let next = thread.next();
                    (!std::ptr::eq(next, head)).then_some(next)
                });
                let filters = all.map(|thread| self.filter_of(thread.number() as usize));
                return filters.flatten().collect();
            }
            rank = system.next_rank(open);
        }
        Vec::new()
    }

    /// The invariants of the kernel; a filter is ready if all is there for its next instance,
    /// and, unless an end is under way, not otherwise.
    pub(crate) fn check(&self) {
        self.rig.check_invariants();
        let filters = self.rig.kernel().streams.filters;
        let is_settled = !filters.iter().any(Filter::is_ending);
        for (number, filter) in filters.iter().enumerate() {
            let (position, _) = self.model.progress(number);
            if filter.is_ending() {
                continue;
            }
            assert_eq!(filter.position() as usize, position, "filter {number}");
            let can_start = self.model.can_start(number);
            let may_start = filter.counter() == 0;
            assert!(
                can_start || !may_start,
                "filter {number} starts without its tokens or room"
            );
            assert!(
                may_start || !can_start || !is_settled,
                "filter {number} does not start and has tokens and room"
            );
        }
    }

    #[cfg(not(feature = "harts"))]
    /// What a filter that begins anew is told of how far it had come.
    pub(crate) fn check_told(&self, filter: usize) {
        let thread = self.filter(filter).thread.number() as usize;
        let word = |offset: usize| self.rig.word(thread * PAGE + offset);
        let (position, cycles) = self.model.progress(filter);
        assert_eq!(word(offset_of!(ControlPage, job)) as usize, position);
        let release = offset_of!(ControlPage, release);
        let told = u64::from(word(release)) | u64::from(word(release + 4)) << 32;
        assert_eq!(told, cycles, "filter {filter}");
        // (if it has not run since)
        let [a0, ..] = &self.filter(filter).thread.context.a;
        assert!([argument(thread), 0].contains(&a0.get()), "filter {filter}");
    }
}
