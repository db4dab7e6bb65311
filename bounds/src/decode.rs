//! One instruction: its length, where control goes, and what little of its
//! arithmetic the addresses of jump tables are made of.

use raki::{BaseIOpcode as I, COpcode as C, Decode, Instruction as Raw, Isa, OpcodeKind};
use raki::{PrivOpcode, ZicsrOpcode};

/// The register that `call` links through.
pub(crate) const RA: u8 = 1;
/// The pending interrupts of machine mode.
pub(crate) const MIP: u16 = 0x344;

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To the next instruction.
    Next,
    /// There, or to the next instruction.
    Branch(u64),
    /// There; with a link register it is a call.
    Jump { target: u64, link: u8 },
    /// To the sum of a register and a number; with a link register it is a call.
    Indirect { base: u8, offset: i64, link: u8 },
    /// Out of the kernel.
    Leave,
    /// To the next instruction, once there is an interrupt.
    Wait,
    /// To the next instruction: what interrupts are pending is read.
    Look,
}

/// What is known of the value that a register gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// No register gets any.
    None,
    /// A constant.
    Constant { to: u8, value: u64 },
    /// A register and a number.
    Offset { to: u8, from: u8, by: i64 },
    /// Two registers.
    Sum { to: u8, a: u8, b: u8 },
    /// What lies at the sum of a register and a number.
    Load {
        to: u8,
        base: u8,
        offset: i64,
        bytes: u8,
    },
    /// Anything.
    Unknown { to: u8 },
}

impl Effect {
    /// The register that gets a value.
    pub(crate) fn register(&self) -> Option<u8> {
        match *self {
            Effect::None => None,
            Effect::Constant { to, .. }
            | Effect::Offset { to, .. }
            | Effect::Sum { to, .. }
            | Effect::Load { to, .. }
            | Effect::Unknown { to } => Some(to),
        }
    }
}

/// An instruction at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) address: u64,
    /// Bytes: 2 or 4.
    pub(crate) length: u64,
    pub(crate) flow: Flow,
    pub(crate) effect: Effect,
}

impl Instruction {
    /// The address behind it.
    pub(crate) fn next(&self) -> u64 {
        self.address + self.length
    }
}

/// Decodes the instruction whose first bytes these are; `None` if it is none.
pub(crate) fn decode(address: u64, bytes: &[u8], is_64: bool) -> Option<Instruction> {
    let low = u16::from_le_bytes(*bytes.first_chunk()?);
    let isa = if is_64 { Isa::Rv64 } else { Isa::Rv32 };
    let length = if low & 3 == 3 { 4 } else { 2 };
    let raw = if length == 4 {
        let word = u32::from_le_bytes(*bytes.first_chunk()?);
        match word.decode(isa) {
            Ok(raw) => raw,
            Err(_) if is_floating(word) => return Some(floating(address, word)),
            Err(_) => return None,
        }
    } else {
        match low.decode(isa) {
            Ok(raw) => raw,
            Err(_) if is_floating_short(low, is_64) => return Some(plain(address, length)),
            Err(_) => return None,
        }
    };
    Some(Instruction {
        address,
        length,
        flow: flow(&raw, address),
        effect: effect(&raw, address, is_64),
    })
}

fn plain(address: u64, length: u64) -> Instruction {
    Instruction {
        address,
        length,
        flow: Flow::Next,
        effect: Effect::None,
    }
}

/// An instruction on floating-point registers, which the library leaves out.
fn is_floating(word: u32) -> bool {
    matches!(word & 0x7F, 0x07 | 0x27 | 0x43 | 0x47 | 0x4B | 0x4F | 0x53)
}

/// Some of them answer in an integer register.
fn floating(address: u64, word: u32) -> Instruction {
    let to = (word >> 7 & 31) as u8;
    let answers = word & 0x7F == 0x53 && to != 0;
    Instruction {
        effect: if answers {
            Effect::Unknown { to }
        } else {
            Effect::None
        },
        ..plain(address, 4)
    }
}

