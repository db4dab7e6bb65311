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
    journal.worst_error = larger(journal.worst_error, report.error);
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

/// Initial value of every summary.
#[driver]
pub fn nothing_yet(value: &mut f32) {
    *value = 0.0;
}

process! {
    tasks: [logger],
    drivers: [nothing_yet],
}
