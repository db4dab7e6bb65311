//! E code from a model.
//!
//! A program at an instant is in a *state*: a mode, the time since the mode's
//! beginning, and the tasks that are *absent*, that is, which the mode would be
//! in the middle of had it not been entered there. Three pieces of code belong
//! to a state, each a tail of the one before:
//!
//! ```text
//! block  outputs of ending tasks        reached by `future`
//! body   actuators, sensors, switches   reached by the start block
//! tail   inputs, releases, future       reached by a switch
//! ```
//!
//! Pieces are generated once, when something first leads to them, and shared
//! by address. An absent task is absent until its next boundary: neither its
//! outputs are copied (no job computed them), nor does it count as running at
//! a switch. All tasks are absent at the start.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use giornata_abi::id::NONE;
use giornata_abi::module::{ModuleWriter, PortKind};
use giornata_abi::{Comparison, Opcode};

use super::model::{Invoke, Mode, Model, Update};
use super::symbols::Symbols;
use super::timing::{Timing, Units};
use super::{Code, Options};
use crate::assembler::{Assembler, Label, TooLong};
use crate::diagnostic::{Findings, Span};
use crate::handlers::handlers;
use crate::position::positions;
use crate::steps::most_steps;

/// Where a program stands at an instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    mode: usize,
    /// Time since the mode's beginning.
    phase: Units,
    /// Tasks in the middle of whose period the program is, though they do not run.
    absent: BTreeSet<usize>,
}

/// A piece of code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Block(State),
    Body(State),
    /// With the sensors that must still be read.
    Tail(State, BTreeSet<usize>),
    /// The state that is left, and which of its mode's exits leads away.
    Switch(State, usize),
}

/// Generates the module. `None` if it is too big, which is then among the
/// findings. O(instants * lines) where no mode is entered in its middle.
pub(super) fn generate(
    model: &Model,
    timing: &Timing,
    writer: ModuleWriter,
    options: &Options,
    lines: &[usize],
    findings: &mut Findings,
) -> Option<Vec<u8>> {
    let mut generator = Generator {
        model,
        timing,
        symbols: Symbols::new(model, writer),
        code: Assembler::default(),
        labels: BTreeMap::new(),
        queue: VecDeque::new(),
        round: None,
        too_close: None,
    };
    generator.start();
    generator.drain();
    let handlers = handlers(
        options,
        &mut generator.code,
        &mut generator.symbols.tables,
        model.start_span,
    );
    generator.finish(handlers, lines, findings)
}

struct Generator<'m> {
    model: &'m Model,
    timing: &'m Timing,
    symbols: Symbols<'m>,
    code: Assembler,
    labels: BTreeMap<Piece, Label>,
    /// Pieces that something leads to, in the order of generation.
    queue: VecDeque<Piece>,
    /// The block that begins each round of the start mode.
    round: Option<Label>,
    /// A mode that a switch enters less than 1 ns before an instant.
    too_close: Option<usize>,
}

