//! What entries cost on the chip whose goals are stated: cycles as seen from outside, from
//! mark to mark, in caches that hold everything.

use giornata_soc::{Point, Sight};

use crate::boards::Board;
use crate::plan::{Plan, Process, Thread, lay_out};
use crate::run::on_chip;

const PMP: Board = Board("rtl-pmp");
const GENERATOR: u64 = 0xF000_2000;

/// A sight in a pattern.
#[derive(Clone, Copy, Debug)]
enum See {
    Mark(u16),
    Enter,
    Leave,
    Timer,
    Line,
}

impl See {
    fn is(self, sight: Sight) -> bool {
        match (self, sight) {
            (See::Mark(wanted), Sight::Mark(found)) => wanted == found,
            (See::Enter, Sight::Enter)
            | (See::Leave, Sight::Leave)
            | (See::Timer, Sight::Timer)
            | (See::Line, Sight::Line) => true,
            _ => false,
        }
    }
}

/// Cycles between the first and the last sight wherever a pattern is seen, without the
/// cycle that lies between two instructions that follow each other. The first ten warm up.
fn spans(points: &[Point], pattern: &[See]) -> Vec<u64> {
    let has = |wanted: fn(&See) -> bool| pattern.iter().any(wanted);
    let (timers, lines) = (
        has(|see| matches!(see, See::Timer)),
        has(|see| matches!(see, See::Line)),
    );
    let points: Vec<_> = points
        .iter()
        .filter(|point| match point.sight {
            Sight::Wait => false,
            Sight::Timer => timers,
            Sight::Line => lines,
            _ => true,
        })
        .collect();
    let matching = points.windows(pattern.len()).filter(|window| {
        pattern
            .iter()
            .zip(*window)
            .all(|(see, point)| see.is(point.sight))
    });
    let spans = matching.map(|window| window[window.len() - 1].cycle - window[0].cycle - 1);
    spans.skip(10).collect()
}

fn thread(program: &'static str, argument: u64, priority: u8) -> Thread {
    Thread {
        program,
        argument,
        priority,
    }
}

fn measure(processes: Vec<Process>) -> Vec<Point> {
    let plan = Plan {
        processes,
        stop_at: 0,
    };
    let run = on_chip(PMP, &lay_out(PMP, &plan), 600_000);
    assert_eq!(run.status, None, "{}", run.text());
    run.points
}

fn process(threads: Vec<Thread>) -> Process {
    Process {
        threads,
        ..Process::default()
    }
}

/// Prints a figure beside its goal; true if it is met.
fn show(name: &str, points: &[Point], pattern: &[See], goal: u64) -> bool {
    let mut spans = spans(points, pattern);
    spans.sort_unstable();
    let [least, .., most] = spans[..] else {
        panic!("{name}: seen less than twice")
    };
    let median = spans[spans.len() / 2];
    println!(
        "{name:42} {least:5} {median:5} {most:5}  goal {goal:4}  ({})",
        spans.len()
    );
    median <= goal
}

#[test]
fn entries_of_the_trap_path_take_no_longer_than_their_goals() {
    use See::{Enter, Leave, Line, Mark, Timer};
    let mut all = true;
    let mut check = |name, points: &[Point], pattern: &[See], goal| {
        all &= show(name, points, pattern, goal);
    };
    let points = measure(vec![process(vec![thread("figure_null", 0, 100)])]);
    check("null call", &points, &[Mark(1), Enter, Leave, Mark(2)], 45);
    check(
        "call through the table",
        &points,
        &[Mark(3), Enter, Leave, Mark(4)],
        75,
    );
    let pair = [thread("figure_yield", 0, 100); 2];
    let points = measure(vec![process(pair.into())]);
    let call = [Mark(1), Enter, Leave, Mark(2)];
    check("yield, same process", &points, &call, 185);
    let points = measure(pair.map(|thread| process(vec![thread])).into());
    check("yield, other process", &points, &call, 230);
    let private = pair.map(|thread| Process {
        private_stacks: true,
        ..process(vec![thread])
    });
    let points = measure(private.into());
    check("the same with private stacks", &points, &call, 240);
    let with_device = pair.map(|thread| Process {
        device: Some("generator"),
        ..process(vec![thread])
    });
    let points = measure(
        with_device
            .into_iter()
            .take(1)
            .chain([process(vec![pair[1]])])
            .collect(),
    );
    check("the same, one with a device", &points, &call, 260);
    let points = measure(vec![Process {
        device: Some("generator"),
        ..process(vec![
            thread("figure_line", GENERATOR, 110),
            thread("spin", 0, 100),
        ])
    }]);
    check(
        "interrupt to user handler",
        &points,
        &[Line, Enter, Leave, Mark(3)],
        265,
    );
    let points = measure(vec![process(vec![thread("figure_sleep", 3_000, 110)])]);
    check(
        "timer to sleeper, idle",
        &points,
        &[Timer, Leave, Mark(2)],
        280,
    );
    let mut threads = vec![thread("figure_sleep", 3_000, 110), thread("spin", 0, 100)];
    threads.extend([thread("figure_far", 0, 120); 99]);
    let points = measure(vec![process(threads)]);
    check(
        "timer to sleeper, busy, 100 armed",
        &points,
        &[Timer, Enter, Leave, Mark(2)],
        350,
    );
    assert!(all, "a goal is missed");
}
