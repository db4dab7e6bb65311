//! Microcode as text, in the notation of listings, for systems made by hand.
//!
//! ```text
//! start:  call read_gyro
//!         release control 20ms          ; deadline after the instant
//!         future after(10ms) next
//!         return
//! next:   branch altitude>=300 climb
//!         dispatch control until released(nav) else preempted
//!         idle after(10ms)
//!         fork start
//! ```
//! One instruction a line; `;` begins a comment; a label may stand alone.
//! Durations are `7ns`, `20us`, `10ms`, `1s`, or `10ms/3` (exact). Predicates:
//! `true`, `never`, `after(D)`, `released(T)`, `completed(T)`, `changed(P)`,
//! `irq(N)`, `upcall(D)`, `P op C` and `P op activation` without spaces, where
//! `op` is one of `== != < <= > >=` and C an integer, raw bits in hexadecimal,
//! or a number with a point (binary64). The first instruction, or the label
//! `start`, begins; the labels `on_time_safety`, `on_time_share`, `on_overrun`
//! and `on_fault` are handlers. The labels `round` and `resume`
//! say how another module's round is taken over, see
//! [`ModuleHeader`](giornata_abi::module::ModuleHeader).

use giornata_abi::id::NONE;
use giornata_abi::instruction::{DurationEntry, Instruction, Opcode};
use giornata_abi::predicate::{Comparison, Predicate, PredicateKind};
use std::collections::BTreeMap;

/// Labels of handler blocks, in the order of violations.
const HANDLERS: [&str; 4] = ["on_time_safety", "on_time_share", "on_overrun", "on_fault"];

/// An assembled program: local indices and what their names are.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The code.
    pub instructions: Vec<Instruction>,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The durations.
    pub durations: Vec<DurationEntry>,
    /// Remainders count in 1/denominator ns.
    pub denominator: u32,
    /// First block.
    pub start: u16,
    /// Handler blocks.
    pub handlers: [u16; 4],
    /// Names of the tasks, by local index.
    pub tasks: Vec<String>,
    /// Names of the drivers.
    pub drivers: Vec<String>,
    /// Names of the ports.
    pub ports: Vec<String>,
    /// Numbers of the interrupts.
    pub interrupts: Vec<u16>,
    /// The labels and their addresses.
    pub labels: BTreeMap<String, u16>,
}

/// Nanoseconds, divided by a small number.
#[derive(Clone, Copy)]
struct Fraction {
    nanos: u64,
    divisor: u32,
}

impl Assembly {
    /// Assembles a text.
    ///
    /// # Errors
    /// The line that is not understood, and why.
    pub fn parse(text: &str) -> Result<Assembly, String> {
        let lines = statements(text);
        let mut assembly = Assembly {
            denominator: denominator(&lines)?,
            ..Assembly::default()
        };
        let labels = labels(&lines);
        for line in lines.iter().filter(|line| !line.words.is_empty()) {
            let instruction = assembly.instruction(&line.words, &labels);
            let instruction = instruction.map_err(|why| format!("`{}`: {why}", line.text))?;
            assembly.instructions.push(instruction);
        }
        let owned = labels.iter().map(|(name, at)| (name.to_string(), *at));
        assembly.labels = owned.collect();
        assembly.start = labels.get("start").copied().unwrap_or(0);
        assembly.handlers = HANDLERS.map(|name| labels.get(name).copied().unwrap_or(NONE));
        Ok(assembly)
    }

