//! What a process shares with the builder, which says what it was granted, and with the
//! kernel: the control page of a thread, memory of its process that the first kernel reads
//! and writes.

use core::mem::offset_of;

use giornata_abi::Instant;
use giornata_abi::control::NEXT_LOCK;

use crate::Id;
#[cfg(not(target_os = "none"))]
use crate::host as machine;
use crate::id::Number;
#[cfg(target_os = "none")]
use crate::riscv as machine;
use crate::thread::Control;

pub(crate) use giornata_abi::control::ControlPage;
#[cfg(target_os = "none")]
pub(crate) use giornata_abi::process::Grants;

/// The id of the page's thread.
pub(crate) fn thread(page: Control) -> Id {
    Id(page.word(offset_of!(ControlPage, thread)))
}

/// Nominal release of the job that runs.
pub(crate) fn release(page: Control) -> Instant {
    instant(page, offset_of!(ControlPage, release))
}

/// Absolute deadline of the job that runs.
pub(crate) fn deadline(page: Control) -> Instant {
    instant(page, offset_of!(ControlPage, deadline))
}

fn instant(page: Control, offset: usize) -> Instant {
    let (low, high) = (page.word(offset), page.word(offset + 4));
    Instant(u64::from(high) << 32 | u64::from(low))
}

/// What the word of a private mutex says of the calling thread as its owner, but for the
/// bits of [`giornata_abi::word`]: its id. O(1).
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn own_word() -> u32 {
    machine::page_word::<{ offset_of!(ControlPage, thread) }>()
}

/// The same, which the kernel knows on the host.
#[cfg(not(target_os = "none"))]
pub(crate) fn own_word() -> u32 {
    crate::call::own().map_or(0, |(id, ..)| id)
}

/// Tells the kernel which mutex the calling thread will lock when it goes on after its
/// next wait: see [`ControlPage::next_lock`]. O(1).
#[inline(always)]
pub(crate) fn tell_next_lock(mutex: Number) {
    machine::set_page_word::<NEXT_LOCK>(!mutex);
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

    /// A page of the second tenant of slot 3, in its fourth job.
    pub(crate) fn page() -> ControlPage {
        ControlPage {
            thread: 0x2_0003,
            job: 4,
            release: [0x1111, 0x2222, 0x3333, 0x4444],
            deadline: [1, 0, 0, 0],
            ceiling: 0,
            pending: 0,
            next_lock: 0,
            tls: 0,
        }
    }

    #[test]
    fn a_control_page_is_read_field_by_field() {
        let mut page = page();
        // SAFETY: `page` outlives the view.
        let control = unsafe { Control::new(core::ptr::from_mut(&mut page).cast()) }.unwrap();
        assert_eq!(control.thread(), Id::new(3, 2));
        assert_eq!(control.job(), 4);
        assert_eq!(control.release(), Instant(0x4444_3333_2222_1111));
        assert_eq!(control.deadline(), Instant(1));
    }
}
