//! The short way of a call to an object: where nothing else is to be handled, it
//! is carried out at once, and whoever is the most urgent then goes on.

use crate::core_state::Core;
use crate::event::Next;
use crate::hardware::Hardware;
use crate::kernel::Kernel;
use giornata_abi::Ticks;
use giornata_abi::call::{Call, Request};
use giornata_abi::id::NONE;
use giornata_abi::system::ThreadKind;

/// The first of the calls to objects.
const FIRST: usize = Call::CreateObject as usize;

impl<H: Hardware> Kernel<'_, H> {
    /// A call to an object, as far as it is one and all that is to be handled.
    #[inline(always)]
    pub fn serve_now(&mut self, at: Ticks, request: &Request) -> Option<Next> {
        if request.number < FIRST {
            return None;
        }
        let call = Call::from_number(request.number)?;
        let thread = self.lone(at)?;
        let core = &mut self.core;
        if core.thread_entry(thread).kind != ThreadKind::Thread as u8 {
            return None;
        }
        core.enter_at(at);
        core.serve(thread, call, &request.arguments);
        if core.stays(thread) && core.is_served() {
            return Some(Next::Run(thread));
        }
        Some(self.go_elsewhere(thread, at))
    }

    /// A call led to another thread, or to more work.
    #[inline(never)] // most come back at once
    fn go_elsewhere(&mut self, thread: u16, at: Ticks) -> Next {
        let core = &mut self.core;
        let was_limited = core.charge(thread, at);
        core.hart.resumed = at;
        let next = core.ready.first();
        if next == NONE || !core.is_served() || core.is_held() {
            core.calm = false;
            return self.advance();
        }
        let is_new = core.agenda.next().unwrap_or(giornata_abi::Instant::NEVER) != core.hart.next.0;
        core.succeed(was_limited | is_new, next, at);
        Next::Run(next)
    }
}

impl<H: Hardware> Core<'_, H> {
    /// Whether a call to an object, made while nothing waited, left nothing to be
    /// worked on.
    fn is_served(&self) -> bool {
        !(self.call.is_some() | self.transfer.is_some() | (self.dying != 0))
    }
}
