//! What the kernel asks of a hart, answered by the host.
//!
//! The kernel's functions have no receiver, so the state is the thread's that drives
//! it: each test has its own.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use giornata_core::{Machine, Process, Ref, Region, System};

use crate::rig::Shown;

/// The physical address at which simulated memory begins.
pub const MEMORY: usize = 0x1000_0000;

/// The hart of this thread of the host.
#[derive(Debug)]
pub struct Hart;

/// Looks at what waits that no entry into a kernel of a test needs.
const MOST_LOOKS: u32 = 100_000;

/// A store to a device register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// The tick.
    pub tick: u64,
    /// The register.
    pub address: usize,
    /// Its bytes.
    pub width: u32,
    /// The value.
    pub value: u32,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// The record of the system, since there is one.
    pub(crate) kernel: Option<Shown<System>>,
    pub(crate) now: u64,
    /// Ticks that pass whenever the kernel reads the clock.
    pub(crate) pace: u64,
    /// Ticks that pass between two looks of the kernel at what waits.
    pub(crate) piece: u64,
    /// Looks of this kind since the kernel was entered.
    pub(crate) looks: u32,
    #[cfg(not(feature = "harts"))]
    pub(crate) alarm: Option<u64>,
    /// When the timer of each hart rings.
    #[cfg(feature = "harts")]
    pub(crate) alarms: [Option<u64>; 8],
    /// The hart that has the lock.
    #[cfg(feature = "harts")]
    pub(crate) here: usize,
    /// Harts that have been interrupted by others, a bit each.
    #[cfg(feature = "harts")]
    pub(crate) kicks: u32,
    pub(crate) memory: Vec<u8>,
    pub(crate) risen: BTreeSet<u32>,
    /// Lines that may come: none at first, as at an interrupt controller.
    pub(crate) unmasked: BTreeSet<u32>,
    /// Lines that rise, by tick.
    pub(crate) later: BTreeSet<(u64, u32)>,
    pub(crate) stopped: Option<usize>,
    /// What device registers hold, by address.
    pub(crate) registers: BTreeMap<usize, u32>,
    /// What was stored to device registers.
    pub(crate) outputs: Vec<Output>,
    /// Access of processes to regions, by process and address.
    pub(crate) open: BTreeMap<(u32, usize), u32>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::default());
}

/// Looks at the state of this thread's hart, or changes it.
pub(crate) fn with<T>(look: impl FnOnce(&mut State) -> T) -> T {
    STATE.with(|state| look(&mut state.borrow_mut()))
}

impl State {
    pub(crate) fn lines(&self) -> impl Iterator<Item = u32> + '_ {
        self.risen
            .iter()
            .copied()
            .filter(|line| self.unmasked.contains(line))
    }

    /// Whether what the kernel looks for waits on the hart that runs it.
    #[cfg(not(feature = "harts"))]
    pub(crate) fn is_pending(&mut self) -> bool {
        self.let_rise();
        self.alarm.is_some_and(|alarm| alarm <= self.now) || self.lines().next().is_some()
    }

    /// The same of the hart that has the lock.
    #[cfg(feature = "harts")]
    pub(crate) fn is_pending(&mut self) -> bool {
        self.is_pending_on(self.here)
    }

    /// The same of a hart.
    #[cfg(feature = "harts")]
    pub(crate) fn is_pending_on(&mut self, hart: usize) -> bool {
        self.let_rise();
        let rings = self.alarms[hart].is_some_and(|alarm| alarm <= self.now);
        let risen = hart == 0 && self.lines().next().is_some();
        rings || risen || self.kicks & 1 << hart != 0
    }

    fn let_rise(&mut self) {
        let now = self.now;
        let risen: Vec<_> = self.later.range(..=(now, u32::MAX)).copied().collect();
        for (tick, line) in risen {
            self.later.remove(&(tick, line));
            self.risen.insert(line);
        }
    }

    /// The instant that a word of the clock names, seen from another that has just been.
    fn instant(&self, at: u32, now: u32) -> u64 {
        let since = u64::from((self.now as u32).wrapping_sub(now));
        let distance = i64::from(at.wrapping_sub(now) as i32);
        (self.now - since).saturating_add_signed(distance)
    }

    pub(crate) fn bytes(&mut self, at: usize, length: usize) -> &mut [u8] {
        let first = at
            .checked_sub(MEMORY)
            .expect("an address of the simulated memory");
        self.memory
            .get_mut(first..first + length)
            .expect("within the simulated memory")
    }
}

#[cfg(feature = "harts")]
impl Hart {
    /// The hart that has the lock has seen that another has interrupted it, if it has.
    pub(crate) fn take_kick() {
        // (no rights are loaded here)
        let _ = <Hart as Machine>::system().take_kick();
        with(|state| state.kicks &= !(1 << state.here));
    }
}

impl Machine for Hart {
    fn system() -> Ref<System> {
        let kernel = with(|state| state.kernel.as_ref().map(|kernel| kernel.0));
        kernel.expect("a rig has been booted")
    }

    fn now() -> u32 {
        with(|state| {
            state.now += state.pace;
            state.now as u32
        })
    }

