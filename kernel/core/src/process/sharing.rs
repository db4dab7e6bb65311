//! Memory that processes share (EMERALDS, section 6.2: `shm_attach`, `shm_detach`).
//! Where a region lies is the builder's; what comes and goes is who may touch it.
//!
//! ```text
//!            attach: a piece zeroed a time          attach
//!   nobody's --------------------------> attached --------> attached
//!      ^                                   |  ^               |
//!      +------ the last detaches, dies ----+  +--- detach ----+
//! ```
//! A process has a region once or not at all: its threads share it. The Sharing
//! Invariant: a region is open to the processes whose bit says so, and to no other;
//! it is as its users left it while there is one, and all zero when the first attaches
//! it.

use core::hint::cold_path;

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::region::{READ_ONLY, READ_WRITE};

use crate::process::PIECE;
use crate::process::region::{READ, Region, Share, WRITE};
use crate::{Machine, Outcome, Process, Ref, System, Thread};

/// The bit of a region in what a process has attached.
fn bit(index: usize) -> u32 {
    1u32.wrapping_shl(index as u32)
}

/// How a region is to be attached, as bits.
fn access(how: usize) -> u32 {
    const { assert!(READ_WRITE == 0 && READ_ONLY == 1 && (READ | WRITE) >> 1 == READ) };
    (READ | WRITE).wrapping_shr(how as u32)
}

impl System {
    /// Opens a region to the caller's process.
    ///
    /// The usual case without a branch: it may, has it not, and somebody has zeroed it.
    #[inline(always)]
    pub(crate) fn attach_region<M: Machine>(
        &self,
        me: Ref<Thread>,
        index: usize,
        how: usize,
    ) -> Outcome {
        let process = me.process;
        let Some(Share { region, grant }) = process.shares.get(index) else {
            cold_path();
            return Outcome::error(Error::ESRCH);
        };
        let (access, attached) = (access(how), process.attached.get());
        let unusual = (access & !grant | attached & bit(index)) as usize;
        if unusual | (region.zeroed.get() ^ region.size) | (how >> 1) != 0 {
            cold_path();
            return self.attach_seldom::<M>(me, index, how);
        }
        region.users.set(region.users.get().wrapping_add(1));
        process.attached.set(attached | bit(index));
        let outcome = me.pair(region.address, region.size);
        open::<M>(outcome, process, region, *grant, access)
    }

    /// Why a region is not opened; or what nobody has is zeroed, as a call that begins
    /// again.
    #[cold]
    #[inline(never)]
    fn attach_seldom<M: Machine>(&self, me: Ref<Thread>, index: usize, how: usize) -> Outcome {
        let process = me.process;
        let Some(Share { region, grant }) = process.shares.get(index) else {
            return Outcome::error(Error::ESRCH);
        };
        if how != READ_ONLY && how != READ_WRITE {
            return Outcome::error(Error::EINVAL);
        }
        if access(how) & !grant != 0 {
            return Outcome::error(Error::EPERM);
        }
        if process.attached.get() & bit(index) != 0 {
            return Outcome::error(Error::EEXIST);
        }
        let zeroed = region.zeroed.get();
        let length = PIECE.min(region.size.wrapping_sub(zeroed));
        M::zero(region.place.wrapping_add(zeroed), length);
        region.zeroed.set(zeroed.wrapping_add(length));
        self.again(me, Call::AttachRegion, [index, how, 0, 0, 0, 0])
    }

    /// Closes a region to the caller's process.
    pub(crate) fn detach_region<M: Machine>(&self, me: Ref<Thread>, index: usize) -> Outcome {
        let process = me.process;
        let Some(share) = process.shares.get(index) else {
            return Outcome::error(Error::ESRCH);
        };
        if share.grant & READ == 0 {
            return Outcome::error(Error::EPERM);
        }
        if process.attached.get() & bit(index) == 0 {
            return Outcome::error(Error::EINVAL);
        }
        if self.has_elsewhere::<M>(process, share, bit(index)) {
            // (it is closed already, and every other hart that has it comes and loses it)
            return self.again(me, Call::DetachRegion, [index, 0, 0, 0, 0, 0]);
        }
        close::<M>(process, share, index)
    }

    /// A process that ends detaches region `index`, if it has it. Returns 0 behind the
    /// last.
    pub(crate) fn detach_next<M: Machine>(&self, process: Ref<Process>, index: usize) -> u32 {
        let Some(share) = process.shares.get(index) else {
            return 0;
        };
        if process.attached.get() & bit(index) != 0 {
            let _ = close::<M>(process, share, index);
        }
        1
    }
}

/// Opens a region to a process, or closes it. (The end of a call that has this outcome.)
#[inline(never)]
extern "C" fn open<M: Machine>(
    outcome: Outcome,
    process: Ref<Process>,
    region: Ref<Region>,
    grant: u32,
    access: u32,
) -> Outcome {
    M::open_region(process, region, grant, access);
    M::system().renew_elsewhere::<M>(process);
    outcome
}

/// Takes a region from a process that has it.
#[inline(never)]
fn close<M: Machine>(process: Ref<Process>, share: Ref<Share>, index: usize) -> Outcome {
    let region = share.region;
    process.attached.set(process.attached.get() ^ bit(index));
    M::system().note_detached(process, bit(index));
    let users = region.users.get().wrapping_sub(1);
    region.users.set(users);
    if users == 0 {
        region.zeroed.set(0);
    }
    open::<M>(Outcome::DONE, process, region, share.grant, 0)
}
