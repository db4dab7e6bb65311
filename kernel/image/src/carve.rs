//! Cuts the kernel's tables out of the memory that the builder left for them.

use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;

use giornata_abi::system::{System, SystemHeader};
use giornata_arch_riscv::{Context, Regions, Space};
use giornata_core::{
    Interrupt, Memory, Message, Needs, Object, Pool, Port, Process, Region, Thread, Tie,
};
use giornata_micro::{Binding, ProgramState, SThread};
use giornata_queue::{AgendaEvent, ReadyNode, WaitNode};

use crate::blob::Refusal;

/// Bytes of one entry of each table, and what goes lost between tables. The
/// builder computes from them how much memory a system's kernel needs:
///
/// | index | bytes of one | times |
/// |---|---|---|
/// | 0 | context | threads |
/// | 1 | thread record | threads |
/// | 2 | ready queue node | threads |
/// | 3 | process record | processes |
/// | 4 | port record | ports |
/// | 5 | interrupt record | interrupts |
/// | 6 | agenda event | threads + triggers + s_threads + 1, and 1 with spare tables |
/// | 7 | trigger slot | triggers |
/// | 8 | S thread slot | s_threads |
/// | 9 | program state | programs |
/// | 10 | alignment, all tables together | once |
/// | 11 | of a context: registers | - |
/// | 12 | object record | objects |
/// | 13 | tie and node of a waiter | threads |
/// | 14 | message | messages |
/// | 15 | what a process takes from | processes |
/// | 16 | region that is shared | regions |
///
/// To the sum of the first comes the port arena, `arena_size` bytes.
pub const SIZES: [u32; 17] = [
    size_of::<Context>() as u32,
    size_of::<Thread>() as u32,
    size_of::<ReadyNode>() as u32,
    size_of::<Process>() as u32,
    size_of::<Port>() as u32,
    size_of::<Interrupt>() as u32,
    size_of::<AgendaEvent>() as u32,
    size_of::<Binding>() as u32,
    size_of::<SThread>() as u32,
    size_of::<ProgramState>() as u32,
    (TABLES * ALIGNMENT) as u32,
    Context::REGISTERS as u32,
    size_of::<Object>() as u32,
    OF_TIE as u32,
    size_of::<Message>() as u32,
    size_of::<Pool>() as u32,
    size_of::<Region>() as u32,
];

/// Tables that are cut.
const TABLES: usize = 17;
/// What a thread needs to wait for objects; 0 where there are none.
const OF_TIE: usize = match size_of::<Tie>() {
    0 => 0,
    tie => tie + size_of::<WaitNode>(),
};
/// Each begins at a multiple of this.
const ALIGNMENT: usize = 16;

/// Memory that has not been given away.
struct Carver {
    at: usize,
    end: usize,
}

impl Carver {
    /// `count` entries, each set to what `entry` makes of its index. Empty if
    /// they do not fit; the carver goes on, so that the whole need is known.
    fn cut<T>(&mut self, count: usize, entry: impl Fn(usize) -> T) -> &'static mut [T] {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        let start = self.at.saturating_add(ALIGNMENT - 1) & !(ALIGNMENT - 1);
        self.at = start.saturating_add(count.saturating_mul(size_of::<T>()));
        let count = if self.at <= self.end { count } else { 0 };
        let table = with_exposed_provenance_mut::<T>(start);
        for index in 0..count {
            // SAFETY: the entry lies between `start` and `end`, which are the
            // carver's alone (see `memory`).
            let place = unsafe { table.add(index) };
            // SAFETY: as above, and aligned.
            unsafe { place.write(entry(index)) };
        }
        // SAFETY: all entries are written; nobody else knows them.
        unsafe { core::slice::from_raw_parts_mut(table, count) }
    }
}

/// The kernel's tables and the contexts of a system.
///
/// # Safety
/// `memory` is RAM; what the header names as the kernel's memory in it is used
/// by nothing else, for ever. To be called once.
pub unsafe fn carve(
    system: &System<'static>,
    spaces: &'static [Regions],
    memory: &Range<usize>,
) -> Result<(Memory<'static>, &'static [Context]), Refusal> {
    let start = system.header.ram as usize;
    let end = start.saturating_add(system.header.ram_size as usize);
    if start < memory.start || end > memory.end {
        return Err(Refusal::Memory(0));
    }
    let mut carver = Carver { at: start, end };
    let contexts = carver.cut(system.threads.len(), |thread| {
        context(system, spaces, thread)
    });
    let tables = tables(&mut carver, system.header);
    if carver.at > end {
        return Err(Refusal::Memory(carver.at - start));
    }
    Ok((tables, contexts))
}

fn tables(carver: &mut Carver, header: &SystemHeader) -> Memory<'static> {
    let needs = Needs::of(header);
    Memory {
        threads: carver.cut(needs.threads, |_| Thread::EMPTY),
        processes: carver.cut(needs.processes, |_| Process::EMPTY),
        ports: carver.cut(needs.ports, |_| Port::EMPTY),
        arena: carver.cut(needs.arena, |_| 0),
        interrupts: carver.cut(needs.interrupts, |_| Interrupt::EMPTY),
        ready_nodes: carver.cut(needs.threads, |_| ReadyNode::EMPTY),
        agenda_events: carver.cut(needs.events, |_| AgendaEvent::EMPTY),
        triggers: carver.cut(needs.triggers, |_| Binding::EMPTY),
        s_threads: carver.cut(needs.s_threads, |_| SThread::EMPTY),
        programs: carver.cut(needs.programs, |_| ProgramState::EMPTY),
        objects: carver.cut(needs.objects, |_| Object::EMPTY),
        ties: carver.cut(needs.ties, |_| Tie::EMPTY),
        wait_nodes: carver.cut(needs.ties, |_| WaitNode::EMPTY),
        messages: carver.cut(needs.messages, |_| Message::EMPTY),
        pools: carver.cut(needs.pools, |_| Pool::EMPTY),
        regions: carver.cut(needs.regions, |_| Region::EMPTY),
    }
}

/// The context of a thread: its space and its process's restartable sequence.
fn context(system: &System<'static>, spaces: &'static [Regions], thread: usize) -> Context {
    let process = system
        .threads
        .get(thread)
        .and_then(|t| system.processes.get(t.process as usize));
    let (begin, end) = process.map_or((0, 0), |p| (p.restart_begin, p.restart_end));
    Context::new(
        Space::of(system, spaces, thread),
        begin as usize,
        end as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn tables_that_do_not_fit_are_empty_and_the_need_is_told() {
        let mut memory = vec![0u128; 16];
        let start = memory.as_mut_ptr().expose_provenance();
        let mut carver = Carver {
            at: start,
            end: start + 256,
        };
        assert_eq!(carver.cut(3, |n| n as u8), [0, 1, 2]);
        assert_eq!(carver.cut(10, |_| 7u64), [7; 10]);
        assert_eq!(carver.at, start + 16 + 80);
        assert!(carver.cut(1000, |_| 0u16).is_empty());
        assert!(carver.cut(1, |_| 0u16).is_empty());
        assert_eq!(carver.at, start + 96 + 2000 + 2);
    }

    #[test]
    fn a_count_beyond_all_memory_does_not_wrap() {
        let mut carver = Carver { at: 16, end: 32 };
        assert!(carver.cut(usize::MAX, |_| 0u64).is_empty());
        assert!(carver.cut(usize::MAX, |_| 0u64).is_empty());
        assert!(carver.at > carver.end);
    }
}
