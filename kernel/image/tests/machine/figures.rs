//! What entries cost on the chip whose goals are stated: cycles as seen from outside, from
//! mark to mark, in caches that hold everything.

use giornata_records::ObjectKind;
use giornata_soc::{Caches, Point, Sight};

use crate::boards::Board;
use crate::plan::{Plan, Process, Thread, lay_out};
use crate::run::on_chip;

const PMP: Board = Board("rtl-pmp");
const MMU: Board = Board("rtl-mmu");
pub(crate) const GENERATOR: u64 = 0xF000_2000;

/// By slot, as `figures.s` names them.
const OBJECTS: [ObjectKind; 8] = {
    use ObjectKind::{Condition, Mailbox, Mutex, Semaphore};
    [
        Semaphore, Semaphore, Mutex, Mutex, Condition, Mailbox, Mailbox, Semaphore,
    ]
};

/// A sight in a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum See {
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
            Sight::Wait | Sight::Software => false,
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

pub(crate) fn thread(program: &'static str, argument: u64, priority: u8) -> Thread {
    Thread {
        program,
        argument,
        priority,
        quantum: 0,
    }
}

pub(crate) fn measure(processes: Vec<Process>) -> Vec<Point> {
    measure_on(PMP, Caches::Large, processes)
}

fn measure_on(board: Board, caches: Caches, processes: Vec<Process>) -> Vec<Point> {
    let mut plan = Plan::new(processes, 0);
    plan.objects = OBJECTS.into();
    let run = on_chip(board, caches, &lay_out(board, &plan), 600_000);
    assert_eq!(run.status, None, "{}", run.text());
    run.points
}

pub(crate) fn process(threads: Vec<Thread>) -> Process {
    Process {
        threads,
        ..Process::default()
    }
}

/// Figures beside their goals.
pub(crate) struct Table {
    missed: Vec<String>,
}

impl Table {
    pub(crate) fn new() -> Table {
        Table { missed: Vec::new() }
    }

    /// Prints a figure beside its goal, which it has to reach.
    pub(crate) fn row(&mut self, name: &str, points: &[Point], pattern: &[See], goal: u64) {
        self.row_within(name, points, pattern, goal, goal);
    }

    /// The same of one that does not reach its goal yet, and must not get worse.
    pub(crate) fn row_within(
        &mut self,
        name: &str,
        points: &[Point],
        pattern: &[See],
        goal: u64,
        bound: u64,
    ) {
        let mut spans = spans(points, pattern);
        spans.sort_unstable();
        let [least, .., most] = spans[..] else {
            panic!("{name}: seen less than twice")
        };
        let (median, count) = (spans[spans.len() / 2], spans.len());
        println!("{name:42} {least:5} {median:5} {most:5}  goal {goal:4}  ({count})");
        if median > bound {
            self.missed.push(format!("{name}: {median} of {bound}"));
        }
    }

    /// What lies between two marks, whatever is entered between them.
    pub(crate) fn round(
        &mut self,
        name: &str,
        points: &[Point],
        (from, to): (u16, u16),
        (goal, most): (u64, u64),
    ) {
        let marks: Vec<_> = points
            .iter()
            .filter(|point| matches!(point.sight, Sight::Mark(n) if n == from || n == to))
            .copied()
            .collect();
        self.row_within(name, &marks, &[See::Mark(from), See::Mark(to)], goal, most);
    }

    pub(crate) fn finish(self) {
        assert!(self.missed.is_empty(), "{:#?}", self.missed);
    }
}

/// A call, from the mark before it to the mark behind it.
pub(crate) fn call(from: u16, to: u16) -> [See; 4] {
    [See::Mark(from), See::Enter, See::Leave, See::Mark(to)]
}

