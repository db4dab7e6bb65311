//! The debugger on a terminal: the commands of `docs/debug.md` are typed into gdb, one after
//! the other, on a pseudo-terminal, and what gdb says must be what the page says.
//!
//! A block of the page that begins with a line "```gdb" is a piece of a session. Each line
//! `(gdb) COMMAND` is typed. Each line behind it must be said, in this order (see [`missing`]). A line `^C` is the key, typed when
//! the machine runs.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::crates::root;
use crate::giornata;
use crate::page::Page;
use crate::said::missing;

/// The page.
const PAGE: &str = "docs/debug.md";
/// The system of its sessions.
const SYSTEM: &str = "tests/debug";
/// What gdb says when it waits for a command.
const PROMPT: &str = "(gdb) ";
/// How long gdb, or the build before it, may say nothing on a slow, loaded machine.
const SILENCE: Duration = Duration::from_secs(400);
/// The key that stops the machine, how a page writes it, and what is said before.
const STOP: (u8, &str) = (3, "^C");
/// See [`STOP`].
const RUNS: &str = "Continuing.";
/// For so long the machine runs then.
const RUN: Duration = Duration::from_millis(300);

/// A command, and what is said then.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    /// The machine is stopped by the key.
    is_stopped: bool,
    said: Vec<String>,
}

/// Plays the sessions of the page: those with a machine, then those with its dump; a note.
pub(crate) fn check() -> Result<String> {
    let page = std::fs::read_to_string(root().join(PAGE)).context(PAGE)?;
    let folder = tempfile::tempdir().context("a folder for the dump")?;
    let dump = folder.path().join("pump.core");
    let steps = |tag: &str| steps(&page, tag, &dump.display().to_string());
    let (live, dumped) = (steps("gdb"), steps("gdb dump"));
    ensure!(
        !live.is_empty() && !dumped.is_empty(),
        "{PAGE} has no sessions"
    );
    play(&["debug", SYSTEM, "--"], &live).context("with a machine")?;
    let file = dump.display().to_string();
    play(&["debug", "--from", &file, "--"], &dumped).context("with a dump")?;
    Ok(format!(
        "{} commands with a machine, {} with its dump",
        live.len(),
        dumped.len()
    ))
}

/// The steps of all blocks of a tag; the dump of the page is `file`.
fn steps(page: &str, tag: &str, file: &str) -> Vec<Step> {
    let page = Page::read(page);
    let blocks = page.blocks.iter().filter(|block| block.info == tag);
    let mut steps: Vec<Step> = Vec::new();
    for line in blocks.flat_map(|block| block.text.lines()) {
        if let Some(command) = line.strip_prefix(PROMPT) {
            steps.push(Step {
                command: command.replace("pump.core", file),
                is_stopped: false,
                said: Vec::new(),
            });
        } else if let (true, Some(step)) = (line == STOP.1, steps.last_mut()) {
            step.is_stopped = true;
        } else if let Some(step) = steps.last_mut() {
            step.said.push(line.replace("pump.core", file));
        }
    }
    steps
}

fn play(arguments: &[&str], steps: &[Step]) -> Result<()> {
    let mut command = Command::new(giornata::program()?);
    command.args(arguments);
    command.args(["-nx", "-ex", "set width 0", "-ex", "set height 0"]);
    let mut terminal = Terminal::open(&command)?;
    terminal
        .until_prompt()
        .context("before the first command")?;
    for step in steps {
        if step.command == "quit" {
            return terminal.end();
        }
        terminal.say(&step.command)?;
        let mut said = String::new();
        if step.is_stopped {
            said = terminal
                .until(|said| said.contains(RUNS))?
                .replace('\r', "");
            said.push('\n');
            std::thread::sleep(RUN);
            terminal.keys.write_all(&[STOP.0])?;
        }
        said += &terminal.until_prompt()?;
        if let Some(missing) = missing(&said, &step.said) {
            bail!(
                "after `{}` gdb does not say\n  {missing}\nbut\n{said}\n({PAGE} says what it must)",
                step.command
            );
        }
    }
    bail!("a session of {PAGE} does not `quit`")
}

/// A program on a terminal of its own; it is stopped if it is dropped.
struct Terminal {
    keys: File,
    screen: Receiver<Vec<u8>>,
    child: Child,
}

impl Terminal {
    fn open(program: &Command) -> Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).context("a terminal")?;
        grantpt(&master).context("a terminal")?;
        unlockpt(&master).context("a terminal")?;
        let name = ptsname(&master, Vec::new()).context("a terminal")?;
        let name = name.into_string().context("a terminal")?;
        let slave = File::options().read(true).write(true).open(name)?;
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait"]);
        command.arg(program.get_program()).args(program.get_args());
        command.current_dir(root());
        // no colours, no line editing
        command.env("TERM", "dumb").env("INPUTRC", "/dev/null");
        let [input, output] = [slave.try_clone()?, slave.try_clone()?];
        command
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(output));
        let child = command
            .stderr(Stdio::from(slave))
            .spawn()
            .context("setsid")?;
        // (the command would keep the terminal open)
        drop(command);
        let keys = File::from(master);
        let mut read = keys.try_clone()?;
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = read.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Terminal {
            keys,
            screen,
            child,
        })
    }

    /// What is said until gdb waits for a command.
    fn until_prompt(&mut self) -> Result<String> {
        let said = self.until(|said| said.ends_with(PROMPT))?;
        let said = said.strip_suffix(PROMPT).unwrap_or(&said);
        Ok(said.replace('\r', ""))
    }

    /// What is said until it is enough.
    fn until(&mut self, is_enough: impl Fn(&str) -> bool) -> Result<String> {
        let mut said = Vec::new();
        loop {
            let text = String::from_utf8_lossy(&said);
            if is_enough(&text) {
                return Ok(text.into());
            }
            match self.screen.recv_timeout(SILENCE) {
                Ok(bytes) => said.extend(bytes),
                Err(RecvTimeoutError::Timeout) => bail!("nothing more is said after\n{text}"),
                Err(RecvTimeoutError::Disconnected) => bail!("it ends after\n{text}"),
            }
        }
    }

    fn say(&mut self, command: &str) -> Result<()> {
        self.keys.write_all(format!("{command}\n").as_bytes())?;
        Ok(())
    }

    /// The session ends, and with it the program.
    fn end(mut self) -> Result<()> {
        self.keys.write_all(b"quit\n")?;
        let status = self.child.wait()?;
        ensure!(status.success(), "it ends with {status}");
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // it may have ended
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_read_from_a_page() {
        let page = "text\n```gdb\n(gdb) step pump.core\nsaid\n\n(gdb) quit\n```\n(gdb) no\n";
        let step = |command: &str, said: &[&str]| Step {
            command: command.into(),
            is_stopped: false,
            said: said.iter().map(|line| line.to_string()).collect(),
        };
        let expected = [step("step /x.core", &["said", ""]), step("quit", &[])];
        assert_eq!(steps(page, "gdb", "/x.core"), expected);
        assert_eq!(steps(page, "gdb dump", ""), []);
    }
}
