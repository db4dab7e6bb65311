//! The real functions of a system: its process crates compiled for the host, in a
//! program of their own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use giornata_abi::process::{Direction, FunctionKind};
use giornata_launch::home;
use giornata_sim::{Functions as Reached, Native, Simulation};
use giornata_sim_functions::{Client, Described, Failure, Process};
use giornata_system::functions::{Function, Functions as Provided, Parameter};
use giornata_system::image::{Crate, crate_of};
use giornata_system::model::Work;
use giornata_system::{BuildOptions, Model, Problem, Project, Refusal, identifiers};

/// The program's package, in front of the system's name.
const PACKAGE: &str = "giornata-functions-";

/// Functions of a system that run.
pub(crate) struct Functions {
    processes: Vec<Process>,
    reached: Rc<RefCell<Reached>>,
}

impl Functions {
    /// Compiles the crates of a system for the host, and starts them.
    ///
    /// # Errors
    /// A crate is not there or does not compile; its program does not start.
    pub(crate) fn start(system: &Path, project: &Project) -> miette::Result<Functions> {
        let crates = crates(project)?;
        let program = compile(system, project, &crates)?;
        let started = Client::start(&mut Command::new(&program)).and_then(|mut client| {
            let processes = client.processes()?;
            Ok((client, processes))
        });
        let (client, processes) = started.map_err(|why| {
            let reason = format!("{} does not run: {why}", program.display());
            Refusal::from(Problem::new(reason, "remove it, and try again"))
        })?;
        Ok(Functions {
            processes,
            reached: Reached::new(client),
        })
    }

    /// What the processes provide, for all that are here.
    pub(crate) fn provided(&self) -> BTreeMap<String, Provided> {
        let processes = self.processes.iter();
        let provided = |process: &Process| {
            let functions = process.functions.iter().filter_map(function);
            (process.name.clone(), functions.collect::<Vec<_>>().into())
        };
        processes.map(provided).collect()
    }

    /// Lets the tasks and upcalls of a model run them.
    pub(crate) fn connect(&self, model: &Model, simulation: &mut Simulation<'_>) {
        for (index, thread) in (0u16..).zip(&model.threads) {
            if thread.task.is_some()
                && let Some(native) = self.native(model, thread.process, &thread.function)
            {
                simulation.set_thread(index, native);
            }
        }
        for (index, driver) in (0u16..).zip(&model.drivers) {
            if let Work::Upcall { process, .. } = driver.work
                && let Some(native) = self.native(model, process, &driver.function)
            {
                simulation.set_driver(index, native);
            }
        }
    }

    fn native(&self, model: &Model, process: u16, name: &str) -> Option<Native> {
        let process = &model.processes.get(usize::from(process))?.name;
        let number = self.processes.iter().position(|own| own.name == *process)?;
        let functions = &self.processes[number].functions;
        let function = functions.iter().position(|own| own.name == name)?;
        let parameters = functions[function].parameters.iter();
        let placed = parameters.filter(|p| p.direction != Direction::State as u8);
        let sizes = placed.map(|parameter| parameter.size as usize);
        let place = (number as u16, function as u16);
        Some(Native::elsewhere(&self.reached, place, sizes))
    }

    /// Why functions were not run any more, if that is so.
    pub(crate) fn failure(&self) -> Option<String> {
        self.reached.borrow().failure().map(Failure::to_string)
    }
}

fn function(described: &Described) -> Option<Function> {
    let kinds = [
        FunctionKind::Task,
        FunctionKind::Driver,
        FunctionKind::Thread,
    ];
    let directions = [Direction::Input, Direction::Output, Direction::State];
    let kind = kinds
        .into_iter()
        .find(|kind| *kind as u8 == described.kind)?;
    let parameters = described.parameters.iter().map(|parameter| {
        let mut all = directions.into_iter();
        Some(Parameter {
            direction: all.find(|direction| *direction as u8 == parameter.direction)?,
            size: parameter.size as usize,
            type_name: parameter.type_name.clone(),
        })
    });
    Some(Function {
        name: described.name.clone(),
        kind,
        parameters: parameters.collect::<Option<_>>()?,
        body: 0,
    })
}

/// The crate of each process that provides a task or a driver, by the process's name.
fn crates(project: &Project) -> Result<Vec<(String, Crate)>, Refusal> {
    let file = &project.file;
    let provides = file.processes.iter();
    let provides = provides.filter(|p| !p.tasks.is_empty() || !p.drivers.is_empty());
    let found = provides.filter_map(|process| {
        let word = process.code.package.as_ref()?;
        let found = crate_of(file, word, home::root());
        Some(found.map(|found| (process.name.get_ref().clone(), found)))
    });
    found.collect()
}

