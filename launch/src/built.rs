//! What builds of a system have left, to be looked up by what a machine runs.

use std::fs;
use std::path::{Path, PathBuf};

use giornata_symbols::Symbols;
use giornata_system::{BuildOptions, DebugMap, debug_map};
use object::{Object, ObjectSegment};

use crate::home::root;

/// A build of a system for one board.
pub struct Built {
    /// Where the records of the kernel lie, and what they mean.
    pub map: DebugMap,
    /// What addresses of its processes are called.
    pub symbols: Symbols,
    /// What its machine has from the first of the kernel's records on, in the front of
    /// which it cannot be mistaken for another.
    pub records: Vec<u8>,
}

/// The builds of a system for any boards, as far as they are whole. `name`: what the
/// system file calls the system.
pub fn all(system: &Path, name: &str) -> Vec<Built> {
    let out = BuildOptions::new(system, root()).out_dir;
    let boards = fs::read_dir(&out).into_iter().flatten().flatten();
    let boards = boards
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let mut folders: Vec<PathBuf> = std::iter::once(out.clone()).chain(boards).collect();
    folders.sort();
    let read = |folder: &PathBuf| read(folder, system, name);
    folders.iter().filter_map(read).collect()
}

/// The build in a folder; `None` if there is none, or of its files one is of another.
fn read(folder: &Path, system: &Path, name: &str) -> Option<Built> {
    let map = fs::read_to_string(folder.join(format!("{name}.debug.json"))).ok()?;
    let map = DebugMap::from_json(&map).ok()?;
    let image = fs::read(folder.join(format!("{name}.elf"))).ok()?;
    if debug_map::fingerprint(&image) != map.image {
        return None;
    }
    let file = object::File::parse(&*image).ok()?;
    let start = u64::from(map.kernel);
    let records = file.segments().find(|segment| segment.address() == start)?;
    let records = records.data().ok()?.to_vec();
    let executables = map.symbols.iter().skip(1).map(|file| folder.join(file));
    let project = system.parent().unwrap_or(Path::new(""));
    let project = match project.as_os_str().is_empty() {
        true => Path::new("."),
        false => project,
    };
    let symbols = Symbols::new(executables, &[project, root()]);
    Some(Built {
        map,
        symbols,
        records,
    })
}
