//! Threads, processes and shared regions that come and go, on the boards: what the chip
//! takes for them, and how long an interrupt waits meanwhile.

use giornata_abi::ring::Kind;
use giornata_abi::system::FaultPolicy;
use giornata_abi::trace::FaultCause;
use giornata_soc::{Point, Sight};

use crate::boards::{Board, all};
use crate::figures::{GENERATOR, Table, call, measure, process, thread};
use crate::plan::{Plan, Process};
use crate::run::boot;

#[test]
fn creation_and_ends_take_no_longer_than_their_goals() {
    let mut table = Table::new();
    let points = measure(vec![Process {
        spares: 3,
        ..process(vec![thread("figure_threads", 0, 100)])
    }]);
    table.row("create thread, as urgent", &points, &call(1, 2), 260);
    table.row("detach thread", &points, &call(3, 4), 130);
    table.row("join exited", &points, &call(5, 6), 130);
    table.row("detach exited", &points, &call(7, 8), 130);
    let shared = |program, priority| Process {
        shared: true,
        ..process(vec![thread(program, 0, priority)])
    };
    let points = measure(vec![shared("attaches", 110), shared("figure_region", 100)]);
    table.row("attach region", &points, &call(1, 2), 200);
    table.row("detach region", &points, &call(3, 4), 200);
    for (copied, zeroed) in [(4, 4), (512, 512)] {
        let child = Process {
            supervisor: Some(0),
            on_fault: FaultPolicy::Stop,
            image: (copied, zeroed),
            ..process(vec![thread("spin", 0, 50); 2])
        };
        let supervisor = process(vec![thread("figure_process", 1, 100)]);
        let points = measure(vec![supervisor, child]);
        let words = copied + zeroed;
        let name = format!("create process of {words} words");
        table.row(&name, &points, &call(1, 2), 4_000 + 3 * words);
        // (whom it ended is recorded: registers, and a piece of a stack)
        table.row_within(
            "kill it, of two threads",
            &points,
            &call(5, 6),
            5_200,
            14_800,
        );
    }
    table.finish();
}

/// The most cycles between the rise of a line and its handler.
fn latency(points: &[Point]) -> (u64, usize) {
    let mut risen = None;
    let (mut most, mut count) = (0, 0);
    // (the first find nothing in the caches)
    let first = points.len() / 20;
    for point in &points[first..] {
        match (point.sight, risen) {
            (Sight::Line, _) => risen = Some(point.cycle),
            (Sight::Mark(3), Some(at)) => {
                (most, count) = (most.max(point.cycle - at), count + 1);
                risen = None;
            }
            _ => {}
        }
    }
    (most, count)
}

#[test]
fn an_interrupt_does_not_wait_for_a_teardown_or_a_restart() {
    let handler = Process {
        device: Some("generator"),
        ..process(vec![thread("figure_line", GENERATOR, 110)])
    };
    let child = Process {
        supervisor: Some(0),
        on_fault: FaultPolicy::Stop,
        image: (512, 512),
        spares: 4,
        ..process(vec![thread("spin", 0, 50); 4])
    };
    let supervisor = process(vec![thread("figure_process", 1, 100)]);
    let points = measure(vec![supervisor, child, handler]);
    let (most, count) = latency(&points);
    println!("worst interrupt latency over teardowns: {most} of {count}, goal 1000");
    assert!(count > 300, "{count}");
    assert!(most <= 1_000);
}

fn ends(board: Board, name: &str, first: Process, second: Process) -> crate::run::Run {
    let ticks = if board.is_chip() { 200_000 } else { 300_000 };
    boot(board, name, &Plan::new(vec![first, second], ticks))
}

#[test]
fn a_process_that_faults_begins_anew_and_others_do_not_notice() {
    for board in all() {
        let faulty = Process {
            on_fault: FaultPolicy::Restart,
            image: (16, 16),
            ..process(vec![thread("crashes", 10_000, 100), thread("spin", 0, 50)])
        };
        let other = process(vec![thread("naps", 700, 110), thread("naps", 900, 40)]);
        let run = ends(board, "restart", faulty, other);
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        let (faults, lives) = (run.of(Kind::Fault), run.of(Kind::Process));
        assert!(faults.len() > 2, "{}: {} faults", board.0, faults.len());
        assert!(lives.len() + 1 >= faults.len() && !lives.is_empty());
        for [_, head, cause, _] in faults {
            // (the upper half says how many bytes of the stack are told)
            let expected = (0, FaultCause::Illegal as u32);
            assert_eq!((head >> 16, cause & 0xFFFF), expected, "{}", board.0);
        }
        for pair in lives.windows(2) {
            let [_, head, how, _] = pair[0];
            assert_eq!((head >> 16, how, pair[1][3] - pair[0][3]), (0, 1, 1));
        }
    }
}

#[test]
fn no_switch_is_recorded_of_a_reaper_to_itself() {
    // sleepers that are more urgent than the end of their process wake in the midst of it
    for board in all() {
        // (a tick is a cycle there)
        let scale = if board.is_chip() { 30 } else { 1 };
        let mut threads = vec![thread("crashes", 300 * scale, 100)];
        for (ticks, priority) in (170..).step_by(61).zip(110..116) {
            threads.push(thread("naps", ticks * scale, priority));
        }
        let faulty = Process {
            on_fault: FaultPolicy::Restart,
            ..process(threads)
        };
        let run = ends(board, "itself", faulty, process(vec![]));
        assert!(run.of(Kind::Process).len() > 2, "{}", board.0);
        for [_, from, to, _] in run.of(Kind::Switch) {
            assert_ne!(from >> 16, to >> 16, "{}", board.0);
        }
    }
}

#[test]
fn a_panic_tells_what_can_be_read_of_its_message() {
    for board in all() {
        let panics = Process {
            on_fault: FaultPolicy::Stop,
            ..process(vec![thread("panics", 0, 100)])
        };
        let run = ends(board, "panic", panics, process(vec![thread("spin", 0, 50)]));
        assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
        let offsets: Vec<u32> = run.of(Kind::FaultText).iter().map(|text| text[2]).collect();
        assert_eq!(offsets, [0, 16, 32], "{}", board.0);
    }
}

#[test]
fn a_region_is_closed_when_it_is_detached() {
    for board in [Board("rtl-pmp"), Board("qemu-virt32-pmp")] {
        for (argument, faults) in [(0, 0), (1, 1)] {
            let escapes = Process {
                shared: true,
                on_fault: FaultPolicy::Stop,
                ..process(vec![thread("escapes", argument, 100)])
            };
            let run = ends(board, "region", escapes, process(vec![]));
            assert_eq!(run.status, Some(0), "{}: {}", board.0, run.text());
            assert_eq!(run.of(Kind::Fault).len(), faults, "{}", board.0);
        }
    }
}
