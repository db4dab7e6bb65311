//! Instructions with labels instead of addresses, and the longest path through them.

use giornata_abi::instruction::Operand;
use giornata_abi::{Instruction, Opcode};

use crate::diagnostic::Span;

/// A place in the code that may not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(usize);

/// Code under construction.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    instructions: Vec<Instruction>,
    /// Where each instruction comes from.
    spans: Vec<Span>,
    /// The address of each label.
    labels: Vec<Option<u16>>,
    /// Instructions whose address operand names a label.
    open: Vec<(usize, Label)>,
}

/// The code is longer than a module may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the code is longer than the 65,000 instructions that a module can hold")]
pub(crate) struct TooLong;

/// A module has at most this many instructions, so that every address and
/// every count fits.
const MOST_INSTRUCTIONS: usize = 65_000;

impl Assembler {
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub(crate) fn is_placed(&self, label: Label) -> bool {
        self.labels[label.0].is_some()
    }

    /// The next instruction is what `label` means.
    pub(crate) fn place(&mut self, label: Label) {
        self.labels[label.0] = Some(self.here());
    }

    /// What a label means; `None` before it is placed.
    pub(crate) fn address(&self, label: Label) -> Option<u16> {
        self.labels[label.0]
    }

    /// The address of the next instruction.
    pub(crate) fn here(&self) -> u16 {
        self.instructions.len() as u16
    }

    /// Whether no more should be added.
    pub(crate) fn is_full(&self) -> bool {
        self.instructions.len() >= MOST_INSTRUCTIONS
    }

    pub(crate) fn emit(&mut self, opcode: Opcode, a: u16, b: u16, span: Span) {
        if !self.is_full() {
            self.instructions.push(Instruction::new(opcode, a, b, 0));
            self.spans.push(span);
        }
    }

    /// Emits an instruction whose address operand is `label`.
    pub(crate) fn emit_to(&mut self, opcode: Opcode, a: u16, label: Label, span: Span) {
        self.open.push((self.instructions.len(), label));
        self.emit(opcode, a, 0, span);
    }

    /// The code with addresses, and where each instruction comes from.
    pub(crate) fn finish(mut self) -> Result<(Vec<Instruction>, Vec<Span>), TooLong> {
        if self.is_full() {
            return Err(TooLong);
        }
        for (at, label) in self.open {
            let (Some(address), Some(instruction)) =
                (self.labels[label.0], self.instructions.get_mut(at))
            else {
                return Err(TooLong);
            };
            match address_operand(instruction) {
                Some(0) => instruction.a = address,
                _ => instruction.b = address,
            }
        }
        Ok((self.instructions, self.spans))
    }
}

/// Which operand of an instruction is an address.
fn address_operand(instruction: &Instruction) -> Option<usize> {
    instruction
        .opcode()?
        .operands()
        .iter()
        .position(|operand| *operand == Operand::Address)
}

/// The addresses that may come right after the one at `at`, in the same instant.
fn successors(at: usize, instruction: &Instruction) -> [Option<usize>; 2] {
    match instruction.opcode() {
        Some(Opcode::Return) => [None, None],
        Some(Opcode::Jump) => [Some(instruction.a.into()), None],
        Some(Opcode::Branch) => [Some(at + 1), Some(instruction.b.into())],
        _ => [Some(at + 1), None],
    }
}

/// The most steps that one instant can take, from any address, where an
/// instruction costs what `cost` says.
///
/// The code of an instant has no cycle (only `future` leads back, and that
/// takes time), so that every path ends. O(instructions).
pub(crate) fn longest_path(code: &[Instruction], cost: impl Fn(&Instruction) -> u32) -> u32 {
    let mut length: Vec<Option<u32>> = vec![None; code.len()];
    for start in 0..code.len() {
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if length[at].is_some() {
                continue;
            }
            let next = successors(at, &code[at])
                .into_iter()
                .flatten()
                .filter(|next| *next < code.len());
            let unknown: Vec<usize> = next
                .clone()
                .filter(|next| length[*next].is_none())
                .collect();
            if unknown.is_empty() {
                let rest = next.filter_map(|next| length[next]).max().unwrap_or(0);
                length[at] = Some(cost(&code[at]) + rest);
            } else {
                open.push(at);
                open.extend(unknown);
            }
        }
    }
    length.into_iter().flatten().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span { start: 0, end: 0 };

    #[test]
    fn labels_become_addresses_wherever_they_are_placed() {
        let mut code = Assembler::default();
        let (top, end) = (code.label(), code.label());
        code.place(top);
        code.emit_to(Opcode::Branch, 7, end, SPAN);
        code.emit_to(Opcode::Future, 8, top, SPAN);
        code.place(end);
        code.emit_to(Opcode::Jump, 0, end, SPAN);
        assert!(code.is_placed(end));
        let (code, _) = code.finish().unwrap();
        assert_eq!(code[0], Instruction::new(Opcode::Branch, 7, 2, 0));
        assert_eq!(code[1], Instruction::new(Opcode::Future, 8, 0, 0));
        assert_eq!(code[2], Instruction::new(Opcode::Jump, 2, 0, 0));
    }

    #[test]
    fn code_stops_growing_at_the_limit() {
        let mut code = Assembler::default();
        for _ in 0..70_000 {
            code.emit(Opcode::Return, 0, 0, SPAN);
        }
        assert!(code.is_full());
        assert_eq!(code.finish(), Err(TooLong));
    }

    #[test]
    fn the_longest_path_takes_the_longer_arm_of_a_branch() {
        let code = [
            Instruction::new(Opcode::Branch, 0, 3, 0),
            Instruction::new(Opcode::Call, 0, 0, 0),
            Instruction::new(Opcode::Jump, 5, 0, 0),
            Instruction::new(Opcode::Call, 0, 0, 0),
            Instruction::new(Opcode::Call, 0, 0, 0),
            Instruction::new(Opcode::Future, 0, 0, 0),
            Instruction::new(Opcode::Return, 0, 0, 0),
        ];
        // branch, two calls, future, return; the other arm: branch, call, jump, future, return.
        assert_eq!(longest_path(&code, |_| 1), 5);
        let calls = |i: &Instruction| u32::from(i.opcode() == Some(Opcode::Call));
        assert_eq!(longest_path(&code, calls), 2);
        assert_eq!(longest_path(&[], |_| 1), 0);
    }
}
