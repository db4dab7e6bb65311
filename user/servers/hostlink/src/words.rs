//! Refusals with an explanation in words, without a heap.

use core::fmt::{Arguments, Write};

use giornata_abi::Error;
use giornata_hostlink_wire::{Code, WORDS};

/// A text of at most [`WORDS`] bytes; a longer one is truncated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    bytes: [u8; WORDS],
    length: usize,
}

impl Words {
    pub(crate) fn text(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }
}

impl Write for Words {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.bytes.len() - self.length;
        let cut = text.floor_char_boundary(room);
        let end = self.length + cut;
        if let (Some(place), Some(text)) = (self.bytes.get_mut(self.length..end), text.get(..cut)) {
            place.copy_from_slice(text.as_bytes());
            self.length = end;
        }
        if cut < text.len() {
            return Err(core::fmt::Error);
        }
        Ok(())
    }
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    pub(crate) code: Code,
    pub(crate) words: Words,
}

/// Makes a refusal. A text that is too long is truncated, which is no error.
pub(crate) fn refuse(code: Code, text: Arguments<'_>) -> Refused {
    let mut words = Words {
        bytes: [0; WORDS],
        length: 0,
    };
    _ = words.write_fmt(text);
    Refused { code, words }
}

/// Makes a refusal from the error of a system call.
pub(crate) fn refuse_by_kernel(what: &str, error: Error) -> Refused {
    match error {
        Error::EBUSY => refuse(
            Code::Busy,
            format_args!("a change is under way; try again in a moment, or withdraw it"),
        ),
        Error::EPERM => refuse(
            Code::Kernel,
            format_args!("the kernel does not let this server {what}; grant it in the system file"),
        ),
        error => refuse(
            Code::Kernel,
            format_args!("the kernel refuses to {what}: {error:?}"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = std::string::String::from("ab") + &"\u{e9}".repeat(WORDS);
        let words = refuse(Code::Unfit, format_args!("{text}{text}")).words;
        assert_eq!(words.text(), &text[..WORDS]);
        let odd = refuse(Code::Unfit, format_args!("a{}", &text[2..])).words;
        assert_eq!(odd.text().len(), WORDS - 1);
    }
}