/// Writes the program and compiles it; answers the executable.
fn compile(
    system: &Path,
    project: &Project,
    crates: &[(String, Crate)],
) -> Result<PathBuf, Refusal> {
    let options = BuildOptions::new(system, home::root());
    let folder = options.out_dir.join("functions");
    let name = format!("{PACKAGE}{}", project.file.name.get_ref());
    let identifiers = folder.join("identifiers.rs");
    let lock = folder.join("Cargo.lock");
    let written = fs::create_dir_all(folder.join("src"))
        .and_then(|()| write(&folder.join("Cargo.toml"), &manifest(&name, crates)))
        .and_then(|()| write(&folder.join("src/main.rs"), &main(crates)))
        .and_then(|()| match lock.exists() {
            // (the versions that are known to go together)
            false => fs::copy(home::root().join("Cargo.lock"), &lock).map(drop),
            true => Ok(()),
        });
    let written = written.map_err(|error| cannot_write(&folder, &error));
    let constants = identifiers::rust(&Model::outline(project)?)?;
    written.and_then(|()| {
        write(&identifiers, &constants).map_err(|error| cannot_write(&identifiers, &error))
    })?;
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_owned());
    let target = absolute(&options.target_dir);
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("GIORNATA_IDENTIFIERS", absolute(&identifiers))
        .status();
    match status {
        Ok(status) if status.success() => Ok(target.join("debug").join(&name)),
        Ok(_) => Err(Problem::new(
            "the processes do not compile for the host",
            "see the compiler's messages above; code for registers of the machine goes behind `#[cfg(target_os = \"none\")]`",
        )
        .into()),
        Err(error) => Err(Problem::new(
            format!("cannot run cargo: {error}"),
            "install the pinned toolchain: `rustup toolchain install`",
        )
        .into()),
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Refusal {
    let reason = format!("cannot write {}: {error}", path.display());
    Problem::new(reason, "free the disk, or make the folder writable").into()
}

/// Writes what is not there already: cargo compiles what is newer than its results.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    match fs::read_to_string(path) {
        Ok(old) if old == text => Ok(()),
        _ => fs::write(path, text),
    }
}

/// The crates, each once, with a name for each.
fn named(crates: &[(String, Crate)]) -> BTreeMap<&Path, String> {
    let mut names = BTreeMap::new();
    for (_, found) in crates {
        let next = format!("process_{}", names.len());
        names.entry(found.folder.as_path()).or_insert(next);
    }
    names
}

fn manifest(name: &str, crates: &[(String, Crate)]) -> String {
    let quoted = |path: &Path| toml_string(&path.display().to_string());
    let served = quoted(&home::root().join("sim/functions"));
    let mut text = format!(
        "# Written by `giornata simulate --functions`.\n\
         [package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [workspace]\n\n[profile.dev]\nopt-level = 1\ndebug = \"line-tables-only\"\n\n\
         [dependencies]\ngiornata-sim-functions = {{ path = {served} }}\n"
    );
    let names = named(crates);
    for (folder, own) in &names {
        let package = crates.iter().find(|(_, found)| found.folder == *folder);
        let package = package.map_or("", |(_, found)| found.name.as_str());
        let path = quoted(folder);
        let _ = writeln!(text, "{own} = {{ package = \"{package}\", path = {path} }}");
    }
    text
}

fn main(crates: &[(String, Crate)]) -> String {
    let names = named(crates);
    let mut text = String::from(
        "//! Written by `giornata simulate --functions`.\n\n\
         fn main() -> std::io::Result<()> {\n    giornata_sim_functions::serve(&[\n",
    );
    for (process, found) in crates {
        let own = &names[found.folder.as_path()];
        let _ = writeln!(text, "        ({process:?}, {own}::process()),");
    }
    text + "    ])\n}\n"
}

/// A string of TOML. A path may have anything in it.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_of_two_processes_is_named_once() {
        let found = |name: &str| Crate {
            name: name.into(),
            folder: format!("/a \"b\"/{name}").into(),
        };
        let crates = [("one", "x"), ("two", "y"), ("three", "x")];
        let crates = crates.map(|(process, name)| (process.to_owned(), found(name)));
        let manifest = manifest("n", &crates);
        assert!(manifest.contains("process_0 = { package = \"x\", path = \"/a \\\"b\\\"/x\" }"));
        assert_eq!(manifest.matches("package = ").count(), 2);
        let main = main(&crates);
        assert!(main.contains("(\"three\", process_0::process()),"));
    }
}
