//! The list of the functions of POSIX.13 PSE51 is true: what it says is here is declared and
//! linked, and the page of them is made of it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use giornata_system::image::{BuildOptions, build};
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
struct List {
    unit: Vec<Unit>,
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

fn units() -> Vec<Unit> {
    let text = fs::read_to_string(root().join("user/posix/pse51.toml")).unwrap();
    toml::from_str::<List>(&text).unwrap().unit
}

impl Unit {
    fn here(&self) -> impl Iterator<Item = &String> {
        self.picolibc.iter().chain(&self.giornata)
    }
}

#[test]
fn each_function_of_the_profile_is_listed_once() {
    let units = units();
    let all = units
        .iter()
        .flat_map(|unit| unit.here().chain(&unit.missing));
    let all: Vec<&String> = all.collect();
    let once: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), once.len()), (ALL, ALL));
}

#[test]
fn what_is_here_is_declared_by_its_header_and_linked() {
    let units = units();
    let present = || units.iter().filter(|unit| unit.here().next().is_some());
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
    build(&options).unwrap_or_else(|why| panic!("{why:?}"));
    fs::remove_dir_all(folder).unwrap();
}

/// Programs of the target suite, by name.
fn programs() -> Vec<(String, String)> {
    let folder = root().join("tests/target/posix/src");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<_> = entries
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
    let (units, programs) = (units(), programs());
    for unit in &units {
        let Unit { name, .. } = unit;
        write!(
            page,
            "\n## {name}\n\n| function | from | tested by |\n|---|---|---|\n"
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
            writeln!(page, "| `{function}` | {from} | {} |", users.join(", ")).unwrap();
        }
    }
    page
}

/// With `GIORNATA_BLESS=1` the page is written.
#[test]
fn the_page_of_functions_is_what_the_list_says() {
    let path = root().join("docs/pse51.md");
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(),
        "write docs/pse51.md anew with GIORNATA_BLESS=1"
    );
}
