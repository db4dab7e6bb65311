//! The module file: portable, relocatable microcode with symbolic names.
//!
//! ```text
//! ModuleHeader
//! Instruction    x instructions
//! Predicate      x predicates
//! DurationEntry  x durations
//! TaskSymbol     x tasks
//! DriverSymbol   x drivers
//! PortSymbol     x ports
//! NameSymbol     x interrupts
//! NameSymbol     x mailboxes
//! Position       x positions
//! u16            x links          (lists of local port indices)
//! u8             x strings        (UTF-8, named by offset and length)
//! ```
//! All little-endian, without padding. The CRC (CRC-32/ISO-HDLC) covers every
//! byte after the `crc` field. Reading needs no heap and never panics.

use crate::instruction::{DurationEntry, Instruction};
use crate::predicate::Predicate;
use crate::record::{Record, record};

/// The first bytes of a module file.
pub const MAGIC: [u8; 4] = *b"GMOD";
/// The format this crate reads and writes.
pub const VERSION: u16 = 2;

record! {
    /// A string of the pool.
    pub struct Name {
        /// Byte offset into the pool.
        pub offset: u32,
        /// Bytes.
        pub length: u32,
    }

    /// The head of a module file.
    pub struct ModuleHeader {
        /// [`MAGIC`].
        pub magic: [u8; 4],
        /// CRC-32 of all that follows this field.
        pub crc: u32,
        /// [`VERSION`].
        pub version: u16,
        /// Address of the first block, run at the start instant.
        pub start: u16,
        /// Bytes of the whole file.
        pub length: u32,
        /// The module's name.
        pub name: Name,
        /// The source file's name, for messages.
        pub source: Name,
        /// Remainders of durations count in 1/denominator ns; at least 1.
        pub denominator: u32,
        /// Most microcode steps in one instant; 0 = the compiler leaves it to the verifier.
        pub max_steps: u32,
        /// Handler block per violation kind, in the order of [`Violation`](crate::trace::Violation); NONE = default.
        pub handlers: [u16; 4],
        /// Count of instructions.
        pub instructions: u16,
        /// Count of predicates.
        pub predicates: u16,
        /// Count of durations.
        pub durations: u16,
        /// Count of tasks.
        pub tasks: u16,
        /// Count of drivers.
        pub drivers: u16,
        /// Count of ports.
        pub ports: u16,
        /// Count of interrupts.
        pub interrupts: u16,
        /// Count of mailboxes.
        pub mailboxes: u16,
        /// Count of source positions.
        pub positions: u32,
        /// Count of links.
        pub links: u32,
        /// Bytes of the string pool.
        pub strings: u32,
        /// Address of the block that begins each round, reached by a time
        /// trigger: whoever waits for it waits for nothing else. NONE = there
        /// is none, or it is not known.
        pub round: u16,
        /// Address of the block by which the module begins a round that
        /// another module was to begin: `round`, or one that starts S code
        /// before. NONE = it cannot.
        pub resume: u16,
    }

    /// A list of local port indices in the link pool.
    pub struct PortList {
        /// First link.
        pub start: u32,
        /// Count of links.
        pub count: u32,
    }

    /// A task: one job per release, entry to completion.
    pub struct TaskSymbol {
        /// The task's name in the program.
        pub name: Name,
        /// The function that a process provides.
        pub function: Name,
        /// Ports that the function reads, in parameter order: the task's own copies.
        pub inputs: PortList,
        /// Ports that the function writes, in parameter order: the task's own copies.
        pub outputs: PortList,
        /// Ports private to the function, in parameter order; initialised by it.
        pub states: PortList,
        /// Worst-case execution time in ns; 0 = not stated.
        pub wcet: u64,
        /// Fixed priority 1..=255 asked for by annotation; 0 = none.
        pub priority: u32,
        /// Must be 0.
        pub reserved: u32,
    }

    /// A driver: runs in logical zero time.
    pub struct DriverSymbol {
        /// The driver's name in listings.
        pub name: Name,
        /// The function that a process or the manifest provides; empty for `Copy`.
        pub function: Name,
        /// Ports read, in parameter order.
        pub reads: PortList,
        /// Ports written, in parameter order; for `Copy` as many as `reads`.
        pub writes: PortList,
        /// Worst-case execution time in ns; 0 = not stated.
        pub wcet: u64,
        /// A [`DriverKind`].
        pub kind: u32,
        /// Must be 0.
        pub reserved: u32,
    }

