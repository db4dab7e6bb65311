//! What an emulated machine says: it goes into a file that is read from behind.
//!
//! Through a pipe the machine would feel how fast it is read: once that is full
//! the emulated serial line stays busy, and the kernel, which waits for it, takes
//! its time by the machine's own clock.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// How long to wait for more.
const PAUSE: Duration = Duration::from_millis(1);
/// What has been read is given back to the disk in so many bytes at least.
const CHUNK: u64 = 1 << 20;

/// An emulator's process, which several look after.
#[derive(Clone)]
pub(crate) struct Emulated(Arc<Mutex<Child>>);

impl Emulated {
    pub(crate) fn new(child: Child) -> Emulated {
        Emulated(Arc::new(Mutex::new(child)))
    }

    pub(crate) fn child(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_ended(&self) -> io::Result<bool> {
        Ok(self.child().try_wait()?.is_some())
    }
}

/// A file without a name that a process writes to.
pub(crate) struct Paper(File);

impl Paper {
    /// # Errors
    /// There is no room for temporary files.
    pub(crate) fn new() -> Result<Paper> {
        let file = tempfile::tempfile().context("a file for the console of the machine")?;
        Ok(Paper(file))
    }

    /// Where the process is to write.
    ///
    /// # Errors
    /// There are too many open files.
    pub(crate) fn sink(&self) -> Result<Stdio> {
        let file = self.0.try_clone();
        Ok(file.context("the console of the machine")?.into())
    }

    /// Reads what the emulator writes, until it has ended.
    pub(crate) fn read_of(self, writer: Emulated) -> Console {
        Console {
            file: self.0,
            at: 0,
            given_back: 0,
            writer,
        }
    }
}

/// What an emulator writes, as a stream that ends when it does.
pub(crate) struct Console {
    file: File,
    /// How far it has been read.
    at: u64,
    given_back: u64,
    writer: Emulated,
}

impl Console {
    fn read_more(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        if self.at - self.given_back >= CHUNK {
            give_back(&self.file, self.given_back..self.at);
            self.given_back = self.at;
        }
        Ok(count)
    }
}

/// Frees the room of a part of a file. A file system that cannot do it keeps it.
#[cfg(target_os = "linux")]
fn give_back(file: &File, part: Range<u64>) {
    use rustix::fs::{FallocateFlags, fallocate};
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    let _ = fallocate(file, hole, part.start, part.end - part.start);
}

#[cfg(not(target_os = "linux"))]
fn give_back(_: &File, _: Range<u64>) {}

impl Read for Console {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // asked before: what it wrote last is read still
            let has_ended = self.writer.has_ended()?;
            let count = self.read_more(buffer)?;
            if count > 0 || has_ended {
                return Ok(count);
            }
            thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// More than a pipe holds, and more than is given back at once.
    const LENGTH: usize = 3 << 20;

    #[test]
    fn a_process_ends_though_nobody_reads_and_all_is_there_to_be_read() {
        let paper = Paper::new().unwrap();
        let script = format!("head -c {LENGTH} /dev/zero; echo end");
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script]).stdout(paper.sink().unwrap());
        let writer = Emulated::new(command.spawn().unwrap());
        assert!(writer.child().wait().unwrap().success());
        let mut text = Vec::new();
        paper.read_of(writer).read_to_end(&mut text).unwrap();
        assert_eq!(text.len(), LENGTH + 4);
        assert!(text.ends_with(b"end\n"));
    }

    #[test]
    fn what_a_process_writes_is_read_while_it_runs() {
        let paper = Paper::new().unwrap();
        let mut command = Command::new("sh");
        let command = command
            .args(["-c", "echo first; read line; echo second"])
            .stdin(Stdio::piped())
            .stdout(paper.sink().unwrap());
        let mut child = command.spawn().unwrap();
        let answer = child.stdin.take();
        let mut console = paper.read_of(Emulated::new(child));
        let mut text = [0; 6];
        console.read_exact(&mut text).unwrap();
        assert_eq!(&text, b"first\n");
        // the end of its input lets it go on
        drop(answer);
        let mut rest = String::new();
        console.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "second\n");
    }
}
