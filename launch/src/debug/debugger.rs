//! The debugger: which one is here, and how it begins.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::unregister;

use crate::debug::session::Session;
use crate::home::root;

/// Names another gdb.
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
/// Our commands in gdb, in giornata's home.
const COMMANDS: &str = "launch/gdb/giornata.py";

/// What to install, by its name on Debian.
const MEND: &str = "install gdb for RISC-V (Debian: `apt-get install gdb-multiarch`), or name one \
                    in GIORNATA_GDB";

/// How often it is looked whether the debugger has ended.
const PULSE: Duration = Duration::from_millis(50);

type Flag = Arc<AtomicBool>;

/// A debugger of this machine.
#[derive(Debug)]
pub(crate) enum Debugger {
    /// With Python, for RISC-V.
    Gdb(OsString),
    /// Without our commands.
    Lldb,
}

/// The debugger of this machine.
pub(crate) fn find() -> Result<Debugger> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        ensure!(
            knows(&named),
            "{} (named in {VARIABLE}) is no gdb with Python for RISC-V: {MEND}",
            named.display()
        );
        return Ok(Debugger::Gdb(named));
    }
    if let Some(found) = GDBS.iter().find(|name| knows(OsStr::new(name))) {
        return Ok(Debugger::Gdb(found.into()));
    }
    match Command::new(LLDB)
        .arg("--version")
        .stdout(Stdio::null())
        .status()
    {
        Ok(status) if status.success() => Ok(Debugger::Lldb),
        _ => bail!("there is no debugger for RISC-V here: {MEND}"),
    }
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
            Debugger::Lldb => lldb(session)?,
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

fn lldb(session: &Session) -> Result<Command> {
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
    match session.targets() {
        (Some(socket), _) => text += &format!("gdb-remote unix-connect://{}\n", socket.display()),
        (_, Some(core)) => text += &format!("target create --core \"{}\"\n", core.display()),
        _ => {}
    }
    eprintln!("lldb has none of giornata's commands (giornata-threads, ...): {MEND}");
    let mut command = Command::new(LLDB);
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
