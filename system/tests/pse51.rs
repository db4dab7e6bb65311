//! The list of the functions of POSIX.13 PSE51 is true: what it says is here is declared and
//! linked, and the page of them is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use giornata_system::image::{BuildOptions, TargetLock, build};
use serde::Deserialize;

/// A unit of functionality of POSIX.13.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unit {
    name: String,
    headers: Vec<String>,
    #[serde(default)]
    picolibc: Vec<String>,
    #[serde(default)]
    giornata: Vec<String>,
    #[serde(default)]
    missing: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    unit: Vec<Unit>,
    /// What is here beyond the profile.
    beyond: Vec<Unit>,
    /// By function.
    notes: BTreeMap<String, String>,
    /// By function of the library: see `tests/target/posix/src/sweep.c`.
    parameters: BTreeMap<String, String>,
    /// By function of the library that is not called so: why.
    unswept: BTreeMap<String, String>,
}

/// Functions of the profile.
const ALL: usize = 285;
/// Those that are macros everywhere.
const MACROS: [&str; 7] = [
    "offsetof",
    "pthread_cleanup_pop",
    "pthread_cleanup_push",
    "va_arg",
    "va_copy",
    "va_end",
    "va_start",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list() -> List {
    let text = fs::read_to_string(root().join("user/posix/pse51.toml")).unwrap();
    toml::from_str(&text).unwrap()
}

impl List {
    fn units(&self) -> impl Iterator<Item = &Unit> {
        self.unit.iter().chain(&self.beyond)
    }
}

impl Unit {
    fn here(&self) -> impl Iterator<Item = &String> {
        self.picolibc.iter().chain(&self.giornata)
    }
}

#[test]
fn each_function_of_the_profile_is_listed_once() {
    let list = list();
    let named = |unit: &'_ Unit| {
        unit.here()
            .chain(&unit.missing)
            .cloned()
            .collect::<Vec<_>>()
    };
    let profile: Vec<String> = list.unit.iter().flat_map(named).collect();
    let beyond: Vec<String> = list.beyond.iter().flat_map(named).collect();
    let once: BTreeSet<_> = profile.iter().chain(&beyond).collect();
    assert_eq!(profile.len(), ALL);
    assert_eq!(once.len(), ALL + beyond.len());
    for name in list.notes.keys() {
        assert!(once.contains(name), "a note on {name}, which is none");
    }
}

#[test]
fn each_function_of_the_library_is_swept_or_it_is_said_why_not() {
    let list = list();
    let library: BTreeSet<_> = list.units().flat_map(|unit| &unit.giornata).collect();
    let swept = list.parameters.keys().chain(list.unswept.keys());
    let all: Vec<_> = swept.collect();
    assert_eq!(all.iter().copied().collect::<BTreeSet<_>>(), library);
    assert_eq!(all.len(), library.len());
}

#[test]
fn what_is_here_is_declared_by_its_header_and_linked() {
    let list = list();
    let present = || list.units().filter(|unit| unit.here().next().is_some());
    let headers: BTreeSet<_> = present().flat_map(|unit| &unit.headers).collect();
    let mut source = String::from("#include <stdint.h>\n");
    for header in headers {
        writeln!(source, "#include <{header}>").unwrap();
    }
    source += "static volatile uintptr_t kept;\nint main(void)\n{\n";
    for function in present().flat_map(Unit::here) {
        match MACROS.contains(&&function[..]) {
            true => writeln!(source, "#ifndef {function}\n#error {function}\n#endif"),
            false => writeln!(source, "    kept = (uintptr_t)&{function};"),
        }
        .unwrap();
    }
    source += "    return (int)kept;\n}\n";
    let folder = std::env::temp_dir().join(format!("giornata-pse51-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("all.c"), source).unwrap();
    let system = "name = \"pse51\"\nboard = \"qemu-virt32-pmp\"\n[kernel]\nconfig = \"emeralds\"\n\
                  [process.all]\nc = [\"all.c\"]\nposix = true\nstack = \"16K\"\n\
                  threads = { main = {} }\n";
    fs::write(folder.join("system.toml"), system).unwrap();
    let options = BuildOptions {
        out_dir: folder.join("out"),
        target_dir: root().join("target"),
        ..BuildOptions::new(&folder.join("system.toml"), &root())
    };
    let lock = TargetLock::take(&options.target_dir).unwrap();
    build(&options, &lock).unwrap_or_else(|why| panic!("{why:?}"));
    drop(lock);
    fs::remove_dir_all(folder).unwrap();
}

/// Programs of the target suite, by name.
fn programs() -> Vec<(String, String)> {
    let folder = root().join("tests/target/posix/src");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<_> = entries
        .filter(|entry| entry.path().is_file())
        // (what is made here is no program, and written while others read)
        .filter(|entry| {
            entry
                .path()
                .extension()
                .is_none_or(|ending| ending != "inc")
        })
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read_to_string(entry.path()).unwrap())
        })
        .collect();
    all.sort();
    all
}

/// Whether a program uses a name.
fn uses(program: &str, name: &str) -> bool {
    let mut words = program.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == name)
}

fn page() -> String {
    let mut page = String::from(
        "# The functions of PSE51\n\n\
         POSIX.13-2003 lists what its minimal real-time profile has, by units of functionality. \
         This page says of each function where it comes from, and which program of the target \
         suite `tests/target/posix` uses it; it is made of `user/posix/pse51.toml`, which a test \
         holds against headers and symbols. What is *missing* is an error of the linker.\n",
    );
    let (list, programs) = (list(), programs());
    for (index, unit) in list.units().enumerate() {
        if index == list.unit.len() {
            page += "\n# Beyond the profile\n";
        }
        let Unit { name, .. } = unit;
        write!(
            page,
            "\n## {name}\n\n| function | from | tested by | notes |\n|---|---|---|---|\n"
        )
        .unwrap();
        let groups = [
            ("picolibc", &unit.picolibc),
            ("giornata", &unit.giornata),
            ("*missing*", &unit.missing),
        ];
        let mut rows: Vec<(&String, &str)> = groups
            .into_iter()
            .flat_map(|(from, all)| all.iter().map(move |function| (function, from)))
            .collect();
        rows.sort();
        for (function, from) in rows {
            let users = programs.iter().filter(|(_, text)| uses(text, function));
            let users: Vec<&str> = users.map(|(name, _)| &name[..]).collect();
            let note = list.notes.get(function).map_or("", String::as_str);
            writeln!(
                page,
                "| `{function}` | {from} | {} | {note} |",
                users.join(", ")
            )
            .unwrap();
        }
    }
    page
}

/// With `GIORNATA_BLESS=1` the file is written.
fn assert_written(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(&file, text).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(written == text, "write {path} anew with GIORNATA_BLESS=1");
}

#[test]
fn the_page_of_functions_is_what_the_list_says() {
    assert_written("docs/pse51.md", &page());
}

#[test]
fn the_functions_that_are_swept_are_those_of_the_list() {
    let mut text = String::from(
        "/* Made of user/posix/pse51.toml: each function of the library, and what its arguments\n\
         \x20* are to be. See sweep.c. */\n",
    );
    for (function, parameters) in list().parameters {
        writeln!(text, "FUNCTION({function}, \"{parameters}\"),").unwrap();
    }
    assert_written("tests/target/posix/src/sweep.inc", &text);
}
