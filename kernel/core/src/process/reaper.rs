//! The end of a process, and its beginning anew.
//!
//! Nobody called for this work, so it has a thread that lives in the kernel: each
//! process one, its *reaper*, with an urgency like any other. Its turn is one piece:
//! a thread, an object, some words of memory. Between pieces the hart looks at its
//! timer and lines, and whoever is more urgent runs.
//!
//! The Death Invariant: no thread of a process that is not alive runs. `end_process`
//! makes the hart forget the space of the process, so whoever would run such a thread
//! has to load it, and looks at [`Process::life`] before: the reaper has the turn
//! instead. So a thread that is dead and first in the queue, whatever it has published
//! and whoever has woken it, costs one piece: its own end.

use core::cell::Cell;

use giornata_abi::control::ControlPage;
use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;

use crate::machine::high_word;
use crate::process::begin::begin;
use crate::process::{Cause, PIECE, RestartRule, Stretch, life};
use crate::sched::ready::level;
use crate::sched::thread::{role, state, tenancy};
use crate::{Machine, Process, Rank, Ref, System, Thread, same};

impl System {
    /// Records why a process ends, and how many bytes of its message are to come. The first
    /// time, that is kept.
    #[inline(never)]
    pub(crate) fn record_cause<M: Machine>(
        &self,
        process: Ref<Process>,
        thread: Option<Ref<Thread>>,
        cause: u32,
        pc: usize,
        address: usize,
    ) {
        let [_, message, ..] = &process.reaper.context.a;
        let how = cause | (message.get() as u32) << 16;
        let label = self.head(Kind::Fault, process.number as u16);
        let (wide, wide_address) = (pc as u64, address as u64);
        let (high, address_high) = ((wide >> 32) as u32, (wide_address >> 32) as u32);
        let words = [pc as u32, high, address as u32, address_high];
        self.write_text::<M>(label, how, words);
        let ends = process.ends.get().wrapping_add(1);
        process.ends.set(ends);
        if ends == 1 {
            let Cause {
                at: [low, high], ..
            } = &process.first;
            let now = M::now();
            low.set(now);
            high.set(high_word::<M>(now));
            process.first.how.set(how);
            process.first.pc.set(pc);
            process.first.address.set(address);
            process
                .first
                .thread
                .set(thread.map_or(0, |thread| thread.number().wrapping_add(1)));
        }
    }

    /// The end of a process that is alive begins, with work as urgent as `rank`. `life` is
    /// what comes first.
    #[inline(never)]
    pub(crate) fn end_process<M: Machine>(
        &self,
        process: Ref<Process>,
        cause: u32,
        life: u32,
        rank: Ref<Rank>,
    ) {
        self.note_end(process, cause);
        process.life.set(life);
        process.progress.set(0);
        self.forget_space(process);
        self.queue_reaper::<M>(process, rank);
    }

    /// The one rank of a fixed priority; others have a rank each.
    #[inline(never)]
    pub(crate) fn fixed(&self, level: u32) -> Option<Ref<Rank>> {
        if level == self.band {
            return None;
        }
        let fixed = self.ranks.get(level.wrapping_sub(1) as usize);
        self.or_rank_of_streams(level, fixed)
    }

    /// The reaper of a process has work, as urgent as `rank`, or as whoever hangs on its
    /// threads, and before its equals.
    #[inline(never)]
    pub(crate) fn queue_reaper<M: Machine>(&self, process: Ref<Process>, rank: Ref<Rank>) {
        let mut level = rank.level.get();
        let own = match self.fixed(level) {
            Some(rank) => rank,
            None => {
                let mut deadline = rank.deadline.get().wrapping_sub(1);
                if level == level::REACTION {
                    level = self.band;
                    deadline = M::now();
                }
                let own = &process.urgency;
                own.level.set(level);
                own.deadline.set(deadline);
                own
            }
        };
        let reaper = process.reaper;
        reaper.work_at(own, self.rank_lent(process, own));
        self.insert_first(reaper);
        reaper.waits.set(None);
    }

