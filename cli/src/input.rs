//! Files that commands are given, told apart by extension and first bytes.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use giornata_abi::module::{MAGIC, Module, ModuleError};
use giornata_lang::Language;
use giornata_lang::sigma::Format;

use crate::complaint::Complaint;

/// A file that has been read.
#[derive(Debug)]
pub(crate) enum Input {
    /// A program.
    Program(Language, String),
    /// A stream graph: a Sigma program, or XML of SDF3.
    Stream(String, Format),
    /// A module whose frame is sound.
    Module(Vec<u8>),
    /// A system file, read by its own crate.
    System(PathBuf),
}

impl Input {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Input, Complaint> {
        let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
        if bytes.starts_with(&MAGIC) {
            return module(path, bytes);
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        if let Some(language) = extension.and_then(Language::of_extension) {
            return Ok(Input::Program(language, text(path, bytes)?));
        }
        match extension {
            Some("toml") => Ok(Input::System(path.to_owned())),
            Some("gmod") => module(path, bytes),
            Some("sigma") => text(path, bytes).map(|text| Input::Stream(text, Format::Sigma)),
            Some("xml") => text(path, bytes).map(|text| Input::Stream(text, Format::Sdf3)),
            _ => Err(unknown(path)),
        }
    }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Complaint> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        let message = format!(
            "{} is not UTF-8: byte {at}, in line {line}, begins no character",
            path.display()
        );
        Complaint::new("giornata::not-text", message, "save the file as UTF-8")
    })
}

fn module(path: &Path, bytes: Vec<u8>) -> Result<Input, Complaint> {
    match Module::parse(&bytes) {
        Ok(_) => Ok(Input::Module(bytes)),
        Err(error) => {
            let help = match error {
                ModuleError::Version(_) => "compile its source with this version",
                _ => "compile its source again",
            };
            let message = format!("{} is not a module: {error}", path.display());
            Err(Complaint::new("giornata::not-a-module", message, help))
        }
    }
}

/// What a command says to a graph if it takes modules only.
pub(crate) fn no_microcode(path: &Path) -> Complaint {
    let message = format!("{} is a stream graph: it has no microcode", path.display());
    let help = "name a program (.giotto, .psi) or a module (.gmod); `giornata analyze` tells what is known of a graph";
    Complaint::new("giornata::not-a-module", message, help)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Complaint {
    let path = path.display();
    let (message, help) = match error.kind() {
        ErrorKind::NotFound => (format!("there is no file {path}"), "check the path"),
        ErrorKind::IsADirectory => (format!("{path} is a folder"), "name a file in it"),
        ErrorKind::PermissionDenied => (format!("{path} may not be read"), "check its permissions"),
        _ => (
            format!("{path} cannot be read: {error}"),
            "check that it is a readable file",
        ),
    };
    Complaint::new("giornata::unreadable", message, help)
}

fn unknown(path: &Path) -> Complaint {
    let message = format!(
        "{} is neither a program nor a graph nor a module nor a system file",
        path.display()
    );
    let help = "programs end in .giotto or .psi, stream graphs in .sigma or .xml, modules in .gmod (and begin with GMOD), system files in .toml";
    Complaint::new("giornata::unknown-kind", message, help)
}
