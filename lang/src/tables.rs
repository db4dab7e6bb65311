//! The tables of a module under construction, each entry made once.

use std::collections::BTreeMap;

use giornata_abi::module::{DriverKind, DriverSymbol, ModuleWriter, PortKind, PortSymbol};
use giornata_abi::{Predicate, ValueType};

/// A table has at most this many entries, so that every index and count fits.
const MOST: usize = 65_000;

/// Ports, drivers, predicates and durations.
pub(crate) struct Tables {
    pub(crate) writer: ModuleWriter,
    predicates: BTreeMap<(u8, u16, u64, u32), u16>,
    durations: BTreeMap<(u64, u32), u16>,
    violation: Option<[u16; 2]>,
}

/// The scalar type of a name; opaque where it names none.
pub(crate) fn value_type(name: &str) -> ValueType {
    let mut scalars = ValueType::ALL.into_iter().filter(|t| t.size().is_some());
    let found = scalars.find(|scalar| scalar.name() == name);
    found.unwrap_or(ValueType::Opaque)
}

impl Tables {
    /// Empty ones.
    pub(crate) fn new(writer: ModuleWriter) -> Tables {
        Tables {
            writer,
            predicates: BTreeMap::new(),
            durations: BTreeMap::new(),
            violation: None,
        }
    }

    /// Whether a table has outgrown the format.
    pub(crate) fn is_full(&self) -> bool {
        let w = &self.writer;
        [
            w.ports.len(),
            w.drivers.len(),
            w.tasks.len(),
            w.predicates.len(),
            w.durations.len(),
        ]
        .iter()
        .any(|n| *n > MOST)
    }

    /// Adds a port.
    pub(crate) fn port(&mut self, name: &str, type_name: &str, kind: PortKind) -> u16 {
        let value_type = value_type(type_name);
        let (name, type_name) = (self.writer.text(name), self.writer.text(type_name));
        let size = value_type.size().unwrap_or(0);
        let (kind, value_type) = (kind as u8, value_type as u8);
        self.writer.ports.push(PortSymbol {
            name,
            type_name,
            kind,
            value_type,
            size,
            reserved: 0,
        });
        (self.writer.ports.len() - 1) as u16
    }

    /// Adds a driver.
    pub(crate) fn driver(&mut self, symbol: DriverSymbol) -> u16 {
        self.writer.drivers.push(symbol);
        (self.writer.drivers.len() - 1) as u16
    }

    /// A driver that is a function.
    pub(crate) fn function(
        &mut self,
        name: &str,
        function: &str,
        reads: &[u16],
        writes: &[u16],
        wcet: u64,
    ) -> DriverSymbol {
        DriverSymbol {
            name: self.writer.text(name),
            function: self.writer.text(function),
            reads: self.writer.list(reads),
            writes: self.writer.list(writes),
            wcet,
            kind: DriverKind::Function as u32,
            reserved: 0,
        }
    }

    /// A driver that copies.
    pub(crate) fn copy(&mut self, name: &str, reads: &[u16], writes: &[u16]) -> DriverSymbol {
        let symbol = self.function(name, "", reads, writes, 0);
        DriverSymbol {
            kind: DriverKind::Copy as u32,
            ..symbol
        }
    }

    /// Adds the driver that a violation runs: it gets the task and the driver involved.
    pub(crate) fn handler(&mut self, function: &str) -> u16 {
        let number = ValueType::U16.name();
        let ports = match self.violation {
            Some(ports) => ports,
            None => [
                self.port("violation.task", number, PortKind::ViolationTask),
                self.port("violation.driver", number, PortKind::ViolationDriver),
            ],
        };
        self.violation = Some(ports);
        let name = format!("{function}.handler");
        let symbol = self.function(&name, function, &ports, &[], 0);
        self.driver(symbol)
    }

    /// The index of a predicate.
    pub(crate) fn predicate(&mut self, predicate: Predicate) -> u16 {
        let next = self.writer.predicates.len() as u16;
        let key = (
            predicate.comparison,
            predicate.subject,
            predicate.value,
            predicate.remainder,
        );
        let index = *self
            .predicates
            .entry((key.0 + 16 * predicate.kind, key.1, key.2, key.3))
            .or_insert(next);
        if index == next {
            self.writer.predicates.push(predicate);
        }
        index
    }

    /// `after(nanos + remainder)`.
    pub(crate) fn after(&mut self, (nanos, remainder): (u64, u32)) -> u16 {
        self.predicate(Predicate::after(nanos, remainder))
    }

    /// A deadline.
    pub(crate) fn duration(&mut self, (nanos, remainder): (u64, u32)) -> u16 {
        let next = self.writer.durations.len() as u16;
        let index = *self.durations.entry((nanos, remainder)).or_insert(next);
        if index == next {
            self.writer.duration(nanos, remainder);
        }
        index
    }
}
