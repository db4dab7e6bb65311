//! The kernel on its boards, in QEMU and on the project's chip, with systems laid out by
//! hand: what the trap path and boot promise.

mod boards;
mod figures;
mod lives;
mod plan;
mod run;

use boards::{Board, QEMU, all};
use giornata_abi::call::Call;
use giornata_abi::ring::{Kind, reason};
use giornata_abi::system::FaultPolicy;
use giornata_soc::{Caches, Core, Harts, Variant};
use plan::{Plan, Process, Thread, lay_out};
use run::{boot, boot_image, on_core};

fn thread(program: &'static str, argument: u64) -> Thread {
    Thread {
        program,
        argument,
        priority: 100,
        quantum: 0,
    }
}

fn process(threads: Vec<Thread>) -> Process {
    Process {
        threads,
        ..Process::default()
    }
}

/// The tick at which a machine stops that has run for a while: a chip, which is simulated,
/// runs shorter, and boots longer.
fn short(board: Board, ticks: u64) -> u64 {
    if board.is_chip() {
        ticks + 60_000
    } else {
        ticks * 10
    }
}

#[test]
fn a_kernel_with_nothing_to_do_waits_and_stops_in_time() {
    for board in all() {
        let stop_at = short(board, 100_000);
        let run = boot(board, "idle", &Plan::new(vec![], stop_at));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        let [[time, ..]] = run.of(Kind::Stop)[..] else {
            panic!("{}: one stop", board.0)
        };
        let late = u64::from(time) - stop_at;
        assert!(late < 1_000, "{}: {late} ticks late", board.0);
        assert_eq!(run.of(Kind::Boot).len(), 1, "{}", board.0);
    }
}

/// The numbers of the switches to each thread.
fn switches(run: &run::Run) -> usize {
    run.of(Kind::Switch).len()
}

/// Two threads of priority 200 that sleep for a short time again and again.
fn nappers() -> [Process; 2] {
    [700, 1_100].map(|ticks| {
        process(vec![Thread {
            priority: 200,
            ..thread("naps", ticks)
        }])
    })
}

#[test]
fn registers_survive_interrupts_and_calls_of_others() {
    for board in all() {
        let step = |step| process(vec![thread("registers", step)]);
        let processes = [3, 5, 7].map(step).into_iter().chain(nappers()).collect();
        let stop_at = short(board, 300_000);
        let run = boot(board, "registers", &Plan::new(processes, stop_at));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        assert!(switches(&run) > 200, "{}: {}", board.0, switches(&run));
    }
}

/// In the long form: the simulator is one more.
#[test]
fn a_cluster_of_one_hart_runs_the_kernel_of_the_core_alone() {
    if std::env::var_os("GIORNATA_LONG").is_none() {
        return;
    }
    let board = Board("rtl-pmp");
    let step = |step| process(vec![thread("registers", step)]);
    let processes = [3, 5, 7].map(step).into_iter().chain(nappers()).collect();
    let image = lay_out(board, &Plan::new(processes, 300_000));
    for core in [Core::Pmp, Core::Smp(Harts::One)] {
        let chip = Variant::new(core, Caches::Large);
        let run = on_core(board, chip, &image, 4_000_000);
        assert_eq!(run.status, Some(0), "{core:?}: {}", run.text());
        assert!(switches(&run) > 200, "{core:?}: {}", switches(&run));
    }
}

#[test]
fn a_call_keeps_what_the_abi_keeps_and_zeroes_the_rest() {
    // one that returns at once, one that no handler knows, one far beyond the table, one
    // that returns when another thread has run
    for board in all() {
        for number in [63, 0x1_0001, Call::Yield as u64] {
            let processes = vec![process(vec![thread("answer", number); 2])];
            let stop_at = short(board, 60_000);
            let run = boot(board, "answer", &Plan::new(processes, stop_at));
            assert_eq!(run.status, Some(0), "{}: call {number}", board.0);
            assert!(switches(&run) > 50, "{}: {}", board.0, switches(&run));
        }
    }
}