    /// A piece of the work of a process's reaper.
    #[inline(never)]
    pub(crate) fn reap<M: Machine>(&self, reaper: Ref<Thread>) {
        let process = reaper.process;
        if self.runs_anywhere(process) {
            return;
        }
        let now = process.life.get();
        let slot = self.entry();
        if same(slot.process, process) && !same(slot, reaper) && now != life::START {
            // a dead thread's turn
            if now == life::SEARCH {
                self.find_cause::<M>(process, Some(slot));
            }
            return self.end_thread::<M>(slot);
        }
        let at = process.progress.get();
        let index = at as usize;
        let done = match now {
            life::SEARCH => self.look_for_cause::<M>(process, index),
            life::MESSAGE => self.record_message::<M>(process, index),
            life::LINES => match process.lines.get(index) {
                Some(&line) => {
                    M::mask(line.number);
                    line.handler.set(None);
                    line.latched.set(0);
                    1
                }
                None => 0,
            },
            life::THREADS | life::START => match process.threads.get(index) {
                Some(thread) => {
                    if now == life::START {
                        self.start_thread::<M>(thread);
                    } else {
                        self.end_thread::<M>(thread);
                        if self.is_passing_on(thread) || self.give_up_one(thread) {
                            // one thing a piece
                            return;
                        }
                    }
                    1
                }
                None => 0,
            },
            life::OBJECTS => self.end_mail(process, index),
            life::REGIONS => self.detach_next::<M>(process, index),
            life::RESTORE => match process.image.stretches.get(index) {
                Some(stretch) => {
                    let [_, _, offset, ..] = &reaper.context.a;
                    if !stretch.restore::<M>(offset) {
                        return;
                    }
                    1
                }
                None => 0,
            },
            _ => 0,
        };
        process.progress.set(at.wrapping_add(done));
        if done == 0 {
            process.progress.set(0);
            self.reap_next::<M>(process, now);
        }
        self.end_loan(process);
    }

    /// What comes behind the work of which `now` tells.
    fn reap_next<M: Machine>(&self, process: Ref<Process>, now: u32) {
        let next = match now {
            life::REGIONS => self.life_behind_end::<M>(process),
            life::START => life::ALIVE,
            life::DEAD => return,
            _ => now.wrapping_add(1),
        };
        process.life.set(next);
        match next {
            life::START => return self.renew(process),
            life::DEAD | life::ALIVE | life::PAUSE => {}
            _ => return,
        }
        let reaper = process.reaper;
        self.remove(reaper);
        reaper.waits.set(Some(self.no_list));
        if next == life::PAUSE {
            return;
        }
        let is_restarted = next == life::ALIVE;
        let generation = process.generation.get().wrapping_add(is_restarted as u32);
        process.generation.set(generation);
        let label = self.head(Kind::Process, process.number as u16);
        self.trace
            .write(M::now(), label, is_restarted as u32, generation);
        self.tell_supervisor::<M>(process, is_restarted);
        let mut policy = process.image.policy;
        if policy == FaultPolicy::Restart as u32 {
            policy = process.image.rule.beyond;
        }
        if !is_restarted && policy == FaultPolicy::Halt as u32 {
            self.stop::<M>(1);
        }
    }

