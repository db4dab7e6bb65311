//! The tools of the Rust toolchain that giornata's home pins, whatever the default is
//! where a process's crate lies.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What names the toolchain to rustup's proxies; set, it stands above all files.
const VARIABLE: &str = "RUSTUP_TOOLCHAIN";
/// The file that pins it, in the home.
const FILE: &str = "rust-toolchain.toml";

/// The toolchain that is pinned, as `1.95.0`.
pub fn channel(home: &Path) -> Option<String> {
    let text = std::fs::read_to_string(home.join(FILE)).ok()?;
    let table = text.parse::<toml::Table>().ok()?;
    Some(table.get("toolchain")?.get("channel")?.as_str()?.into())
}

/// Cargo of the pinned toolchain.
pub fn cargo(home: &Path) -> Command {
    tool("cargo", "CARGO", home)
}

/// The compiler of the pinned toolchain.
pub(crate) fn rustc(home: &Path) -> Command {
    tool("rustc", "RUSTC", home)
}

/// A tool by its name. Cargo tells what it runs where it lies itself (`variable`), which
/// saves the way through rustup; it is believed if it is of the pinned toolchain, or
/// without rustup.
fn tool(name: &str, variable: &str, home: &Path) -> Command {
    let pinned = channel(home);
    let running = std::env::var_os(VARIABLE);
    let is_pinned = match (&running, &pinned) {
        (Some(running), Some(pinned)) => is_of(&running.to_string_lossy(), pinned),
        (Some(_), None) | (None, _) => true,
    };
    let told = std::env::var_os(variable).filter(|_| is_pinned);
    let mut command = Command::new(told.unwrap_or_else(|| find(name)));
    if let Some(pinned) = pinned.filter(|_| !is_pinned || running.is_none()) {
        command.env(VARIABLE, pinned);
    }
    command
}

/// Whether a toolchain's name, as `1.95.0-x86_64-unknown-linux-gnu`, is one of a channel.
fn is_of(toolchain: &str, channel: &str) -> bool {
    let rest = toolchain.strip_prefix(channel);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// A tool on the path, or else where rustup puts it: programs that a desktop starts may
/// not have that on their path.
fn find(name: &str) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&path).any(|folder| folder.join(name).is_file()) {
        return name.into();
    }
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home);
    let found = cargo.map(|cargo| cargo.join("bin").join(name));
    let found = found.filter(|found| found.is_file());
    found.map_or_else(|| name.into(), PathBuf::into_os_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_of_a_channel_with_or_without_its_host() {
        assert!(is_of("1.95.0", "1.95.0"));
        assert!(is_of("1.95.0-x86_64-unknown-linux-gnu", "1.95.0"));
        assert!(!is_of("1.95.01", "1.95.0"));
        assert!(!is_of("stable", "1.95.0"));
    }

    #[test]
    fn the_home_of_this_crate_pins_a_toolchain() {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let channel = channel(&home).unwrap();
        assert!(
            channel.starts_with(|c: char| c.is_ascii_digit()),
            "{channel}"
        );
        assert_eq!(super::channel(Path::new("/nowhere")), None);
    }
}