    /// A port.
    pub struct PortSymbol {
        /// The port's name.
        pub name: Name,
        /// Its type's name.
        pub type_name: Name,
        /// A [`PortKind`].
        pub kind: u8,
        /// A [`ValueType`](crate::value::ValueType).
        pub value_type: u8,
        /// Bytes; 0 = the type is opaque here and gets its size when linked.
        pub size: u16,
        /// Must be 0.
        pub reserved: u32,
    }

    /// The name of an interrupt or mailbox, bound by the manifest.
    pub struct NameSymbol {
        /// The name in the program.
        pub name: Name,
    }

    /// Where an instruction comes from.
    pub struct Position {
        /// The first instruction that this position covers.
        pub address: u16,
        /// Column, from 1.
        pub column: u16,
        /// Line, from 1.
        pub line: u32,
    }
}

/// How a driver does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DriverKind {
    /// The kernel copies each read port to the written port of the same position.
    Copy = 0,
    /// A function of a process (an upcall) or a device register, as the manifest says.
    Function = 1,
}

impl DriverKind {
    /// The kind with this code.
    pub const fn from_code(code: u32) -> Option<DriverKind> {
        match code {
            0 => Some(DriverKind::Copy),
            1 => Some(DriverKind::Function),
            _ => None,
        }
    }
}

/// Where a port stands in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PortKind {
    /// Written by a device driver.
    Sensor = 0,
    /// Read by a device driver.
    Actuator = 1,
    /// A task's result as the world sees it: changes at logical instants only.
    Output = 2,
    /// Like `Output`, not meant for other modules.
    Private = 3,
    /// Written from outside the module (by a process or another module).
    Input = 4,
    /// A task's own copy of an input.
    TaskInput = 5,
    /// A task's own copy of an output, before its instant has come.
    TaskOutput = 6,
    /// A task's state: lives in its process, never copied by the kernel.
    State = 7,
    /// Made by the compiler: the answer of a guard.
    Guard = 8,
    /// Written by the kernel before a handler runs: local index of the task (u16; 65535 = none).
    ViolationTask = 9,
    /// Written by the kernel before a handler runs: local index of the driver (u16; 65535 = none).
    ViolationDriver = 10,
}

impl PortKind {
    /// Every kind, in the order of codes.
    pub const ALL: [PortKind; 11] = {
        use PortKind::*;
        [
            Sensor,
            Actuator,
            Output,
            Private,
            Input,
            TaskInput,
            TaskOutput,
            State,
            Guard,
            ViolationTask,
            ViolationDriver,
        ]
    };

    /// The kind with this code.
    pub fn from_code(code: u8) -> Option<PortKind> {
        Self::ALL.get(code as usize).copied()
    }

    /// Whether the port is one task's own copy rather than a value of the program.
    pub const fn is_task_local(self) -> bool {
        matches!(
            self,
            PortKind::TaskInput | PortKind::TaskOutput | PortKind::State
        )
    }
}

/// Why bytes are not a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleError {
    /// Fewer bytes than the header, or than the header says.
    Truncated,
    /// More bytes than the header says.
    TrailingBytes,
    /// Does not begin with [`MAGIC`].
    NotAModule,
    /// Written by another version of the format.
    Version(u16),
    /// The checksum differs.
    Checksum,
    /// The sections do not add up to the length.
    Sections,
}

impl core::fmt::Display for ModuleError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            ModuleError::Truncated => f.write_str("the file ends before the module does"),
            ModuleError::TrailingBytes => f.write_str("bytes follow the end of the module"),
            ModuleError::NotAModule => {
                f.write_str("not a Giornata module (it does not begin with GMOD)")
            }
            ModuleError::Version(v) => {
                write!(f, "module format {v}, this version reads format {VERSION}")
            }
            ModuleError::Checksum => {
                f.write_str("the checksum does not match: the file is damaged")
            }
            ModuleError::Sections => f.write_str("the sections do not fit the stated length"),
        }
    }
}

/// A module file whose frame has been checked: lengths, version, checksum.
///
/// Its *contents* (operands, addresses, termination) are not: that is the
/// verifier's work. Every access answers `Option`.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    header: ModuleHeader,
    bytes: &'a [u8],
    /// Byte offset of each section after the header, in file order, and the end.
    sections: [usize; 11],
}

