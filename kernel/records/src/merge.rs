//! Neighbouring calls of drivers that only copy become one table: an instruction before
//! them copies it, and skips them. They stay behind it, for the instant at which a task has
//! a job and each driver is judged by itself.

use std::collections::BTreeSet;

use crate::program::{Op, Program};

/// Rings and tasks apart that the drivers of one run touch, at most: they are looked at
/// before the first value is copied.
const TOUCHES: usize = 32;

/// The same program with an instruction [`Op::Copies`] before each run of at least two
/// calls of drivers that only copy: for these, `touched` names rings and tasks apart.
pub(crate) fn merge_copies<T: Ord>(
    program: &Program,
    touched: impl Fn(usize) -> Option<Vec<T>>,
) -> Program {
    let code = &program.code;
    let mut targets: BTreeSet<usize> = program.blocks.iter().flatten().copied().collect();
    targets.extend(code.iter().filter_map(Op::target));
    let touched_at = |at: usize| match code.get(at) {
        Some(Op::Call(driver)) => touched(*driver),
        _ => None,
    };
    let mut places = Vec::new();
    let mut merged = Vec::new();
    let mut end = 0;
    for (at, op) in code.iter().enumerate() {
        places.push(merged.len());
        if at >= end {
            let mut all = BTreeSet::new();
            end = at;
            while let Some(touches) = touched_at(end)
                && (end == at || !targets.contains(&end))
            {
                all.extend(touches);
                if all.len() > TOUCHES && end > at {
                    break;
                }
                end += 1;
            }
            if end - at > 1 {
                merged.push(Op::Copies(end - at));
            }
        }
        end = end.max(at + 1);
        merged.push(*op);
    }
    places.push(merged.len());
    for target in merged.iter_mut().filter_map(Op::target_mut) {
        *target = places[*target];
    }
    let blocks = program.blocks.map(|block| block.map(|at| places[at]));
    Program {
        code: merged,
        blocks,
        ..program.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each driver touches a task of its own; driver 10 does more than copy.
    fn merged(code: Vec<Op>, start: usize) -> (Vec<Op>, Option<usize>) {
        let mut program = Program {
            code,
            ..Program::default()
        };
        program.blocks[0] = Some(start);
        let merged = merge_copies(&program, |driver| (driver != 10).then_some(vec![driver]));
        (merged.code, merged.blocks[0])
    }

    #[test]
    fn neighbours_are_merged_and_stay_behind() {
        use Op::*;
        let (code, _) = merged(vec![Call(0), Call(1), Call(2), Return], 0);
        assert_eq!(code, [Copies(3), Call(0), Call(1), Call(2), Return]);
    }

    #[test]
    fn a_driver_that_does_more_ends_a_run() {
        use Op::*;
        let (code, _) = merged(vec![Call(0), Call(10), Call(1), Call(2)], 0);
        assert_eq!(code, [Call(0), Call(10), Copies(2), Call(1), Call(2)]);
    }

    #[test]
    fn a_run_is_entered_at_its_first_call_only() {
        use Op::*;
        let code = vec![Call(0), Call(1), Call(2), Call(3), Jump(2)];
        let (code, start) = merged(code, 4);
        let runs = [Copies(2), Call(0), Call(1), Copies(2), Call(2), Call(3)];
        assert_eq!(code[..6], runs);
        assert_eq!((code[6], start), (Jump(3), Some(6)));
    }

    #[test]
    fn a_run_touches_no_more_than_can_be_looked_at_at_once() {
        let code = (20..20 + TOUCHES + 3).map(Op::Call).collect();
        let (code, _) = merged(code, 0);
        assert_eq!(code[0], Op::Copies(TOUCHES));
        assert_eq!(code[1 + TOUCHES], Op::Copies(3));
    }

    #[test]
    fn a_block_that_begins_with_a_run_begins_with_its_table() {
        use Op::*;
        let code = vec![Return, Call(0), Call(1), Future(0, 1)];
        let (code, start) = merged(code, 1);
        assert_eq!((code[1], start), (Copies(2), Some(1)));
        assert_eq!(code[4], Future(0, 1));
    }
}
