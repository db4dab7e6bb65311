//! Filters that begin, and what the end of their process means.
//!
//! What a graph has come to is kept when a process of it ends: an instance that had not ended is
//! as if it had not begun, one whose end had begun has ended. So a process that begins anew goes
//! on where it was, and one that does not leaves the others without tokens or room.

use core::mem::offset_of;

use giornata_abi::control::ControlPage;
use giornata_abi::trace::FaultCause;

use crate::process::fault::leave_message;
use crate::process::life;
use crate::sched::ready::level;
use crate::{Machine, Rank, Ref, System, Thread};

impl System {
    /// At boot: filters that wait for nothing are ready.
    pub(crate) fn start_streams(&self) {
        for filter in self.streams.filters {
            if filter.counter.get() == 0 && filter.thread.process.is_alive() {
                self.make_filter_ready(filter);
            }
        }
    }

    /// A thread begins anew. If it is a filter, it is told how far it had come, in the words of
    /// its control page that are a job's, and it is ready if it waits for nothing.
    pub(crate) fn start_filter<M: Machine>(&self, thread: Ref<Thread>) {
        let Some(filter) = *thread.place.filter else {
            return;
        };
        let [argument, ..] = &thread.context.a;
        argument.set(filter.argument);
        let page = thread.control;
        let store = |offset, value| M::store(page.wrapping_add(offset), value);
        let [low, high] = &filter.cycles;
        store(offset_of!(ControlPage, job), filter.position.get());
        store(offset_of!(ControlPage, release), low.get());
        store(offset_of!(ControlPage, release) + 4, high.get());
        if filter.counter.get() == 0 {
            self.make_filter_ready(filter);
        }
    }

    /// A process ends. If a thread of it is in the end of an instance, that goes on by a piece.
    /// Returns whether it was.
    pub(crate) fn is_passing_on(&self, thread: Ref<Thread>) -> bool {
        let filter = thread.place.filter.filter(|filter| filter.is_ending());
        if let Some(filter) = filter {
            self.pass_on(filter);
        }
        filter.is_some()
    }

    /// An instance has used its budget: its process ends. False: the thread is no filter.
    pub(crate) fn stop_instance<M: Machine>(&self, me: Ref<Thread>) -> bool {
        if me.place.filter.is_none() {
            return false;
        }
        let process = me.process;
        if process.is_alive() {
            leave_message(process, 0, 0);
            let pc = me.context.pc.get();
            self.record_cause::<M>(process, Some(me), FaultCause::Overrun as u32, pc, 0);
            self.end_process::<M>(
                process,
                FaultCause::Overrun as u32,
                life::MESSAGE,
                me.own.get(),
            );
        }
        true
    }

    /// The rank of a level, if it has one: `fixed`, or that of streams.
    pub(crate) fn or_rank_of_streams(
        &self,
        level: u32,
        fixed: Option<Ref<Rank>>,
    ) -> Option<Ref<Rank>> {
        match level == level::STREAM {
            true => Some(&self.streams.rank),
            false => fixed,
        }
    }
}
