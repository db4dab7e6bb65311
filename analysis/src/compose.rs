//! Several programs of one hart as one, so that every analysis of one is an
//! analysis of all: their first blocks begin at the same instant, in order, and
//! share the trigger queue, the thread set and the processor.
//!
//! ```text
//!   tasks      a0 a1 | b0          code of b: each operand moved by as much
//!   code       a...  | b...        as its table has grown before
//!   starts     a.start, b.start
//! ```
//! Nothing is lost by that: "Logically, the reactive behavior of E code does not
//! change when composed with other E code" (section 7 of the paper), and S code
//! of several threads is what the checker follows anyway.

use giornata_abi::instruction::{DurationEntry, Instruction, Operand};
use giornata_abi::{Duration, Opcode, Predicate, PredicateKind};

use crate::generate::greatest_common_divisor;
use crate::program::{Origin, Program, TaskFacts};
use crate::times::Times;

/// One of the programs.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What its tasks are called after.
    pub name: &'a str,
    /// Its code.
    pub program: &'a Program,
    /// The times of its tasks.
    pub times: &'a Times,
}

/// Why programs cannot be taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotComposable {
    /// A table of all has more entries than code can name.
    #[error("together the programs have more than {limit} {what}")]
    TooLarge {
        /// The entries.
        what: &'static str,
        /// How many can be named.
        limit: u32,
    },
    /// Their fractions of a nanosecond have no common denominator in 32 bits.
    #[error("the fractions of a nanosecond that the programs count in have no common denominator")]
    Denominator,
}

/// The programs as one, and the times of all tasks. O(size).
///
/// # Errors
/// There are too many of something.
pub fn compose(parts: &[Part<'_>]) -> Result<(Program, Times), NotComposable> {
    let denominators = parts.iter().map(|part| part.program.denominator);
    let mut denominator = 1u32;
    for other in denominators {
        denominator = common(denominator, other.max(1)).ok_or(NotComposable::Denominator)?;
    }
    let mut whole = Program {
        code: Vec::new(),
        predicates: Vec::new(),
        durations: Vec::new(),
        denominator,
        starts: Vec::new(),
        tasks: Vec::new(),
        conflicts: Vec::new(),
        functions: Vec::new(),
        steps: Some(0),
        lines: Vec::new(),
        origins: Vec::new(),
    };
    for part in parts {
        append(&mut whole, part)?;
    }
    let times: Vec<Duration> = parts.iter().flat_map(|p| p.times.all()).copied().collect();
    Ok((whole, Times::from_list(times)))
}

/// The least common multiple, in 32 bits.
fn common(one: u32, other: u32) -> Option<u32> {
    let (one, other) = (u128::from(one), u128::from(other));
    let least = one / greatest_common_divisor(one, other) * other;
    u32::try_from(least).ok()
}

/// How far the entries of a program's tables are moved.
struct Shift {
    code: u16,
    task: u16,
    driver: u16,
    predicate: u16,
    duration: u16,
    /// Remainders become so many times as large.
    scale: u32,
}

fn append(whole: &mut Program, part: &Part<'_>) -> Result<(), NotComposable> {
    let program = part.program;
    let shift = Shift {
        code: place("instructions", whole.code.len(), program.code.len())?,
        task: place("tasks", whole.tasks.len(), program.tasks.len())?,
        driver: place("drivers", whole.conflicts.len(), program.conflicts.len())?,
        predicate: place(
            "predicates",
            whole.predicates.len(),
            program.predicates.len(),
        )?,
        duration: place("durations", whole.durations.len(), program.durations.len())?,
        scale: whole.denominator / program.denominator.max(1),
    };
    let starts = program.starts.iter().map(|start| start + shift.code);
    whole.starts.extend(starts);
    let origins = program.origins.iter().map(|origin| Origin {
        code: origin.code + shift.code,
        task: origin.task + shift.task,
    });
    whole.origins.extend(origins);
    let code = program.code.iter().map(|i| shift.instruction(i));
    whole.code.extend(code);
    let predicates = program.predicates.iter().map(|p| shift.predicate(p));
    whole.predicates.extend(predicates);
    let durations = program.durations.iter().map(|d| DurationEntry {
        remainder: d.remainder * shift.scale,
        ..*d
    });
    whole.durations.extend(durations);
    let tasks = program.tasks.iter().map(|task| TaskFacts {
        name: format!("{}.{}", part.name, task.name),
        wcet: task.wcet,
    });
    whole.tasks.extend(tasks);
    let moved = |tasks: &Vec<u16>| tasks.iter().map(|task| task + shift.task).collect();
    whole.conflicts.extend(program.conflicts.iter().map(moved));
    whole.functions.extend(&program.functions);
    whole.lines.extend(&program.lines);
    let steps = whole.steps.zip(program.steps);
    whole.steps = steps.map(|(before, more)| before.saturating_add(more));
    Ok(())
}

/// Where the entries of a table come that so many lie before.
fn place(what: &'static str, before: usize, more: usize) -> Result<u16, NotComposable> {
    // The last number means that there is none.
    let limit = u32::from(u16::MAX);
    match u16::try_from(before) {
        Ok(first) if before + more <= limit as usize => Ok(first),
        _ => Err(NotComposable::TooLarge { what, limit }),
    }
}

impl Shift {
    fn instruction(&self, own: &Instruction) -> Instruction {
        let [a, b, c] = own.opcode().map_or([Operand::None; 3], Opcode::operands);
        Instruction {
            a: self.operand(a, own.a),
            b: self.operand(b, own.b),
            c: self.operand(c, own.c),
            ..*own
        }
    }

    const fn operand(&self, kind: Operand, value: u16) -> u16 {
        match kind {
            Operand::Driver => value + self.driver,
            Operand::Task => value + self.task,
            Operand::Duration => value + self.duration,
            Operand::Predicate | Operand::Test => value + self.predicate,
            Operand::Address => value + self.code,
            Operand::None => value,
        }
    }

    /// Ports, mailboxes and lines stay as they are: tests of them are taken to
    /// answer anything.
    fn predicate(&self, own: &Predicate) -> Predicate {
        let subject = match own.kind() {
            Some(PredicateKind::Released | PredicateKind::Completed) => own.subject + self.task,
            _ => own.subject,
        };
        Predicate {
            subject,
            remainder: own.remainder * self.scale,
            ..*own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_denominator_is_the_least() {
        assert_eq!(common(1, 7), Some(7));
        assert_eq!(common(6, 10), Some(30));
        assert_eq!(common(1 << 31, 3), None);
    }

    #[test]
    fn a_table_ends_before_the_number_that_means_none() {
        assert_eq!(place("tasks", 5, 10), Ok(5));
        assert_eq!(place("tasks", 65_530, 5), Ok(65_530));
        assert!(place("tasks", 65_530, 6).is_err());
        assert!(place("tasks", 70_000, 0).is_err());
    }
}
