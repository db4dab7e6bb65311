//! What a build starts from: the system file, the board, and the verified
//! modules of its programs.

use crate::board::Board;
use crate::file::{SystemFile, Spanned};
use crate::problem::{Problem, Refusal};
use crate::{amend, compile_program};
use giornata_abi::module::Module;
use miette::Report;
use std::path::Path;

/// A system before its names are resolved.
#[derive(Clone, Debug)]
pub struct Project {
    /// The system file.
    pub file: SystemFile,
    /// Its board.
    pub board: Board,
    /// Bytes of each program's module, in the order of the file.
    pub modules: Vec<ProgramModule>,
    /// The instant, in ns, at which the machine stops by itself; 0 = never.
    pub stop_at: u64,
}

/// The module of a program, with the handlers that the system file adds.
#[derive(Clone, Debug)]
pub struct ProgramModule {
    /// The module file's bytes.
    pub bytes: Vec<u8>,
    /// Most microcode steps in one instant.
    pub max_steps: u32,
}

impl Project {
    /// Reads a system file and compiles its programs. `root` holds `boards/`;
    /// `board` stands in for the board that the file names.
    pub fn open(path: &Path, root: &Path, board: Option<&str>) -> Result<Project, Report> {
        let file = SystemFile::read(path)?;
        let board = Board::of(&file, root, board)?;
        let sources: Result<Vec<_>, Report> =
            file.programs.iter().map(|p| compile_program::compile(&file, &p.source)).collect();
        Ok(Project::assemble(file, board, &sources?)?)
    }

    /// A project of parts: `modules` are module files, one for each program.
    pub fn assemble(file: SystemFile, board: Board, modules: &[Vec<u8>]) -> Result<Project, Refusal> {
        let programs = file.programs.iter().zip(modules);
        let modules = programs.map(|(program, bytes)| {
            parse(&file, &program.source, bytes)?;
            let bytes = amend::with_handlers(&file, program, bytes)?;
            let max_steps = compile_program::verify(&file, &program.source, &bytes)?;
            Ok(ProgramModule { bytes, max_steps })
        });
        let modules: Result<Vec<_>, Refusal> = modules.collect();
        let modules = modules?;
        Ok(Project { file, board, modules, stop_at: 0 })
    }
}

/// Checks the frame of a module file.
pub(crate) fn parse<'a>(file: &SystemFile, source: &Spanned<String>, bytes: &'a [u8]) -> Result<Module<'a>, Refusal> {
    Module::parse(bytes).map_err(|error| {
        let reason = format!("{} is not a module: {error}", source.get_ref());
        Problem::new(reason, "compile it anew with `giornata compile`").at(&file.source, source.span()).into()
    })
}
