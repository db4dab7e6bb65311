//! What the pilot does: takes over for 0.4 s, and lets the autopilot go on.

use autopilot_aircraft::METRE;
use autopilot_aircraft::port::Stick;

/// When the pilot flies, by how often the stick was read, 20 times a second.
const OVERRIDE: core::ops::Range<u32> = 18..26;
/// A detour to the right of the way.
const DETOUR: Stick = Stick {
    engaged: 1,
    velocity: [METRE, -METRE, METRE / 2],
};

/// How the stick stands.
pub fn at(read: u32) -> Stick {
    if OVERRIDE.contains(&read) {
        DETOUR
    } else {
        Stick::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pilot_flies_for_two_fifths_of_a_second() {
        let flown = (0..1000).filter(|read| at(*read).engaged != 0).count();
        assert_eq!(flown, 8);
        assert_eq!(at(0), Stick::default());
    }
}
