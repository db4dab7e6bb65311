//! The core's Verilog, out of the Python wheel that it is published in.
//!
//! The wheel is fetched once with pip into a folder of the caller's and never
//! becomes part of the repository. Where PyPI cannot be reached, the file may be
//! put there by hand: only its hash counts.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::Core;
use crate::error::{Error, at};
use crate::simulator::{Lock, run_tool};

const PACKAGE: &str = "pythondata-cpu-vexriscv==1.0.1.post407";
const FILE: &str = "pythondata_cpu_vexriscv-1.0.1.post407-py3-none-any.whl";
const SHA256: &str = "8fbdd9ee58ab2300343846e12a70e8f8f882eced13456c359a6b65a442ce0fbc";

/// The Verilog of a core as published.
///
/// # Errors
/// The wheel is not there and cannot be fetched, or it is not the pinned one.
pub(crate) fn verilog(folder: &Path, core: Core) -> Result<String, Error> {
    let wheel = fetch(folder)?;
    let name = match core {
        Core::Mmu => "pythondata_cpu_vexriscv/verilog/VexRiscv_Linux.v",
        Core::Pmp => "pythondata_cpu_vexriscv/verilog/VexRiscv_Secure.v",
    };
    member(&wheel, name)
}

/// The wheel in the folder, fetched if it is not there, and verified.
fn fetch(folder: &Path) -> Result<PathBuf, Error> {
    at(folder, fs::create_dir_all(folder))?;
    let wheel = folder.join(FILE);
    let _lock = Lock::take(&folder.join("wheel.lock"))?;
    if !wheel.exists() {
        download(folder)?;
    }
    verify(&wheel)?;
    Ok(wheel)
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

fn verify(wheel: &Path) -> Result<(), Error> {
    let bytes = at(wheel, fs::read(wheel))?;
    let found = hexadecimal(&Sha256::digest(bytes));
    if found == SHA256 {
        return Ok(());
    }
    Err(Error::Checksum {
        path: wheel.to_path_buf(),
        found,
        expected: SHA256,
    })
}

fn member(wheel: &Path, name: &str) -> Result<String, Error> {
    let unreadable = |reason: String| Error::Wheel {
        path: wheel.to_path_buf(),
        reason,
    };
    let file = at(wheel, File::open(wheel))?;
    let mut archive = ZipArchive::new(file).map_err(|error| unreadable(error.to_string()))?;
    let mut member = archive
        .by_name(name)
        .map_err(|error| unreadable(format!("{name}: {error}")))?;
    let mut text = String::new();
    at(wheel, member.read_to_string(&mut text))?;
    Ok(text)
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
        let error = verilog(&folder, Core::Mmu).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains(SHA256), "{error}");
        assert!(
            error.contains(&hexadecimal(&Sha256::digest("not a wheel"))),
            "{error}"
        );
    }
}
