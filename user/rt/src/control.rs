//! What a process shares with the builder, which says what it was granted, and with the
//! kernel: the control page of a thread, memory of its process that the kernel reads and
//! writes.

use core::mem::offset_of;

use giornata_abi::control::{FAR, NEXT_LOCK, NEXT_SERIAL};
use giornata_abi::{Instant, Ticks};

#[cfg(not(target_os = "none"))]
use crate::host as machine;
use crate::id::Number;
#[cfg(target_os = "none")]
use crate::riscv as machine;
use crate::thread::Control;
use crate::{Id, clock};

pub(crate) use giornata_abi::control::ControlPage;
#[cfg(target_os = "none")]
pub(crate) use giornata_abi::process::Grants;

/// The id of the page's thread.
pub(crate) fn thread(page: Control) -> Id {
    let slot = page.word(offset_of!(ControlPage, slot));
    let serial = page.word(offset_of!(ControlPage, serial));
    Id::of_parts(slot as usize, serial as usize)
}

/// Nominal release of the job that runs, rounded down.
pub(crate) fn release(page: Control) -> Instant {
    clock::instant(release_tick(page))
}

/// Absolute deadline of the job that runs, rounded down; [`Instant::NEVER`] if it has
/// none, or none within 2^32 ticks.
pub(crate) fn deadline(page: Control) -> Instant {
    match page.word(offset_of!(ControlPage, deadline)) {
        0 | FAR => Instant::NEVER,
        ticks => {
            let Ticks(release) = release_tick(page);
            clock::instant(Ticks(release.saturating_add(ticks.into())))
        }
    }
}

fn release_tick(page: Control) -> Ticks {
    let offset = offset_of!(ControlPage, release);
    let (low, high) = (page.word(offset), page.word(offset + 4));
    Ticks(u64::from(high) << 32 | u64::from(low))
}

/// What the word of a private mutex says of the calling thread as its owner, but for the
/// bits of [`giornata_abi::word`]: its slot, and 16 bits of its serial number above. O(1).
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn own_word() -> u32 {
    let slot = machine::page_word::<{ offset_of!(ControlPage, slot) }>();
    let serial = machine::page_word::<{ offset_of!(ControlPage, serial) }>();
    slot | serial << 16
}

/// The same, which the kernel knows on the host.
#[cfg(not(target_os = "none"))]
pub(crate) fn own_word() -> u32 {
    crate::call::own().map_or(0, |(id, ..)| {
        let (slot, serial) = Id(id).parts();
        slot as u32 | (serial as u32) << 16
    })
}

/// Where [`word_at_hand`] lies from `tp`.
#[cfg(target_os = "none")]
pub const WORD_AT_HAND: isize = machine::back(offset_of!(ControlPage, word));

/// Where the ceiling in force lies from `tp`, and whether a preemption was put off for it: see
/// [`ControlPage`].
#[cfg(target_os = "none")]
pub const CEILING_AT_HAND: isize = machine::back(offset_of!(ControlPage, ceiling));
/// See [`CEILING_AT_HAND`].
#[cfg(target_os = "none")]
pub const PENDING_AT_HAND: isize = machine::back(offset_of!(ControlPage, pending));

/// What the word of a private mutex says while the caller has it and nobody waits, which the
/// thread has had at hand since it began: in a process with thread-local variables. O(1).
#[cfg(target_os = "none")]
#[inline(always)]
pub fn word_at_hand() -> u32 {
    machine::page_word::<{ offset_of!(ControlPage, word) }>()
}

/// Tells the kernel which mutex the calling thread will lock when it goes on after its
/// next wait: see [`ControlPage::next_lock`]. O(1).
#[inline(always)]
pub(crate) fn tell_next_lock(mutex: Number) {
    let (slot, serial) = Id(mutex).parts();
    machine::set_page_word::<NEXT_SERIAL>(serial as u32);
    machine::set_page_word::<NEXT_LOCK>(!(slot as u32));
}

/// What has become of that, which counts no more then. O(1).
#[inline(always)]
pub(crate) fn ask_next_lock() -> u32 {
    let answer = machine::page_word::<NEXT_LOCK>();
    machine::set_page_word::<NEXT_LOCK>(0);
    answer
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A page of a late tenant of slot 3, in its fourth job.
    pub(crate) fn page() -> ControlPage {
        ControlPage {
            slot: 3,
            serial: 0x1_0003,
            job: 4,
            release: [0x3333_2222, 0x1111],
            deadline: 7,
            ceiling: 0,
            pending: 0,
            next_lock: 0,
            next_serial: 0,
            word: 0,
            zero: 0,
        }
    }

    #[test]
    fn a_control_page_is_read_field_by_field() {
        let mut page = page();
        let place = core::ptr::from_mut(&mut page);
        // SAFETY: `page` outlives the view.
        let control = unsafe { Control::new(place.cast()) }.unwrap();
        assert_eq!(control.thread().parts(), (3, 0x1_0003));
        assert_eq!(control.job(), 4);
        assert_eq!(control.release(), Instant(0x1111_3333_2222));
        assert_eq!(control.deadline(), Instant(0x1111_3333_2229));
    }

    #[test]
    fn a_mutex_says_slot_and_serial_number_of_its_owner() {
        use giornata_abi::word::LOCKED;
        crate::host::set_hook(|_| crate::script::made(Id::of_parts(6, 0x1_0002)));
        assert_eq!(own_word() | LOCKED, 0x2_4006);
        crate::host::clear_hook();
    }

    #[test]
    fn a_job_without_a_deadline_has_it_never() {
        for none in [0, FAR] {
            let mut page = ControlPage {
                deadline: none,
                ..page()
            };
            // SAFETY: `page` outlives the view.
            let control = unsafe { Control::new(core::ptr::from_mut(&mut page).cast()) };
            assert_eq!(control.unwrap().deadline(), Instant::NEVER);
        }
    }
}
