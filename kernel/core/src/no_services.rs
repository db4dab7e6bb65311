//! In the place of `services`, in configurations without objects: the calls do
//! not exist, and nobody waits for anything or is lent anything.

use crate::core_state::Core;
use crate::dispatch::End;
use crate::event::{Next, Served};
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use core::marker::PhantomData;
use giornata_abi::Error;
use giornata_abi::call::{Answer, Call, Request};
use giornata_abi::system::SystemHeader;
use giornata_abi::trace::FaultCause;
use giornata_queue::{Urgency, WaitNode};

/// What the kernel knows of one object.
#[derive(Clone, Copy, Debug)]
pub struct Object;

impl Object {
    /// An empty slot.
    pub const EMPTY: Object = Object;
}

/// What ties a thread to objects.
#[derive(Clone, Copy, Debug)]
pub struct Tie;

impl Tie {
    /// Of a thread that has nothing and waits for nothing.
    pub const EMPTY: Tie = Tie;
}

/// What a process takes from.
#[derive(Clone, Copy, Debug)]
pub struct Pool;

impl Pool {
    /// One that nothing can be taken from.
    pub const EMPTY: Pool = Pool;
}

/// A message.
#[derive(Clone, Copy, Debug)]
pub struct Message;

impl Message {
    /// One that is in no pool.
    pub const EMPTY: Message = Message;
}

/// Memory that processes share.
#[derive(Clone, Copy, Debug)]
pub struct Region;

impl Region {
    /// One that nobody has.
    pub const EMPTY: Region = Region;
}

/// What the services keep.
pub(crate) struct Services<'a>(PhantomData<&'a ()>);

impl Services<'_> {
    pub(crate) fn new(_: ServicesMemory<'_>) -> Self {
        Services(PhantomData)
    }

    pub(crate) fn has_missed(&self) -> bool {
        false
    }

    pub(crate) fn take_misses(&self) -> u32 {
        0
    }
}

/// Their memory: none.
#[expect(dead_code, reason = "the slices are empty")]
pub(crate) struct ServicesMemory<'a> {
    pub(crate) objects: &'a mut [Object],
    pub(crate) ties: &'a mut [Tie],
    pub(crate) wait_nodes: &'a mut [WaitNode],
    pub(crate) letters: &'a mut [Message],
    pub(crate) pools: &'a mut [Pool],
    pub(crate) regions: &'a mut [Region],
}

/// Objects, threads with a tie, messages, processes with some, and regions, that a
/// system's services need.
pub(crate) fn needs(_: &SystemHeader) -> [usize; 5] {
    [0; 5]
}

impl<H: Hardware> Kernel<'_, H> {
    /// A call of the services: there are none.
    #[inline(always)]
    pub fn serve_now(&mut self, _: &Request) -> Served {
        Served::No
    }

    /// Never asked for.
    pub fn go_elsewhere(&mut self) -> Next {
        self.advance()
    }
}

impl<H: Hardware> Core<'_, H> {
    #[inline(always)]
    pub(crate) fn serve(&mut self, thread: u16, _: Call, _: &[usize; 6]) {
        self.answer(thread, Answer::error(Error::ENOSYS));
    }

    #[inline(always)]
    pub(crate) fn create_objects(&mut self) {}

    #[inline(always)]
    pub(crate) fn fill_pools(&mut self) {}

    #[inline(always)]
    pub(crate) fn end_send(&mut self, _: u16, _: u16, _: u16, _: bool) {}

    #[inline(always)]
    pub(crate) fn end_receive(&mut self, _: u16, _: u16, _: bool) {}

    #[inline(always)]
    pub(crate) fn inherit(&mut self, _: u16, own: Urgency) -> Urgency {
        own
    }

    #[inline(always)]
    pub(crate) fn unblock(&mut self, thread: u16) {
        self.make_ready(thread, End::Tail);
    }

    #[inline(always)]
    pub(crate) fn part(&mut self, _: u16) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn detach_next(&mut self, _: u16) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn retire(&mut self, thread: u16, _: usize) {
        self.rename(thread);
    }

    #[inline(always)]
    pub(crate) fn renew_pool(&mut self, _: u16) {}

    #[inline(always)]
    pub(crate) fn is_by_call(&self, _: u16) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn tell_supervisor(&mut self, _: u16, _: bool) {}

    #[inline(always)]
    pub(crate) fn note_cause(&mut self, _: u16, _: FaultCause) {}

    #[inline(always)]
    pub(crate) fn time_out(&mut self, _: u16) {}

    #[inline(always)]
    pub(crate) fn reposition(&mut self, _: u16, _: End) {}

    #[inline(always)]
    pub(crate) fn has_something(&self, _: u16) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn forget_loans(&mut self, _: u16) {}

    #[inline(always)]
    pub(crate) fn note_lender(&mut self, _: u16) {}

    #[inline(always)]
    pub(crate) fn may_lend(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn begin_teardown(&mut self, _: u16) {}

    pub(crate) fn check_services(&self) -> Result<(), &'static str> {
        Ok(())
    }
}
