//! What a debugger is told of a machine, and what it asks of it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use giornata_system::{DebugMap, Emulator, NameMap};
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;

use crate::debug::core_file::{self, About, Hart};
use crate::debug::halted::Halted;
use crate::debug::stub::Stub;
use crate::debug::{debugger, telling};
use crate::image::Image;
use crate::machine::{Machine, Patience};
use crate::qmp::{Monitor, Post};

/// What keeps the clock of a machine that a breakpoint stops. QEMU takes a processor that
/// has just been stopped for one that sleeps, and lets the clock jump to the next event that
/// any device waits for. A filter of a network that nobody uses waits for one every 10 us,
/// so a breakpoint costs less than that, and not the time to the next alarm.
const STILL: [&str; 4] = [
    "-netdev",
    "hubport,id=still,hubid=0",
    "-object",
    "filter-buffer,id=still0,netdev=still,queue=all,interval=10",
];

/// A debugger's session; its files go when it ends.
pub(crate) struct Session {
    folder: TempDir,
    /// Where the executables with symbols lie.
    symbols: PathBuf,
    map: DebugMap,
    told: Told,
}

/// What the commands in `launch/gdb` are told.
#[derive(Debug, Default, Serialize)]
struct Told {
    /// A file: the debug map.
    map: PathBuf,
    /// Where the executables with symbols lie.
    folder: PathBuf,
    /// Where the sources lie of which the symbols say otherwise.
    sources: Vec<(String, String)>,
    /// Where QEMU waits for a debugger.
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<PathBuf>,
    /// Where this program waits for requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    control: Option<PathBuf>,
    /// A dump,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<PathBuf>,
    /// and what the hart held.
    #[serde(skip_serializing_if = "Option::is_none")]
    hart: Option<Hart>,
    /// Whether a dump is made at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    dump: Option<PathBuf>,
    /// The first lines.
    hello: Vec<String>,
}

impl Session {
    /// A session with the machine of a map; `symbols`: where the executables lie.
    pub(crate) fn new(symbols: &Path, map: DebugMap) -> Result<Session> {
        let folder = tempfile::tempdir().context("a folder for the session")?;
        Ok(Session {
            told: Told {
                map: folder.path().join("map.json"),
                folder: symbols.into(),
                sources: debugger::sources(),
                ..Told::default()
            },
            symbols: symbols.into(),
            folder,
            map,
        })
    }

    /// Tells an emulator to wait for a debugger that people use.
    pub(crate) fn prepare(&mut self, emulator: &mut Emulator) -> Result<Post> {
        emulator.arguments.extend(STILL.map(String::from));
        self.wait(emulator)
    }

    /// Tells an emulator to wait for a debugger before its first instruction, and to call.
    pub(crate) fn wait(&mut self, emulator: &mut Emulator) -> Result<Post> {
        let socket = self.folder.path().join("gdb");
        let device = format!("unix:{},server=on,wait=off", socket.display());
        emulator
            .arguments
            .extend(["-S".into(), "-gdb".into(), device]);
        self.told.socket = Some(socket);
        Post::new(self.folder.path(), emulator)
    }

    /// This program as the debugger of the machine.
    pub(crate) fn stub(&self) -> Result<Stub> {
        Stub::connect(self.told.socket.as_deref().context("no machine waits")?)
    }

