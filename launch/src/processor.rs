//! A program on one processor of the host.
//!
//! QEMU runs a machine in one thread and its clock in another. When the machine falls
//! asleep, the second may look while the first has not yet counted the instructions of its
//! last slice: then the clock jumps to the next alarm, and the count comes on top, so that
//! the machine wakes some nanoseconds late. On one processor the threads do not run at the
//! same time, and the first is done before it wakes the second.

use std::io;
use std::process::{Child, Command};

/// Starts a program that keeps to one processor, where the host can do that.
///
/// # Errors
/// It cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    // (a child takes over where its parent may run)
    let before = one::keep();
    let child = command.spawn();
    if let Some(before) = before {
        one::set(&before);
    }
    child
}

#[cfg(target_os = "linux")]
mod one {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The next one begins on another processor.
    static NEXT: AtomicUsize = AtomicUsize::new(0);

    /// This thread keeps to one processor from now on; returns where it could run before,
    /// if that is known and there was a choice.
    pub(super) fn keep() -> Option<CpuSet> {
        let before = sched_getaffinity(None).ok()?;
        let all: Vec<usize> = (0..CpuSet::MAX_CPU)
            .filter(|at| before.is_set(*at))
            .collect();
        if all.len() < 2 {
            return None;
        }
        let first = std::process::id() as usize;
        let turn = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut one = CpuSet::new();
        one.set(all[turn % all.len()]);
        sched_setaffinity(None, &one).ok()?;
        Some(before)
    }

    pub(super) fn set(where_to: &CpuSet) {
        // It could run there before.
        let _ = sched_setaffinity(None, where_to);
    }
}

#[cfg(not(target_os = "linux"))]
mod one {
    pub(super) fn keep() -> Option<()> {
        None
    }

    pub(super) fn set(_: &()) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::sched_getaffinity;

    #[test]
    fn a_program_has_one_processor_and_its_parent_keeps_all() {
        let before = sched_getaffinity(None).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "grep ^Cpus_allowed_list: /proc/self/status"]);
        command.stdout(std::process::Stdio::piped());
        let output = spawn(&mut command).unwrap().wait_with_output().unwrap();
        let line = String::from_utf8(output.stdout).unwrap();
        let list = line.split_whitespace().nth(1).unwrap();
        assert!(list.parse::<usize>().is_ok(), "one processor: {line}");
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
