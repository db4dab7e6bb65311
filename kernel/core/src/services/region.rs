//! Memory that processes share (EMERALDS, section 6.2: `shm_attach`,
//! `shm_detach`). Where a region lies is in the system's tables; what comes and
//! goes is who may touch it.
//!
//! ```text
//!            attach: a piece zeroed a call         attach
//!   nobody's --------------------------> attached --------> attached
//!      ^                                   |  ^               |
//!      +------ the last detaches, dies ----+  +--- detach ----+
//! ```
//! A process has a region once, as in the paper, or not at all: its threads share
//! it. The Sharing Invariant: a region is open to the processes whose bit says
//! so, and to no other; it is as its users left it while there is one, and all
//! zero when the first attaches it.

use crate::core_state::Core;
use crate::hardware::{Access, Hardware};
use crate::process::Life;
use crate::services::Reply;
use giornata_abi::Error;
use giornata_abi::call::Answer;
use giornata_abi::region::{READ_ONLY, READ_WRITE};
use giornata_abi::system::{REGION_READ, REGION_WRITE, REGIONS, RegionEntry};

/// Pieces that one call zeroes, if no interrupt waits.
const PIECES: u8 = 4;

/// What the kernel knows of one region.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Processes that have it.
    users: u16,
    /// Bytes that are zero, or have been since somebody has it.
    zeroed: u32,
}

impl Region {
    /// One that nobody has, and that is not zero.
    pub const EMPTY: Region = Region {
        users: 0,
        zeroed: 0,
    };
}

/// The bit of a region in what a process has attached.
fn bit(region: u16) -> u32 {
    1u32.wrapping_shl(region.into())
}

/// Zeroes the next pieces of a region that nobody has: EAGAIN until all is.
#[inline(never)] // most are attached by somebody
fn clear<H: Hardware>(
    hardware: &mut H,
    record: &mut Region,
    entry: &RegionEntry,
) -> Result<(), Error> {
    for _ in 0..PIECES {
        let Some(next) = hardware.clear(entry, record.zeroed) else {
            record.zeroed = entry.size;
            return Ok(());
        };
        record.zeroed = next;
        if hardware.is_interrupted() {
            break;
        }
    }
    Err(Error::EAGAIN)
}

impl<H: Hardware> Core<'_, H> {
    pub(crate) fn attach_region(
        &mut self,
        thread: u16,
        number: usize,
        how: usize,
    ) -> Result<Reply, Error> {
        let entry = self.system.regions.get(number).ok_or(Error::ESRCH)?;
        let (right, access) = match how {
            READ_WRITE => (REGION_WRITE, Access::Write),
            READ_ONLY => (REGION_READ, Access::Read),
            _ => return Err(Error::EINVAL),
        };
        let process = self.thread_entry(thread).process;
        let granted = self.granted(process, entry);
        if granted & right == 0 {
            return Err(Error::EPERM);
        }
        let (region, own) = (number as u16, bit(number as u16));
        let pool = self.services.pools.at_mut(process);
        if pool.attached & own != 0 {
            return Err(Error::EEXIST);
        }
        let record = self.services.regions.at_mut(region);
        if record.zeroed != entry.size {
            clear(&mut self.hardware, record, entry)?;
        }
        record.users = record.users.saturating_add(1);
        pool.attached |= own;
        self.hardware.share(process, entry, granted, Some(access));
        let (address, size) = (entry.address as usize, entry.size as usize);
        self.answer(thread, Answer::words([address, size, 0]));
        Ok(Reply::Later)
    }

    pub(crate) fn detach_region(&mut self, thread: u16, number: usize) -> Result<Reply, Error> {
        let entry = self.system.regions.get(number).ok_or(Error::ESRCH)?;
        let process = self.thread_entry(thread).process;
        if self.granted(process, entry) == 0 {
            return Err(Error::EPERM);
        }
        if self.services.pools.at(process).attached & bit(number as u16) == 0 {
            return Err(Error::EINVAL);
        }
        self.close(process, number as u16);
        Ok(Reply::Done)
    }

    /// A process that ends detaches one region that it has; answers whether it had
    /// one. O(1).
    pub(crate) fn detach_next(&mut self, process: u16) -> bool {
        let attached = self.services.pools.at(process).attached;
        if attached == 0 {
            return false;
        }
        self.close(process, attached.trailing_zeros() as u16);
        true
    }

    /// What a process may do with a region, and where it has it.
    fn granted(&self, process: u16, entry: &RegionEntry) -> u16 {
        let place = entry.grants as usize + process as usize;
        self.system.links.get(place).copied().unwrap_or(0)
    }

    /// Takes a region from a process that has it.
    fn close(&mut self, process: u16, region: u16) {
        if let Some(entry) = self.system.regions.get(region as usize) {
            let granted = self.granted(process, entry);
            self.hardware.share(process, entry, granted, None);
        }
        self.services.pools.at_mut(process).attached &= !bit(region);
        let record = self.services.regions.at_mut(region);
        record.users = record.users.saturating_sub(1);
        if record.users == 0 {
            record.zeroed = 0;
        }
    }

    /// The Sharing Invariant. O(processes and regions); for tests.
    pub(crate) fn check_regions(&self) -> Result<(), &'static str> {
        for (index, entry) in (0..REGIONS).zip(self.system.regions) {
            let record = self.services.regions.at(index);
            let pools = (0..).zip(self.services.pools.iter());
            let mut users = 0;
            for (process, _) in pools.filter(|(_, pool)| pool.attached & bit(index) != 0) {
                users += 1;
                if matches!(
                    self.processes.at(process).life,
                    Life::Dead | Life::Restoring(_)
                ) {
                    return Err("a dead process has a region");
                }
                if self.granted(process, entry) == 0 {
                    return Err("a process has a region that it is not granted");
                }
            }
            if users != record.users {
                return Err("a region has other users than processes have it");
            }
            if users != 0 && record.zeroed != entry.size {
                return Err("a region is attached that was not zeroed");
            }
        }
        Ok(())
    }
}
