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

use giornata_abi::Error;
use giornata_abi::next::call::Call;
use giornata_abi::region::{READ_ONLY, READ_WRITE};

use crate::process::PIECE;
use crate::region::{READ, WRITE};
use crate::{Kernel, Machine, Outcome, Process, Ref, Region, Thread};

impl Region {
    fn grant(&self, process: Ref<Process>) -> u32 {
        let grant = self.grants.get(process.number as usize);
        grant.copied().unwrap_or(0)
    }
}

/// The bit of a region in what a process has attached.
fn bit(index: usize) -> u32 {
    1u32.wrapping_shl(index as u32)
}

impl Kernel {
    /// Opens a region to the caller's process. What nobody has it zeroes first, as a call
    /// that begins again.
    pub(crate) fn attach_region<M: Machine>(
        &self,
        me: Ref<Thread>,
        index: usize,
        how: usize,
    ) -> Outcome {
        let Some(region) = self.regions.get(index) else {
            return Outcome::error(Error::ESRCH);
        };
        let access = match how {
            READ_WRITE => READ | WRITE,
            READ_ONLY => READ,
            _ => return Outcome::error(Error::EINVAL),
        };
        let process = me.process;
        let grant = region.grant(process);
        if access & !grant != 0 {
            return Outcome::error(Error::EPERM);
        }
        let attached = process.attached.get();
        if attached & bit(index) != 0 {
            return Outcome::error(Error::EEXIST);
        }
        let zeroed = region.zeroed.get();
        if zeroed != region.size {
            let length = PIECE.min(region.size.wrapping_sub(zeroed));
            M::zero(region.place.wrapping_add(zeroed), length);
            region.zeroed.set(zeroed.wrapping_add(length));
            return self.again(me, Call::AttachRegion, [index, how, 0, 0, 0, 0]);
        }
        region.users.set(region.users.get().wrapping_add(1));
        process.attached.set(attached | bit(index));
        M::open_region(process, region, grant, access);
        me.returns([region.address, region.size, 0, 0, 0, 0])
    }

    /// Closes a region to the caller's process.
    pub(crate) fn detach_region<M: Machine>(&self, me: Ref<Thread>, index: usize) -> Outcome {
        let Some(region) = self.regions.get(index) else {
            return Outcome::error(Error::ESRCH);
        };
        let process = me.process;
        if region.grant(process) & READ == 0 {
            return Outcome::error(Error::EPERM);
        }
        if process.attached.get() & bit(index) == 0 {
            return Outcome::error(Error::EINVAL);
        }
        close::<M>(process, region, index);
        Outcome::DONE
    }

    /// A process that ends detaches region `index`, if it has it. Returns 0 behind the
    /// last.
    pub(crate) fn detach_next<M: Machine>(&self, process: Ref<Process>, index: usize) -> u32 {
        let Some(region) = self.regions.get(index) else {
            return 0;
        };
        if process.attached.get() & bit(index) != 0 {
            close::<M>(process, region, index);
        }
        1
    }
}

/// Takes a region from a process that has it.
#[inline(never)]
fn close<M: Machine>(process: Ref<Process>, region: Ref<Region>, index: usize) {
    process.attached.set(process.attached.get() ^ bit(index));
    M::open_region(process, region, region.grant(process), 0);
    let users = region.users.get().wrapping_sub(1);
    region.users.set(users);
    if users == 0 {
        region.zeroed.set(0);
    }
}
