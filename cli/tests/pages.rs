//! The pages of `docs/`: their commands do what the pages say.
//!
//! A block ```` ```giotto FILE ````, or of `psi`, `sigma`, `toml` or `xml`, is a file; in a block ```` ```console ````
//! lines that begin with `$ ` are commands, and what follows them is what they
//! write. `echo $?` prints the exit code of the command before. With
//! `GIORNATA_BLESS=1` the pages take what the commands write.
//!
//! The pages of a folder share their files: one may use what another lists. A block
//! whose FILE is a path, ```` ```text tests/GROUP/CASE.golden ````, quotes neighbouring
//! lines of that file of the repository. A block ```` ```toml ```` without FILE that begins
//! with a section, or with `name`, is an excerpt of a system file: its keys exist.

mod folder;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use folder::Folder;

/// What a page consists of.
enum Piece<'a> {
    Line(&'a str),
    /// What stands behind the first fence, and the lines up to the second.
    Block(&'a str, Vec<&'a str>),
}

fn pieces(page: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        pieces.push(match line.strip_prefix("```") {
            None => Piece::Line(line),
            Some(kind) => {
                let inside = lines.by_ref().take_while(|line| *line != "```");
                Piece::Block(kind, inside.collect())
            }
        });
    }
    pieces
}

/// The name of the file that a block is.
fn listed(kind: &str) -> Option<&str> {
    match kind.split_once(' ') {
        Some(("giotto" | "psi" | "sigma" | "toml" | "xml", file)) if !file.contains('/') => {
            Some(file)
        }
        _ => None,
    }
}

/// The path of the file that a block quotes.
fn quoted(kind: &str) -> Option<&str> {
    let (_, file) = kind.split_once(' ')?;
    file.contains('/').then_some(file)
}

/// The text of lines.
fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs a page. Returns it with what its commands really write.
fn run(page: &str, folder: &Folder) -> String {
    let mut said = String::new();
    for piece in pieces(page) {
        let (kind, lines) = match piece {
            Piece::Line(line) => {
                said += &format!("{line}\n");
                continue;
            }
            Piece::Block(kind, lines) => (kind, lines),
        };
        if let Some(file) = listed(kind) {
            folder.write(file, text(&lines));
        }
        let inside = match kind {
            "console" => console(&lines, folder),
            _ => text(&lines),
        };
        said += &format!("```{kind}\n{inside}```\n");
    }
    said
}

/// The commands of a block, and what they write.
fn console(block: &[&str], folder: &Folder) -> String {
    let mut said = String::new();
    let mut last = 0;
    for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
        said += &format!("$ {command}\n");
        let words: Vec<&str> = command.split_whitespace().collect();
        match &words[..] {
            ["echo", "$?"] => said += &format!("{last}\n"),
            ["giornata", arguments @ ..] => {
                let (code, out, err) = folder.outcome(arguments);
                said += &(out + &err);
                last = code;
            }
            _ => panic!("a page runs `{command}`"),
        }
    }
    said
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Compares a page, `name` below `docs/`, with what its commands write here.
fn compare(name: &str, page: &str, folder: &Folder) {
    let said = run(page, folder);
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(docs().join(name), said).unwrap();
        return;
    }
    for (number, (written, said)) in (1..).zip(page.lines().zip(said.lines())) {
        assert_eq!(written, said, "docs/{name}, line {number}");
    }
    assert_eq!(page, said, "docs/{name} ends otherwise");
}

fn check(name: &str) {
    let page = fs::read_to_string(docs().join(name)).unwrap();
    assert!(page.contains("\n$ giornata "), "{name} runs nothing");
    compare(name, &page, &Folder::new(&format!("page-{name}")));
}

