//! Giotto: time-triggered programs with modes.

mod annotation;
mod code;
pub mod convention;
mod generate;
pub mod index;
mod lexer;
mod model;
mod parser;
mod semantics;
mod symbols;
mod timing;
pub mod tree;

use giornata_abi::module::ModuleWriter;

pub use self::code::Code;
use crate::diagnostic::{Diagnostic, Findings};
pub use crate::options::Options;
use crate::position::line_starts;

/// Parses a program without checking it. Total: any text gives a tree, and a
/// list of diagnostics that is empty if the text follows the grammar. O(bytes).
pub fn parse(source_name: &str, source_text: &str) -> (tree::Program, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let program = parser::parse(source_text, &mut findings);
    (program, findings.finish(source_name, source_text))
}

/// Compiles a program to the bytes of a module.
///
/// Total: any text gives an answer. The bytes are there if and only if no
/// diagnostic is an error. Equal arguments give equal bytes; of the source's
/// name only the last part counts.
pub fn compile(
    source_name: &str,
    source_text: &str,
    options: &Options,
) -> (Option<Vec<u8>>, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let bytes = translate(source_name, source_text, options, &mut findings);
    (bytes, findings.finish(source_name, source_text))
}

/// All that [`compile`] has to say, without its result.
pub fn check(source_name: &str, source_text: &str) -> Vec<Diagnostic> {
    compile(source_name, source_text, &Options::default()).1
}

fn translate(
    source_name: &str,
    text: &str,
    options: &Options,
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let program = parser::parse(text, findings);
    if findings.has_errors() {
        return None;
    }
    let model = semantics::check(&program, findings)?;
    let timing = timing::lay_out(&model, findings)?;
    let file = source_name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(source_name);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let writer = ModuleWriter::new(options.name.as_deref().unwrap_or(stem), file);
    generate::generate(
        &model,
        &timing,
        writer,
        options,
        &line_starts(text),
        findings,
    )
}
