//! `giornata new PATH [--name NAME] [--c | --posix | --rust] [--board BOARD]`

mod name;
mod template;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use giornata_launch::home;
use giornata_system::{Board, problem};

use crate::arguments::New;
use crate::complaint::Complaint;
use crate::report::{Report, Verdict};
use template::{C, POSIX, RUST, Values};

/// Makes a folder with a system that runs.
pub(crate) fn run(arguments: &New, report: &mut Report) -> Verdict {
    match make(arguments) {
        Ok(project) => {
            let folder = arguments.path.display();
            report.tell("folder", folder.to_string());
            report.tell("name", project);
            report.say(format!(
                "{folder}: made. Go there, then: giornata run, giornata test\n"
            ));
            Verdict::Good
        }
        Err(complaint) => {
            report.diagnose(complaint);
            Verdict::BadInput
        }
    }
}

/// Writes the files; answers the project's name.
fn make(arguments: &New) -> Result<String, Complaint> {
    let folder = &arguments.path;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => name_of(folder)?,
    };
    check_name(&name)?;
    home::check().map_err(|why| {
        let help = "run `./x install` in the folder where giornata lies now";
        Complaint::new("giornata::home", why.to_string(), help)
    })?;
    check_board(&arguments.board)?;
    empty(folder)?;
    let channel = home::channel().unwrap_or_else(|| "stable".into());
    let values = Values {
        name: &name,
        board: &arguments.board,
        home: &home::root().display().to_string(),
        channel: &channel,
    };
    let files = match (arguments.c, arguments.posix) {
        (true, _) => C,
        (_, true) => POSIX,
        _ => RUST,
    };
    for (path, text) in files {
        write(&folder.join(path), &values.fill(text)).map_err(|(at, error)| {
            let message = format!("cannot write {}: {error}", at.display());
            let help = "make the project in a folder that can be written";
            Complaint::new("giornata::unwritable", message, help)
        })?;
    }
    Ok(name)
}

/// What the last part of a path says.
fn name_of(folder: &Path) -> Result<String, Complaint> {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy());
    name.map(|name| name.into_owned()).ok_or_else(|| {
        let message = format!("{} names no folder", folder.display());
        Complaint::new("giornata::name", message, "name the folder to make")
    })
}

fn check_name(name: &str) -> Result<(), Complaint> {
    let Some((why, better)) = name::fault(name) else {
        return Ok(());
    };
    let help = match better {
        Some(better) => format!("call it `{better}`: --name {better}"),
        None => "give it another: --name NAME".into(),
    };
    let message = format!("`{name}` cannot name a project: {why}");
    Err(Complaint::new("giornata::name", message, help))
}

fn check_board(board: &str) -> Result<(), Complaint> {
    let known = Board::known(home::root());
    if known.iter().any(|name| name == board) {
        return Ok(());
    }
    let help = problem::suggest(board, known.iter().map(String::as_str));
    let message = format!("there is no board `{board}`");
    Err(Complaint::new("giornata::board", message, help))
}

/// The folder is not there, or nothing is in it.
fn empty(folder: &Path) -> Result<(), Complaint> {
    let message = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) if folder.is_file() => format!("{} is a file", folder.display()),
        Err(error) => format!("{} cannot be read: {error}", folder.display()),
        Ok(mut entries) => match entries.next() {
            None => return Ok(()),
            Some(_) => format!("the folder {} is not empty", folder.display()),
        },
    };
    let help = "name a folder that is not there yet, or an empty one";
    Err(Complaint::new("giornata::not-empty", message, help))
}

/// Writes a file, and its folder if need be; else what could not be written, and why.
fn write(path: &Path, text: &str) -> Result<(), (PathBuf, io::Error)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| (folder.to_owned(), error))?;
    }
    fs::write(path, text).map_err(|error| (path.to_owned(), error))
}
