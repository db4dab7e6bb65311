//! From a program's source to a verified module.

use crate::file::{Spanned, SystemFile};
use crate::problem::{Problem, Refusal, utf8};
use crate::project::parse;
use giornata_lang::{Diagnostic, Language, Options};
use giornata_microcode::verify::{self, Scratch, Verified};
use std::path::Path;

/// Compilers' findings about one program, errors among them.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("{path} does not compile")]
struct Findings {
    path: String,
    #[related]
    findings: Vec<Diagnostic>,
}

/// A program's module.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) bytes: Vec<u8>,
    /// What the compiler remarked.
    pub(crate) remarks: Vec<Diagnostic>,
    /// The budgets that the program states, by function, in nanoseconds.
    pub(crate) budgets: Vec<(String, u64)>,
}

/// The module of a program, compiled, or read if it is one already.
pub(crate) fn compile(
    file: &SystemFile,
    source: &Spanned<String>,
) -> Result<Compiled, miette::Report> {
    let path = file.relative(source.get_ref());
    let refuse = |reason: String, mend: &str| {
        miette::Report::from(Refusal::from(
            Problem::new(reason, mend).at(&file.source, source.span()),
        ))
    };
    let extension = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let language = Language::of_extension(extension);
    if language.is_none() && extension != "gmod" {
        let reason = format!("nothing compiles {}", source.get_ref());
        return Err(refuse(
            reason,
            "give a `.giotto` or `.psi` program, or a prebuilt module `.gmod`",
        ));
    }
    let bytes = std::fs::read(&path).map_err(|error| {
        let reason = format!("cannot read {}: {error}", path.display());
        refuse(reason, "`source` is relative to the system file")
    })?;
    let Some(language) = language else {
        return Ok(Compiled {
            bytes,
            remarks: Vec::new(),
            budgets: Vec::new(),
        });
    };
    let text = utf8(&path, bytes).map_err(Refusal::from)?;
    compile_text(&path, language, &text)
}

fn compile_text(path: &Path, language: Language, text: &str) -> Result<Compiled, miette::Report> {
    let path = path.display().to_string();
    match language.compile(&path, text, &Options::default()) {
        (Some(bytes), remarks) => Ok(Compiled {
            bytes,
            remarks,
            budgets: language.budgets(text),
        }),
        (None, findings) => Err(Findings { path, findings }.into()),
    }
}

/// What the verifier found out about a module, or why it may not be loaded.
pub(crate) fn verify(
    file: &SystemFile,
    source: &Spanned<String>,
    bytes: &[u8],
) -> Result<Verified, Refusal> {
    let module = parse(file, source, bytes)?;
    let mut scratch = vec![Scratch::EMPTY; verify::scratch_needed(&module)];
    verify::verify(&module, &mut scratch).map_err(|refusal| {
        let position = refusal
            .address()
            .and_then(|address| module.position(address));
        let place = position.map_or(String::new(), |p| format!(", from line {}", p.line));
        let reason = format!("{} cannot be loaded: {refusal}{place}", source.get_ref());
        Problem::new(reason, "microcode is verified before it runs")
            .at(&file.source, source.span())
            .into()
    })
}
