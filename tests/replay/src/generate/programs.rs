//! Random programs: rounds after Giotto's pattern, with modes, with S code, and
//! reactions to events.

use super::{CLASSES, MEMBERS, Plan, SLOTS};
use crate::program::{Instruction, Program, When};
use crate::random::Random;
use crate::system::{Driver, Place, Role, System};

/// The first device register.
const REGISTERS: u32 = 0x4000_0000;
/// The second program's rounds begin so many ticks beside those of the first.
const OFFSET: u64 = 50;

/// Adds ports, drivers and programs for the tasks of a system.
pub(super) fn draw(random: &mut Random, plan: Plan, system: &mut System) {
    system.ports = random.between(2, 5) as usize;
    let all = system.threads.iter().enumerate();
    let tasks: Vec<usize> = all
        .filter(|(_, thread)| matches!(thread.role, Role::Task { .. }))
        .map(|(index, _)| index)
        .collect();
    let split = match tasks.len() > 1 && random.one_in(3) {
        true => 1 + random.index(tasks.len() - 1),
        false => tasks.len(),
    };
    let (first, second) = tasks.split_at(split);
    for (number, tasks) in [first, second].into_iter().enumerate() {
        if tasks.is_empty() {
            continue;
        }
        let mut author = Author {
            random: &mut *random,
            plan,
            system: &mut *system,
            number,
            all: first,
            tasks,
            program: Program::default(),
        };
        author.write();
        let program = author.program;
        system.programs.push(program);
    }
}

/// Who writes one program.
struct Author<'a> {
    random: &'a mut Random,
    plan: Plan,
    system: &'a mut System,
    number: usize,
    /// The tasks of the first program.
    all: &'a [usize],
    tasks: &'a [usize],
    program: Program,
}

/// What happens at the beginning of a round, beside outputs and inputs.
struct Surroundings {
    /// Drivers called between the outputs and the inputs.
    between: Vec<usize>,
}

