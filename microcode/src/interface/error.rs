//! Why a module cannot be linked, and what to do about it.

use core::fmt::{Display, Formatter};

use crate::verify::VerifyError;

/// The kind of a symbol: one table of the module each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Tasks.
    Task,
    /// Drivers.
    Driver,
    /// Ports.
    Port,
    /// Interrupts.
    Interrupt,
    /// Mailboxes.
    Mailbox,
}

/// What a program slot has a limited amount of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Room for instructions.
    Instructions,
    /// Room for predicates.
    Predicates,
    /// Room for durations.
    Durations,
    /// Microcode steps in one instant.
    Steps,
    /// Slots of the trigger queue.
    Triggers,
    /// Slots of the thread set.
    Threads,
}

/// How two symbols of one name differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The function behind it.
    Function,
    /// Its kind, of port or driver.
    Kind,
    /// The type of its value.
    Type,
    /// The ports it reads.
    Reads,
    /// The ports it writes.
    Writes,
    /// The ports of its state.
    States,
}

/// Why a module cannot be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkError<'m> {
    /// The verifier rejects it.
    Rejected(VerifyError),
    /// The interface has no such symbol, or fewer of that name.
    Missing(SymbolKind, &'m str),
    /// The interface has a symbol of that name with another meaning.
    Differs(SymbolKind, &'m str, Difference),
    /// The code tests whether this port, which holds the index of a task or
    /// driver, is less or greater than a constant.
    Ordered(&'m str),
    /// The module can need more than the slot has.
    LimitExceeded {
        /// Of what.
        resource: Resource,
        /// How much it can need.
        needed: u32,
        /// How much it may use.
        allowed: u32,
    },
    /// The map is shorter than [`map_needed`](super::map_needed) says.
    MapTooShort,
}

impl SymbolKind {
    /// The word for a symbol of this kind.
    pub const fn name(self) -> &'static str {
        match self {
            SymbolKind::Task => "task",
            SymbolKind::Driver => "driver",
            SymbolKind::Port => "port",
            SymbolKind::Interrupt => "interrupt",
            SymbolKind::Mailbox => "mailbox",
        }
    }
}

impl Resource {
    /// The words for it, and what to do where there is too little.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Resource::Instructions => ("instructions", "make it shorter"),
            Resource::Predicates => ("predicates", "wait for fewer things"),
            Resource::Durations => ("durations", "use fewer deadlines"),
            Resource::Steps => ("steps in one instant", "do less in one"),
            Resource::Triggers => ("triggers at once", "wait for less at a time"),
            Resource::Threads => ("threads at once", "fork less"),
        }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Difference::Function => "is another function",
            Difference::Kind => "is of another kind",
            Difference::Type => "has another type",
            Difference::Reads => "reads other ports",
            Difference::Writes => "writes other ports",
            Difference::States => "has another state",
        })
    }
}

impl Display for LinkError<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match *self {
            LinkError::Rejected(why) => write!(f, "{why}"),
            LinkError::Missing(kind, name) => {
                let kind = kind.name();
                write!(
                    f,
                    "the interface of the program has no {kind} `{name}`; use one that it declares, or declare it there and build the system again"
                )
            }
            LinkError::Differs(kind, name, what) => {
                let kind = kind.name();
                write!(
                    f,
                    "{kind} `{name}` {what} than in the interface of the program; declare it as it is there"
                )
            }
            LinkError::Ordered(name) => write!(
                f,
                "port `{name}` names a task or driver, which has no order; compare it with == or !="
            ),
            LinkError::LimitExceeded {
                resource,
                needed,
                allowed,
            } => {
                let (what, remedy) = resource.words();
                write!(
                    f,
                    "the module can need {needed} {what}, {allowed} are allowed; {remedy}, or give the program more in the system file"
                )
            }
            LinkError::MapTooShort => {
                f.write_str("not enough memory for the map; give as much as `map_needed` says")
            }
        }
    }
}

impl core::error::Error for LinkError<'_> {}
