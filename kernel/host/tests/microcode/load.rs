//! Microcode that comes while the system runs: what is staged touches nothing, what is
//! refused leaves nothing, and a change happens at its instant.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::id::NONE;
use giornata_abi::load::{Frame, How, RECORD, state};

use crate::support::{Coming, DATA, Event, MS, Request, Room, World};

const US: u64 = 1_000;
/// The code that a system boots with: a job each millisecond, published a millisecond
/// later, and counted by the handover of its rounds.
const SLOW: &str = "
    task t
    driver publish
    start first
    round again
    resume again
first: jump tail
again: call publish
tail: release t, 1ms
    future after(1ms), again
    return
";
/// The same twice as often.
const FAST: &str = "
    task t
    driver publish
    start first
    round again
    resume again
first: jump tail
again: call publish
tail: release t, 500us
    future after(500us), again
    return
";
/// What runs beside it.
const BESIDE: &str = "
    task u
    driver tell
    start a
a:  call tell
    release u, 2ms
    future after(2ms), a
    return
";

/// A system with one program that its loader may replace, beside one that nobody may.
fn system(source: &str, boots: bool) -> World {
    let mut world = World::new(&[source, BESIDE]);
    let limits = (16, 8, 1000);
    let room = Room {
        loader: 0,
        limits,
        boots,
    };
    world.system.rooms.insert(0, room);
    world.takes("t", &[0.1]);
    world.takes("u", &[0.3]);
    world
}

/// What of a run is compared: in microseconds when drivers ran, and tasks were released.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    published: Vec<u64>,
    released: Vec<u64>,
    beside: Vec<u64>,
    words: Vec<String>,
}

/// Runs for so many milliseconds, the last instant included. No deadline is missed, and
/// nothing violated.
fn seen(mut world: World, millis: u64) -> Seen {
    world.run_until(millis * MS + 1);
    assert_eq!(world.misses, 0);
    assert!(!world.words.iter().any(|word| word.starts_with('[')));
    assert!(
        world.answers.iter().all(|answer| answer[0] == 0),
        "{:?}",
        world.answers
    );
    let ran = |name: &str| {
        let runs = world.ran.iter().filter(|(own, _)| own == name);
        runs.map(|(_, at)| at / US).collect()
    };
    let released = world.releases.get("t").map_or(&[][..], Vec::as_slice);
    Seen {
        published: ran("publish"),
        released: released.iter().map(|at| at / US).collect(),
        beside: ran("tell"),
        words: world.words.clone(),
    }
}

/// When a program has changed, and to what.
fn changes(words: &[String]) -> Vec<(&str, &str)> {
    let mut at = "";
    let mut found = Vec::new();
    for word in words {
        match word.strip_prefix("change:") {
            Some(tag) => found.push((at, tag)),
            None if word.starts_with('@') => at = word.split(' ').next().unwrap(),
            None => {}
        }
    }
    found
}

fn bring(world: &mut World, at: u64, calls: Vec<Request>) {
    for call in calls {
        world.at(at as f64 / 1000.0, Event::Call(call));
    }
}

/// The module staged after half a millisecond, and asked for at once, for an instant in
/// microseconds.
fn brought(mut world: World, module: &Coming, how: How, until: u64) -> World {
    bring(&mut world, 500, module.calls(0, how, until * US));
    world
}

#[test]
fn an_empty_program_does_nothing_until_a_module_begins_at_its_instant() {
    let module = Coming::of(SLOW, SLOW, 7);
    let begins = brought(system(SLOW, false), &module, How::Restart, 3250);
    let begins = seen(begins, 6);
    assert_eq!(begins.published, [4250, 5250]);
    assert_eq!(begins.released, [3250, 4250, 5250]);
    assert_eq!(changes(&begins.words), [("@3250us", "7")]);
    assert_eq!(begins.beside, seen(system(SLOW, false), 6).beside);
}

#[test]
fn the_instants_of_a_module_are_exact_however_late_its_alarm_comes() {
    let module = Coming::of(SLOW, SLOW, 7);
    let mut begins = brought(system(SLOW, false), &module, How::Restart, 3250);
    begins.late = 40 * US;
    assert_eq!(seen(begins, 6).released, [3250, 4250, 5250]);
}

