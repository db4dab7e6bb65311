use super::*;
use crate::sample::*;
use giornata_abi::trace::Violation;

fn narrate(events: &[Event], by_second: bool) -> Vec<String> {
    let names = names();
    let mut totals = Statistics::new(&names);
    let mut narrator = Narrator::new(&names, by_second);
    let mut lines = Vec::new();
    for event in events {
        narrator.tell(event, &totals, |line| lines.push(line));
        totals.observe(event);
    }
    narrator.end(|line| lines.push(line));
    lines
}

#[test]
fn a_violation_names_task_driver_and_logical_instant() {
    let breach = Breach {
        program: 0,
        violation: Some(Violation::TimeSafety),
        handled: false,
        at: Instant(20_000_000),
        task: Some(0),
        driver: Some(0),
    };
    let lines = narrate(&[event(20_001, Content::Violation(breach))], false);
    assert_eq!(
        lines,
        [
            "   0.020 s  violation time-safety: task fast, driver write_servo, program flight, \
          logical instant 20.000 ms, not handled"
        ]
    );
}

#[test]
fn what_goes_wrong_again_is_counted_at_the_end() {
    let breach = |micros, driver| {
        let breach = Breach {
            program: 0,
            violation: Some(Violation::TimeSafety),
            handled: false,
            at: Instant(micros * 1000),
            task: Some(0),
            driver,
        };
        event(micros, Content::Violation(breach))
    };
    let late = |micros| [breach(micros, Some(0)), breach(micros, None)];
    let lines = narrate(&[late(20_000), late(40_000), late(60_000)].concat(), false);
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(
        lines[0].ends_with(
            "driver write_servo, program flight, logical instant 20.000 ms, not handled"
        )
    );
    assert_eq!(
        lines[1],
        "   0.060 s  and 2 more violations time-safety of task fast, not handled"
    );
}

#[test]
fn a_second_ends_with_what_happened_before_its_end() {
    let events = [
        switch(0, Some(0)),
        release(0, 0, 1, 10),
        complete(2_000, 0, 1),
        switch(500_000, None),
        switch(1_000_000, Some(1)),
        release(1_000, 1, 1, 20),
    ];
    let lines = narrate(&events, true);
    assert_eq!(
        lines,
        ["   1.000 s  releases 1 | missed 0 | violations 0 | load 50.00 %"]
    );
}

#[test]
fn silent_seconds_are_told_too() {
    let lines = narrate(&[switch(3_500_000, None)], true);
    let seconds: Vec<&str> = lines
        .iter()
        .filter(|l| l.contains("releases"))
        .map(|l| l[..10].trim())
        .collect();
    assert_eq!(seconds, ["1.000 s", "2.000 s", "3.000 s"]);
}

#[test]
fn of_a_trace_that_begins_later_the_seconds_before_are_not_told() {
    let late = |mut event: Event| {
        event.index = 99;
        event
    };
    let events = [
        late(switch(500_250_000, None)),
        late(switch(500_500_000, Some(0))),
        late(switch(501_000_000, None)),
    ];
    let load = "  releases 0 | missed 0 | violations 0 | load 66.67 %";
    assert_eq!(narrate(&events, true), [format!(" 501.000 s{load}")]);
}

#[test]
fn text_of_a_process_stands_under_its_name() {
    let lines = narrate(&[log(480_000, 1, "hover 9.8 m", false)], false);
    assert_eq!(lines, ["   0.480 s  io: hover 9.8 m"]);
}

#[test]
fn the_closing_line_says_it_all() {
    let names = names();
    let mut totals = Statistics::new(&names);
    totals.observe(&release(0, 0, 1, 10));
    let stop = Content::Stop { status: 0 };
    totals.observe(&event(10_000_000, stop));
    assert_eq!(
        closing("flight-control", "ok", &totals),
        "flight-control: ok | virtual 10.000 s | releases 1 | missed 0 | violations 0"
    );
}

#[test]
fn the_summary_shows_the_worst_response_of_tasks_and_the_load_of_all() {
    let names = names();
    let mut totals = Statistics::new(&names);
    for event in [
        switch(0, Some(0)),
        release(0, 0, 1, 10),
        complete(2_000, 0, 1),
        switch(2_000, Some(2)),
        switch(8_000, None),
    ] {
        totals.observe(&event);
    }
    let expected = [
        "            thread  process  released  missed     worst   deadline  load %",
        "            fast    control         1       0  2.000 ms  10.000 ms   25.00",
        "            slow    io              0       0  0.000 ms          -    0.00",
        "            upcall  io              -       -         -          -   75.00",
    ];
    assert_eq!(summary(&names, &totals)[..4], expected);
}

#[test]
fn the_summary_shows_lag_and_last_value_of_ports() {
    let names = names();
    let mut totals = Statistics::new(&names);
    totals.observe(&port_piece(
        0,
        0,
        20_000_000,
        u64::from(0.25f32.to_bits()).to_le_bytes(),
    ));
    let lines = summary(&names, &totals);
    assert_eq!(
        lines[4],
        "            port   kind      writes  lag in ticks  last value"
    );
    assert_eq!(
        lines[5],
        "            servo  actuator       1        12..12  0.2500"
    );
}
