//! Links between the pages of the repository: each leads to a file that is there, and to a
//! heading that it has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::crates::root;
use crate::page::Page;
use crate::process::capture;

/// Where the API documentation lies in the book: it is there when the book is built.
pub(crate) const API: &str = "docs/api/";

/// All pages of the repository, by their paths.
pub(crate) type Pages = BTreeMap<PathBuf, Page>;

/// Reads all pages that are under version control, or will be.
///
/// # Errors
/// git does not list them; one cannot be read.
pub(crate) fn pages() -> Result<Pages> {
    let mut git = Command::new("git");
    git.current_dir(root()).args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.md",
    ]);
    let names = capture(&mut git)?;
    let read = |name: &str| {
        let text = std::fs::read_to_string(root().join(name)).with_context(|| name.to_string())?;
        Ok((PathBuf::from(name), Page::read(&text)))
    };
    let is_there = |name: &&str| root().join(name).exists();
    names.lines().filter(is_there).map(read).collect()
}

/// What is wrong with the links of all pages: `PAGE:LINE: what`.
pub(crate) fn complaints(pages: &Pages) -> Vec<String> {
    let mut complaints = Vec::new();
    for (path, page) in pages {
        for link in &page.links {
            if let Err(why) = follow(pages, path, page, &link.target) {
                complaints.push(format!("{}:{}: {why}", path.display(), link.line));
            }
        }
    }
    complaints
}

/// Follows a link of a page.
fn follow(pages: &Pages, path: &Path, page: &Page, target: &str) -> Result<(), String> {
    if is_elsewhere(target) {
        return Ok(());
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let there = resolve(path, file);
    let other = match file {
        "" => Some(page),
        _ if there.starts_with(API) => return Ok(()),
        _ if !root().join(&there).exists() => {
            return Err(format!(
                "`{target}` leads to {}, which is not there",
                there.display()
            ));
        }
        _ => pages.get(&there),
    };
    match other {
        _ if anchor.is_empty() => Ok(()),
        Some(other) if other.anchors.iter().any(|name| name == anchor) => Ok(()),
        Some(_) => Err(format!("`{target}`: there is no heading `#{anchor}`")),
        None => Err(format!("`{target}` names a heading of what is no page")),
    }
}

/// Whether a link leads out of the repository.
pub(crate) fn is_elsewhere(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The path of a link's file, from the root on.
pub(crate) fn resolve(page: &Path, file: &str) -> PathBuf {
    if file.is_empty() {
        return page.to_path_buf();
    }
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(file).components() {
        match part {
            std::path::Component::ParentDir => _ = path.pop(),
            std::path::Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(link: &str) -> Option<String> {
        let pages: Pages = [
            ("README.md", format!("# Top\n\n[a]({link})\n")),
            ("ARCHITECTURE.md", "# Part one\n".to_string()),
        ]
        .map(|(name, text)| (name.into(), Page::read(&text)))
        .into();
        complaints(&pages).pop()
    }

    #[test]
    fn links_that_lead_somewhere_are_good() {
        for link in [
            "x",
            "Cargo.toml",
            "ARCHITECTURE.md",
            "ARCHITECTURE.md#part-one",
            "#top",
            "https://rustup.rs",
            "docs/api/giornata_rt/index.html",
        ] {
            assert_eq!(complaint(link), None);
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_told_with_their_place() {
        let told = complaint("ARCHITECTURE.md#part-two").unwrap();
        assert!(
            told.starts_with("README.md:3: ") && told.contains("`#part-two`"),
            "{told}"
        );
        assert!(
            complaint("no-such.md")
                .unwrap()
                .contains("no-such.md, which is not there")
        );
        assert!(complaint("#bottom").is_some() && complaint("x#y").is_some());
    }
}