macro_rules! tables {
    ($($(#[$doc:meta])* $one:ident, $all:ident: $ty:ty = $section:literal;)*) => {$(
        $(#[$doc])*
        pub fn $one(&self, index: u16) -> Option<$ty> { self.entry($section, index as usize) }
        /// The whole table.
        pub fn $all(&self) -> impl Iterator<Item = $ty> + use<'a> {
            crate::record::decode_all(self.section($section))
        }
    )*};
}

impl<'a> Module<'a> {
    /// Checks the frame of a module file. O(bytes).
    pub fn parse(bytes: &'a [u8]) -> Result<Module<'a>, ModuleError> {
        if bytes.len() >= 4 && !bytes.starts_with(&MAGIC) {
            return Err(ModuleError::NotAModule);
        }
        let header = ModuleHeader::decode(bytes).ok_or(ModuleError::Truncated)?;
        if header.version != VERSION {
            return Err(ModuleError::Version(header.version));
        }
        let length = header.length as usize;
        if bytes.len() < length {
            return Err(ModuleError::Truncated);
        }
        if bytes.len() > length {
            return Err(ModuleError::TrailingBytes);
        }
        if crc32(bytes.get(8..).unwrap_or(&[])) != header.crc {
            return Err(ModuleError::Checksum);
        }
        let sizes = [
            header.instructions as u64 * Instruction::SIZE as u64,
            header.predicates as u64 * Predicate::SIZE as u64,
            header.durations as u64 * DurationEntry::SIZE as u64,
            header.tasks as u64 * TaskSymbol::SIZE as u64,
            header.drivers as u64 * DriverSymbol::SIZE as u64,
            header.ports as u64 * PortSymbol::SIZE as u64,
            header.interrupts as u64 * NameSymbol::SIZE as u64,
            header.mailboxes as u64 * NameSymbol::SIZE as u64,
            header.positions as u64 * Position::SIZE as u64,
            header.links as u64 * 2,
            header.strings as u64,
        ];
        let mut sections = [0; 11];
        let mut at = ModuleHeader::SIZE as u64;
        for (section, size) in sections.iter_mut().zip(sizes) {
            *section = at as usize;
            at += size;
        }
        if at != length as u64 {
            return Err(ModuleError::Sections);
        }
        Ok(Module {
            header,
            bytes,
            sections,
        })
    }

    /// The head.
    pub fn header(&self) -> &ModuleHeader {
        &self.header
    }

    fn section(&self, index: usize) -> &'a [u8] {
        let start = self
            .sections
            .get(index)
            .copied()
            .unwrap_or(self.bytes.len());
        let end = self
            .sections
            .get(index + 1)
            .copied()
            .unwrap_or(self.bytes.len());
        self.bytes.get(start..end).unwrap_or(&[])
    }

    fn entry<R: Record>(&self, section: usize, index: usize) -> Option<R> {
        let bytes = self.section(section);
        bytes.get(index.checked_mul(R::SIZE)?..).and_then(R::decode)
    }

    tables! {
        /// The instruction at an address.
        instruction, instructions: Instruction = 0;
        /// A predicate.
        predicate, predicates: Predicate = 1;
        /// A duration.
        duration, durations: DurationEntry = 2;
        /// A task.
        task, tasks: TaskSymbol = 3;
        /// A driver.
        driver, drivers: DriverSymbol = 4;
        /// A port.
        port, ports: PortSymbol = 5;
        /// An interrupt.
        interrupt, interrupts: NameSymbol = 6;
        /// A mailbox.
        mailbox, mailboxes: NameSymbol = 7;
    }

    /// Source positions, ascending by address.
    pub fn positions(&self) -> impl Iterator<Item = Position> + use<'a> {
        crate::record::decode_all(self.section(8))
    }

    /// The source position of an instruction, if known.
    pub fn position(&self, address: u16) -> Option<Position> {
        self.positions().take_while(|p| p.address <= address).last()
    }

    /// The local port indices of a list; ends early where the list leaves the pool.
    pub fn list(&self, list: PortList) -> impl Iterator<Item = u16> + use<'a> {
        let links = self.section(9);
        let bytes = (list.start as usize).checked_mul(2).and_then(|start| {
            links.get(start..start.checked_add((list.count as usize).checked_mul(2)?)?)
        });
        bytes.unwrap_or(&[]).chunks_exact(2).map(|b| {
            u16::from_le_bytes([
                b.first().copied().unwrap_or(0),
                b.get(1).copied().unwrap_or(0),
            ])
        })
    }

    /// A string of the pool; empty where the name leaves it or is not UTF-8.
    pub fn text(&self, name: Name) -> &'a str {
        let start = name.offset as usize;
        start
            .checked_add(name.length as usize)
            .and_then(|end| self.section(10).get(start..end))
            .and_then(|bytes| core::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }

    /// The module's name.
    pub fn name(&self) -> &'a str {
        self.text(self.header.name)
    }
}

