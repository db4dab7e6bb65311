//! A textual assembler, so that tests read like the paper's listings.
//!
//! ```text
//! denominator 3            remainders count in thirds
//! steps 40                 declared step bound
//! task t1 in a out b       a task and its local ports
//! port p i32 output        a port, its type and kind
//! driver d reads a writes p
//! copy c reads p writes a
//! irq button
//! mailbox news
//! handler overrun h        a handler block
//! start a0
//! round a0                 the block that begins each round
//! resume a0                the one that begins it in another module's place
//! a0: call d
//!     release t1, 20ms
//!     future after(10ms/3), a0
//!     dispatch t1          until it completes
//!     dispatch t1, m       next instruction at expiry
//!     dispatch t1, m, a0
//! ```
//! A tail after `#` is a comment.

use giornata_abi::instruction::{Instruction, Opcode, Operand};
use giornata_abi::module::{
    DriverKind, DriverSymbol, ModuleWriter, NameSymbol, PortKind, PortSymbol, TaskSymbol,
};
use giornata_abi::predicate::Comparison;
use giornata_abi::trace::Violation;
use giornata_abi::{Predicate, PredicateKind, ValueType};

/// Assembles a module file; panics on what it does not understand.
pub fn assemble(source: &str) -> Vec<u8> {
    let mut assembler = Assembler {
        writer: ModuleWriter::new("test", "test.code"),
        labels: Vec::new(),
        tasks: Vec::new(),
        drivers: Vec::new(),
        ports: Vec::new(),
        irqs: Vec::new(),
        mailboxes: Vec::new(),
    };
    let lines: Vec<&str> = source
        .lines()
        .map(|l| l.split('#').next().unwrap().trim())
        .collect();
    let code: Vec<&str> = lines
        .iter()
        .filter_map(|line| assembler.declare(line))
        .collect();
    for line in &code {
        assembler.instruct(line);
    }
    assembler.writer.finish()
}

struct Assembler {
    writer: ModuleWriter,
    /// Labels, and the handlers and start that name them.
    labels: Vec<(String, u16)>,
    tasks: Vec<String>,
    drivers: Vec<String>,
    ports: Vec<String>,
    irqs: Vec<String>,
    mailboxes: Vec<String>,
}

fn find(names: &[String], name: &str) -> u16 {
    let found = names.iter().position(|n| n == name);
    found.unwrap_or_else(|| panic!("{name} is not declared")) as u16
}

