//! QEMU's monitor protocol: the machine behind it is asked how it stands and told what to
//! do, a line of JSON at a time.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use giornata_system::Emulator;
use serde_json::{Value, json};

/// Where an emulator that is not started yet will call.
pub(crate) struct Post {
    listener: UnixListener,
    path: PathBuf,
}

/// A monitor.
pub(crate) struct Monitor {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

impl Post {
    /// Listens in a folder, and tells an emulator to call there.
    pub(crate) fn new(folder: &Path, emulator: &mut Emulator) -> Result<Post> {
        let path = folder.join("monitor");
        let listener = UnixListener::bind(&path).with_context(|| path.display().to_string())?;
        let socket = format!("unix:{}", path.display());
        emulator.arguments.extend(["-qmp".into(), socket]);
        Ok(Post { listener, path })
    }

    /// Waits for the emulator's call.
    pub(crate) fn answer(&self) -> Result<Monitor> {
        let (writer, _) = self.listener.accept().context("QEMU's monitor")?;
        let reader = BufReader::new(writer.try_clone().context("QEMU's monitor")?);
        let mut monitor = Monitor { reader, writer };
        let greeting = monitor.message()?;
        if greeting.get("QMP").is_none() {
            bail!("QEMU's monitor greets with {greeting}");
        }
        monitor.call("qmp_capabilities", json!({}))?;
        Ok(monitor)
    }

    /// Lets who waits in [`answer`](Self::answer) go, if no emulator has called.
    pub(crate) fn close(&self) {
        // it fails where nobody waits any more
        let _ = UnixStream::connect(&self.path);
    }
}

impl Monitor {
    /// Lets QEMU do something; what that returns.
    pub(crate) fn call(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let request = json!({ "execute": command, "arguments": arguments });
        writeln!(self.writer, "{request}").context("QEMU's monitor")?;
        loop {
            let mut message = self.message()?;
            if message.get("event").is_some() {
                // nobody here waits for what happens by itself
            } else if let Some(error) = message.get("error") {
                bail!("QEMU refuses `{command}`: {error}");
            } else {
                return Ok(message
                    .get_mut("return")
                    .map(Value::take)
                    .unwrap_or_default());
            }
        }
    }

    /// What QEMU's own monitor prints for a command of people.
    pub(crate) fn say(&mut self, line: &str) -> Result<String> {
        let said = self.call("human-monitor-command", json!({ "command-line": line }))?;
        Ok(said.as_str().unwrap_or_default().into())
    }

    fn message(&mut self) -> Result<Value> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).context("QEMU's monitor")?;
        if read == 0 {
            bail!("QEMU has ended");
        }
        serde_json::from_str(&line).with_context(|| format!("QEMU's monitor says {line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_among_events() {
        let folder = tempfile::tempdir().unwrap();
        let mut emulator = Emulator {
            command: "qemu".into(),
            arguments: Vec::new(),
        };
        let post = Post::new(folder.path(), &mut emulator).unwrap();
        let address = emulator.arguments[1]
            .strip_prefix("unix:")
            .unwrap()
            .to_owned();
        let machine = std::thread::spawn(move || {
            let mut line = UnixStream::connect(address).unwrap();
            let mut requests = BufReader::new(line.try_clone().unwrap()).lines();
            let mut say = |text: &str| writeln!(line, "{text}").unwrap();
            say(r#"{"QMP": {}}"#);
            assert!(
                requests
                    .next()
                    .unwrap()
                    .unwrap()
                    .contains("qmp_capabilities")
            );
            say(r#"{"return": {}}"#);
            assert!(requests.next().unwrap().unwrap().contains("info registers"));
            say(r#"{"event": "SHUTDOWN"}"#);
            say(r#"{"return": "pc 1"}"#);
            requests.next();
            say(r#"{"error": {"desc": "no"}}"#);
        });
        let mut monitor = post.answer().unwrap();
        assert_eq!(monitor.say("info registers").unwrap(), "pc 1");
        let refused = monitor.call("quit", json!({})).unwrap_err().to_string();
        assert!(refused.starts_with("QEMU refuses `quit`"), "{refused}");
        machine.join().unwrap();
    }
}
