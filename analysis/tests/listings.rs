//! The paper's two-task program (Figures 1 and 2) and its three S programs
//! (Figures 3 and 4), from the worst-case times that ask for them.

use giornata_abi::module::Module;
use giornata_analysis::{
    Class, ECode, Kind, NoSCode, Program, Safety, Times, attach, check, generate,
};
use giornata_lang::giotto::{Options, compile};
use giornata_microcode::disassemble;

/// t1 every 20 ms, t2 every 10 ms.
const CONTROLLER: &str = "\
sensor f64 position uses read_position;
actuator f64 servo uses write_servo;
output f64 state := zero_state; f64 command := zero_command;
task t1(f64 s) output (command) state () { schedule control(s, command) }
task t2(f64 p) output (state) state () { schedule navigation(p, state) }
driver ds(position) output (f64 p) { if constant_true() then copy_f64(position, p) }
driver di(state) output (f64 s) { if constant_true() then copy_f64(state, s) }
driver da(command) output (f64 c) { if constant_true() then copy_f64(command, c) }
start m {
  mode m() period 20 { actfreq 1 do servo(da); taskfreq 1 do t1(di); taskfreq 2 do t2(ds); }
}
";

struct Controller {
    bytes: Vec<u8>,
    program: Program,
    code: ECode,
    times: Times,
}

fn controller(times: &str) -> Controller {
    compiled(CONTROLLER, times)
}

fn compiled(text: &str, times: &str) -> Controller {
    let bytes = compile("c.giotto", text, &Options::default()).0.unwrap();
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    Controller {
        code: ECode::of(&program).unwrap(),
        times: Times::of(&program, Some(times)).unwrap(),
        bytes,
        program,
    }
}

/// The S code as a listing, with addresses counted from its first instruction.
fn listing(controller: &Controller, kind: Kind, complete: bool) -> (String, Class) {
    let Controller {
        program,
        code,
        times,
        ..
    } = controller;
    let s_code = generate(program, code, times, kind, complete).unwrap();
    let bytes = attach(&controller.bytes, &s_code).unwrap();
    let module = Module::parse(&bytes).unwrap();
    let before = program.code.len() as u16;
    assert!(
        module
            .instructions()
            .take(before.into())
            .eq(program.code.iter().copied())
    );
    let program = Program::of(&module).unwrap();
    let checked = check(&program, &ECode::of(&program).unwrap(), times).unwrap();
    assert_eq!(checked.safety, Safety::Safe);
    let mut text = String::new();
    let resume = module.header().resume;
    for address in before + 2..resume {
        disassemble::instruction(&module, address, &mut text).unwrap();
        text.push('\n');
    }
    // the two instructions before are `fork` of the S code and `jump` to the E code
    let start = module.header().start;
    assert_eq!(
        (start, module.instruction(start).unwrap().a),
        (before, before + 2)
    );
    // nor the two behind: the same for a round that another module was to begin
    let [fork, jump] = [resume, resume + 1].map(|at| module.instruction(at).unwrap());
    assert_eq!((fork.a, jump.a), (before + 2, module.header().round));
    assert_eq!(resume + 2, module.header().instructions);
    for address in (0..40).rev() {
        let from = format!(" {}\n", before + 2 + address);
        text = text.replace(&from, &format!(" a+{address}\n"));
    }
    (text, checked.class)
}

#[test]
fn short_jobs_give_the_synchronous_listing() {
    let controller = controller("t1 = \"2ms\"\nt2 = \"1ms\"");
    let figure = "\
dispatch  t2, never, a+1
dispatch  t1, never, a+2
idle      released(t2)
dispatch  t2, never, a+4
idle      released(t1)
fork      a+0
return
";
    let made = listing(&controller, Kind::Synchronous, false);
    assert_eq!(made, (figure.to_owned(), Class::Synchronous));
    let made = listing(&controller, Kind::EarliestDeadline, false);
    assert_eq!(made, (figure.to_owned(), Class::Synchronous));
}

const PREEMPTIVE: &str = "\
dispatch  t2, never, a+1
dispatch  t1, released(t2), a+3
idle      released(t2)
dispatch  t2, never, a+4
dispatch  t1, never, a+5
idle      released(t1)
fork      a+0
return
";

#[test]
fn a_long_job_is_preempted_in_the_preemptive_listing() {
    let controller = controller("t1 = \"12ms\"\nt2 = \"3ms\"");
    let made = listing(&controller, Kind::EarliestDeadline, false);
    assert_eq!(made, (PREEMPTIVE.to_owned(), Class::Preemptive));
}

#[test]
fn completed_code_of_short_jobs_could_preempt_too() {
    let controller = controller("t1 = \"2ms\"\nt2 = \"1ms\"");
    let made = listing(&controller, Kind::EarliestDeadline, true);
    assert_eq!(made, (PREEMPTIVE.to_owned(), Class::Synchronous));
}

#[test]
fn the_non_preemptive_listing_exchanges_two_dispatches() {
    let controller = controller("t1 = \"12ms\"\nt2 = \"3ms\"");
    let made = listing(&controller, Kind::NonPreemptive, false);
    let exchanged = PREEMPTIVE.replace(
        "dispatch  t2, never, a+4\ndispatch  t1, never, a+5\n",
        "dispatch  t1, never, a+4\ndispatch  t2, never, a+5\n",
    );
    assert_eq!(made, (exchanged, Class::NonPreemptive));
}

#[test]
fn what_does_not_exist_is_infeasible_and_shown() {
    // t2 leaves no 9 ms free
    let four = CONTROLLER.replace("taskfreq 2 do t2", "taskfreq 4 do t2");
    let controller = compiled(&four, "t1 = \"9ms\"\nt2 = \"1ms\"");
    let made = |kind| {
        let Controller {
            program,
            code,
            times,
            ..
        } = &controller;
        generate(program, code, times, kind, false)
    };
    assert!(made(Kind::EarliestDeadline).is_ok());
    for (kind, says) in [
        (Kind::NonPreemptive, "has not completed at its deadline"),
        (
            Kind::Synchronous,
            "t1 (job 1), released at 0 ms, has not completed at the next release",
        ),
    ] {
        let Err(NoSCode::Infeasible(witness)) = made(kind) else {
            panic!("{kind:?} exists");
        };
        let text = witness.text(&controller.program);
        assert!(text.contains(says), "{kind:?}: {text}");
    }
}
