//! The area of the task manager in standard cells.
//!
//! The cells are those of the Oklahoma State University for 180 nm, of the years of the paper, as
//! Debian's package qflow-tech-osu018 has them: a liberty file, and their sizes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::Parameters;
use crate::simulator::{Error, at, run};
use crate::synthesis::{cells, elaboration, run_yosys};

/// The package, and where it has the files.
const PACKAGE: &str = "qflow-tech-osu018";
const IN_PACKAGE: &str = "usr/share/qflow/tech/osu018";
/// What cells do and how fast.
const LIBERTY: (&str, &str) = (
    "osu018_stdcells.lib",
    "86f79b2000f1ac46715a9f6dfd5f5a596906418e9ee8a8611077bbaaad3de4e9",
);
/// How large they are.
const SIZES: (&str, &str) = (
    "osu018_stdcells.lef",
    "131932c1e6c19c85322d52d71d428c4eddf8aab14217564f272cf5a47f54ab1b",
);
/// The feature size in square micrometres.
const FEATURE: f64 = 0.18 * 0.18;
/// Square micrometres of a register-bit equivalent, which is 675 squares of the feature size.
pub const REGISTER_BIT: f64 = 675.0 * FEATURE;
/// The gate that areas are compared with.
const NAND: &str = "NAND2X1";
const TOP: &str = "rtm_wishbone";
const CORRECTED: &str = "cells.lib";
const CELLS: &str = "cells.json";

/// Standard cells.
#[derive(Debug)]
pub struct Library {
    /// The liberty file, with the areas that the sizes tell.
    liberty: String,
    /// Square micrometres of each cell.
    areas: BTreeMap<String, f64>,
}

/// What a task manager takes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Cells that are flip-flops.
    pub flip_flops: u64,
    /// All cells.
    pub cells: u64,
    /// Square micrometres, of flip-flops alone.
    pub of_flip_flops: f64,
    /// Square micrometres, of all cells; without what wires between them take.
    pub of_all: f64,
    /// Square micrometres of a NAND gate with two inputs.
    pub of_nand: f64,
}

impl Library {
    /// The cells, fetched into the folder of tools if they are not there. Needs apt, or the two
    /// files in that folder: only their SHA-256 counts.
    ///
    /// # Errors
    /// They are not there and cannot be fetched; they are not those.
    pub fn fetch(tools: &Path) -> Result<Library, Error> {
        let folder = tools.join("osu018");
        at(&folder, fs::create_dir_all(&folder))?;
        let path = |(name, _): (&str, &str)| folder.join(name);
        if !path(LIBERTY).exists() || !path(SIZES).exists() {
            download(&folder)?;
        }
        let text = |file: (&str, &'static str)| verified(&path(file), file.1);
        Library::of(&text(LIBERTY)?, &text(SIZES)?)
    }

    fn of(liberty: &str, sizes: &str) -> Result<Library, Error> {
        let areas = areas(sizes);
        if !areas.contains_key(NAND) {
            return Err(unclear(format!("{} without {NAND}", SIZES.0)));
        }
        Ok(Library {
            liberty: corrected(liberty, &areas),
            areas,
        })
    }

    /// Synthesises a task manager in a folder of its own, with the yosys of
    /// [`crate::Program::install`].
    ///
    /// # Errors
    /// yosys fails, or takes cells whose size is not known.
    pub fn area(
        &self,
        tools: &Path,
        folder: &Path,
        parameters: &Parameters,
    ) -> Result<Area, Error> {
        let script = elaboration(folder, TOP, parameters)?
            + &format!(
                "synth -flatten -top {TOP}\n\
                 dfflibmap -liberty {CORRECTED}\n\
                 abc -liberty {CORRECTED}\n\
                 clean\n\
                 tee -q -o {CELLS} stat -json\n"
            );
        let path = folder.join(CORRECTED);
        at(&path, fs::write(&path, &self.liberty))?;
        run_yosys(tools, folder, &script)?;
        let mut sum = Area {
            flip_flops: 0,
            cells: 0,
            of_flip_flops: 0.0,
            of_all: 0.0,
            of_nand: self.areas.get(NAND).copied().unwrap_or_default(),
        };
        // (names that begin with $ are no cells: where modules were, for one)
        let cells = cells(&folder.join(CELLS))?;
        for (name, count) in cells.iter().filter(|(name, _)| name != "$scopeinfo") {
            let area = self.areas.get(name);
            let area = area.ok_or_else(|| unclear(format!("a cell {name} in the netlist")))?;
            #[expect(clippy::cast_precision_loss, reason = "there are thousands at most")]
            let taken = area * *count as f64;
            sum.cells += count;
            sum.of_all += taken;
            if name.starts_with("DFF") {
                sum.flip_flops += count;
                sum.of_flip_flops += taken;
            }
        }
        Ok(sum)
    }
}

impl Area {
    /// As many NAND gates with two inputs take the same area.
    pub fn in_nands(&self) -> f64 {
        self.of_all / self.of_nand
    }