    fn high(now: u32) -> u32 {
        with(|state| ((state.now - u64::from((state.now as u32).wrapping_sub(now))) >> 32) as u32)
    }

    fn alarm(at: u32, now: u32) {
        #[cfg(feature = "harts")]
        {
            let rings =
                || with(|state| state.alarms[state.here].is_some_and(|alarm| alarm <= state.now));
            if <Hart as Machine>::system().forgets_limit(rings) {
                with(|state| state.alarms[state.here] = None);
            }
        }
        with(|state| {
            let instant = state.instant(at, now);
            #[cfg(not(feature = "harts"))]
            let alarm = &mut state.alarm;
            // (of the agenda, or of the limit of whom the first hart runs)
            #[cfg(feature = "harts")]
            let (alarm, instant) = {
                let first = state
                    .kernel
                    .as_ref()
                    .and_then(|system| system.0.harts.all[0].get());
                let limit = first.filter(|first| first.member.limited.get() != 0);
                let limit = limit.map(|first| state.instant(first.alarm.get(), now));
                let instant = limit.map_or(instant, |limit| limit.min(instant));
                (&mut state.alarms[0], instant)
            };
            *alarm = Some(instant);
        });
    }

    // (whoever is interrupted waits for it)
    #[cfg(feature = "harts")]
    fn is_awaited() -> bool {
        with(|state| {
            let here = state.here;
            let harts = state
                .kernel
                .as_ref()
                .map(|system| system.0.harts.all.iter());
            let count = harts
                .into_iter()
                .flatten()
                .filter(|hart| hart.get().is_some());
            (0..count.count()).any(|hart| hart != here && state.is_pending_on(hart))
        })
    }

    #[cfg(feature = "harts")]
    fn kick(hart: u32) {
        with(|state| state.kicks |= 1 << hart);
    }

    // (what is open is asked of the process)
    #[cfg(feature = "harts")]
    fn hart_alarm(hart: u32, at: u32, now: u32) {
        with(|state| state.alarms[hart as usize] = Some(state.instant(at, now)));
    }

    fn pending() -> bool {
        with(|state| {
            state.looks += 1;
            assert!(state.looks < MOST_LOOKS, "the kernel comes to no end");
            state.now += state.piece;
            state.is_pending()
        })
    }

    fn claim() -> u32 {
        #[cfg(feature = "harts")]
        Hart::take_kick();
        with(|state| {
            let line = state.lines().next().unwrap_or(0);
            state.risen.remove(&line);
            state.unmasked.remove(&line);
            line
        })
    }

    fn unmask(line: u32) {
        with(|state| state.unmasked.insert(line));
    }

    fn mask(line: u32) {
        with(|state| state.unmasked.remove(&line));
    }

    fn reach(process: Ref<Process>, address: usize, length: usize, _write: bool) -> (usize, usize) {
        match address.checked_sub(process.data) {
            Some(offset) if offset < process.data_size => (
                length.min(process.data_size - offset),
                process.data_place + offset,
            ),
            _ => (0, 0),
        }
    }

    fn copy(from: usize, to: usize, length: usize) {
        assert!(length <= 256, "a copy of {length} bytes");
        with(|state| {
            let bytes = state.bytes(from, length).to_vec();
            state.bytes(to, length).copy_from_slice(&bytes);
        });
    }

    fn zero(at: usize, length: usize) {
        assert!(length <= 256, "zeroing of {length} bytes");
        with(|state| state.bytes(at, length).fill(0));
    }

    fn load(at: usize) -> u32 {
        with(|state| {
            let mut word = [0; 4];
            word.copy_from_slice(state.bytes(at, 4));
            u32::from_le_bytes(word)
        })
    }

    fn store(at: usize, value: u32) {
        with(|state| state.bytes(at, 4).copy_from_slice(&value.to_le_bytes()));
    }

    fn input(at: usize, width: u32) -> u32 {
        with(|state| {
            let value = state.registers.get(&at).copied().unwrap_or(0);
            value & (u32::MAX >> (32 - 8 * width))
        })
    }

    fn output(at: usize, width: u32, value: u32) {
        with(|state| {
            state.outputs.push(Output {
                tick: state.now,
                address: at,
                width,
                value: value & (u32::MAX >> (32 - 8 * width)),
            });
        });
    }

    fn open_region(process: Ref<Process>, region: Ref<Region>, _grant: u32, access: u32) {
        with(|state| {
            let open = (process.number, region.address);
            match access {
                0 => state.open.remove(&open),
                _ => state.open.insert(open, access),
            }
        });
    }

    // (its threads have no instructions)
    fn return_at(_: usize) {}

    fn resume_at(_: usize) {}

    fn stop(status: usize) -> ! {
        with(|state| state.stopped = Some(status));
        // (no hook tells of it: it is no failure)
        std::panic::resume_unwind(Box::new(Stopped(status)))
    }
}

/// The kernel has stopped the machine: unwinds to the [`Rig`](crate::Rig).
#[derive(Debug)]
pub(crate) struct Stopped(pub(crate) usize);
