//! Diagnostics as a terminal shows them.

use giornata_lang::giotto::check;
use miette::{GraphicalReportHandler, GraphicalTheme};

/// Everything the compiler says, without colour, 90 columns wide.
fn report(source: &str) -> String {
    let handler =
        GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(90);
    let mut shown = String::new();
    for diagnostic in check("examples/flight.giotto", source) {
        handler.render_report(&mut shown, &diagnostic).unwrap();
        shown.push('\n');
    }
    shown
}

#[test]
fn an_error_shows_its_lines_its_reason_and_its_mend() {
    insta::assert_snapshot!(report(
        "sensor f64 alt uses read_alt;
output f64 cmd := zero;
task control(f32 z) output (cmd) state () { schedule control_task(z, cmd) }
driver sense(alt) output (f64 z) { if constant_true() then copy_f64(alt, z) }
start hover {
  mode hover() period 20 { taskfreq 3 do control(sense); }
}
"
    ));
}

#[test]
fn a_warning_shows_both_places() {
    insta::assert_snapshot!(report(
        "actuator f64 servo uses put;
output f64 cmd := zero;
task control() output (cmd) state () [colour red] { schedule control_task(cmd) }
driver none() output () { if true() then dummy() }
driver act(cmd) output (f64 v) { if true() then copy(cmd, v) }
start hover {
  mode hover() period 20 {
    actfreq 1 do servo(act);
    actfreq 2 do servo(act);
    taskfreq 3 do control(none);
  }
}
"
    ));
}

#[test]
fn a_broken_program_is_read_to_its_end() {
    insta::assert_snapshot!(report(
        "sensor f64 alt read_alt;
task control(f64 z) { schedule control_task(z) }
driver sense(alt) output (f64 z) { if constant_true() then copy_f64(alt z) }
start hover {
  mode hover() period { taskfreq 3 do control(sense); }
"
    ));
}

#[test]
fn a_diagnostic_knows_its_line_and_column_in_characters() {
    let found = check(
        "x.giotto",
        "sensor f64 a uses b;\n/* § */ output x;\nstart m { mode m() period 1 {} }",
    );
    let error = &found[0];
    assert_eq!(error.position(), (2, 17));
    assert_eq!(error.source_line(), "/* § */ output x;");
    assert_eq!(error.source_name(), "x.giotto");
}

#[test]
fn an_error_in_a_line_of_any_length_is_shown_with_its_place() {
    let shown = report(&format!("{} start 7 {0}", " ".repeat(70_000)));
    assert!(shown.contains(":1:70008]"), "{shown}");
    assert!(shown.contains("start 7") && shown.len() < 2000, "{shown}");
}
