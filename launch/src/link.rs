//! The hostlink of a machine: a socket on which a VirtIO console of QEMU listens,
//! or the serial line of a simulated chip.

use anyhow::{Context, Result, bail};

use crate::image::Host;

/// Lets the machine listen. In QEMU that is a console in the first slot for VirtIO
/// devices, the one that the boards' files call `virtio0`; a chip has one line.
///
/// # Errors
/// The address is none to listen on.
pub fn plug_in(host: &mut Host, address: &str) -> Result<()> {
    let socket = socket(address)?;
    let emulator = match host {
        Host::Emulator(emulator) => emulator,
        Host::Chip(_, line) => {
            *line = Some(address.to_owned());
            return Ok(());
        }
    };
    emulator.arguments.extend(
        [
            "-chardev",
            &socket,
            "-device",
            "virtio-serial-device",
            "-device",
            "virtconsole,chardev=hostlink",
        ]
        .map(String::from),
    );
    Ok(())
}

/// The socket as QEMU wants it. A comma would begin another property.
fn socket(address: &str) -> Result<String> {
    let wrong = || format!("`{address}` is no address: write tcp:HOST:PORT or unix:PATH");
    let (kind, place) = address.split_once(':').with_context(wrong)?;
    if place.is_empty() || place.contains(',') {
        bail!(wrong());
    }
    let place = match kind {
        "tcp" => {
            let (name, port) = place.rsplit_once(':').with_context(wrong)?;
            port.parse::<u16>().ok().with_context(wrong)?;
            format!("host={name},port={port}")
        }
        "unix" => format!("path={place}"),
        _ => bail!(wrong()),
    };
    Ok(format!("socket,id=hostlink,{place},server=on,wait=off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_sockets() {
        assert_eq!(
            socket("tcp:127.0.0.1:4000").unwrap(),
            "socket,id=hostlink,host=127.0.0.1,port=4000,server=on,wait=off"
        );
        assert_eq!(
            socket("unix:/tmp/link").unwrap(),
            "socket,id=hostlink,path=/tmp/link,server=on,wait=off"
        );
    }

    #[test]
    fn other_addresses_are_refused_with_the_forms() {
        for address in [
            "",
            "tcp:",
            "tcp:host",
            "tcp:host:70000",
            "serial:/dev/x",
            "unix:/a,b=c",
        ] {
            let refusal = socket(address).unwrap_err().to_string();
            assert!(refusal.contains("tcp:HOST:PORT"), "{refusal}");
        }
    }
}
