//! In the place of `load`, in configurations whose programs are those that the
//! system was built with: the calls do not exist, and nothing is ever under way.

use crate::core_state::Core;
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use giornata_abi::call::{Answer, Call};
use giornata_abi::system::SystemHeader;
use giornata_abi::{Error, Instant};

pub(crate) struct Loading;

impl Loading {
    pub(crate) const NOTHING: Loading = Loading;

    pub(crate) fn expected(&self) -> Instant {
        Instant::NEVER
    }

    pub(crate) fn is_settling(&self) -> bool {
        false
    }
}

pub(crate) fn events(_: &SystemHeader) -> usize {
    0
}

impl<H: Hardware> Core<'_, H> {
    #[inline(always)]
    pub(crate) fn change_program(&mut self, _: u16, _: Call, _: &[usize; 6]) -> Answer {
        Answer::error(Error::ENOSYS)
    }

    pub(crate) fn ripen(&mut self, _: u16) {}

    pub(crate) fn settle_bank(&mut self) {}
}

impl<H: Hardware> Kernel<'_, H> {
    #[inline(always)]
    pub(crate) fn consider_change(&mut self) {}
}
