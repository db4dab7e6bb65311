//! Names of programs, for editors: where each is declared and used.

use std::collections::BTreeMap;

use crate::diagnostic::Span;
use crate::tree::Name;

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A port that a device driver writes.
    Sensor,
    /// A port that a device driver reads.
    Actuator,
    /// A port that is written from outside.
    Input,
    /// A result of a task.
    Output,
    /// A result of a task that is not meant for other modules.
    Private,
    /// A task.
    Task,
    /// A driver.
    Driver,
    /// A mode.
    Mode,
    /// A parameter or state of one task or driver.
    Parameter,
    /// A clock.
    Clock,
    /// A variable that other tasks may read.
    Export,
    /// A variable of one task.
    State,
    /// A function that a task calls.
    Job,
}

impl Kind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Sensor => "sensor",
            Kind::Actuator => "actuator",
            Kind::Input => "input",
            Kind::Output => "output",
            Kind::Private => "private output",
            Kind::Task => "task",
            Kind::Driver => "driver",
            Kind::Mode => "mode",
            Kind::Parameter => "parameter",
            Kind::Clock => "clock",
            Kind::Export => "exported variable",
            Kind::State => "state",
            Kind::Job => "job",
        }
    }
}

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it names.
    pub kind: Kind,
    /// Its type, of a port or parameter.
    pub type_name: Option<String>,
    /// Where it is declared.
    pub declared: Span,
    /// Where else it stands.
    pub uses: Vec<Span>,
}

/// All names of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// In the order of declaration within each name space.
    pub symbols: Vec<Symbol>,
}

/// Names of one name space; of two equal ones the first counts.
pub(crate) type Space<'t> = BTreeMap<&'t str, usize>;

impl Index {
    /// The symbol whose name stands at a byte, and where that name stands there.
    pub fn at(&self, offset: usize) -> Option<(&Symbol, Span)> {
        self.symbols.iter().find_map(|symbol| {
            let mut places = std::iter::once(&symbol.declared).chain(&symbol.uses);
            let place = places.find(|span| span.start <= offset && offset <= span.end)?;
            Some((symbol, *place))
        })
    }

    pub(crate) fn add<'t>(
        &mut self,
        space: &mut Space<'t>,
        name: &'t Name,
        kind: Kind,
        type_name: Option<String>,
    ) {
        space.entry(&name.text).or_insert(self.symbols.len());
        self.symbols.push(Symbol {
            name: name.text.clone(),
            kind,
            type_name,
            declared: name.span,
            uses: Vec::new(),
        });
    }

    pub(crate) fn used(&mut self, symbol: Option<usize>, place: Span) {
        if let Some(symbol) = symbol.and_then(|symbol| self.symbols.get_mut(symbol)) {
            symbol.uses.push(place);
        }
    }
}
