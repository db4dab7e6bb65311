//! What a build starts from: the system file, the board, and the verified
//! modules of its programs.

use crate::board::Board;
use crate::file::{Spanned, SystemFile};
use crate::problem::{Problem, Refusal};
use crate::{amend, compile_program};
use giornata_abi::module::Module;
use giornata_lang::Diagnostic;
use miette::Report;
use std::path::Path;

/// Steps of one instant of a module whose need cannot be decided, for each
/// instruction.
const ROUNDS: u32 = 8;
/// The least that such a module gets.
const LEAST_STEPS: u32 = 256;

/// A system before its names are resolved.
#[derive(Clone, Debug)]
pub struct Project {
    /// The system file.
    pub file: SystemFile,
    /// Its board.
    pub board: Board,
    /// Each program's module, in the order of the file.
    pub modules: Vec<ProgramModule>,
    /// What the compilers remarked.
    pub remarks: Vec<Diagnostic>,
    /// The instant, in ns, at which the machine stops by itself; 0 = never.
    pub stop_at: u64,
}

/// The verified module of a program, with the handlers that the system file adds.
#[derive(Clone, Debug)]
pub struct ProgramModule {
    /// The module file's bytes.
    pub bytes: Vec<u8>,
    /// Most microcode steps in one instant.
    pub max_steps: u32,
    /// Trigger slots that it needs.
    pub triggers: u16,
    /// S thread slots that it needs.
    pub s_threads: u16,
}

impl Project {
    /// Reads a system file and compiles its programs. `root` holds `boards/`;
    /// `board` stands in for the board that the file names.
    pub fn open(path: &Path, root: &Path, board: Option<&str>) -> Result<Project, Report> {
        let file = SystemFile::read(path)?;
        let board = Board::of(&file, root, board)?;
        let (mut modules, mut remarks) = (Vec::new(), Vec::new());
        for program in &file.programs {
            let (bytes, found) = compile_program::compile(&file, &program.source)?;
            modules.push(bytes);
            remarks.extend(found);
        }
        let project = Project::assemble(file, board, &modules)?;
        Ok(Project { remarks, ..project })
    }

    /// A project of parts: `modules` are module files, one for each program.
    pub fn assemble(
        file: SystemFile,
        board: Board,
        modules: &[Vec<u8>],
    ) -> Result<Project, Refusal> {
        let programs = file.programs.iter().zip(modules);
        let modules = programs.map(|(program, bytes)| {
            let header = *parse(&file, &program.source, bytes)?.header();
            compile_program::verify(&file, &program.source, bytes)?;
            let bytes = amend::with_handlers(&file, program, bytes)?;
            let verified = compile_program::verify(&file, &program.source, &bytes)?;
            let undecided = (u32::from(header.instructions) * ROUNDS).max(LEAST_STEPS);
            let declared = if header.max_steps == 0 {
                undecided
            } else {
                header.max_steps
            };
            let max_steps = verified.steps.unwrap_or(declared);
            let (triggers, s_threads) = (verified.triggers, verified.threads);
            Ok(ProgramModule {
                bytes,
                max_steps,
                triggers,
                s_threads,
            })
        });
        let modules: Result<Vec<_>, Refusal> = modules.collect();
        let modules = modules?;
        Ok(Project {
            file,
            board,
            modules,
            remarks: Vec::new(),
            stop_at: 0,
        })
    }
}

/// Checks the frame of a module file.
pub(crate) fn parse<'a>(
    file: &SystemFile,
    source: &Spanned<String>,
    bytes: &'a [u8],
) -> Result<Module<'a>, Refusal> {
    Module::parse(bytes).map_err(|error| {
        let reason = format!("{} is not a module: {error}", source.get_ref());
        Problem::new(reason, "compile it anew with `giornata compile`")
            .at(&file.source, source.span())
            .into()
    })
}
