//! The ground station: a logger that may be late without hurting anybody.

#![no_std]

use flight_control_airframe::port::{CRUISE, LAND, Report};
use flight_control_airframe::vector::length;
use giornata_rt::{driver, log, process, task};

/// Reports between two lines of the log.
const LINE: u32 = 10;

/// What the logger remembers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Journal {
    reports: u32,
    worst_tilt: f32,
    worst_error: f32,
}

/// Summary of a report; a line of the log once a second.
#[task]
pub fn logger(
    report: &Report,
    altitude: &mut f32,
    speed: &mut f32,
    tilt: &mut f32,
    error: &mut f32,
    #[state(Journal::default)] journal: &mut Journal,
) {
    *altitude = report.position[2];
    *speed = length(report.velocity);
    *tilt = report.tilt;
    *error = report.error;
    journal.worst_tilt = larger(journal.worst_tilt, report.tilt);
    if journal.reports > 0 {
        // nobody had told the first report where we are
        journal.worst_error = larger(journal.worst_error, report.error);
    }
    if journal.reports.is_multiple_of(LINE) {
        write_line(report, journal);
    }
    journal.reports = journal.reports.wrapping_add(1);
}

fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Whole numbers only: formatting floats costs more code than the logger has.
fn write_line(report: &Report, journal: &Journal) {
    let phase = match report.phase {
        CRUISE => "cruise",
        LAND => "land",
        _ => "hover",
    };
    log!(
        "{phase} {} cm up, {} cm/s, worst tilt {} mrad, worst error {} cm",
        (report.position[2] * 100.0) as i32,
        (length(report.velocity) * 100.0) as i32,
        (journal.worst_tilt * 1000.0) as i32,
        (journal.worst_error * 100.0) as i32,
    );
}

/// Guard: the world has moved.
#[driver]
pub fn has_moved(report: &Report) -> bool {
    report.step > 0
}

/// Initial value of every summary.
#[driver]
pub fn nothing_yet(value: &mut f32) {
    *value = 0.0;
}

process! {
    tasks: [logger],
    drivers: [has_moved, nothing_yet],
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use giornata_rt::abi::call::{Answer, Call};
    use std::cell::Cell;
    use std::rc::Rc;

    /// Reports so often; answers the summary and how many texts were logged.
    fn watch(reports: &[Report]) -> ([f32; 4], u32) {
        let texts = Rc::new(Cell::new(0));
        let count = texts.clone();
        giornata_rt::host::set_hook(move |request| {
            assert_eq!(request.number, Call::Log as usize);
            let ends = request.arguments[0] & giornata_rt::log::CONTINUES == 0;
            count.set(count.get() + u32::from(ends));
            Answer::DONE
        });
        let (mut journal, mut summary) = (Journal::default(), [0.0; 4]);
        for report in reports {
            let [a, b, c, d] = &mut summary;
            logger(report, a, b, c, d, &mut journal);
        }
        giornata_rt::host::clear_hook();
        (summary, texts.get())
    }

    #[test]
    fn the_summary_is_that_of_the_last_report() {
        let report = Report {
            position: [1.0, 2.0, 7.0],
            velocity: [3.0, 4.0, 0.0],
            tilt: 0.25,
            error: 0.5,
            ..Report::default()
        };
        assert_eq!(watch(&[Report::default(), report]).0, [7.0, 5.0, 0.25, 0.5]);
    }

    #[test]
    fn ten_reports_make_one_line() {
        assert_eq!(watch(&[Report::default(); 30]).1, 3);
        assert_eq!(watch(&[Report::default(); 31]).1, 4);
    }

    #[test]
    fn a_world_at_its_first_step_has_not_moved() {
        assert!(!has_moved(&Report::default()));
        assert!(has_moved(&Report {
            step: 1,
            ..Report::default()
        }));
    }
}
