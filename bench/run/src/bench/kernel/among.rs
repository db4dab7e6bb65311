//! A measured system among many threads: the others are those of a process of their
//! own, more urgent than all that is measured, and sleep until instants behind its end.
//!
//! There are places for a hundred threads whatever the number: those beyond it do not
//! begin. So the memory of systems that are compared is laid out alike, and no cache
//! line makes a difference that the number of threads does not.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use giornata_bench::Catalogue;
use toml::{Table, Value};

use super::workload::System;
use crate::crates::target_folder;

/// How many threads a system has at most; so many of `bench-crowd` can sleep.
const SLEEPERS: usize = 100;
/// More than all that is measured; 200 is that of tasks.
const PRIORITY: u8 = 210;

/// The numbers of threads among which a system is measured: those of the catalogue that
/// no system of the suite is made for.
pub(super) fn sizes(catalogue: &Catalogue, systems: &[System], system: &System) -> Vec<u32> {
    let is_made = |op: &str| {
        let mut rows = systems.iter().flat_map(|system| system.rows);
        rows.any(|row| row.op == op)
    };
    let operations = catalogue.operations.iter().filter(|o| !is_made(&o.op));
    let sized = operations.filter_map(|o| o.op.rsplit_once('/'));
    let mine = sized.filter(|(op, _)| system.rows.iter().any(|row| row.op == *op));
    let mut sizes: Vec<u32> = mine.filter_map(|(_, size)| size.parse().ok()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Writes the system of a file among so many threads in all; returns its path.
pub(super) fn write(path: &Path, threads: u32) -> Result<PathBuf> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let folder = path.parent().context("a system file lies in a folder")?;
    let text = among(&text, folder, threads).with_context(|| path.display().to_string())?;
    let stem = path.file_stem().context("a system file has a name")?;
    let name = format!("{}-among-{threads}.toml", stem.display());
    let written = target_folder().join("bench-among");
    std::fs::create_dir_all(&written).with_context(|| written.display().to_string())?;
    let written = written.join(name);
    std::fs::write(&written, text).with_context(|| written.display().to_string())?;
    Ok(written)
}

/// The text of the system with the others behind it: what it numbers stays as it is.
fn among(text: &str, folder: &Path, threads: u32) -> Result<String> {
    let system: Table = toml::from_str(text)?;
    let name = system.get("name").and_then(Value::as_str);
    let name = name.context("the system has no name")?;
    let processes = system.get("process").and_then(Value::as_table);
    let processes = processes.context("the system has no process")?;
    let of_kind = |kind| -> usize {
        let tables = processes.values().filter_map(|process| process.get(kind));
        tables.filter_map(Value::as_table).map(Table::len).sum()
    };
    let own = of_kind("threads") + of_kind("tasks");
    ensure!(
        threads as usize <= SLEEPERS && own <= SLEEPERS,
        "too many threads"
    );
    let others = (threads as usize).saturating_sub(own);
    let sources = format!("source = \"{}/", folder.display());
    let mut text = text
        .replacen(name, &format!("{name}-among-{threads}"), 1)
        .replace("source = \"", &sources);
    let _ = write!(
        text,
        "\n[process.crowd]\ncrate = \"bench-crowd\"\nmax-priority = {PRIORITY}\nstack = \"1K\"\n\
         [process.crowd.threads]\n"
    );
    for sleeper in 0..SLEEPERS - own {
        let begins = sleeper < others;
        let _ = writeln!(
            text,
            "wait_{sleeper:02} = {{ priority = {PRIORITY}, autostart = {begins} }}"
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_others_sleep_in_a_process_of_their_own() {
        let text = "name = \"pair\"\n[process.crew]\ncrate = \"c\"\nthreads = { a = {}, b = {} }\n\
                    [program.run]\nsource = \"run.giotto\"\n";
        let system: Table = toml::from_str(&among(text, Path::new("/suite"), 10).unwrap()).unwrap();
        assert_eq!(system["name"].as_str(), Some("pair-among-10"));
        let source = system["program"]["run"]["source"].as_str();
        assert_eq!(source, Some("/suite/run.giotto"));
        let crowd = system["process"]["crowd"]["threads"].as_table().unwrap();
        let begin = |name| crowd[name]["autostart"].as_bool();
        assert_eq!(
            (crowd.len(), begin("wait_07"), begin("wait_08")),
            (98, Some(true), Some(false))
        );
        assert!(among(text, Path::new("/suite"), 200).is_err());
    }
}
