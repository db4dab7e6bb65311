//! The kernel in QEMU, with systems laid out by hand: what the edge promises.

mod qemu;
mod system;

use giornata_abi::system::{FaultPolicy, Policy};
use giornata_abi::trace::{FaultCause, TraceKind};
use qemu::{address, boot, boot_image, kernel_address};
use system::{Plan, Process, Thread};

fn thread(program: &str, argument: u32) -> Thread {
    Thread {
        entry: address(program),
        argument,
        policy: Policy::RoundRobin,
        priority: 100,
    }
}

fn process(threads: Vec<Thread>) -> Process {
    Process {
        threads,
        on_fault: FaultPolicy::Stop,
        restartable: (0, 0),
        has_uart: false,
        data: 0,
    }
}

fn plan(processes: Vec<Process>) -> Plan {
    Plan {
        processes,
        stop_at: 0,
        quantum: 100_000,
        kernel_memory: 0x8000,
    }
}

#[test]
fn registers_survive_preemption() {
    let processes = [3, 5, 7].map(|step| process(vec![thread("registers", step)]));
    let run = boot(
        "registers",
        &Plan {
            stop_at: 20_000_000,
            ..plan(processes.into())
        },
    );
    assert_eq!((run.status, run.reports()), (0, vec![]));
    assert!(run.of(TraceKind::Switch).len() > 150);
}

#[test]
fn floating_point_is_private_and_fresh_at_the_start() {
    let mut processes: Vec<_> = [0x1000, 0x2001, 0x3002]
        .map(|step| process(vec![thread("floating", step)]))
        .into();
    processes.push(process(vec![thread("registers", 3)]));
    let run = boot(
        "floating",
        &Plan {
            stop_at: 20_000_000,
            ..plan(processes)
        },
    );
    assert_eq!((run.status, run.reports()), (0, vec![]));
    assert!(run.of(TraceKind::Switch).len() > 150);
}

#[test]
fn a_restarted_process_finds_no_floating_point_of_before() {
    let restarting = Process {
        on_fault: FaultPolicy::Restart,
        ..process(vec![thread("refloating", 0xE1)])
    };
    let others = process(vec![thread("floating", 0x1000)]);
    let run = boot(
        "refloating",
        &Plan {
            stop_at: 5_000_000,
            ..plan(vec![restarting, others])
        },
    );
    assert_eq!((run.status, run.reports()), (0, vec![]));
    let restarts = run.of(TraceKind::Process);
    assert!(restarts.len() > 10 && restarts.iter().all(|r| r.detail == 1));
}

#[test]
fn a_start_leaves_nothing_of_the_last_job() {
    let restarting = Process {
        on_fault: FaultPolicy::Restart,
        ..process(vec![thread("fresh", 0)])
    };
    let others = process(vec![thread("registers", 3)]);
    let run = boot(
        "fresh",
        &Plan {
            stop_at: 5_000_000,
            ..plan(vec![restarting, others])
        },
    );
    assert_eq!((run.status, run.reports()), (0, vec![]));
    let restarts = run.of(TraceKind::Process);
    assert!(restarts.len() > 10 && restarts.iter().all(|r| r.detail == 1));
}

#[test]
fn an_answer_zeroes_what_it_does_not_name() {
    let run = boot("answer", &plan(vec![process(vec![thread("answer", 0)])]));
    assert_eq!((run.status, run.reports()), (0, vec![]));
}

#[test]
fn sleepers_wake_within_five_microseconds() {
    let processes = vec![
        process(vec![Thread {
            priority: 200,
            policy: Policy::Fifo,
            ..thread("sleeper", 0)
        }]),
        process(vec![thread("spin", 0)]),
    ];
    let run = boot("sleeper", &plan(processes));
    assert_eq!(run.status, 0);
    let late: Vec<_> = run.reports().iter().map(|(_, late)| *late).collect();
    assert_eq!(late.len(), 20);
    assert!(late.iter().all(|late| *late < 5_000), "{late:?}");
}

#[test]
fn a_line_comes_once_for_each_wait() {
    let owner = Process {
        has_uart: true,
        ..process(vec![thread("transmitter", 0)])
    };
    let run = boot(
        "transmitter",
        &plan(vec![owner, process(vec![thread("spin", 0)])]),
    );
    assert_eq!(run.status, 0);
    // cause 2: the transmitter is empty
    assert_eq!(
        run.reports(),
        [(3, 0xC2), (2, 0xC2), (1, 0xC2)].map(|(n, cause)| (n, cause & 0xF))
    );
    assert_eq!(run.of(TraceKind::Interrupt).len(), 3);
}

#[test]
fn a_restartable_sequence_loses_no_update_and_is_needed() {
    let counters = process(vec![thread("counter", 0), thread("counter", 0)]);
    let restartable = (address("counter_begin"), address("counter_end"));
    let count = |restartable| {
        let counters = Process {
            restartable,
            ..counters.clone()
        };
        let run = boot(
            "counter",
            &Plan {
                quantum: 5_000,
                ..plan(vec![counters])
            },
        );
        assert_eq!(run.status, 0);
        run.reports()[0].1
    };
    assert_eq!(count(restartable), 40_000);
    assert!(count((0, 0)) < 40_000);
}

