//! Which system a command means.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::home::root;

/// The name of a system file.
const FILE: &str = "system.toml";

/// The system file that is meant: a file, or that of a folder, or an example by its name;
/// without a word, that of the current folder or of the nearest one above.
///
/// # Errors
/// There is none.
pub fn find(word: Option<&Path>) -> Result<PathBuf> {
    match word {
        Some(word) if word.is_dir() => {
            let file = word.join(FILE);
            match file.is_file() {
                true => Ok(file),
                false => bail!("there is no {FILE} in {}", word.display()),
            }
        }
        Some(word) if word.is_file() => Ok(word.to_path_buf()),
        Some(word) => match examples().find(|(name, _)| Path::new(name) == word) {
            Some((_, file)) => Ok(file),
            None => {
                let names: Vec<String> = examples().map(|(name, _)| name).collect();
                bail!(
                    "there is no system `{}`: give a system file, its folder, or an example: {}",
                    word.display(),
                    names.join(", ")
                )
            }
        },
        None => {
            let here = std::env::current_dir().context("the current folder")?;
            let file = above(&here).with_context(|| {
                format!(
                    "there is no {FILE} in {} or above it: go to a project, name its folder, or \
                     make one with `giornata new NAME`",
                    here.display()
                )
            })?;
            Ok(file
                .strip_prefix(&here)
                .map(Path::to_path_buf)
                .unwrap_or(file))
        }
    }
}

/// The systems of giornata's own examples, by the names that they are called: `NAME` and
/// `NAME/FILE`, in order.
pub fn examples() -> impl Iterator<Item = (String, PathBuf)> {
    let mut all: Vec<(String, PathBuf)> = entries(&root().join("examples"))
        .flat_map(|folder| entries(&folder).filter_map(move |file| named(&folder, file)))
        .collect();
    all.sort();
    all.into_iter()
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

fn named(folder: &Path, file: PathBuf) -> Option<(String, PathBuf)> {
    let folder = folder.file_name()?.to_str()?;
    let name = match file.file_name()?.to_str()?.strip_suffix(".toml")? {
        "Cargo" => return None,
        "system" => folder.to_string(),
        other => format!("{folder}/{other}"),
    };
    Some((name, file))
}

/// The system file of a folder, or of the nearest one above that has one.
fn above(folder: &Path) -> Option<PathBuf> {
    let mut files = folder.ancestors().map(|folder| folder.join(FILE));
    files.find(|file| file.is_file())
}

/// The folder of a system file.
pub fn folder(system: &Path) -> PathBuf {
    let folder = system
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_path_buf()
}

/// What a run of a system is called in its table and last line: its folder, or the file if
/// that is not called system.toml.
pub fn title(system: &Path) -> String {
    let stem = system.file_stem().unwrap_or_default();
    let folder = system.canonicalize().ok();
    let folder = folder.as_deref().and_then(Path::parent);
    let name = match folder.and_then(Path::file_name) {
        Some(folder) if stem == "system" => folder,
        _ => stem,
    };
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_found_from_a_folder_within_its_project() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("pump/src");
        std::fs::create_dir_all(&deep).unwrap();
        assert_eq!(above(&deep), None);
        let file = folder.path().join("pump/system.toml");
        std::fs::write(&file, "").unwrap();
        assert_eq!(above(&deep).as_deref(), Some(&*file));
        assert_eq!(find(Some(&folder.path().join("pump"))).unwrap(), file);
        assert_eq!(find(Some(&file)).unwrap(), file);
        assert_eq!(title(&file), "pump");
        let other = folder.path().join("pump/fast.toml");
        std::fs::write(&other, "").unwrap();
        assert_eq!(title(&other), "fast");
    }

    #[test]
    fn what_is_no_system_is_refused_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let reason = |word: &Path| find(Some(word)).unwrap_err().to_string();
        assert!(reason(folder.path()).starts_with("there is no system.toml in "));
        let missing = folder.path().join("nothing");
        let reason = reason(&missing);
        assert!(reason.contains("nothing`: give a system file, its folder, or an example"));
        assert!(reason.contains("emeralds-tour, flight-control, flight-control/loadable"));
    }

    #[test]
    fn an_example_is_named_by_its_folder_and_file() {
        let example = |word| find(Some(Path::new(word))).unwrap();
        let folder = root().join("examples/flight-control");
        assert_eq!(example("flight-control"), folder.join("system.toml"));
        assert_eq!(
            example("flight-control/overload"),
            folder.join("overload.toml")
        );
    }
}