#[test]
fn a_module_begins_anew_when_the_jobs_of_the_old_one_are_complete() {
    // the job released at 3 ms runs until 3.1 ms
    let module = Coming::of(FAST, SLOW, 7);
    let begins = brought(system(SLOW, true), &module, How::Restart, 3050);
    let begins = seen(begins, 5);
    assert_eq!(changes(&begins.words), [("@3100us", "7")]);
    assert_eq!(begins.published, [1000, 2000, 3000, 3600, 4100, 4600]);
    assert_eq!(
        begins.released,
        [0, 1000, 2000, 3000, 3100, 3600, 4100, 4600]
    );
    assert_eq!(begins.beside, seen(system(SLOW, true), 5).beside);
}

#[test]
fn a_module_that_carries_over_begins_with_the_next_round_of_the_old_one() {
    for at in [2010, 2500, 2999] {
        let module = Coming::of(FAST, SLOW, 7);
        let carried = brought(system(SLOW, true), &module, How::CarryOver, at);
        let carried = seen(carried, 5);
        let expected = [1000, 2000, 3000, 3500, 4000, 4500, 5000];
        assert_eq!(carried.published, expected, "asked for at {at}");
    }
}

#[test]
fn what_only_started_itself_does_what_its_new_code_says_from_the_next_round_on() {
    let source = "
        task t
        driver publish
        start again
        round again
        resume again
    again: future after(1ms), again
        return
    never: call publish
        release t, 1ms
        return
    ";
    for at in [2010, 2500, 2999] {
        let module = Coming::of(SLOW, source, 7);
        let carried = brought(system(source, true), &module, How::CarryOver, at);
        let carried = seen(carried, 6);
        assert_eq!(changes(&carried.words).len(), 1);
        assert_eq!(
            carried.published,
            [3000, 4000, 5000, 6000],
            "asked for at {at}"
        );
        assert_eq!(carried.released, [3000, 4000, 5000, 6000]);
    }
}

#[test]
fn the_same_code_carried_over_leaves_every_instant_as_it_was() {
    let before = seen(system(SLOW, true), 9);
    for at in [1001, 1500, 2000, 2100, 3050] {
        let module = Coming::of(SLOW, SLOW, 7);
        let carried = brought(system(SLOW, true), &module, How::CarryOver, at);
        let carried = seen(carried, 9);
        assert_eq!(changes(&carried.words).len(), 1, "asked for at {at}");
        assert_eq!(carried.published, before.published);
        assert_eq!(carried.released, before.released);
        assert_eq!(carried.beside, before.beside);
    }
}

#[test]
fn s_code_takes_over_a_schedule_without_a_trace_in_its_instants() {
    let source = "
        task t
        driver publish
        start first
        round again
        resume anew
    first: fork s
        jump tail
    again: call publish
    tail: release t, 1ms
        future after(1ms), again
        return
    anew: fork s
        jump again
    s:  dispatch t
        idle released(t)
        jump s
    ";
    let module = Coming::of(source, SLOW, 7);
    let before = seen(system(SLOW, true), 9);
    let carried = brought(system(SLOW, true), &module, How::CarryOver, 3500);
    let carried = seen(carried, 9);
    assert_eq!(changes(&carried.words), [("@3500us", "7")]);
    assert_eq!(carried.published, before.published);
    assert_eq!(carried.released, before.released);
    assert_eq!(carried.beside, before.beside);
}

#[test]
fn a_program_that_is_unloaded_ends_with_its_jobs() {
    let ended = brought(system(SLOW, true), &Coming::nothing(), How::Restart, 2050);
    let ended = seen(ended, 6);
    assert_eq!(changes(&ended.words), [("@2100us", "0")]);
    assert_eq!(ended.published, [1000, 2000]);
    assert_eq!(ended.beside, seen(system(SLOW, true), 6).beside);
}

