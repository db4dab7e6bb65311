#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The variable by which the builder names the file of identifiers.
const BUILDER: &str = "GIORNATA_IDENTIFIERS";
/// The variable that names another command than that on the path.
const COMMAND: &str = "GIORNATA";
/// How lines of the file begin that name what it was made of.
const SOURCE: &str = "// from ";

/// Writes the identifiers of a system file to `identifiers.rs` in `OUT_DIR`, and says to
/// cargo what they depend on. `system` is a path from the crate's folder on.
///
/// # Panics
/// If it is not called in a build script, or `OUT_DIR` cannot be written.
pub fn identifiers(system: impl AsRef<Path>) {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from);
    let own = variable("CARGO_MANIFEST_DIR").expect("cargo calls build scripts");
    let out = variable("OUT_DIR").expect("cargo calls build scripts");
    let system = own.join(system);
    let (builder, command) = (variable(BUILDER), variable(COMMAND));
    let found = find(&system, builder, command.unwrap_or("giornata".into()));
    for name in [BUILDER, COMMAND] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed={}", system.display());
    for path in &found.sources {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let file = out.join("identifiers.rs");
    fs::write(&file, found.text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// Identifiers, and the files that they depend on.
#[derive(Debug, PartialEq)]
struct Found {
    text: String,
    sources: Vec<PathBuf>,
}

impl Found {
    fn of(text: String, from: Option<PathBuf>) -> Found {
        let named = text.lines().filter_map(|line| line.strip_prefix(SOURCE));
        let sources = named.map(PathBuf::from).chain(from);
        Found {
            sources: sources.collect(),
            text,
        }
    }
}

fn find(system: &Path, builder: Option<PathBuf>, command: PathBuf) -> Found {
    if let Some(path) = builder
        && let Ok(text) = fs::read_to_string(&path)
    {
        return Found::of(text, Some(path));
    }
    match ask(system, &command) {
        Ok(text) => Found::of(text, None),
        Err(reason) => match last(system) {
            Some(found) => found,
            None => missing(&reason),
        },
    }
}

/// What the command says, or why it says nothing.
fn ask(system: &Path, command: &Path) -> Result<String, String> {
    let output = Command::new(command)
        .arg("identifiers")
        .arg(system)
        .output();
    let output = output.map_err(|error| format!("cannot run {}: {error}", command.display()))?;
    match (output.status.success(), String::from_utf8(output.stdout)) {
        (true, Ok(text)) => Ok(text),
        _ => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// What the last build of the system has written.
fn last(system: &Path) -> Option<Found> {
    let stem = system.file_stem().filter(|stem| *stem != "system");
    let folder = system.parent()?.join("target/giornata");
    let path = folder.join(stem.unwrap_or_default()).join("identifiers.rs");
    let text = fs::read_to_string(&path).ok()?;
    Some(Found::of(text, Some(path)))
}

/// A module that does not compile, and says why. What is not there is looked for
/// again at every build.
fn missing(reason: &str) -> Found {
    let message = format!(
        "the identifiers of the system are not known: {reason}\n\
         run `giornata build` once, or put the command `giornata` on the path"
    );
    Found {
        text: format!("::core::compile_error!({message:?});\n"),
        sources: vec![PathBuf::from("identifiers-are-not-known")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOWHERE: &str = "/nowhere/giornata";

    #[test]
    fn the_builder_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identifiers.rs");
        fs::write(&path, "pub const A: u32 = 1;\n").unwrap();
        let found = find(Path::new("system.toml"), Some(path.clone()), NOWHERE.into());
        assert_eq!(
            (found.text.as_str(), found.sources),
            ("pub const A: u32 = 1;\n", vec![path])
        );
    }

    #[test]
    fn what_was_written_last_stands_in_for_a_command_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        for (system, out) in [("system.toml", ""), ("fast.toml", "fast")] {
            let out = folder.path().join("target/giornata").join(out);
            fs::create_dir_all(&out).unwrap();
            let text = format!("// from flight.giotto\n// {system}\n");
            fs::write(out.join("identifiers.rs"), &text).unwrap();
            let found = find(&folder.path().join(system), None, NOWHERE.into());
            assert_eq!(found.text, text);
            assert_eq!(found.sources[0], Path::new("flight.giotto"));
        }
    }

    #[test]
    fn where_nothing_is_known_the_module_says_what_to_do() {
        let found = find(Path::new("/nowhere/system.toml"), None, NOWHERE.into());
        assert!(
            found
                .text
                .starts_with("::core::compile_error!(\"the identifiers")
        );
        assert!(found.text.contains("cannot run /nowhere/giornata"));
        assert!(found.text.contains("giornata build"));
    }
}