#[test]
fn the_null_call_touches_one_register() {
    for board in all() {
        let processes = vec![process(vec![thread("null", 0)])];
        let stop_at = short(board, 20_000);
        let run = boot(board, "null", &Plan::new(processes, stop_at));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
    }
}

#[test]
fn floating_point_is_private_and_fresh_at_the_start() {
    for board in QEMU.into_iter().filter(|board| board.has_floating()) {
        let step = |step| process(vec![thread("floating", step); 2]);
        let mut processes: Vec<_> = [0x1000, 0x2001, 0x3002].map(step).into();
        for (process, priority) in processes.iter_mut().zip([90, 100, 110]) {
            process.threads[0].priority = priority;
            process.threads[1].priority = priority;
        }
        processes.extend(nappers());
        let run = boot(board, "floating", &Plan::new(processes, 1_000_000));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
    }
}

/// A thread that runs when the others do not.
fn behind(program: &'static str, argument: u64) -> Process {
    process(vec![Thread {
        priority: 50,
        ..thread(program, argument)
    }])
}

/// A process that restarts.
fn restarting(program: &'static str) -> Process {
    Process {
        on_fault: FaultPolicy::Restart,
        image: (0, 8),
        ..process(vec![thread(program, 0)])
    }
}

/// Lives of processes that have ended and begun anew.
fn restarts(run: &run::Run) -> usize {
    run.of(Kind::Process)
        .iter()
        .filter(|[.., how, _]| *how == 1)
        .count()
}

#[test]
fn a_start_leaves_nothing_of_the_life_before() {
    for board in all() {
        let processes = vec![restarting("fresh"), behind("registers", 3)];
        let run = boot(board, "fresh", &Plan::new(processes, short(board, 200_000)));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        assert!(restarts(&run) > 5, "{}: {}", board.0, restarts(&run));
    }
}

#[test]
fn a_restarted_process_finds_no_floating_point_of_before() {
    for board in QEMU.into_iter().filter(|board| board.has_floating()) {
        let processes = vec![restarting("refloating"), behind("floating", 0x1000)];
        let run = boot(board, "refloating", &Plan::new(processes, 500_000));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        assert!(restarts(&run) > 5, "{}: {}", board.0, restarts(&run));
    }
}

#[test]
fn sleepers_wake_in_time() {
    for board in all() {
        let sleeper = Thread {
            priority: 200,
            ..thread("late", if board.is_chip() { 10_000 } else { 1_000 })
        };
        let processes = vec![process(vec![sleeper]), process(vec![thread("spin", 0)])];
        let run = boot(board, "late", &Plan::new(processes, short(board, 100_000)));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        assert!(switches(&run) > 15, "{}: {}", board.0, switches(&run));
    }
}

#[test]
fn a_line_comes_once_for_each_wait() {
    for board in QEMU {
        let uart = board.number("devices.uart0", "base");
        let owner = Process {
            device: Some("uart0"),
            ..process(vec![Thread {
                priority: 200,
                ..thread("transmitter", uart)
            }])
        };
        let processes = vec![owner, process(vec![thread("spin", 0)])];
        let run = boot(board, "transmitter", &Plan::new(processes, 1_000_000));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        let interrupts = run.of(Kind::Switch);
        let interrupts = interrupts
            .iter()
            .filter(|[.., reason]| reason & 0xFF == reason::INTERRUPT)
            .count();
        assert_eq!(interrupts, 3, "{}", board.0);
    }
}

#[test]
fn quanta_are_shared_among_equals() {
    for board in all() {
        let turn = |count| Thread {
            quantum: 700,
            ..thread("turns", count)
        };
        let judge = Thread {
            priority: 110,
            ..thread("fair", 20_000)
        };
        let processes = vec![process(vec![turn(0), turn(1), judge])];
        let run = boot(
            board,
            "turns",
            &Plan::new(processes, short(board, 1_000_000)),
        );
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        assert_eq!(run.of(Kind::Stop).len(), 1);
        assert!(switches(&run) > 20, "{}: {}", board.0, switches(&run));
    }
}

