//! Programs that may be replaced while the system runs: who may, what may come,
//! and how much room there is for it.

use crate::config::{self, LOAD};
use crate::file::{ProgramSection, SystemFile};
use crate::interface;
use crate::problem::{Findings, Problem, Refusal};
use crate::project::{self, ProgramModule};
use giornata_abi::module::{Module, ModuleHeader};
use giornata_microcode::interface::Limits;

/// Modules that come later may be so much larger than those that are known.
const GROWTH: u32 = 2;
/// The least room: instructions, predicates and durations, slots, steps.
const LEAST: (u16, u16, u16, u32) = (64, 16, 4, 256);

/// What there is room for, twice: for the module that runs and the one that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The process that may replace the program.
    pub loader: u16,
    /// Whether it runs from the start.
    pub boots: bool,
    /// What a module may need at most.
    pub limits: Limits,
}

/// A program's module with the names of all that may take its place, and the
/// room for them; as it is where nobody may replace it.
pub(crate) fn prepare(
    file: &SystemFile,
    program: &ProgramSection,
    boots: ProgramModule,
    others: &[ProgramModule],
) -> Result<ProgramModule, Refusal> {
    let mut findings = Findings::about(&file.path, file.source.text());
    let loader = loader(file, program, &mut findings);
    let loader = findings.conclude(loader)?;
    let Some(loader) = loader else {
        return Ok(boots);
    };
    let all: Vec<&ProgramModule> = others.iter().chain([&boots]).collect();
    let room = room(program, loader, &all);
    let base = project::parse(file, &program.source, &boots.bytes)?;
    let parsed: Result<Vec<Module<'_>>, Refusal> = others
        .iter()
        .zip(&program.modules)
        .map(|(module, source)| project::parse(file, source, &module.bytes))
        .collect();
    let bytes = interface::unite(&base, &parsed?).map_err(|conflict| {
        let mend = "modules that take each other's place share their names: rename one";
        let place = program.modules.first().unwrap_or(&program.source);
        Problem::new(conflict.to_string(), mend).at(&file.source, place.span())
    })?;
    check_fits(file, program, &room, &all)?;
    let sources = [&program.source].into_iter().chain(&program.modules);
    let modules = [&boots].into_iter().chain(others);
    let known = sources.zip(modules);
    let known = known.map(|(source, module)| (source.get_ref().clone(), module.bytes.clone()));
    Ok(ProgramModule {
        known: known.collect(),
        bytes,
        triggers: room.limits.triggers,
        s_threads: room.limits.threads,
        room: Some(room),
        ..boots
    })
}

/// The process that is granted the program.
fn loader(file: &SystemFile, program: &ProgramSection, findings: &mut Findings) -> Option<u16> {
    let name = program.name.get_ref();
    let mut loader: Option<(u16, &str)> = None;
    for (index, process) in (0u16..).zip(&file.processes) {
        for grant in process
            .grants
            .programs
            .iter()
            .filter(|g| g.get_ref() == name)
        {
            match loader {
                Some((_, other)) => {
                    let reason = format!("program `{name}` is granted to `{other}` already");
                    findings.refuse(grant.span(), reason, "one process replaces a program");
                }
                None => loader = Some((index, process.name.get_ref())),
            }
        }
    }
    let config = file.kernel.config.get_ref();
    if loader.is_some() && !config::has(config, LOAD) {
        let reason = format!("programs of configuration \"{config}\" cannot be replaced");
        findings.refuse(program.name.span(), reason, config::mend(file, LOAD));
    }
    let needs = match program.modules.first() {
        Some(module) => Some((module.span(), "other modules cannot come")),
        None if !program.boot.get_ref() => {
            Some((program.boot.span(), "no module would ever be loaded"))
        }
        None => None,
    };
    if let (Some((span, reason)), None) = (needs, loader) {
        let mend =
            format!("grant it to the process that loads: `grants = {{ program = [\"{name}\"] }}`");
        findings.refuse(span, reason, mend);
    }
    loader.map(|(index, _)| index)
}

fn room(program: &ProgramSection, loader: u16, modules: &[&ProgramModule]) -> Room {
    let said = &program.room;
    let header = |module: &&ProgramModule| Module::parse(&module.bytes).ok().map(|m| *m.header());
    let most = |count: fn(&ModuleHeader) -> u16, least: u16| {
        let known = modules.iter().filter_map(header).map(|h| count(&h));
        let largest = known.max().unwrap_or(0);
        let wanted = (u32::from(largest) * GROWTH).max(least.into());
        u16::try_from(wanted).unwrap_or(largest)
    };
    let slots = |count: fn(&ProgramModule) -> u16| {
        let known = modules.iter().map(|m| count(m)).max();
        known.unwrap_or(0).max(LEAST.2)
    };
    let steps = modules.iter().map(|m| m.max_steps).max().unwrap_or(0);
    let limits = Limits {
        instructions: said
            .instructions
            .unwrap_or(most(|h| h.instructions, LEAST.0)),
        predicates: said.predicates.unwrap_or(most(|h| h.predicates, LEAST.1)),
        durations: said.durations.unwrap_or(most(|h| h.durations, LEAST.1)),
        steps: said.steps.unwrap_or((steps * GROWTH).max(LEAST.3)),
        triggers: said.triggers.unwrap_or(slots(|m| m.triggers)),
        threads: said.threads.unwrap_or(slots(|m| m.s_threads)),
    };
    Room {
        loader,
        boots: *program.boot.get_ref(),
        limits,
    }
}

/// The modules that are known fit the room that the file states.
fn check_fits(
    file: &SystemFile,
    program: &ProgramSection,
    room: &Room,
    modules: &[&ProgramModule],
) -> Result<(), Refusal> {
    let mut findings = Findings::about(&file.path, file.source.text());
    let limits = &room.limits;
    for module in modules {
        let Ok(parsed) = Module::parse(&module.bytes) else {
            continue;
        };
        let header = parsed.header();
        let needs: [(&str, u32, u32); 6] = [
            (
                "instructions",
                header.instructions.into(),
                limits.instructions.into(),
            ),
            (
                "predicates",
                header.predicates.into(),
                limits.predicates.into(),
            ),
            (
                "durations",
                header.durations.into(),
                limits.durations.into(),
            ),
            ("steps", module.max_steps, limits.steps),
            ("triggers", module.triggers.into(), limits.triggers.into()),
            ("threads", module.s_threads.into(), limits.threads.into()),
        ];
        for (what, needed, there) in needs.into_iter().filter(|(_, need, room)| need > room) {
            let reason = format!(
                "{} needs {needed} {what}, there is room for {there}",
                parsed.name()
            );
            let mend = format!("write `room = {{ {what} = {needed} }}` or more");
            findings.refuse(program.name.span(), reason, mend);
        }
    }
    findings.conclude(())
}
