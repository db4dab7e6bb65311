//! The pages of `docs/`: their commands do what the pages say.
//!
//! A block ```` ```giotto FILE ```` or ```` ```toml FILE ```` is a file; in a block ```` ```console ````
//! lines that begin with `$ ` are commands, and what follows them is what they
//! write. `echo $?` tells the exit code of the command before. With
//! `GIORNATA_BLESS=1` the pages take what the commands write.

mod folder;

use std::fs;
use std::path::Path;

use folder::Folder;

/// Runs a page; answers it with what its commands really write.
fn run(page: &str, folder: &Folder) -> String {
    let mut said = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        said += &format!("{line}\n");
        let Some(kind) = line.strip_prefix("```") else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match kind.split_once(' ') {
            Some(("giotto" | "toml", file)) => folder.write(file, block.join("\n") + "\n"),
            _ if kind == "console" => {
                said += &console(&block, folder);
                said += "```\n";
                continue;
            }
            _ => {}
        }
        block.iter().for_each(|line| said += &format!("{line}\n"));
        said += "```\n";
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

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains("\n$ giornata "), "{name} runs nothing");
    let said = run(&page, &Folder::new(&format!("page-{name}")));
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(&path, said).unwrap();
        return;
    }
    for (number, (written, said)) in (1..).zip(page.lines().zip(said.lines())) {
        assert_eq!(written, said, "docs/{name}, line {number}");
    }
    assert_eq!(page, said, "docs/{name} ends otherwise");
}

#[test]
fn the_page_of_simulate_shows_what_it_writes() {
    check("simulate.md");
}

#[test]
fn the_page_of_analyze_shows_what_it_writes() {
    check("analyze.md");
}

#[test]
fn the_tutorial_of_schedules_shows_what_it_writes() {
    check("tutorial-schedule.md");
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
