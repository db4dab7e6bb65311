use super::*;
use crate::sample::*;
use giornata_system::names::ThreadRole;

const END: u64 = 100;

fn names_expecting(expect: &[&str]) -> NameMap {
    let mut names = names();
    names.threads[0].budget = 2_000_000;
    names.expect = expect.iter().map(ToString::to_string).collect();
    names
}

fn judge(names: &NameMap, events: &[Event]) -> Judgement {
    judge_to(names, events, 0, true)
}

fn judge_to(names: &NameMap, events: &[Event], status: i32, is_whole: bool) -> Judgement {
    let mut judge = Judge::new(names);
    events.iter().for_each(|event| judge.observe(event));
    judge.conclude(Ticks(END * 10_000), status, is_whole, (None, None))
}

fn breach(
    micros: u64,
    violation: Violation,
    task: Option<u16>,
    driver: Option<u16>,
    at_ms: u64,
) -> Event {
    let breach = Breach {
        program: 0,
        violation: Some(violation),
        handled: violation == Violation::Overrun,
        at: Instant(at_ms * 1_000_000),
        task,
        driver,
    };
    event(micros, Content::Violation(breach))
}

fn fault(micros: u64, process: u16, cause: FaultCause, pc: u64) -> Event {
    let content = Content::Fault {
        process,
        cause: Some(cause),
        code: cause as u32,
        length: 0,
        pc,
        address: 0,
    };
    event(micros, content)
}

fn turn(micros: u64, process: u16, restarted: bool) -> Event {
    let content = Content::Process {
        process,
        restarted,
        generation: 1,
    };
    event(micros, content)
}

/// A job of `fast` every 20 ms that is met by two drivers and its release at 10 ms and
/// stopped at 12 ms, twice.
fn long_jobs() -> Vec<Event> {
    let job = |number: u32| {
        let (ms, us) = (20 * u64::from(number), 20_000 * u64::from(number));
        [
            release(ms, 0, number, 10),
            switch(us, Some(0)),
            breach(
                us + 10_000,
                Violation::TimeSafety,
                Some(0),
                Some(0),
                ms + 10,
            ),
            breach(us + 10_001, Violation::TimeSafety, Some(0), None, ms + 10),
            breach(us + 12_000, Violation::Overrun, Some(0), None, ms + 12),
            switch(us + 12_000, None),
        ]
    };
    [job(1), job(2)].concat()
}

/// A release at an instant that the kernel comes to later, in microseconds.
fn late_release(micros: u64, at_ms: u64, thread: u16) -> Event {
    let mut event = release(at_ms, thread, 1, 10);
    event.tick = Ticks(micros * 10);
    event
}

#[test]
fn an_instant_beyond_the_bound_is_late_and_told_with_who_had_the_processor() {
    let events = [
        switch(0, Some(2)),
        late_release(10_900, 10, 0),
        switch(10_900, Some(0)),
        switch(11_000, Some(2)),
        late_release(25_000, 20, 0),
        late_release(25_000, 20, 0),
        switch(25_000, Some(0)),
        complete(26_000, 0, 1),
        switch(26_000, None),
    ];
    let mut names = names_expecting(&[]);
    names.threads[0].program = Some(0);
    names.threads[2].role = ThreadRole::Thread;
    let judgement = judge(&names, &events);
    assert_eq!(judgement.unexpected, ["late:flight by upcall"]);
    let [reason] = &judgement.reasons[..] else {
        panic!("{:?}", judgement.reasons);
    };
    let told = "program flight was late at one instant (worst 5.000 ms, first at 0.025 s)";
    assert!(reason.starts_with(told), "{reason}");
    assert!(reason.contains("upcall had the processor"), "{reason}");
    names.expect = vec!["late:5ms".into()];
    assert_eq!(judge(&names, &events).unexpected, [""; 0]);
    assert_eq!(judge(&names, &events).unmet, [""; 0]);
    names.expect = vec!["late:800us".into()];
    let strict = judge(&names, &events);
    assert!(
        strict.reasons[0].contains("late at 2 instants"),
        "{:?}",
        strict.reasons
    );
    names.expect = vec!["late:flight".into()];
    assert_eq!(judge(&names, &events).unexpected, [""; 0]);
    assert_eq!(judge(&names, &[]).unmet, ["late:flight"]);
}

