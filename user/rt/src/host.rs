//! The process on the host: system calls go to a hook, and the memory that a
//! process keeps between its jobs is a value.
//!
//! Both belong to the calling thread of the host, so that many simulated
//! systems run side by side. Without a hook every call returns `ENOSYS`, but what is
//! logged goes to the standard output: tests of a crate show it as they show `println!`.
//!
//! A body that panics, or that leaves by a call that does not return, comes
//! back to its caller with 0; the hook has seen why.

use core::any::Any;
use core::cell::RefCell;
use std::boxed::Box;
use std::collections::HashMap;
use std::vec::Vec;

use giornata_abi::Error;
use giornata_abi::call::{Answer, Call, Request};

use crate::log;

/// What a call returns: the registers `a0..=a6`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply(pub [usize; 7]);

impl From<Answer> for Reply {
    fn from(Answer([a, b, c, d, e, f]): Answer) -> Reply {
        Reply([a, b, c, d, e, f, 0])
    }
}

/// What handles the system calls. Addresses in requests are those of the host.
pub type Hook = Box<dyn FnMut(Request) -> Reply>;

std::thread_local! {
    static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::new());
    /// The pieces so far of a text that is logged without a hook.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Makes `hook` handle the calls of this host thread; returns the one before.
/// A call made inside the hook returns `ENOSYS`.
pub fn set_hook<R: Into<Reply>>(mut hook: impl FnMut(Request) -> R + 'static) -> Option<Hook> {
    let hook = move |request| hook(request).into();
    HOOK.with_borrow_mut(|place| place.replace(Box::new(hook)))
}

/// Takes the hook away; returns it.
pub fn clear_hook() -> Option<Hook> {
    HOOK.with_borrow_mut(Option::take)
}

/// The states of one process's functions: what its memory holds between jobs.
///
/// A new one is a process that has just been (re)started. Plain `static` items
/// of a process crate are not in it: they are shared by all simulated systems.
#[derive(Default)]
pub struct Memory {
    states: HashMap<usize, Box<dyn Any + Send>>,
}

impl Memory {
    /// The memory of a process before its first job.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Runs `work` (the body of a function) in this memory.
    pub fn run<R>(&mut self, work: impl FnOnce() -> R) -> R {
        /// Swaps back even if the body panics.
        struct Swapped<'a>(&'a mut Memory);
        impl Drop for Swapped<'_> {
            fn drop(&mut self) {
                MEMORY.with_borrow_mut(|own| core::mem::swap(own, self.0));
            }
        }
        MEMORY.with_borrow_mut(|own| core::mem::swap(own, self));
        let _back = Swapped(self);
        work()
    }
}

/// The state behind `key` in the memory in use; made by `init` at first.
pub(crate) fn state<S: Send + 'static>(key: usize, init: impl FnOnce() -> S) -> *mut S {
    let find = |memory: &mut Memory| {
        memory
            .states
            .get_mut(&key)
            .and_then(|any| any.downcast_mut::<S>())
            .map(core::ptr::from_mut)
    };
    if let Some(found) = MEMORY.with_borrow_mut(find) {
        return found;
    }
    // outside the borrow: `init` is user code
    let mut fresh = Box::new(init());
    let place = core::ptr::from_mut::<S>(&mut fresh);
    MEMORY.with_borrow_mut(|memory| memory.states.insert(key, fresh));
    place
}

/// Threads have no pages on the host.
pub(crate) fn page() -> *mut u8 {
    core::ptr::null_mut()
}

/// Threads have no pages on the host: what one publishes is not read, and it locks by a
/// call.
pub(crate) fn page_word<const OFFSET: usize>() -> u32 {
    0
}

/// See [`page_word`].
pub(crate) fn set_page_word<const OFFSET: usize>(_: u32) {}

pub(crate) fn enter6(number: usize, arguments: [usize; 6]) -> [usize; 7] {
    let Some(mut hook) = clear_hook() else {
        return Reply::from(without_hook(number, arguments)).0;
    };
    let Reply(registers) = hook(Request { number, arguments });
    HOOK.with_borrow_mut(|place| _ = place.get_or_insert(hook));
    registers
}

