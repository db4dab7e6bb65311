//! What a machine holds that has been stopped.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use giornata_system::DebugMap;
use serde_json::json;

use crate::qmp::Monitor;

/// Registers of a hart, by their number: `x0` to `x31`.
pub(crate) type Registers = [u64; 32];

/// A machine that has been stopped.
pub(crate) struct Halted {
    /// Where its hart stands.
    pub(crate) pc: u64,
    pub(crate) registers: Registers,
    /// The record of the thread that the hart runs, or whose call it serves.
    pub(crate) current: u64,
    /// What its clock counts.
    pub(crate) clock: u64,
    /// Its memory, from the first byte to the end of what the system uses.
    pub(crate) memory: Vec<u8>,
}

impl Halted {
    /// Asks a machine that does not run; `folder` is for what QEMU writes meanwhile.
    pub(crate) fn ask(monitor: &mut Monitor, map: &DebugMap, folder: &Path) -> Result<Halted> {
        let said = monitor.say("info registers")?;
        let words = registers(&said);
        let word = |name: &str| {
            let found = words.get(name).copied();
            found.with_context(|| format!("QEMU does not tell register {name}"))
        };
        let mut numbered = Registers::default();
        for (number, register) in numbered.iter_mut().enumerate() {
            *register = word(&format!("x{number}"))?;
        }
        let (base, _) = map.memory;
        let clock = match map.clock {
            0 => Vec::new(),
            clock => read(monitor, folder, clock, 8)?,
        };
        let mut count = [0; 8];
        count[..clock.len().min(8)].copy_from_slice(&clock[..clock.len().min(8)]);
        Ok(Halted {
            pc: word("pc")?,
            registers: numbered,
            current: word("mscratch")?,
            clock: u64::from_le_bytes(count),
            memory: read(monitor, folder, base, map.end.saturating_sub(base))?,
        })
    }
}

/// Physical memory, by way of a file.
fn read(monitor: &mut Monitor, folder: &Path, address: u32, bytes: u32) -> Result<Vec<u8>> {
    let file = folder.join("memory");
    let arguments = json!({ "val": address, "size": bytes, "filename": file });
    monitor.call("pmemsave", arguments)?;
    let memory = std::fs::read(&file).with_context(|| file.display().to_string())?;
    std::fs::remove_file(&file).with_context(|| file.display().to_string())?;
    ensure!(
        memory.len() == bytes as usize,
        "QEMU hands out {} bytes of memory of {bytes} at {address:#x}",
        memory.len()
    );
    Ok(memory)
}

/// Names and words of a list of registers, as QEMU prints it: ` x1/ra   0000... x2/sp  ...`.
fn registers(text: &str) -> BTreeMap<String, u64> {
    let mut words = text.split_whitespace().peekable();
    let mut registers = BTreeMap::new();
    while let Some(name) = words.next() {
        let Some(Ok(word)) = words.peek().map(|word| u64::from_str_radix(word, 16)) else {
            continue;
        };
        let name = name.split('/').next().unwrap_or(name);
        registers.insert(name.to_owned(), word);
        words.next();
    }
    registers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_read_as_qemu_prints_them() {
        let text = " V      =   0\n pc       0000000080000040\n mhartid  0000000000000000\n \
                    mscratch 0000000080044240\n x0/zero  0000000000000000 x1/ra    \
                    00000000800000a4 x10/a0  ffffffffffffffff\n f0/ft0   0000000000000001";
        let read = registers(text);
        assert_eq!(read["pc"], 0x8000_0040);
        assert_eq!(read["mscratch"], 0x8004_4240);
        assert_eq!((read["x1"], read["x10"]), (0x8000_00a4, u64::MAX));
        assert_eq!((read["x0"], read["f0"]), (0, 1));
    }
}
