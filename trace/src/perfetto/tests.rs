use super::*;
use crate::event::Breach;
use crate::sample::*;
use giornata_abi::trace::Violation;

fn file(events: &[Event]) -> String {
    let names = names();
    let mut file = Perfetto::new(Vec::new(), &names).unwrap();
    for event in events {
        file.push(event).unwrap();
    }
    String::from_utf8(file.finish().unwrap()).unwrap()
}

fn flight() -> Vec<Event> {
    let upcall = |step| Content::Upcall {
        driver: 0,
        step,
        at: Instant(0),
        value: 0,
    };
    let breach = Breach {
        program: 0,
        violation: Some(Violation::Overrun),
        handled: true,
        at: Instant(0),
        task: Some(0),
        driver: None,
    };
    vec![
        release(0, 0, 1, 10),
        event(1, upcall(UpcallStep::Begun)),
        event(3, upcall(UpcallStep::Returned)),
        switch(4, Some(0)),
        log(5, 0, "hello", false),
        switch(6, None),
        complete(6, 0, 1),
        port_piece(0, 0, 10_000, u64::from(1.5f32.to_bits()).to_le_bytes()),
        event(20, Content::Violation(breach)),
    ]
}

#[test]
fn a_short_flight_gives_this_file() {
    let expected = include_str!("../../tests/short_flight.json");
    let written = file(&flight());
    assert_eq!(written, expected, "the file written is:\n{written}");
}

#[test]
fn every_file_is_json_and_every_event_has_its_track() {
    let file: Value = serde_json::from_str(&file(&flight())).unwrap();
    let events = file["traceEvents"].as_array().unwrap();
    for event in events {
        assert!(event["pid"].is_u64() && event["ph"].is_string(), "{event}");
        assert_eq!(event["ts"].is_number(), event["ph"] != "M", "{event}");
    }
    let slice = events
        .iter()
        .find(|e| e["name"] == "fast" && e["ph"] == "X")
        .unwrap();
    assert_eq!((&slice["ts"], &slice["dur"]), (&json!(4.0), &json!(2.0)));
}

#[test]
fn what_runs_after_its_deadline_is_a_slice_of_another_colour() {
    let late = Content::Switch {
        thread: Some(0),
        deadline: Some(Instant(10_000_000)),
        job: 1,
    };
    let events = [
        release(0, 0, 1, 10),
        event(8_000, late),
        complete(13_000, 0, 1),
        switch(14_000, None),
    ];
    let file: Value = serde_json::from_str(&file(&events)).unwrap();
    let slices = file["traceEvents"].as_array().unwrap().iter();
    let slices = slices.filter(|e| e["ph"] == "X");
    let slices: Vec<_> = slices
        .map(|e| {
            (
                e["name"].as_str().unwrap(),
                e["dur"].as_f64().unwrap(),
                e["cname"].clone(),
            )
        })
        .collect();
    let expected = [
        ("fast", 2_000.0, Value::Null),
        ("fast (late)", 3_000.0, json!(LATE_COLOUR)),
        ("fast", 1_000.0, Value::Null),
    ];
    assert_eq!(slices, expected);
}

#[test]
fn a_struct_is_a_counter_for_each_of_its_fields() {
    let mut names = names();
    let field = |name: &str, offset| giornata_system::names::FieldName {
        name: name.into(),
        offset,
        value_type: giornata_abi::ValueType::U16 as u8,
    };
    names.ports[0].value_type = giornata_abi::ValueType::Opaque as u8;
    names.ports[0].fields = vec![field("high", 0), field("low", 2)];
    let mut file = Perfetto::new(Vec::new(), &names).unwrap();
    file.push(&port_piece(0, 0, 0, [7, 0, 9, 0, 0, 0, 0, 0]))
        .unwrap();
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    for part in [r#""name":"port servo.high""#, r#""name":"port servo.low""#] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.contains(r#""args":{"value":9.0}"#), "{text}");
}

#[test]
fn a_value_that_is_no_number_becomes_an_instant() {
    let nan = u64::from(f32::NAN.to_bits()).to_le_bytes();
    let text = file(&[port_piece(0, 0, 0, nan)]);
    assert!(
        text.contains(r#""value":"NaN""#) && !text.contains(r#""ph":"C""#),
        "{text}"
    );
}
