//! What can go wrong, in words that say what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a simulator could not be prepared, or a program not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read, written or locked.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A program of the host is missing or cannot be started.
    #[error("{program} cannot be started ({error}); {needed}")]
    Tool {
        /// Its name.
        program: String,
        /// What it is needed for.
        needed: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A program of the host failed.
    #[error("`{command}` failed ({status})\n{output}")]
    Failed {
        /// The command as one would type it.
        command: String,
        /// How it ended.
        status: String,
        /// What it wrote, both streams.
        output: String,
    },
    /// A fetched file is not the one that is pinned.
    #[error(
        "{path} has the SHA-256 {found}, not {expected}: it is not the pinned file; delete it to fetch it anew"
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Its hash.
        found: String,
        /// That of the pinned one.
        expected: &'static str,
    },
    /// The wheel cannot be unpacked.
    #[error("{path}: {reason}")]
    Wheel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The core's text is not what the changes were made for.
    #[error(
        "the core has {found} times `{text}` in {place}, not {expected} times: the change that rests on it would be wrong"
    )]
    Core {
        /// Where it was looked for.
        place: String,
        /// The text to change.
        text: String,
        /// How often it occurs.
        found: usize,
        /// How often it must.
        expected: usize,
    },
    /// A program that this machine cannot run.
    #[error("the program cannot run here: {0}")]
    Image(String),
    /// An input that means nothing.
    #[error("{0}")]
    Input(String),
    /// The simulator ended without saying how the program ended.
    #[error("the simulator broke off ({status}): {output}")]
    BrokeOff {
        /// How it ended.
        status: String,
        /// What it said.
        output: String,
    },
}

/// Says which path an error is about.
pub(crate) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Error> {
    result.map_err(|error| Error::File {
        path: path.to_path_buf(),
        error,
    })
}
