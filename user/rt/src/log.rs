//! Text into the trace, sixteen bytes a record; no console, no heap.
//!
//! [`log!`](crate::log!) writes a text as it is. [`log_error!`](crate::log_error!),
//! [`log_warning!`](crate::log_warning!), [`log_info!`](crate::log_info!) and
//! [`log_debug!`](crate::log_debug!) put their level before it, `warning: `; those above
//! [`HIGHEST`] evaluate nothing and leave no code. A feature of this crate sets it, the
//! lowest of those that are on: `log-none`, `log-error`, `log-warning`, `log-info`;
//! without any everything is logged.

use core::fmt;

use crate::call;

/// Bytes of text in one record.
pub const PIECE: usize = 16;
/// Bit of the length that says that more of the same text follows.
pub const CONTINUES: usize = 1 << 8;

/// Writes formatted text to the trace, like `println!`. Formatting brings 2 to
/// 3 KB of code; a plain literal brings none.
#[macro_export]
macro_rules! log {
    ($($arguments:tt)*) => {
        $crate::log::print(::core::format_args!($($arguments)*))
    };
}

/// Logs what is wrong and needs somebody: `error: ` and the formatted text.
#[macro_export]
macro_rules! log_error {
    ($($arguments:tt)*) => { $crate::log_at!($crate::log::Level::Error, $($arguments)*) };
}

/// Logs what is wrong and was coped with: `warning: ` and the formatted text.
#[macro_export]
macro_rules! log_warning {
    ($($arguments:tt)*) => { $crate::log_at!($crate::log::Level::Warning, $($arguments)*) };
}

/// Logs what happens as it should: `info: ` and the formatted text.
#[macro_export]
macro_rules! log_info {
    ($($arguments:tt)*) => { $crate::log_at!($crate::log::Level::Info, $($arguments)*) };
}

/// Logs what helps to find mistakes: `debug: ` and the formatted text.
#[macro_export]
macro_rules! log_debug {
    ($($arguments:tt)*) => { $crate::log_at!($crate::log::Level::Debug, $($arguments)*) };
}

/// Logs a formatted text at a constant [`Level`].
#[macro_export]
macro_rules! log_at {
    ($level:expr, $($arguments:tt)*) => {
        if const { $crate::log::is_logged($level) } {
            $crate::log::print_at($level, ::core::format_args!($($arguments)*))
        }
    };
}

/// How important a text is; `<giornata.h>` has the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something is wrong and needs somebody.
    Error = 1,
    /// Something is wrong and was coped with.
    Warning,
    /// Something happens as it should.
    Info,
    /// What helps to find mistakes.
    Debug,
}

/// The highest level that is logged; `None`: none is.
pub const HIGHEST: Option<Level> = match () {
    () if cfg!(feature = "log-none") => None,
    () if cfg!(feature = "log-error") => Some(Level::Error),
    () if cfg!(feature = "log-warning") => Some(Level::Warning),
    () if cfg!(feature = "log-info") => Some(Level::Info),
    () => Some(Level::Debug),
};

/// Whether texts of a level are logged.
pub const fn is_logged(level: Level) -> bool {
    matches!(HIGHEST, Some(highest) if level as u8 <= highest as u8)
}

impl Level {
    /// What stands before a text of this level.
    pub const fn prefix(self) -> &'static str {
        match self {
            Level::Error => "error: ",
            Level::Warning => "warning: ",
            Level::Info => "info: ",
            Level::Debug => "debug: ",
        }
    }
}

/// Writes `text` to the trace: one call for each 16 bytes. Nothing if it is
/// empty, and nothing from an upcall, which may make no call.
pub fn log_str(text: &str) {
    let mut writer = Writer::new();
    writer.push(text.as_bytes());
    writer.finish();
}

/// What [`log!`](crate::log!) does.
#[inline]
pub fn print(arguments: fmt::Arguments<'_>) {
    match arguments.as_str() {
        Some(text) => log_str(text),
        None => print_formatted(arguments),
    }
}

#[inline(never)]
fn print_formatted(arguments: fmt::Arguments<'_>) {
    let mut writer = Writer::new();
    // `Writer` does not fail; a `Display` that does has said what it could.
    let _ = fmt::write(&mut writer, arguments);
    writer.finish();
}

/// What [`log_at!`](crate::log_at!) does, at a level that is logged.
#[inline]
pub fn print_at(level: Level, arguments: fmt::Arguments<'_>) {
    let mut writer = Writer::new();
    writer.push(level.prefix().as_bytes());
    match arguments.as_str() {
        Some(text) => writer.push(text.as_bytes()),
        None => _ = fmt::write(&mut writer, arguments),
    }
    writer.finish();
}