    /// Whether a process that has ended is restarted, and if not at once, when: its reaper
    /// sleeps until then. One that its supervisor ended is restarted at once, and that is not
    /// counted. O(1), and an alarm.
    fn life_behind_end<M: Machine>(&self, process: Ref<Process>) -> u32 {
        if process.image.policy != FaultPolicy::Restart as u32 {
            return life::DEAD;
        }
        if System::was_ended(process) {
            return life::RESTORE;
        }
        let RestartRule {
            pause,
            longest,
            most,
            window: [window, window_high],
            ..
        } = process.image.rule;
        let [low, high] = &process.counted;
        let now = M::now();
        let now_high = high_word::<M>(now);
        let (since, borrow) = now.overflowing_sub(low.get());
        let since_high = now_high
            .wrapping_sub(high.get())
            .wrapping_sub(borrow as u32);
        let mut count = process.restarts.get();
        if count == 0 || (since_high, since) >= (window_high, window) {
            low.set(now);
            high.set(now_high);
            count = 0;
        }
        if count == most && most != 0 {
            return life::DEAD;
        }
        process.restarts.set(count.saturating_add(1));
        if count == 0 || pause == 0 {
            return life::RESTORE;
        }
        let doubled = count.wrapping_sub(1);
        let pause = match longest.checked_shr(doubled) {
            Some(limit) if pause <= limit => pause.wrapping_shl(doubled),
            _ => longest,
        };
        let (low, is_over) = now.overflowing_add(pause);
        let high = now_high.wrapping_add(is_over as u32);
        process.reaper.set(state::SLEEPS);
        self.arm::<M>(process.reaper, low as usize, high as usize);
        life::PAUSE
    }

    /// Whatever a thread of a process that ends is in, it is no longer.
    #[inline(never)]
    pub(crate) fn end_thread<M: Machine>(&self, thread: Ref<Thread>) {
        self.end_program_thread::<M>(thread);
        self.disarm_if_set(thread);
        self.cancel_wait(thread);
        self.end_servers(thread);
        self.end_bytes(thread);
        match thread.waits.get() {
            None => self.remove(thread),
            Some(_) => self.leave_wait::<M>(thread),
        }
        thread.waits.set(Some(self.no_list));
        thread.state.set(thread.state.get() & state::PARKED_ON);
        thread.tenancy.set(tenancy::NOBODY);
    }

    /// A thread of a process that begins anew is as at boot.
    fn start_thread<M: Machine>(&self, thread: Ref<Thread>) {
        let place = thread.place;
        if thread.role & role::SPARE != 0 {
            return self.free_place(thread);
        }
        // (tasks and upcalls have another when they run)
        let mut rank = thread.own.get();
        if thread.role & role::DEADLINE != 0 {
            rank.deadline.set(M::now().wrapping_add(place.level));
        } else if let Some(fixed) = self.fixed(place.level) {
            rank = fixed;
        }
        let control = thread
            .context
            .tp
            .get()
            .wrapping_sub(size_of::<ControlPage>());
        // (nobody goes on with its id: the registers of the idle thread are nobody's)
        let _ = begin::<M>(self.idle(), thread, control, place.body, rank);
        thread.tenancy.set(tenancy::of(thread.role));
        const BY_DEADLINE: u32 = state::BY_DEADLINE / role::DEADLINE as u32;
        thread.set((thread.role & role::DEADLINE) as u32 * BY_DEADLINE);
        for register in &thread.context.s {
            register.set(0);
        }
        self.begin_program_thread(thread);
        if thread.role & role::AUTOSTART != 0 {
            thread.waits.set(None);
            self.insert(thread);
        }
        self.start_filter::<M>(thread);
    }
}

impl Stretch {
    /// Copies or zeroes its next bytes, from an offset on, until something waits. Returns
    /// whether that was all; then the offset is 0 again.
    #[inline(never)]
    fn restore<M: Machine>(&self, offset: &Cell<usize>) -> bool {
        let mut at = offset.get();
        while at < self.size {
            let length = PIECE.min(self.size.wrapping_sub(at));
            let to = self.to.wrapping_add(at);
            match self.from {
                0 => M::zero(to, length),
                from => M::copy(from.wrapping_add(at), to, length),
            }
            at = at.wrapping_add(length);
            if crate::machine::waits::<M>() {
                offset.set(at);
                return false;
            }
        }
        offset.set(0);
        true
    }
}
