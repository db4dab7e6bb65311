//! The kernel's records, read while the kernel writes them.
//!
//! A process with the grant `inspect` sees them; what they mean, the builder's debug map
//! says. Nothing keeps the kernel from writing meanwhile: a thread that reads them is
//! preempted as any other, so bytes of one copy can be of different instants.

/// The records.
#[derive(Clone, Copy, Debug)]
pub struct Records {
    first: *const u8,
    length: usize,
}

impl Records {
    /// The records, if the process was granted to read them; `None` on the host.
    pub fn granted() -> Option<Records> {
        #[cfg(target_os = "none")]
        {
            let (address, length) = crate::riscv::kernel_records()?;
            let first = core::ptr::with_exposed_provenance(address as usize);
            // SAFETY: the builder granted them, and they lie there for good.
            Some(unsafe { Records::new(first, length as usize) })
        }
        #[cfg(not(target_os = "none"))]
        None
    }

    /// Records of so many bytes at `first`.
    ///
    /// # Safety
    /// They lie there for good, and can be read.
    pub const unsafe fn new(first: *const u8, length: usize) -> Records {
        Records { first, length }
    }

    /// Their bytes.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Copies the bytes from `at` on, counted from the first, to all of `into`; `false`,
    /// and nothing is copied, if some of them lie beyond the records. Whole words are
    /// copied at once where they lie so. O(`into`).
    pub fn read(&self, at: usize, into: &mut [u8]) -> bool {
        let end = at.checked_add(into.len());
        if end.is_none_or(|end| end > self.length) {
            return false;
        }
        let mut source = self.first.wrapping_add(at);
        let before = source.align_offset(size_of::<u32>()).min(into.len());
        let (before, rest) = into.split_at_mut(before);
        let (words, behind) = rest.as_chunks_mut();
        let mut byte = |place: &mut u8| {
            // SAFETY: by the contract of `new`: it lies below the end.
            *place = unsafe { source.read_volatile() };
            source = source.wrapping_add(1);
        };
        before.iter_mut().for_each(&mut byte);
        let mut word = source.cast::<u32>();
        for place in words {
            // SAFETY: by the contract of `new`: all four lie below the end, aligned.
            *place = unsafe { word.read_volatile() }.to_ne_bytes();
            word = word.wrapping_add(1);
        }
        source = word.cast();
        for place in behind {
            // SAFETY: by the contract of `new`: it lies below the end.
            *place = unsafe { source.read_volatile() };
            source = source.wrapping_add(1);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_stretch_of_the_records_is_copied_and_none_beyond_them() {
        let words: [u32; 4] = core::array::from_fn(|at| u32::from_ne_bytes([at as u8 * 4; 4]));
        let bytes: [u8; 16] = {
            let mut bytes = [0; 16];
            for (at, chunk) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                *chunk = words[at].to_ne_bytes();
            }
            bytes
        };
        // SAFETY: they outlive the use.
        let records = unsafe { Records::new((&raw const words).cast(), 15) };
        assert_eq!(records.length(), 15);
        for at in 0..=16 {
            for length in 0..=16 {
                let mut into = [0xEE; 16];
                let is_there = records.read(at, &mut into[..length]);
                assert_eq!(is_there, at + length <= 15, "{length} bytes at {at}");
                if is_there {
                    assert_eq!(into[..length], bytes[at..at + length]);
                }
                assert!(
                    into[if is_there { length } else { 0 }..]
                        .iter()
                        .all(|byte| *byte == 0xEE)
                );
            }
        }
        assert!(!records.read(usize::MAX, &mut [0; 2]));
        assert_eq!(Records::granted().map(|records| records.length()), None);
    }
}
