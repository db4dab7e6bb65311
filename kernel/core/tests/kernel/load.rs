//! Microcode that comes while the system runs: what is staged touches nothing,
//! what is refused leaves nothing, and a change happens at its instant.

use crate::dice::Dice;
use crate::rig::*;
use giornata_abi::call::{Answer, Call};
use giornata_abi::load::{Frame, How, Section, state};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Error, Instant, ValueType};
use giornata_sim::{
    Act, Behaviour, Loadable, Moment, SCRATCH, Scheduling, Simulation, SystemBuilder, Tables, Task,
    trace,
};

const MS: u64 = 1_000_000;
/// The code that a system boots with: a job each millisecond, published a
/// millisecond later, and counted by the handover of its rounds.
const SLOW: &str = "start: jump tail
    round: call publish
    tail:  release t 1ms
           future after(1ms) round
           return";
/// The same twice as often.
const FAST: &str = "start: jump tail
    round: call publish
    tail:  release t 500us
           future after(500us) round
           return";

/// A system with one program that its loader may replace, beside one that
/// nobody may.
struct Rig {
    builder: SystemBuilder,
    task: Task,
    other: Task,
    out: u16,
    loader: u16,
    stranger: u16,
}

fn rig(boots: bool) -> Rig {
    rig_of(SLOW, boots)
}

/// The same with this program in the place of the first.
fn rig_of(text: &str, boots: bool) -> Rig {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let task = b.task(process, "t", &[], &[ValueType::U32.into()]);
    let other = b.task(process, "u", &[], &[ValueType::U32.into()]);
    let servers = b.process();
    let loader = b.thread(servers, Scheduling::Fifo(10));
    let strangers = b.process();
    let stranger = b.thread(strangers, Scheduling::Fifo(10));
    let (out, beside) = (
        b.port("out", ValueType::U32),
        b.port("beside", ValueType::U32),
    );
    b.copy("publish", &task.outputs, &[out]);
    b.copy("publish_beside", &other.outputs, &[beside]);
    b.program(text);
    b.replaceable(servers, [16, 8, 8], boots);
    b.program(
        "a: call publish_beside
            release u 2ms
            future after(2ms) a
            return",
    );
    Rig {
        builder: b,
        task,
        other,
        out,
        loader,
        stranger,
    }
}

impl Rig {
    fn module(&self, text: &str) -> Loadable {
        self.builder.loadable(0, text, 7)
    }

    /// Runs for so many milliseconds with the jobs' numbers as outputs.
    fn run(&self, millis: u64, prepare: impl FnOnce(&mut Simulation<'_>)) -> Seen {
        let tables = self.tables();
        simulate(&tables, |simulation| {
            for task in [&self.task, &self.other] {
                simulation.set_thread(task.thread, number_is_output);
            }
            simulation.set_durations(job_times([
                (self.task.thread, 100),
                (self.other.thread, 300),
            ]));
            prepare(simulation);
            simulation.run_until(Instant(millis * MS));
            Seen::of(simulation, self.out)
        })
    }

    fn tables(&self) -> Tables {
        self.builder.clone().finish()
    }
}

fn number_is_output(moment: &mut Moment<'_>) -> Act {
    let number = moment.number;
    moment.store(0, 4, u64::from(number));
    Act::End(0)
}

/// A thread that makes calls one after the other, each with bytes in its memory,
/// and hears the answers.
fn making(calls: Vec<(Vec<u8>, Act)>, mut hear: impl FnMut(Answer) + 'static) -> impl Behaviour {
    let mut calls = calls.into_iter();
    move |moment: &mut Moment<'_>| {
        moment.answer.into_iter().for_each(&mut hear);
        let Some((bytes, act)) = calls.next() else {
            return Act::End(0);
        };
        let written = moment.memory.write(SCRATCH, &bytes);
        assert!(written.is_ok(), "every process has scratch memory");
        act
    }
}

/// What of a run is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    /// Microseconds and value of each change of the program's port.
    out: Vec<(u64, u64)>,
    /// The same of the other program's.
    beside: Vec<(u64, u64)>,
    violations: usize,
    misses: usize,
    /// Instant in microseconds and tag of each change.
    changes: Vec<(u64, u64)>,
}