    fn instruction(
        &mut self,
        words: &[&str],
        labels: &BTreeMap<&str, u16>,
    ) -> Result<Instruction, String> {
        let address = |name: &str| labels.get(name).copied().ok_or(format!("no label {name}"));
        let next = self.instructions.len() as u16 + 1;
        Ok(match words {
            ["return"] => Instruction::new(Opcode::Return, 0, 0, 0),
            ["call", d] => Instruction::new(Opcode::Call, local(&mut self.drivers, d), 0, 0),
            ["release", t, d] => {
                let duration = self.duration(fraction(d)?);
                Instruction::new(Opcode::Release, local(&mut self.tasks, t), duration, 0)
            }
            ["future", p, a] => {
                Instruction::new(Opcode::Future, self.predicate(p)?, address(a)?, 0)
            }
            ["dispatch", t] => {
                let never = self.predicate("never")?;
                Instruction::new(Opcode::Dispatch, local(&mut self.tasks, t), never, next)
            }
            ["dispatch", t, "until", p, "else", a] => {
                let timeout = self.predicate(p)?;
                Instruction::new(
                    Opcode::Dispatch,
                    local(&mut self.tasks, t),
                    timeout,
                    address(a)?,
                )
            }
            ["idle", p] => Instruction::new(Opcode::Idle, self.predicate(p)?, 0, 0),
            ["fork", a] => Instruction::new(Opcode::Fork, address(a)?, 0, 0),
            ["jump", a] => Instruction::new(Opcode::Jump, address(a)?, 0, 0),
            ["branch", p, a] => {
                Instruction::new(Opcode::Branch, self.predicate(p)?, address(a)?, 0)
            }
            _ => return Err("no such instruction".into()),
        })
    }

    fn duration(&mut self, fraction: Fraction) -> u16 {
        let (nanos, remainder) = self.exact(fraction);
        let entry = DurationEntry {
            nanos,
            remainder,
            reserved: 0,
        };
        index_of(&mut self.durations, entry)
    }

    /// Whole nanoseconds, and the rest in 1/denominator.
    fn exact(&self, Fraction { nanos, divisor }: Fraction) -> (u64, u32) {
        let rest = (nanos % divisor as u64) as u32 * (self.denominator / divisor);
        (nanos / divisor as u64, rest)
    }

    fn predicate(&mut self, text: &str) -> Result<u16, String> {
        let predicate = match text.strip_suffix(')').and_then(|t| t.split_once('(')) {
            Some((name, argument)) => self.applied(name, argument)?,
            None if text == "true" => Predicate::of(PredicateKind::True, 0),
            None if text == "never" => Predicate::of(PredicateKind::Never, 0),
            None => self.compared(text)?,
        };
        Ok(index_of(&mut self.predicates, predicate))
    }

    fn applied(&mut self, name: &str, argument: &str) -> Result<Predicate, String> {
        use PredicateKind::*;
        Ok(match name {
            "after" => {
                let (nanos, remainder) = self.exact(fraction(argument)?);
                Predicate::after(nanos, remainder)
            }
            "released" => Predicate::of(Released, local(&mut self.tasks, argument)),
            "completed" => Predicate::of(Completed, local(&mut self.tasks, argument)),
            "changed" => Predicate::of(Changed, local(&mut self.ports, argument)),
            "upcall" => Predicate::of(Upcall, local(&mut self.drivers, argument)),
            "irq" => {
                let number = argument.parse().map_err(|_| "not an interrupt number")?;
                Predicate::of(Interrupt, index_of(&mut self.interrupts, number))
            }
            _ => return Err(format!("no predicate {name}")),
        })
    }

    fn compared(&mut self, text: &str) -> Result<Predicate, String> {
        let sign = text.find(['=', '!', '<', '>']).ok_or("not a predicate")?;
        let (port, rest) = text.split_at(sign);
        let signs = Comparison::ALL.iter();
        let fitting = signs.filter_map(|(c, sign)| Some((*c, rest.strip_prefix(sign)?)));
        // of `<` and `<=` the longer
        let longest = fitting.min_by_key(|(_, value)| value.len());
        let (comparison, value) = longest.ok_or("not a predicate")?;
        let port = local(&mut self.ports, port);
        Ok(match value {
            "activation" => Predicate::activation(port, comparison),
            value => Predicate::constant(port, comparison, constant(value)?),
        })
    }
}

/// A line without its comment and label.
struct Statement<'t> {
    text: &'t str,
    label: Option<&'t str>,
    words: Vec<&'t str>,
}

fn statements(text: &str) -> Vec<Statement<'_>> {
    let statement = |line| {
        let (line, _): (&str, _) = str::split_once(line, ';').unwrap_or((line, ""));
        let (label, code) = match line.split_once(':') {
            Some((label, code)) => (Some(label.trim()), code),
            None => (None, line),
        };
        Statement {
            text: line.trim(),
            label,
            words: code.split_whitespace().collect(),
        }
    };
    text.lines().map(statement).collect()
}