#[test]
fn a_program_changes_again_and_again_and_nothing_of_older_modules_is_left() {
    let once = "
        driver publish
        start a
    a:  call publish
        return
    ";
    let mut world = system(SLOW, true);
    let asked = [3050, 8050, 13_050, 18_050];
    for (source, at) in [FAST, SLOW, once, FAST].into_iter().zip(asked) {
        let calls = Coming::of(source, SLOW, 7).calls(0, How::Restart, at * US);
        bring(&mut world, at - 1000, calls);
    }
    let after = seen(world, 30);
    // at rest when asked, but at 3.05 ms and 13.05 ms, where a job has begun
    let at: Vec<&str> = changes(&after.words).iter().map(|(at, _)| *at).collect();
    assert_eq!(at, ["@3100us", "@8050us", "@13150us", "@18050us"]);
    let between = |from: u64, to: u64| {
        let there = after.published.iter();
        there.filter(|at| (from..to).contains(at)).count()
    };
    // 3.6, 4.1 .. 7.6; 9.05 .. 13.05; once at 13.15; 18.55, 19.05 .. 29.55
    assert_eq!(between(3100, 8050), 9);
    assert_eq!(between(8050, 13_150), 5);
    assert_eq!(between(13_150, 18_050), 1);
    assert_eq!(between(18_050, 30_001), 23);
}

#[test]
fn what_was_staged_for_one_program_never_runs_because_another_changes() {
    let other = "
        task u
        driver tell
        start a
    a:  call tell
        release u, 1ms
        future after(1ms), a
        return
    ";
    let mut world = system(SLOW, true);
    let room = world.system.rooms[&0];
    world.system.rooms.insert(1, room);
    bring(&mut world, 500, Coming::of(other, BESIDE, 1).staged(1));
    let module = Coming::of(FAST, SLOW, 2);
    let after = seen(brought(world, &module, How::Restart, 2500), 9);
    assert_eq!(changes(&after.words), [("@2500us", "2")]);
    assert_eq!(after.beside, [0, 2000, 4000, 6000, 8000]);
}

/// What calls answer that are made one after the other.
fn answers(mut world: World, calls: Vec<Request>) -> Vec<[usize; 4]> {
    bring(&mut world, 500, calls);
    world.run_until(MS);
    world.answers
}

fn refused(error: Error) -> [usize; 4] {
    [error as usize, 0, 0, 0]
}

fn request(call: Call, arguments: &[usize]) -> Request {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    Request {
        call,
        arguments: all,
        bytes: Vec::new(),
    }
}

fn status(program: usize) -> Request {
    request(Call::ProgramStatus, &[program])
}

#[test]
fn only_the_loader_may_change_a_program_and_only_its_own() {
    let module = Coming::of(FAST, SLOW, 7);
    for (loader, program, error) in [
        (1, 0, Error::EPERM),
        (0, 1, Error::EPERM),
        (0, 2, Error::ESRCH),
    ] {
        let mut world = system(SLOW, true);
        world.system.rooms.get_mut(&0).unwrap().loader = loader;
        let mut calls = module.calls(program, How::Restart, 0);
        calls.push(status(program));
        let answers = answers(world, calls);
        assert!(!answers.is_empty());
        assert!(answers.into_iter().all(|answer| answer == refused(error)));
    }
}

#[test]
fn what_does_not_fit_its_room_is_refused() {
    let stage = |section: usize, place: usize, address: usize, length: usize| {
        request(Call::StageProgram, &[section, place, address, length])
    };
    let cases = [
        (stage(0, 0, DATA, 64), None),
        (stage(0, 12, DATA, 64), None),
        (stage(0, 13, DATA, 64), Some(Error::EINVAL)),
        (stage(0, 0, DATA, 80), Some(Error::EINVAL)),
        (stage(0, 0, DATA, 15), Some(Error::EINVAL)),
        (stage(0, 0, DATA, 0), Some(Error::EINVAL)),
        (stage(0, usize::MAX, DATA, RECORD), Some(Error::EINVAL)),
        (stage(2, 0, DATA, RECORD), Some(Error::EINVAL)),
        (stage(0, 0, 0x10, RECORD), Some(Error::EFAULT)),
        (stage(0, 0, DATA + 0xF4, RECORD), Some(Error::EFAULT)),
        (stage(1, 7, DATA, RECORD), None),
        (stage(1, 8, DATA, RECORD), Some(Error::EINVAL)),
    ];
    let (calls, expected): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    let expected: Vec<[usize; 4]> = expected
        .into_iter()
        .map(|error| error.map_or([0; 4], refused))
        .collect();
    assert_eq!(answers(system(SLOW, true), calls), expected);
}