/// The same, compressed; the encodings of whole words are taken on 64 bits.
fn is_floating_short(word: u16, is_64: bool) -> bool {
    let is_double = matches!(word >> 13, 0b001 | 0b101);
    let is_single = matches!(word >> 13, 0b011 | 0b111) && !is_64;
    matches!(word & 3, 0 | 2) && (is_double || is_single)
}

fn flow(raw: &Raw, address: u64) -> Flow {
    let offset = raw.imm.unwrap_or(0) as i64;
    let there = address.wrapping_add_signed(offset);
    let base = register(raw.rs1);
    match raw.opc {
        OpcodeKind::BaseI(I::BEQ | I::BNE | I::BLT | I::BGE | I::BLTU | I::BGEU)
        | OpcodeKind::C(C::BEQZ | C::BNEZ) => Flow::Branch(there),
        OpcodeKind::BaseI(I::JAL) => jump(there, register(raw.rd)),
        OpcodeKind::C(C::J) => jump(there, 0),
        OpcodeKind::C(C::JAL) => jump(there, RA),
        OpcodeKind::BaseI(I::JALR) => indirect(base, offset, register(raw.rd)),
        OpcodeKind::C(C::JR) => indirect(base, 0, 0),
        OpcodeKind::C(C::JALR) => indirect(base, 0, RA),
        OpcodeKind::Priv(PrivOpcode::MRET) => Flow::Leave,
        OpcodeKind::Priv(PrivOpcode::WFI) => Flow::Wait,
        OpcodeKind::Zicsr(ZicsrOpcode::CSRRS) if csr(raw) == Some(MIP) => Flow::Look,
        _ => Flow::Next,
    }
}

fn jump(target: u64, link: u8) -> Flow {
    Flow::Jump { target, link }
}

fn indirect(base: u8, offset: i64, link: u8) -> Flow {
    Flow::Indirect { base, offset, link }
}

/// Which control and status register an instruction names.
fn csr(raw: &Raw) -> Option<u16> {
    raw.rs2.and_then(|number| u16::try_from(number).ok())
}

fn register(number: Option<usize>) -> u8 {
    number.unwrap_or(0) as u8
}

fn effect(raw: &Raw, address: u64, is_64: bool) -> Effect {
    let immediate = raw.imm.unwrap_or(0) as i64;
    let to = register(raw.rd);
    let (a, b) = (register(raw.rs1), register(raw.rs2));
    let constant = |value: u64| Effect::Constant {
        to,
        value: if is_64 { value } else { value & 0xFFFF_FFFF },
    };
    let load = |base, bytes| Effect::Load {
        to,
        base,
        offset: immediate,
        bytes,
    };
    // the library gives the upper 20 bits as they stand in the instruction
    let upper = (((immediate as i32) << 12) as i64) as u64;
    match raw.opc {
        _ if to == 0 => Effect::None,
        OpcodeKind::BaseI(I::LUI) => constant(upper),
        OpcodeKind::BaseI(I::AUIPC) => constant(address.wrapping_add(upper)),
        OpcodeKind::C(C::LUI | C::LI) => constant(immediate as u64),
        OpcodeKind::BaseI(I::ADDI) if a == 0 => constant(immediate as u64),
        OpcodeKind::BaseI(I::ADDI) | OpcodeKind::C(C::ADDI | C::ADDI16SP) => Effect::Offset {
            to,
            from: a,
            by: immediate,
        },
        OpcodeKind::C(C::MV) => Effect::Offset { to, from: b, by: 0 },
        OpcodeKind::BaseI(I::ADD) | OpcodeKind::C(C::ADD) => Effect::Sum { to, a, b },
        OpcodeKind::BaseI(I::LD) => load(a, 8),
        OpcodeKind::C(C::LD) => load(a, 8),
        OpcodeKind::BaseI(I::LW) | OpcodeKind::C(C::LW) => load(a, 4),
        _ => Effect::Unknown { to },
    }
}
