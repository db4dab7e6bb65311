//! `./x run`: builds a system of the examples and runs it in QEMU.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use giornata_abi::Duration;
use giornata_launch::{Verdict, run as launch};

use crate::crates::root;

/// What `./x run` flies when nothing else is said.
const DEFAULT: &str = "flight-control";

/// `./x run [SYSTEM] [--board BOARD] [--for 10s] [--trace FILE] [--record FILE] [--headless]`
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// NAME or NAME/FILE: examples/NAME/system.toml or examples/NAME/FILE.toml.
    #[arg(default_value = DEFAULT)]
    pub(crate) system: String,
    #[command(flatten)]
    pub(crate) how: launch::How,
}

impl Options {
    /// The default system for the default time, as plain lines, with a trace file.
    pub(crate) fn plain(trace: PathBuf) -> Options {
        Options {
            system: DEFAULT.into(),
            how: launch::How {
                trace: Some(trace),
                ..launch::How::plain(Duration::from_millis(10_000))
            },
        }
    }
}

/// Builds and runs; 0 ok, 1 a deadline missed or a violation unhandled, 3 not known.
pub(crate) fn run(options: &Options) -> Result<Verdict> {
    launch::run(&options.system, &find(&options.system)?, &options.how)
}

/// The system file of `NAME` or `NAME/FILE`; a path to a `.toml` is taken as it is.
///
/// # Errors
/// There is none: with the names there are.
pub(crate) fn find(system: &str) -> Result<PathBuf> {
    if system.ends_with(".toml") && Path::new(system).is_file() {
        return Ok(PathBuf::from(system));
    }
    let examples = root().join("examples");
    let (name, file) = system.split_once('/').unwrap_or((system, "system"));
    let plain =
        |part: &str| !part.is_empty() && !part.contains(['/', '\\']) && !part.starts_with('.');
    let path = examples.join(name).join(format!("{file}.toml"));
    if plain(name) && plain(file) && path.is_file() {
        return Ok(path);
    }
    bail!(
        "there is no system `{system}`; there are: {}",
        systems(&examples)?.join(", ")
    )
}

/// All systems under examples/, as one would name them.
fn systems(examples: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for folder in std::fs::read_dir(examples).context("the folder examples/")? {
        let folder = folder?.path();
        let Ok(files) = std::fs::read_dir(&folder) else {
            continue;
        };
        for file in files {
            names.extend(system_name(&folder, &file?.path()));
        }
    }
    names.sort();
    Ok(names)
}

fn system_name(folder: &Path, file: &Path) -> Option<String> {
    let folder = folder.file_name()?.to_str()?;
    let name = file.file_name()?.to_str()?.strip_suffix(".toml")?;
    match name {
        "Cargo" => None,
        "system" => Some(folder.to_string()),
        other => Some(format!("{folder}/{other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_system_is_refused_with_the_names_there_are() {
        for system in [
            "no-such-system",
            "../examples/x",
            "",
            "a/b/c",
            "flight-control/no-such-file",
        ] {
            let error = find(system).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no system `{system}`; there are:")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_system_is_named_by_its_folder_and_file() {
        let name = |file| system_name(Path::new("examples/pump"), Path::new(file));
        assert_eq!(name("system.toml").as_deref(), Some("pump"));
        assert_eq!(name("overload.toml").as_deref(), Some("pump/overload"));
        assert_eq!(name("Cargo.toml"), None);
        assert_eq!(name("flight.giotto"), None);
    }
}
