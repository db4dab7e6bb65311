//! What a cluster is generated with: SpinalHDL and the Scala compiler, from Maven
//! Central.
//!
//! Maven fetches them once into a folder of the caller's, with the mirrors and proxies
//! of this machine. Where it cannot, the files may be put there by hand: only their
//! hashes count.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, at};
use crate::simulator::{Lock, run_tool};
use crate::wheel::verify;

const FOLDER: &str = "jars";
const POM: &str = include_str!("../cluster/pom.xml");
const NEEDED: &str =
    "it fetches what a chip of many harts is generated with; `./x need smp` installs it";

/// Files and their SHA-256: what is named in `cluster/pom.xml`, and what that needs.
const JARS: [(&str, &str); 18] = [
    (
        "affinity-3.21ea1.1.jar",
        "9c99e7f86c22576f8a4e706f2f4b8abd86539b126f2b536c35eb182d5146f4f0",
    ),
    (
        "commons-io-2.4.jar",
        "cc6a41dc3eaacc9e440a6bd0d2890b20d36b4ee408fe2d67122f328bb6e01581",
    ),
    (
        "jna-5.5.0.jar",
        "b308faebfe4ed409de8410e0a632d164b2126b035f6eacff968d3908cafb4d9e",
    ),
    (
        "jna-platform-5.5.0.jar",
        "24d81621f82ac29fcdd9a74116031f5907a2343158e616f4573bbfa2434ae0d5",
    ),
    (
        "oshi-core-5.2.0.jar",
        "792073e839f37f0e25b9a86c83bfa1dc56c79336dade9d695281460ad49162d0",
    ),
    (
        "scala-compiler-2.11.12.jar",
        "3e892546b72ab547cb77de4d840bcfd05c853e73390fed7370a8f19acb0735a0",
    ),
    (
        "scala-library-2.11.12.jar",
        "0b3d6fd42958ee98715ba2ec5fe221f4ca1e694d7c981b0ae0cd68e97baf6dce",
    ),
    (
        "scala-reflect-2.11.12.jar",
        "6ba385b450a6311a15c918cf8688b9af9327c6104f0ecbd35933cfcd3095fe04",
    ),
    (
        "scala-xml_2.11-1.0.5.jar",
        "767e11f33eddcd506980f0ff213f9d553a6a21802e3be1330345f62f7ee3d50f",
    ),
    (
        "scopt_2.11-3.7.1.jar",
        "70ab97bab9d6bb226e78abf141bfa3d44deb1b64cb18c161e73f5def03d0a743",
    ),
    (
        "slf4j-api-1.7.30.jar",
        "cdba07964d1bb40a0761485c6b1e8c2f8fd9eb1d19c53928ac0d7f9510105c57",
    ),
    (
        "slf4j-simple-1.7.25.jar",
        "0966e86fffa5be52d3d9e7b89dd674d98a03eed0a454fbaf7c1bd9493bd9d874",
    ),
    (
        "sourcecode_2.11-0.2.7.jar",
        "11cb1bbd8d962c236d71ee0192235509d0f4040a4ff8d82fa0544da9999f93f7",
    ),
    (
        "spinalhdl-core_2.11-1.7.1.jar",
        "d5139283189cbb70820809765370a9e9bd0357db420d82c5c16560d9d2dc9733",
    ),
    (
        "spinalhdl-idsl-payload_2.11-1.7.1.jar",
        "d7d5ff9d86e2c905bba110699600e579e0ee126a826771b0318bb085edb10401",
    ),
    (
        PLUGIN,
        "4fa62544a745542f6e8ca5418f659eb4d1eacbbf63d06e43d7b06f9322515566",
    ),
    (
        "spinalhdl-lib_2.11-1.7.1.jar",
        "f070ed00e3fab16d81fecabfbc332952c2539b921188c10ee5028a547a6985d8",
    ),
    (
        "spinalhdl-sim_2.11-1.7.1.jar",
        "6759aaf775ae4dd492d7f256f56859d3da297bbc44e20bfeb848befac745bce5",
    ),
];
const PLUGIN: &str = "spinalhdl-idsl-plugin_2.11-1.7.1.jar";

/// Fetched and verified.
pub(crate) struct Jars {
    folder: PathBuf,
}

impl Jars {
    /// Those in the folder, fetched if one is not there.
    ///
    /// # Errors
    /// Maven is missing or fails, or a file is not the pinned one.
    pub(crate) fn fetch(folder: &Path) -> Result<Jars, Error> {
        let jars = Jars {
            folder: folder.join(FOLDER),
        };
        at(&jars.folder, fs::create_dir_all(&jars.folder))?;
        let _lock = Lock::take(&folder.join("jars.lock"))?;
        if !JARS.iter().all(|(name, _)| jars.path(name).exists()) {
            jars.download()?;
        }
        for (name, hash) in JARS {
            verify(&jars.path(name), hash)?;
        }
        Ok(jars)
    }

    /// All of them, as Java takes them.
    pub(crate) fn class_path(&self) -> String {
        let paths = JARS.map(|(name, _)| self.path(name).display().to_string());
        paths.join(":")
    }

    /// The compiler's plug-in that SpinalHDL needs.
    pub(crate) fn compiler_plugin(&self) -> PathBuf {
        self.path(PLUGIN)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn download(&self) -> Result<(), Error> {
        let pom = self.path("pom.xml");
        at(&pom, fs::write(&pom, POM))?;
        let mut maven = Command::new("mvn");
        maven
            .args(["--quiet", "--batch-mode", "--file"])
            .arg(&pom)
            .arg("dependency:copy-dependencies")
            .arg(format!("-DoutputDirectory={}", self.folder.display()));
        run_tool(&mut maven, NEEDED)
    }
}

/// What the jars are: names and hashes, for the name of what is made with them.
pub(crate) fn identity() -> impl Iterator<Item = &'static str> {
    JARS.into_iter().flat_map(|(name, hash)| [name, hash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_that_is_not_the_pinned_one_is_refused() {
        let folder = std::env::temp_dir().join(format!("giornata-jars-{}", std::process::id()));
        fs::create_dir_all(folder.join(FOLDER)).unwrap();
        for (name, _) in JARS {
            fs::write(folder.join(FOLDER).join(name), "not a jar").unwrap();
        }
        let error = Jars::fetch(&folder).err().unwrap().to_string();
        fs::remove_dir_all(&folder).unwrap();
        let (name, hash) = JARS[0];
        assert!(error.contains(name) && error.contains(hash), "{error}");
    }
}
