//! The one order in which everything runs.

use giornata_abi::Instant;

/// How urgent something that can run is: a level, then a key inside the level.
///
/// Levels, most urgent first: [`REACTION`](Self::REACTION) for upcalls; the
/// fixed priorities 255 down to 0; [`STREAM`](Self::STREAM). The deadline band
/// takes the level of one fixed priority, which the system names.
///
/// The key orders one level: a serial number of arrivals for fixed priorities
/// (counting up for arrivals at the tail, down for those at the head), the
/// absolute deadline in the deadline band. Equal keys go by thread number.
///
/// There is deliberately no `Ord`: keys wrap, so the order is only one among
/// urgencies that are alive together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Urgency {
    /// Higher is more urgent, 0..=257.
    pub level: u16,
    /// Earlier, by wrapping comparison, is more urgent.
    pub key: u32,
}

/// Count of levels.
pub const LEVELS: usize = Urgency::REACTION as usize + 1;

impl Urgency {
    /// Level of upcalls: above everything.
    pub const REACTION: u16 = 257;
    /// Level of stream tasks: below everything.
    pub const STREAM: u16 = 0;
    /// Deadlines count in units of `2^DEADLINE_SHIFT` ns, so that live ones may
    /// lie 137 s apart.
    pub const DEADLINE_SHIFT: u32 = 6;

    /// The level of fixed priority `priority`.
    pub const fn level_of(priority: u8) -> u16 {
        priority as u16 + 1
    }

    /// Fixed priority `priority`, arrival `key`.
    pub const fn fixed(priority: u8, key: u32) -> Urgency {
        Urgency {
            level: Self::level_of(priority),
            key,
        }
    }

    /// Absolute deadline `at` in a deadline band of this level.
    pub const fn deadline(level: u16, at: Instant) -> Urgency {
        Urgency {
            level,
            key: (at.0 >> Self::DEADLINE_SHIFT) as u32,
        }
    }

    /// The order: a higher level, or on one level the earlier key.
    ///
    /// Assumption: keys alive together on one level span less than 2^31. If it
    /// is broken the answer is arbitrary, and nothing worse. O(1).
    pub const fn is_more_urgent_than(self, other: Urgency) -> bool {
        self.level > other.level || self.level == other.level && is_earlier(self.key, other.key)
    }
}

/// Whether serial number `a` precedes `b`; they lie less than 2^31 apart.
pub(crate) const fn is_earlier(a: u32, b: u32) -> bool {
    (a.wrapping_sub(b) as i32) < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_stand_in_their_order() {
        let reaction = Urgency {
            level: Urgency::REACTION,
            key: 9,
        };
        let stream = Urgency {
            level: Urgency::STREAM,
            key: 0,
        };
        assert!(reaction.is_more_urgent_than(Urgency::fixed(255, 0)));
        assert!(Urgency::fixed(1, 9).is_more_urgent_than(Urgency::fixed(0, 0)));
        assert!(Urgency::fixed(0, 9).is_more_urgent_than(stream));
        assert!(!stream.is_more_urgent_than(stream));
    }

    #[test]
    fn keys_keep_their_order_when_they_wrap() {
        let before = Urgency::fixed(7, u32::MAX);
        let after = Urgency::fixed(7, 3);
        assert!(before.is_more_urgent_than(after));
        assert!(!after.is_more_urgent_than(before));
    }

    #[test]
    fn head_arrivals_precede_tail_arrivals() {
        let (tail, head) = (
            Urgency::fixed(7, 0),
            Urgency::fixed(7, 0u32.wrapping_sub(1)),
        );
        assert!(head.is_more_urgent_than(tail));
    }

    #[test]
    fn earlier_deadlines_are_more_urgent_down_to_64_ns() {
        let due = |ns| Urgency::deadline(201, Instant(ns));
        assert!(due(1_000).is_more_urgent_than(due(1_064)));
        assert_eq!(due(1_024), due(1_087));
    }
}
