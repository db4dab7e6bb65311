//! Where the other end of a line is.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// How long a read waits for bytes.
const PULSE: Duration = Duration::from_millis(20);
/// The speed of a serial line that is not told.
const BAUD: u32 = 115_200;

/// `tcp:HOST:PORT`, `unix:PATH` or `serial:PATH[@BAUD]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A TCP socket: `HOST:PORT`.
    Tcp(String),
    /// A socket in the file system.
    Unix(PathBuf),
    /// A serial line and its speed.
    Serial(String, u32),
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address: write tcp:HOST:PORT, unix:PATH or serial:PATH@BAUD")]
pub struct NoAddress(String);

/// Bytes in both directions; a read that finds none soon fails with
/// [`io::ErrorKind::TimedOut`] or [`io::ErrorKind::WouldBlock`].
pub trait Transport: Read + Write + Send {}

impl<T: Read + Write + Send> Transport for T {}

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Address, NoAddress> {
        let wrong = || NoAddress(text.to_owned());
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        match kind {
            _ if rest.is_empty() => Err(wrong()),
            "tcp" => match rest.rsplit_once(':') {
                Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                    Ok(Address::Tcp(rest.to_owned()))
                }
                _ => Err(wrong()),
            },
            "unix" => Ok(Address::Unix(rest.into())),
            "serial" => match rest.rsplit_once('@') {
                None => Ok(Address::Serial(rest.to_owned(), BAUD)),
                Some((path, baud)) if !path.is_empty() => {
                    let baud = baud.parse().map_err(|_| wrong())?;
                    Ok(Address::Serial(path.to_owned(), baud))
                }
                Some(_) => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(place) => write!(f, "tcp:{place}"),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::Serial(path, baud) => write!(f, "serial:{path}@{baud}"),
        }
    }
}

impl Address {
    /// Opens the line. Blocks while the other end is sought.
    ///
    /// # Errors
    /// There is none, or it may not be used.
    pub fn open(&self) -> io::Result<Box<dyn Transport>> {
        match self {
            Address::Tcp(place) => {
                let stream = TcpStream::connect(place)?;
                stream.set_read_timeout(Some(PULSE))?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(PULSE))?;
                Ok(Box::new(stream))
            }
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::ErrorKind::Unsupported.into()),
            Address::Serial(path, baud) => {
                let mut line = serial2::SerialPort::open(path, *baud)?;
                line.set_read_timeout(PULSE)?;
                Ok(Box::new(line))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_they_are_written() {
        for text in [
            "tcp:localhost:4000",
            "tcp:[::1]:4000",
            "unix:/tmp/link",
            "serial:/dev/ttyUSB0@9600",
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        let usual = "serial:/dev/ttyS0".parse::<Address>().unwrap();
        assert_eq!(usual, Address::Serial("/dev/ttyS0".into(), BAUD));
    }

    #[test]
    fn other_texts_are_refused_with_the_forms() {
        for text in [
            "",
            "tcp",
            "tcp:",
            "tcp:host",
            "tcp::4000",
            "tcp:host:99999",
            "unix:",
            "serial:",
            "serial:@9600",
            "serial:/dev/x@fast",
            "udp:host:1",
            "/dev/ttyS0",
        ] {
            let refusal = text.parse::<Address>().unwrap_err().to_string();
            assert!(refusal.contains("tcp:HOST:PORT"), "{refusal}");
        }
    }
}
