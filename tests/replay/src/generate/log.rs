//! Random logs.

use super::Plan;
use super::scripts::Author;
use crate::call::Call;
use crate::random::Random;
use crate::scenario::{Event, Theme};
use crate::system::{Driver, System};

const SHORTEST: u32 = 30;
const LONGEST: u32 = 60;

pub(super) fn draw(
    random: &mut Random,
    plan: Plan,
    system: &System,
    scripts: &[Vec<Call>],
) -> Vec<Event> {
    let faults = match plan.theme {
        Theme::Lives => 4,
        _ if random.one_in(6) => 2,
        _ => 0,
    };
    let registers = loaded_registers(system);
    let weights = [
        130,
        46,
        8,
        if system.lines.is_empty() { 0 } else { 10 },
        if registers.is_empty() { 0 } else { 6 },
        faults,
        if plan.late { 8 } else { 0 },
    ];
    let authors: Vec<usize> = (0..scripts.len())
        .filter(|thread| !scripts[*thread].is_empty())
        .collect();
    let length = random.between(SHORTEST, LONGEST);
    let mut event = || match random.weighted(&weights) {
        0 => Event::Step,
        1 => Event::Advance(span(random, plan)),
        // made by whoever runs, as if by one of them
        2 => {
            let thread = random.pick(&authors);
            Event::Call(Author::new(random, plan, system, thread).any())
        }
        3 => Event::Raise(system.lines[random.index(system.lines.len())].number),
        4 => Event::SetRegister(random.pick(&registers), random.below(32)),
        5 => match random.one_in(3) {
            true => Event::Call(Call::Panic),
            false => Event::Fault,
        },
        _ => Event::Delay(span(random, plan)),
    };
    (0..length).map(|_| event()).collect()
}

/// Whole multiples of the grid, so that events stay between its instants. Where
/// there are programs, most are shorter than their rounds.
fn span(random: &mut Random, plan: Plan) -> u64 {
    let [short, middle, long] = match plan.theme {
        Theme::Timing => [(1, 5), (5, 15), (15, 80)],
        _ => [(1, 10), (10, 40), (40, 200)],
    };
    let (low, high) = match random.below(5) {
        0 | 1 => short,
        2 | 3 => middle,
        _ => long,
    };
    u64::from(random.between(low, high)) * crate::GRID
}

/// The registers that drivers load.
fn loaded_registers(system: &System) -> Vec<u32> {
    let loaded = |driver: &Driver| match driver {
        Driver::Load { register, .. } => Some(*register),
        _ => None,
    };
    system.drivers.iter().filter_map(loaded).collect()
}