fn labels<'t>(lines: &[Statement<'t>]) -> BTreeMap<&'t str, u16> {
    let mut address = 0;
    let mut labels = BTreeMap::new();
    for line in lines {
        if let Some(label) = line.label {
            labels.insert(label, address);
        }
        address += !line.words.is_empty() as u16;
    }
    labels
}

/// The least common multiple of all divisors.
fn denominator(lines: &[Statement<'_>]) -> Result<u32, String> {
    let mut common = 1u32;
    for word in lines.iter().flat_map(|line| &line.words) {
        let Some((_, divisor)) = word.split_once('/') else {
            continue;
        };
        let divisor: u32 = divisor
            .trim_end_matches(')')
            .parse()
            .ok()
            .filter(|divisor| *divisor != 0)
            .ok_or(format!("`{word}`: not a divisor"))?;
        let (mut a, mut b) = (common, divisor);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common *= divisor / a;
    }
    Ok(common)
}

fn fraction(text: &str) -> Result<Fraction, String> {
    let (whole, divisor) = match text.split_once('/') {
        Some((whole, divisor)) => (whole, divisor.parse().map_err(|_| "not a divisor")?),
        None => (text, 1),
    };
    let units = [
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
    ];
    let (number, unit) = units
        .iter()
        .find_map(|(suffix, unit)| Some((whole.strip_suffix(suffix)?, *unit)))
        .ok_or(format!("{text} is not a duration"))?;
    let number: u64 = number
        .parse()
        .map_err(|_| format!("{text} is not a duration"))?;
    Ok(Fraction {
        nanos: number * unit,
        divisor,
    })
}

fn constant(text: &str) -> Result<u64, String> {
    let hexadecimal = text
        .strip_prefix("0x")
        .map(|digits| u64::from_str_radix(digits, 16));
    let value = match hexadecimal {
        Some(value) => value.ok(),
        None if text.contains('.') => text.parse().ok().map(f64::to_bits),
        None => text.parse::<i64>().ok().map(|value| value as u64),
    };
    value.ok_or(format!("{text} is not a constant"))
}

/// The local index of a name, new if it was not mentioned before.
fn local(names: &mut Vec<String>, name: &str) -> u16 {
    index_of(names, name.to_string())
}

fn index_of<T: PartialEq>(table: &mut Vec<T>, entry: T) -> u16 {
    let found = table.iter().position(|other| *other == entry);
    found.unwrap_or_else(|| {
        table.push(entry);
        table.len() - 1
    }) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_becomes_its_instructions() {
        let assembly = Assembly::parse(
            "a0: call da      ; actuators\n release t1 20ms\n future after(10ms/3) a1\na1:\n return",
        );
        let assembly = assembly.unwrap();
        assert_eq!(assembly.denominator, 3);
        assert_eq!(assembly.predicates, [Predicate::after(3_333_333, 1)]);
        assert_eq!(assembly.durations[0].nanos, 20_000_000);
        assert_eq!(
            (assembly.tasks[0].as_str(), assembly.drivers[0].as_str()),
            ("t1", "da")
        );
        assert_eq!(
            assembly.instructions[2],
            Instruction::new(Opcode::Future, 0, 3, 0)
        );
        assert_eq!(assembly.handlers, [NONE; 4]);
    }

    #[test]
    fn the_longer_of_two_comparisons_is_meant() {
        let assembly = Assembly::parse("a: branch p<=-5 a\n branch p>1.5 a\n idle p!=activation");
        let predicates = assembly.unwrap().predicates;
        assert_eq!(
            predicates,
            [
                Predicate::constant(0, Comparison::LessOrEqual, -5i64 as u64),
                Predicate::constant(0, Comparison::Greater, 1.5f64.to_bits()),
                Predicate::activation(0, Comparison::NotEqual),
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let refuse = |text| Assembly::parse(text).unwrap_err();
        assert_eq!(refuse("jump b"), "`jump b`: no label b");
        assert_eq!(refuse("a: idle p=3"), "`a: idle p=3`: not a predicate");
        assert_eq!(refuse("release t 5"), "`release t 5`: 5 is not a duration");
        assert_eq!(refuse("halt"), "`halt`: no such instruction");
        assert_eq!(refuse("idle after(1ms/0)"), "`after(1ms/0)`: not a divisor");
    }
}
