//! What each rotor is told. Where rotors cannot give all that is asked, turns go before thrust.

use autopilot_aircraft::port::{Demand, LEVER, MOST_THRUST, Rotors};

/// The rotors that give what is demanded.
pub fn mixed(demand: &Demand) -> Rotors {
    let [roll, pitch, yaw] = core::array::from_fn(|axis| demand.turn[axis] / (4 * LEVER[axis]));
    let turns = [
        roll - pitch + yaw,
        -roll - pitch - yaw,
        roll + pitch - yaw,
        -roll + pitch + yaw,
    ]
    .map(|turn| turn.clamp(-MOST_THRUST / 2, MOST_THRUST / 2));
    let least = turns.into_iter().fold(0, i32::min);
    let most = turns.into_iter().fold(0, i32::max);
    let each = (demand.thrust / 4).clamp(-least, MOST_THRUST - most);
    Rotors {
        thrust: turns.map(|turn| each + turn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEIGHT: i32 = autopilot_aircraft::GRAVITY;

    #[test]
    fn thrust_is_shared_evenly() {
        let demand = Demand {
            thrust: WEIGHT,
            turn: [0; 3],
        };
        assert_eq!(mixed(&demand).thrust, [WEIGHT / 4; 4]);
    }

    #[test]
    fn turns_come_out_as_they_were_asked_for() {
        let turn = [8_000_000, -4_000_000, 1_600_000];
        let [fl, fr, rl, rr] = mixed(&Demand {
            thrust: WEIGHT,
            turn,
        })
        .thrust;
        let moments = [fl + rl - fr - rr, rl + rr - fl - fr, fl + rr - fr - rl];
        assert_eq!(core::array::from_fn(|i| moments[i] * LEVER[i]), turn);
        assert!((fl + fr + rl + rr - WEIGHT).abs() < 4);
    }

    #[test]
    fn turns_go_before_thrust_and_no_rotor_leaves_its_range() {
        let turn = [400_000_000, 0, 0];
        for thrust in [0, 4 * MOST_THRUST] {
            let rotors = mixed(&Demand { thrust, turn }).thrust;
            assert!(rotors.iter().all(|each| (0..=MOST_THRUST).contains(each)));
            assert_eq!(rotors[0] - rotors[1], MOST_THRUST);
        }
    }
}
