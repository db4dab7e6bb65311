//! The crates that processes are made of: which one a system file means, and where it
//! lies.

use crate::file::{Spanned, SystemFile};
use crate::image::rust;
use crate::problem::{Problem, Refusal, nearest};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The package of what <giornata.h> declares: all the Rust of a process that is
/// written in C.
const C_API: &str = "giornata-c";
/// The same of one that is written after POSIX.
const POSIX_API: &str = "giornata-posix";

/// A crate, and the folder of which cargo builds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Package {
    /// A folder of its workspace.
    pub(crate) folder: PathBuf,
    /// Its name there.
    pub(crate) name: String,
}

impl Package {
    /// What a process in C is linked with, from the home of the kernel.
    pub(crate) fn of_c(is_posix: bool, home: &Path) -> Package {
        let name = match is_posix {
            true => POSIX_API,
            false => C_API,
        };
        Package {
            folder: home.into(),
            name: name.into(),
        }
    }

    /// Whether it may include identifiers, so that each system has its own.
    pub(crate) fn has_identifiers(&self) -> bool {
        ![C_API, POSIX_API].contains(&self.name.as_str())
    }
}

/// The crate of a process as other packages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The folder of its manifest.
    pub folder: PathBuf,
}

/// What a workspace has.
struct Workspace {
    root: PathBuf,
    packages: Vec<Member>,
}

/// A package of a workspace.
struct Member {
    name: String,
    has_library: bool,
    /// The folder of its manifest.
    folder: PathBuf,
}

/// The crate that `word` means in a system file, and where it lies: see [`find`].
///
/// # Errors
/// There is none, or it has no library; cargo does not understand its workspace.
pub fn crate_of(file: &SystemFile, word: &Spanned<String>, home: &Path) -> Result<Crate, Refusal> {
    let refuse = |reason: String, mend: String| -> Refusal {
        Problem::new(reason, mend)
            .at(&file.source, word.span())
            .into()
    };
    let Package { folder, name } = find(file, word, home)?;
    let workspace = Workspace::of(&folder, home, &refuse)?;
    let members = workspace
        .into_iter()
        .flat_map(|workspace| workspace.packages);
    let found = members.into_iter().find(|member| member.name == name);
    let found = found.map(|member| member.folder);
    let folder = found.ok_or_else(|| {
        let reason = format!("there is no crate `{name}`");
        refuse(reason, "give a folder with a Cargo.toml".into())
    })?;
    Ok(Crate { name, folder })
}

/// The crate that `word` means in a system file: a folder beside the file, or else one of
/// the file's workspace by its name, or else one of `home`, the workspace of the kernel.
///
/// # Errors
/// There is none, or it has no library; cargo does not understand its workspace.
pub(crate) fn find(
    file: &SystemFile,
    word: &Spanned<String>,
    home: &Path,
) -> Result<Package, Refusal> {
    let name = word.get_ref();
    let refuse = |reason: String, mend: String| -> Refusal {
        Problem::new(reason, mend)
            .at(&file.source, word.span())
            .into()
    };
    let folder = file.relative(name);
    let manifest = folder.join("Cargo.toml");
    let (own, wanted) = match manifest.is_file() {
        true => (folder.clone(), named(&manifest, &refuse)?),
        false => (file.relative("."), name.clone()),
    };
    let mut known = Vec::new();
    for folder in [own, home.to_path_buf()] {
        let Some(workspace) = Workspace::of(&folder, home, &refuse)? else {
            continue;
        };
        let mut members = workspace.packages.iter();
        match members.find(|member| member.name == wanted) {
            Some(member) if member.has_library => {
                // (the same for all systems of a workspace, so that builds which share a
                // memory compile it once)
                let folder = match manifest.is_file() || folder == home {
                    true => folder,
                    false => workspace.root,
                };
                return Ok(Package {
                    folder,
                    name: wanted,
                });
            }
            Some(_) => {
                let reason = format!("crate `{wanted}` has no library");
                return Err(refuse(reason, "give it one: `src/lib.rs`".into()));
            }
            None => known.extend(workspace.packages.into_iter().map(|member| member.name)),
        }
    }
    let mend = match nearest(&wanted, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "give a folder with a Cargo.toml beside the system file, or a package of its \
                 workspace"
            .into(),
    };
    Err(refuse(format!("there is no crate `{wanted}`"), mend))
}

/// The package that a manifest names.
fn named(manifest: &Path, refuse: &impl Fn(String, String) -> Refusal) -> Result<String, Refusal> {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    let table = text.parse::<toml::Table>().ok();
    let name = table
        .as_ref()
        .and_then(|table| table.get("package")?.get("name")?.as_str());
    name.map(str::to_string).ok_or_else(|| {
        let reason = format!("{} names no package", manifest.display());
        refuse(reason, "add `[package]` with `name`".into())
    })
}

impl Workspace {
    /// The workspace that a folder belongs to, if it belongs to one.
    fn of(
        folder: &Path,
        home: &Path,
        refuse: &impl Fn(String, String) -> Refusal,
    ) -> Result<Option<Workspace>, Refusal> {
        let is_in_one = folder
            .canonicalize()
            .is_ok_and(|folder| folder.ancestors().any(|at| at.join("Cargo.toml").is_file()));
        if !is_in_one {
            return Ok(None);
        }
        let mut command = rust::cargo(home);
        command
            .args([
                "metadata",
                "--no-deps",
                "--offline",
                "--format-version",
                "1",
            ])
            .current_dir(folder)
            .stdin(Stdio::null());
        let output = command.output().map_err(|error| {
            let mend = "install the pinned toolchain: `rustup toolchain install`";
            refuse(format!("cannot run cargo: {error}"), mend.into())
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let reason = format!(
                "cargo does not understand the workspace of {}",
                folder.display()
            );
            return Err(refuse(reason, said.trim().to_string()));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let packages = packages.filter_map(|package| {
            let name = package["name"].as_str()?.to_string();
            let mut targets = package["targets"].as_array()?.iter();
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some(Member {
                name,
                has_library: targets.any(is_library),
                folder: manifest.parent()?.to_path_buf(),
            })
        });
        Ok(Some(Workspace {
            root: metadata["workspace_root"]
                .as_str()
                .map_or_else(|| folder.to_path_buf(), PathBuf::from),
            packages: packages.collect(),
        }))
    }
}

/// Whether a target of a package can be compiled into a process.
fn is_library(target: &Value) -> bool {
    let kinds = target["kind"].as_array().into_iter().flatten();
    kinds
        .filter_map(Value::as_str)
        .any(|kind| kind.ends_with("lib"))
}