#[test]
fn violations_fault_their_process_and_nobody_else() {
    use FaultCause::*;
    let violations = [
        ("load_kernel", Load),
        ("store_text", Store),
        ("store_timer", Store),
        ("load_far", Load),
        ("jump_data", Execute),
        ("jump_null", Execute),
        ("jump_kernel", Execute),
        ("read_status", Illegal),
        ("write_trap_vector", Illegal),
        ("write_space", Illegal),
        ("return_from_trap", Illegal),
        ("wait_for_interrupt", Illegal),
        ("read_time", Illegal),
        ("breakpoint", Breakpoint),
        ("recursion", StackOverflow),
    ];
    let mut processes: Vec<_> = violations
        .iter()
        .map(|(program, _)| process(vec![thread(program, 0)]))
        .collect();
    processes.push(process(vec![thread("registers", 3)]));
    let run = boot(
        "violations",
        &Plan {
            stop_at: 20_000_000,
            ..plan(processes)
        },
    );
    assert_eq!((run.status, run.reports()), (0, vec![]));
    let faults: Vec<_> = run
        .of(TraceKind::Fault)
        .iter()
        .map(|r| (r.subject, r.detail))
        .collect();
    let expected: Vec<_> = violations
        .iter()
        .enumerate()
        .map(|(n, (_, cause))| (n as u16, *cause as u32))
        .collect();
    assert_eq!(faults, expected);
}

#[test]
fn a_trap_of_the_kernel_is_its_last_word() {
    const STORE_FAULT: u16 = 7;
    // restoring these data is a store where there is nothing, or to the guard
    // of the kernel's stack, which binds machine mode too
    for nowhere in [0x0800_0000, kernel_address("giornata_hart")] {
        let on_fault = FaultPolicy::Restart;
        let broken = Process {
            on_fault,
            data: nowhere,
            ..process(vec![thread("breakpoint", 0)])
        };
        let run = boot(
            "bug",
            &Plan {
                stop_at: 1_000_000_000,
                ..plan(vec![broken])
            },
        );
        assert_eq!(run.status, 1);
        let [bug] = run.of(TraceKind::Impossible)[..] else {
            panic!("one record")
        };
        assert_eq!(
            (bug.subject, bug.detail, bug.y),
            (STORE_FAULT, 16, u64::from(nowhere))
        );
        assert!((0x8000_0000..0x8004_0000).contains(&bug.x));
        assert_eq!(run.of(TraceKind::Stop).len(), 1);
    }
}

#[test]
fn the_load_is_shown_ten_times_a_second() {
    let run = boot(
        "load",
        &Plan {
            stop_at: 1_000_000_000,
            quantum: 10_000_000,
            ..plan(vec![process(vec![thread("spin", 0)])])
        },
    );
    let load = run.of(TraceKind::Load);
    assert!((9..=11).contains(&load.len()), "{}", load.len());
    let share = |r: &giornata_abi::trace::TraceRecord| r.x as f64 / r.y as f64;
    // 100 entries a second of a few microseconds each
    assert!(
        load.iter()
            .skip(1)
            .all(|r| (1e-6..1e-2).contains(&share(r))),
        "{load:?}"
    );
}

#[test]
fn a_kernel_with_nothing_to_do_waits_and_stops_in_time() {
    let run = boot(
        "idle",
        &Plan {
            stop_at: 1_000_000_000,
            ..plan(vec![])
        },
    );
    assert_eq!(run.status, 0);
    let [stop] = run.of(TraceKind::Stop)[..] else {
        panic!("one stop")
    };
    assert_eq!(stop.y / 10_000_000, 1); // a second in ticks
    assert!(
        stop.x < 1000 * 1000,
        "kernel time of an idle second: {} milliticks",
        stop.x
    );
}

#[test]
fn a_system_that_cannot_be_is_refused_in_words() {
    let says = |image: &[u8]| {
        let run = boot_image("refused", image);
        assert_eq!(run.status, 2);
        String::from_utf8(run.console).unwrap()
    };
    assert_eq!(
        says(&[0; 4096]),
        "giornata: there is no system beside the kernel\n"
    );
    let spin = plan(vec![process(vec![thread("spin", 0)])]);
    let mut image = system::lay_out(&spin, &[]);
    image[4] ^= 1;
    assert_eq!(says(&image), "giornata: the system is of another version\n");
    let mut image = system::lay_out(&spin, &[]);
    image[size_of::<giornata_abi::system::SystemHeader>()] ^= 1;
    assert_eq!(says(&image), "giornata: the system is damaged\n");
    let small = Plan {
        kernel_memory: 64,
        ..spin
    };
    let refusal = says(&system::lay_out(&small, &[]));
    assert!(
        refusal.starts_with("giornata: the kernel's tables do not fit; bytes they need: "),
        "{refusal}"
    );
}

#[test]
fn system_calls_cost_what_they_cost() {
    let run = boot("measure", &plan(vec![process(vec![thread("measure", 0)])]));
    assert_eq!(run.status, 0);
    let pair = process(vec![thread("measure_switch", 0)]);
    let switch = boot(
        "measure_switch",
        &plan(vec![pair, process(vec![thread("yields", 0)])]),
    );
    assert_eq!(switch.status, 0);
    for (call, instructions) in run.reports().into_iter().chain(switch.reports()) {
        println!("call {call}: {} instructions", instructions / 100);
        assert!(instructions / 100 < 5_000);
    }
}
