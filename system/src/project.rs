//! What a build starts from: the system file, the board, and the verified
//! modules of its programs.

use crate::board::Board;
use crate::file::{ProgramSection, Spanned, SystemFile};
use crate::hostlink::{self, Hostlink};
use crate::problem::{Findings, Problem, Refusal, suggest};
use crate::room::{self, Room};
use crate::streams::{self, StreamGraph};
use crate::{amend, compile_program, s_code, together, windows};
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
    /// Each stream's graph, in the order of the file.
    pub streams: Vec<StreamGraph>,
    /// Whom the hostlink server obeys.
    pub hostlink: Hostlink,
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
    /// Whether the verifier has counted them.
    pub is_bounded: bool,
    /// Trigger slots that it needs.
    pub triggers: u16,
    /// S thread slots that it needs.
    pub s_threads: u16,
    /// What may take its place, if anything may.
    pub room: Option<Room>,
    /// The modules that are known of those that may, by their sources: the
    /// program's own first.
    pub known: Vec<(String, Vec<u8>)>,
}

impl Project {
    /// Reads a system file and compiles its programs. `root` holds `boards/`;
    /// `board` stands in for the board that the file names.
    pub fn open(path: &Path, root: &Path, board: Option<&str>) -> Result<Project, Report> {
        Project::of(SystemFile::read(path)?, root, board)
    }

    /// The same of a system file that has been read.
    pub fn of(file: SystemFile, root: &Path, board: Option<&str>) -> Result<Project, Report> {
        let board = Board::of(&file, root, board)?;
        let (mut file, mut budgets) = (file, Vec::new());
        let (mut modules, mut others, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
        for program in &file.programs {
            let compiled = compile_program::compile(&file, &program.source)?;
            modules.push(compiled.bytes);
            remarks.extend(compiled.remarks);
            budgets.extend(compiled.budgets);
            let mut all = Vec::new();
            for source in &program.modules {
                let compiled = compile_program::compile(&file, source)?;
                all.push(compiled.bytes);
                remarks.extend(compiled.remarks);
                budgets.extend(compiled.budgets);
            }
            others.push(all);
        }
        let mut graphs = Vec::new();
        for stream in &file.streams {
            let graph = streams::read(&file, &stream.source)?;
            remarks.extend(graph.remarks.iter().cloned());
            graphs.push(graph);
        }
        give_budgets(&mut file, &budgets);
        let project = Project::assemble(file, board, &modules, &others)?;
        Ok(Project {
            remarks,
            streams: graphs,
            ..project
        })
    }

    /// A project of parts: `modules` are module files, one for each program,
    /// `others` those that may take its place.
    pub fn assemble(
        file: SystemFile,
        board: Board,
        modules: &[Vec<u8>],
        others: &[Vec<Vec<u8>>],
    ) -> Result<Project, Refusal> {
        for (program, bytes) in file.programs.iter().zip(modules) {
            compile_program::verify(&file, &program.source, bytes)?;
            windows::check(&file, &program.source, bytes, &board)?;
        }
        let attached = together::attached(&file, modules)?;
        let mut prepared = Vec::new();
        for (index, (program, bytes)) in file.programs.iter().zip(&attached).enumerate() {
            let boots = module(&file, program, &program.source, bytes)?;
            let others = others.get(index).map_or(&[][..], Vec::as_slice);
            let others = program.modules.iter().zip(others);
            let others: Result<Vec<_>, Refusal> = others
                .map(|(source, bytes)| {
                    compile_program::verify(&file, source, bytes)?;
                    windows::check(&file, source, bytes, &board)?;
                    let bytes = s_code::attached(&file, program, source, bytes)?;
                    module(&file, program, source, &bytes)
                })
                .collect();
            prepared.push(room::prepare(&file, program, boots, &others?)?);
        }
        let running: Vec<&[u8]> = prepared.iter().map(|p| &p.bytes[..]).collect();
        together::check_sharing(&file, &running)?;
        check_grants(&file)?;
        Ok(Project {
            hostlink: hostlink::resolve(&file)?,
            file,
            board,
            modules: prepared,
            streams: Vec::new(),
            remarks: Vec::new(),
            stop_at: 0,
        })
    }
}

/// Gives task functions the budgets that programs state, where the system file gives none.
pub(crate) fn give_budgets(file: &mut SystemFile, budgets: &[(String, u64)]) {
    let functions = file.processes.iter_mut().flat_map(|p| &mut p.tasks);
    for function in functions.filter(|function| function.budget.is_none()) {
        let stated = budgets
            .iter()
            .filter(|(name, _)| name == function.name.get_ref());
        let least = stated.map(|(_, nanos)| *nanos).min();
        function.budget = least.map(|nanos| Spanned::new(function.name.span(), nanos));
    }
}

/// A module with what the system file adds, verified.
fn module(
    file: &SystemFile,
    program: &ProgramSection,
    source: &Spanned<String>,
    bytes: &[u8],
) -> Result<ProgramModule, Refusal> {
    let header = *parse(file, source, bytes)?.header();
    let bytes = amend::with_handlers(file, program, bytes)?;
    let verified = compile_program::verify(file, source, &bytes)?;
    let undecided = (u32::from(header.instructions) * ROUNDS).max(LEAST_STEPS);
    let declared = if header.max_steps == 0 {
        undecided
    } else {
        header.max_steps
    };
    Ok(ProgramModule {
        bytes,
        max_steps: verified.steps.unwrap_or(declared),
        is_bounded: verified.steps.is_some(),
        triggers: verified.triggers,
        s_threads: verified.threads,
        room: None,
        known: Vec::new(),
    })
}

/// Programs that are granted exist.
fn check_grants(file: &SystemFile) -> Result<(), Refusal> {
    let mut findings = Findings::about(&file.path, file.source.text());
    let known = || file.programs.iter().map(|p| p.name.get_ref().as_str());
    for grant in file.processes.iter().flat_map(|p| &p.grants.programs) {
        if !known().any(|name| name == grant.get_ref()) {
            let reason = format!("there is no program `{}`", grant.get_ref());
            findings.refuse(grant.span(), reason, suggest(grant.get_ref(), known()));
        }
    }
    findings.conclude(())
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