impl Author<'_> {
    fn write(&mut self) {
        let trigger = match self.number {
            0 => self.event(),
            _ => None,
        };
        match trigger {
            Some(trigger) => self.write_reaction(trigger),
            None => self.write_rounds(),
        }
        if self.random.one_in(3) {
            self.write_handler();
        }
    }

    // --- parts ---

    fn emit(&mut self, instruction: Instruction) -> usize {
        self.program.code.push(instruction);
        self.program.code.len() - 1
    }

    fn here(&self) -> usize {
        self.program.code.len()
    }

    fn driver(&mut self, driver: Driver) -> usize {
        self.system.drivers.push(driver);
        self.system.drivers.len() - 1
    }

    fn port(&mut self) -> usize {
        self.random.index(self.system.ports)
    }

    fn register(&mut self) -> u32 {
        REGISTERS + 4 * self.system.drivers.len() as u32
    }

    /// What a task's deadlines lack to a multiple of the grid.
    fn remainder(&self, task: usize) -> u64 {
        let before = self.tasks.iter().position(|one| *one == task);
        let before = before.unwrap_or(0) + self.number * self.all.len();
        before as u64
    }

    /// The driver that copies a task's outputs.
    fn outputs_of(&mut self, task: usize) -> usize {
        let Role::Task { outputs, .. } = self.system.threads[task].role else {
            unreachable!("a task");
        };
        let copies = (0..outputs).map(|output| {
            let port = self.random.index(self.system.ports);
            (Place::Output(task, output), Place::Port(port))
        });
        let copies = copies.collect();
        self.driver(Driver::Copy(copies))
    }

    /// The driver that copies a task's inputs.
    fn inputs_of(&mut self, task: usize) -> usize {
        let Role::Task { inputs, .. } = self.system.threads[task].role else {
            unreachable!("a task");
        };
        let copies = (0..inputs).map(|input| {
            let port = self.random.index(self.system.ports);
            (Place::Port(port), Place::Input(task, input))
        });
        let copies = copies.collect();
        self.driver(Driver::Copy(copies))
    }

    /// A sensor, an actuator, an upcall, or some of them.
    fn surroundings(&mut self) -> Surroundings {
        let mut between = Vec::new();
        if self.random.one_in(2) {
            let (register, port) = (self.register(), self.port());
            between.push(self.driver(Driver::Store { register, port }));
        }
        if self.random.one_in(2) {
            let (register, port) = (self.register(), self.port());
            between.push(self.driver(Driver::Load { register, port }));
        }
        let mut threads = self.system.threads.iter();
        let process = threads
            .find(|thread| thread.role == Role::Upcalls)
            .map(|thread| thread.process);
        if let Some(process) = process
            && self.random.one_in(2)
        {
            let (reads, writes) = (vec![self.port()], vec![self.port()]);
            between.push(self.driver(Driver::Upcall {
                process,
                reads,
                writes,
                budget: 303,
            }));
        }
        Surroundings { between }
    }

    // --- rounds ---

    /// Rounds of all tasks, or of the first one alone in between; maybe another
    /// mode; maybe S code.
    fn write_rounds(&mut self) {
        let period = u64::from(self.random.pick(&[200, 300, 400, 500, 1000u32]));
        if self.number > 0 {
            self.emit(Instruction::Future(When::After(OFFSET), 2));
            self.emit(Instruction::Return);
        }
        let surroundings = self.surroundings();
        let tasks = self.tasks.to_vec();
        let outputs: Vec<usize> = tasks.iter().map(|task| self.outputs_of(*task)).collect();
        let inputs: Vec<usize> = tasks.iter().map(|task| self.inputs_of(*task)).collect();
        let drivers = [outputs, inputs];
        let begin = self.here();
        let branch = self
            .random
            .one_in(3)
            .then(|| self.emit(Instruction::Return));
        let is_multirate = tasks.len() > 1 && self.random.one_in(2);
        let is_scheduled = !is_multirate && self.random.one_in(4);
        if is_multirate {
            let second = self.write_round(&surroundings, &drivers, tasks.len(), period, true);
            let between = self.here();
            self.program.code[second] = Instruction::Future(When::After(period), between);
            let last = self.write_round(&surroundings, &drivers, 1, period, false);
            self.program.code[last] = Instruction::Future(When::After(period), begin);
        } else {
            let fork = is_scheduled.then(|| self.emit(Instruction::Return));
            let last = self.write_round(&surroundings, &drivers, tasks.len(), period, false);
            self.program.code[last] = Instruction::Future(When::After(period), begin);
            if let Some(fork) = fork {
                self.program.code[fork] = Instruction::Fork(self.here());
                self.write_schedule(period);
            }
        }
        if let Some(branch) = branch {
            self.write_mode(&surroundings, &drivers, begin, branch, period);
        }
    }

    /// One round of the first `count` tasks; the place of the instruction that
    /// says what comes next. `is_double`: the deadline of all but the first lies
    /// two rounds away.
    fn write_round(
        &mut self,
        surroundings: &Surroundings,
        [outputs, inputs]: &[Vec<usize>; 2],
        count: usize,
        period: u64,
        is_double: bool,
    ) -> usize {
        let between = surroundings.between.iter();
        let calls = outputs[..count]
            .iter()
            .chain(between)
            .chain(&inputs[..count]);
        for driver in calls {
            self.emit(Instruction::Call(*driver));
        }
        for (place, task) in self.tasks.iter().take(count).enumerate() {
            let rounds = if is_double && place > 0 { 2 } else { 1 };
            let deadline = rounds * period - self.remainder(*task);
            self.program
                .code
                .push(Instruction::Release(*task, deadline));
        }
        let next = self.emit(Instruction::Return);
        self.emit(Instruction::Return);
        next
    }

    /// S code for one round: the tasks one after the other, maybe none at first.
    fn write_schedule(&mut self, period: u64) {
        if self.random.one_in(3) {
            self.emit(Instruction::Idle(When::After(OFFSET)));
        }
        let end = self.here() + self.tasks.len();
        for task in self.tasks {
            let until = When::After(period - OFFSET);
            let dispatch = Instruction::Dispatch(*task, until, end);
            self.program.code.push(dispatch);
        }
        self.emit(Instruction::Return);
        if self.random.one_in(2) && !self.plan.equals {
            let member = self.random.below(MEMBERS) as u8;
            self.program.slot = Some(1 + SLOTS + CLASSES * member);
        }
    }

    /// Another mode, of the first task alone, while a port is not below a bound.
    fn write_mode(
        &mut self,
        surroundings: &Surroundings,
        drivers: &[Vec<usize>; 2],
        begin: usize,
        branch: usize,
        period: u64,
    ) {
        let (port, bound) = (self.port(), self.random.between(4, 28) as i32);
        let mode = self.here();
        self.program.code[branch] = Instruction::Branch(When::AtLeast(port, bound), mode);
        let back = begin + 1;
        self.emit(Instruction::Branch(When::Below(port, bound), back));
        let last = self.write_round(surroundings, drivers, 1, 2 * period, false);
        self.program.code[last] = Instruction::Future(When::After(2 * period), mode);
    }

    // --- reactions ---

    /// What the first program reacts to, if not to time.
    fn event(&mut self) -> Option<When> {
        let mut lines = self.system.lines.iter();
        let free = lines.find(|line| line.owner.is_none());
        let line = free.map(|line| When::Interrupt(line.number));
        match self.random.below(4) {
            0 | 1 if line.is_some() => line,
            2 => Some(When::Changed(self.port())),
            _ => None,
        }
    }

    /// Each time something comes, the first task's job is released; when it has
    /// completed, its outputs are copied. The other tasks rest.
    fn write_reaction(&mut self, trigger: When) {
        let task = self.tasks[0];
        let surroundings = self.surroundings();
        let (outputs, inputs) = (self.outputs_of(task), self.inputs_of(task));
        let deadline = 10 * u64::from(self.random.between(20, 60)) - self.remainder(task);
        self.emit(Instruction::Future(trigger, 2));
        self.emit(Instruction::Return);
        for driver in surroundings.between {
            self.emit(Instruction::Call(driver));
        }
        self.emit(Instruction::Call(inputs));
        self.emit(Instruction::Release(task, deadline));
        let done = self.here() + 3;
        self.emit(Instruction::Future(When::Completed(task), done));
        self.emit(Instruction::Future(trigger, 2));
        self.emit(Instruction::Return);
        self.emit(Instruction::Call(outputs));
        self.emit(Instruction::Return);
    }

    /// A block that copies a port to another when something goes wrong.
    fn write_handler(&mut self) {
        let copies = vec![(Place::Port(self.port()), Place::Port(self.port()))];
        let driver = self.driver(Driver::Copy(copies));
        let handler = self.emit(Instruction::Call(driver));
        self.emit(Instruction::Return);
        let violations: [&[usize]; 3] = [&[0], &[2, 3], &[0, 2, 3]];
        for violation in self.random.pick(&violations) {
            self.program.handlers[*violation] = Some(handler);
        }
    }
}
