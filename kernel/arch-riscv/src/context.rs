//! The registers of a thread that is not on the hart, or is partly.

use core::cell::Cell;
use core::mem::offset_of;

use crate::Space;
use crate::device::Device;
use crate::floating::Floating;

/// One per thread. Its fields are cells because the trap path writes them too.
///
/// `x[n]` is register `n`; the slot of `x0`, which holds nothing, is the `pc`.
#[derive(Debug)]
#[repr(C)]
pub struct Context {
    x: [Cell<usize>; 32],
    /// The hart's stack, where the trap path finds it: the Scratch Invariant
    /// leads here, this leads on to the hart's block.
    pub hart: Cell<usize>,
    /// How it leaves the kernel: one of [`kind`]. The trap path sets it when an
    /// interrupt or an exception comes, the kernel when it answers or starts.
    kind: Cell<usize>,
    /// Address of its control page, in the memory of its process; 0 if it has none.
    control: Cell<usize>,
    /// What confines it.
    pub space: Space,
    /// Bounds of its process's restartable sequence.
    restart: [usize; 2],
    /// Its floating point, unless the hart holds that.
    pub floating: Floating,
}

/// How the exit path restores a context; what its `kind` holds.
pub mod kind {
    /// Zeros, the first of which are the answer of a system call, and what the
    /// ABI preserves.
    pub const DONE: usize = 0;
    /// The same with another answer.
    pub const CALL: usize = 3;
    /// Everything as it was.
    pub const FULL: usize = 1;
    /// The thread begins, with `pc`, `sp`, `a0`, `a1` and zeros.
    pub const START: usize = 2;
}

const SP: usize = 2;

impl Context {
    /// Bytes of registers in it, those of floating point included.
    pub const REGISTERS: usize = 32 * size_of::<usize>() + size_of::<Floating>();
    /// Offset of `hart`, for assembly.
    pub const HART: usize = offset_of!(Context, hart);
    /// Offset of `kind`, for assembly.
    pub const KIND: usize = offset_of!(Context, kind);

    /// The context of a thread in an address space, whose process has a
    /// restartable sequence in `begin..end` (none if they are equal).
    pub const fn new(space: Space, begin: usize, end: usize) -> Context {
        Context {
            x: [const { Cell::new(0) }; 32],
            hart: Cell::new(0),
            kind: Cell::new(kind::START),
            control: Cell::new(0),
            space,
            restart: [begin, end],
            floating: Floating::new(),
        }
    }

    /// Its control page.
    #[inline]
    pub fn control(&self) -> Option<Device> {
        let page = self.control.get();
        // SAFETY: `set_control` was told so.
        (page != 0).then(|| unsafe { Device::at(page) })
    }

    /// Says where its control page is.
    ///
    /// # Safety
    /// It is RAM that no object of the kernel lies in, for ever.
    pub unsafe fn set_control(&self, page: usize) {
        self.control.set(page);
    }

    /// Where it goes on.
    pub fn pc(&self) -> usize {
        let [pc, ..] = &self.x;
        pc.get()
    }

    /// Its stack pointer.
    pub fn stack_pointer(&self) -> usize {
        self.x.get(SP).map_or(0, Cell::get)
    }

    /// Puts the answer of a system call into `a0..`.
    pub fn answer(&self, words: &[usize; 6]) {
        let [_, _, _, _, _, _, _, _, _, _, a0, a1, a2, a3, a4, a5, ..] = &self.x;
        let [v0, v1, v2, v3, v4, v5] = *words;
        a0.set(v0);
        a1.set(v1);
        a2.set(v2);
        a3.set(v3);
        a4.set(v4);
        a5.set(v5);
        self.kind.set(kind::CALL);
    }

    /// Lets a system call answer that all is done: `a0..=a5` are 0.
    #[inline]
    pub fn finish(&self) {
        self.kind.set(kind::DONE);
    }

    /// Makes it the context of a thread at its beginning: `pc`, `sp`, `tp`, and
    /// `a0`, `a1`.
    pub fn start(&self, entry: usize, stack: usize, thread: usize, arguments: &[usize; 2]) {
        // what is preserved in calls is stored on the way out, over what is here
        let [pc, _, sp, _, _, _, _, _, _, _, a0, a1, thread_pointer, ..] = &self.x;
        let [first, second] = *arguments;
        pc.set(entry);
        sp.set(stack);
        thread_pointer.set(thread);
        a0.set(first);
        a1.set(second);
        self.floating.clear();
        self.kind.set(kind::START);
    }

    /// Whether the thread begins when it runs next.
    pub fn begins(&self) -> bool {
        self.kind.get() == kind::START
    }

    /// On leaving the hart: rewinds out of the restartable sequence.
    pub fn rewind(&self) {
        let [begin, end] = self.restart;
        if (begin..end).contains(&self.pc()) {
            let [pc, ..] = &self.x;
            pc.set(begin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_sets_what_the_exit_path_loads() {
        let context = Context::new(Space::NOWHERE, 0, 0);
        for register in &context.x {
            register.set(0xDEAD);
        }
        context.start(0x1000, 0x2000, 0x3000, &[3, 4]);
        assert_eq!((context.pc(), context.stack_pointer()), (0x1000, 0x2000));
        assert_eq!(context.x[12].get(), 0x3000);
        assert_eq!((context.x[10].get(), context.x[11].get()), (3, 4));
    }

    #[test]
    fn only_a_pc_inside_the_sequence_rewinds() {
        for (pc, then) in [(99, 99), (100, 100), (104, 100), (107, 100), (108, 108)] {
            let context = Context::new(Space::NOWHERE, 100, 108);
            context.x[0].set(pc);
            context.rewind();
            assert_eq!(context.pc(), then);
        }
    }

    #[test]
    fn a_process_without_a_sequence_never_rewinds() {
        let context = Context::new(Space::NOWHERE, 0, 0);
        context.rewind();
        assert_eq!(context.pc(), 0);
        let context = Context::new(Space::NOWHERE, 8, 8);
        context.x[0].set(8);
        context.rewind();
        assert_eq!(context.pc(), 8);
    }
}
