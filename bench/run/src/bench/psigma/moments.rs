//! Which instructions of the kernel ask for its lock, have it, give it back, and interrupt
//! another hart.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use giornata_soc::Image;

use super::super::kernel::functions::{Frame, Lines};

/// Where the chip's RAM begins, and with it the image.
const RAM: u32 = 0x4000_0000;
/// `amoadd.w.aq`, whatever its registers: the next ticket is drawn.
const ASKS: (u32, u32) = (0xFE00_707F, 0x0400_202F);
/// `fence r, rw`: it is the ticket's turn.
const HAS: u32 = 0x0230_000F;
/// `fence rw, w`, which stands before the store that gives the turn to the next.
const GIVES: u32 = 0x0310_000F;
/// A store of a word.
const STORE: (u32, u32) = (0x0000_707F, 0x0000_2023);
/// The function that interrupts a hart, and its file.
const KICK: (&str, &str) = ("kick", "arch-riscv/src/machine/harts.rs");

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// It draws a ticket.
    Asks,
    /// The hart has the lock.
    Has,
    /// It gives the lock back.
    Gives,
    /// It interrupts a hart, or itself.
    Kicks,
    /// Another.
    Other,
}

/// The instructions of a kernel.
pub(super) struct Moments {
    lines: Lines,
    image: Image,
    known: BTreeMap<u32, Moment>,
}

impl Moments {
    /// Of the kernel with its symbols, and of the image that has it.
    pub(super) fn of(kernel: &Path, image: &Image) -> Result<Moments> {
        Ok(Moments {
            lines: Lines::of(kernel)?,
            image: image.clone(),
            known: BTreeMap::new(),
        })
    }

    /// What the instruction at an address does.
    pub(super) fn at(&mut self, pc: u32) -> Result<Moment> {
        if let Some(known) = self.known.get(&pc) {
            return Ok(*known);
        }
        let found = self.find(pc)?;
        self.known.insert(pc, found);
        Ok(found)
    }

    fn find(&self, pc: u32) -> Result<Moment> {
        let word = self.word(pc);
        let is = |(mask, value): (u32, u32)| word & mask == value;
        Ok(match word {
            HAS => Moment::Has,
            _ if is(ASKS) => Moment::Asks,
            _ if is(STORE) && self.word(pc.wrapping_sub(4)) == GIVES => Moment::Gives,
            _ if is(STORE) && self.is_kick(pc)? => Moment::Kicks,
            _ => Moment::Other,
        })
    }

    fn is_kick(&self, pc: u32) -> Result<bool> {
        let frames = self.lines.frames(pc)?;
        let is_kick = |frame: &Frame| frame.function == KICK.0 && frame.file.ends_with(KICK.1);
        Ok(frames.iter().any(is_kick))
    }

    /// The instruction there; 0 where the image has none.
    fn word(&self, pc: u32) -> u32 {
        let at = pc.wrapping_sub(RAM) as usize;
        let bytes = self.image.bytes().get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}