/// A record that names the operands of an instruction or predicate, by its first words.
fn record(code: u8, operands: [u16; 3]) -> Vec<u8> {
    let mut bytes = vec![code, 0];
    bytes.extend(operands.iter().flat_map(|own| own.to_le_bytes()));
    bytes.resize(RECORD, 0);
    bytes
}

#[test]
fn what_names_nothing_of_the_interface_is_refused() {
    // one task, one driver, no port, line or mailbox; 16 instructions and 8 predicates
    let instructions = [
        (record(0, [9, 9, 9]), true),
        (record(1, [0, 0, 0]), true),
        (record(1, [1, 0, 0]), false),
        (record(2, [0, 0, 0]), true),
        (record(2, [1, 0, 0]), false),
        (record(3, [7, 15, 0]), true),
        (record(3, [8, 15, 0]), false),
        (record(3, [7, 17, 0]), false),
        (record(4, [0, 7, 15]), true),
        (record(4, [1, 7, 15]), false),
        (record(4, [0, 8, 15]), false),
        (record(4, [0, 7, NONE]), false),
        (record(5, [7, 0, 0]), true),
        (record(5, [8, 0, 0]), false),
        (record(6, [15, 0, 0]), true),
        (record(6, [17, 0, 0]), false),
        (record(7, [17, 0, 0]), false),
        (record(8, [0, 17, 0]), false),
        (record(9, [0, 0, 0]), false),
        (record(255, [0, 0, 0]), false),
    ];
    let predicate = |kind: u8, subject: u16| record(kind, [subject, 0, 0]);
    let predicates = [
        (predicate(0, 0), true),
        (predicate(1, 0), true),
        (predicate(2, 0), true),
        (predicate(3, 0), true),
        (predicate(3, 1), false),
        (predicate(4, 1), false),
        (predicate(5, 0), false),
        (predicate(6, 0), false),
        (predicate(7, 0), false),
        (predicate(8, 0), false),
        (predicate(9, 0), false),
        (predicate(10, 0), true),
        (predicate(10, 1), false),
        (predicate(11, 0), false),
    ];
    let all = [&instructions[..], &predicates[..]];
    for (section, cases) in all.into_iter().enumerate() {
        // (each boots a system: the interpreter gets some of them)
        for (bytes, is_sound) in cases.iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
            let arguments = [section, 0, DATA, RECORD];
            let call = Request {
                bytes: bytes.clone(),
                ..request(Call::StageProgram, &arguments)
            };
            let expected = match is_sound {
                true => [0; 4],
                false => refused(Error::EINVAL),
            };
            let answer = answers(system(SLOW, true), vec![call]);
            assert_eq!(answer, [expected], "section {section}: {bytes:?}");
        }
    }
}

#[test]
fn a_frame_that_says_what_cannot_be_is_refused() {
    let sound = Coming::of(FAST, SLOW, 7);
    let end = sound.frame.instructions;
    let broken = [
        Frame {
            instructions: 17,
            ..sound.frame
        },
        Frame {
            predicates: 9,
            ..sound.frame
        },
        Frame {
            start: end,
            ..sound.frame
        },
        Frame {
            start: NONE,
            ..sound.frame
        },
        Frame {
            round: end,
            ..sound.frame
        },
        Frame {
            resume: end,
            ..sound.frame
        },
        Frame {
            handlers: [end; 4],
            ..sound.frame
        },
        Frame {
            denominator: 0,
            ..sound.frame
        },
    ];
    let switch = |frame: Frame, how: usize| {
        let module = Coming {
            frame,
            ..Coming::nothing()
        };
        let mut request = module.asked(0, How::Restart, 0);
        request.arguments[2] = how;
        request
    };
    let mut calls: Vec<_> = broken.map(|frame| switch(frame, 0)).into();
    let cannot_resume = Frame {
        resume: NONE,
        ..sound.frame
    };
    calls.push(switch(cannot_resume, How::CarryOver as usize));
    calls.push(switch(Frame::EMPTY, How::CarryOver as usize));
    calls.push(switch(sound.frame, 3));
    // nothing waits that could be withdrawn
    calls.push(switch(sound.frame, How::Withdraw as usize));
    let never = u32::MAX as usize;
    let at_never = request(Call::SwitchProgram, &[0, DATA, 0, never, never]);
    calls.push(Request {
        bytes: switch(sound.frame, 0).bytes,
        ..at_never
    });
    let count = calls.len();
    calls.push(request(Call::SwitchProgram, &[0, 0x10, 0, 0, 0]));
    calls.push(status(0));
    let answers = answers(system(SLOW, true), calls);
    assert_eq!(answers[..count], vec![refused(Error::EINVAL); count]);
    assert_eq!(answers[count], refused(Error::EFAULT));
    assert_eq!(answers[count + 1], [0, state::LOADED, 0, 0]);
}

