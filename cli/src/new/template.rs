//! The files of a new project.

use std::path::Path;

/// A file's path in the project, and its text, where `@NAME@` and others stand for
/// [`Values`].
pub(crate) type File = (&'static str, &'static str);

macro_rules! files {
    ($folder:literal: $($path:literal <- $file:literal),* $(,)?) => {
        &[$((
            $path,
            include_str!(concat!("../../templates/", $folder, "/", $file)),
        )),*]
    };
}

/// A process in Rust under a timing program.
pub(crate) const RUST: &[File] = files!["rust":
    ".gitignore" <- "gitignore",
    "Cargo.toml" <- "Cargo.toml.in",
    "README.md" <- "README.md.in",
    "pump.giotto" <- "pump.giotto",
    "rust-toolchain.toml" <- "rust-toolchain.toml.in",
    "src/lib.rs" <- "src/lib.rs",
    "src/tank.rs" <- "src/tank.rs",
    "system.golden" <- "system.golden",
    "system.toml" <- "system.toml.in",
];

/// Two processes in C that send each other messages.
pub(crate) const C: &[File] = files!["c":
    ".gitignore" <- "gitignore",
    "README.md" <- "README.md.in",
    "src/device.c" <- "src/device.c",
    "src/device.h" <- "src/device.h",
    "src/law.c" <- "src/law.c",
    "src/law.h" <- "src/law.h",
    "src/pump.c" <- "src/pump.c",
    "src/tank.c" <- "src/tank.c",
    "system.golden" <- "system.golden",
    "system.toml" <- "system.toml.in",
    "tests/law.c" <- "tests/law.c",
];

/// A program after POSIX.
pub(crate) const POSIX: &[File] = files!["posix":
    ".gitignore" <- "../c/gitignore",
    "README.md" <- "README.md.in",
    "src/device.c" <- "../c/src/device.c",
    "src/device.h" <- "../c/src/device.h",
    "src/law.c" <- "../c/src/law.c",
    "src/law.h" <- "../c/src/law.h",
    "src/main.c" <- "src/main.c",
    "system.golden" <- "system.golden",
    "system.toml" <- "system.toml.in",
    "tests/law.c" <- "../c/tests/law.c",
];

/// What a project is made for.
pub(crate) struct Values<'a> {
    pub(crate) name: &'a str,
    pub(crate) board: &'a str,
    /// Where giornata lies.
    pub(crate) home: &'a str,
    /// The Rust toolchain that it builds with.
    pub(crate) channel: &'a str,
}

impl Values<'_> {
    /// The text with the values in their places.
    pub(crate) fn fill(&self, text: &str) -> String {
        let home = |folder| Path::new(self.home).join(folder).display().to_string();
        // in quotes, and what is odd in them escaped
        let quoted = |folder| serde_json::Value::from(home(folder)).to_string();
        text.replace("@NAME@", self.name)
            .replace("@BOARD@", self.board)
            .replace("@CHANNEL@", self.channel)
            .replace("@BUILD@", &quoted("user/build"))
            .replace("@RT@", &quoted("user/rt"))
            .replace("@HOME@", self.home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_for_a_value_is_left_over() {
        let values = Values {
            name: "a",
            board: "b",
            home: "/a \"home\"",
            channel: "1.0",
        };
        for (path, text) in RUST.iter().chain(C).chain(POSIX) {
            let filled = values.fill(text);
            assert!(!filled.contains("@"), "{path}");
            if *path == "Cargo.toml" {
                assert!(
                    filled.contains(r#"{ path = "/a \"home\"/user/rt" }"#),
                    "{filled}"
                );
            }
        }
    }
}
