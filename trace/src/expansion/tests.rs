//! Streams made by hand, as the kernel writes them.

use super::more::sixteen;
use super::*;
use crate::sample::names;
use crate::{Message, MessageAssembly, PortAssembly, Statistics};
use giornata_abi::ring::head;
use giornata_abi::trace::FaultCause;
use proptest::prelude::*;

/// A timer of 10 MHz: a tick is 100 ns.
const HERTZ: u32 = 10_000_000;
const IDLE: u16 = NONE;

fn expand(records: &[Words]) -> Vec<Event> {
    expand_from(0, records)
}

fn expand_from(first: u64, records: &[Words]) -> Vec<Event> {
    let (mut expansion, mut events) = (Expansion::new(HERTZ), Vec::new());
    for (index, record) in (first..).zip(records) {
        expansion.push(index, *record, |event| events.push(event));
    }
    events
}

fn contents(records: &[Words]) -> Vec<Content> {
    let events = expand(records).into_iter();
    events.map(|event| event.content).collect()
}

fn record(time: u32, kind: Kind, subject: u16, second: u32, third: u32) -> Words {
    [time, head(kind, 0, subject), second, third]
}

fn more(text: [u8; 12]) -> Words {
    let [a, b, c] = [0, 4, 8].map(|at| u32::from_le_bytes(text[at..at + 4].try_into().unwrap()));
    [a, head(Kind::More, 0, 0), b, c]
}

fn switch(time: u32, left: u16, runs: u16, why: u32) -> Words {
    record(time, Kind::Switch, left, u32::from(runs) << 16, why)
}

fn release(time: u32, first: u16, set: u32, window: u32) -> Words {
    record(time, Kind::Release, first, set, window)
}

fn epoch(time: u64) -> Words {
    record(time as u32, Kind::Epoch, 0, (time >> 32) as u32, 0)
}

fn ms(millis: u64) -> Instant {
    Instant(millis * 1_000_000)
}

#[test]
fn the_first_record_says_what_the_machine_is_and_when_it_began() {
    let boot = record(7, Kind::Boot, 2, 32_768, 1024);
    let events = expand(&[
        boot,
        [0x10, head(Kind::More, 0, 0), 0x20, 3],
        switch(9, IDLE, 4, 0),
    ]);
    let expected = Content::Boot {
        hertz: 32_768,
        capacity: 1024,
        tables: 0x20_0000_0010,
    };
    assert_eq!((events[0].index, events[0].tick), (0, Ticks(3 << 32 | 7)));
    assert_eq!(events[0].content, expected);
    assert_eq!((events[1].index, events[1].tick), (2, Ticks(3 << 32 | 9)));
}

#[test]
fn a_switch_ends_a_job_and_tells_who_was_late() {
    let told = contents(&[
        release(1000, 2, members::RUN | 2, 500),
        switch(1010, IDLE, 2, 0),
        switch(1100, 2, 3, reason::COMPLETE),
        switch(1600, 3, IDLE, reason::COMPLETE | reason::LATE),
    ]);
    let deadline = Some(Instant(150_000));
    let released = |thread| Content::Release {
        thread,
        job: 1,
        at: Instant(100_000),
        deadline,
    };
    let switched = |thread: Option<u16>| Content::Switch {
        thread,
        deadline: deadline.filter(|_| thread.is_some()),
        job: thread.map_or(0, |_| 1),
    };
    let completed = |thread, at, execution| Content::Complete {
        thread,
        job: 1,
        at: Instant(at),
        execution: Duration(execution),
    };
    let late = Content::Miss {
        thread: 3,
        job: 1,
        deadline: Instant(150_000),
    };
    let expected = [
        released(2),
        released(3),
        switched(Some(2)),
        completed(2, 110_000, 9_000),
        switched(Some(3)),
        completed(3, 160_000, 50_000),
        late,
        switched(None),
    ];
    assert_eq!(told, expected);
}

