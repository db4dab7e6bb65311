//! The pages of the reference are what the definitions say, and what they lead to exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use giornata_system::expect::Kind;
use giornata_system::reference;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// With `GIORNATA_BLESS=1` the page is written.
fn check(of_boards: bool, name: &str) {
    let path = root().join("docs").join(name);
    let page = reference(of_boards);
    if std::env::var_os("GIORNATA_BLESS").is_some() {
        fs::write(&path, page).unwrap();
        return;
    }
    let written = fs::read_to_string(&path).unwrap();
    for (number, (written, made)) in (1..).zip(written.lines().zip(page.lines())) {
        let mend = "write it anew with GIORNATA_BLESS=1";
        assert_eq!(written, made, "docs/{name}, line {number}: {mend}");
    }
    assert_eq!(written, page, "docs/{name} ends otherwise");
}

#[test]
fn the_page_of_system_files_is_what_the_keys_say() {
    check(false, "system-file.md");
}

#[test]
fn the_page_of_board_files_is_what_the_keys_say() {
    check(true, "board-file.md");
}

#[test]
fn the_example_of_the_page_is_the_sample() {
    let path = root().join("examples/samples/blink/system.toml");
    let sample = fs::read_to_string(path).unwrap();
    let page = reference(false);
    assert!(page.contains(&format!("```toml\n{sample}```\n")), "{page}");
}

/// The anchors of a page's headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_of_the_pages_leads_to_a_heading() {
    for of_boards in [false, true] {
        let page = reference(of_boards);
        let links: Vec<&str> = page.split("](").skip(1).collect();
        assert!(links.len() > 4, "{page}");
        for link in links {
            let target = link.split(')').next().unwrap();
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let text = match file {
                "" => page.clone(),
                file => {
                    let path = root().join("docs").join(file);
                    assert!(path.exists(), "{target}");
                    fs::read_to_string(path).unwrap_or_default()
                }
            };
            let found = anchor.is_empty() || anchors(&text).contains(anchor);
            assert!(found, "{target} leads nowhere");
        }
    }
}

#[test]
fn the_page_names_every_kind_of_event_that_can_be_expected() {
    let page = reference(false);
    let row = page.lines().find(|line| line.starts_with("| `expect` |"));
    let row = row.unwrap();
    for kind in Kind::ALL {
        assert!(row.contains(kind.name()), "{}", kind.name());
    }
}
