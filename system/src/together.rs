//! Programs of one hart that have S code together: time slots where the system
//! file asks for schedules, and whether two threads ever claim the hart at once.
//!
//! What is found here is found before anything runs. Modules that come later,
//! code beyond the analysis, tasks whose worst-case times nobody knows, and what
//! programs without S code and threads take of the hart are left to the kernel,
//! which reports a violation of time share when it happens.

use crate::file::{ProgramSection, Schedule, SystemFile};
use crate::problem::{Problem, Refusal};
use crate::project::{Project, parse};
use crate::s_code::{self, OTHERWISE, SMALLER, refuse};
use giornata_analysis::job::Breach;
use giornata_analysis::scode::SCode;
use giornata_analysis::{
    ECode, Kind, NoSlots, Part, Program, Safety, Times, attach, check, compose, slots,
};

/// A program and what its tasks take.
struct Member<'a> {
    section: &'a ProgramSection,
    program: Program,
    times: Times,
}

impl Member<'_> {
    fn parts(self) -> (Program, Times) {
        (self.program, self.times)
    }

    fn part(&self) -> Part<'_> {
        Part {
            name: self.section.name.get_ref(),
            program: &self.program,
            times: &self.times,
        }
    }
}

/// The modules of the programs, each with the S code that its `schedule` asks
/// for. Where several that run from the start ask, they get time slots.
///
/// # Errors
/// There is no such schedule, with the run that shows it, at `schedule`.
pub(crate) fn attached(file: &SystemFile, modules: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Refusal> {
    let asks = |program: &ProgramSection| match *program.schedule.get_ref() {
        Schedule::SCode(kind) if *program.boot.get_ref() => kind,
        _ => None,
    };
    let several = file.programs.iter().filter_map(asks).count() > 1;
    let (mut attached, mut members, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (section, bytes) in file.programs.iter().zip(modules) {
        match asks(section).filter(|_| several) {
            None => attached.push(s_code::attached(file, section, &section.source, bytes)?),
            Some(kind) => {
                check_slots_fit(file, section, kind)?;
                let module = parse(file, &section.source, bytes)?;
                let (program, times) = s_code::subject(file, section, &section.source, &module)?;
                places.push(attached.len());
                attached.push(bytes.clone());
                members.push(Member {
                    section,
                    program,
                    times,
                });
            }
        }
    }
    if let Some(last) = members.last() {
        let parts: Vec<Part<'_>> = members.iter().map(Member::part).collect();
        let threads = share(file, last.section, &parts)?;
        for ((member, place), thread) in members.iter().zip(places).zip(&threads) {
            let bytes = &mut attached[place];
            *bytes = attach(bytes, thread)
                .map_err(|why| refuse(file, member.section, why.to_string(), SMALLER))?;
        }
    }
    Ok(attached)
}

/// The programs of a system that run from the start, as one, and the worst-case times of
/// their tasks: of each its function's budget, and where there is none, what its source
/// says.
///
/// # Errors
/// There is none, a program is beyond the analyses, or a time is not known.
pub fn whole(project: &Project) -> Result<(Program, Times), Refusal> {
    let file = &project.file;
    let mut members = Vec::new();
    for (section, prepared) in file.programs.iter().zip(&project.modules) {
        if !*section.boot.get_ref() {
            continue;
        }
        let module = parse(file, &section.source, &prepared.bytes)?;
        let (program, times) = s_code::facts(file, section, &module)?;
        members.push(Member {
            section,
            program,
            times,
        });
    }
    let Some(last) = members.last() else {
        let reason = format!("system `{}` runs no program", file.name.get_ref());
        return Err(Problem::new(
            reason,
            "there is nothing to analyse: threads have no periods",
        )
        .into());
    };
    if members.len() > 1 {
        let parts: Vec<Part<'_>> = members.iter().map(Member::part).collect();
        return compose(&parts)
            .map_err(|why| refuse(file, last.section, why.to_string(), OTHERWISE));
    }
    Ok(members.remove(0).parts())
}

/// Slots are of one kind, and of the program that the system is built with.
fn check_slots_fit(file: &SystemFile, section: &ProgramSection, kind: Kind) -> Result<(), Refusal> {
    let name = section.name.get_ref();
    if kind != Kind::EarliestDeadline {
        let reason = format!(
            "several programs have S code, and program `{name}` cannot share the hart by \"s:{}\"",
            kind.name()
        );
        let mend =
            "use \"s:edf\" for all of them, which makes time slots, or \"edf\" for all but one";
        return Err(refuse(file, section, reason, mend));
    }
    if !section.modules.is_empty() {
        let reason = format!(
            "the time slots of program `{name}` are made for its first module, and others may take its place"
        );
        let mend =
            "use \"edf\", or leave `modules` out: a module that comes brings S code of its own";
        return Err(refuse(file, section, reason, mend));
    }
    Ok(())
}

/// A thread for each.
fn share(
    file: &SystemFile,
    section: &ProgramSection,
    parts: &[Part<'_>],
) -> Result<Vec<SCode>, Refusal> {
    let (whole, times) =
        compose(parts).map_err(|why| refuse(file, section, why.to_string(), OTHERWISE))?;
    slots(&whole, &times).map_err(|why| match why {
        NoSlots::Beyond(why) => refuse(file, section, why.to_string(), OTHERWISE),
        NoSlots::Fractions => {
            let reason = "time slots of several programs lie at whole nanoseconds".to_owned();
            let mend =
                "choose periods that their rates divide, or \"edf\" for all programs but one";
            refuse(file, section, reason, mend)
        }
        NoSlots::Schedule(why) => {
            let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
            s_code::explain(file, section, &names, Kind::EarliestDeadline, &why, &whole)
        }
    })
}

/// Refuses programs whose threads claim the hart at once, or are late together.
///
/// # Errors
/// The run that shows it, at the `schedule` of the last of them.
pub(crate) fn check_sharing(file: &SystemFile, modules: &[&[u8]]) -> Result<(), Refusal> {
    let mut members = Vec::new();
    for (section, bytes) in file.programs.iter().zip(modules) {
        let module = parse(file, &section.source, bytes)?;
        if !*section.boot.get_ref() || !s_code::is_in(&module) {
            continue;
        }
        let known = Program::of(&module).ok();
        let known =
            known.and_then(|program| Some((s_code::times(file, &module, &program).ok()?, program)));
        members.extend(known.map(|(times, program)| Member {
            section,
            program,
            times,
        }));
    }
    let parts: Vec<Part<'_>> = members.iter().map(Member::part).collect();
    let (Some(last), true) = (members.last(), parts.len() > 1) else {
        return Ok(());
    };
    let Ok((whole, times)) = compose(&parts) else {
        return Ok(());
    };
    let found = ECode::of(&whole).and_then(|code| check(&whole, &code, &times));
    let Ok(Safety::Unsafe(witness)) = found.map(|checked| checked.safety) else {
        return Ok(());
    };
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    let names = names.join("`, `");
    let what = match witness.breach {
        Breach::Shared { .. } => "claim the hart at once",
        _ => "are not in time together",
    };
    let run = witness.text(&whole);
    let reason = format!(
        "the S code of programs `{names}`: they {what}:\n{}",
        run.trim_end()
    );
    let mend = "let \"s:edf\" make time slots for all of them, or give all but one \"edf\"";
    Err(refuse(file, last.section, reason, mend))
}