#[test]
fn a_run_without_trouble_has_no_findings() {
    let events = [
        release(0, 0, 1, 10),
        switch(0, Some(0)),
        complete(2_000, 0, 1),
        switch(2_000, None),
    ];
    assert_eq!(judge(&names_expecting(&[]), &events), Judgement::default());
}

#[test]
fn a_cause_is_one_line_with_count_budget_and_mend_however_often_it_comes() {
    let judgement = judge(&names_expecting(&[]), &long_jobs());
    assert_eq!(judgement.unexpected, ["time-safety:fast", "overrun:fast"]);
    assert_eq!(
        judgement.reasons,
        [
            "fast had not completed at its deadline of 10 ms 2 times (worst response 12.000 ms, \
             first at 0.030 s): shorten its work, or that of what is more urgent, or lengthen \
             its period",
            "fast overran its budget of 2 ms 2 times (worst 12.000 ms, first at 0.032 s): raise \
             `budget` of task `fast` in [process.control], or shorten its work; the program's \
             handler ran",
        ]
    );
}

#[test]
fn what_was_expected_is_no_trouble_by_name_or_for_any() {
    for expect in [
        ["time-safety:fast", "overrun:fast"],
        ["time-safety", "overrun"],
    ] {
        let judgement = judge(&names_expecting(&expect), &long_jobs());
        assert_eq!(judgement.unexpected, [] as [&str; 0]);
        assert_eq!(judgement.unmet, [] as [&str; 0]);
        let expected = [("time-safety:fast".into(), 2), ("overrun:fast".into(), 2)];
        assert_eq!(judgement.expected, expected);
    }
    let other = judge(&names_expecting(&["overrun:slow"]), &long_jobs());
    assert_eq!(other.unexpected.len(), 2, "of another task");
}

#[test]
fn what_was_expected_and_stays_away_is_unmet_unless_the_trace_has_gaps() {
    let names = names_expecting(&["restart:io", "overrun"]);
    assert_eq!(judge(&names, &[]).unmet, ["restart:io", "overrun"]);
    assert_eq!(judge_to(&names, &[], 0, false), Judgement::default());
}

#[test]
fn a_fault_is_one_finding_with_all_that_follows_from_it() {
    let events = [
        fault(1_000, 1, FaultCause::Store, 0x1000),
        breach(1_001, Violation::Fault, Some(1), None, 1),
        turn(1_100, 1, true),
        fault(2_000, 1, FaultCause::Store, 0x1000),
        turn(2_100, 1, true),
        fault(3_000, 1, FaultCause::Illegal, 0x2000),
        turn(3_100, 1, true),
    ];
    let judgement = judge(&names_expecting(&[]), &events);
    assert_eq!(judgement.unexpected, ["fault:io"]);
    assert_eq!(
        judgement.reasons,
        [
            "process io faulted 2 times (first at 0.001 s): null pointer: store to 0x0, at pc \
             0x1000; restarted 2 times; 1 job or driver was skipped",
            "process io faulted once (first at 0.003 s): illegal or privileged instruction, \
             at pc 0x2000; restarted once",
        ]
    );
    let names = names_expecting(&["fault:io", "restart:io"]);
    let judgement = judge(&names, &events);
    assert_eq!((judgement.unexpected.len(), judgement.unmet.len()), (0, 0));
    assert_eq!(judgement.expected, [("fault:io".into(), 3)]);
}

#[test]
fn a_process_that_is_to_come_back_and_stays_away_is_unmet() {
    let events = [
        fault(1_000, 1, FaultCause::Panic, 0x1000),
        turn(1_100, 1, false),
    ];
    let judgement = judge(&names_expecting(&["panic:io", "restart:io"]), &events);
    assert_eq!(judgement.unmet, ["restart:io"]);
}

