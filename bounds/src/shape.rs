//! Functions as graphs: one of its own for each that is called, and one for the
//! way through the kernel, into which those that leave it, wait in it or look
//! at interrupts are unfolded where they are called.

use crate::binary::{Binary, Frame};
use crate::declarations::{From, Place};
use crate::graph::{Exit, Loop};
use crate::procedure::{End, Third};
use crate::program::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// A function that is called and counted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) callee: u64,
    /// Its third argument.
    pub(crate) third: Third,
}

/// A block at its place in a graph.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) instructions: Vec<u64>,
    pub(crate) call: Option<Call>,
    pub(crate) exit: Option<Exit>,
    pub(crate) next: Vec<usize>,
}

/// A graph of blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) sites: Vec<Site>,
    /// Where it is entered.
    pub(crate) sources: Vec<(From, usize)>,
    /// So many of the first sites are of its own function, the others of those that are
    /// unfolded.
    pub(crate) own: usize,
    /// The functions that are unfolded, each with its sites and those of what it calls.
    pub(crate) unfolded: Vec<(u64, Range<usize>)>,
}

impl Shape {
    /// A function by itself.
    pub(crate) fn of(program: &Program, procedure: u64) -> Shape {
        let mut shape = Shape::default();
        let entry = shape.unfold(program, procedure, None, &|_| false);
        shape.sources.push((From::Trap, entry));
        shape
    }

    /// The way through the kernel: cut where interrupts are looked at and where
    /// the hart waits, so that each way through it is a stretch in which
    /// interrupts are off and nobody looks at them.
    pub(crate) fn of_kernel(program: &Program, entry: u64) -> Shape {
        let mut shape = Shape::default();
        let first = shape.unfold(program, entry, None, &|callee| {
            program.special.contains(&callee)
        });
        shape.own = program.procedures[&entry].blocks.len();
        let mut sources = BTreeSet::from([(From::Trap, first)]);
        for site in &mut shape.sites {
            let from = match site.exit {
                Some(Exit::Look) => From::Look,
                Some(Exit::Wait) => From::Wait,
                _ => continue,
            };
            sources.extend(site.next.drain(..).map(|next| (from, next)));
        }
        shape.sources = sources.into_iter().collect();
        shape
    }

    /// Adds the blocks of a function; `after` is where control goes when it
    /// returns, none if that is out of the graph. Answers the first block.
    fn unfold(
        &mut self,
        program: &Program,
        function: u64,
        after: Option<&[usize]>,
        inline: &dyn Fn(u64) -> bool,
    ) -> usize {
        let procedure = &program.procedures[&function];
        let base = self.sites.len();
        let index: BTreeMap<u64, usize> = procedure.blocks.keys().copied().zip(base..).collect();
        for block in procedure.blocks.values() {
            self.sites.push(Site {
                instructions: block.instructions.clone(),
                call: None,
                exit: None,
                next: block.next.iter().map(|next| index[next]).collect(),
            });
        }
        for (address, block) in &procedure.blocks {
            let at = index[address];
            match block.end {
                End::Flow | End::Stop => {}
                End::Leave => self.sites[at].exit = Some(Exit::Leave),
                End::Wait => self.sites[at].exit = Some(Exit::Wait),
                End::Look => self.sites[at].exit = Some(Exit::Look),
                End::Return => self.give_back(at, after),
                End::Call(callee) if inline(callee) => {
                    let next = self.sites[at].next.clone();
                    let entry = self.unfold(program, callee, Some(&next), inline);
                    self.sites[at].next = vec![entry];
                }
                End::Tail(callee) if inline(callee) => {
                    let entry = self.unfold(program, callee, after, inline);
                    self.sites[at].next = vec![entry];
                }
                End::Dispatch => {
                    let next = self.sites[at].next.clone();
                    let enter = |callee: &u64| match inline(*callee) {
                        true => self.unfold(program, *callee, Some(&next), inline),
                        false => self.enter(*callee, &next),
                    };
                    let entries = block.callees.iter().map(enter).collect();
                    self.sites[at].next = entries;
                }
                End::Call(callee) | End::Tail(callee) => {
                    let third = block.third;
                    self.sites[at].call = Some(Call { callee, third });
                    if block.end == End::Tail(callee) && program.returns(callee) {
                        self.give_back(at, after);
                    }
                }
            }
        }
        self.unfolded.push((function, base..self.sites.len()));
        index[&procedure.entry]
    }

    /// Adds a site that calls one function of a table. Answers it.
    fn enter(&mut self, callee: u64, next: &[usize]) -> usize {
        self.sites.push(Site {
            instructions: Vec::new(),
            call: Some(Call {
                callee,
                third: Third::Unknown,
            }),
            exit: None,
            next: next.to_vec(),
        });
        self.sites.len() - 1
    }

    fn give_back(&mut self, at: usize, after: Option<&[usize]>) {
        let site = &mut self.sites[at];
        match after {
            Some(after) => site.next = after.to_vec(),
            None => site.exit = Some(Exit::Return),
        }
    }

    /// Where loops stand in the source, in their order.
    pub(crate) fn places(&self, binary: &Binary, all: &[Loop], procedure: &str) -> Vec<Place> {
        let mut places: Vec<Place> = all
            .iter()
            .map(|found| {
                // (a loop of assembly is called by the label at its top, if it has one)
                let top = self.sites[found.top].instructions.first();
                let label = top.and_then(|at| binary.label_at(*at));
                let name = label.as_deref().unwrap_or(procedure);
                Place::of(&self.frames(binary, found, all), name)
            })
            .collect();
        for (index, found) in all.iter().enumerate() {
            let around = all.iter().zip(&places).filter(|(other, place)| {
                other.top != found.top
                    && found.nodes.is_subset(&other.nodes)
                    && place.function == places[index].function
            });
            let around = around.count();
            places[index].nesting += around;
        }
        places
    }

    /// The functions of the source around a loop: those that all of its own
    /// instructions belong to. Those without a line do not count: the compiler has
    /// made one of several. The lines are those of some instruction.
    fn frames(&self, binary: &Binary, found: &Loop, all: &[Loop]) -> Vec<Frame> {
        let inner = all
            .iter()
            .filter(|other| other.top != found.top && found.nodes.contains(&other.top));
        let nested: BTreeSet<usize> = inner
            .filter(|other| other.nodes.is_subset(&found.nodes))
            .flat_map(|other| other.nodes.iter().copied())
            .collect();
        let own = found.nodes.difference(&nested);
        let instructions = own.flat_map(|site| &self.sites[*site].instructions);
        // (of functions that were put in place, that of its top counts)
        let function = |at: &u64| binary.function(*at).map(|function| function.start);
        let top = self.sites[found.top].instructions.first();
        let instructions =
            instructions.filter(|at| top.is_none_or(|top| function(top) == function(at)));
        let mut chains: Vec<_> = instructions
            .map(|at| binary.frames(*at))
            .filter(|frames| frames.last().is_some_and(|frame| !frame.is_merged()))
            .collect();
        let mut frames: Vec<Frame> = Vec::new();
        let Some(first) = chains.pop() else {
            return frames;
        };
        for (depth, frame) in first.iter().enumerate() {
            let is_same = |chain: &Rc<[Frame]>| {
                chain
                    .get(depth)
                    .is_some_and(|f| f.function == frame.function)
            };
            if !chains.iter().all(is_same) {
                break;
            }
            frames.push(frame.clone());
        }
        frames
    }
}