impl<'m> Generator<'m> {
    fn mode(&self, state: &State) -> &'m Mode {
        &self.model.modes[state.mode]
    }

    fn call(&mut self, driver: u16, span: Span) {
        self.code.emit(Opcode::Call, driver, 0, span);
    }

    /// The initial values, then the start mode: no output is there to be copied.
    fn start(&mut self) {
        for port in 0..self.model.ports.len() {
            if let Some(driver) = self.symbols.initialiser(port) {
                self.call(driver, self.model.ports[port].span);
            }
        }
        let mode = self.model.start;
        let state = State {
            mode,
            phase: 0,
            absent: BTreeSet::new(),
        };
        self.round = Some(self.lead_to(Piece::Block(state.clone())));
        let body = self.lead_to(Piece::Body(state));
        self.code
            .emit_to(Opcode::Jump, 0, body, self.model.start_span);
    }

    fn drain(&mut self) {
        while let Some(piece) = self.queue.pop_front() {
            if self.code.is_full() || self.symbols.tables.is_full() {
                return;
            }
            let label = self.lead_to(piece.clone());
            if !self.code.is_placed(label) {
                self.code.place(label);
                self.piece(piece);
            }
        }
    }

    /// The label of a piece, which will be generated if it is not yet.
    fn lead_to(&mut self, piece: Piece) -> Label {
        if let Some(label) = self.labels.get(&piece) {
            return *label;
        }
        let label = self.code.label();
        self.labels.insert(piece.clone(), label);
        self.queue.push_back(piece);
        label
    }

    /// Goes on with a piece: here, or where it is already.
    fn go_on(&mut self, piece: Piece, span: Span) {
        let label = self.lead_to(piece.clone());
        if self.code.is_placed(label) {
            self.code.emit_to(Opcode::Jump, 0, label, span);
        } else {
            self.code.place(label);
            self.piece(piece);
        }
    }

    fn piece(&mut self, piece: Piece) {
        match piece {
            Piece::Block(state) => self.block(state),
            Piece::Body(state) => self.body(state),
            Piece::Tail(state, sensors) => self.tail(state, &sensors),
            Piece::Switch(state, exit) => self.switch(&state, exit),
        }
    }

    fn step(&self, state: &State, frequency: u64) -> Units {
        self.timing.modes[state.mode].step(frequency)
    }

    fn is_due(&self, state: &State, frequency: u64) -> bool {
        self.timing.modes[state.mode].is_due(frequency, state.phase)
    }

    fn due_invokes(&self, state: &State) -> Vec<&'m Invoke> {
        self.mode(state)
            .invokes
            .iter()
            .filter(|invoke| self.is_due(state, invoke.frequency.value))
            .collect()
    }

    fn due_updates(&self, state: &State) -> Vec<&'m Update> {
        self.mode(state)
            .updates
            .iter()
            .filter(|update| self.is_due(state, update.frequency.value))
            .collect()
    }

    /// The exits tested here; none comes after one that is always taken.
    fn due_exits(&self, state: &State) -> Vec<usize> {
        let exits = &self.mode(state).exits;
        let mut due: Vec<usize> = (0..exits.len())
            .filter(|i| self.is_due(state, exits[*i].frequency.value))
            .collect();
        let certain = due
            .iter()
            .position(|i| self.model.drivers[exits[*i].driver].guard.is_none());
        due.truncate(certain.map_or(due.len(), |at| at + 1));
        due
    }

    fn block(&mut self, state: State) {
        let span = self.mode(&state).span;
        let mut absent = state.absent.clone();
        for invoke in self.due_invokes(&state) {
            if absent.remove(&invoke.task) {
                continue;
            }
            if let Some(driver) = self.symbols.outputs(invoke.task) {
                self.call(driver, invoke.span);
            }
        }
        self.go_on(Piece::Body(State { absent, ..state }), span);
    }

    fn body(&mut self, state: State) {
        for update in self.due_updates(&state) {
            self.update(update);
        }
        for sensor in self.sensors_of_body(&state) {
            self.read(sensor);
        }
        for index in self.due_exits(&state) {
            let exit = &self.mode(&state).exits[index];
            let piece = self.way_out(&state, index);
            let Some((guard, port)) = self.symbols.guard(exit.driver) else {
                return self.go_on(piece, exit.span);
            };
            self.call(guard, exit.span);
            let taken = self.symbols.answered(port, Comparison::Equal);
            let label = self.lead_to(piece);
            self.code.emit_to(Opcode::Branch, taken, label, exit.span);
        }
        let span = self.mode(&state).span;
        self.go_on(Piece::Tail(state, BTreeSet::new()), span);
    }

    fn update(&mut self, update: &Update) {
        let skip = self.skip_unless(update.driver, update.span);
        if let Some(driver) = self
            .symbols
            .action(update.driver, &[update.actuator as u16])
        {
            self.call(driver, update.span);
        }
        let device = self.symbols.device(update.actuator);
        self.call(device, update.span);
        self.land(skip);
    }

    /// Tests a driver's guard, if it has one, and leads past what follows if
    /// the answer is not true.
    fn skip_unless(&mut self, driver: usize, span: Span) -> Option<Label> {
        let (guard, port) = self.symbols.guard(driver)?;
        self.call(guard, span);
        let test = self.symbols.answered(port, Comparison::NotEqual);
        let label = self.code.label();
        self.code.emit_to(Opcode::Branch, test, label, span);
        Some(label)
    }

    fn land(&mut self, skip: Option<Label>) {
        if let Some(label) = skip {
            self.code.place(label);
        }
    }

    fn read(&mut self, sensor: usize) {
        let driver = self.symbols.device(sensor);
        self.call(driver, self.model.ports[sensor].span);
    }

    /// Adds the sensors that a driver's guard and function read.
    fn add_sensors(&self, driver: usize, sensors: &mut BTreeSet<usize>) {
        let driver = &self.model.drivers[driver];
        let guard = driver
            .guard
            .iter()
            .flat_map(|guard| guard.reads.iter().copied());
        let all = guard.chain(driver.action.sources());
        sensors.extend(all.filter(|port| self.model.ports[*port].kind == PortKind::Sensor));
    }

    /// The sensors that anything reads at this instant if no switch happens.
    fn sensors_of_body(&self, state: &State) -> BTreeSet<usize> {
        let mut sensors = self.sensors_of_tail(state);
        for update in self.due_updates(state) {
            self.add_sensors(update.driver, &mut sensors);
        }
        for exit in self.due_exits(state) {
            self.add_sensors(self.mode(state).exits[exit].driver, &mut sensors);
        }
        sensors
    }

    fn sensors_of_tail(&self, state: &State) -> BTreeSet<usize> {
        let mut sensors = BTreeSet::new();
        for invoke in self.due_invokes(state) {
            self.add_sensors(invoke.driver, &mut sensors);
        }
        sensors
    }

    /// The code of a switch; one that sets nothing is only its target's.
    fn way_out(&self, state: &State, index: usize) -> Piece {
        let exit = &self.mode(state).exits[index];
        match self.model.drivers[exit.driver].action.is_nothing() {
            true => self.arrival(state, exit.target),
            false => Piece::Switch(state.clone(), index),
        }
    }

    fn switch(&mut self, state: &State, index: usize) {
        let exit = &self.mode(state).exits[index];
        let bound: Vec<u16> = exit.sets.iter().map(|port| *port as u16).collect();
        if let Some(driver) = self.symbols.action(exit.driver, &bound) {
            self.call(driver, exit.span);
        }
        self.go_on(self.arrival(state, exit.target), exit.span);
    }

    /// What a switch into `mode` goes on with.
    fn arrival(&self, state: &State, mode: usize) -> Piece {
        let target = self.target(state, mode);
        let read = self.sensors_of_body(state);
        let missing = self
            .sensors_of_tail(&target)
            .difference(&read)
            .copied()
            .collect();
        Piece::Tail(target, missing)
    }

    /// Where a switch leads: as far on as the tasks that go on allow.
    fn target(&self, state: &State, mode: usize) -> State {
        let invokes = &self.mode(state).invokes;
        let running = invokes.iter().filter(|invoke| self.runs(state, invoke));
        let running: BTreeSet<usize> = running.map(|invoke| invoke.task).collect();
        let times = &self.timing.modes[mode];
        let theirs = &self.model.modes[mode].invokes;
        let going_on = theirs
            .iter()
            .filter(|invoke| running.contains(&invoke.task));
        let phase = times.entry(
            state.phase,
            going_on.map(|invoke| times.step(invoke.frequency.value)),
        );
        let middle = theirs
            .iter()
            .filter(|invoke| !times.is_due(invoke.frequency.value, phase));
        let absent = middle
            .map(|invoke| invoke.task)
            .filter(|task| !running.contains(task))
            .collect();
        State {
            mode,
            phase,
            absent,
        }
    }

    /// Whether the task is logically running: in its period's middle, and there.
    fn runs(&self, state: &State, invoke: &Invoke) -> bool {
        !self.is_due(state, invoke.frequency.value) && !state.absent.contains(&invoke.task)
    }

    fn tail(&mut self, state: State, sensors: &BTreeSet<usize>) {
        sensors.iter().for_each(|sensor| self.read(*sensor));
        let due = self.due_invokes(&state);
        for invoke in &due {
            self.load(invoke);
        }
        for invoke in &due {
            let period = self.timing.split(self.step(&state, invoke.frequency.value));
            let (task, deadline) = (
                self.symbols.task(invoke.task),
                self.symbols.tables.duration(period),
            );
            self.code.emit(Opcode::Release, task, deadline, invoke.span);
        }
        self.wait(state);
    }

    /// Runs the input driver of a task.
    fn load(&mut self, invoke: &Invoke) {
        let inputs = self.symbols.task_inputs(invoke.task);
        if self.model.drivers[invoke.driver].action.is_nothing() {
            return;
        }
        let skip = self.skip_unless(invoke.driver, invoke.span);
        if let Some(driver) = self.symbols.action(invoke.driver, &inputs) {
            self.call(driver, invoke.span);
        }
        self.land(skip);
    }

    /// Leads to the next instant and ends the block.
    fn wait(&mut self, state: State) {
        let times = &self.timing.modes[state.mode];
        let span = self.mode(&state).period.span;
        let next = times.next(state.phase);
        let distance = next - state.phase;
        if distance < Units::from(self.timing.denominator) {
            self.too_close = Some(state.mode);
        }
        let after = self.symbols.tables.after(self.timing.split(distance));
        let block = self.lead_to(Piece::Block(State {
            phase: next % times.period,
            ..state
        }));
        self.code.emit_to(Opcode::Future, after, block, span);
        self.code.emit(Opcode::Return, 0, 0, span);
    }

    fn finish(
        self,
        handlers: [u16; 4],
        lines: &[usize],
        findings: &mut Findings,
    ) -> Option<Vec<u8>> {
        if let Some(mode) = self.too_close {
            let mode = &self.model.modes[mode];
            let message = format!(
                "a switch enters mode `{}` less than 1 ns before an instant",
                mode.name
            );
            findings.report(
                Code::Instants,
                mode.span,
                message,
                "lengthen the periods or lower the frequencies",
            );
            return None;
        }
        let too_many = self.symbols.tables.is_full();
        let round = self.round.and_then(|label| self.code.address(label));
        let Some((code, spans)) = self.code.finish().ok().filter(|_| !too_many) else {
            let help = "divide the period and every frequency of the longest mode by a common factor, or split the program";
            findings.report(
                Code::TooBig,
                self.model.start_span,
                TooLong.to_string(),
                help,
            );
            return None;
        };
        let mut writer = self.symbols.into_writer();
        writer.denominator = self.timing.denominator;
        writer.max_steps = most_steps(&code, &handlers, writer.tasks.len() as u32);
        writer.handlers = handlers;
        (writer.round, writer.resume) = (round.unwrap_or(NONE), round.unwrap_or(NONE));
        writer.positions = positions(&spans, lines);
        writer.instructions = code;
        Some(writer.finish())
    }
}
