//! Writes the image: one ELF executable of loadable segments.

use crate::image::layout::Segment;
use object::Endianness;
use object::elf;
use object::write::elf::{FileHeader, ProgramHeader, Writer};

/// The bytes of an executable for a RISC-V machine, 64 or 32 bits wide, that
/// starts at `entry`. Segments without memory are left out.
pub(crate) fn write(
    is_64: bool,
    entry: u32,
    segments: &[Segment],
) -> Result<Vec<u8>, object::write::Error> {
    let segments: Vec<&Segment> = segments.iter().filter(|s| s.size > 0).collect();
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Endianness::Little, is_64, &mut bytes);
    writer.reserve_file_header();
    writer.reserve_program_headers(segments.len() as u32);
    let offsets: Vec<u64> = segments
        .iter()
        .map(|s| writer.reserve(s.bytes.len() as u64, 8))
        .collect();
    writer.write_file_header(&FileHeader {
        os_abi: elf::ELFOSABI_NONE,
        abi_version: 0,
        e_type: elf::ET_EXEC,
        e_machine: elf::EM_RISCV,
        e_entry: entry.into(),
        e_flags: elf::EF_RISCV_RVC,
    })?;
    writer.write_align_program_headers();
    for (segment, offset) in segments.iter().zip(&offsets) {
        writer.write_program_header(&ProgramHeader {
            p_type: elf::PT_LOAD,
            p_flags: elf::PF_R | elf::PF_W | elf::PF_X,
            p_offset: *offset,
            p_vaddr: segment.address.into(),
            p_paddr: segment.address.into(),
            p_filesz: segment.bytes.len() as u64,
            p_memsz: segment.size.into(),
            p_align: 8,
        });
    }
    for segment in &segments {
        writer.write_align(8);
        writer.write(&segment.bytes);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSegment};

    #[test]
    fn segments_lie_where_they_were_put() {
        let segments = [
            Segment {
                address: 0x8000_0000,
                bytes: vec![1, 2, 3],
                size: 3,
            },
            Segment {
                address: 0x8000_1000,
                bytes: vec![],
                size: 0,
            },
            Segment {
                address: 0x8000_2000,
                bytes: vec![4; 9],
                size: 64,
            },
        ];
        for is_64 in [true, false] {
            let bytes = write(is_64, 0x8000_0000, &segments).unwrap();
            let file = object::File::parse(&*bytes).unwrap();
            assert_eq!(file.is_64(), is_64);
            check(&file);
        }
    }

    fn check(file: &object::File<'_>) {
        assert_eq!(file.entry(), 0x8000_0000);
        let read: Vec<_> = file
            .segments()
            .map(|s| (s.address(), s.size(), s.data().unwrap().to_vec()))
            .collect();
        assert_eq!(
            read,
            [
                (0x8000_0000, 3, vec![1, 2, 3]),
                (0x8000_2000, 64, vec![4; 9])
            ]
        );
    }
}
