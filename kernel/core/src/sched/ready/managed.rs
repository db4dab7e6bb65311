//! Open ranks in records of the task manager, which tells the most urgent one in constant
//! time, however many there are.
//!
//! A rank that opens takes the record whose number is that of its first thread, until it
//! closes. Those for which there is none, because the thread's number is too high or the
//! record is another rank's, are a list in software, most urgent first. The idle rank is in
//! neither: it runs when there is no other.

use core::cell::Cell;
use core::hint::cold_path;

use giornata_manager::{self as manager, Record};

use super::{TASK_RECORDS, TaskRecord, level};
use crate::sched::epoch::keep;
use crate::{Rank, Ref, System, Thread, before, same, some};

/// Levels from this one on share a priority of the task manager, which has 256, and have their
/// order as keys.
const LAST: u32 = 255;
/// What the field `unmarked` says of an open rank in the list, and of the idle one; else it is
/// the record's offset.
const LISTED: u32 = u32::MAX;

/// Whether ranks of a level can be in records: the idle ones cannot, nor can deadlines whose
/// level shares its priority.
#[inline(always)]
fn has_record(level: u32, band: u32) -> bool {
    level < LAST || level != level::IDLE && level != band
}

impl System {
    /// The most urgent open rank, from which [`next_rank`](Self::next_rank) goes on.
    pub fn first_rank(&self) -> Ref<Rank> {
        manager::begin();
        self.hint.set(self.next_managed());
        let listed = self.first_listed();
        self.more_urgent(self.hint.get(), listed)
    }

    /// The next less urgent open rank.
    pub fn next_rank(&self, rank: Ref<Rank>) -> Option<Ref<Rank>> {
        let idle = self.idle_rank();
        if same(rank, idle) {
            return None;
        }
        if same(rank, self.hint.get()) {
            self.hint.set(self.next_managed());
        }
        let mut listed = self.first_listed();
        if rank.unmarked.get() == LISTED {
            listed = rank.below.get();
        } else {
            while let Some(at) = listed
                && !rank.is_above(at)
            {
                listed = at.below.get();
            }
        }
        Some(self.more_urgent(self.hint.get(), listed))
    }

    /// The next rank that the task manager tells, or the idle one.
    fn next_managed(&self) -> Ref<Rank> {
        self.rank_of(manager::next())
    }

    /// The rank in a record, or the idle one.
    #[inline(always)]
    fn rank_of(&self, number: Option<usize>) -> Ref<Rank> {
        let rank = number.and_then(|number| self.record(number).rank.get());
        rank.unwrap_or(self.idle_rank())
    }

    /// What a record stands for.
    #[inline(always)]
    fn record(&self, number: usize) -> Ref<TaskRecord> {
        &self.task_records.0[number % TASK_RECORDS]
    }

    #[inline(always)]
    fn idle_rank(&self) -> Ref<Rank> {
        self.idle().rank.get()
    }

    /// The first of the list, which the idle rank knows.
    #[inline(always)]
    fn first_listed(&self) -> Option<Ref<Rank>> {
        self.idle_rank().below.get()
    }

    #[inline(always)]
    fn more_urgent(&self, managed: Ref<Rank>, listed: Option<Ref<Rank>>) -> Ref<Rank> {
        match listed {
            Some(listed) if listed.precedes(managed) => listed,
            _ => managed,
        }
    }

    /// The deadline of a rank, open or not, has not passed longer ago than this instant.
    pub(crate) fn keep_rank(&self, rank: Ref<Rank>, oldest: u32) {
        let is_past = rank.level.get() == self.band && before(rank.deadline.get(), oldest);
        if is_past && self.record_of(rank).is_some() {
            self.list_down_to(rank);
        }
        keep(&rank.deadline, oldest);
    }

    /// Deadlines that passed long ago will be equal, and keep their order: only the list does
    /// that. So a rank goes there from its record, and first those that precede it.
    /// O(open ranks).
    #[inline(never)]
    fn list_down_to(&self, last: Ref<Rank>) {
        manager::begin();
        while let Some(number) = manager::next()
            && let Some(rank) = self.record(number).rank.get()
        {
            if rank.level.get() == self.band {
                self.record(number).rank.set(None);
                Record::of(number).clear();
                self.list(rank);
            }
            if same(rank, last) {
                return;
            }
        }
    }

    /// The number of the record in which an open rank is.
    fn record_of(&self, rank: Ref<Rank>) -> Option<usize> {
        let number = rank.unmarked.get() as usize / Record::BYTES;
        let kept = self.record(number).rank.get();
        kept.is_some_and(|kept| same(kept, rank)).then_some(number)
    }

    /// The usual insertion without a call: nothing is unusual, no thread of its urgency is
    /// ready, and it is the most urgent. Else false, and nothing has changed.
    #[inline(always)]
    pub(crate) fn opens_top_unless(
        &self,
        unusual: usize,
        rank: Ref<Rank>,
        thread: Ref<Thread>,
    ) -> bool {
        unusual | some(rank.head.get()) == 0 && self.opens_above(rank, thread)
    }

    /// The same where as a rule a lone thread has been interrupted.
    #[inline(always)]
    pub(crate) fn opens_above(&self, rank: Ref<Rank>, thread: Ref<Thread>) -> bool {
        if rank.level.get() >= self.top.get().level.get() {
            cold_path();
            return false;
        }
        self.put(rank, thread);
        self.top.set(rank);
        self.first.set(thread);
        true
    }

    /// An insertion below the top without a call: there is none here.
    #[inline(always)]
    pub(crate) fn opens_second(&self, _: Ref<Rank>, _: Ref<Thread>) -> bool {
        false
    }