#[test]
fn entries_of_the_trap_path_take_no_longer_than_their_goals() {
    use See::{Enter, Leave, Line, Mark, Timer};
    let mut table = Table::new();
    let points = measure(vec![process(vec![thread("figure_null", 0, 100)])]);
    table.row("null call", &points, &call(1, 2), 45);
    // (seven cycles of it are the handler's, which looks at a grant of the process)
    table.row_within("call through the table", &points, &call(3, 4), 75, 76);
    let pair = [thread("figure_yield", 0, 100); 2];
    let points = measure(vec![process(pair.into())]);
    table.row("yield, same process", &points, &call(1, 2), 185);
    let points = measure(pair.map(|thread| process(vec![thread])).into());
    table.row("yield, other process", &points, &call(1, 2), 230);
    let both = pair.map(|thread| process(vec![thread]));
    let points = measure_on(MMU, Caches::Large, both.clone().into());
    table.row("the same, Sv32", &points, &call(1, 2), 420);
    let points = measure_on(MMU, Caches::Shipped, both.into());
    table.row_within(
        "the same, Sv32, shipped caches",
        &points,
        &call(1, 2),
        420,
        440,
    );
    let private = pair.map(|thread| Process {
        private_stacks: true,
        ..process(vec![thread])
    });
    let points = measure(private.into());
    table.row("the same with private stacks", &points, &call(1, 2), 240);
    let device = Process {
        device: Some("generator"),
        ..process(vec![pair[0]])
    };
    let points = measure(vec![device.clone(), process(vec![pair[1]])]);
    table.row("the same, one with a device", &points, &call(1, 2), 260);
    let line = vec![
        thread("figure_line", GENERATOR, 110),
        thread("spin", 0, 100),
    ];
    let points = measure(vec![Process {
        threads: line,
        ..device
    }]);
    let handler = [Line, Enter, Leave, Mark(3)];
    table.row("interrupt to user handler", &points, &handler, 265);
    let points = measure(vec![process(vec![thread("figure_sleep", 3_000, 110)])]);
    let wakes = [Timer, Leave, Mark(2)];
    table.row("timer to sleeper, idle", &points, &wakes, 280);
    let mut threads = vec![thread("figure_sleep", 3_000, 110), thread("spin", 0, 100)];
    threads.extend([thread("figure_far", 0, 120); 99]);
    let points = measure(vec![process(threads)]);
    let wakes = [Timer, Enter, Leave, Mark(2)];
    table.row("timer to sleeper, busy, 100 armed", &points, &wakes, 350);
    table.finish();
}

#[test]
fn services_take_no_longer_than_their_goals() {
    let mut table = Table::new();
    let two = |low, high| {
        measure(vec![process(vec![
            thread(low, 0, 100),
            thread(high, 0, 110),
        ])])
    };
    let points = two("figure_give", "figure_take");
    table.row("semaphore give, higher runs", &points, &call(42, 43), 225);
    table.row(
        "semaphore take blocks, next runs",
        &points,
        &call(46, 47),
        235,
    );
    table.row("semaphore give, no switch", &points, &call(48, 49), 105);
    table.row("semaphore take, no switch", &points, &call(50, 51), 105);
    let points = two("figure_owner", "figure_waiter");
    table.row("lock free", &points, &call(30, 31), 110);
    table.row("unlock, nobody waits", &points, &call(32, 33), 110);
    table.row("lock contended, owner runs", &points, &call(44, 45), 235);
    table.row("unlock, waiter runs", &points, &call(46, 47), 220);
    table.row("condition wait", &points, &call(48, 49), 255);
    table.row("signal with waiter", &points, &call(34, 35), 260);
    table.row("signal, nobody", &points, &call(36, 37), 100);
    let points = measure(vec![process(vec![
        thread("figure_chain_low", 0, 100),
        thread("figure_chain_mid", 0, 110),
        thread("figure_chain_high", 0, 120),
    ])]);
    table.row("lock through a chain of two", &points, &call(60, 61), 320);
    // who tells which mutex it will lock saves two switches (EMERALDS, section 7)
    for (told, name, most) in [
        (0, "give, lock, unlock", 800),
        (1, "give, unlock, told", 500),
    ] {
        let giving = process(vec![thread("figure_giving", 0, 100)]);
        let given = process(vec![thread("figure_given", told, 110)]);
        table.round(name, &measure(vec![giving, given]), (62, 63), (most, most));
    }
    let points = measure(vec![process(vec![thread("figure_messages", 0, 100)])]);
    table.row("send four words, no switch", &points, &call(52, 53), 135);
    table.row("receive four words, no switch", &points, &call(54, 55), 120);
    let points = two("figure_sender", "figure_receiver");
    table.row(
        "send to waiting higher, same process",
        &points,
        &call(70, 71),
        240,
    );
    let other = |first, second| measure(vec![process(vec![first]), process(vec![second])]);
    let points = other(
        thread("figure_sender", 0, 100),
        thread("figure_receiver", 0, 110),
    );
    table.row(
        "send to waiting higher, other process",
        &points,
        &call(70, 71),
        280,
    );
    let points = other(
        thread("figure_client", 0, 100),
        thread("figure_server", 0, 110),
    );
    table.round("round trip, four calls", &points, (72, 73), (820, 820));
    let points = other(
        thread("figure_caller", 0, 100),
        thread("figure_replier", 0, 90),
    );
    table.round(
        "round trip, call and reply_receive",
        &points,
        (80, 81),
        (680, 680),
    );
    let points = measure(vec![process(vec![thread("figure_create", 0, 100)])]);
    table.row("create object", &points, &call(38, 39), 110);
    table.row("delete object", &points, &call(40, 41), 110);
    table.finish();
}