impl Assembler {
    /// Reads a declaration or notes a label; returns an instruction's text.
    fn declare<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => return None,
            ["denominator", n] => self.writer.denominator = n.parse().unwrap(),
            ["steps", n] => self.writer.max_steps = n.parse().unwrap(),
            ["task", name, rest @ ..] => self.declare_task(name, rest),
            ["port", name, value, kind] => self.declare_port(name, value, kind),
            ["driver", name, rest @ ..] => self.declare_driver(name, rest, DriverKind::Function),
            ["copy", name, rest @ ..] => self.declare_driver(name, rest, DriverKind::Copy),
            ["irq", name] => {
                let symbol = NameSymbol {
                    name: self.writer.text(name),
                };
                self.writer.interrupts.push(symbol);
                self.irqs.push(name.to_string());
            }
            ["mailbox", name] => {
                let symbol = NameSymbol {
                    name: self.writer.text(name),
                };
                self.writer.mailboxes.push(symbol);
                self.mailboxes.push(name.to_string());
            }
            ["start" | "round" | "resume", _] | ["handler", _, _] => return Some(line),
            _ => return self.declare_label(line),
        }
        None
    }

    fn declare_label<'t>(&mut self, line: &'t str) -> Option<&'t str> {
        let text = match line.split_once(':') {
            Some((label, rest)) => {
                let address = self.writer.positions.len() as u16;
                self.labels.push((label.to_string(), address));
                rest.trim()
            }
            None => line,
        };
        if text.is_empty() {
            return None;
        }
        let address = self.writer.positions.len() as u16;
        let position = giornata_abi::module::Position {
            address,
            column: 1,
            line: address as u32 + 1,
        };
        self.writer.positions.push(position);
        Some(text)
    }

    fn declare_port(&mut self, name: &str, value: &str, kind: &str) {
        let value = ValueType::ALL
            .into_iter()
            .find(|t| t.name() == value)
            .expect("a value type");
        let kind = match kind {
            "sensor" => PortKind::Sensor,
            "actuator" => PortKind::Actuator,
            "output" => PortKind::Output,
            "input" => PortKind::Input,
            "own-input" => PortKind::TaskInput,
            "own-output" => PortKind::TaskOutput,
            "state" => PortKind::State,
            "guard" => PortKind::Guard,
            "violation-task" => PortKind::ViolationTask,
            "violation-driver" => PortKind::ViolationDriver,
            other => panic!("{other} is no kind of port"),
        };
        let symbol = PortSymbol {
            name: self.writer.text(name),
            type_name: self.writer.text(value.name()),
            kind: kind as u8,
            value_type: value as u8,
            size: value.size().unwrap_or(16),
            reserved: 0,
        };
        self.writer.ports.push(symbol);
        self.ports.push(name.to_string());
    }

    /// Splits `in a b out c` by its keywords.
    fn lists(&mut self, words: &[&str], keys: [&str; 2], make: bool) -> [Vec<u16>; 2] {
        let mut lists = [Vec::new(), Vec::new()];
        let mut current = 0;
        for word in words {
            if let Some(key) = keys.iter().position(|k| k == word) {
                current = key;
                continue;
            }
            if make {
                self.declare_port(word, "i32", ["own-input", "own-output"][current]);
            }
            lists[current].push(find(&self.ports, word));
        }
        lists
    }

    fn declare_task(&mut self, name: &str, words: &[&str]) {
        let [inputs, outputs] = self.lists(words, ["in", "out"], true);
        let symbol = TaskSymbol {
            name: self.writer.text(name),
            function: self.writer.text(name),
            inputs: self.writer.list(&inputs),
            outputs: self.writer.list(&outputs),
            states: self.writer.list(&[]),
            wcet: 0,
            priority: 0,
            reserved: 0,
        };
        self.writer.tasks.push(symbol);
        self.tasks.push(name.to_string());
    }

    fn declare_driver(&mut self, name: &str, words: &[&str], kind: DriverKind) {
        let [reads, writes] = self.lists(words, ["reads", "writes"], false);
        let symbol = DriverSymbol {
            name: self.writer.text(name),
            function: self.writer.text(name),
            reads: self.writer.list(&reads),
            writes: self.writer.list(&writes),
            wcet: 0,
            kind: kind as u32,
            reserved: 0,
        };
        self.writer.drivers.push(symbol);
        self.drivers.push(name.to_string());
    }

    fn label(&self, name: &str) -> u16 {
        let found = self.labels.iter().find(|(label, _)| label == name);
        found.unwrap_or_else(|| panic!("no label {name}")).1
    }

    fn instruct(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if ["start", "round", "resume"].contains(&word) {
            let address = self.label(rest);
            let block = match word {
                "start" => &mut self.writer.start,
                "round" => &mut self.writer.round,
                _ => &mut self.writer.resume,
            };
            *block = address;
            return;
        }
        if word == "handler" {
            let (kind, label) = rest.split_once(' ').unwrap();
            let kind = Violation::ALL
                .into_iter()
                .find(|v| v.name() == kind)
                .expect("a violation");
            self.writer.handlers[kind as usize] = self.label(label);
            return;
        }
        let opcode = Opcode::ALL.iter().copied().find(|o| o.mnemonic() == word);
        let opcode = opcode.unwrap_or_else(|| panic!("{word} is no instruction"));
        let given: Vec<&str> = rest
            .split(',')
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .collect();
        let mut operands = [0; 3];
        for (index, kind) in opcode.operands().into_iter().enumerate() {
            operands[index] = self.operand(kind, given.get(index).copied());
        }
        let [a, b, c] = operands;
        self.writer
            .instructions
            .push(Instruction::new(opcode, a, b, c));
    }

    fn operand(&mut self, kind: Operand, text: Option<&str>) -> u16 {
        let next = self.writer.instructions.len() as u16 + 1;
        match (kind, text) {
            (Operand::None, None) => 0,
            (Operand::Driver, Some(name)) => find(&self.drivers, name),
            (Operand::Task, Some(name)) => find(&self.tasks, name),
            (Operand::Predicate | Operand::Test, Some(text)) => {
                let predicate = self.predicate(text);
                self.writer.predicate(predicate)
            }
            (Operand::Predicate, None) => self
                .writer
                .predicate(Predicate::of(PredicateKind::Never, 0)),
            (Operand::Duration, Some(text)) => {
                let (nanos, remainder) = self.duration(text);
                self.writer.duration(nanos, remainder)
            }
            (Operand::Address, Some(label)) => self.label(label),
            (Operand::Address, None) => next,
            other => panic!("operand {other:?}"),
        }
    }

    fn duration(&self, text: &str) -> (u64, u32) {
        let (text, parts) = match text.split_once('/') {
            Some((text, parts)) => (text, parts.parse::<u64>().unwrap()),
            None => (text, 1),
        };
        let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
        let unit = match &text[digits.len()..] {
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            "us" => 1_000,
            "ns" => 1,
            other => panic!("{other} is no unit"),
        };
        let whole = digits.parse::<u64>().unwrap() * unit;
        let scale = self.writer.denominator as u64 / parts;
        (whole / parts, (whole % parts * scale) as u32)
    }

    fn predicate(&self, text: &str) -> Predicate {
        use PredicateKind::*;
        if let Some((word, rest)) = text.split_once('(') {
            let subject = rest.trim_end_matches(')').trim();
            return match word {
                "after" => {
                    let (nanos, remainder) = self.duration(subject);
                    Predicate::after(nanos, remainder)
                }
                "released" => Predicate::of(Released, find(&self.tasks, subject)),
                "completed" => Predicate::of(Completed, find(&self.tasks, subject)),
                "changed" => Predicate::of(Changed, find(&self.ports, subject)),
                "irq" => Predicate::of(Interrupt, find(&self.irqs, subject)),
                "message" => Predicate::of(Message, find(&self.mailboxes, subject)),
                "upcall" => Predicate::of(Upcall, find(&self.drivers, subject)),
                other => panic!("{other} is no predicate"),
            };
        }
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["true"] => Predicate::of(True, 0),
            ["never"] => Predicate::of(Never, 0),
            [port, sign, value] => {
                let (comparison, _) = Comparison::ALL
                    .into_iter()
                    .find(|(_, s)| s == sign)
                    .unwrap();
                let port = find(&self.ports, port);
                match *value {
                    "activation" => Predicate::activation(port, comparison),
                    value => Predicate::constant(port, comparison, self.raw(port, value)),
                }
            }
            _ => panic!("{text} is no predicate"),
        }
    }

    fn raw(&self, port: u16, text: &str) -> u64 {
        let symbol = &self.writer.ports[port as usize];
        match ValueType::from_code(symbol.value_type).unwrap() {
            ValueType::F32 => text.parse::<f32>().unwrap().to_bits() as u64,
            ValueType::F64 => text.parse::<f64>().unwrap().to_bits(),
            _ => {
                let bits = 8 * symbol.size.min(8) as u32;
                text.parse::<i128>().unwrap() as u64 & (u64::MAX >> (64 - bits))
            }
        }
    }
}