#[test]
fn execution_is_what_a_job_ran_in_all_its_turns() {
    let told = contents(&[
        release(0, 2, members::ONE, 0),
        switch(0, IDLE, 2, 0),
        switch(100, 2, 5, reason::INTERRUPT | 9 << 16),
        switch(150, 5, 2, 0),
        record(170, Kind::Complete, 2, 0, 0),
        release(170, 2, members::ONE, 0),
        record(180, Kind::Complete, 2, 0, 0),
    ]);
    let completed: Vec<(u32, u64)> = told.iter().filter_map(executed).collect();
    assert!(told.contains(&Content::Interrupt {
        number: 9,
        at: Instant(10_000)
    }));
    assert_eq!(completed, [(1, 12_000), (2, 1_000)]);
}

fn executed(content: &Content) -> Option<(u32, u64)> {
    match content {
        Content::Complete { job, execution, .. } => Some((*job, execution.0)),
        _ => None,
    }
}

#[test]
fn a_job_that_the_kernel_numbers_has_that_number() {
    let told = contents(&[
        record(5, Kind::Complete, 2, reason::LATE, 41),
        release(9, 2, members::ONE, 100),
    ]);
    let jobs: Vec<u32> = told
        .iter()
        .filter_map(|content| match content {
            Content::Complete { job, .. }
            | Content::Miss { job, .. }
            | Content::Release { job, .. } => Some(*job),
            _ => None,
        })
        .collect();
    assert_eq!(jobs, [41, 41, 42]);
}

#[test]
fn what_is_late_keeps_its_logical_instant() {
    let events = expand(&[
        switch(400, IDLE, 1, 0),
        record(1000, Kind::Entered, 0, 1017, 0),
        release(1000, 2, members::ONE, 0),
        record(1000, Kind::Port, 0, 6, 7),
        record(2000, Kind::Upcall, 3, 1, 0),
    ]);
    let stamps: Vec<u64> = events.iter().map(|event| event.tick.0).collect();
    // nothing says that the kernel was late for the last
    assert_eq!(stamps, [400, 1017, 1017, 2000]);
    let Content::Port { at, piece, .. } = &events[2].content else {
        panic!("a port")
    };
    assert_eq!(
        (*at, piece.bytes()),
        (Instant(100_000), &[6, 0, 0, 0, 7, 0, 0, 0][..])
    );
}

#[test]
fn an_instant_between_two_ticks_is_told_to_the_nanosecond() {
    // a third of 10 ms
    let told = contents(&[
        record(33_333, Kind::Fraction, 0, 1, 3),
        record(
            33_333,
            Kind::Violation,
            1,
            2 | 1 << 8,
            7 | u32::from(NONE) << 16,
        ),
        record(33_334, Kind::Change, 1, 0, 0xCAFE),
    ]);
    let breach = Breach {
        program: 1,
        violation: Some(Violation::Overrun),
        handled: true,
        at: Instant(3_333_333),
        task: Some(7),
        driver: None,
    };
    assert_eq!(told[0], Content::Violation(breach));
    let Content::Change { at, tag, .. } = told[1] else {
        panic!("a change")
    };
    assert_eq!((at, tag), (Instant(3_333_400), 0xCAFE), "a whole tick");
}

#[test]
fn a_deadline_that_a_word_cannot_say_is_none() {
    let told = contents(&[
        release(0, 1, members::ONE, FAR),
        release(0, 2, members::ONE, 0),
        release(0, 3, members::ONE, 20),
    ]);
    let deadlines: Vec<Option<Instant>> = told
        .iter()
        .filter_map(|content| match content {
            Content::Release { deadline, .. } => Some(*deadline),
            _ => None,
        })
        .collect();
    assert_eq!(deadlines, [None, None, Some(Instant(2000))]);
}

#[test]
fn values_of_any_length_are_whole() {
    let long = [b"abcdefgh".as_slice(), b"ijklmnopqrst"].concat();
    let words = |at: usize| u32::from_le_bytes(long[at..at + 4].try_into().unwrap());
    let events = expand(&[
        record(500, Kind::Port, 1, words(0), words(4)),
        more(long[8..].try_into().unwrap()),
        record(500, Kind::Port, 0, 0x3F80_0000, 0xFFFF_FFFF),
    ]);
    let mut ports = PortAssembly::new(&names());
    let writes: Vec<_> = events
        .iter()
        .filter_map(|event| ports.push(event))
        .collect();
    let values: Vec<_> = writes
        .iter()
        .map(|w| (w.port, w.value.as_slice()))
        .collect();
    // port 1 has 12 bytes, port 0 four
    assert_eq!(values, [(1, &long[..12]), (0, &1f32.to_le_bytes()[..])]);
    assert!(writes.iter().all(|write| write.at == Instant(50_000)));
}

