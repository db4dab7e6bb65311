//! What this process and those that it has started have taken of the processor, and how fast
//! that is.

use std::fs;
use std::hint::black_box;

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// Where the kernel of Linux says it.
const STATUS: &str = "/proc/self/stat";
/// Its fields of time: in user mode and in the kernel, of this process and of its children that
/// have ended, and theirs; counted from 0 behind the name of the program.
const TIMES: std::ops::Range<usize> = 11..15;
/// Numbers that [`yardstick`] sorts.
const NUMBERS: usize = 20_000;

/// Seconds in user mode and in the kernel, of this process and of all that it has started and
/// waited for; none where the machine does not tell.
pub(crate) fn seconds() -> Option<f64> {
    let ticks = ticks(&fs::read_to_string(STATUS).ok()?)?;
    Some(ticks as f64 / clock_ticks_per_second() as f64)
}

fn ticks(status: &str) -> Option<u64> {
    // (a name may have blanks and brackets)
    let (_, fields) = status.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let times = fields.get(TIMES)?.iter();
    times.map(|field| field.parse::<u64>().ok()).sum()
}

/// Milliseconds of this thread's processor for a piece of work that is always the same: a
/// machine that is slow, or whose cores are shared, takes longer for it, as for all else.
pub(crate) fn yardstick() -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let begun = now();
    let mut state = 1_u64;
    let mut numbers: Vec<u64> = (0..NUMBERS)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 20
        })
        .collect();
    // a heap sort of our own: what the standard library has may change with the compiler
    for root in (0..NUMBERS / 2).rev() {
        sift(&mut numbers, root);
    }
    for end in (1..NUMBERS).rev() {
        numbers.swap(0, end);
        sift(&mut numbers[..end], 0);
    }
    black_box(&numbers);
    now() - begun
}

/// Moves a number down a heap to where it belongs.
fn sift(heap: &mut [u64], mut root: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && heap[child] < heap[child + 1] {
            child += 1;
        }
        if heap[root] >= heap[child] {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_process_and_of_its_children_are_summed_behind_any_name() {
        let status = "7 (a) b c) R 1 7 7 0 -1 4194304 9 9 9 9 10 20 300 4000 20 0 1 0 5";
        assert_eq!(ticks(status), Some(4330));
        assert_eq!(ticks("7 (x) R 1"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn work_of_a_child_counts_when_it_has_ended() {
        let Some(before) = seconds() else {
            return;
        };
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", busy]).status();
        assert!(status.unwrap().success());
        assert!(seconds().unwrap() >= before + 0.02, "a loop takes no time");
        assert!(yardstick() > 0.0);
    }

    #[test]
    fn a_heap_is_sifted() {
        let mut heap = [1, 9, 8, 3, 4];
        sift(&mut heap, 0);
        assert_eq!(heap, [9, 4, 8, 3, 1]);
    }
}
