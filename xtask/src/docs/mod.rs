//! `./x docs`: the book, and what is checked of its pages.

mod book;
mod follow;
mod links;

use std::path::Path;

use crate::Verdict;
use anyhow::{Context, Result, ensure};

use crate::shell::Shell;

/// Pages that are followed from an empty folder on, one after the other.
const FOLLOWED: [&str; 2] = ["docs/first-system.md", "docs/streams.md"];

/// Builds the book and says where it is.
pub(crate) fn run() -> Result<Verdict> {
    let pages = links::pages()?;
    let complaints = links::complaints(&pages);
    complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    if !complaints.is_empty() {
        return Ok(Verdict::Negative);
    }
    let first = book::build(&pages)?;
    println!("{}: open it in a browser", first.display());
    Ok(Verdict::Good)
}

/// Checks all links, and that the pages which a new user follows lead where they say; in the
/// long form by an installed command, and the book is built.
pub(crate) fn check(full: bool) -> Result<String> {
    let pages = links::pages()?;
    let mut complaints = links::complaints(&pages);
    complaints.extend(book::contents(&pages)?.1);
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    let folder = tempfile::tempdir().context("a folder for a project")?;
    let shell = Shell::new(full, folder.path())?;
    let mut commands = 0;
    for name in FOLLOWED {
        let page = pages.get(Path::new(name)).context(name)?;
        let mut reader = follow::Reader::new(&shell, folder.path().to_path_buf());
        commands += reader.follow(name, page)?;
    }
    if full {
        book::build(&pages)?;
    }
    let links: usize = pages.values().map(|page| page.links.len()).sum();
    Ok(format!(
        "{} pages, {links} links, {commands} commands of a new user",
        pages.len()
    ))
}
