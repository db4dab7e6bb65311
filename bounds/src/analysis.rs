//! Bounds: the longest way through every function, and through the kernel.

use crate::binary::{Binary, Frame};
use crate::cost::Cost;
use crate::declarations::{Declarations, From, Kind, Place};
use crate::error::Error;
use crate::expression::{Capacities, UnknownName};
use crate::graph::{Exit, Graph, Irreducible, Loop, Node, Rounds};
use crate::procedure::Third;
use crate::program::Program;
use crate::shape::{Call, Shape};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The capacity that a loop may be bounded by: the third argument of the call,
/// by convention the length of what is copied or filled.
const LENGTH: &str = "length";

/// A kernel that has been read, with its declarations.
pub struct Analysis {
    pub(crate) binary: Binary,
    pub(crate) declarations: Declarations,
    program: Program,
    kernel: Shape,
    shapes: BTreeMap<u64, Shape>,
}

/// The bound of one kind of entry.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The kind.
    pub kind: String,
    /// Where such a stretch begins.
    pub from: From,
    /// Most instructions until the kernel is left, waits, or looks at
    /// interrupts.
    pub instructions: Cost,
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
        let program = Program::read(&binary, entry, &stop)?;
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

    /// The bounds for a system with these capacities.
    ///
    /// # Errors
    /// Loops without a bound; a bound that names no capacity; a loop without a top.
    pub fn bounds(&self, capacities: &BTreeMap<String, u64>) -> Result<Bounds, Error> {
        let capacities = self.capacities(capacities)?;
        let (everything, used) = self.pass(&capacities, &[])?;
        let mut kinds = Vec::new();
        for kind in &self.declarations.kind {
            let (pass, _) = self.pass(&capacities, &kind.without)?;
            kinds.push(pass.bound(kind));
        }
        let functions = everything.functions();
        Ok(Bounds {
            kinds,
            functions,
            used,
        })
    }

    fn pass<'a>(
        &'a self,
        capacities: &'a Capacities,
        without: &'a [String],
    ) -> Result<(Pass<'a>, BTreeSet<usize>), Error> {
        let mut pass = Pass {
            analysis: self,
            capacities,
            without,
            costs: HashMap::new(),
            by_length: BTreeSet::new(),
            kernel: (Graph::default(), BTreeMap::new()),
            used: BTreeSet::new(),
            undeclared: BTreeMap::new(),
        };
        pass.run()?;
        if !pass.undeclared.is_empty() {
            let loops = std::mem::take(&mut pass.undeclared).into_values().collect();
            return Err(Error::Undeclared { loops });
        }
        let used = std::mem::take(&mut pass.used);
        Ok((pass, used))
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

fn unknown(place: &str, name: &UnknownName, known: &Capacities) -> Error {
    Error::Capacity {
        place: place.into(),
        name: name.0.clone(),
        known: known.keys().cloned().collect::<Vec<_>>().join(", "),
    }
}

/// A graph, and the longest way from each of its sources to each exit.
type Longest = (Graph, BTreeMap<(usize, Exit), Cost>);

/// One walk over all functions, callees first, without those that a kind of
/// entry does not execute.
struct Pass<'a> {
    analysis: &'a Analysis,
    capacities: &'a Capacities,
    without: &'a [String],
    /// Longest way through a function, by its third argument if that counts;
    /// nothing if none returns.
    costs: HashMap<(u64, Option<u64>), Option<Cost>>,
    /// Functions whose loops are bounded by the third argument.
    by_length: BTreeSet<u64>,
    kernel: Longest,
    used: BTreeSet<usize>,
    undeclared: BTreeMap<u64, String>,
}