#[test]
fn texts_come_whole_in_one_record_or_two() {
    let told = contents(&[
        record(5, Kind::Log, 2, 3, u32::from_le_bytes(*b"abc\0")),
        record(6, Kind::Log, 2, 16 | 0x100, u32::from_le_bytes(*b"alti")),
        more(*b"tude 10.0 m "),
    ]);
    let log = |length, more, bytes: &[u8]| {
        let text = sixteen(bytes);
        Content::Log {
            thread: 2,
            length,
            more,
            text,
        }
    };
    let expected = [log(3, false, b"abc"), log(16, true, b"altitude 10.0 m ")];
    assert_eq!(told, expected);
}

#[test]
fn a_fault_keeps_its_text_however_long_the_kernel_takes_to_write_it() {
    let events = expand(&[
        record(100, Kind::Fault, 1, FaultCause::Panic as u32, 0x8000_0010),
        [1, head(Kind::More, 0, 0), 77, 0],
        record(130, Kind::FaultText, 1, 0, u32::from_le_bytes(*b"too ")),
        more(*b"much of it!\0"),
        record(150, Kind::Process, 1, 1, 4),
    ]);
    let mut messages = MessageAssembly::new(&names());
    let mut texts = Vec::new();
    for event in &events {
        messages.push(event, |_, message| texts.push(message));
    }
    assert_eq!(texts.len(), 1);
    let Message::Fault(fault) = &texts[0] else {
        panic!("a fault, not {texts:?}");
    };
    let said = fault.message(&names(), None);
    assert_eq!(said, "too much of it!");
    let Content::Fault { pc, address, .. } = events[0].content else {
        panic!("a fault")
    };
    assert_eq!((pc, address), (0x1_8000_0010, 77));
    let gone = Content::Process {
        process: 1,
        restarted: true,
        generation: 4,
    };
    assert_eq!(events[2].content, gone);
}

#[test]
fn priorities_and_names_of_threads_are_told_with_who_changed_them() {
    let events = contents(&[
        record(5, Kind::Priority, 3, 20 | 7 << 16, 0),
        record(6, Kind::Priority, 4, 9 | 4 << 16, 1 | 2 << 8),
        record(7, Kind::Name, 3, 9, u32::from_le_bytes(*b"logg")),
        more(*b"er-2 and mor"),
        record(8, Kind::Name, 3, 0, u32::MAX),
        more([0xFF; 12]),
    ]);
    let name = |text: &[u8]| Content::Name {
        thread: 3,
        text: sixteen(text),
    };
    let priority = |thread, priority, by, policy| Content::Priority {
        thread,
        priority,
        by,
        policy,
    };
    let expected = [
        priority(3, 20, 7, None),
        priority(4, 9, 4, Some(2)),
        name(b"logger-2 "),
        name(b""),
    ];
    assert_eq!(events, expected);
}

#[test]
fn what_follows_a_lost_record_has_its_time_again() {
    let (mut expansion, mut events) = (Expansion::new(HERTZ), Vec::new());
    let mut push = |index, record| expansion.push(index, record, |event| events.push(event));
    push(0, switch(100, IDLE, 1, 0));
    push(1, record(110, Kind::Log, 1, 9, 0));
    let resumed = 5u64 << 32 | 30;
    push(
        700,
        [
            resumed as u32,
            head(Kind::Lost, 0, 0),
            699,
            (resumed >> 32) as u32,
        ],
    );
    push(701, more(*b"of no record"));
    push(702, switch(30, 1, 2, 0));
    push(703, switch(50, 2, IDLE, reason::COMPLETE));
    let lost = Content::Lost { count: 699 };
    assert_eq!(
        (events[1].tick, &events[1].content),
        (Ticks(resumed), &lost)
    );
    assert_eq!((events[2].index, events[2].tick), (702, Ticks(resumed)));
    // what thread 1 ran while nobody wrote it down is not charged to it
    let Content::Complete {
        thread: 2,
        execution,
        ..
    } = events[3].content
    else {
        panic!("a completion")
    };
    assert_eq!(execution, Duration(2000));
}

