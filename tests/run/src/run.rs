//! The systems that stages run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use giornata_launch::project;

/// What `./x run` flies when nothing else is said.
pub(crate) const DEFAULT: &str = "flight-control";

/// The system file of an example, `NAME` or `NAME/FILE`; a path is taken as it is.
///
/// # Errors
/// There is none: with the names there are.
pub(crate) fn find(system: &str) -> Result<PathBuf> {
    project::find(Some(Path::new(system)))
}
