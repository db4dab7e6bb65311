//! E code from a model.
//!
//! Each task has one trigger: the end of its window. What follows there is one
//! block, or two blocks of the same instant:
//!
//! ```text
//! end    results of the job become visible, actuators are written
//! way    tests, sensors, arguments, release of the next job; future(its end)
//! ```
//!
//! A task that reads sensors or other tasks' variables comes to its way by
//! `future(true)`: a trigger behind all whose window ends at this instant. So
//! what ends is copied before anything is read, whatever the order of tasks.
//!
//! Pieces are generated once, when something first leads to them, and shared by
//! address.

use std::collections::{BTreeMap, VecDeque};

use giornata_abi::Opcode;
use giornata_abi::module::{ModuleWriter, PortKind};

use super::Code;
use super::model::{Model, Node};
use super::symbols::Symbols;
use super::ways::{Mode, Next, Ways, next};
use crate::assembler::{Assembler, Label, TooLong};
use crate::diagnostic::{Findings, Span};
use crate::handlers::handlers;
use crate::options::Options;
use crate::position::positions;

/// Where a task stands: a node, and how.
type Place = (usize, Mode);

/// A piece of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// The window of a task ends, with its job if it has one; the way goes on there.
    End(usize, Option<usize>, Place),
    /// A task chooses its next window. At the start another task follows.
    Way(usize, Place, Option<usize>),
}

/// Generates the module. `None` if it is too big, which is then among the
/// findings. O(places).
pub(super) fn generate(
    model: &Model,
    writer: ModuleWriter,
    options: &Options,
    lines: &[usize],
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let mut generator = Generator {
        model,
        ways: model.tasks.iter().map(Ways::of).collect(),
        reads_others: vec![false; model.tasks.len()],
        symbols: Symbols::new(model, writer),
        code: Assembler::default(),
        labels: BTreeMap::new(),
        queue: VecDeque::new(),
    };
    for (index, job) in model.jobs.iter().enumerate() {
        generator.reads_others[job.task] |= model.reads_others(index);
    }
    generator.start();
    while let Some(piece) = generator.queue.pop_front() {
        if generator.code.is_full() || generator.symbols.tables.is_full() {
            break;
        }
        generator.piece(piece);
    }
    let span = model
        .tasks
        .first()
        .map_or(Span::default(), |task| task.span);
    let handlers = handlers(
        options,
        &mut generator.code,
        &mut generator.symbols.tables,
        span,
    );
    let too_many = generator.symbols.tables.is_full();
    let Some((code, spans)) = generator.code.finish().ok().filter(|_| !too_many) else {
        let help = "let loops run less often, or split the program";
        findings.report(Code::TooBig, span, TooLong.to_string(), help);
        return None;
    };
    let mut writer = generator.symbols.tables.writer;
    writer.handlers = handlers;
    writer.positions = positions(&spans, lines);
    writer.instructions = code;
    Some(writer.finish())
}

struct Generator<'m> {
    model: &'m Model,
    ways: Vec<Ways>,
    /// The tasks whose ways come behind the ends of all windows.
    reads_others: Vec<bool>,
    symbols: Symbols<'m>,
    code: Assembler,
    labels: BTreeMap<Piece, Label>,
    /// Pieces that something leads to, in the order of generation.
    queue: VecDeque<Piece>,
}

