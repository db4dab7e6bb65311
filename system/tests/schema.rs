//! The schema and the reader say the same of a file, because both come from one
//! definition.

use boon::{Compiler, SchemaIndex, Schemas};
use giornata_system::{BOARD, Board, SYSTEM, SystemFile, schema};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A schema that files are held to.
struct Checker {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Checker {
    fn of(schema: Value) -> Checker {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", schema).unwrap();
        let index = compiler.compile("schema.json", &mut schemas);
        let index = index.unwrap_or_else(|why| panic!("the schema is none: {why:#}"));
        Checker { schemas, index }
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let table: toml::Table = text.parse().map_err(|why| format!("{why}"))?;
        let value = serde_json::to_value(table).unwrap();
        let checked = self.schemas.validate(&value, self.index);
        checked.map_err(|why| format!("{why:#}"))
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The TOML files under a folder of the repository.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|e| e == "toml") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn systems() -> Vec<(PathBuf, String)> {
    let all = ["examples", "tests/target", "bench"]
        .into_iter()
        .flat_map(files);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        Some((path, text))
            .filter(|(_, text)| text.contains("[process.") && text.contains("\nboard ="))
    };
    all.filter_map(read).collect()
}

fn read(text: &str) -> Result<(), String> {
    let read = SystemFile::parse(Path::new("system.toml"), text);
    read.map(drop).map_err(|refusal| {
        let reasons = refusal.problems().iter().map(|p| p.reason().to_owned());
        reasons.collect::<Vec<_>>().join("\n")
    })
}

#[test]
fn all_system_files_of_the_repository_fit_the_schema() {
    let checker = Checker::of(schema("system", &SYSTEM));
    let systems = systems();
    assert!(systems.len() > 30, "{}", systems.len());
    for (path, text) in &systems {
        read(text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let checked = checker.check(text);
        checked.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
}

#[test]
fn all_boards_fit_their_schema() {
    let checker = Checker::of(schema("board", &BOARD));
    for path in files("boards") {
        let text = std::fs::read_to_string(&path).unwrap();
        Board::parse(&path, &text).unwrap();
        checker
            .check(&text)
            .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let wrong = text.replace("timer-hertz", "timer-herz");
        assert!(Board::parse(&path, &wrong).is_err() && checker.check(&wrong).is_err());
    }
}

/// Every key of every table of a file, misspelt: `start = "call"` becomes `starx`.
#[test]
fn a_key_that_is_unknown_is_refused_by_both() {
    let checker = Checker::of(schema("system", &SYSTEM));
    let mut tried = 0;
    for (path, text) in systems() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let key = line.split(" = ").next().unwrap_or("");
            let is_key = |c: char| c.is_ascii_lowercase() || c == '-';
            if key.is_empty() || !key.chars().all(is_key) || !line.contains(" = ") {
                continue;
            }
            let mut wrong = lines.clone();
            let misspelt = format!("{key}x{}", &line[key.len()..]);
            wrong[number] = &misspelt;
            let wrong = wrong.join("\n");
            // (a name that the file gives may be any: of a task, a port or a line)
            let Err(reason) = read(&wrong) else { continue };
            if reason.contains(&format!("has no key `{key}x`")) {
                let checked = checker.check(&wrong);
                assert!(checked.is_err(), "{}: {misspelt}", path.display());
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn values_that_the_reader_refuses_by_themselves_do_not_fit() {
    const GOOD: &str = "\
name = \"a\"
board = \"b\"
[kernel]
config = \"all\"
deadline-band = 200
[program.p]
source = \"p.giotto\"
schedule = \"edf\"
interrupts = { tick = 7 }
[mutex.m]
protocol = \"inherit\"
[region.r]
size = \"4K\"
[process.q]
crate = \"q\"
stack = \"8K\"
tasks = { t = { budget = \"2ms\" } }
messages = 4
heap = 1024
on-fault = \"stop\"
[process.q.grants]
irq = [\"rtc\"]
irq-interval = \"10us\"
mailbox = { box = [\"send\", \"full\"] }
";
    let checker = Checker::of(schema("system", &SYSTEM));
    assert_eq!(read(GOOD), Ok(()));
    assert_eq!(checker.check(GOOD), Ok(()));
    for (good, wrong) in [
        ("name = \"a\"", ""),
        ("name = \"a\"", "name = 7"),
        ("config = \"all\"", "config = \"everything\""),
        ("deadline-band = 200", "deadline-band = 256"),
        ("deadline-band = 200", "deadline-band = \"high\""),
        ("source = \"p.giotto\"", ""),
        ("\"edf\"", "\"fastest\""),
        ("tick = 7", "tick = 1024"),
        ("[mutex.m]", "[mutex.\"m m\"]"),
        ("\"inherit\"", "\"donate\""),
        ("size = \"4K\"", ""),
        ("\"8K\"", "\"8 kilo\""),
        ("\"2ms\"", "\"2 months\""),
        ("messages = 4", "messages = 70000"),
        ("messages = 4", "messages = -4"),
        ("\"stop\"", "\"panic\""),
        ("irq = [\"rtc\"]", "irq = \"rtc\""),
        ("\"full\"", "\"everything\""),
    ] {
        assert!(GOOD.contains(good), "{good}");
        let text = GOOD.replacen(good, wrong, 1);
        assert!(read(&text).is_err(), "the reader takes {wrong}");
        assert!(checker.check(&text).is_err(), "the schema takes {wrong}");
    }
}
