//! The thread of a filter: one instance after the other.

use core::mem::offset_of;
use core::ptr;

use giornata_abi::call::Call;
use giornata_abi::control::ControlPage;
use giornata_abi::filter::{HEAD, MOST_PORTS, PORT, does, head, port};
use giornata_abi::process::FilterPort;

use crate::call::call0;
use crate::riscv::page_word;

/// The words of a filter.
#[derive(Clone, Copy)]
struct Filter(*const u32);

impl Filter {
    fn word(self, index: usize) -> usize {
        // SAFETY: the builder has laid all words of the filter.
        unsafe { self.0.wrapping_add(index).read() as usize }
    }

    fn port(self, number: usize, word: usize) -> usize {
        self.word(HEAD + number * PORT + word)
    }

    fn ports(self) -> usize {
        (self.word(head::INPUTS) + self.word(head::OUTPUTS)).min(MOST_PORTS)
    }

    /// Where the words of a position begin.
    fn position(self, number: usize) -> usize {
        let ports = self.ports();
        HEAD + ports * PORT + number * (1 + ports)
    }
}

/// Runs the instances of the filter whose words lie there, from where it is.
#[unsafe(no_mangle)]
extern "C" fn giornata_run_filter(words: *const u32) -> usize {
    let filter = Filter(words);
    let (ports, positions) = (filter.ports(), filter.word(head::POSITIONS));
    let mut position = page_word::<{ offset_of!(ControlPage, job) }>() as usize;
    let cycles = u64::from(page_word::<{ offset_of!(ControlPage, release) }>())
        | u64::from(page_word::<{ offset_of!(ControlPage, release) + 4 }>()) << 32;
    let mut views = [FilterPort {
        buffer: ptr::null_mut(),
        capacity: 0,
        first: 0,
        count: 0,
    }; MOST_PORTS];
    for (number, view) in views.iter_mut().enumerate().take(ports) {
        view.buffer = ptr::with_exposed_provenance_mut(filter.port(number, port::BUFFER));
        view.capacity = filter.port(number, port::CAPACITY);
        let capacity = view.capacity as u64;
        let cycle = filter.port(number, port::CYCLE) as u64;
        let before = (0..position).map(|at| filter.word(filter.position(at) + 1 + number) as u64);
        let first = (cycles % capacity) * (cycle % capacity)
            + before.sum::<u64>()
            + filter.port(number, port::FIRST) as u64;
        view.first = (first % capacity) as usize;
    }
    loop {
        let own = filter.position(position);
        for (number, view) in views.iter_mut().enumerate().take(ports) {
            view.count = filter.word(own + 1 + number);
        }
        match filter.word(head::DOES) as u32 {
            does::CALLS => {
                let body = ptr::with_exposed_provenance::<()>(filter.word(own));
                // SAFETY: the builder has checked that this function of the process takes
                // these ports.
                let body: extern "C" fn(*mut u8) -> usize = unsafe { core::mem::transmute(body) };
                body(views.as_mut_ptr().cast());
            }
            how => pass(filter, how, &views[..ports]),
        }
        if call0(Call::Complete).is_err() {
            panic!("the kernel runs no filter here");
        }
        for view in &mut views[..ports] {
            view.first += view.count;
            if view.first >= view.capacity {
                view.first -= view.capacity;
            }
        }
        position += 1;
        if position == positions {
            position = 0;
        }
    }
}

/// Copies tokens from the inputs to the outputs.
fn pass(filter: Filter, how: u32, views: &[FilterPort]) {
    let (inputs, outputs) = views.split_at(filter.word(head::INPUTS).min(views.len()));
    let bytes = filter.port(0, port::BYTES);
    let copy = |from: &FilterPort, from_index: usize, to: &FilterPort, to_index: usize| {
        let place = |view: &FilterPort, index: usize| {
            let index = view.first + index;
            let index = if index >= view.capacity {
                index - view.capacity
            } else {
                index
            };
            view.buffer.wrapping_add(index * bytes)
        };
        // SAFETY: both buffers hold tokens of so many bytes, and are two.
        unsafe { ptr::copy_nonoverlapping(place(from, from_index), place(to, to_index), bytes) }
    };
    match how {
        does::COPIES => {
            for (from, to) in inputs
                .iter()
                .flat_map(|from| outputs.iter().map(move |to| (from, to)))
            {
                (0..from.count).for_each(|index| copy(from, index, to, index));
            }
        }
        does::PERMUTES => {
            let order = filter.position(filter.word(head::POSITIONS));
            for (from, to) in inputs.iter().zip(outputs) {
                (0..to.count).for_each(|index| copy(from, filter.word(order + index), to, index));
            }
        }
        _ => {
            let taken = inputs
                .iter()
                .flat_map(|from| (0..from.count).map(move |index| (from, index)));
            let put = outputs
                .iter()
                .flat_map(|to| (0..to.count).map(move |index| (to, index)));
            for ((from, from_index), (to, to_index)) in taken.zip(put) {
                copy(from, from_index, to, to_index);
            }
        }
    }
}
