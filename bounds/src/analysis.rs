//! Bounds: the longest way through every function, and through the kernel.

use crate::binary::Binary;
use crate::cost::Cost;
use crate::declarations::{Declarations, From};
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
    /// It stands for all others that begin there.
    pub(crate) stands_for_all: bool,
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

/// Whose a bound is.
#[derive(Clone, Debug)]
pub enum Shares {
    /// That is not kept.
    None,
    /// What each function of the source has of it by itself.
    Functions,
    /// What each call takes on the way through the kernel, and within functions of these
    /// names. (Each is counted where it is, so a bound may be greater than the least that is
    /// known.)
    Calls(Vec<String>),
}

impl Shares {
    /// Whether functions have shares.
    pub(crate) fn are_kept(&self) -> bool {
        !matches!(self, Shares::None)
    }

    /// Whether it is told what is called within a function.
    pub(crate) fn opens(&self, function: &str) -> bool {
        match self {
            Shares::Calls(opened) => opened.iter().any(|name| name == function),
            _ => false,
        }
    }
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
            stands_for_all: false,
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

    /// The bounds for a system with these capacities, and whose they are.
    ///
    /// # Errors
    /// Loops without a bound; a bound that names no capacity; a loop without a top.
    pub fn bounds(
        &self,
        capacities: &BTreeMap<String, u64>,
        shares: &Shares,
    ) -> Result<Bounds, Error> {
        let capacities = self.capacities(capacities)?;
        let everything = Pass::over(self, &capacities, shares, true)?;
        let everything_by_way = Pass::over(self, &capacities, shares, false)?;
        let handlers = self.handlers();
        let mut kinds = Vec::new();
        for kind in &self.declarations.kind {
            if kind.all {
                self.declarations.check_all(kind, &handlers)?;
                kinds.push(Bound {
                    rows: kind.rows.clone(),
                    stands_for_all: true,
                    ..Bound::new(&kind.name, kind.from, 0)
                });
                continue;
            }
            self.declarations.check_through(kind, &handlers)?;
            let left_out = self.declarations.left_out(kind, &handlers);
            // What is counted apart is the most of each on different ways, so the longest
            // way with each call where it is may be shorter.
            let by_way = everything_by_way.without(left_out.clone(), kind.from)?;
            let apart = everything.without(left_out, kind.from)?;
            let mut bound = apart.bound(kind);
            let by_way = by_way.bound(kind).instructions;
            let is_by_way = matches!(shares, Shares::Calls(_));
            if is_by_way || by_way.value < bound.instructions.value {
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
        stand_for_all(&mut kinds);
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

/// Kinds that stand for all others have the most of them.
fn stand_for_all(kinds: &mut [Bound]) {
    let (all, others): (Vec<&mut Bound>, Vec<_>) =
        kinds.iter_mut().partition(|kind| kind.stands_for_all);
    for kind in all {
        for other in others.iter().filter(|other| other.from == kind.from) {
            kind.allowed.extend(&other.allowed);
            if other.instructions.value > kind.instructions.value {
                kind.instructions = other.instructions.clone();
                kind.calls = other.calls.clone();
            }
        }
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