/// Collects text and sends it by the piece; a piece leaves when the next byte
/// shows that more follows, or at [`finish`](Self::finish).
pub struct Writer {
    piece: [u8; PIECE],
    length: usize,
}

impl Writer {
    /// An empty text.
    pub const fn new() -> Writer {
        Writer {
            piece: [0; PIECE],
            length: 0,
        }
    }

    /// Appends bytes.
    pub fn push(&mut self, text: &[u8]) {
        for &byte in text {
            if self.length == PIECE {
                self.send(CONTINUES);
            }
            if let Some(place) = self.piece.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
    }

    /// Ends the text.
    pub fn finish(mut self) {
        if self.length != 0 {
            self.send(0);
        }
    }

    fn send(&mut self, more: usize) {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(self.piece.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        // Refused to upcalls, which cannot do anything about it.
        let _ = call::log(self.length | more, words);
        *self = Writer::new();
    }
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_abi::call::{Answer, Call};
    use std::rc::Rc;
    use std::vec::Vec;

    /// The pieces that `work` logs: text and whether more follows.
    fn pieces(work: impl FnOnce()) -> Vec<(Vec<u8>, bool)> {
        let sent = Rc::new(core::cell::RefCell::new(Vec::new()));
        let log = sent.clone();
        crate::host::set_hook(move |request| {
            assert_eq!(request.number, Call::Log as usize);
            let [length, words @ ..] = request.arguments;
            let bytes: Vec<u8> = words[..4]
                .iter()
                .flat_map(|&word| (word as u32).to_le_bytes())
                .collect();
            let count = length & 0xFF;
            assert!((1..=PIECE).contains(&count) && bytes[count..].iter().all(|&byte| byte == 0));
            log.borrow_mut()
                .push((bytes[..count].to_vec(), length & CONTINUES != 0));
            Answer::DONE
        });
        work();
        crate::host::clear_hook();
        sent.take()
    }

    #[test]
    fn a_short_text_is_one_piece() {
        assert_eq!(pieces(|| log!("hello")), [(b"hello".to_vec(), false)]);
    }

    fn text(work: impl FnOnce()) -> std::string::String {
        let bytes: Vec<u8> = pieces(work)
            .into_iter()
            .flat_map(|(bytes, _)| bytes)
            .collect();
        std::string::String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_level_that_is_logged_stands_before_the_text() {
        let valve = 7;
        for (level, expected, said) in [
            (
                Level::Error,
                "error: valve 7",
                text(|| log_error!("valve {valve}")),
            ),
            (
                Level::Warning,
                "warning: valve",
                text(|| log_warning!("valve")),
            ),
            (Level::Info, "info: 1", text(|| log_info!("{}", 1))),
            (
                Level::Debug,
                "debug: Some(1)",
                text(|| log_debug!("{:?}", Some(1))),
            ),
        ] {
            assert_eq!(said, if is_logged(level) { expected } else { "" });
        }
    }

    #[test]
    fn what_is_not_logged_is_not_evaluated() {
        let mut times = 0;
        text(|| {
            log_debug!("{}", {
                times += 1;
                times
            })
        });
        assert_eq!(times, i32::from(is_logged(Level::Debug)));
    }

    #[test]
    fn a_text_of_whole_pieces_ends_without_an_empty_one() {
        let expected = [
            (b"0123456789abcdef".to_vec(), true),
            (b"ghijklmnopqrstuv".to_vec(), false),
        ];
        assert_eq!(
            pieces(|| log_str("0123456789abcdefghijklmnopqrstuv")),
            expected
        );
    }

    #[test]
    fn every_piece_but_the_last_continues() {
        for length in 0..100 {
            let text: std::string::String = (0..length).map(|i| (b'a' + i % 26) as char).collect();
            let sent = pieces(|| log!("{}", text));
            let joined: Vec<u8> = sent.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
            assert_eq!(joined, text.as_bytes());
            assert_eq!(sent.len(), (length as usize).div_ceil(PIECE));
            let more: Vec<bool> = sent.iter().map(|&(_, more)| more).collect();
            assert!(
                more.iter()
                    .rev()
                    .enumerate()
                    .all(|(i, &more)| more == (i != 0))
            );
        }
    }

    #[test]
    fn formatted_parts_run_together() {
        assert_eq!(
            pieces(|| log!("x = {}, y = {:?}", 12, Some(3))),
            [
                (b"x = 12, y = Some".to_vec(), true),
                (b"(3)".to_vec(), false)
            ]
        );
    }
}