    /// A removal without a call: there is none here.
    #[inline(always)]
    pub(crate) fn leaves_top(&self, _: Ref<Thread>, _: Ref<Rank>) -> Option<Ref<Thread>> {
        None
    }

    /// Opens a rank that was empty. Constant time, unless it has no record.
    #[inline(never)]
    pub(crate) extern "C" fn open(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        self.open_any(rank, head);
    }

    /// The same without a call.
    #[inline(always)]
    pub(super) fn open_any(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        self.put(rank, head);
        if rank.is_above(self.top.get()) {
            self.top.set(rank);
            self.first.set(head);
        }
    }

    /// Puts a rank into the record of its first thread, or into the list.
    #[inline(always)]
    fn put(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        rank.head.set(Some(head));
        let (number, level) = (head.number() as usize, rank.level.get());
        let (own, record) = (Record::of(number % TASK_RECORDS), self.record(number));
        if level >= LAST || level == self.band || record.rank.get().is_some() {
            return self.put_by_key(rank, head);
        }
        record.rank.set(Some(rank));
        rank.unmarked.set(own.offset());
        own.make_ready(level);
    }

    /// The same of one that is ordered by a key, or for which the record is not free.
    #[cold]
    #[inline(never)]
    extern "C" fn put_by_key(&self, rank: Ref<Rank>, head: Ref<Thread>) {
        let (number, level) = (head.number() as usize, rank.level.get());
        let record = self.record(number);
        let is_free = number < TASK_RECORDS && record.rank.get().is_none();
        if !is_free || !has_record(level, self.band) {
            return self.list(rank);
        }
        // (of equal deadlines that of the lower record comes first)
        let (priority, key) = match level == self.band {
            true => (level, rank.deadline.get()),
            false => (LAST, level),
        };
        let own = Record::of(number);
        record.rank.set(Some(rank));
        rank.unmarked.set(own.offset());
        own.make_ready_by_key(priority, key);
    }

    /// Puts a rank into the list. O(ranks in it).
    #[cold]
    #[inline(never)]
    extern "C" fn list(&self, rank: Ref<Rank>) {
        rank.unmarked.set(LISTED);
        if same(rank, self.idle_rank()) {
            return;
        }
        let mut above = self.idle_rank();
        while let Some(below) = above.below.get() {
            if rank.is_above(below) {
                break;
            }
            above = below;
        }
        rank.below.set(above.below.get());
        above.below.set(Some(rank));
        self.listed().update(|listed| listed.wrapping_add(1));
    }

    /// Takes a rank out of the list. O(ranks in it).
    #[inline(never)]
    extern "C" fn unlist(&self, rank: Ref<Rank>) {
        let mut above = self.idle_rank();
        while let Some(below) = above.below.get() {
            if same(below, rank) {
                above.below.set(rank.below.take());
                self.listed().update(|listed| listed.wrapping_sub(1));
                return;
            }
            above = below;
        }
    }

    /// Closes a rank that has become empty, and finds the top. Constant time, unless ranks
    /// have no record.
    #[cfg_attr(not(feature = "programs"), allow(dead_code))]
    #[inline(never)]
    pub(crate) extern "C" fn close(&self, rank: Ref<Rank>) {
        self.close_any(rank);
    }

    /// The same without a call.
    #[inline(always)]
    pub(super) fn close_any(&self, rank: Ref<Rank>) {
        let (listed, offset) = (self.listed().get(), rank.unmarked.get());
        if (offset as i32) < 0 {
            return self.close_listed(rank);
        }
        let (records, number) = (self.task_records.0, offset as usize / Record::BYTES);
        Record::of(number % TASK_RECORDS).clear();
        let top = manager::top();
        // (what is loaded is not asked for at once: the processor would wait for it)
        rank.head.set(None);
        let first = records[top.number() % TASK_RECORDS].rank.get();
        records[number % TASK_RECORDS].rank.set(None);
        match first {
            Some(first) if top.is_some() && listed == 0 => self.set_top(first),
            // (none if no thread is ready but the idle one)
            _ => self.pick(first.filter(|_| top.is_some())),
        }
    }

    /// The same of one that has no record. (The idle rank is never empty: a server that is in
    /// no queue only has it.)
    #[cold]
    #[inline(never)]
    extern "C" fn close_listed(&self, rank: Ref<Rank>) {
        if same(rank, self.idle_rank()) {
            return;
        }
        rank.head.set(None);
        self.unlist(rank);
        self.set_top(self.more_urgent(self.rank_of(manager::top().record()), self.first_listed()));
    }

    /// The top is the first that has a record, or one of the list, or the idle one.
    #[cold]
    #[inline(never)]
    extern "C" fn pick(&self, first: Option<Ref<Rank>>) {
        let top = first.unwrap_or(self.idle_rank());
        match self.first_listed() {
            Some(listed) if listed.precedes(top) => self.set_top(listed),
            _ => self.set_top(top),
        }
    }

    #[inline(always)]
    fn set_top(&self, top: Ref<Rank>) {
        let head = top.head.get();
        self.top.set(top);
        if let Some(head) = head {
            self.first.set(head);
        }
    }

    /// How many ranks are in the list: no level is in the bitmap.
    #[inline(always)]
    fn listed(&self) -> &Cell<u32> {
        let [listed, ..] = &self.open;
        listed
    }

    /// What has to hold of two open ranks of which one is next to the other.
    pub(crate) fn check_neighbours(
        &self,
        rank: Ref<Rank>,
        _: Ref<Rank>,
    ) -> Result<(), &'static str> {
        match self.record_of(rank).is_some() || rank.unmarked.get() == LISTED {
            true => Ok(()),
            false => Err("an open rank is in its record or in the list"),
        }
    }
}