/// CRC-32/ISO-HDLC, bit by bit: 8 steps a byte.
pub const fn crc32(mut bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    while let [byte, rest @ ..] = bytes {
        crc ^= *byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        bytes = rest;
    }
    !crc
}

#[cfg(feature = "alloc")]
pub use writer::ModuleWriter;

#[cfg(feature = "alloc")]
mod writer {
    use super::*;
    use crate::id::NONE;
    use alloc::string::String;
    use alloc::vec::Vec;

    /// Collects the parts of a module and writes its bytes.
    ///
    /// Equal parts give equal bytes: no time, no path, no hash order.
    #[derive(Clone, Debug)]
    pub struct ModuleWriter {
        /// The first block.
        pub start: u16,
        /// Remainders count in 1/denominator ns.
        pub denominator: u32,
        /// Most steps in one instant, or 0.
        pub max_steps: u32,
        /// The block that begins each round; NONE = none.
        pub round: u16,
        /// The block that begins one in the place of another module's.
        pub resume: u16,
        /// Handler blocks.
        pub handlers: [u16; 4],
        /// The code.
        pub instructions: Vec<Instruction>,
        /// The predicates.
        pub predicates: Vec<Predicate>,
        /// The durations.
        pub durations: Vec<DurationEntry>,
        /// The tasks.
        pub tasks: Vec<TaskSymbol>,
        /// The drivers.
        pub drivers: Vec<DriverSymbol>,
        /// The ports.
        pub ports: Vec<PortSymbol>,
        /// The interrupts.
        pub interrupts: Vec<NameSymbol>,
        /// The mailboxes.
        pub mailboxes: Vec<NameSymbol>,
        /// The source positions.
        pub positions: Vec<Position>,
        name: Name,
        source: Name,
        links: Vec<u16>,
        strings: String,
    }

    impl ModuleWriter {
        /// An empty module.
        pub fn new(name: &str, source: &str) -> ModuleWriter {
            let mut writer = ModuleWriter {
                start: 0,
                denominator: 1,
                max_steps: 0,
                round: NONE,
                resume: NONE,
                handlers: [NONE; 4],
                instructions: Vec::new(),
                predicates: Vec::new(),
                durations: Vec::new(),
                tasks: Vec::new(),
                drivers: Vec::new(),
                ports: Vec::new(),
                interrupts: Vec::new(),
                mailboxes: Vec::new(),
                positions: Vec::new(),
                name: Name {
                    offset: 0,
                    length: 0,
                },
                source: Name {
                    offset: 0,
                    length: 0,
                },
                links: Vec::new(),
                strings: String::new(),
            };
            writer.name = writer.text(name);
            writer.source = writer.text(source);
            writer
        }

        /// Adds a string to the pool, or finds it there.
        pub fn text(&mut self, text: &str) -> Name {
            let offset = self.strings.find(text).unwrap_or_else(|| {
                self.strings.push_str(text);
                self.strings.len() - text.len()
            });
            Name {
                offset: offset as u32,
                length: text.len() as u32,
            }
        }

        /// Adds a list of ports to the pool.
        pub fn list(&mut self, ports: &[u16]) -> PortList {
            let start = self.links.len() as u32;
            self.links.extend_from_slice(ports);
            PortList {
                start,
                count: ports.len() as u32,
            }
        }

        /// The same list of ports where it is in the pool already, or added: equal
        /// lists are then one.
        pub fn shared_list(&mut self, ports: &[u16]) -> PortList {
            let count = ports.len();
            if count == 0 {
                return PortList { start: 0, count: 0 };
            }
            match self.links.windows(count).position(|list| list == ports) {
                Some(start) => PortList {
                    start: start as u32,
                    count: count as u32,
                },
                None => self.list(ports),
            }
        }

