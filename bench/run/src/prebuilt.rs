//! A system with its programs compiled once: module files that every board and
//! the simulator take as they are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use giornata_lang::giotto;

/// Compiles the programs of a system file into `folder`, and writes a system
/// file there that names these modules; answers its path. Everything else stays
/// as it is.
///
/// # Errors
/// What cannot be read, compiled or written; a system without a program.
pub(crate) fn prebuild(system: &Path, folder: &Path) -> Result<PathBuf> {
    let home = system.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let text = read(system)?;
    let mut modules = 0;
    let mut lines = String::new();
    for line in text.lines() {
        let named = line
            .strip_suffix('"')
            .and_then(|line| line.split_once(" = \""));
        let changed = match named {
            Some(("source", program)) => {
                modules += 1;
                Some(("source", compile(&home.join(program), folder)?))
            }
            Some(("crate", path)) if home.join(path).is_dir() => Some(("crate", home.join(path))),
            _ => None,
        };
        lines += &match changed {
            Some((key, path)) => format!("{key} = {:?}\n", path.display().to_string()),
            None => format!("{line}\n"),
        };
    }
    ensure!(modules > 0, "{} has no program", system.display());
    let path = folder.join("system.toml");
    std::fs::write(&path, lines).with_context(|| path.display().to_string())?;
    Ok(path)
}

/// Compiles a program into a module file.
fn compile(program: &Path, folder: &Path) -> Result<PathBuf> {
    let name = program.display().to_string();
    let (bytes, findings) = giotto::compile(&name, &read(program)?, &giotto::Options::default());
    let bytes = bytes.ok_or_else(|| anyhow!("{name}: {findings:?}"))?;
    let stem = program.file_stem().context("a program without a name")?;
    let module = folder.join(stem).with_extension("gmod");
    std::fs::write(&module, bytes).with_context(|| module.display().to_string())?;
    Ok(module)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
