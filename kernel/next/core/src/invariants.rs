//! What must be true of the records between two events. For tests.

use crate::thread::state;
use crate::{Kernel, Ref, Thread, same};

macro_rules! hold {
    ($condition:expr, $broken:literal) => {
        if !$condition {
            return Err($broken);
        }
    };
}

impl Kernel {
    /// The first that is broken, if any. O(threads squared).
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.check_ranks()?;
        for thread in self.threads {
            let ready = thread.waits.get().is_none();
            hold!(
                ready == self.is_queued(thread),
                "a thread is in the ready queue exactly if it waits for nothing"
            );
            hold!(
                !(ready && thread.is(state::PARKED | state::SLEEPS)),
                "a ready thread neither sleeps nor is parked"
            );
            hold!(
                !thread.is(state::PARKED_ON) || !ready,
                "only a thread that waits has others parked on it"
            );
            hold!(
                thread.is(state::PARKED_ON) == thread.parked.get().is_some(),
                "the mark of a thread with others parked on it is true"
            );
        }
        Ok(())
    }

    fn check_ranks(&self) -> Result<(), &'static str> {
        let mut rank = self.top.get();
        hold!(rank.above.get().is_none(), "the top is the first");
        hold!(
            rank.head
                .get()
                .is_some_and(|head| same(head, self.slot.get())),
            "the slot is the head of the top"
        );
        while let Some(below) = rank.below.get() {
            hold!(!below.is_above(rank), "open ranks stand in order");
            hold!(below.head.get().is_some(), "an open rank has a head");
            hold!(
                below.above.get().is_some_and(|above| same(above, rank)),
                "neighbours know each other"
            );
            rank = below;
        }
        hold!(
            rank.head.get().is_some_and(|head| same(head, self.idle)),
            "the last rank is the idle one"
        );
        Ok(())
    }

    fn is_queued(&self, thread: Ref<Thread>) -> bool {
        let mut rank = Some(self.top.get());
        while let Some(open) = rank {
            if let Some(head) = open.head.get() {
                let mut at = head;
                loop {
                    if same(at, thread) {
                        return same(thread.rank.get(), open);
                    }
                    at = at.next.get();
                    if same(at, head) {
                        break;
                    }
                }
            }
            rank = open.below.get();
        }
        false
    }
}
