//! A program as the RAM holds it when the machine starts.

use std::fs;
use std::path::Path;

use object::elf::PT_LOAD;
use object::read::elf::{ElfFile32, ProgramHeader as _};
use object::{Architecture, Endianness, Object as _};

use sha2::{Digest, Sha256};

use crate::error::{Error, at};
use crate::wheel::hexadecimal;

/// Where the RAM begins; the core starts here.
pub const RAM_BASE: u32 = 0x4000_0000;
/// Bytes of RAM.
pub const RAM_SIZE: u32 = 4 << 20;

/// The bytes from [`RAM_BASE`] on; what lies behind them is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image(Vec<u8>);

impl Image {
    /// Takes bytes as they are.
    ///
    /// # Errors
    /// There are none, or more than the RAM holds.
    pub fn raw(bytes: Vec<u8>) -> Result<Image, Error> {
        if bytes.is_empty() {
            return Err(Error::Image("it is empty".into()));
        }
        if bytes.len() as u64 > u64::from(RAM_SIZE) {
            return Err(Error::Image(format!(
                "it has {} bytes, the RAM {RAM_SIZE}",
                bytes.len()
            )));
        }
        Ok(Image(bytes))
    }

    /// Lays the segments of an executable out by their physical addresses.
    ///
    /// # Errors
    /// It is no 32-bit RISC-V executable, lies outside the RAM, or is entered
    /// elsewhere than at [`RAM_BASE`].
    pub fn elf(bytes: &[u8]) -> Result<Image, Error> {
        let refuse = |reason: String| Err(Error::Image(reason));
        let file: ElfFile32<'_, Endianness> = match ElfFile32::parse(bytes) {
            Ok(file) => file,
            Err(error) => return refuse(format!("no 32-bit ELF file: {error}")),
        };
        if file.architecture() != Architecture::Riscv32 {
            return refuse(format!("it is for {:?}, not RISC-V", file.architecture()));
        }
        if file.entry() != u64::from(RAM_BASE) {
            return refuse(format!(
                "it is entered at {:#x}, but the core starts at {RAM_BASE:#x}",
                file.entry()
            ));
        }
        let mut memory = Vec::new();
        for header in file.elf_program_headers() {
            if header.p_type(file.endian()) == PT_LOAD {
                lay(&mut memory, header, file.endian(), bytes)?;
            }
        }
        Image::raw(memory)
    }

    /// Reads a file: an ELF file if it begins like one, a raw image otherwise.
    ///
    /// # Errors
    /// As [`Image::elf`] and [`Image::raw`]; the file cannot be read.
    pub fn read(path: &Path) -> Result<Image, Error> {
        let bytes = at(path, fs::read(path))?;
        if bytes.starts_with(&object::elf::ELFMAG) {
            Image::elf(&bytes)
        } else {
            Image::raw(bytes)
        }
    }

    /// Tells programs apart: 16 digits of the SHA-256 of the bytes.
    pub fn hash(&self) -> String {
        hexadecimal(&Sha256::digest(&self.0)[..8])
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

fn lay(
    memory: &mut Vec<u8>,
    header: &object::elf::ProgramHeader32<Endianness>,
    endian: Endianness,
    file: &[u8],
) -> Result<(), Error> {
    let (address, size) = (header.p_paddr.get(endian), header.p_memsz.get(endian));
    if size == 0 {
        return Ok(());
    }
    let end = u64::from(address) + u64::from(size);
    if address < RAM_BASE || end > u64::from(RAM_BASE) + u64::from(RAM_SIZE) {
        return Err(Error::Image(format!(
            "its segment {address:#x}..{end:#x} leaves the RAM {RAM_BASE:#x}..{:#x}",
            u64::from(RAM_BASE) + u64::from(RAM_SIZE)
        )));
    }
    let data = header
        .data(endian, file)
        .map_err(|()| Error::Image(format!("its segment at {address:#x} leaves the file")))?;
    let start = (address - RAM_BASE) as usize;
    if memory.len() < start + data.len() {
        memory.resize(start + data.len(), 0);
    }
    // p_filesz may not exceed p_memsz, but a file may say so.
    if data.len() as u64 > u64::from(size) {
        return Err(Error::Image(format!(
            "its segment at {address:#x} has more bytes in the file than in memory"
        )));
    }
    memory[start..start + data.len()].copy_from_slice(data);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RISCV: u16 = 243;

    /// A 32-bit little-endian executable with one segment.
    fn executable(machine: u16, entry: u32, address: u32, data: &[u8]) -> Vec<u8> {
        let mut file = vec![0x7F, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend(2u16.to_le_bytes());
        file.extend(machine.to_le_bytes());
        for word in [1, entry, 52, 0, 0] {
            file.extend(word.to_le_bytes());
        }
        for half in [52u16, 32, 1, 40, 0, 0] {
            file.extend(half.to_le_bytes());
        }
        let length = data.len() as u32;
        for word in [1, 84, 0x1000, address, length, length + 64, 7, 4] {
            file.extend(word.to_le_bytes());
        }
        file.extend(data);
        file
    }

    #[test]
    fn segments_lie_at_their_physical_addresses() {
        let elf = executable(RISCV, RAM_BASE, RAM_BASE + 8, b"four");
        let image = Image::elf(&elf).unwrap();
        assert_eq!(image.bytes(), b"\0\0\0\0\0\0\0\0four");
    }

    #[test]
    fn an_executable_for_another_place_or_machine_is_refused() {
        let outside = RAM_BASE + RAM_SIZE - 4;
        let cases = [
            (
                executable(RISCV, 0x8000_0000, RAM_BASE, b"four"),
                "entered at",
            ),
            (
                executable(RISCV, RAM_BASE, outside, b"four"),
                "leaves the RAM",
            ),
            (
                executable(RISCV, RAM_BASE, 0x1000, b"four"),
                "leaves the RAM",
            ),
            (executable(40, RAM_BASE, RAM_BASE, b"four"), "not RISC-V"),
            (b"\x7fELF".to_vec(), "no 32-bit ELF"),
        ];
        for (elf, reason) in cases {
            let error = Image::elf(&elf).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert!(Image::raw(Vec::new()).is_err());
        assert!(Image::raw(vec![0; RAM_SIZE as usize + 1]).is_err());
        assert!(Image::raw(vec![0; RAM_SIZE as usize]).is_ok());
    }
}
