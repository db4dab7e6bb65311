//! The debugger: which one is here, and how it begins.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::unregister;

use crate::debug::session::Session;
use crate::home::root;

/// Names another debugger.
const VARIABLE: &str = "GIORNATA_GDB";
/// Debuggers that know RISC-V, by their usual names; the plain one may.
const GDBS: [&str; 4] = [
    "gdb-multiarch",
    "riscv64-unknown-elf-gdb",
    "riscv64-elf-gdb",
    "gdb",
];
/// Where there is no gdb: symbols and breakpoints, and none of our commands.
const LLDB: &str = "lldb";
/// The first release of it that knows which register of a RISC-V machine is which.
const LLDB_KNOWS: u32 = 18;
/// Our commands in gdb, in giornata's home.
const COMMANDS: &str = "launch/gdb/giornata.py";

/// What to install, by its name on Debian.
const INSTALL: &str = "install gdb for RISC-V (Debian: `apt-get install gdb-multiarch`)";
/// Or what to name.
const MEND: &str = "or name one, or lldb 18 or later, in GIORNATA_GDB";

/// How often it is looked whether the debugger has ended.
const PULSE: Duration = Duration::from_millis(50);

type Flag = Arc<AtomicBool>;

/// A debugger of this machine.
#[derive(Debug)]
pub(crate) enum Debugger {
    /// With Python, for RISC-V.
    Gdb(OsString),
    /// Without our commands.
    Lldb(OsString),
}

/// The debugger of this machine.
pub(crate) fn find() -> Result<Debugger> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return of(&named).with_context(|| {
            let named = named.display();
            format!("{named} (named in {VARIABLE}) is no debugger for RISC-V: {INSTALL}, {MEND}")
        });
    }
    let names = GDBS.iter().chain([&LLDB]);
    let found = names.into_iter().find_map(|name| of(OsStr::new(name)));
    found.with_context(|| format!("there is no debugger for RISC-V here: {INSTALL}, {MEND}"))
}

/// The debugger of a name, if it is one for RISC-V.
fn of(name: &OsStr) -> Option<Debugger> {
    if knows(name) {
        return Some(Debugger::Gdb(name.into()));
    }
    let output = Command::new(name).arg("--version").output().ok()?;
    let release = release_of_lldb(&String::from_utf8_lossy(&output.stdout))?;
    (release >= LLDB_KNOWS).then(|| Debugger::Lldb(name.into()))
}

/// From what it says of its version.
fn release_of_lldb(said: &str) -> Option<u32> {
    let version = said
        .lines()
        .find_map(|line| line.split_once("lldb version "));
    version?.1.split('.').next()?.trim().parse().ok()
}

/// Whether it is a gdb that knows RISC-V and Python.
fn knows(gdb: &OsStr) -> bool {
    let output = Command::new(gdb)
        .args(["-nx", "-batch", "-ex", "set architecture riscv:rv64"])
        .args(["-ex", "python print('giornata')"])
        .stdin(Stdio::null())
        .output();
    output.is_ok_and(|output| {
        output.status.success()
            && String::from_utf8_lossy(&output.stdout).contains("giornata")
            && output.stderr.is_empty()
    })
}

impl Debugger {
    /// Runs it on this terminal, with what more it is to get, until it ends.
    pub(crate) fn start(&self, session: &Session, arguments: &[OsString]) -> Result<()> {
        let mut command = match self {
            Debugger::Gdb(name) => gdb(name, session)?,
            Debugger::Lldb(name) => lldb(name, session)?,
        };
        // Ctrl-C is for the debugger, which stops the machine. Who ends this program, or
        // closes the terminal, ends both.
        let (heard, ended) = (Flag::default(), Flag::default());
        let mut kept = vec![flag::register(SIGINT, heard).context("Ctrl-C")?];
        for signal in [SIGTERM, SIGHUP] {
            kept.push(flag::register(signal, Arc::clone(&ended)).context("signals")?);
        }
        let debugger = command.args(arguments).spawn();
        let mut debugger = debugger
            .with_context(|| format!("{} cannot be started", command.get_program().display()))?;
        while debugger.try_wait().context("the debugger")?.is_none() {
            if ended.load(Ordering::Relaxed) {
                // it may have ended meanwhile
                let _ = debugger.kill();
            }
            std::thread::sleep(PULSE);
        }
        for signal in kept {
            unregister(signal);
        }
        Ok(())
    }
}

fn gdb(name: &OsStr, session: &Session) -> Result<Command> {
    let commands = root().join(COMMANDS);
    ensure!(
        commands.is_file(),
        "there is no {}: giornata's home is not complete",
        commands.display()
    );
    let told = session.tell()?;
    let text = format!(
        "source {}\ngiornata-begin {}\n",
        commands.display(),
        told.display()
    );
    let mut command = Command::new(name);
    command
        .arg("-q")
        .arg("-x")
        .arg(session.file("begin.gdb", &text)?);
    // nothing is written into giornata's home
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

fn lldb(name: &OsStr, session: &Session) -> Result<Command> {
    let mut symbols = session.symbols();
    let kernel = symbols.next().context("the kernel's symbols")?;
    let mut text = format!("target create \"{}\"\n", kernel.display());
    for process in symbols {
        let process = process.display();
        text += &format!("target modules add \"{process}\"\n");
        text += &format!("target modules load --file \"{process}\" --slide 0\n");
    }
    for (before, after) in sources() {
        text += &format!("settings append target.source-map \"{before}\" \"{after}\"\n");
    }
    let (socket, core) = session.targets();
    ensure!(core.is_none(), "lldb does not read a dump: {INSTALL}");
    if let Some(socket) = socket {
        let socket = socket.display();
        text += &format!("process connect --plugin gdb-remote unix-connect://{socket}\n");
    }
    eprintln!("lldb has none of giornata's commands (giornata-threads, ...): {INSTALL}");
    let mut command = Command::new(name);
    command.arg("-s").arg(session.file("begin.lldb", &text)?);
    Ok(command)
}

/// Where sources lie of which symbols say otherwise: those of Rust's own crates.
pub(crate) fn sources() -> Vec<(String, String)> {
    let ask = |arguments: &[&str]| -> Option<String> {
        let mut rustc = Command::new("rustc");
        let output = rustc.args(arguments).current_dir(root()).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let found = || {
        let version = ask(&["--version", "--verbose"])?;
        let commit = version
            .lines()
            .find_map(|line| line.strip_prefix("commit-hash: "))?;
        let sysroot = ask(&["--print", "sysroot"])?;
        let sources = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust");
        sources.is_dir().then(|| {
            let before = format!("/rustc/{commit}");
            (before, sources.display().to_string())
        })
    };
    found().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_of_lldb_is_read_as_distributions_print_it() {
        let plain = "lldb version 14.0.6\n";
        let ubuntu = "Ubuntu lldb version 19.1.1\n  build 1\n";
        assert_eq!(release_of_lldb(plain), Some(14));
        assert_eq!(release_of_lldb(ubuntu), Some(19));
        assert_eq!(release_of_lldb("lldb version 20.1.0-rc1"), Some(20));
        assert_eq!(release_of_lldb("GNU gdb (Debian 13.1-3) 13.1"), None);
    }
}