/// The pages of a folder of `docs/`.
fn pages_of(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(docs().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    paths.filter(is_page).collect()
}

/// All pages of a folder, of which some run something.
fn check_folder(name: &str) {
    let pages: BTreeMap<String, String> = pages_of(name)
        .into_iter()
        .map(|path| {
            let page = path.file_name().unwrap().to_string_lossy();
            (format!("{name}/{page}"), fs::read_to_string(&path).unwrap())
        })
        .collect();
    let folder = Folder::new(&format!("pages-{name}"));
    let mut files = BTreeMap::new();
    for (page, contents) in &pages {
        for piece in pieces(contents) {
            let Piece::Block(kind, lines) = piece else {
                continue;
            };
            if let Some(file) = listed(kind) {
                let (first, before) = files.entry(file).or_insert((page, text(&lines)));
                assert_eq!(
                    *before,
                    text(&lines),
                    "{file} is in docs/{first} and docs/{page}"
                );
                folder.write(file, &*before);
            }
            if let Some(file) = quoted(kind) {
                let original = fs::read_to_string(docs().join("..").join(file));
                let original = original.unwrap_or_else(|why| panic!("docs/{page}, {file}: {why}"));
                let quote = text(&lines);
                assert!(
                    format!("\n{original}").contains(&format!("\n{quote}")),
                    "docs/{page}: not in {file}:\n{quote}"
                );
            }
        }
    }
    let runs = pages.values().filter(|page| page.contains("\n$ giornata "));
    assert_ne!(runs.count(), 0, "docs/{name} runs nothing");
    for (page, contents) in &pages {
        compare(page, contents, &folder);
    }
}

#[test]
fn the_page_of_simulate_shows_what_it_writes() {
    check("simulate.md");
}

#[test]
fn the_page_of_windows_shows_what_it_writes() {
    check("windows.md");
}

#[test]
fn the_page_of_analyze_shows_what_it_writes() {
    check("analyze.md");
}

#[test]
fn the_page_of_sigma_shows_what_is_written() {
    check("sigma.md");
}

#[test]
fn the_tutorial_of_schedules_shows_what_it_writes() {
    check("tutorial-schedule.md");
}

#[test]
fn the_pages_of_concepts_show_what_is_written() {
    check_folder("concepts");
}

#[test]
fn the_pages_of_policies_show_what_is_written() {
    check_folder("policies");
}

/// Whether the reader of system files knows all keys of an excerpt, and their values are
/// of the right kind. What an excerpt leaves out is not there: names of others, folders.
fn is_read(excerpt: &str, folder: &Folder) -> Result<(), String> {
    let heading = match excerpt.starts_with('[') {
        true => "name = \"excerpt\"\nboard = \"qemu-virt64\"\n",
        false => "",
    };
    folder.write("system.toml", format!("{heading}{excerpt}"));
    let (_, _, err) = folder.outcome(&["check", "system.toml"]);
    let unread = [
        "not TOML",
        "has no key",
        "is not a ",
        "help: write a ",
        "help: write true",
    ];
    match unread.iter().any(|words| err.contains(words)) {
        true => Err(err),
        false => Ok(()),
    }
}

#[test]
fn excerpts_of_system_files_have_keys_that_exist() {
    let folder = Folder::new("page-excerpts");
    let mut count = 0;
    for page in ["", "concepts", "policies"].map(pages_of).iter().flatten() {
        let text = fs::read_to_string(page).unwrap();
        for piece in pieces(&text) {
            let Piece::Block("toml", lines) = piece else {
                continue;
            };
            let excerpt = lines.join("\n");
            if excerpt.starts_with('[') || excerpt.starts_with("name = ") {
                count += 1;
                is_read(&excerpt, &folder).unwrap_or_else(|why| panic!("{page:?}: {why}"));
            }
        }
    }
    assert!(count > 5, "there are {count} excerpts");
    assert!(is_read("[process.pump]\nbugdet = 3\n", &folder).is_err());
    assert!(is_read("[process.pump]\nstack = true\n", &folder).is_err());
    assert!(is_read("[process.pump\n", &folder).is_err());
    assert!(is_read("[process.pump]\nmax-priority = 3\n", &folder).is_ok());
}

#[test]
fn a_page_that_is_wrong_is_seen() {
    let folder = Folder::new("page-wrong");
    let page = "```giotto a.giotto\nsensor\n```\n```console\n$ giornata check a.giotto\na.giotto: ok\n$ echo $?\n0\n```\n";
    let said = run(page, &folder);
    assert!(
        !said.contains("a.giotto: ok") && said.contains("$ echo $?\n2\n"),
        "{said}"
    );
    let (code, json) = folder.json(&["check", "a.giotto", "--json"]);
    assert_eq!((code, &json["file"]), (2, &"a.giotto".into()));
}