impl Seen {
    fn of(simulation: &mut Simulation<'_>, out: u16) -> Seen {
        let records = simulation.records();
        let pieces = trace::ports(records);
        let of = |wanted: bool| {
            let mine = pieces.iter().filter(|p| (p.port == out) == wanted);
            mine.map(|p| (p.at.0 / 1000, p.value)).collect()
        };
        let changes = trace::of_kind(records, TraceKind::Change);
        Seen {
            out: of(true),
            beside: of(false),
            violations: count(records, TraceKind::Violation),
            misses: count(records, TraceKind::Miss),
            changes: changes.map(|r| (r.x / 1000, r.y)).collect(),
        }
    }
}

#[test]
fn an_empty_program_does_nothing_until_a_module_begins_at_its_instant() {
    let rig = rig(false);
    let module = rig.module(SLOW);
    let seen = rig.run(6, |simulation| {
        let bring = module.brought(0, How::Restart, at_us(500), at_us(3250));
        simulation.set_thread(rig.loader, bring);
    });
    assert_eq!(seen.out, [(4250, 1), (5250, 2)]);
    assert_eq!(seen.changes, [(3250, 7)]);
    assert_eq!((seen.violations, seen.misses), (0, 0));
    assert_eq!(seen.beside, rig.run(6, |_| {}).beside);
}

#[test]
fn a_module_begins_anew_when_the_jobs_of_the_old_one_are_complete() {
    let rig = rig(true);
    let module = rig.module(FAST);
    // the job released at 3 ms runs until 3.1 ms
    let seen = rig.run(5, |simulation| {
        let bring = module.brought(0, How::Restart, at_us(500), at_us(3050));
        simulation.set_thread(rig.loader, bring);
    });
    assert_eq!(seen.changes, [(3100, 7)]);
    let expected = [
        (1000, 1),
        (2000, 2),
        (3000, 3),
        (3600, 5),
        (4100, 6),
        (4600, 7),
    ];
    assert_eq!(seen.out, expected);
    assert_eq!((seen.violations, seen.misses), (0, 0));
    assert_eq!(seen.beside, rig.run(5, |_| {}).beside);
}

#[test]
fn a_module_that_carries_over_begins_with_the_next_round_of_the_old_one() {
    let rig = rig(true);
    for at in [2010, 2500, 2999] {
        let module = rig.module(FAST);
        let seen = rig.run(5, |simulation| {
            let bring = module.brought(0, How::CarryOver, at_us(500), at_us(at));
            simulation.set_thread(rig.loader, bring);
        });
        let expected = [
            (1000, 1),
            (2000, 2),
            (3000, 3),
            (3500, 4),
            (4000, 5),
            (4500, 6),
            (5000, 7),
        ];
        assert_eq!(seen.out, expected, "asked for at {at}");
        assert_eq!((seen.violations, seen.misses), (0, 0));
    }
}

#[test]
fn what_only_started_itself_does_what_its_new_code_says_from_the_next_round_on() {
    let rig = rig_of(
        "round:  future after(1ms) round
                 return
         never:  call publish
                 release t 1ms
                 return",
        true,
    );
    for at in [2010, 2500, 2999] {
        let module = rig.module(SLOW);
        let seen = rig.run(6, |simulation| {
            let bring = module.brought(0, How::CarryOver, at_us(500), at_us(at));
            simulation.set_thread(rig.loader, bring);
        });
        assert_eq!(seen.changes.len(), 1);
        let expected = [(3000, 0), (4000, 1), (5000, 2), (6000, 3)];
        assert_eq!(seen.out, expected, "asked for at {at}");
        assert_eq!((seen.violations, seen.misses), (0, 0));
    }
}

#[test]
fn the_same_code_carried_over_leaves_the_port_trace_as_it_was() {
    let rig = rig(true);
    let module = rig.module(SLOW);
    let before = rig.run(9, |_| {});
    for at in [1001, 1500, 2000, 2100, 3050] {
        let seen = rig.run(9, |simulation| {
            let bring = module.brought(0, How::CarryOver, at_us(500), at_us(at));
            simulation.set_thread(rig.loader, bring);
        });
        assert_eq!(seen.changes.len(), 1);
        assert_eq!((&seen.out, &seen.beside), (&before.out, &before.beside));
        assert_eq!((seen.violations, seen.misses), (0, 0));
    }
}

