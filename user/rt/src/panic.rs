//! A panic is a fault of the process, and of the process alone.
//!
//! What the host gets of it is a note on the stack, see [`giornata_abi::panic`]: the
//! message, file and line, of which texts that are constants stay where they are, in the
//! executable that the host has too; and by what is above the note on the stack the host
//! knows which functions had called which. Only a message that is formatted
//! (`index out of bounds: the len is 3 but the index is 7`) is made in the process, which
//! costs it the code that formats. Without the feature `panic-message` there is neither
//! message nor file and line, and the host says the place by the backtrace alone.

use giornata_abi::panic::{MOST, WORDS, word};

/// Most bytes of a message that is made at run time; the rest of it is cut.
const ROOM: usize = 96;
/// Bytes of the stack above the note that the host gets.
const STACK: usize = 256;
/// The same of a note whose texts are constants.
const STACK_OF_CONSTANTS: usize = MOST - WORDS * size_of::<usize>();

/// What the host gets.
#[repr(C)]
pub(crate) struct Note {
    words: [usize; WORDS],
    room: [core::mem::MaybeUninit<u8>; ROOM],
}

const _: () = assert!(size_of::<Note>() + STACK <= MOST);

impl Note {
    /// A note of the place where it was made.
    #[inline(always)]
    pub(crate) fn new() -> Note {
        Note {
            words: [0; WORDS],
            room: [const { core::mem::MaybeUninit::uninit() }; ROOM],
        }
    }

    /// The process faults.
    #[inline(always)]
    pub(crate) fn tell(&mut self) -> ! {
        crate::riscv::leave_with_note(&mut self.words, size_of::<Note>() + STACK)
    }
}

/// The process faults with constants for a message and a place in the source.
#[inline(always)]
pub(crate) fn tell_constants(text: &'static [u8], file: &'static [u8], line: u32) -> ! {
    let mut words = [0; WORDS];
    words[word::TEXT] = text.as_ptr().expose_provenance();
    words[word::TEXT + 1] = text.len();
    words[word::FILE] = file.as_ptr().expose_provenance();
    words[word::FILE + 1] = file.len();
    words[word::LINE] = line as usize;
    let bytes = size_of_val(&words) + STACK_OF_CONSTANTS;
    crate::riscv::leave_with_note(&mut words, bytes)
}

#[cfg(feature = "panic-message")]
mod message {
    use super::{Note, word};
    use core::fmt;
    use core::panic::PanicInfo;

    impl Note {
        /// The message is this constant.
        #[inline(always)]
        fn say(&mut self, text: &[u8]) {
            self.words[word::TEXT] = text.as_ptr().expose_provenance();
            self.words[word::TEXT + 1] = text.len();
        }

        /// The place in the source.
        #[inline(always)]
        fn locate(&mut self, file: &[u8], line: u32) {
            self.words[word::FILE] = file.as_ptr().expose_provenance();
            self.words[word::FILE + 1] = file.len();
            self.words[word::LINE] = line as usize;
        }

        /// The message is made now.
        fn format(&mut self, message: fmt::Arguments<'_>) {
            self.words[word::TEXT] = self.room.as_ptr().expose_provenance();
            // (what does not fit is cut)
            let _ = fmt::write(self, message);
        }
    }

    impl fmt::Write for Note {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let length = &mut self.words[word::TEXT + 1];
            for byte in text.bytes() {
                let Some(place) = self.room.get_mut(*length) else {
                    return Err(fmt::Error);
                };
                place.write(byte);
                *length += 1;
            }
            Ok(())
        }
    }

    #[panic_handler]
    fn fault(info: &PanicInfo<'_>) -> ! {
        let mut note = Note::new();
        if let Some(place) = info.location() {
            note.locate(place.file().as_bytes(), place.line());
        }
        let message = info.message();
        match message.as_str() {
            Some(text) => note.say(text.as_bytes()),
            None => note.format(format_args!("{message}")),
        }
        note.tell()
    }
}

#[cfg(not(feature = "panic-message"))]
#[panic_handler]
fn fault(_: &core::panic::PanicInfo<'_>) -> ! {
    Note::new().tell()
}
