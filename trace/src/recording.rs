//! A recording: the stream of a machine in a file, with the names that it is
//! read by.
//!
//! The file is a line that says what it is, a line of JSON (the name map), and
//! then the bytes of the wire as they came.

use giornata_system::NameMap;
use giornata_system::names::FORMAT;

use crate::event::Event;
use crate::frame::Damage;

/// The first line.
const TITLE: &[u8] = b"giornata trace 2\n";

/// A run of a system, recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// What the indices of its events are called.
    pub names: NameMap,
    /// The events that arrived, in order.
    pub events: Vec<Event>,
    /// What did not arrive whole.
    pub damage: Damage,
}

/// Why bytes are no recording.
#[derive(Debug, thiserror::Error)]
pub enum NotARecording {
    /// The first line is another one.
    #[error("it does not begin with the line `giornata trace 2`")]
    Title,
    /// The second line is no name map.
    #[error("line 2 holds no names of a system: {0}")]
    Names(#[from] serde_json::Error),
    /// The name map is of another version.
    #[error("line 2 holds names of version {0}, not {FORMAT}")]
    Version(u32),
}

impl Recording {
    /// What precedes the stream in the file.
    ///
    /// # Errors
    /// The names cannot be written as JSON.
    pub fn heading(names: &NameMap) -> Result<Vec<u8>, serde_json::Error> {
        let mut heading = TITLE.to_vec();
        heading.extend(serde_json::to_vec(names)?);
        heading.push(b'\n');
        Ok(heading)
    }

    /// Reads a whole file. O(bytes).
    ///
    /// # Errors
    /// It is none; damage of the stream is no error.
    pub fn read(file: &[u8]) -> Result<Recording, NotARecording> {
        let rest = file.strip_prefix(TITLE).ok_or(NotARecording::Title)?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        let (line, stream) = rest.split_at(end.unwrap_or(rest.len()));
        let names: NameMap = serde_json::from_slice(line)?;
        if names.format != FORMAT {
            return Err(NotARecording::Version(names.format));
        }
        let (events, damage) = crate::read(stream.get(1..).unwrap_or(&[]), names.timer_hertz);
        Ok(Recording {
            names,
            events,
            damage,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::encode;
    use crate::sample::names;
    use giornata_abi::ring::{Kind, Words, head};

    fn record(tick: u32) -> Words {
        [tick, head(Kind::Interrupt, 0, 7), 0, 0]
    }

    #[test]
    fn what_was_written_is_read_with_its_names() {
        let mut file = Recording::heading(&names()).unwrap();
        for index in 0..3 {
            encode(index.into(), &record(index * 10), &mut file);
        }
        let read = Recording::read(&file).unwrap();
        assert_eq!((read.names, read.damage), (names(), Damage::default()));
        let ticks: Vec<u64> = read.events.iter().map(|event| event.tick.0).collect();
        assert_eq!(ticks, [0, 10, 20]);
    }

    #[test]
    fn what_is_missing_in_the_stream_is_told() {
        let mut file = Recording::heading(&names()).unwrap();
        encode(0, &record(0), &mut file);
        encode(3, &record(30), &mut file);
        assert_eq!(Recording::read(&file).unwrap().damage.lost, 2);
    }

    #[test]
    fn other_files_are_refused() {
        let why = |file: &[u8]| Recording::read(file).unwrap_err().to_string();
        assert!(why(b"GMOD").contains("does not begin with"));
        assert!(why(b"giornata trace 2\n{\"format\": 1}\n").contains("no names of a system"));
        assert!(why(b"giornata trace 2\n").contains("no names of a system"));
        let mut later = names();
        later.format = FORMAT + 1;
        let heading = Recording::heading(&later).unwrap();
        assert!(why(&heading).contains("names of version"));
    }
}