impl Pass<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let analysis = self.analysis;
        for at in &analysis.program.order {
            if let Some(shape) = analysis.shapes.get(at) {
                let name = analysis.program.procedures[at].name.clone();
                if self.is_by_length(shape, &name)? {
                    self.by_length.insert(*at);
                } else {
                    self.count(*at, shape, None)?;
                }
            }
        }
        let sources: Vec<usize> = analysis.kernel.sources.iter().map(|(_, at)| *at).collect();
        let entry = &analysis.declarations.entry;
        self.kernel = self.longest(&analysis.kernel, entry, &sources, None)?;
        Ok(())
    }

    /// Whether a function's loops are bounded by its third argument. Such a
    /// function is counted for each length that it is called with.
    fn is_by_length(&self, shape: &Shape, name: &str) -> Result<bool, Error> {
        let analysis = self.analysis;
        let mut calls = shape.sites.iter().filter_map(|site| site.call);
        if calls.any(|c| c.third == Third::Passed && self.by_length.contains(&c.callee)) {
            return Ok(true);
        }
        let sources: Vec<usize> = shape.sources.iter().map(|(_, at)| *at).collect();
        let graph = self.graph(shape, &|_| Some(Cost::default()));
        let loops = self.loops(shape, &graph, &sources)?;
        let places = shape.places(&analysis.binary, &loops, name);
        let declared = places
            .iter()
            .filter_map(|place| analysis.declarations.passes(place));
        let mut formulas = declared.filter_map(|at| analysis.declarations.loops[at].formula());
        Ok(formulas.any(|formula| formula.mentions(LENGTH)))
    }

    fn count(&mut self, at: u64, shape: &Shape, length: Option<u64>) -> Result<(), Error> {
        let name = self.analysis.program.procedures[&at].name.clone();
        let [(_, source)] = shape.sources[..] else {
            return Ok(());
        };
        let (_, longest) = self.longest(shape, &name, &[source], length)?;
        let cost = longest.get(&(source, Exit::Return)).cloned();
        self.costs.insert((at, length), cost);
        Ok(())
    }

    /// Counts the functions that are called with a length in a graph, whose own
    /// third argument may be known.
    fn count_lengths(&mut self, shape: &Shape, third: Option<u64>) -> Result<(), Error> {
        let analysis = self.analysis;
        for call in shape.sites.iter().filter_map(|site| site.call) {
            let length = self.length(call, third);
            let is_new = !self.costs.contains_key(&(call.callee, length));
            if self.by_length.contains(&call.callee) && is_new {
                self.count(call.callee, &analysis.shapes[&call.callee], length)?;
            }
        }
        Ok(())
    }

    /// The length that a function is called with, if that counts and is known.
    fn length(&self, call: Call, third: Option<u64>) -> Option<u64> {
        let length = match call.third {
            Third::Unknown => None,
            Third::Known(length) => Some(length),
            Third::Passed => third,
        };
        length.filter(|_| self.by_length.contains(&call.callee))
    }

    fn longest(
        &mut self,
        shape: &Shape,
        name: &str,
        sources: &[usize],
        length: Option<u64>,
    ) -> Result<Longest, Error> {
        self.count_lengths(shape, length)?;
        let graph = self.graph(shape, &|call| self.cost_of(call, length));
        let loops = self.loops(shape, &graph, sources)?;
        let places = shape.places(&self.analysis.binary, &loops, name);
        let mut rounds = HashMap::new();
        for (index, found) in loops.iter().enumerate() {
            let around = |function: &String| {
                let mut others = loops.iter().zip(&places);
                let outer = others.find(|(other, place)| {
                    other.nodes.len() > found.nodes.len()
                        && found.nodes.is_subset(&other.nodes)
                        && place.function == *function
                });
                outer.map(|(other, _)| other.top)
            };
            let at = graph.nodes[found.top].address;
            rounds.insert(found.top, self.rounds(at, &places[index], &around, length)?);
        }
        let longest = graph.longest(sources, &loops, &rounds);
        Ok((graph, longest))
    }

    fn loops(&self, shape: &Shape, graph: &Graph, sources: &[usize]) -> Result<Vec<Loop>, Error> {
        graph.loops(sources).map_err(|Irreducible(node)| {
            let at = shape
                .sites
                .get(node)
                .and_then(|site| site.instructions.first());
            let place = at.map_or_else(String::new, |at| self.analysis.binary.place(*at));
            Error::Irreducible { place }
        })
    }

    /// The blocks that are executed, with what each takes; `called` says what a
    /// function takes, nothing if it does not return.
    fn graph(&self, shape: &Shape, called: &dyn Fn(Call) -> Option<Cost>) -> Graph {
        let nodes = shape.sites.iter().map(|site| {
            let own = Cost::number(site.instructions.len() as u64);
            let cost = match site.call {
                Some(call) => called(call).map(|cost| cost.plus(&own)),
                None => Some(own),
            };
            let is_live = cost.is_some() && !self.is_left_out(&site.instructions);
            Node {
                address: site.instructions.first().copied().unwrap_or(0),
                cost: cost.unwrap_or_default(),
                exit: site.exit.filter(|_| is_live),
                next: if is_live {
                    site.next.clone()
                } else {
                    Vec::new()
                },
            }
        });
        let graph = Graph {
            nodes: nodes.collect(),
        };
        graph.without_dead_ends()
    }

    fn cost_of(&self, call: Call, third: Option<u64>) -> Option<Cost> {
        let length = self.length(call, third);
        self.costs.get(&(call.callee, length)).cloned().flatten()
    }

    /// Whether a block belongs to a function that is not executed.
    fn is_left_out(&self, instructions: &[u64]) -> bool {
        let mut frames = instructions
            .iter()
            .map(|at| self.analysis.binary.frames(*at))
            .filter(|frames| !frames.is_empty())
            .peekable();
        let is_out = |frame: &Frame| self.without.iter().any(|out| **out == *frame.function);
        !self.without.is_empty()
            && frames.peek().is_some()
            && frames.all(|frames| frames.iter().any(is_out))
    }

    /// How often a loop goes round; `around` finds the loop of a function around it.
    fn rounds(
        &mut self,
        at: u64,
        place: &Place,
        around: &dyn Fn(&String) -> Option<usize>,
        length: Option<u64>,
    ) -> Result<Rounds, Error> {
        let declarations = &self.analysis.declarations;
        let Some(index) = declarations.passes(place) else {
            self.undeclared.insert(at, undeclared(at, place));
            return Ok(Rounds {
                passes: Cost::number(1),
                is_body: false,
                total_in: None,
            });
        };
        self.used.insert(index);
        let declared = &declarations.loops[index];
        let mut capacities = self.capacities.clone();
        if let Some(length) = length {
            capacities.insert(LENGTH.into(), Cost::number(length));
        }
        let passes = declared
            .formula()
            .map(|formula| formula.evaluate(&capacities));
        let passes = passes.unwrap_or(Ok(Cost::default()));
        Ok(Rounds {
            passes: passes.map_err(|name| unknown(&declared.function, &name, &capacities))?,
            is_body: declared.times.is_some(),
            total_in: declared.total_in.as_ref().and_then(around),
        })
    }

    fn functions(&self) -> Vec<(String, Cost)> {
        let mut costs: HashMap<u64, Cost> = HashMap::new();
        for ((at, _), cost) in &self.costs {
            let cost = cost.clone().unwrap_or_default();
            cost.raise(costs.entry(*at).or_default());
        }
        let named = costs.into_iter().map(|(at, cost)| {
            let name = &self.analysis.program.procedures[&at].name;
            (name.to_string(), cost)
        });
        let mut functions: Vec<_> = named.collect();
        functions.sort_by(|(a, x), (b, y)| y.value.cmp(&x.value).then_with(|| a.cmp(b)));
        functions
    }

    fn bound(&self, kind: &Kind) -> Bound {
        let analysis = self.analysis;
        let sources: Vec<usize> = analysis
            .kernel
            .sources
            .iter()
            .filter(|(from, _)| *from == kind.from)
            .map(|(_, at)| *at)
            .collect();
        let (graph, longest) = &self.kernel;
        let mut instructions = Cost::default();
        for ((source, _), cost) in longest {
            if sources.contains(source) {
                cost.clone().raise(&mut instructions);
            }
        }
        Bound {
            kind: kind.name.clone(),
            from: kind.from,
            instructions,
            allowed: self.executed(&analysis.kernel, graph, &sources),
        }
    }

    /// All instructions that are executed on some way from the sources.
    fn executed(&self, shape: &Shape, graph: &Graph, sources: &[usize]) -> BTreeSet<u64> {
        let mut executed = BTreeSet::new();
        let mut called = BTreeSet::new();
        let mut work = self.collect(shape, graph, sources, &mut executed);
        while let Some(callee) = work.pop() {
            let Some(shape) = self.analysis.shapes.get(&callee) else {
                continue;
            };
            if called.insert(callee) {
                let graph = self.graph(shape, &|call| self.cost_of(call, None));
                let sources: Vec<usize> = shape.sources.iter().map(|(_, at)| *at).collect();
                work.extend(self.collect(shape, &graph, &sources, &mut executed));
            }
        }
        executed
    }

    /// Adds the instructions of one graph; answers what it calls.
    fn collect(
        &self,
        shape: &Shape,
        graph: &Graph,
        sources: &[usize],
        executed: &mut BTreeSet<u64>,
    ) -> Vec<u64> {
        let mut called = Vec::new();
        for node in graph.reached(sources) {
            let live = !graph.nodes[node].next.is_empty() || graph.nodes[node].exit.is_some();
            if live {
                executed.extend(&shape.sites[node].instructions);
                called.extend(shape.sites[node].call.map(|call| call.callee));
            }
        }
        called
    }
}

/// What to declare for a loop.
fn undeclared(at: u64, place: &Place) -> String {
    let Place {
        function,
        line,
        around,
        nesting,
    } = place;
    format!(
        "  {function}, {line} ({at:#x})\n    \
         it lies in {}; loops of {function} around it, itself counted: {nesting}\n    \
         declare how often its top is reached, the test that ends it counted:\n    \
         [[loop]]\n    function = \"{function}\"\n    passes = \"...\"\n    why = \"...\"",
        around.join(" > ")
    )
}
