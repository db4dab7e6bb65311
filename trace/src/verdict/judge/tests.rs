use giornata_system::restart::RestartRule;

use super::*;
use crate::sample::*;
use crate::standing::ProcessStanding;
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

#[test]
fn who_did_not_run_before_a_thread_stopped_the_machine_is_fine_unless_another_was_in_its_way() {
    let names = |stop_at| {
        let mut names = names_expecting(&[]);
        names.stop_at = stop_at;
        for (thread, priority) in [(0, 10), (1, 50), (2, 90)] {
            let thread = &mut names.threads[thread];
            thread.role = giornata_system::names::ThreadRole::Thread;
            (thread.policy, thread.priority) = ("fifo".into(), priority);
            (thread.autostart, thread.deadline) = (true, 0);
        }
        names
    };
    let boot = Content::Boot {
        hertz: 10_000_000,
        capacity: 0,
        tables: 0,
    };
    let stop = |status| event(END * 1000, Content::Stop { status });
    // thread 1 computes from the start on, and then, or after thread 2 has run, is the end
    let computes = [event(0, boot), switch(0, Some(2)), switch(10, Some(1))];
    let judge = |names: &NameMap, others: &[Event], status| {
        let events = [&computes, others, &[stop(status)]].concat();
        judge_to(names, &events, status.into(), true).unexpected
    };
    let mut names = names(0);
    assert!(judge(&names, &[], 0).is_empty());
    assert_eq!(
        judge(&names, &[], 2),
        ["never-run:fast by slow", "status:2"]
    );
    let finishes = [switch(END * 1000 - 1, Some(2))];
    let by_another = judge(&names, &finishes, 0);
    assert_eq!(by_another, ["never-run:fast by slow"]);
    names.processes[0].reads_trace = true;
    assert!(
        judge(&names, &finishes, 0).is_empty(),
        "the kernel sends it"
    );
    names.stop_at = END * 1_000_000;
    let at_the_end = judge(&names, &[], 0);
    assert_eq!(at_the_end, ["never-run:fast by slow"]);
}

#[test]
fn ends_that_the_trace_has_lost_are_those_that_the_kernel_counted_and_kept() {
    let names = names_expecting(&[]);
    let first = Fault {
        tick: Ticks(7_000),
        process: 1,
        cause: Some(FaultCause::Store),
        code: FaultCause::Store as u32,
        pc: 0x1000,
        ..Fault::default()
    };
    let judge = |ends, restarts, is_whole: bool| {
        let mut judge = Judge::new(&names);
        for event in [
            fault(90_000, 1, FaultCause::Illegal, 0x2000),
            turn(90_100, 1, true),
        ] {
            judge.observe(&event);
        }
        let own = ProcessStanding {
            ends,
            restarts,
            first: Some(first.clone()),
        };
        let standing = Standing {
            processes: vec![ProcessStanding::default(), own],
            ..Standing::default()
        };
        let known = (None, Some(&standing));
        judge
            .conclude(Ticks(END * 10_000), 0, is_whole, known)
            .reasons
    };
    let known = "process io faulted once (first at 0.090 s): illegal or privileged instruction, at \
                 pc 0x2000; restarted once";
    assert_eq!(judge(1, 1, true), [known], "nothing is lost");
    let lost = "process io faulted 99 times (first at 0.000 s): null pointer: store to 0x0, at pc \
                0x1000; restarted 98 times";
    assert_eq!(judge(100, 99, false), [known, lost]);
}

#[test]
fn a_process_that_used_its_restarts_up_says_what_its_rule_is() {
    let rule = |halts| RestartRule {
        most: 2,
        halts,
        ..RestartRule::default()
    };
    let events: Vec<Event> = (0..3)
        .flat_map(|n| {
            let at = 1_000 * (n + 1);
            [
                fault(at, 1, FaultCause::Store, 0x1000),
                turn(at + 100, 1, n != 2),
            ]
        })
        .collect();
    for (halts, end) in [
        (false, "it stayed stopped"),
        (true, "the machine was halted"),
    ] {
        let mut names = names_expecting(&["fault:io"]);
        names.processes[1].restart = Some(rule(halts));
        let status = i32::from(halts);
        assert_eq!(judge_to(&names, &events, status, true).unexpected.len(), 0);
        names.expect.clear();
        let said = judge_to(&names, &events, status, true).reasons;
        let expected = format!(
            "process io faulted 3 times (first at 0.001 s): null pointer: store to 0x0, at pc \
             0x1000; restarted 2 times, then {end}: `restart` of [process.io] allows 2 in 10 s"
        );
        assert_eq!(said, [expected]);
    }
}

#[test]
fn a_process_that_was_killed_says_which_of_its_threads_was_where() {
    let registers = Content::Registers {
        thread: 1,
        sp: 0x4000,
        ra: 0,
    };
    let events = [
        event(1_000, registers),
        fault(1_000, 1, FaultCause::Killed, 0x1000),
        turn(1_100, 1, true),
    ];
    let said = judge(&names_expecting(&[]), &events).reasons;
    let expected = "process io was ended by its supervisor once (first at 0.001 s): thread slow, at \
                    pc 0x1000; restarted once";
    assert_eq!(said, [expected]);
}

#[test]
fn a_priority_that_was_changed_counts_for_who_starves() {
    let mut names = names_expecting(&[]);
    for (thread, priority) in [(0, 50), (1, 10)] {
        let thread = &mut names.threads[thread];
        thread.role = giornata_system::names::ThreadRole::Thread;
        (thread.policy, thread.priority) = ("fifo".into(), priority);
    }
    let priority = |thread, priority| {
        let (by, policy) = (0, None);
        let content = Content::Priority {
            thread,
            priority,
            by,
            policy,
        };
        event(5_000, content)
    };
    let runs = [switch(0, Some(1)), switch(10_000, Some(0))];
    assert_eq!(judge(&names, &runs).unexpected, ["starved:slow by fast"]);
    let calms = [&runs[..], &[priority(0, 5)]].concat();
    assert_eq!(judge(&names, &calms).unexpected, [] as [&str; 0]);
}