    /// It is a machine that waits.
    pub(crate) fn live(&mut self, title: &str, names: &NameMap, log: &Path, dump: Option<&Path>) {
        self.told.control = Some(self.folder.path().join("control"));
        self.told.dump = dump.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.into()));
        self.told.hello =
            vec![
            format!("{title} on {} waits before its first instruction.", names.board),
            format!("What it says goes to {}.", log.display()),
            "`continue` lets it run, Ctrl-C stops it, `help giornata-threads` and `docs/debug.md` \
             say more."
                .into(),
        ];
    }

    /// It is a dump; it is said if its symbols are of another image.
    pub(crate) fn dumped(&mut self, file: &Path, hart: Hart) -> Result<()> {
        self.told.core = Some(file.canonicalize().context("the dump")?);
        self.told.hart = Some(hart);
        let names = &self.map.names;
        let mut hello = vec![format!("A dump of {} on {}.", names.system, names.board)];
        let image = self.symbols.join(format!("{}.elf", names.system));
        let image = std::fs::read(image);
        if image
            .map(|image| giornata_system::debug_map::fingerprint(&image))
            .ok()
            != Some(self.map.image.clone())
        {
            hello.push(format!(
                "What lies in {} is not the image that ran: functions and lines are wrong \
                 until that is built again.",
                self.symbols.display()
            ));
        }
        self.told.hello = hello;
        Ok(())
    }

    /// The map and the executables, by their paths.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = PathBuf> {
        self.map.symbols.iter().map(|file| self.symbols.join(file))
    }

    /// Where QEMU waits for a debugger, and the dump if that is what there is.
    pub(crate) fn targets(&self) -> (Option<&Path>, Option<&Path>) {
        (self.told.socket.as_deref(), self.told.core.as_deref())
    }

    /// A file of the session, written.
    pub(crate) fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        Ok(path)
    }

    /// What the commands in `launch/gdb` begin with, written.
    pub(crate) fn tell(&self) -> Result<PathBuf> {
        self.file("map.json", &self.map.to_json())?;
        self.file("session.json", &serde_json::to_string(&self.told)?)
    }

    /// Writes what a machine holds that does not run.
    pub(crate) fn dump(&self, monitor: &mut Monitor, file: &Path) -> Result<()> {
        let halted = Halted::ask(monitor, &self.map, self.folder.path())?;
        let about = About {
            folder: self.symbols.display().to_string(),
            map: self.map.clone(),
            hart: Hart {
                pc: halted.pc,
                mscratch: halted.current,
            },
        };
        let bytes = core_file::write(&about, &halted)?;
        std::fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Answers requests of the debugger's commands while it runs.
    pub(crate) fn serve(
        &self,
        monitor: &Mutex<Monitor>,
        debugger: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let Some(path) = &self.told.control else {
            return debugger();
        };
        let listener = UnixListener::bind(path).context("the debugger's requests")?;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for line in listener.incoming().map_while(Result::ok) {
                    match self.answer(line, monitor) {
                        Ok(true) => {}
                        // nobody waits for the answer any more
                        Ok(false) | Err(_) => break,
                    }
                }
            });
            let result = debugger();
            if let Ok(mut line) = UnixStream::connect(path) {
                let _ = line.write_all(b"end\n");
            }
            result
        })
    }

    /// Answers a request; false: it was the last.
    fn answer(&self, line: UnixStream, monitor: &Mutex<Monitor>) -> Result<bool> {
        let mut request = String::new();
        BufReader::new(line.try_clone()?).read_line(&mut request)?;
        let said = match request.trim().split_once(' ') {
            Some(("dump", file)) => {
                let mut monitor = monitor.lock().unwrap_or_else(|broken| broken.into_inner());
                match self.dump(&mut monitor, Path::new(file)) {
                    Ok(()) => format!("written: {file}"),
                    Err(error) => format!("error: {error:#}"),
                }
            }
            _ if request.trim() == "end" => return Ok(false),
            _ => format!("error: no request: {request}"),
        };
        writeln!(&line, "{said}")?;
        Ok(true)
    }
}

/// Boots a machine that waits, has its console told to a file, and hands its monitor out;
/// at the end it is stopped.
pub(crate) fn with_machine(
    image: Image,
    log: &Path,
    post: Post,
    session: impl FnOnce(&Mutex<Monitor>) -> Result<()>,
) -> Result<()> {
    let mut machine = Machine::boot_apart(&image, Patience::ENDLESS)?;
    std::thread::scope(|scope| {
        let teller = scope.spawn(|| {
            let told = telling::tell(&mut machine, &image.names, log);
            post.close();
            told
        });
        let result = post.answer().and_then(|monitor| {
            let monitor = Mutex::new(monitor);
            let result = session(&monitor);
            let mut monitor = monitor
                .into_inner()
                .unwrap_or_else(|broken| broken.into_inner());
            // it may have stopped by itself
            let _ = monitor.call("quit", json!({}));
            result
        });
        let told = teller.join().unwrap_or_else(|_| bail!("the log broke off"));
        result.and(told)
    })
}
