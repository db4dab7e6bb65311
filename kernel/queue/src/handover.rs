//! What other contexts post to a hart while its kernel is busy.
//!
//! Nothing but loads and stores of words is used, so that it works on cores
//! without atomic read-modify-write (rv32im, ARMv6-M). That is enough because
//! every word has one writer:
//!
//! ```text
//! producer writes  posted   0 1 1 0 1
//! consumer writes  taken    0 1 0 0 1
//!                           ---------
//! pending = posted ^ taken  0 0 1 0 0
//! ```
//!
//! **The One Writer Invariant**: `posted` is stored by one producer only and
//! `taken` by one consumer only. Two producers need two handovers.

use core::sync::atomic::{AtomicU32, Ordering, fence};

const WORDS: usize = 4;

/// Interrupt lines and a poke, posted by one producer and taken by one
/// consumer, each from its own context, at any time.
///
/// A post that is pending absorbs further ones of its kind: these are levels,
/// not counts. What the producer stored before a post, absorbed or not, the
/// consumer sees after the take that answers it.
#[derive(Debug)]
pub struct Handover {
    posted: [AtomicU32; WORDS],
    taken: [AtomicU32; WORDS],
    /// Counts the lines posted; the producer's.
    rung: AtomicU32,
    /// The count at which the consumer last found no line; the consumer's.
    heard: AtomicU32,
}

impl Handover {
    /// Interrupt lines 0..LINES can be posted.
    pub const LINES: u16 = (WORDS * 32) as u16 - 1;
    /// The flag that is no line.
    const POKE: u16 = Self::LINES;

    /// Nothing posted.
    pub const fn new() -> Handover {
        Handover {
            posted: [const { AtomicU32::new(0) }; WORDS],
            taken: [const { AtomicU32::new(0) }; WORDS],
            rung: AtomicU32::new(0),
            heard: AtomicU32::new(0),
        }
    }

    /// Producer: an interrupt of this line came. Answers whether it was not
    /// pending yet; `false` also for a line out of range. O(1).
    pub fn post_interrupt(&self, line: u16) -> bool {
        let is_new = line < Self::LINES && self.post(line);
        if is_new {
            let rung = self.rung.load(Ordering::Relaxed).wrapping_add(1);
            self.rung.store(rung, Ordering::Release);
        }
        is_new
    }

    /// Consumer: whether a line may have been posted since it found none. What
    /// was stored before the post is seen after the take. O(1).
    #[inline]
    pub fn is_rung(&self) -> bool {
        self.rung.load(Ordering::Relaxed) != self.heard.load(Ordering::Relaxed)
    }

    /// Consumer: the lowest pending line, which is pending no longer. O(1), and
    /// two loads where nothing came.
    #[inline]
    pub fn take_interrupt(&self) -> Option<u16> {
        if !self.is_rung() {
            return None;
        }
        self.take_lowest(self.rung.load(Ordering::Acquire))
    }

    /// What rings after `rung` was read, rings again.
    #[inline(never)]
    fn take_lowest(&self, rung: u32) -> Option<u16> {
        match (0..WORDS).find_map(|word| self.lowest(word)) {
            Some(line) => self.take(line).then_some(line),
            None => {
                self.heard.store(rung, Ordering::Relaxed);
                None
            }
        }
    }

    /// Producer: the consumer shall look at its ready queue. Answers whether
    /// no poke was pending yet: then it must be interrupted. O(1).
    pub fn post_poke(&self) -> bool {
        self.post(Self::POKE)
    }

    /// Consumer: whether a poke was pending; it is no longer. O(1).
    pub fn take_poke(&self) -> bool {
        self.take(Self::POKE)
    }

    /// Whether anything is pending. O(1).
    pub fn is_pending(&self) -> bool {
        (0..WORDS).any(|word| self.pending(word) != 0)
    }

    /// The lowest pending line of a word.
    fn lowest(&self, word: usize) -> Option<u16> {
        let pending = self.pending(word);
        let line = word as u16 * 32 + pending.trailing_zeros() as u16;
        (pending != 0 && line != Self::POKE).then_some(line)
    }

    /// The pending flags of a word. The acquiring load makes the consumer see
    /// what was stored before the post; the producer reads its own word.
    fn pending(&self, word: usize) -> u32 {
        let load = |words: &[AtomicU32; WORDS]| {
            words
                .get(word)
                .map_or(0, |flags| flags.load(Ordering::Acquire))
        };
        load(&self.posted) ^ load(&self.taken)
    }

    fn post(&self, flag: u16) -> bool {
        self.toggle(&self.posted, flag, false)
    }

    fn take(&self, flag: u16) -> bool {
        self.toggle(&self.taken, flag, true)
    }

    /// Changes a flag in the caller's own words if it is pending (or not), and
    /// so makes it the opposite. The One Writer Invariant makes load and store
    /// as good as one step. The fences settle the race of an absorbed post with
    /// its take: the producer's data go before its look at `taken`, and the
    /// consumer's look at data after its store to `taken`.
    fn toggle(&self, own: &[AtomicU32; WORDS], flag: u16, if_pending: bool) -> bool {
        let (word, bit) = (flag as usize / 32, 1 << (flag % 32));
        let Some(flags) = own.get(word) else {
            return false;
        };
        fence(Ordering::SeqCst);
        let due = (self.pending(word) & bit != 0) == if_pending;
        if due {
            flags.store(flags.load(Ordering::Relaxed) ^ bit, Ordering::Release);
            fence(Ordering::SeqCst);
        }
        due
    }
}

impl Default for Handover {
    fn default() -> Handover {
        Handover::new()
    }
}
