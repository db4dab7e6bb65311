//! The book: the pages that `docs/SUMMARY.md` lists, with the files that they link to, as
//! mdBook makes HTML of them, and the documentation of the crates for processes beside it.
//!
//! The pages lie in the book as in the repository, so every link is good in both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::links::{self, API, Pages};
use crate::crates::{root, selection, target_folder};
use crate::process::{cargo, check, describe};

/// The list of chapters.
const SUMMARY: &str = "docs/SUMMARY.md";
/// How the book looks: mdBook's own file, and what it names.
const LOOK: [&str; 2] = ["book.toml", "book.css"];
/// The program that makes HTML of it, and its version.
const MDBOOK: (&str, &str) = ("mdbook", "0.5.4");
/// Crates whose documentation is part of it.
const CRATES: [&str; 4] = [
    "giornata-rt",
    "giornata-abi",
    "giornata-build",
    "giornata-c",
];

/// Builds the book; returns its first page.
///
/// # Errors
/// What mdBook or rustdoc warns of, and links that lead nowhere.
pub(crate) fn build(pages: &Pages) -> Result<PathBuf> {
    let folder = target_folder().join("book");
    let source = folder.join("src");
    if source.exists() {
        fs::remove_dir_all(&source).context("the pages of before")?;
    }
    let (files, complaints) = contents(pages)?;
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    for file in &files {
        copy(&root().join(file), &source.join(file))?;
    }
    fs::write(source.join("SUMMARY.md"), summary(pages)?).context("the list of chapters")?;
    for file in LOOK {
        copy(&root().join("docs").join(file), &folder.join(file))?;
    }
    render(&folder)?;
    let html = folder.join("html");
    document(&html)?;
    for (path, page) in pages {
        for link in &page.links {
            let there = links::resolve(path, &link.target);
            let is_missing = there.starts_with(API) && !html.join(&there).exists();
            let (page, line) = (path.display(), link.line);
            ensure!(!is_missing, "{page}:{line}: no crate has `{}`", link.target);
        }
    }
    Ok(html.join("index.html"))
}

/// The chapters' paths, from the root on.
fn chapters(pages: &Pages) -> Result<Vec<PathBuf>> {
    let page = pages.get(Path::new(SUMMARY)).context(SUMMARY)?;
    let path = |link: &crate::page::Link| links::resolve(Path::new(SUMMARY), &link.target);
    Ok(page.links.iter().map(path).collect())
}

/// The files of the book, and what is wrong with its pages: they link to others that are
/// not in it.
pub(crate) fn contents(pages: &Pages) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let chapters = chapters(pages)?;
    let mut files = chapters.clone();
    let mut complaints = Vec::new();
    for chapter in &chapters {
        let Some(page) = pages.get(chapter) else {
            complaints.push(format!("{SUMMARY}: there is no page {}", chapter.display()));
            continue;
        };
        for link in &page.links {
            let file = link.target.split('#').next().unwrap_or_default();
            let there = links::resolve(chapter, file);
            if links::is_elsewhere(&link.target) || there.starts_with(API) {
                continue;
            }
            let what = match there.extension() {
                _ if root().join(&there).is_dir() => "is a folder; name a file of it",
                Some(kind) if kind == "md" && !chapters.contains(&there) => {
                    "is no chapter: add it to docs/SUMMARY.md"
                }
                _ => {
                    files.push(there);
                    continue;
                }
            };
            let (page, line) = (chapter.display(), link.line);
            complaints.push(format!("{page}:{line}: {} {what}", there.display()));
        }
    }
    files.sort();
    files.dedup();
    Ok((files, complaints))
}

/// The list of chapters, with paths from the root on.
fn summary(pages: &Pages) -> Result<String> {
    let mut text = fs::read_to_string(root().join(SUMMARY)).context(SUMMARY)?;
    let page = pages.get(Path::new(SUMMARY)).context(SUMMARY)?;
    for (link, path) in page.links.iter().zip(chapters(pages)?) {
        let (old, new) = (&link.target, path.display());
        text = text.replacen(&format!("]({old})"), &format!("]({new})"), 1);
    }
    Ok(text)
}

/// Has mdBook make HTML of the pages; what it warns of is an error.
fn render(folder: &Path) -> Result<()> {
    let mut command = Command::new(mdbook()?);
    command.arg("build").arg(folder);
    let output = command.output().with_context(|| describe(&command))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let is_good = output.status.success() && !said.contains("WARN") && !said.contains("ERROR");
    ensure!(is_good, "mdBook complains:\n{said}");
    Ok(())
}

/// mdBook, which is installed into the build folder if it is missing.
fn mdbook() -> Result<PathBuf> {
    let (name, version) = MDBOOK;
    let folder = target_folder()
        .join("tools")
        .join(format!("{name}-{version}"));
    let program = folder.join("bin").join(name);
    if !program.exists() {
        eprintln!("x: the book is made by {name} {version}; building it, once");
        let mut command = cargo();
        command.args(["install", "--quiet", "--locked", name, "--version", version]);
        command.args(["--no-default-features", "--features", "search"]);
        check(command.arg("--root").arg(&folder))?;
    }
    Ok(program)
}

/// Documents the crates for processes, beside the pages.
fn document(html: &Path) -> Result<()> {
    let folder = target_folder().join("book/crates");
    let mut command = cargo();
    command.args(["doc", "--quiet", "--no-deps", "--locked"]);
    command
        .args(selection(CRATES))
        .arg("--target-dir")
        .arg(&folder);
    check(command.env("RUSTDOCFLAGS", "-Dwarnings"))?;
    let mut copy = Command::new("cp");
    check(copy.arg("-R").arg(folder.join("doc")).arg(html.join(API)))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let Some(folder) = to.parent() else {
        bail!("{} has no folder", to.display());
    };
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(())
}
