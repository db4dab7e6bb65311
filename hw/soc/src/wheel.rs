//! The core's text, out of the Python wheel that it is published in.
//!
//! The wheel is fetched once with pip into a folder of the caller's and never
//! becomes part of the repository. Where PyPI cannot be reached, the file may be
//! put there by hand: only its hash counts.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::error::{Error, at};
use crate::simulator::{Lock, run_tool};

const PACKAGE: &str = "pythondata-cpu-vexriscv==1.0.1.post407";
const FILE: &str = "pythondata_cpu_vexriscv-1.0.1.post407-py3-none-any.whl";
pub(crate) const SHA256: &str = "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc";

/// The wheel, open.
pub(crate) struct Wheel {
    path: PathBuf,
    archive: ZipArchive<File>,
}

impl Wheel {
    /// That in the folder, fetched if it is not there, and verified.
    ///
    /// # Errors
    /// The wheel is not there and cannot be fetched, or it is not the pinned one.
    pub(crate) fn fetch(folder: &Path) -> Result<Wheel, Error> {
        at(folder, fs::create_dir_all(folder))?;
        let path = folder.join(FILE);
        let _lock = Lock::take(&folder.join("wheel.lock"))?;
        if !path.exists() {
            download(folder)?;
        }
        verify(&path, SHA256)?;
        let file = at(&path, File::open(&path))?;
        let archive = ZipArchive::new(file).map_err(|error| unreadable(&path, &error))?;
        Ok(Wheel { path, archive })
    }

    /// A text in it.
    ///
    /// # Errors
    /// There is none of this name, or it cannot be unpacked.
    pub(crate) fn member(&mut self, name: &str) -> Result<String, Error> {
        let Wheel { path, archive } = self;
        let mut member = archive
            .by_name(name)
            .map_err(|error| unreadable(path, &format!("{name}: {error}")))?;
        let mut text = String::new();
        at(path, member.read_to_string(&mut text))?;
        Ok(text)
    }
}

fn unreadable(wheel: &Path, reason: &dyn Display) -> Error {
    Error::Wheel {
        path: wheel.to_path_buf(),
        reason: reason.to_string(),
    }
}

fn download(folder: &Path) -> Result<(), Error> {
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-input",
    ])
    .args(["--disable-pip-version-check", "--only-binary=:all:"])
    .arg("--dest")
    .arg(folder)
    .arg(PACKAGE);
    run_tool(&mut pip, "it fetches the core from PyPI")
}

/// Refuses a file that has another hash.
///
/// # Errors
/// It has, or cannot be read.
pub(crate) fn verify(path: &Path, expected: &'static str) -> Result<(), Error> {
    let bytes = at(path, fs::read(path))?;
    let found = hexadecimal(&Sha256::digest(bytes));
    if found == expected {
        return Ok(());
    }
    Err(Error::Checksum {
        path: path.to_path_buf(),
        found,
        expected,
    })
}

/// Lower-case digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_under_the_name_of_the_wheel_is_refused_with_both_hashes() {
        let folder = std::env::temp_dir().join(format!("giornata-wheel-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(FILE), "not a wheel").unwrap();
        let error = Wheel::fetch(&folder).err().unwrap().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains(SHA256), "{error}");
        assert!(
            error.contains(&hexadecimal(&Sha256::digest("not a wheel"))),
            "{error}"
        );
    }
}
