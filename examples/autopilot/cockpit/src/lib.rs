//! What the pilot has: a display, a screen for pictures, and a stick.

#![no_std]

pub mod map;
pub mod screen;

use autopilot_aircraft::METRE;
use autopilot_aircraft::mission::WAYPOINTS;
use autopilot_aircraft::port::{Course, Estimate, Report, Stick};
use autopilot_aircraft::vector::{Vector, difference, length};
use giornata_rt::{log, log_error, process, shutdown, task, value};
use map::Map;
use screen::{compare, no_pictures};

/// Jobs of the display between two lines of where the aircraft is.
const LINE: u32 = 50;
/// Jobs after which a mission that is not over has failed: 15 s.
const PATIENCE: u32 = 1500;

/// What the display remembers.
#[value]
#[derive(Debug, Default, PartialEq)]
pub struct Journal {
    /// What it has shown of the mission.
    pub course: Course,
    /// Jobs so far.
    pub jobs: u32,
    /// The most that navigation was off by, µm.
    pub worst: i32,
    /// Where the aircraft has been.
    pub map: Map,
}

/// Shows what is new, now and then where the aircraft is, and at the end of the mission the way
/// that it flew; then it stops the machine.
#[task]
pub fn show(
    estimate: &Estimate,
    course: &Course,
    report: &Report,
    before: &Journal,
    journal: &mut Journal,
) {
    *journal = *before;
    journal.map.mark(report.position);
    let off = length(difference(estimate.position, report.position));
    journal.worst = journal.worst.max(off);
    if journal.jobs.is_multiple_of(LINE) {
        let [x, y, z] = report.position.map(centimetres);
        let speed = centimetres(length(estimate.velocity));
        log!(
            "at {x} {y} {z} cm, {speed} cm/s, navigation off by {} cm",
            centimetres(off)
        );
    }
    if course.manual != before.course.manual {
        log!(
            "{}",
            if course.manual != 0 {
                "the pilot flies"
            } else {
                "the autopilot flies again"
            }
        );
    }
    if course.reached != before.course.reached {
        tell_waypoint(course.reached, report.position);
    }
    journal.course = *course;
    journal.jobs += 1;
    if course.reached as usize == WAYPOINTS.len() {
        journal.map.print();
        log!(
            "mission flown, navigation off by at most {} cm",
            centimetres(journal.worst)
        );
        shutdown(u8::from(!screen::is_good()));
    } else if journal.jobs == PATIENCE {
        log_error!("the mission takes too long");
        shutdown(1);
    }
}

fn tell_waypoint(reached: u32, position: Vector) {
    let waypoint = WAYPOINTS[reached as usize - 1];
    let away = centimetres(length(difference(waypoint, position)));
    log!(
        "waypoint {reached} of {} reached, {away} cm away",
        WAYPOINTS.len()
    );
}

fn centimetres(length: i32) -> i32 {
    length / (METRE / 100)
}

/// Takes over how the stick stands.
#[task]
pub fn take(stick: &Stick, command: &mut Stick) {
    *command = *stick;
}

process! {
    tasks: [show, take],
    drivers: [],
    threads: [no_pictures],
    filters: [compare],
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use giornata_rt::abi::call::{Answer, Call};
    use std::cell::Cell;
    use std::rc::Rc;

    /// Shows each course once; returns how many texts were logged and the status with which
    /// the machine was stopped.
    fn shown(courses: &[Course]) -> (u32, Option<usize>) {
        let (texts, status) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(None)));
        let (count, stopped) = (texts.clone(), status.clone());
        giornata_rt::host::set_hook(move |request| {
            if request.number == Call::Shutdown as usize {
                stopped.set(Some(request.arguments[0]));
            } else {
                assert_eq!(request.number, Call::Log as usize);
                let ends = request.arguments[0] & giornata_rt::log::CONTINUES == 0;
                count.set(count.get() + u32::from(ends));
            }
            Answer::DONE
        });
        let mut journal = Journal::default();
        for course in courses {
            let before = journal;
            show(
                &Estimate::START,
                course,
                &Report::default(),
                &before,
                &mut journal,
            );
        }
        giornata_rt::host::clear_hook();
        (texts.get(), status.get())
    }

    fn course(reached: u32, manual: u32) -> Course {
        Course { reached, manual }
    }

    #[test]
    fn it_shows_where_the_aircraft_is_twice_a_second_and_else_what_is_new() {
        assert_eq!(shown(&[course(0, 0); 51]), (2, None));
        let news = [
            course(0, 0),
            course(0, 1),
            course(0, 0),
            course(1, 0),
            course(1, 0),
        ];
        assert_eq!(shown(&news), (4, None));
    }

    #[test]
    fn the_last_waypoint_ends_the_mission_well_if_pictures_came_or_there_are_none() {
        let end = [course(4, 0), course(5, 0)];
        assert_eq!(shown(&end).1, Some(1));
        no_pictures();
        assert_eq!(shown(&end).1, Some(0));
    }

    #[test]
    fn patience_ends_the_mission_too() {
        assert_eq!(shown(&[course(4, 0); PATIENCE as usize]).1, Some(1));
    }
}
