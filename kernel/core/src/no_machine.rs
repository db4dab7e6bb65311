//! In the place of the E/S machine, in configurations that run no programs: there
//! is never anything enabled, and nothing ever will be.

use core::marker::PhantomData;
use giornata_abi::Instant;
use giornata_abi::system::System;
use giornata_abi::trace::Violation;
use giornata_micro::{Binding, Host, ProgramState, Progress, SThread, Succession, UpcallEnd};

/// No machine.
pub(crate) struct Machine<'a>(PhantomData<&'a ()>);

impl<'a> Machine<'a> {
    #[inline(always)]
    pub(crate) fn new(
        _: System<'a>,
        _: &'a mut [Binding],
        _: &'a mut [SThread],
        _: &'a mut [ProgramState],
    ) -> Machine<'a> {
        Machine(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn start(&mut self, _: u16, _: Instant) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn begin(&mut self, _: Instant, _: Option<u16>) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn completed(&mut self, _: u16) {}

    #[inline(always)]
    pub(crate) fn raise(
        &mut self,
        _: &mut impl Host,
        _: u16,
        _: Violation,
        _: Option<u16>,
        _: Option<u16>,
    ) {
    }

    #[inline(always)]
    pub(crate) fn run(&mut self, _: &mut impl Host) -> Progress {
        Progress::Settled
    }

    #[inline(always)]
    pub(crate) fn upcall_ended(&mut self, _: &mut impl Host, _: UpcallEnd) {}

    #[inline(always)]
    pub(crate) fn in_reaction(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn heeds_time_only(&self) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn idle_until(&self) -> Instant {
        Instant::NEVER
    }

    #[inline(always)]
    pub(crate) fn tick(&mut self, _: u16, _: Instant) -> Option<Instant> {
        None
    }

    #[inline(always)]
    pub(crate) fn succession(&self, _: &impl Host, _: u16) -> Option<Succession> {
        None
    }

    #[inline(always)]
    pub(crate) fn succeed(&mut self, _: &Succession, _: Instant) {}

    pub(crate) fn check_invariants(&self) -> Result<(), &'static str> {
        Ok(())
    }
}