#[test]
fn s_code_takes_over_a_schedule_without_a_trace_in_the_ports() {
    let rig = rig(true);
    let module = rig.module(
        "start:  fork s
                 jump tail
         round:  call publish
         tail:   release t 1ms
                 future after(1ms) round
                 return
         resume: fork s
                 jump round
         s:      dispatch t
                 idle released(t)
                 jump s",
    );
    let before = rig.run(9, |_| {});
    let seen = rig.run(9, |simulation| {
        let bring = module.brought(0, How::CarryOver, at_us(500), at_us(3500));
        simulation.set_thread(rig.loader, bring);
    });
    assert_eq!(seen.changes, [(3500, 7)]);
    assert_eq!((seen.out, seen.beside), (before.out, before.beside));
    assert_eq!((seen.violations, seen.misses), (0, 0));
}

#[test]
fn a_program_that_is_unloaded_ends_with_its_jobs() {
    let rig = rig(true);
    let seen = rig.run(6, |simulation| {
        let bring = Loadable::nothing().brought(0, How::Restart, at_us(500), at_us(2050));
        simulation.set_thread(rig.loader, bring);
    });
    assert_eq!(seen.changes, [(2100, 0)]);
    assert_eq!(seen.out, [(1000, 1), (2000, 2)]);
    assert_eq!(seen.beside, rig.run(6, |_| {}).beside);
}

#[test]
fn a_program_changes_again_and_again_and_nothing_of_older_modules_is_left() {
    let rig = rig(true);
    let modules = [FAST, SLOW, "a: call publish\n return", FAST];
    let modules = modules.map(|text| rig.module(text));
    let seen = rig.run(30, |simulation| {
        let mut calls = Vec::new();
        for (module, at) in modules.iter().zip([3050, 8050, 13_050, 18_050]) {
            calls.push((Vec::new(), sleep_until(at - 1000)));
            calls.extend(module.calls(0, How::Restart, at_us(at)));
            calls.push((Vec::new(), sleep_until(at + 1000)));
        }
        simulation.set_thread(
            rig.loader,
            making(calls, |answer| assert_eq!(answer, Answer::DONE)),
        );
    });
    let at: Vec<u64> = seen.changes.iter().map(|(at, _)| *at).collect();
    // at rest when asked, but at 3.05 ms and 13.05 ms, where a job has begun
    assert_eq!(at, [3100, 8050, 13_150, 18_050]);
    let between = |from: u64, to: u64| {
        let there = seen.out.iter().filter(|(at, _)| (from..to).contains(at));
        there.count()
    };
    // 3.6, 4.1 .. 7.6; 9.05 .. 13.05; once at 13.15; 18.55, 19.05 .. 29.55
    assert_eq!(between(3100, 8050), 9);
    assert_eq!(between(8050, 13_150), 5);
    assert_eq!(between(13_150, 18_050), 1);
    assert_eq!(between(18_050, 30_001), 23);
    assert_eq!((seen.violations, seen.misses), (0, 0));
}

#[test]
fn what_was_staged_for_one_program_never_runs_because_another_changes() {
    let mut b = SystemBuilder::new();
    let process = b.process();
    let tasks = ["t", "u"].map(|name| b.task(process, name, &[], &[ValueType::U32.into()]));
    let loader = b.thread(process, Scheduling::Fifo(10));
    let ports = [
        b.port("out", ValueType::U32),
        b.port("beside", ValueType::U32),
    ];
    for (name, task, port) in [
        ("publish", &tasks[0], ports[0]),
        ("tell", &tasks[1], ports[1]),
    ] {
        b.copy(name, &task.outputs, &[port]);
    }
    let first = b.program(SLOW);
    b.replaceable(process, [16, 8, 8], true);
    let second = b.program(
        "a: call tell
            release u 2ms
            future after(2ms) a
            return",
    );
    b.replaceable(process, [16, 8, 8], true);
    let other = "a: call tell
         release u 1ms
         future after(1ms) a
         return";
    let (staged, brought) = (b.loadable(second, other, 1), b.loadable(first, FAST, 2));
    let mut calls = staged.calls(second, How::Restart, Instant(0));
    calls.pop(); // it is staged and never asked for
    calls.extend(brought.calls(first, How::Restart, at_us(2500)));
    let tables = b.finish();
    let seen = simulate(&tables, |simulation| {
        for task in &tasks {
            simulation.set_thread(task.thread, number_is_output);
        }
        simulation.set_thread(
            loader,
            making(calls, |answer| assert_eq!(answer, Answer::DONE)),
        );
        simulation.run_until(Instant(9 * MS));
        Seen::of(simulation, ports[0])
    });
    assert_eq!(seen.changes, [(2500, 2)]);
    let beside: Vec<u64> = seen.beside.iter().map(|(at, _)| *at).collect();
    assert_eq!(beside, [0, 2000, 4000, 6000, 8000]);
}

