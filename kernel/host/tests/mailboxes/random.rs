//! Random programs: what must be true is looked at after each call.

use giornata_abi::call::{Call, NOBODY};
use giornata_abi::message::{receive, send};
use giornata_abi::posix;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_core::sched::thread::role;

use crate::stage::*;

/// xorshift.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

const SUPERVISOR: usize = 0;
const MAILBOXES: usize = 4;
/// Threads of the processes but the supervisor.
const THREADS: usize = 9;

/// The supervisor, three processes of three threads; mailboxes 0 and 1 plain, 2 with a
/// protocol server, 3 attached to it.
fn start() -> Stage {
    let mut system = system(4);
    thread(&mut system, SUPERVISOR, 250);
    for process in 1..4 {
        system.processes[process].supervisor = Some(SUPERVISOR);
        system.processes[process].on_fault = Some(FaultPolicy::Restart);
        for index in 0..3 {
            thread(
                &mut system,
                process,
                [10, 20, 20, 30, 5][(process + index) % 5],
            );
        }
    }
    for rights in [PLAIN, PLAIN, ALL, ALL] {
        mailbox(&mut system, rights);
    }
    system.objects[3].server = Some(2);
    assert!(
        system
            .threads
            .iter()
            .all(|thread| thread.role == role::AUTOSTART)
    );
    Stage::new(&system)
}

/// A call of a thread, by chance; `tokens` are those it has seen.
fn any_call(random: &mut Random, thread: usize, seen: &[[usize; 2]]) -> (Call, [usize; 6]) {
    let mailbox = random.below(MAILBOXES);
    let process = (thread - 1) / 3 + 1;
    let to = mailbox | [0, 3, 200][random.below(3)] << 16;
    let now = 1 + random.below(30);
    let [low, high] = [NOW, EVER, EVER, [now, 0]][random.below(4)];
    let address = data(process) + random.below(8) - random.below(2) * 8;
    let length = [3, 16, 17, 200, 201][random.below(5)];
    let full = [0, receive::FULL << 16][random.below(2)];
    let [client, token] = match random.below(5) {
        0 => [NOBODY, 0],
        1 => [random.below(12), random.below(12)],
        _ => seen
            .get(seen.len().wrapping_sub(1 + random.below(2)))
            .copied()
            .unwrap_or([9, 9]),
    };
    match random.below(12) {
        0 | 1 => (Call::Send, [to, 1, 1, 2, 3, 4]),
        2 => {
            let (how, via) = [(0, 0), (send::DIRECT, 0), (send::VIA, 2)][random.below(3)];
            (Call::SendBytes, [to, 1, address, length, how, via])
        }
        3 | 4 => (Call::Receive, [mailbox, 1, low, high, 0, 0]),
        5 => (
            Call::ReceiveBytes,
            [mailbox, 1, low, high, address, length | full],
        ),
        6 | 7 => (Call::Call, [to, 1, 5, 6, 7, 8]),
        8 | 9 => (Call::ReplyReceive, [client, token, 9, 9, 9, 9]),
        10 => (Call::Forward, [mailbox, 1, client, token, 0, 0]),
        _ => (Call::Sleep, [now, 0, 0, 0, 0, 0]),
    }
}

/// Receives all that is left and checks that all places are free.
fn empty(stage: &mut Stage) {
    for process in 1..4 {
        stage.call(SUPERVISOR, Call::KillProcess, [process, 0, 0, 0, 0, 0]);
    }
    for mailbox in 0..MAILBOXES {
        while {
            stage.call(
                SUPERVISOR,
                Call::ReceiveBytes,
                [mailbox, 1, 0, 0, data(0), 200],
            );
            stage.results(SUPERVISOR)[0] == 0
        } {}
    }
}

/// What a process does at a call that begins again: mostly that, else any other, or a
/// handler of a signal runs and calls something before it, or lets another thread interrupt.
fn divert(stage: &mut Stage, mut random: Random) {
    stage.rig.set_piece_time(1);
    stage.rig.divert(move |thread, number, arguments| {
        if !(1..=THREADS).contains(&thread) || random.below(3) == 0 {
            return (number, arguments);
        }
        let (call, other) = any_call(&mut random, thread, &[]);
        match random.below(3) {
            // the same call with other arguments, as a block that is restarted makes it
            0 if call as usize == number => (number, other),
            1 => {
                let mut changed = arguments;
                let at = random.below(6);
                changed[at] = other[at];
                (number, changed)
            }
            _ => (call as usize, other),
        }
    });
}

