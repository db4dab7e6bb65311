//! Blocks that handle violations.

use std::collections::BTreeMap;

use giornata_abi::Opcode;
use giornata_abi::id::NONE;

use crate::assembler::Assembler;
use crate::diagnostic::Span;
use crate::options::Options;
use crate::tables::Tables;

/// A block for each violation that has a handler, behind the program; equal ones
/// are shared. The addresses in the order of violations, NONE where there is none.
pub(crate) fn handlers(
    options: &Options,
    code: &mut Assembler,
    tables: &mut Tables,
    span: Span,
) -> [u16; 4] {
    let mut blocks: BTreeMap<&str, u16> = BTreeMap::new();
    let mut handlers = [NONE; 4];
    for (handler, function) in handlers.iter_mut().zip(&options.handlers) {
        let Some(function) = function else { continue };
        *handler = match blocks.get(function.as_str()) {
            Some(block) => *block,
            None => block(function, code, tables, span),
        };
        blocks.insert(function, *handler);
    }
    handlers
}

fn block(function: &str, code: &mut Assembler, tables: &mut Tables, span: Span) -> u16 {
    let block = code.here();
    let driver = tables.handler(function);
    code.emit(Opcode::Call, driver, 0, span);
    code.emit(Opcode::Return, 0, 0, span);
    block
}
