//! A function that a thread was in.

use std::fmt;

/// A function of the source, and the line of it that is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its path, without generic arguments: `pump::sample`, `<Mutex as Drop>::drop`.
    pub function: String,
    /// The file, from the project's folder if it lies there.
    pub file: Option<String>,
    /// The line; `None` where the compiler has made one instruction of several lines.
    pub line: Option<u32>,
    /// It was inlined into the next frame.
    pub is_inlined: bool,
    /// Its file is one of the project's own.
    pub is_own: bool,
}

impl Frame {
    /// `file:line`, as far as they are known.
    pub fn place(&self) -> Option<String> {
        let file = self.file.as_ref()?;
        Some(match self.line {
            Some(line) => format!("{file}:{line}"),
            None => file.clone(),
        })
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function)?;
        match self.place() {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_says_what_is_known_of_it() {
        let mut frame = Frame {
            function: "pump::sample".into(),
            ..Frame::default()
        };
        assert_eq!(frame.to_string(), "pump::sample");
        frame.file = Some("src/lib.rs".into());
        assert_eq!(frame.to_string(), "pump::sample at src/lib.rs");
        frame.line = Some(7);
        assert_eq!(frame.to_string(), "pump::sample at src/lib.rs:7");
    }
}
