//! Bounds: the longest way through every function, and through the kernel.

use crate::binary::Binary;
use crate::cost::Cost;
use crate::declarations::{Declarations, From, LeftOut};
use crate::error::Error;
use crate::expression::{Capacities, UnknownName};
use crate::pass::Pass;
use crate::program::{Program, address};
use crate::shape::Shape;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel that has been read, with its declarations.
pub struct Analysis {
    pub(crate) binary: Binary,
    pub(crate) declarations: Declarations,
    pub(crate) program: Program,
    pub(crate) kernel: Shape,
    pub(crate) shapes: BTreeMap<u64, Shape>,
}

/// The bound of one kind of entry.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The kind.
    pub kind: String,
    /// Measured operations of this kind.
    pub rows: Vec<String>,
    /// Where such a stretch begins.
    pub from: From,
    /// Most instructions until the kernel is left, waits, or looks at
    /// interrupts.
    pub instructions: Cost,
    /// Functions whose calls are counted apart, how often, and what that takes without
    /// other such functions, most first.
    pub calls: Vec<(String, u64, u64)>,
    /// Instructions that such a stretch may execute, by address.
    pub(crate) allowed: BTreeSet<u64>,
}

/// What was found of a kernel for one system.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// One a kind, in the order of the declarations.
    pub kinds: Vec<Bound>,
    /// Most instructions of each function that is called, with those of what it
    /// calls, most first.
    pub functions: Vec<(String, Cost)>,
    /// Declared loops that the kernel has, by their place among the declarations.
    pub used: BTreeSet<usize>,
    /// Functions of which it is declared how often a stretch calls them.
    pub calls: Vec<Called>,
}

/// A function whose calls in one stretch are declared.
#[derive(Clone, Debug)]
pub struct Called {
    /// The function.
    pub function: String,
    /// Where it begins.
    pub(crate) address: u64,
    /// How often it is called at most, by its declaration.
    pub most: u64,
}

impl Bound {
    /// A number by itself, which allows no instruction.
    pub fn new(kind: &str, from: From, instructions: u64) -> Bound {
        Bound {
            kind: kind.into(),
            rows: Vec::new(),
            from,
            instructions: Cost::number(instructions),
            calls: Vec::new(),
            allowed: BTreeSet::new(),
        }
    }
}

impl Analysis {
    /// Reads a kernel's functions.
    ///
    /// # Errors
    /// The entry is missing; a jump, call or loop that cannot be followed.
    pub fn new(binary: Binary, declarations: Declarations) -> Result<Analysis, Error> {
        let label = &declarations.entry;
        let Some(entry) = binary.label(label) else {
            let reason = format!("the kernel has no label `{label}`; `entry` names it");
            return Err(Error::Missing(reason));
        };
        let stops = declarations.stops();
        let stop = |at: u64| {
            let frames = binary.frames(at);
            let function = binary.function(at);
            frames.iter().any(|f| stops.contains(&&*f.function))
                || function.is_some_and(|f| stops.contains(&&*f.name))
        };
        let again = |at: u64| declarations.again(&binary.key(at));
        let program = Program::read(&binary, entry, &stop, &again)?;
        let kernel = Shape::of_kernel(&program, entry);
        let ordinary = program
            .order
            .iter()
            .filter(|p| !program.special.contains(p));
        let shapes = ordinary.map(|p| (*p, Shape::of(&program, *p))).collect();
        Ok(Analysis {
            binary,
            declarations,
            program,
            kernel,
            shapes,
        })
    }

    /// The bounds for a system with these capacities; with `shares` they know what
    /// each function has of them.
    ///
    /// # Errors
    /// Loops without a bound; a bound that names no capacity; a loop without a top.
    pub fn bounds(
        &self,
        capacities: &BTreeMap<String, u64>,
        shares: bool,
    ) -> Result<Bounds, Error> {
        let capacities = self.capacities(capacities)?;
        let everything = Pass::over(self, &capacities, LeftOut::default(), shares, true)?;
        let handlers = self.handlers();
        let mut kinds = Vec::new();
        for kind in &self.declarations.kind {
            self.declarations.check_through(kind, &handlers)?;
            let left_out = self.declarations.left_out(kind, &handlers);
            // What is counted apart is the most of each on different ways, so the longest
            // way with each call where it is may be shorter.
            let by_way = Pass::over(self, &capacities, left_out.clone(), shares, false)?;
            let apart = Pass::over(self, &capacities, left_out, shares, true)?;
            let mut bound = apart.bound(kind);
            let by_way = by_way.bound(kind).instructions;
            if by_way.value < bound.instructions.value {
                bound.instructions = by_way;
                bound.calls.clear();
            }
            let begins = self
                .kernel
                .sources
                .iter()
                .any(|(from, _)| *from == kind.from);
            if begins && bound.instructions.value == 0 {
                let reason = format!(
                    "`without` of the kind `{}` leaves no way through",
                    kind.name
                );
                return Err(Error::Missing(reason));
            }
            kinds.push(bound);
        }
        let functions = everything.functions();
        let calls = everything.called();
        Ok(Bounds {
            kinds,
            functions,
            used: everything.used,
            calls,
        })
    }

    /// What declarations call the functions of the tables through which an entry is
    /// dispatched.
    fn handlers(&self) -> Vec<String> {
        let blocks = self
            .program
            .procedures
            .values()
            .flat_map(|p| p.blocks.values());
        let callees = blocks.flat_map(|block| &block.callees);
        callees
            .map(|at| self.binary.key(address(*at)).to_string())
            .collect()
    }

    /// The system's capacities, and those that are made of them.
    fn capacities(&self, given: &BTreeMap<String, u64>) -> Result<Capacities, Error> {
        let mut all: Capacities = given
            .iter()
            .map(|(name, value)| (name.clone(), Cost::capacity(name, *value)))
            .collect();
        for capacity in &self.declarations.capacity {
            let cost = capacity.value.0.evaluate(&all);
            let cost = cost.map_err(|name| unknown(&capacity.name, &name, &all))?;
            all.insert(
                capacity.name.clone(),
                Cost::capacity(&capacity.name, cost.value),
            );
        }
        Ok(all)
    }

    /// The addresses of the kernel's code.
    pub fn code(&self) -> std::ops::Range<u64> {
        self.binary.code()
    }
}

/// An expression names what no capacity is called.
pub(crate) fn unknown(place: &str, name: &UnknownName, known: &Capacities) -> Error {
    Error::Capacity {
        place: place.into(),
        name: name.0.clone(),
        known: known.keys().cloned().collect::<Vec<_>>().join(", "),
    }
}
