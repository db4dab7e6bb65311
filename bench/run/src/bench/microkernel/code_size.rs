//! How many instructions the microcode of a measured system has.

use anyhow::{Context, Result, anyhow};
use giornata_abi::module::Module;
use giornata_analysis::{ECode, NoSCode, Program, Times, attach, generate};
use giornata_lang::giotto;

use super::case::Case;

/// Instructions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodeSize {
    /// Of its E code.
    pub(super) e: u64,
    /// Of its S code, and of the start of both.
    pub(super) s: u64,
}

/// Counts the instructions of a case; `None` if there is no such schedule.
pub(super) fn of(case: Case) -> Result<Option<CodeSize>> {
    let (name, text) = (case.name(), case.program());
    let (bytes, findings) = giotto::compile(&name, &text, &giotto::Options::default());
    let bytes = bytes.ok_or_else(|| anyhow!("{name} does not compile: {findings:?}"))?;
    let instructions = |bytes: &[u8]| {
        let module = Module::parse(bytes).map_err(|why| anyhow!("{name}: {why}"))?;
        anyhow::Ok(u64::from(module.header().instructions))
    };
    let e = instructions(&bytes)?;
    let Some(kind) = case.strategy() else {
        return Ok(Some(CodeSize { e, s: 0 }));
    };
    let module = Module::parse(&bytes).map_err(|why| anyhow!("{name}: {why}"))?;
    let program = Program::of(&module).with_context(|| name.clone())?;
    let code = ECode::of(&program).with_context(|| name.clone())?;
    let times = Times::of(&program, Some(&case.times()))?;
    match generate(&program, &code, &times, kind, false) {
        Ok(s_code) => {
            let all = instructions(&attach(&bytes, &s_code)?)?;
            Ok(Some(CodeSize { e, s: all - e }))
        }
        Err(NoSCode::Infeasible(_)) => Ok(None),
        Err(why) => Err(anyhow!("{name}: {why:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::microkernel::case::{Length, Mode, Pace};

    fn size(mode: Mode, tasks: usize) -> CodeSize {
        let case = Case {
            mode,
            tasks,
            length: Length::Medium,
            pace: Pace::Tickless,
        };
        of(case).unwrap().expect("there is such a schedule")
    }

    #[test]
    fn s_code_by_rate_is_the_shortest_and_none_is_the_kernels_own() {
        let [edf, code, rate] = [Mode::Edf, Mode::EdfCode, Mode::Rm].map(|mode| size(mode, 100));
        assert_eq!((edf.s, edf.e == code.e, code.e == rate.e), (0, true, true));
        // a dispatch for each job of the round, and the waits; one for each task
        assert!(
            code.s > 300 && (100..120).contains(&rate.s),
            "{code:?} {rate:?}"
        );
    }

    #[test]
    fn code_grows_with_the_tasks() {
        let [few, many] = [4, 50].map(|tasks| size(Mode::EdfCode, tasks));
        assert!(few.e < many.e && few.s < many.s);
    }
}
