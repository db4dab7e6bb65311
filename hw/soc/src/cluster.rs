//! The Verilog of a cluster of harts, generated from Scala.
//!
//! The parts of VexRiscv come out of the wheel (`scala_text`), what they are put
//! together with is `cluster/Cluster.scala`. Both are compiled once, and each cluster is
//! generated once; what is there is found by the hash of all that went into it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::error::{Error, at};
use crate::jars::{self, Jars};
use crate::simulator::{Lock, replace_folder, run_tool};
use crate::wheel::{self, Wheel, hexadecimal};
use crate::{Caches, Harts, scala_text};

const CLUSTER: &str = include_str!("../cluster/Cluster.scala");
const GENERATOR: &str = "giornata.Generate";
/// As the generator names it.
const VERILOG: &str = "cluster.v";
/// Where the wheel has VexRiscv in Scala.
const SCALA: &str = "pythondata_cpu_vexriscv/verilog/ext/VexRiscv/src/main/scala/vexriscv";
const NEEDED: &str = "it generates a chip of many harts; `./x need smp` installs it";
/// SpinalHDL recurses deeply. The programs run for seconds: with the second compiler
/// and a parallel collector they take no less time, and twice the processor's.
const JAVA: [&str; 4] = [
    "-Xss16m",
    "-Xmx1500m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
];
const COMPILER: [&str; 7] = [
    "scala.tools.nsc.Main",
    "-usejavacp",
    "-nowarn",
    "-Xplugin-require:idsl-plugin",
    "-Ybackend:GenBCode",
    "-target:jvm-1.8",
    "-g:none",
];

/// The Verilog of a cluster.
///
/// # Errors
/// Packages cannot be fetched or are not the pinned ones; Java or Maven is missing or
/// fails.
pub(crate) fn verilog(folder: &Path, harts: Harts, caches: Caches) -> Result<String, Error> {
    at(folder, fs::create_dir_all(folder))?;
    let program = identity();
    let name = format!("cluster-{}x{}-{program}", harts.count(), caches.bytes());
    let home = folder.join(name);
    let verilog = home.join(VERILOG);
    let _lock = Lock::take(&home.with_extension("lock"))?;
    if !verilog.exists() {
        generate(folder, &program, &home, harts, caches)?;
    }
    at(&verilog, fs::read_to_string(&verilog))
}

/// Of the sources, their changes and the packages: 16 digits.
fn identity() -> String {
    let mut hash = Sha256::new();
    let own = [wheel::SHA256, CLUSTER].into_iter();
    let parts = own
        .chain(COMPILER)
        .chain(jars::identity())
        .chain(scala_text::identity());
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(&hash.finalize()[..8])
}

fn generate(
    folder: &Path,
    program: &str,
    home: &Path,
    harts: Harts,
    caches: Caches,
) -> Result<(), Error> {
    let jars = Jars::fetch(folder)?;
    let classes = classes(folder, program, &jars)?;
    replace_folder(home, |work| {
        let mut java = java(&format!("{}:{}", jars.class_path(), classes.display()));
        java.arg(GENERATOR)
            .args([harts.count().to_string(), caches.bytes().to_string()])
            .arg(work);
        run_tool(&mut java, NEEDED)
    })
}

/// The folder of the compiled generator.
fn classes(folder: &Path, program: &str, jars: &Jars) -> Result<PathBuf, Error> {
    let classes = folder.join(format!("generator-{program}"));
    let _lock = Lock::take(&classes.with_extension("lock"))?;
    if classes.exists() {
        return Ok(classes);
    }
    let sources = folder.join(format!("generator-{program}.sources"));
    let written = write_sources(&sources, &mut Wheel::fetch(folder)?)?;
    replace_folder(&classes, |work| {
        let mut scalac = java(&jars.class_path());
        scalac
            .args(COMPILER)
            .arg(format!("-Xplugin:{}", jars.compiler_plugin().display()))
            .arg("-d")
            .arg(work)
            .args(&written);
        run_tool(&mut scalac, NEEDED)
    })?;
    at(&sources, fs::remove_dir_all(&sources))?;
    Ok(classes)
}

/// Writes all sources below a folder; SpinalHDL names signals after the files.
fn write_sources(folder: &Path, wheel: &mut Wheel) -> Result<Vec<PathBuf>, Error> {
    let mut written = Vec::new();
    let mut write = |name: &str, text: String| {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        at(parent, fs::create_dir_all(parent))?;
        at(&path, fs::write(&path, text))?;
        written.push(path);
        Ok(())
    };
    write("Cluster.scala", CLUSTER.into())?;
    for name in scala_text::FILES {
        let text = wheel.member(&format!("{SCALA}/{name}"))?;
        write(name, scala_text::adapt(name, text)?)?;
    }
    Ok(written)
}

fn java(class_path: &str) -> Command {
    let mut java = Command::new("java");
    java.args(JAVA).args(["-cp", class_path]);
    java
}