    /// As many register bits, as the area model of Mulder, Quach and Flynn has them, take the
    /// same area.
    pub fn in_register_bits(&self) -> f64 {
        self.of_all / REGISTER_BIT
    }
}

fn download(folder: &Path) -> Result<(), Error> {
    let missing = |error| match error {
        Error::File { error, .. } if error.kind() == std::io::ErrorKind::NotFound => {
            Error::Missing {
                name: "apt-get",
                remedy: "put osu018_stdcells.lib and osu018_stdcells.lef of qflow into the folder \
                         osu018 of the tools, or run it on Debian",
            }
        }
        error => error,
    };
    let mut apt = Command::new("apt-get");
    apt.current_dir(folder)
        .args(["download", "--quiet", PACKAGE]);
    run(&mut apt, "apt-get download qflow-tech-osu018").map_err(missing)?;
    let entries = at(folder, fs::read_dir(folder))?;
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_package = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "deb");
    let package = files
        .find(is_package)
        .ok_or_else(|| unclear("apt-get without a package".into()))?;
    let mut unpack = Command::new("dpkg-deb");
    unpack.arg("-x").arg(&package).arg(folder);
    run(&mut unpack, "dpkg-deb").map_err(missing)?;
    for (name, _) in [LIBERTY, SIZES] {
        let there = folder.join(IN_PACKAGE).join(name);
        at(&there, fs::copy(&there, folder.join(name)))?;
    }
    at(&package, fs::remove_file(&package))
}

/// The text of a file that has this SHA-256.
fn verified(path: &Path, expected: &'static str) -> Result<String, Error> {
    let text = at(path, fs::read_to_string(path))?;
    let digest = Sha256::digest(&text);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    match found == expected {
        true => Ok(text),
        false => Err(unclear(format!(
            "{}: its SHA-256 is {found}, not {expected}; remove it, and it is fetched again",
            path.display()
        ))),
    }
}

fn unclear(said: String) -> Error {
    Error::Tool {
        name: "the library of cells",
        said,
    }
}

/// Square micrometres of each cell: `MACRO name` and, in it, `SIZE width BY height ;`.
fn areas(sizes: &str) -> BTreeMap<String, f64> {
    let mut areas = BTreeMap::new();
    let mut cell = None;
    for line in sizes.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["MACRO", name] => cell = Some(name),
            ["SIZE", width, "BY", height, ..] => {
                let size = width.parse::<f64>().ok().zip(height.parse::<f64>().ok());
                if let Some((name, (width, height))) = cell.zip(size) {
                    areas.insert(name.to_string(), width * height);
                }
            }
            _ => {}
        }
    }
    areas
}

/// The liberty file with these areas: it has some that are not those of the cells, and yosys
/// prefers cells that are small.
fn corrected(liberty: &str, areas: &BTreeMap<String, f64>) -> String {
    let mut text = String::with_capacity(liberty.len());
    let mut area = None;
    for line in liberty.lines() {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("cell (") {
            area = rest.split(')').next().and_then(|name| areas.get(name));
        }
        match area {
            Some(area) if trimmed.starts_with("area :") => text += &format!("  area : {area};"),
            _ => text += line,
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME_SIZES: &str = "MACRO NAND2X1\n  SIZE 2.400 BY 10.000 ;\nEND NAND2X1\n\
                         MACRO OAI21X1\n  CLASS CORE ;\n  SIZE 3.200 BY 10.000 ;\n";
    const SOME_CELLS: &str = "cell (OAI21X1) {\n  area : 23;\n  pin(A) { }\n}\n\
                              cell (OTHER) {\n  area : 7;\n}\n";

    #[test]
    fn areas_are_those_of_the_sizes_where_there_are_some() {
        let library = Library::of(SOME_CELLS, SOME_SIZES);
        let liberty = library.map(|library| library.liberty).unwrap_or_default();
        assert_eq!(liberty, SOME_CELLS.replace("area : 23;", "area : 32;"));
    }

    #[test]
    fn sizes_without_the_gate_that_is_compared_with_are_refused() {
        let error = Library::of(SOME_CELLS, "").map(drop).unwrap_err();
        assert!(error.to_string().contains("NAND2X1"), "{error}");
    }

    #[test]
    fn a_file_of_another_content_is_refused_with_both_hashes() {
        let path = std::env::temp_dir().join(format!("giornata-cells-{}", std::process::id()));
        fs::write(&path, "no cells").unwrap();
        let error = verified(&path, LIBERTY.1).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        assert!(
            error.contains(LIBERTY.1) && error.contains("SHA-256 is "),
            "{error}"
        );
    }
}