/// What calls answer that a thread makes one after the other.
fn answers(rig: &Rig, thread: u16, calls: Vec<(Vec<u8>, Act)>) -> Vec<Answer> {
    let tables = rig.tables();
    simulate(&tables, |simulation| {
        let answers = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
        let told = answers.clone();
        let note = move |answer| told.borrow_mut().push(answer);
        simulation.set_thread(thread, making(calls, note));
        simulation.run_until(Instant(5 * MS));
        answers.take()
    })
}

fn status(program: usize) -> (Vec<u8>, Act) {
    (Vec::new(), call(Call::ProgramStatus, &[program]))
}

#[test]
fn only_the_loader_may_change_a_program_and_only_its_own() {
    let rig = rig(true);
    let module = rig.module(FAST);
    for (thread, program, error) in [
        (rig.stranger, 0, Error::EPERM),
        (rig.loader, 1, Error::EPERM),
        (rig.loader, 2, Error::ESRCH),
    ] {
        let mut calls = module.calls(program, How::Restart, Instant(0));
        calls.push(status(usize::from(program)));
        let answers = answers(&rig, thread, calls);
        assert!(!answers.is_empty());
        assert!(answers.into_iter().all(|answer| answer == refused(error)));
    }
}

#[test]
fn what_does_not_fit_its_room_is_refused() {
    let rig = rig(true);
    let stage = |section: usize, place: usize, address: usize, length: usize| {
        let act = call(Call::StageProgram, &[section, place, address, length]);
        (Vec::new(), act)
    };
    let cases = [
        (stage(0, 0, SCRATCH, 64), Ok(())),
        (stage(0, 8, SCRATCH, 64), Ok(())),
        (stage(0, 9, SCRATCH, 64), Err(Error::EINVAL)),
        (stage(0, 16, SCRATCH, 8), Err(Error::EINVAL)),
        (stage(0, usize::MAX, SCRATCH, 8), Err(Error::EINVAL)),
        (stage(0, 0, SCRATCH, 72), Err(Error::EINVAL)),
        (stage(0, 0, SCRATCH, 7), Err(Error::EINVAL)),
        (stage(0, 0, SCRATCH, 0), Err(Error::EINVAL)),
        (stage(3, 0, SCRATCH, 8), Err(Error::EINVAL)),
        (stage(0, 0, 0x10, 8), Err(Error::EFAULT)),
        (stage(1, 7, SCRATCH, Section::Predicates.record()), Ok(())),
        (
            stage(1, 8, SCRATCH, Section::Predicates.record()),
            Err(Error::EINVAL),
        ),
        (stage(2, 7, SCRATCH, Section::Durations.record()), Ok(())),
    ];
    let (calls, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    let answers = answers(&rig, rig.loader, calls);
    let expected: Vec<Answer> = expected
        .into_iter()
        .map(|outcome| outcome.map_or_else(refused, |()| Answer::DONE))
        .collect();
    assert_eq!(answers, expected);
}

#[test]
fn a_frame_that_says_what_cannot_be_is_refused() {
    let rig = rig(true);
    let sound = rig.module(FAST).frame;
    let end = sound.instructions;
    let broken = [
        Frame {
            instructions: 17,
            ..sound
        },
        Frame {
            predicates: 9,
            ..sound
        },
        Frame {
            durations: 9,
            ..sound
        },
        Frame {
            start: end,
            ..sound
        },
        Frame {
            round: end,
            ..sound
        },
        Frame {
            resume: end,
            ..sound
        },
        Frame {
            handlers: [end; 4],
            ..sound
        },
        Frame {
            denominator: 0,
            ..sound
        },
    ];
    let switch = |frame: Frame, how: usize| {
        let module = Loadable {
            frame,
            ..Loadable::nothing()
        };
        let (bytes, _) = module.calls(0, How::Restart, Instant(0)).remove(0);
        (bytes, call(Call::SwitchProgram, &[0, SCRATCH, how, 0, 0]))
    };
    let mut calls: Vec<_> = broken.map(|frame| switch(frame, 0)).into();
    let cannot_resume = Frame {
        resume: giornata_abi::id::NONE,
        ..sound
    };
    calls.push(switch(cannot_resume, How::CarryOver as usize));
    calls.push(switch(Loadable::nothing().frame, How::CarryOver as usize));
    calls.push(switch(sound, 3));
    // nothing waits that could be withdrawn
    calls.push(switch(sound, How::Withdraw as usize));
    let never = [0, SCRATCH, 0, u32::MAX as usize, u32::MAX as usize];
    calls.push((Vec::new(), call(Call::SwitchProgram, &never)));
    let count = calls.len();
    calls.push((Vec::new(), call(Call::SwitchProgram, &[0, 0x10, 0, 0, 0])));
    calls.push(status(0));
    let answers = answers(&rig, rig.loader, calls);
    assert_eq!(answers[..count], vec![refused(Error::EINVAL); count]);
    assert_eq!(answers[count], refused(Error::EFAULT));
    assert_eq!(answers[count + 1], Answer::words([state::LOADED, 0, 0]));
}

#[test]
fn one_change_at_a_time_and_one_that_is_withdrawn_does_not_happen() {
    let rig = rig(true);
    let module = rig.module(FAST);
    let mut calls = module.calls(0, How::Restart, at_us(3000));
    let stages = calls.len() - 1;
    calls.push(status(0));
    calls.extend(module.calls(0, How::Restart, at_us(3000)));
    let withdraw = (
        Vec::new(),
        call(Call::SwitchProgram, &[0, 0, How::Withdraw as usize]),
    );
    calls.push(withdraw.clone());
    calls.push(status(0));
    calls.push((Vec::new(), sleep_until(4500)));
    calls.push(status(0));
    let answers = answers(&rig, rig.loader, calls);
    let pending = Answer::words([state::LOADED | state::PENDING, 0, 0]);
    let loaded = Answer::words([state::LOADED, 0, 0]);
    let mut expected = vec![Answer::DONE; stages + 1];
    expected.push(pending);
    expected.extend(vec![refused(Error::EBUSY); stages + 1]);
    expected.extend([Answer::DONE, loaded, Answer::DONE, loaded]);
    assert_eq!(answers, expected);
}

#[test]
fn a_change_is_reported_with_its_tag_and_counted() {
    let rig = rig(false);
    let module = rig.module(SLOW);
    let mut calls = vec![status(0)];
    calls.extend(module.calls(0, How::Restart, at_us(1000)));
    calls.push((Vec::new(), sleep_until(2500)));
    calls.push(status(0));
    let answers = answers(&rig, rig.loader, calls);
    assert_eq!(answers.first(), Some(&Answer::words([0, 0, 0])));
    assert_eq!(answers.last(), Some(&Answer::words([state::LOADED, 7, 1])));
}

/// Microcode from dice, sound or not: the kernel does not rely on a verifier.
fn any_module(rig: &Rig, dice: &mut Dice) -> Loadable {
    let mut module = rig.module(FAST);
    module.frame.max_steps = dice.below(2000) as u32;
    for section in &mut module.sections {
        for byte in section.iter_mut() {
            if dice.below(6) == 0 {
                *byte = dice.below(256) as u8;
            }
        }
    }
    module
}

#[test]
fn whatever_is_loaded_the_kernel_keeps_its_invariants_and_the_rest_its_trace() {
    let runs = if cfg!(miri) { 2 } else { 300 };
    let rig = rig(true);
    let alone = rig.run(40, |_| {}).beside;
    for seed in 0..runs {
        let mut dice = Dice(seed);
        let mut calls = Vec::new();
        let mut at = 1000;
        for _ in 0..4 {
            let module = any_module(&rig, &mut dice);
            let how = [How::Restart, How::CarryOver][dice.below(2)];
            calls.push((Vec::new(), sleep_until(at)));
            calls.extend(module.calls(0, how, at_us(at + dice.below(3000) as u64)));
            at += dice.below(9000) as u64;
            calls.push((Vec::new(), sleep_until(at)));
            let withdraw = [0, 0, How::Withdraw as usize];
            calls.push((Vec::new(), call(Call::SwitchProgram, &withdraw)));
        }
        let seen = rig.run(40, |simulation| {
            simulation.set_thread(rig.loader, making(calls, |_| {}));
        });
        assert_eq!(seen.beside, alone, "seed {seed}");
    }
}
