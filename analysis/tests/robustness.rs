//! Modules that nobody meant: whatever the verifier accepts is analysed, or
//! refused with a reason, without a panic and without end.

use giornata_abi::module::{Module, ModuleHeader, crc32};
use giornata_abi::{Duration, Record};
use giornata_analysis::global::sporadic;
use giornata_analysis::{
    ECode, Kind, Policy, Program, Strategy, Times, attach, check, generate, global, lacking,
    periodic, qpa, responses, walk, walk_on, walk_without_preemption,
};
use giornata_lang::giotto::{Options, compile};
use proptest::prelude::*;

/// Two modes, three tasks, a guarded driver.
const PROGRAM: &str = "\
sensor u32 s uses get; actuator u32 a uses put;
output u32 o := zero; u32 p := zero;
task x(u32 i) output (o) state () [wcet 1ms] { schedule f(i, o) }
task y(u32 i) output (p) state () [wcet 2ms] { schedule g(i, p) }
task z() output () state () [wcet 3ms] { schedule h() }
driver d(s) output (u32 i) { if is_new(s) then copy(s, i) }
driver e(o) output (u32 i) { if constant_true() then copy(o, i) }
driver none() output () { if constant_true() then dummy() }
driver go(s) output () { if is_time(s) then dummy() }
start m {
  mode m() period 12 { actfreq 1 do a(e); EXIT taskfreq 4 do x(d); taskfreq 2 do y(e); }
  mode n() period 10 { exitfreq 1 do m(go); taskfreq 2 do x(d); taskfreq 1 do z(none); }
}
";

fn module(modes: bool, kind: Option<Kind>) -> Vec<u8> {
    let exit = if modes { "exitfreq 1 do n(go);" } else { "" };
    let text = PROGRAM.replace("EXIT", exit);
    let bytes = compile("m.giotto", &text, &Options::default()).0.unwrap();
    let Some(kind) = kind else { return bytes };
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let times = Times::of(&program, None).unwrap();
    let code = ECode::of(&program).unwrap();
    let s_code = generate(&program, &code, &times, kind, true).unwrap();
    attach(&bytes, &s_code).unwrap()
}

fn modules() -> Vec<Vec<u8>> {
    vec![
        module(false, None),
        module(true, None),
        module(false, Some(Kind::EarliestDeadline)),
        module(true, Some(Kind::RateMonotonic)),
    ]
}

/// All that can be asked of a module.
fn analyse(bytes: &[u8]) {
    let Ok(program) = Module::parse(bytes)
        .map_err(|_| ())
        .and_then(|module| Program::of(&module).map_err(|_| ()))
    else {
        return;
    };
    let Ok(code) = ECode::of(&program) else {
        return;
    };
    let times = Times::from_list(vec![Duration::from_millis(1); program.tasks.len()]);
    let walked = walk(&program, &code, &times, Strategy::EarliestDeadline);
    assert_eq!(walked.tasks.len(), program.tasks.len());
    walk(&program, &code, &times, Strategy::RateMonotonic);
    walk_without_preemption(&program, &code, &times);
    let _ = check(&program, &code, &times);
    let _ = lacking(&program, &code);
    if let Some(tasks) = periodic(&program, &code, &times) {
        let _ = (qpa(&tasks), responses(&tasks));
    }
    for harts in [1, 3] {
        walk_on(&program, &code, &times, Strategy::EarliestDeadline, harts);
        if let Some(tasks) = sporadic(&program, &code, &times) {
            assert!(
                tasks
                    .iter()
                    .all(|task| task.least.deadline <= task.least.period)
            );
            let found = global(&tasks, harts, &Policy::EarliestDeadline);
            let _ = found
                .closest()
                .map(|(_, lack)| (lack.needed(), lack.fits()));
        }
    }
    for kind in [
        Kind::EarliestDeadline,
        Kind::NonPreemptive,
        Kind::RateMonotonic,
        Kind::Synchronous,
    ] {
        if let Ok(made) = generate(&program, &code, &times, kind, true) {
            let made = attach(bytes, &made).unwrap();
            assert!(Module::parse(&made).is_ok());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400)
    ))]

    #[test]
    fn changed_modules_are_analysed_or_refused(
        which in 0usize..4,
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = modules().swap_remove(which);
        // code, predicates and durations: what the analyses read
        let code = ModuleHeader::SIZE..ModuleHeader::SIZE + (bytes.len() - ModuleHeader::SIZE) / 2;
        for (at, value) in changes {
            bytes[code.start + at % code.len()] = value;
        }
        let crc = crc32(&bytes[8..]);
        bytes[4..8].copy_from_slice(&crc.to_le_bytes());
        analyse(&bytes);
    }
}

#[test]
fn triggers_that_multiply_are_unknown() {
    use giornata_abi::{Instruction, Opcode, Predicate};
    let mut writer = giornata_abi::module::ModuleWriter::new("m", "m.s");
    let soon = writer.predicate(Predicate::after(1_000_000, 0));
    let future = Instruction::new(Opcode::Future, soon, 0, 0);
    writer.instructions = vec![future, future, Instruction::new(Opcode::Return, 0, 0, 0)];
    let bytes = writer.finish();
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let code = ECode::of(&program).unwrap();
    let walked = walk(
        &program,
        &code,
        &Times::from_list([]),
        Strategy::EarliestDeadline,
    );
    assert!(matches!(
        walked.verdict,
        giornata_analysis::Verdict::Unknown { .. }
    ));
    analyse(&bytes);
}
