//! Real task and driver functions as behaviours: the code that runs on a board,
//! compiled for the host.
//!
//! A body runs in one piece at the end of its virtual execution time: its
//! inputs lie in the block since the release and do not change meanwhile, its
//! outputs are looked at after the completion only. A job that is stopped
//! before its end has not run at all.
//!
//! The calls that it made are made of the simulated kernel when it has ended, in
//! order.

use crate::behaviour::{Act, Behaviour, Moment};
use giornata_abi::call::Call;
use giornata_abi::process::{Body, Direction, Function, block_offsets};
use giornata_sim_functions::{Client, Failure, Made, Ran, run};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A real task or driver function.
pub struct Native {
    code: Code,
    /// Its block, while it runs: as many words as it has.
    block: Vec<u64>,
    calls: VecDeque<Made>,
    value: Option<usize>,
}

/// Where a function runs.
enum Code {
    /// In this program.
    Here(Body),
    /// In another one: of a process, by its number there.
    There(Rc<RefCell<Functions>>, u16, u16),
}

/// Functions of another program. The first that fails ends its process's job as a panic
/// does, and is kept for who runs the simulation to tell of.
pub struct Functions {
    client: Client,
    failure: Option<Failure>,
}

impl Functions {
    /// Functions that a client reaches.
    pub fn new(client: Client) -> Rc<RefCell<Functions>> {
        let failure = None;
        Rc::new(RefCell::new(Functions { client, failure }))
    }

    /// Why functions were not run any more, if that is so.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }
}

impl Native {
    /// A function of a process's table.
    pub fn new(function: &Function) -> Native {
        let parameters = function.parameters.iter();
        let placed = parameters.filter(|p| p.direction != Direction::State);
        Native::of(Code::Here(function.body), placed.map(|p| p.size))
    }

    /// A function of a process of another program, both by their numbers there, whose
    /// inputs and outputs have these sizes.
    pub fn elsewhere(
        functions: &Rc<RefCell<Functions>>,
        (process, function): (u16, u16),
        sizes: impl Iterator<Item = usize>,
    ) -> Native {
        Native::of(Code::There(functions.clone(), process, function), sizes)
    }

    fn of(code: Code, sizes: impl Iterator<Item = usize>) -> Native {
        let length = block_offsets(sizes, |_| {});
        Native {
            code,
            block: vec![0; length.div_ceil(8)],
            calls: VecDeque::new(),
            value: None,
        }
    }

    fn run(&mut self, moment: &mut Moment<'_>) {
        for (index, word) in self.block.iter_mut().enumerate() {
            *word = moment.load(8 * index, 8);
        }
        let Ran { value, calls } = self.code.run(moment, &mut self.block);
        (self.value, self.calls) = (Some(value), calls.into());
        for (index, word) in self.block.iter().enumerate() {
            moment.store(8 * index, 8, *word);
        }
    }
}

impl Code {
    fn run(&self, moment: &mut Moment<'_>, block: &mut Vec<u64>) -> Ran {
        match self {
            Code::Here(body) => run(*body, moment.now, block, moment.states),
            Code::There(functions, process, function) => {
                let Functions { client, failure } = &mut *functions.borrow_mut();
                let before = block.clone();
                let ran = match failure {
                    None => client.run((*process, *function), moment.life, moment.now, block),
                    Some(_) => Err(Failure::Answer),
                };
                ran.unwrap_or_else(|why| {
                    let text = why.to_string().into_bytes();
                    failure.get_or_insert(why);
                    *block = before;
                    Ran::panicked(text)
                })
            }
        }
    }
}

impl Behaviour for Native {
    fn next(&mut self, moment: &mut Moment<'_>) -> Act {
        if moment.begins {
            self.run(moment);
        }
        match self.calls.pop_front() {
            Some(Made {
                call: Call::Panic,
                arguments: [_, length, line, ..],
                text,
            }) => {
                // the message crosses into the process's own memory
                let room = moment.room();
                let _ = moment.write(room, &text);
                Act::call(Call::Panic, &[room, length, line])
            }
            Some(Made {
                call, arguments, ..
            }) => Act::Call(call, arguments),
            None => Act::End(self.value.take().unwrap_or(0)),
        }
    }
}
