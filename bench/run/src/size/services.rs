//! What each service of POSIX takes in the kernel, as the MaRTE OS paper counts them: lines
//! of its module, and bytes of the functions of that. (What the trap path has of them, and
//! what the linker folds into other functions, is not among these.)

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::crates::root;

/// The modules, and what they are for.
const SERVICES: [(&str, &str); 7] = [
    ("cpu_clock", "CPU-time clocks of threads and processes"),
    (
        "policy",
        "SCHED_RR, SCHED_SPORADIC, SCHED_DEADLINE, CPU-time timers",
    ),
    ("signal", "frames of handlers, waits that a signal ends"),
    ("ceiling", "whom a published ceiling precedes"),
    ("word", "fast paths of mutexes and semaphores with a word"),
    ("real_time", "what the board's real-time clock says at boot"),
    ("mod", "the call"),
];

/// A service.
#[derive(Debug)]
struct Service {
    name: &'static str,
    what: &'static str,
    /// With code, not comments.
    lines: usize,
    bytes: u64,
}

/// The table, of a kernel that has them.
pub(super) fn table(kernel: &Path) -> Result<Vec<String>> {
    let bytes = bytes(kernel)?;
    let mut lines = vec![format!("{:<11} {:>5} {:>6}", "service", "lines", "bytes")];
    let services = SERVICES
        .iter()
        .map(|(name, what)| service(name, what, &bytes));
    for service in services {
        let Service {
            name,
            what,
            lines: count,
            bytes,
        } = service?;
        lines.push(format!("{name:<11} {count:>5} {bytes:>6}  {what}"));
    }
    Ok(lines)
}

fn service(
    name: &'static str,
    what: &'static str,
    bytes: &BTreeMap<String, u64>,
) -> Result<Service> {
    let file = format!("kernel/core/src/posix/{name}.rs");
    let text = std::fs::read_to_string(root().join(&file)).context(file)?;
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    Ok(Service {
        name,
        what,
        lines: text.lines().filter(is_code).count(),
        bytes: bytes.get(name).copied().unwrap_or(0),
    })
}

/// Bytes of the functions of each module.
fn bytes(kernel: &Path) -> Result<BTreeMap<String, u64>> {
    let bytes = std::fs::read(kernel).with_context(|| kernel.display().to_string())?;
    let file = object::File::parse(&*bytes).with_context(|| kernel.display().to_string())?;
    let mut found = BTreeMap::new();
    for symbol in file.symbols().filter(|it| it.kind() == SymbolKind::Text) {
        let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
        if let Some(module) = module(&name) {
            *found.entry(module.to_owned()).or_default() += symbol.size();
        }
    }
    Ok(found)
}

/// The module whose function has this name.
fn module(name: &str) -> Option<&str> {
    if name.ends_with("::posix_call") {
        return Some("mod");
    }
    let (_, rest) = name.split_once("giornata_core::posix::")?;
    let module = rest.split("::").next()?;
    let is_known = SERVICES.iter().any(|(known, _)| *known == module);
    Some(if is_known { module } else { "mod" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_its_modules() {
        for (name, of) in [
            ("giornata_core::posix::word::lock_word", Some("word")),
            (
                "giornata_core::posix::<impl giornata_core::system::System>::ordinary",
                Some("mod"),
            ),
            (
                "giornata_arch_riscv::machine::trap::posix_call",
                Some("mod"),
            ),
            ("giornata_core::sync::fast::lock", None),
        ] {
            assert_eq!(module(name), of, "{name}");
        }
    }

    #[test]
    fn every_module_is_listed() {
        let folder = root().join("kernel/core/src/posix");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        // (what kernels have that have none of them)
        files.retain(|file| file != "none");
        files.sort();
        let mut listed = SERVICES.map(|(name, _)| name);
        listed.sort();
        assert_eq!(files, listed);
    }
}
