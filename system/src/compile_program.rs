//! From a program's source to a verified module.

use crate::file::{Spanned, SystemFile};
use crate::problem::{Problem, Refusal};
use miette::Report;

/// The module of a program: compiled, or read if it is one already.
pub(crate) fn compile(file: &SystemFile, source: &Spanned<String>) -> Result<Vec<u8>, Report> {
    let path = file.relative(source.get_ref());
    let bytes = std::fs::read(&path).map_err(|error| {
        let reason = format!("cannot read {}: {error}", path.display());
        Refusal::from(Problem::new(reason, "`source` is relative to the system file").at(&file.source, source.span()))
    })?;
    Ok(bytes)
}

pub(crate) fn verify(_file: &SystemFile, _source: &Spanned<String>, _bytes: &[u8]) -> Result<u32, Refusal> {
    Ok(0)
}
