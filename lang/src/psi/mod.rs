//! Psi: time-triggered tasks with windows.

mod annotation;
mod code;
mod generate;
pub mod index;
mod lexer;
mod model;
mod parser;
mod reach;
mod semantics;
mod symbols;
pub mod tree;
mod usage;
mod ways;

use giornata_abi::module::ModuleWriter;

pub use self::code::Code;
use self::model::Model;
use crate::diagnostic::{Diagnostic, Findings};
use crate::options::Options;
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

/// The budgets that a program states: each function that has one, with its
/// nanoseconds. Modules have no place for them: whoever builds a system of the
/// program gives them to its functions. Empty for a program with errors.
pub fn budgets(source_text: &str) -> Vec<(String, u64)> {
    let model = model(source_text, &mut Findings::default());
    let jobs = model.map_or(Vec::new(), |model| model.jobs);
    let stated = jobs.into_iter().filter(|job| job.budget > 0);
    stated.map(|job| (job.function, job.budget)).collect()
}

fn model(text: &str, findings: &mut Findings) -> Option<Model> {
    let program = parser::parse(text, findings);
    if findings.has_errors() {
        return None;
    }
    semantics::check(&program, findings)
}

fn translate(
    source_name: &str,
    text: &str,
    options: &Options,
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let model = model(text, findings)?;
    let file = source_name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(source_name);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let writer = ModuleWriter::new(options.name.as_deref().unwrap_or(stem), file);
    generate::generate(&model, writer, options, &line_starts(text), findings)
}
