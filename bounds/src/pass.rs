//! One walk over all functions, callees first: what each takes at most.

use crate::analysis::{Analysis, Bound, Called, Shares, unknown};
use crate::binary::Frame;
use crate::cost::Cost;
use crate::declarations::{From, Kind, LeftOut, Place};
use crate::error::Error;
use crate::expression::Capacities;
use crate::graph::{Exit, Graph, Irreducible, Loop, Node, Rounds};
use crate::procedure::Third;
use crate::program::address;
use crate::shape::{Call, Shape, Site};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The capacity that a loop may be bounded by: the third argument of the call,
/// by convention the length of what is copied or filled.
const LENGTH: &str = "length";

/// A graph, and the longest way from each of its sources to each exit.
type Longest = (Graph, BTreeMap<(usize, Exit), Cost>);

/// A block: its first and last instruction, how many it has, and what it calls.
type Block = ((Option<u64>, Option<u64>), usize, Option<u64>);

/// The walk, without the functions that a kind of entry does not execute.
pub(crate) struct Pass<'a> {
    analysis: &'a Analysis,
    capacities: &'a Capacities,
    left_out: LeftOut,
    /// Whether a block belongs to it or calls it: graphs are made of the same blocks again and
    /// again.
    known_left_out: RefCell<HashMap<Block, bool>>,
    /// A walk that leaves nothing out: what a function takes there, it takes here, too, unless
    /// it or what it calls is left out.
    base: Option<&'a Pass<'a>>,
    /// Functions of which something is left out.
    cut: BTreeSet<u64>,
    /// Where the ways through the kernel begin that count; all do, if that is not said.
    from: Option<From>,
    /// What costs know of whose they are.
    shares: &'a Shares,
    /// Longest way through a function, by its third argument if that counts;
    /// nothing if none returns.
    costs: HashMap<(u64, Option<u64>), Option<Cost>>,
    /// Functions whose loops are bounded by the third argument.
    by_length: BTreeSet<u64>,
    /// Functions whose calls are counted apart, and how many a stretch has at most.
    apart: BTreeMap<u64, Option<Cost>>,
    /// The same of one call of a function: what it calls, and how often at most.
    within: BTreeMap<u64, Vec<(u64, Cost)>>,
    kernel: Longest,
    /// Declared loops that were met.
    pub(crate) used: BTreeSet<usize>,
    undeclared: BTreeMap<u64, String>,
}

