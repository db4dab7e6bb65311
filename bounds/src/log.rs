//! The log of QEMU, in which each instruction of the kernel has a line.

use crate::watch::Watch;
use std::io::{self, BufRead, BufReader, Read};
use std::thread;
use std::time::Duration;

impl Watch<'_> {
    /// Sees what is executed as QEMU logs it with `-singlestep -d exec,nochain`, up to the end of
    /// the log.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read_log(&mut self, log: &mut dyn Read) -> io::Result<()> {
        let mut log = BufReader::with_capacity(1 << 16, Patient(log));
        let mut line = Vec::new();
        while log.read_until(b'\n', &mut line)? > 0 {
            match Line::read(&line) {
                Line::Executes(address) => self.see(address),
                Line::Stopped => self.take_back(),
                Line::Other => {}
            }
            line.clear();
        }
        Ok(())
    }
}

/// Lets more come before it reads: QEMU writes each line by itself, and would wake the reader for
/// each.
struct Patient<'a>(&'a mut dyn Read);

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        thread::sleep(Duration::from_micros(500));
        self.0.read(into)
    }
}

/// A line of the log.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// `Trace 0: HOST [BASE/ADDRESS/FLAGS/FLAGS] NAME`
    Executes(u64),
    /// `Stopped execution of TB chain before HOST [ADDRESS] NAME`
    Stopped,
    /// Anything else.
    Other,
}

impl Line {
    fn read(line: &[u8]) -> Line {
        if line.starts_with(b"Stopped execution") {
            return Line::Stopped;
        }
        if !line.starts_with(b"Trace ") {
            return Line::Other;
        }
        let mut parts = line.split(|byte| *byte == b'/');
        let address = parts.nth(1).and_then(|part| std::str::from_utf8(part).ok());
        let address = address.and_then(|text| u64::from_str_radix(text, 16).ok());
        address.map_or(Line::Other, Line::Executes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_log_are_told_apart() {
        let executes = b"Trace 0: 0x7f2a34000100 [00000000/0000000080000044/00000103/ff02] f\n";
        assert_eq!(Line::read(executes), Line::Executes(0x8000_0044));
        let stopped = b"Stopped execution of TB chain before 0x7f2a34000100 [80000044] f\n";
        assert_eq!(Line::read(stopped), Line::Stopped);
        assert_eq!(Line::read(b"qemu: a warning / a word\n"), Line::Other);
    }
}
