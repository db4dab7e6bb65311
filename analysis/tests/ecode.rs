//! What symbolic execution makes of blocks.

use giornata_abi::module::{Module, ModuleWriter};
use giornata_abi::{Instruction, Opcode, Predicate, PredicateKind};
use giornata_analysis::{ECode, NotAnalysable, Program};
use giornata_lang::giotto::{Options, compile};

fn program(text: &str) -> Program {
    let (bytes, diagnostics) = compile("p.giotto", text, &Options::default());
    let bytes = bytes.unwrap_or_else(|| panic!("{diagnostics:?}"));
    Program::of(&Module::parse(&bytes).unwrap()).unwrap()
}

/// A program of as many guarded tasks as there are names.
fn guarded(names: &[&str], exits: &str, more: &str) -> String {
    let all = |one: &dyn Fn(&&str) -> String| names.iter().map(one).collect::<String>();
    let outputs = all(&|n| format!("u32 o_{n} := zero;"));
    let tasks = all(&|n| {
        format!(
            "task {n}(u32 x) output (o_{n}) state () [wcet 1ms] {{ schedule f_{n}(x, o_{n}) }}\n"
        )
    });
    let lines = all(&|n| format!("taskfreq 2 do {n}(d);"));
    format!(
        "sensor u32 s uses get; output {outputs}\n{tasks}
         driver d(s) output (u32 x) {{ if is_fresh(s) then copy(s, x) }}
         driver go(s) output () {{ if is_time(s) then dummy() }}
         start m {{ mode m() period 20 {{ {exits} {lines} }} {more} }}"
    )
}

#[test]
fn guards_in_front_of_drivers_do_not_multiply_outcomes() {
    let names: Vec<String> = (0..30).map(|i| format!("t{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let program = program(&guarded(&names, "", ""));
    let code = ECode::of(&program).unwrap();
    assert!(code.is_single_mode());
    let start = &code.reactions(program.starts[0])[0];
    assert_eq!((start.releases.len(), start.touched.len()), (30, 30));
    assert_eq!(start.futures[0].nanos, 10_000_000);
}

#[test]
fn a_mode_switch_is_two_outcomes() {
    let more = "mode n() period 30 { exitfreq 1 do m(go); taskfreq 1 do a(d); }";
    let program = program(&guarded(&["a", "b"], "exitfreq 1 do n(go);", more));
    let code = ECode::of(&program).unwrap();
    assert!(!code.is_single_mode());
    let outcomes = code.reactions(program.starts[0]);
    let releases: Vec<usize> = outcomes.iter().map(|r| r.releases.len()).collect();
    assert_eq!(releases.iter().sum::<usize>(), 3, "{outcomes:?}");
    assert_eq!(code.shortest_deadlines()[&0], (10_000_000, 0));
}

#[test]
fn triggers_other_than_time_are_beyond_the_analysis_and_said_where() {
    let mut writer = ModuleWriter::new("m", "m.giotto");
    let name = writer.text("line");
    writer
        .interrupts
        .push(giornata_abi::module::NameSymbol { name });
    let interrupt = writer.predicate(Predicate::of(PredicateKind::Interrupt, 0));
    writer.instructions = vec![
        Instruction::new(Opcode::Future, interrupt, 0, 0),
        Instruction::new(Opcode::Return, 0, 0, 0),
    ];
    let bytes = writer.finish();
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let refused = ECode::of(&program).unwrap_err();
    assert!(matches!(refused, NotAnalysable::Beyond { address: 0, .. }));
    assert!(refused.to_string().contains("nor `after`"), "{refused}");
}