impl<'a> Pass<'a> {
    /// Walks over a kernel for a system of these capacities; `apart`: calls that are declared
    /// are counted apart, else where they are.
    ///
    /// # Errors
    /// Loops without a bound; a bound that names no capacity; a loop without a top.
    pub(crate) fn over(
        analysis: &'a Analysis,
        capacities: &'a Capacities,
        shares: &'a Shares,
        apart: bool,
    ) -> Result<Pass<'a>, Error> {
        let mut pass = Pass::new(analysis, capacities, shares);
        if apart {
            pass.read_calls()?;
        }
        pass.walk()
    }

    /// Walks as this one, which leaves nothing out, but without the functions that a kind of
    /// entry does not execute, and only from where it begins.
    ///
    /// # Errors
    /// As `over`.
    pub(crate) fn without(&'a self, left_out: LeftOut, from: From) -> Result<Pass<'a>, Error> {
        let pass = Pass {
            left_out,
            base: Some(self),
            from: Some(from),
            by_length: self.by_length.clone(),
            apart: self.apart.clone(),
            within: self.within.clone(),
            ..Pass::new(self.analysis, self.capacities, self.shares)
        };
        pass.walk()
    }

    fn new(analysis: &'a Analysis, capacities: &'a Capacities, shares: &'a Shares) -> Pass<'a> {
        Pass {
            analysis,
            capacities,
            left_out: LeftOut::default(),
            known_left_out: RefCell::default(),
            base: None,
            cut: BTreeSet::new(),
            from: None,
            shares,
            costs: HashMap::new(),
            by_length: BTreeSet::new(),
            apart: BTreeMap::new(),
            within: BTreeMap::new(),
            kernel: (Graph::default(), BTreeMap::new()),
            used: BTreeSet::new(),
            undeclared: BTreeMap::new(),
        }
    }

    fn walk(mut self) -> Result<Pass<'a>, Error> {
        self.run()?;
        if self.undeclared.is_empty() {
            return Ok(self);
        }
        let loops = self.undeclared.into_values().collect();
        Err(Error::Undeclared { loops })
    }

    /// Counts everything.
    fn run(&mut self) -> Result<(), Error> {
        let analysis = self.analysis;
        for at in &analysis.program.order {
            if let Some(shape) = analysis.shapes.get(at) {
                if self.is_cut(shape) {
                    self.cut.insert(*at);
                }
                let name = analysis.program.procedures[at].name.clone();
                if self.base.is_none() && self.is_by_length(shape, &name)? {
                    self.by_length.insert(*at);
                }
                if !self.by_length.contains(at) {
                    self.count(*at, shape, None)?;
                }
            }
        }
        let begins = |from: From| self.from.is_none_or(|only| only == from);
        let sources = analysis.kernel.sources.iter();
        let sources: Vec<usize> = sources
            .filter(|(from, at)| begins(*from) && !self.lies_in_left_out(*at))
            .map(|(_, at)| *at)
            .collect();
        let entry = &analysis.declarations.entry;
        self.kernel = self.longest(&analysis.kernel, entry, &sources, None)?;
        Ok(())
    }

    /// Whether a place on the way through the kernel lies in a call of a function that is not
    /// executed.
    fn lies_in_left_out(&self, site: usize) -> bool {
        let unfolded = self.analysis.kernel.unfolded.iter();
        unfolded
            .filter(|(_, sites)| sites.contains(&site))
            .any(|(function, _)| {
                let binary = &self.analysis.binary;
                self.left_out.has(&[&binary.key(address(*function))])
            })
    }

    /// Whether something of a function is left out, or of what it calls.
    fn is_cut(&self, shape: &Shape) -> bool {
        let has_length = |site: &Site| {
            let last = site.instructions.last();
            let frames = last.map(|at| self.analysis.binary.frames(*at));
            frames.is_some_and(|frames| self.left_out.most(&functions(frames.iter())).is_some())
        };
        let mut calls = shape.sites.iter().filter_map(|site| site.call);
        calls.any(|call| self.cut.contains(&call.callee))
            || shape
                .sites
                .iter()
                .any(|site| self.is_left_out(site) || has_length(site))
    }

    /// Finds the functions whose calls are declared.
    fn read_calls(&mut self) -> Result<(), Error> {
        let analysis = self.analysis;
        for declared in &analysis.declarations.calls {
            let most = declared.most.0.evaluate(self.capacities);
            let most = most.map_err(|name| unknown(&declared.function, &name, self.capacities))?;
            for at in self.named(&declared.function) {
                let apart = self.apart.entry(at).or_default();
                match &declared.within {
                    None => *apart = Some(most.clone()),
                    Some(caller) => {
                        for caller in self.named(caller) {
                            let within = self.within.entry(caller).or_default();
                            within.push((at, most.clone()));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The functions of the binary that declarations call so.
    fn named(&self, name: &str) -> Vec<u64> {
        let is_it = |at: &&u64| *self.analysis.binary.key(address(**at)) == *name;
        let all = self.analysis.shapes.keys();
        all.filter(is_it).copied().collect()
    }

    /// The functions whose calls are declared, with their most.
    pub(crate) fn called(&self) -> Vec<Called> {
        let called = self.apart.iter().filter_map(|(at, most)| {
            Some(Called {
                function: self.analysis.binary.key(address(*at)).to_string(),
                address: address(*at),
                most: most.as_ref()?.value,
            })
        });
        called.collect()
    }

    /// A cost with what is counted apart, callers before what they call: each function as
    /// often as declared, or as the ways through the kernel call it if that is less.
    fn whole(&self, cost: &Cost) -> (Cost, Vec<(String, u64, u64)>) {
        let (mut whole, mut calls) = (cost.without_calls(), cost.calls().clone());
        let mut told = Vec::new();
        for at in self.analysis.program.order.iter().rev() {
            let (Some(most), Some(own)) = (self.apart.get(at), calls.remove(at)) else {
                continue;
            };
            let one = self.costs.get(&(*at, None)).cloned().flatten();
            let times = match most {
                Some(most) => most.clone().least(own.times),
                None => own.times,
            };
            let all = times.times(&one.unwrap_or_default());
            let function = self.analysis.binary.key(address(*at)).to_string();
            told.push((function, times.value, all.value));
            for (function, inner) in all.calls() {
                let place = calls.entry(*function).or_default();
                place.times = place.times.plus(&inner.times);
            }
            whole = whole.plus(&all.without_calls());
        }
        told.sort_by_key(|(_, _, taken)| std::cmp::Reverse(*taken));
        (whole, told)
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
        let graph = self.graph(shape, &|_, _| Some(Cost::default()));
        let loops = self.loops(shape, &graph, &sources)?;
        let places = shape.places(&analysis.binary, &loops, name);
        let declared = places
            .iter()
            .filter_map(|place| analysis.declarations.passes(place));
        let mut formulas = declared.filter_map(|at| analysis.declarations.loops[at].formula());
        Ok(formulas.any(|formula| formula.mentions(LENGTH)))
    }

    fn count(&mut self, at: u64, shape: &Shape, length: Option<u64>) -> Result<(), Error> {
        let whole = self.base.filter(|_| !self.cut.contains(&at));
        if let Some(cost) = whole.and_then(|base| base.costs.get(&(at, length))) {
            self.costs.insert((at, length), cost.clone());
            return Ok(());
        }
        let name = self.analysis.program.procedures[&at].name.clone();
        let [(_, source)] = shape.sources[..] else {
            return Ok(());
        };
        let (_, longest) = self.longest(shape, &name, &[source], length)?;
        let mut cost = longest.get(&(source, Exit::Return)).cloned();
        for (function, most) in self.within.get(&at).into_iter().flatten() {
            if let Some(cost) = &mut cost {
                cost.limit_calls(*function, most);
            }
        }
        self.costs.insert((at, length), cost);
        Ok(())
    }

    /// Counts the functions that are called with a length in a graph, whose own
    /// third argument may be known.
    fn count_lengths(&mut self, shape: &Shape, third: Option<u64>) -> Result<(), Error> {
        let analysis = self.analysis;
        for (site, call) in shape
            .sites
            .iter()
            .filter_map(|site| Some((site, site.call?)))
        {
            let length = self.length(site, call, third);
            let is_new = !self.costs.contains_key(&(call.callee, length));
            if self.by_length.contains(&call.callee) && is_new {
                self.count(call.callee, &analysis.shapes[&call.callee], length)?;
            }
        }
        Ok(())
    }

    /// The length that a function is called with, if that counts and is known.
    fn length(&self, site: &Site, call: Call, third: Option<u64>) -> Option<u64> {
        if !self.by_length.contains(&call.callee) {
            return None;
        }
        let known = match call.third {
            Third::Unknown => None,
            Third::Known(length) => Some(length),
            Third::Passed => third,
        };
        let declared = || {
            let frames = self.analysis.binary.frames(*site.instructions.last()?);
            let functions = functions(frames.iter());
            let declared = || self.analysis.declarations.most(&functions);
            let most = self.left_out.most(&functions).or_else(declared)?;
            let mut capacities = self.capacities.clone();
            if let Some(third) = third {
                capacities.insert(LENGTH.into(), Cost::number(third));
            }
            Some(most.evaluate(&capacities).ok()?.value)
        };
        known.or_else(declared)
    }

    fn longest(
        &mut self,
        shape: &Shape,
        name: &str,
        sources: &[usize],
        length: Option<u64>,
    ) -> Result<Longest, Error> {
        self.count_lengths(shape, length)?;
        let opened = self.shares.opens(last(name));
        let graph = self.graph(shape, &|site, call| {
            let cost = self.cost_of(site, call, length)?;
            let callee = last(&self.analysis.program.procedures[&call.callee].name);
            Some(match opened && !self.shares.opens(callee) {
                true => cost.shared_by(format!("{} > {callee}", last(name)).into()),
                false => cost,
            })
        });
        let mut longest = BTreeMap::new();
        let mut known = HashMap::new();
        // One source after the other: one behind a look may lie in a loop, which then is
        // entered from there and at its top.
        for source in sources {
            let loops = self.loops_from(shape, &graph, *source, &mut known)?;
            longest.extend(self.longest_from(shape, &graph, name, (*source, &loops), length)?);
        }
        Ok((graph, longest))
    }

    /// The loops on the ways from a source; `known`: those from others.
    fn loops_from(
        &self,
        shape: &Shape,
        graph: &Graph,
        source: usize,
        known: &mut HashMap<usize, Option<Rc<[Loop]>>>,
    ) -> Result<Rc<[Loop]>, Error> {
        let mut own = || -> Result<Rc<[Loop]>, Error> {
            if let Some(Some(loops)) = known.get(&source) {
                return Ok(loops.clone());
            }
            let loops = self.loops(shape, graph, &[source]).map(Rc::from);
            known.insert(source, loops.as_ref().ok().cloned());
            loops
        };
        let own = own();
        // What comes behind a look in the middle of a loop goes on there. Seen from there the
        // loop has another top, which may lie in another function and be taken for its
        // loop, or several. It then is entered at its top, as from another source: the
        // rest of a pass is no more than a pass, and its top has been reached once before.
        let (outer, inner): (Vec<usize>, Vec<usize>) = shape
            .sources
            .iter()
            .map(|(_, other)| *other)
            .partition(|other| *other < shape.own);
        // (those that lie deep in the kernel only if there is no other way)
        let inner = inner.into_iter().filter(|_| own.is_err());
        for other in outer.into_iter().filter(|o| *o != source).chain(inner) {
            let loops = known
                .entry(other)
                .or_insert_with(|| graph.loops(&[other]).ok().map(Rc::from));
            if let Some(loops) = loops
                && graph.is_without_other_loops(source, loops)
            {
                return Ok(loops.clone());
            }
        }
        own
    }

    /// The longest way from a source, with the loops on its ways, to each exit.
    fn longest_from(
        &mut self,
        shape: &Shape,
        graph: &Graph,
        name: &str,
        (source, loops): (usize, &[Loop]),
        length: Option<u64>,
    ) -> Result<BTreeMap<(usize, Exit), Cost>, Error> {
        let places = shape.places(&self.analysis.binary, loops, name);
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
        Ok(graph.longest(&[source], loops, &rounds))
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
    fn graph(&self, shape: &Shape, called: &dyn Fn(&Site, Call) -> Option<Cost>) -> Graph {
        let nodes = shape.sites.iter().map(|site| {
            let own = self.own(site);
            let cost = match site.call {
                Some(call) => called(site, call).map(|cost| cost.plus(&own)),
                None => Some(own),
            };
            let is_live = cost.is_some() && !self.is_left_out(site);
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

    /// What a block takes by itself.
    fn own(&self, site: &Site) -> Cost {
        let mut shares: BTreeMap<Rc<str>, u64> = BTreeMap::new();
        for at in site.instructions.iter().filter(|_| self.shares.are_kept()) {
            let frames = self.analysis.binary.frames(*at);
            let own = frames.iter().rfind(|frame| frame.names_a_function());
            let function = match own.or(frames.last()) {
                Some(frame) => frame.function.clone(),
                None => "assembly".into(),
            };
            *shares.entry(function).or_default() += 1;
        }
        Cost::shared(site.instructions.len() as u64, shares)
    }

    fn cost_of(&self, site: &Site, call: Call, third: Option<u64>) -> Option<Cost> {
        if self.apart.contains_key(&call.callee) {
            let taking = self.costs.get(&(call.callee, None))?.as_ref()?;
            return Some(Cost::call(call.callee, taking));
        }
        let key = (call.callee, self.length(site, call, third));
        // (what a whole function calls with a length was counted in the base only)
        let base = self.base.filter(|_| !self.cut.contains(&call.callee));
        let cost = self.costs.get(&key);
        cost.or_else(|| base?.costs.get(&key)).cloned().flatten()
    }

    /// Whether a block belongs to a function that is not executed, or calls it.
    fn is_left_out(&self, site: &Site) -> bool {
        if self.left_out.is_empty() {
            return false;
        }
        // (the way through the kernel parts blocks which are one in their function)
        let instructions = &site.instructions;
        let ends = (instructions.first().copied(), instructions.last().copied());
        let block = (ends, instructions.len(), site.call.map(|call| call.callee));
        if let Some(known) = self.known_left_out.borrow().get(&block) {
            return *known;
        }
        let is_left_out = self.look_whether_left_out(site);
        self.known_left_out.borrow_mut().insert(block, is_left_out);
        is_left_out
    }

    /// The same, by the names of functions.
    fn look_whether_left_out(&self, site: &Site) -> bool {
        let binary = &self.analysis.binary;
        if let Some(first) = site.instructions.first() {
            // (assembly has labels only)
            if self.left_out.has(&[&binary.name(*first)]) {
                return true;
            }
            // (where a function begins it is known whose it is, whatever was made one with
            // other functions behind)
            let begins = binary.function(*first).is_some_and(|f| f.start == *first);
            if begins && self.left_out.has(&[&binary.key(*first)]) {
                return true;
            }
        }
        let chains = site.instructions.iter().map(|at| binary.frames(*at));
        let mut known = chains.filter(|frames| !frames.is_empty()).peekable();
        if known.peek().is_some()
            && known.all(|frames| self.left_out.has(&functions(frames.iter())))
        {
            return true;
        }
        let Some(call) = site.call else {
            return false;
        };
        // (a function into which nothing was inlined may be known by its symbol only)
        if self.left_out.has(&[&binary.key(address(call.callee))]) {
            return true;
        }
        let callee = binary.frames(address(call.callee));
        let called = callee.first();
        // (an entry of a table stands alone)
        let caller = site.instructions.last().map(|at| binary.frames(*at));
        let caller = caller.iter().flat_map(|frames| frames.iter());
        self.left_out.has(&functions(caller.chain(called)))
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

    /// What each function takes with what it calls, most first.
    pub(crate) fn functions(&self) -> Vec<(String, Cost)> {
        let mut costs: HashMap<u64, Cost> = HashMap::new();
        for ((at, _), cost) in &self.costs {
            let (cost, _) = self.whole(&cost.clone().unwrap_or_default());
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

    /// The bound of a kind of entry.
    pub(crate) fn bound(&self, kind: &Kind) -> Bound {
        let analysis = self.analysis;
        let sources: Vec<usize> = analysis
            .kernel
            .sources
            .iter()
            .filter(|(from, at)| *from == kind.from && !self.lies_in_left_out(*at))
            .map(|(_, at)| *at)
            .collect();
        let (graph, longest) = &self.kernel;
        let (mut instructions, mut calls) = (Cost::default(), Vec::new());
        for ((source, _), cost) in longest {
            if sources.contains(source) {
                let (whole, told) = self.whole(cost);
                if whole.value >= instructions.value {
                    (instructions, calls) = (whole, told);
                }
            }
        }
        Bound {
            kind: kind.name.clone(),
            rows: kind.rows.clone(),
            from: kind.from,
            instructions,
            calls,
            stands_for_all: false,
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
                let graph = self.graph(shape, &|site, call| self.cost_of(site, call, None));
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

/// The last part of a function's name.
fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The functions of the kernel among frames.
fn functions<'f>(frames: impl Iterator<Item = &'f Frame>) -> Vec<&'f str> {
    let own = frames.filter(|frame| frame.names_a_function());
    own.map(|frame| &*frame.function).collect()
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
