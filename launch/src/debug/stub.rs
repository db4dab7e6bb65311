//! The part of gdb's remote protocol that it takes to stop a machine at an address and to let
//! it go.

use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// A machine that waits for a debugger, and this program as one.
pub(crate) struct Stub {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

impl Stub {
    /// The machine that waits at a socket.
    pub(crate) fn connect(socket: &Path) -> Result<Stub> {
        let writer = UnixStream::connect(socket).context("QEMU's socket for debuggers")?;
        let reader = BufReader::new(writer.try_clone()?);
        Ok(Stub { reader, writer })
    }

    /// Lets it run until it comes to an address.
    pub(crate) fn run_to(&mut self, address: u64) -> Result<()> {
        self.send(&format!("Z0,{address:x},4"))?;
        let answer = self.receive()?;
        ensure!(answer == "OK", "QEMU sets no breakpoint: {answer}");
        self.send("c")?;
        let stop = self.receive()?;
        ensure!(stop.starts_with('T'), "the machine ends with {stop}");
        Ok(())
    }

    /// It runs on, undisturbed.
    pub(crate) fn detach(mut self) -> Result<()> {
        self.send("D")
    }

    fn send(&mut self, packet: &str) -> Result<()> {
        let sum = packet.bytes().fold(0u8, u8::wrapping_add);
        write!(self.writer, "${packet}#{sum:02x}").context("QEMU's debugger")?;
        match self.byte()? {
            b'+' => Ok(()),
            other => bail!("QEMU does not take `{packet}`: {}", char::from(other)),
        }
    }

    fn receive(&mut self) -> Result<String> {
        while self.byte()? != b'$' {}
        let mut packet = String::new();
        loop {
            match self.byte()? {
                b'#' => break,
                byte => packet.push(byte.into()),
            }
        }
        // the sum: nothing is lost between two programs of one machine
        let _ = (self.byte()?, self.byte()?);
        self.writer.write_all(b"+").context("QEMU's debugger")?;
        Ok(packet)
    }

    fn byte(&mut self) -> Result<u8> {
        let mut byte = [0];
        self.reader
            .read_exact(&mut byte)
            .context("the machine has ended")?;
        Ok(byte[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_machine_runs_to_an_address_and_on() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("gdb");
        let listener = UnixListener::bind(&socket).unwrap();
        let machine = std::thread::spawn(move || {
            let (mut line, _) = listener.accept().unwrap();
            let mut hear = |packet: &str, answer: &str| {
                let mut heard = vec![0; packet.len()];
                line.read_exact(&mut heard).unwrap();
                assert_eq!(String::from_utf8(heard).unwrap(), packet);
                line.write_all(answer.as_bytes()).unwrap();
            };
            hear("$Z0,80000010,4#9f", "+$OK#9a");
            hear("+$c#63", "+$T05thread:01;#07");
            hear("+$D#44", "+");
        });
        let mut stub = Stub::connect(&socket).unwrap();
        stub.run_to(0x8000_0010).unwrap();
        stub.detach().unwrap();
        machine.join().unwrap();
    }
}
