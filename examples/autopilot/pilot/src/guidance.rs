//! Which velocity to fly: towards the next waypoint, or as the pilot's stick says.

use autopilot_aircraft::METRE;
use autopilot_aircraft::fixed::gain;
use autopilot_aircraft::mission::WAYPOINTS;
use autopilot_aircraft::port::{Course, Estimate, Stick, Wish};
use autopilot_aircraft::vector::{difference, length, limited, scaled};

/// Speed for each metre to a waypoint, 1/s.
const APPROACH: i32 = gain(3, 1);
/// The most speed, µm/s.
const SPEED: i32 = 3 * METRE;
/// A waypoint is reached within this distance, µm.
const REACH: i32 = METRE * 4 / 10;

/// What to fly, and how far the mission is.
pub fn wish(estimate: &Estimate, command: &Stick, mut course: Course) -> (Wish, Course) {
    course.manual = command.engaged;
    if command.engaged != 0 {
        let velocity = limited(command.velocity, SPEED);
        return (Wish { velocity }, course);
    }
    if length(way(estimate, course)) < REACH && (course.reached as usize) < WAYPOINTS.len() {
        course.reached += 1;
    }
    let velocity = limited(scaled(way(estimate, course), APPROACH), SPEED);
    (Wish { velocity }, course)
}

/// What lies between the aircraft and the waypoint that is next, or the last.
fn way(estimate: &Estimate, course: Course) -> [i32; 3] {
    let next = (course.reached as usize).min(WAYPOINTS.len() - 1);
    difference(WAYPOINTS[next], estimate.position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: [i32; 3]) -> Estimate {
        Estimate {
            position,
            ..Estimate::START
        }
    }

    fn reached(reached: u32) -> Course {
        Course { reached, manual: 0 }
    }

    #[test]
    fn it_flies_straight_towards_the_next_waypoint_and_no_faster_than_it_may() {
        let (wish, course) = wish(&at(WAYPOINTS[0]), &Stick::default(), reached(1));
        let [x, y, z] = wish.velocity;
        assert!(
            x > 2 * METRE && y == 0 && (z - x / 10).abs() < 10,
            "{wish:?}"
        );
        assert!(length(wish.velocity) <= SPEED);
        assert_eq!(course, reached(1));
    }

    #[test]
    fn a_waypoint_is_reached_nearby_and_the_last_one_stays() {
        let near = [
            WAYPOINTS[2][0] + REACH / 2,
            WAYPOINTS[2][1],
            WAYPOINTS[2][2],
        ];
        assert_eq!(wish(&at(near), &Stick::default(), reached(2)).1, reached(3));
        let (stay, course) = wish(&at(WAYPOINTS[4]), &Stick::default(), reached(4));
        assert_eq!((stay.velocity, course), ([0; 3], reached(5)));
        assert_eq!(wish(&at(WAYPOINTS[4]), &Stick::default(), course).1, course);
    }

    #[test]
    fn the_stick_goes_before_waypoints() {
        let stick = Stick {
            engaged: 1,
            velocity: [0, -METRE, 0],
        };
        let (flown, course) = wish(&at(WAYPOINTS[0]), &stick, reached(0));
        assert_eq!((flown.velocity, course.manual), (stick.velocity, 1));
        assert_eq!(course.reached, 0);
        let (_, course) = wish(&at(WAYPOINTS[0]), &Stick::default(), course);
        assert_eq!(course, reached(1));
    }
}