        /// The index of a predicate, added if new.
        pub fn predicate(&mut self, predicate: Predicate) -> u16 {
            index_of(&mut self.predicates, predicate)
        }

        /// The index of a duration, added if new.
        pub fn duration(&mut self, nanos: u64, remainder: u32) -> u16 {
            index_of(
                &mut self.durations,
                DurationEntry {
                    nanos,
                    remainder,
                    reserved: 0,
                },
            )
        }

        /// The bytes of the module file.
        ///
        /// The caller keeps each table below 65,535 entries.
        pub fn finish(&self) -> Vec<u8> {
            let mut header = ModuleHeader {
                magic: MAGIC,
                crc: 0,
                version: VERSION,
                start: self.start,
                length: 0,
                name: self.name,
                source: self.source,
                denominator: self.denominator,
                max_steps: self.max_steps,
                handlers: self.handlers,
                instructions: self.instructions.len() as u16,
                predicates: self.predicates.len() as u16,
                durations: self.durations.len() as u16,
                tasks: self.tasks.len() as u16,
                drivers: self.drivers.len() as u16,
                ports: self.ports.len() as u16,
                interrupts: self.interrupts.len() as u16,
                mailboxes: self.mailboxes.len() as u16,
                positions: self.positions.len() as u32,
                links: self.links.len() as u32,
                strings: self.strings.len() as u32,
                round: self.round,
                resume: self.resume,
            };
            let mut body = Vec::new();
            append(&self.instructions, &mut body);
            append(&self.predicates, &mut body);
            append(&self.durations, &mut body);
            append(&self.tasks, &mut body);
            append(&self.drivers, &mut body);
            append(&self.ports, &mut body);
            append(&self.interrupts, &mut body);
            append(&self.mailboxes, &mut body);
            append(&self.positions, &mut body);
            for link in &self.links {
                body.extend_from_slice(&link.to_le_bytes());
            }
            body.extend_from_slice(self.strings.as_bytes());
            header.length = (ModuleHeader::SIZE + body.len()) as u32;
            let mut file = Vec::with_capacity(header.length as usize);
            header.append_to(&mut file);
            file.extend_from_slice(&body);
            let crc = crc32(file.get(8..).unwrap_or(&[]));
            if let Some(field) = file.get_mut(4..8) {
                field.copy_from_slice(&crc.to_le_bytes());
            }
            file
        }
    }

    fn index_of<T: PartialEq>(table: &mut Vec<T>, entry: T) -> u16 {
        let found = table.iter().position(|t| *t == entry);
        found.unwrap_or_else(|| {
            table.push(entry);
            table.len() - 1
        }) as u16
    }

    fn append<R: Record>(records: &[R], out: &mut Vec<u8>) {
        for record in records {
            record.append_to(out);
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use crate::instruction::Opcode;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut writer = ModuleWriter::new("sample", "sample.giotto");
        writer
            .instructions
            .push(Instruction::new(Opcode::Return, 0, 0, 0));
        let inputs = writer.list(&[1, 2]);
        let outputs = writer.list(&[3]);
        let states = writer.list(&[]);
        let name = writer.text("t");
        writer.tasks.push(TaskSymbol {
            name,
            function: name,
            inputs,
            outputs,
            states,
            wcet: 5,
            priority: 0,
            reserved: 0,
        });
        writer.finish()
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = sample();
        let module = Module::parse(&bytes).unwrap();
        assert_eq!(module.name(), "sample");
        let task = module.task(0).unwrap();
        assert_eq!(module.text(task.name), "t");
        assert_eq!(module.list(task.inputs).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(module.list(task.outputs).collect::<Vec<_>>(), [3]);
        assert_eq!(
            module.instruction(0).unwrap().opcode(),
            Some(Opcode::Return)
        );
        assert!(module.instruction(1).is_none() && module.task(1).is_none());
    }

    #[test]
    fn crc_is_the_published_check_value() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    proptest! {
        #[test]
        fn a_single_changed_byte_is_noticed(at in 0usize..1000, by in 1u8..) {
            let mut bytes = sample();
            let at = at % bytes.len();
            bytes[at] ^= by;
            prop_assert!(Module::parse(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_refused_without_panic(bytes: Vec<u8>) {
            prop_assert!(Module::parse(&bytes).is_err());
        }
    }
}