#[test]
fn one_change_at_a_time_and_one_that_is_withdrawn_does_not_happen() {
    let module = Coming::of(FAST, SLOW, 7);
    let mut calls = module.calls(0, How::Restart, 3000 * US);
    let count = calls.len();
    calls.push(status(0));
    calls.extend(module.calls(0, How::Restart, 3000 * US));
    calls.push(request(
        Call::SwitchProgram,
        &[0, 0, How::Withdraw as usize],
    ));
    calls.push(status(0));
    let mut world = system(SLOW, true);
    bring(&mut world, 500, calls);
    bring(&mut world, 4500, vec![status(0)]);
    world.run_until(5 * MS);
    let mut expected = vec![[0; 4]; count];
    expected.push([0, state::LOADED | state::PENDING, 0, 0]);
    expected.extend(vec![refused(Error::EBUSY); count]);
    expected.extend([[0; 4], [0, state::LOADED, 0, 0], [0, state::LOADED, 0, 0]]);
    assert_eq!(world.answers, expected);
}

#[test]
fn a_change_is_reported_with_its_tag_and_counted() {
    let module = Coming::of(SLOW, SLOW, 7);
    let mut world = system(SLOW, false);
    bring(&mut world, 400, vec![status(0)]);
    bring(&mut world, 500, module.calls(0, How::Restart, 1000 * US));
    bring(&mut world, 2500, vec![status(0)]);
    world.run_until(3 * MS);
    assert_eq!(world.answers.first(), Some(&[0; 4]));
    assert_eq!(world.answers.last(), Some(&[0, state::LOADED, 7, 1]));
}

/// Numbers by Marsaglia's xorshift.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Microcode from dice, sound or not: the kernel does not rely on a verifier.
fn any_module(dice: &mut Dice) -> Coming {
    let mut module = Coming::of(FAST, SLOW, 7);
    module.frame.max_steps = dice.below(2000) as u32;
    for section in &mut module.sections {
        for byte in section.iter_mut() {
            if dice.below(12) == 0 {
                *byte = dice.below(16) as u8;
            }
        }
    }
    module
}

#[test]
fn whatever_is_loaded_the_kernel_keeps_its_invariants_and_the_rest_its_instants() {
    let alone = seen(system(SLOW, true), 40).beside;
    let seeds: u64 = if cfg!(miri) { 6 } else { 300 };
    for seed in 1..seeds {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut world = system(SLOW, true);
        let mut at = 1000;
        for _ in 0..4 {
            let module = any_module(&mut dice);
            let how = [How::Restart, How::CarryOver][dice.below(2) as usize];
            let until = at + dice.below(3000);
            bring(&mut world, at, module.calls(0, how, until * US));
            at += dice.below(9000);
            let withdraw = [0, 0, How::Withdraw as usize];
            bring(
                &mut world,
                at,
                vec![request(Call::SwitchProgram, &withdraw)],
            );
        }
        world.run_until(40 * MS + 1);
        let told = world.ran.iter().filter(|(name, _)| name == "tell");
        let beside: Vec<u64> = told.map(|(_, at)| at / US).collect();
        assert_eq!(beside, alone, "seed {seed}");
    }
}