#[test]
fn a_gap_on_the_line_ends_what_was_under_way() {
    let (mut expansion, mut events) = (Expansion::new(HERTZ), Vec::new());
    let mut push = |index, record| expansion.push(index, record, |event| events.push(event));
    push(0, record(10, Kind::Port, 1, 1, 2));
    push(2, more([9; 12]));
    push(3, record(20, Kind::Interrupt, 4, 0, 0));
    assert_eq!(
        events.len(),
        2,
        "twelve bytes of nobody knows what are no piece"
    );
}

#[test]
fn totals_of_a_run_are_those_of_its_records() {
    let mut records = vec![epoch(0)];
    for period in 0..100 {
        let at = period * 100_000;
        records.push(release(at, 0, members::RUN | 2, 100_000));
        records.push(switch(at + 10, IDLE, 0, 0));
        records.push(switch(at + 10_010, 0, 1, reason::COMPLETE));
        records.push(switch(at + 30_010, 1, IDLE, reason::COMPLETE));
    }
    let mut totals = Statistics::new(&names());
    for event in expand(&records) {
        totals.observe(&event);
    }
    let fast = &totals.threads[0];
    assert_eq!(
        (fast.releases, fast.completions, fast.misses),
        (100, 100, 0)
    );
    assert_eq!(
        (fast.response.least, fast.response.most),
        (1_001_000, 1_001_000)
    );
    assert_eq!((fast.execution.most, fast.deadline), (1_000_000, ms(10).0));
    assert_eq!(totals.processor(totals.now)[..2], [1_000_000, 2_000_000]);
}

#[test]
fn a_kind_of_a_later_version_is_kept_as_it_is() {
    let strange = [1, 0xFA, 3, 4];
    let last = contents(&[strange]);
    assert_eq!(last, [Content::Unknown(strange)]);
}

proptest! {
    /// Times of any length, as long as the kernel writes its epochs and stamps nothing
    /// earlier than the window allows.
    #[test]
    fn every_time_is_exact(
        start in 0u64..1 << 60,
        steps in proptest::collection::vec((0u64..1 << 33, 0u64..1 << 30), 1..60),
    ) {
        let (mut records, mut times) = (vec![epoch(start)], Vec::new());
        let (mut now, mut said) = (start, start);
        for (ahead, late) in steps {
            let end = now + ahead;
            // the kernel is entered at the latest a while after bit 31 changes
            while said >> 31 != end >> 31 {
                said = (((said >> 31) + 1) << 31) + (end & 0xFF_FFFF);
                let said = said.min(end);
                records.push(epoch(said));
                times.push(None);
            }
            now = end;
            let stamp = now.saturating_sub(late);
            records.push(record(stamp as u32, Kind::Interrupt, 1, 0, 0));
            times.push(Some(stamp));
        }
        let told: Vec<u64> = expand(&records).iter().map(|event| event.tick.0).collect();
        let expected: Vec<u64> = times.into_iter().flatten().collect();
        prop_assert_eq!(told, expected);
    }

    /// Whatever comes, it comes to an end.
    #[test]
    fn no_record_upsets_the_expansion(
        records in proptest::collection::vec(any::<[u32; 4]>(), 0..40),
        kinds in proptest::collection::vec(0u8..22, 40),
    ) {
        let known = records.iter().zip(kinds).map(|([a, b, c, d], kind)| {
            [*a, *b & !0xFF | u32::from(kind), *c, *d]
        });
        expand_from(u64::MAX - 50, &known.collect::<Vec<_>>());
    }
}

#[test]
fn records_of_a_machine_that_has_run_for_long_have_its_time_and_not_that_of_a_young_one() {
    let clock = 5 * (1u64 << 32) + 7_000_000;
    let near = Instant(clock * 100);
    let mut expansion = Expansion::from(HERTZ, near);
    let mut ticks = Vec::new();
    for later in [-1_000_000i64, 0, 20_000_000] {
        let time = clock.saturating_add_signed(later);
        let record = record(time as u32, Kind::Interrupt, 3, 0, 0);
        expansion.push(900, record, |event| {
            ticks.push(event.tick.0 as i64 - clock as i64)
        });
    }
    assert_eq!(ticks, [-1_000_000, 0, 20_000_000]);
}