/// A thread interrupts another of its process, or itself tries to.
fn interrupt(stage: &mut Stage, random: &mut Random, thread: usize) {
    let other = (thread - 1) / 3 * 3 + 1 + random.below(3);
    let serial = stage.rig.thread(other).serial.get() as usize;
    let handler = [
        posix::Operation::Interrupt as usize,
        other,
        serial,
        0x1000,
        0,
        0,
    ];
    stage.rig.call_number(posix::CALL, handler);
    stage.rig.check_invariants();
}

fn run(seed: u64, steps: usize, diverts: bool) {
    let mut random = Random(seed * 2 + 1);
    let mut stage = start();
    if diverts {
        divert(&mut stage, Random(seed * 2 + 77));
    }
    let mut seen = vec![Vec::new(); THREADS + 1];
    stage.sleep(SUPERVISOR, 10);
    for step in 0..steps {
        if random.below(3) == 0 {
            stage.rig.pass(1);
        }
        if random.below(3) == 0 {
            stage.rig.interrupt();
            stage.rig.check_invariants();
        }
        let runs = stage.rig.running();
        if stage.rig.is_idle() {
            stage.advance(1);
            continue;
        }
        for (thread, seen) in seen.iter_mut().enumerate().skip(1) {
            let client = |results: [usize; 7]| (results[5] >> 16, results[6]);
            if let Some((client, token @ 1..)) = stage.rig.take_results(thread).map(client) {
                seen.push([client, token]);
            }
        }
        if runs == SUPERVISOR {
            let process = 1 + random.below(3);
            stage.call(SUPERVISOR, Call::KillProcess, [process, 0, 0, 0, 0, 0]);
            let until = stage.rig.now() as usize + random.below(200);
            stage.sleep(SUPERVISOR, until);
            continue;
        }
        if random.below(100) == 0 {
            stage.rig.fault(FaultCause::Illegal, 0, 0);
            stage.rig.check_invariants();
            continue;
        }
        if random.below(100) == 0 {
            stage.call(runs, Call::Exit, [0; 6]);
            continue;
        }
        if diverts && random.below(8) == 0 {
            interrupt(&mut stage, &mut random, runs);
            continue;
        }
        if diverts && random.below(8) == 0 {
            let (slot, priority) = (1 + random.below(THREADS), random.below(40));
            stage.call(runs, Call::SetPriority, [slot, 1, priority, 0, 0, 0]);
            continue;
        }
        let (call, mut arguments) = any_call(&mut random, runs, &seen[runs]);
        // instants lie ahead
        let at = match call {
            Call::Sleep => 0,
            _ => 2,
        };
        let is_timed = matches!(call, Call::Sleep | Call::Receive | Call::ReceiveBytes);
        if is_timed && (1..99).contains(&arguments[at]) {
            arguments[at] += stage.rig.now() as usize;
        }
        stage.call(runs, call, arguments);
        if step % 1000 == 999 {
            // (whoever serves a mailbox from which it received is as urgent as it is)
            while stage.rig.running() != SUPERVISOR {
                let runs = stage.rig.running();
                if !stage.rig.is_idle() {
                    let until = stage.rig.now() as usize + 1;
                    stage.sleep(runs, until);
                }
                stage.rig.advance(1);
            }
            empty(&mut stage);
            stage.sleep(SUPERVISOR, stage.rig.now() as usize + 5);
            let free = [1, 2, 3].map(|process| stage.free(process));
            assert_eq!(free, [4; 3], "seed {seed}, step {step}");
        }
    }
}

/// How many programs, and how many steps of each: a hundred times as many if `GIORNATA_LONG` is
/// in the environment.
fn extent(programs: u64) -> (u64, usize) {
    match std::env::var_os("GIORNATA_LONG") {
        _ if cfg!(miri) => (2, 200),
        None => (programs, 3000),
        Some(_) => (100 * programs, 3000),
    }
}

#[test]
fn messages_and_requests_stay_whole_through_random_programs() {
    let (seeds, steps) = extent(40);
    for seed in 0..seeds {
        run(seed, steps, false);
    }
}

#[test]
fn messages_stay_whole_whatever_is_called_instead_of_a_call_that_begins_again() {
    let (seeds, steps) = extent(60);
    for seed in 0..seeds {
        run(seed, steps, true);
    }
}

#[test]
fn who_puts_a_late_request_down_and_is_interrupted_has_its_own_place_again() {
    run(810, 3000, true);
}