#[test]
fn a_process_that_its_supervisor_starts_is_no_trouble_and_one_that_it_ends_is() {
    let names = names_expecting(&[]);
    assert_eq!(judge(&names, &[turn(1_000, 1, true)]), Judgement::default());
    let events = [
        fault(1_000, 1, FaultCause::Killed, 0),
        turn(1_100, 1, false),
        turn(1_200, 1, true),
    ];
    let judgement = judge(&names, &events);
    assert_eq!(judgement.unexpected, ["stop:io"]);
    let reason = "process io was ended by its supervisor once (first at 0.001 s); restarted once";
    assert_eq!(judgement.reasons, [reason]);
}

#[test]
fn a_job_that_is_late_and_met_by_nobody_missed_its_deadline() {
    let miss = |micros, job| {
        let deadline = Instant(10_000_000);
        event(
            micros,
            Content::Miss {
                thread: 0,
                job,
                deadline,
            },
        )
    };
    let events = [
        release(0, 0, 1, 10),
        complete(11_000, 0, 1),
        miss(11_000, 1),
    ];
    let judgement = judge(&names_expecting(&[]), &events);
    assert_eq!(judgement.unexpected, ["miss:fast"]);
    assert!(
        judgement.reasons[0].contains("after its deadline of 10 ms once (worst response 11.000 ms"),
        "{:?}",
        judgement.reasons
    );
    let met = breach(10_000, Violation::TimeSafety, Some(0), Some(0), 10);
    let events = [
        release(0, 0, 1, 10),
        met,
        complete(11_000, 0, 1),
        miss(11_000, 1),
    ];
    let judgement = judge(&names_expecting(&[]), &events);
    assert_eq!(judgement.unexpected, ["time-safety:fast"], "one cause");
    assert!(judgement.reasons[0].contains("worst response 11.000 ms"));
}

#[test]
fn a_driver_that_overruns_is_named_with_its_process() {
    let overran = breach(1_000, Violation::Overrun, None, Some(0), 1);
    let judgement = judge(&names_expecting(&[]), &[overran]);
    assert_eq!(judgement.unexpected, ["overrun:write_servo"]);
    assert!(
        judgement.reasons[0].starts_with(
            "driver write_servo overran its budget of 20 us once (first at 0.001 s): raise \
             `budget` of driver `write_servo` in [process.io]"
        ),
        "{:?}",
        judgement.reasons
    );
}

#[test]
fn an_exit_status_is_a_finding_unless_a_process_that_faults_halts_the_machine() {
    let mut names = names_expecting(&[]);
    let judgement = judge_to(&names, &[], 3, true);
    assert_eq!(judgement.unexpected, ["status:3"]);
    names.expect = vec!["status:3".into()];
    assert!(judge_to(&names, &[], 3, true).unexpected.is_empty());
    names.processes[1].on_fault = "halt".into();
    names.expect = vec!["panic:io".into()];
    let events = [
        fault(1_000, 1, FaultCause::Panic, 0x1000),
        turn(1_100, 1, false),
    ];
    let judgement = judge_to(&names, &events, 1, true);
    assert_eq!(judgement.unexpected, [] as [&str; 0]);
}

#[test]
fn a_task_that_never_gets_the_processor_is_named_with_who_had_it() {
    let mut names = names_expecting(&[]);
    names.threads[1].policy = "fifo".into();
    names.threads[1].priority = 250;
    let events = [
        event(
            0,
            Content::Boot {
                hertz: 10_000_000,
                capacity: 0,
                tables: 0,
            },
        ),
        release(0, 1, 1, 20),
        release(0, 0, 1, 10),
        switch(0, Some(1)),
    ];
    let judgement = judge(&names, &events);
    assert_eq!(judgement.unexpected, ["never-run:fast by slow"]);
    assert_eq!(
        judgement.reasons,
        [
            "task fast never ran, and was ready from 0.000 s on: slow had the processor instead; \
             let that wait between its work, or lower its priority"
        ]
    );
}
