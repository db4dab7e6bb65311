//! Where a test runs the command.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for each test, gone at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("giornata-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), contents).unwrap();
    }

    /// Runs the command here; boards that lie here are those of its home.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_giornata"));
        if self.0.join("boards").is_dir() {
            command.env("GIORNATA_HOME", &self.0);
        }
        command
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    /// Exit code, standard output, standard error.
    pub(crate) fn outcome(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.run(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, serde_json::Value) {
        let (code, out, err) = self.outcome(arguments);
        assert_eq!(err, "", "with --json all is on the standard output");
        (code, serde_json::from_str(&out).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