impl Generator<'_> {
    fn call(&mut self, driver: u16, span: Span) {
        self.code.emit(Opcode::Call, driver, 0, span);
    }

    /// The first values, then the first window of each task.
    fn start(&mut self) {
        for port in 0..self.model.ports.len() {
            if let Some(driver) = self.symbols.initialiser(port) {
                self.call(driver, self.model.ports[port].span);
            }
        }
        match self.first(0) {
            Some(piece) => self.piece(piece),
            None => self.code.emit(Opcode::Return, 0, 0, Span::default()),
        }
    }

    /// The first way of a task, behind which the others' follow.
    fn first(&self, task: usize) -> Option<Piece> {
        let declared = self.model.tasks.get(task)?;
        Some(Piece::Way(
            task,
            (declared.start, Mode::Free),
            Some(task + 1),
        ))
    }

    /// The label of a piece, which will be generated if it is not yet.
    fn lead_to(&mut self, piece: Piece) -> Label {
        if let Some(label) = self.labels.get(&piece) {
            return *label;
        }
        let label = self.code.label();
        self.labels.insert(piece, label);
        self.queue.push_back(piece);
        label
    }

    /// A piece and those that follow it, here, up to one that is there already.
    fn piece(&mut self, piece: Piece) {
        let (mut piece, mut is_first) = (Some(piece), true);
        while let Some(here) = piece {
            let label = self.lead_to(here);
            if self.code.is_placed(label) {
                if !is_first {
                    self.code.emit_to(Opcode::Jump, 0, label, self.span(here));
                }
                return;
            }
            if self.code.is_full() {
                return;
            }
            self.code.place(label);
            is_first = false;
            piece = match here {
                Piece::End(task, job, then) => self.end(task, job, then),
                Piece::Way(task, place, tail) => self.way(task, place, tail),
            };
        }
    }

    /// Where a piece comes from.
    fn span(&self, piece: Piece) -> Span {
        let (Piece::End(task, _, (node, _)) | Piece::Way(task, (node, _), _)) = piece;
        let task = &self.model.tasks[task];
        task.nodes[node].span().unwrap_or(task.span)
    }

    /// The end of a window. What follows in the same block.
    fn end(&mut self, task: usize, job: Option<usize>, then: Place) -> Option<Piece> {
        if let Some(job) = job {
            self.results(job);
        }
        let way = Piece::Way(task, then, None);
        if !self.reads_others[task] {
            return Some(way);
        }
        let (always, span) = (self.symbols.always(), self.span(way));
        let label = self.lead_to(way);
        self.code.emit_to(Opcode::Future, always, label, span);
        self.code.emit(Opcode::Return, 0, 0, span);
        None
    }

    /// The results of a job become visible, at the world too.
    fn results(&mut self, job: usize) {
        let declared = &self.model.jobs[job];
        if let Some(driver) = self.symbols.outputs(job) {
            self.call(driver, declared.span);
        }
        for port in &declared.writes {
            if self.model.ports[*port].kind == PortKind::Actuator {
                let device = self.symbols.device(*port);
                self.call(device, declared.span);
            }
        }
    }

    /// A node of a way. What follows in the same block.
    fn way(&mut self, task: usize, (node, mode): Place, tail: Option<usize>) -> Option<Piece> {
        let declared = &self.model.tasks[task];
        let to = |place| Piece::Way(task, place, tail);
        match (
            next(declared, &self.ways[task], node, mode),
            declared.nodes[node],
        ) {
            (
                Next::Now(node, mode),
                Node::Note {
                    from,
                    to: port,
                    span,
                    ..
                },
            ) => {
                let driver = self.symbols.note(from, port);
                self.call(driver, span);
                Some(to((node, mode)))
            }
            (Next::Now(node, mode), _) => Some(to((node, mode))),
            (
                Next::Either([holds, fails]),
                Node::Test {
                    port,
                    comparison,
                    constant,
                    span,
                    ..
                },
            ) => {
                let test = self.symbols.test(port, comparison, constant);
                let label = self.lead_to(to(holds));
                self.code.emit_to(Opcode::Branch, test, label, span);
                Some(to(fails))
            }
            (Next::Window { job, width, then }, _) => {
                let span = self.span(to((node, mode)));
                self.window(task, (job, width), then, span);
                let next = tail.and_then(|task| self.first(task));
                if next.is_none() {
                    self.code.emit(Opcode::Return, 0, 0, span);
                }
                next
            }
            // (the checks have refused what leads nowhere)
            _ => {
                self.code.emit(Opcode::Return, 0, 0, declared.span);
                None
            }
        }
    }

    /// A window begins.
    fn window(&mut self, task: usize, (job, width): (Option<usize>, u64), then: Place, span: Span) {
        if let Some(index) = job {
            let job = &self.model.jobs[index];
            for port in &job.reads {
                if self.model.ports[*port].kind == PortKind::Sensor {
                    let device = self.symbols.device(*port);
                    self.call(device, span);
                }
            }
            if let Some(driver) = self.symbols.inputs(index) {
                self.call(driver, span);
            }
            let deadline = self.symbols.tables.duration((width, 0));
            let job = index as u16;
            self.code.emit(Opcode::Release, job, deadline, span);
        }
        let after = self.symbols.tables.after((width, 0));
        let end = self.lead_to(Piece::End(task, job, then));
        self.code.emit_to(Opcode::Future, after, end, span);
    }
}
