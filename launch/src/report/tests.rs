use std::path::Path;

use giornata_abi::trace::{FaultCause, Violation};
use giornata_abi::{Duration, Instant, Ticks};
use giornata_system::names::{ThreadRole, name_map};
use giornata_trace::{
    Breach, Content, Damage, Event, Judge, Piece, ProcessStanding, Standing, State, ThreadStanding,
};
use serde_json::Value;

use super::*;
use crate::home::root;

/// The names of an example with tasks, drivers and ports.
fn names() -> NameMap {
    let system = root().join("examples/flight-control/system.toml");
    let model = giornata_system::check(Path::new(&system), root()).expect("an example is good");
    let mut names = name_map(&model, &[]);
    names.expect = vec!["overrun".into(), "restart".into()];
    names
}

/// A run in which all goes wrong of which there is something to tell.
fn landing(names: &NameMap) -> Landing {
    let hertz = u64::from(names.timer_hertz);
    let tick = |millis: u64| Ticks(millis * hertz / 1000);
    let event = |millis, content| Event {
        index: 1 + millis,
        tick: tick(millis),
        hart: 0,
        content,
    };
    let tasks = (0u16..).zip(&names.threads);
    let task = tasks.clone().find(|(_, t)| t.role == ThreadRole::Task);
    let task = task.expect("it has tasks").0;
    let at = Instant(10_000_000);
    let breach = |violation| {
        Content::Violation(Breach {
            program: 0,
            violation: Some(violation),
            handled: false,
            at,
            task: Some(task),
            driver: None,
        })
    };
    let port = names.ports.iter().position(|port| port.traced);
    let port = port.expect("some are traced") as u16;
    let fault = Content::Fault {
        process: 1,
        cause: Some(FaultCause::Store),
        code: FaultCause::Store as u32,
        length: 0,
        pc: 0x1000,
        address: 0,
    };
    let mut text = [0; 16];
    text[..5].copy_from_slice(b"pilot");
    let events = [
        event(0, Content::Name { thread: task, text }),
        event(
            10,
            Content::Release {
                thread: task,
                job: 1,
                at,
                deadline: Some(Instant(20_000_000)),
            },
        ),
        event(
            11,
            Content::Switch {
                thread: Some(task),
                deadline: None,
                job: 1,
            },
        ),
        event(
            12,
            Content::Port {
                port,
                offset: 0,
                at,
                piece: Piece::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
            },
        ),
        event(13, breach(Violation::TimeSafety)),
        event(14, breach(Violation::Overrun)),
        event(
            30,
            Content::Complete {
                thread: task,
                job: 1,
                at: Instant(30_000_000),
                execution: Duration(19_000_000),
            },
        ),
        event(
            30,
            Content::Miss {
                thread: task,
                job: 1,
                deadline: Instant(20_000_000),
            },
        ),
        event(31, fault),
        event(
            32,
            Content::Process {
                process: 1,
                restarted: false,
                generation: 0,
            },
        ),
        event(40, Content::Stop { status: 3 }),
    ];
    let mut totals = Statistics::new(names);
    let mut judge = Judge::new(names);
    for event in &events {
        totals.observe(event);
        judge.observe(event);
    }
    let states = [State::Running, State::Ready, State::Sleeps, State::Dead];
    let standing = Standing {
        threads: (0..names.threads.len())
            .map(|index| {
                let mut thread = ThreadStanding::default();
                thread.state = states[index % states.len()];
                thread.stack_used = (index % 2 == 0).then_some(64);
                thread.restarts = index as u32;
                thread.violations = 2;
                thread
            })
            .collect(),
        owners: vec![None; names.objects.len()],
        processes: vec![ProcessStanding::default(); names.processes.len()],
    };
    Landing {
        totals,
        judge,
        damage: Damage {
            lost: 5,
            ..Damage::default()
        },
        status: 3,
        standing: Some(standing),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// `12.000 ms`, as tables round it.
fn millis(nanos: &Value) -> String {
    match nanos.as_u64() {
        None => "-".into(),
        Some(nanos) => format!(
            "{}.{:03} ms",
            nanos.div_ceil(1000) / 1000,
            nanos.div_ceil(1000) % 1000
        ),
    }
}

fn seconds(nanos: &Value) -> String {
    match nanos.as_u64() {
        None => "-".into(),
        Some(nanos) => format!(
            "{}.{:03} s",
            nanos / 1_000_000_000,
            nanos / 1_000_000 % 1000
        ),
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(String::from).collect()
}

fn rows<'a>(json: &'a Value, key: &str) -> &'a Vec<Value> {
    json[key].as_array().expect("rows")
}

/// What people read, made of the JSON alone: line by line, in words.
fn lines_of(json: &Value) -> Vec<Vec<String>> {
    let mut lines = vec![words(
        "thread process released missed worst deadline load %",
    )];
    for row in rows(json, "threads") {
        let called = match row.get("called") {
            Some(called) => format!("({})", text(called)),
            None => String::new(),
        };
        lines.push(words(&format!(
            "{} {called} {} {} {} {} {} {}",
            text(&row["thread"]),
            text(&row["process"]),
            text(&row["released"]),
            text(&row["missed"]),
            millis(&row["worst_ns"]),
            millis(&row["deadline_ns"]),
            text(&row["load_percent"]),
        )));
    }
    lines.push(words("port kind writes lag in ticks last value"));
    for row in rows(json, "ports") {
        lines.push(words(&format!(
            "{} {} {} {}..{} {}",
            text(&row["port"]),
            text(&row["kind"]),
            text(&row["writes"]),
            row["lag_ticks"][0],
            row["lag_ticks"][1],
            text(&row["last_value"]),
        )));
    }
    let system = text(&json["system"]);
    for reason in rows(json, "reasons") {
        lines.push(words(&format!("{system}: {}", text(reason))));
    }
    lines.push(words(
        "thread state for since stack restarts violations where",
    ));
    for row in rows(json, "states") {
        lines.push(words(&format!(
            "{} {} {} {} {}/{} {} {} {}",
            text(&row["thread"]),
            text(&row["state"]),
            text(&row["for"]),
            seconds(&row["since_ns"]),
            text(&row["stack_used"]),
            row["stack"],
            row["restarts"],
            row["violations"],
            text(&row["where"]),
        )));
    }
    lines.push(words(&format!(
        "{system}: {} | virtual {} | releases {} | missed {} | violations {}",
        text(&json["result"]),
        seconds(&json["virtual_ns"]),
        json["releases"],
        json["missed"],
        json["violations"],
    )));
    lines
}

#[test]
fn whatever_is_said_to_people_is_in_the_json_field_by_field() {
    let names = names();
    let landing = landing(&names);
    let report = RunReport::of(("flight", &names, &Symbols::default()), &landing, true);
    let json = serde_json::to_value(&report).expect("a report is JSON");
    let said = report.tables().into_iter().chain(report.last_words());
    let said: Vec<Vec<String>> = said.map(|line| words(&line)).collect();
    assert_eq!(said, lines_of(&json));
    // and each cause has its fields beside its line
    let findings = rows(&json, "findings");
    let kinds: Vec<String> = findings.iter().map(|found| text(&found["kind"])).collect();
    assert_eq!(kinds, ["late", "time-safety", "overrun", "fault", "status"]);
    for found in findings {
        let is_expected = found["expected"].as_bool() == Some(true);
        assert_eq!(is_expected, found["kind"] == "overrun");
        let told = rows(&json, "reasons").contains(&found["text"]);
        assert_eq!(told, !is_expected, "{found}");
        let title = format!("{}:{}", text(&found["kind"]), text(&found["name"]));
        assert_eq!(text(&json["result"]).contains(&title), !is_expected);
        assert_eq!(found["count"], 1);
    }
    assert_eq!(text(&findings[3]["first_ns"]), "31000000");
    assert_eq!(json["expected"][0][1], 1);
    assert_eq!(json["processes"][1]["faults"], 1);
    assert_eq!((&json["lost"], &json["status"]), (&5.into(), &3.into()));
    assert_eq!(
        json["threads"].as_array().map(Vec::len),
        Some(names.threads.len())
    );
}

#[test]
fn a_run_that_is_broken_off_has_its_totals() {
    let names = names();
    let landing = landing(&names);
    let report = RunReport::interrupted("flight", &names, &landing.totals);
    let json = serde_json::to_value(&report).expect("a report is JSON");
    assert_eq!(
        (&json["result"], &json["status"]),
        (&"interrupted".into(), &Value::Null)
    );
    assert_eq!(report.last_words(), [text(&json["closing"])]);
    assert_eq!(json["releases"], 1);
}
