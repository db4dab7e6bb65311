//! The kernel under a simulation: that of one hart, or that of several. Both are
//! `kernel/core`, compiled apart, because their records differ.

use giornata_abi::call::Call;
use giornata_abi::ring::Words;
use giornata_abi::trace::FaultCause;
use giornata_records::Description;

use crate::{Output, Results};

/// Where a thread is that has begun: beyond all addresses at which one begins.
const BEGUN: usize = 1 << 40;

/// What is looked at of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    /// Bits of its role.
    pub(crate) role: u16,
    /// Where its control page lies.
    pub(crate) control: usize,
    /// What a job of it is started with, if it is a task.
    pub(crate) argument: Option<usize>,
    pub(crate) process: Memory,
}

/// A process, by its number, and where its data lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub(crate) number: usize,
    pub(crate) data: usize,
    pub(crate) data_size: usize,
    pub(crate) data_place: usize,
}

/// A kernel that has booted, and its harts.
pub(crate) trait Kernel {
    /// How many harts there are.
    fn harts(&self) -> usize;
    /// The thread that a hart runs, unless it is idle.
    fn runs(&self, hart: usize) -> Option<usize>;
    /// The thread that a hart runs makes a call.
    fn call(&mut self, hart: usize, call: Call, arguments: [usize; 6]);
    /// The thread that a hart runs does what it may not.
    fn fault(&mut self, hart: usize, cause: FaultCause);
    /// Whether a thread is where it begins; it is not any more.
    fn begins(&mut self, thread: usize) -> bool;
    fn thread(&self, thread: usize) -> Thread;
    fn stopped(&self) -> Option<usize>;
    fn now(&self) -> u64;
    fn alarm(&self) -> Option<u64>;
    fn pass(&mut self, ticks: u64);
    fn raise(&mut self, line: u32);
    fn interrupt(&mut self);
    fn take_results(&mut self, thread: usize) -> Option<Results>;
    fn take_trace(&mut self, sink: &mut dyn FnMut(Words));
    fn take_outputs(&mut self) -> Vec<Output>;
    fn set_register(&mut self, address: usize, value: u32);
    fn read(&self, place: usize, to: &mut [u8]);
    fn write(&mut self, place: usize, from: &[u8]);
    fn check_invariants(&self);
    /// Frees the memory of the records.
    fn free(self: Box<Self>);
}

/// Boots the kernel that a system is described for.
pub(crate) fn boot(description: &Description) -> Box<dyn Kernel> {
    match description.harts {
        0 | 1 => Box::new(giornata_host::Rig::boot(description)),
        _ => Box::new(giornata_host_several::Rig::boot(description)),
    }
}

/// What both have under the same names.
macro_rules! alike {
    () => {
        fn begins(&mut self, thread: usize) -> bool {
            let pc = &Self::thread(self, thread).context.pc;
            let begins = pc.get() < BEGUN;
            if begins {
                pc.set(BEGUN);
            }
            begins
        }

        fn thread(&self, thread: usize) -> Thread {
            let record = Self::thread(self, thread);
            let process = record.process;
            Thread {
                role: record.role,
                control: record.control,
                argument: record.place.task.map(|task| task.argument),
                process: Memory {
                    number: process.number as usize,
                    data: process.data,
                    data_size: process.data_size,
                    data_place: process.data_place,
                },
            }
        }

        fn stopped(&self) -> Option<usize> {
            Self::stopped(self)
        }

        fn now(&self) -> u64 {
            Self::now(self)
        }

        fn alarm(&self) -> Option<u64> {
            Self::alarm(self)
        }

        fn pass(&mut self, ticks: u64) {
            Self::pass(self, ticks);
        }

        fn raise(&mut self, line: u32) {
            Self::raise(self, line);
        }

        fn interrupt(&mut self) {
            Self::interrupt(self);
        }

        fn take_results(&mut self, thread: usize) -> Option<Results> {
            Self::take_results(self, thread)
        }

        fn take_trace(&mut self, sink: &mut dyn FnMut(Words)) {
            // (nobody asks who has run)
            drop(self.take_switches());
            Self::take_trace(self, sink);
        }

        fn set_register(&mut self, address: usize, value: u32) {
            Self::set_register(self, address, value);
        }

        fn read(&self, place: usize, to: &mut [u8]) {
            Self::read(self, place, to);
        }

        fn write(&mut self, place: usize, from: &[u8]) {
            Self::write(self, place, from);
        }

        fn check_invariants(&self) {
            Self::check_invariants(self);
        }

        fn free(self: Box<Self>) {
            // SAFETY: this trait shows no record to anybody.
            unsafe { Self::free(*self) };
        }
    };
}

impl Kernel for giornata_host::Rig {
    fn harts(&self) -> usize {
        1
    }

    fn runs(&self, _: usize) -> Option<usize> {
        (!self.is_idle()).then(|| self.running())
    }

    fn call(&mut self, _: usize, call: Call, arguments: [usize; 6]) {
        let _ = Self::call(self, call, arguments);
    }

    fn fault(&mut self, _: usize, cause: FaultCause) {
        Self::fault(self, cause, 0, 0);
    }

    fn take_outputs(&mut self) -> Vec<Output> {
        Self::take_outputs(self)
    }

    alike!();
}

impl Kernel for giornata_host_several::Rig {
    fn harts(&self) -> usize {
        Self::harts(self)
    }

    fn runs(&self, hart: usize) -> Option<usize> {
        self.runs_thread(hart)
    }

    fn call(&mut self, hart: usize, call: Call, arguments: [usize; 6]) {
        self.call_from(hart, call as usize, arguments);
    }

    fn fault(&mut self, hart: usize, cause: FaultCause) {
        self.fault_from(hart, cause);
    }

    fn take_outputs(&mut self) -> Vec<Output> {
        let outputs = Self::take_outputs(self).into_iter();
        let here = outputs.map(|output| Output {
            tick: output.tick,
            address: output.address,
            width: output.width,
            value: output.value,
        });
        here.collect()
    }

    alike!();
}
