//! The board's real-time clock, which is read once: before any process could have its device.

use giornata_abi::Error;

use crate::{Machine, Outcome, Ref, System, Thread};

/// At boot, at the instant whose words are `now` and `high`.
pub(crate) fn note_real_time<M: Machine>(system: &System, now: u32, high: u32) {
    let shown = M::real_time();
    let words = [shown as u32, (shown >> 32) as u32, now, high];
    for (place, word) in system.settings.real_time.iter().zip(words) {
        place.set(word);
    }
}

impl System {
    /// What it showed, and the tick of that. ENOSYS: the board has none.
    pub(crate) fn real_time(&self, me: Ref<Thread>) -> Outcome {
        let [low, high, tick, tick_high] = &self.settings.real_time;
        let (low, high) = (low.get() as usize, high.get() as usize);
        if low | high == 0 {
            return Outcome::error(Error::ENOSYS);
        }
        let (tick, tick_high) = (tick.get() as usize, tick_high.get() as usize);
        me.returns([low, high, tick, tick_high, 0, 0])
    }
}
