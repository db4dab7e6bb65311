//! Chains of table slots: the order of a queue apart from the place of its
//! records, so that a record keeps its slot (and its timer) while it waits.

use giornata_abi::id::NONE;

/// A record that can stand in one chain.
pub(crate) trait Link {
    /// The slot after this one; NONE at the end.
    fn next(&self) -> u16;
    /// Sets the slot after this one.
    fn set_next(&mut self, next: u16);
}

/// Slots of one table in order of insertion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    head: u16,
    tail: u16,
}

impl Chain {
    pub(crate) const EMPTY: Chain = Chain {
        head: NONE,
        tail: NONE,
    };

    /// A chain of all slots of the table, as far as 16 bits name them.
    pub(crate) fn of_all<T: Link>(slots: &mut [T]) -> Chain {
        let mut chain = Chain::EMPTY;
        for slot in 0..slots.len().min(NONE as usize) {
            chain.push(slots, slot as u16);
        }
        chain
    }

    /// The slot after `seen`, or the first if `seen` is NONE; NONE at the end. O(1).
    pub(crate) fn after<T: Link>(&self, slots: &[T], seen: u16) -> u16 {
        slots.get(seen as usize).map_or(self.head, Link::next)
    }

    /// The slot before `slot`, NONE if it is the first. O(length).
    pub(crate) fn before<T: Link>(&self, slots: &[T], slot: u16) -> u16 {
        let mut seen = NONE;
        loop {
            match self.after(slots, seen) {
                next if next == slot || next == NONE => return seen,
                next => seen = next,
            }
        }
    }

    /// The last slot; NONE if empty.
    pub(crate) fn last(&self) -> u16 {
        self.tail
    }

    /// Whether no slot stands in it. O(1).
    pub(crate) fn is_empty(&self) -> bool {
        self.tail == NONE
    }

    /// Whether exactly one slot stands in it. O(1).
    pub(crate) fn is_single(&self) -> bool {
        self.head == self.tail && self.tail != NONE
    }

    /// Takes out the first slot and answers it; NONE if there is none. O(1).
    #[inline(never)]
    pub(crate) fn pop<T: Link>(&mut self, slots: &[T]) -> u16 {
        let slot = self.head;
        if let Some(record) = slots.get(slot as usize) {
            self.head = record.next();
            if self.head == NONE {
                self.tail = NONE;
            }
        }
        slot
    }

    /// Appends a slot that stands in no chain. O(1).
    #[inline(never)] // a few instructions at each of many places otherwise
    pub(crate) fn push<T: Link>(&mut self, slots: &mut [T], slot: u16) {
        if let Some(record) = slots.get_mut(slot as usize) {
            record.set_next(NONE);
            self.attach(slots, slot, slot);
        }
    }

    /// Takes out the slot after `seen` (NONE: the first) and answers it. O(1).
    #[inline(never)]
    pub(crate) fn remove_after<T: Link>(&mut self, slots: &mut [T], seen: u16) -> u16 {
        let slot = self.after(slots, seen);
        let Some(next) = slots.get(slot as usize).map(Link::next) else {
            return NONE;
        };
        match slots.get_mut(seen as usize) {
            Some(before) => before.set_next(next),
            None => self.head = next,
        }
        if next == NONE {
            self.tail = seen;
        }
        slot
    }

    /// Appends all of `other`, which is empty afterwards. O(1).
    pub(crate) fn take_all<T: Link>(&mut self, slots: &mut [T], other: &mut Chain) {
        if other.head != NONE {
            self.attach(slots, other.head, other.tail);
        }
        *other = Chain::EMPTY;
    }

    fn attach<T: Link>(&mut self, slots: &mut [T], first: u16, last: u16) {
        match slots.get_mut(self.tail as usize) {
            Some(before) => before.set_next(first),
            None => self.head = first,
        }
        self.tail = last;
    }
}