fn without_hook(number: usize, arguments: [usize; 6]) -> Answer {
    if number != Call::Log as usize {
        return Answer::error(Error::ENOSYS);
    }
    let [length, words @ ..] = arguments;
    let bytes = words
        .iter()
        .take(4)
        .flat_map(|&word| (word as u32).to_le_bytes());
    let text = TEXT.with_borrow_mut(|text| {
        text.extend(bytes.take(length & 0xFF));
        match length & log::CONTINUES {
            0 => Some(core::mem::take(text)),
            _ => None,
        }
    });
    if let Some(text) = text {
        std::println!("{}", std::string::String::from_utf8_lossy(&text));
    }
    Answer::DONE
}

pub(crate) fn enter3(number: usize, [a, b, c]: [usize; 3]) -> [usize; 4] {
    let [w, x, y, z, ..] = enter6(number, [a, b, c, 0, 0, 0]);
    [w, x, y, z]
}

pub(crate) fn enter0(number: usize) -> [usize; 5] {
    let [v, w, x, y, z, ..] = enter6(number, [0; 6]);
    [v, w, x, y, z]
}

/// What unwinds out of a body that left by a call that does not return.
struct Left;

/// Tells the hook, and leaves the body: see [`run_body`].
pub(crate) fn leave(number: usize, arguments: [usize; 3]) -> ! {
    enter3(number, arguments);
    std::panic::resume_unwind(Box::new(Left))
}

/// Runs a body to its end. If it panics, the hook gets `Panic` with the message
/// (line 0), as the kernel would; the body's outputs stay as they were, and it
/// returns 0. Without a hook the panic goes on.
pub(crate) fn run_body(work: impl FnOnce() -> usize) -> usize {
    let thrown = match std::panic::catch_unwind(core::panic::AssertUnwindSafe(work)) {
        Ok(answer) => return answer,
        Err(thrown) if thrown.is::<Left>() => return 0,
        Err(thrown) => thrown,
    };
    if HOOK.with_borrow(Option::is_none) {
        std::panic::resume_unwind(thrown);
    }
    let text = match (
        thrown.downcast_ref::<&str>(),
        thrown.downcast_ref::<std::string::String>(),
    ) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        _ => "",
    };
    enter3(
        Call::Panic as usize,
        [text.as_ptr().expose_provenance(), text.len(), 0],
    );
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_hook_is_not_there() {
        clear_hook();
        assert_eq!(crate::call::null(), Err(Error::ENOSYS));
    }

    #[test]
    fn a_hook_gets_number_and_arguments_and_its_answer_comes_back() {
        set_hook(|request| {
            assert_eq!(request.number, giornata_abi::call::Call::Sleep as usize);
            assert_eq!(request.arguments, [0x0BAD_F00D, 0xDEAD_BEEF, 0, 0, 0, 0]);
            Answer::error(Error::EINVAL)
        });
        assert_eq!(
            crate::call::sleep(giornata_abi::Instant(0xDEAD_BEEF_0BAD_F00D)),
            Err(Error::EINVAL)
        );
        clear_hook();
    }

    #[test]
    fn memories_keep_their_states_apart() {
        let (mut one, mut two) = (Memory::new(), Memory::new());
        let count = |memory: &mut Memory| {
            memory.run(|| {
                let place = state(7, || 0u32);
                // SAFETY: no other reference to the state is alive.
                unsafe {
                    *place += 1;
                }
                // SAFETY: as above.
                unsafe { *place }
            })
        };
        assert_eq!(
            (count(&mut one), count(&mut one), count(&mut two)),
            (1, 2, 1)
        );
        one = Memory::new();
        assert_eq!(count(&mut one), 1, "a restarted process begins anew");
    }

    #[test]
    fn memory_comes_back_after_a_panic_of_the_body() {
        let mut memory = Memory::new();
        let result = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            memory.run(|| {
                state(1, || 5u8);
                panic!("body");
            })
        }));
        assert!(result.is_err());
        assert_eq!(memory.states.len(), 1);
    }
}