#[test]
fn a_restartable_sequence_loses_no_update_and_is_needed() {
    let counts = |restartable| {
        let board = Board("rtl-pmp");
        let counters = Process {
            restartable,
            ..process(vec![thread("counter", 0), thread("counts_now_and_then", 0)])
        };
        let mut plan = Plan::new(vec![counters], 400_000);
        plan.processes[0].threads[1].priority = 110;
        let run = boot(board, "counter", &plan);

        run.status
    };
    // the program that compares the counters finds them equal, or executes what faults
    assert_eq!(counts(Some(("counter_begin", "counter_end"))), Some(0));
    assert_eq!(counts(None), Some(1));
}

#[test]
fn what_a_process_may_not_do_faults() {
    for board in all() {
        let ram = board.ram();
        let own = ram + 0x12_9000;
        let other = own + 0x1_4000;
        let clint = board.number("devices.clint", "base");
        let violations = [
            ("load", ram),
            ("load", board.records()),
            ("load", other),
            ("store", ram),
            ("store", board.records()),
            ("store", board.text()),
            ("store", other),
            ("store", clint + 0x4000),
            ("load", 8),
            ("jump", own),
            ("jump", ram),
            ("jump", 0),
            ("read_status", 0),
            ("write_trap_vector", 0),
            ("return_from_trap", 0),
        ];
        for (program, argument) in violations {
            // a thread that is fine in the process that was entered before
            let processes = vec![
                process(vec![thread(program, argument)]),
                process(vec![Thread {
                    priority: 200,
                    ..thread("naps", 5_000)
                }]),
            ];
            let stop_at = short(board, 30_000);
            let run = boot(board, "violation", &Plan::new(processes, stop_at));
            assert_eq!(run.status, Some(1), "{}: {program} {argument:#x}", board.0);
        }
        let allowed = vec![process(vec![thread("load", own)])];
        let plan = Plan::new(allowed, short(board, 10_000));
        assert_eq!(boot(board, "allowed", &plan).status, Some(0), "{}", board.0);
    }
}

#[test]
fn private_stacks_are_closed_to_other_threads_of_the_process() {
    for board in [Board("rtl-pmp"), Board("qemu-virt32-pmp")] {
        let stack_of_first = board.ram() + 0x12_A000 + 0x100;
        let run = |program, argument| {
            let pair = Process {
                private_stacks: true,
                ..process(vec![thread("yields", 0), thread(program, argument)])
            };
            let processes = vec![pair, process(vec![thread("yields", 0)])];
            let stop_at = short(board, 20_000);
            boot(board, "private", &Plan::new(processes, stop_at)).status
        };
        assert_eq!(run("load", stack_of_first), Some(1), "{}", board.0);
        assert_eq!(run("load", stack_of_first + 0x400), Some(0), "{}", board.0);
    }
}

#[test]
fn a_system_that_cannot_be_is_refused_in_words() {
    for board in all() {
        let says = |image: &[u8]| {
            let run = boot_image(board, "refused", image);
            assert_eq!(run.status, Some(2), "{}", board.0);
            run.text()
        };
        let nothing = "giornata: there is no system beside the kernel\n";
        assert_eq!(says(&[0; 4096]), nothing);
        let image = lay_out(board, &Plan::default());
        let changed = |at: usize| {
            let mut image = image.clone();
            image[at] ^= 0x80;
            says(&image)
        };
        let other = "giornata: the system is for another kernel\n";
        assert_eq!(changed(4), other);
        let damaged = "giornata: the system is damaged\n";
        assert_eq!(changed(0x100), damaged);
        let length = "giornata: the system leaves its memory\n";
        assert_eq!(changed(11), length);
    }
}
