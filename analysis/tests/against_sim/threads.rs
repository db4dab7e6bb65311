//! S code of several threads, S code that ends, and S code beyond the checker:
//! written by hand, checked, and run by the kernel.

use std::collections::BTreeMap;

use giornata_abi::module::{ModuleWriter, PortList, TaskSymbol};
use giornata_abi::{Duration, Instruction, Opcode, Predicate, PredicateKind};
use giornata_analysis::job::Breach;
use giornata_analysis::{Checked, Class, NotAnalysable, Safety, Times, check};

use crate::machine::{Machine, listed};
use crate::scode::Scheduled;

/// Milliseconds in nanoseconds.
pub(crate) const MS: u64 = 1_000_000;

/// Two tasks every 10 ms, and what the start block forks.
pub(crate) struct Written {
    writer: ModuleWriter,
}

impl Written {
    /// E code whose start block forks `threads`, as addresses after its end.
    pub(crate) fn with(threads: &[u16]) -> Written {
        let mut writer = ModuleWriter::new("m", "m.s");
        for task in ["t1", "t2"] {
            let name = writer.text(task);
            let none = PortList { start: 0, count: 0 };
            writer.tasks.push(TaskSymbol {
                name,
                function: name,
                inputs: none,
                outputs: none,
                states: none,
                wcet: 0,
                priority: 0,
                reserved: 0,
            });
        }
        let period = writer.duration(10 * MS, 0);
        let after = writer.predicate(Predicate::after(10 * MS, 0));
        let first = threads.len() as u16;
        let fork = |at: &u16| Instruction::new(Opcode::Fork, first + 4 + at, 0, 0);
        writer.instructions = threads.iter().map(fork).collect();
        writer.instructions.extend([
            Instruction::new(Opcode::Release, 0, period, 0),
            Instruction::new(Opcode::Release, 1, period, 0),
            Instruction::new(Opcode::Future, after, first, 0),
            Instruction::new(Opcode::Return, 0, 0, 0),
        ]);
        Written { writer }
    }

    fn here(&self) -> u16 {
        self.writer.instructions.len() as u16
    }

    fn push(mut self, opcode: Opcode, a: u16, b: u16, c: u16) -> Written {
        let instruction = Instruction::new(opcode, a, b, c);
        self.writer.instructions.push(instruction);
        self
    }

    /// Runs a task to completion.
    pub(crate) fn dispatch(mut self, task: u16) -> Written {
        let never = self
            .writer
            .predicate(Predicate::of(PredicateKind::Never, 0));
        let next = self.here() + 1;
        self.push(Opcode::Dispatch, task, never, next)
    }

    /// Runs a task until a time has passed; then goes on all the same.
    pub(crate) fn dispatch_for(mut self, task: u16, millis: u64) -> Written {
        let after = self.writer.predicate(Predicate::after(millis * MS, 0));
        let next = self.here() + 1;
        self.push(Opcode::Dispatch, task, after, next)
    }

    pub(crate) fn idle_for(mut self, millis: u64) -> Written {
        let after = self.writer.predicate(Predicate::after(millis * MS, 0));
        self.push(Opcode::Idle, after, 0, 0)
    }

    /// Again from an address counted from the end of the E code.
    pub(crate) fn again(self, from: u16) -> Written {
        let opcode = |i: &Instruction| i.opcode() == Some(Opcode::Fork);
        let forks = self
            .writer
            .instructions
            .iter()
            .take_while(|i| opcode(i))
            .count() as u16;
        let fork = self.push(Opcode::Fork, forks + 4 + from, 0, 0);
        fork.push(Opcode::Return, 0, 0, 0)
    }

    pub(crate) fn finish(&self) -> Scheduled {
        Scheduled::of(self.writer.finish())
    }
}

/// The checker's verdict; the kernel's must be the same.
fn verdict(scheduled: &Scheduled, millis: [u64; 2]) -> Checked {
    let times = Times::from_list(millis.map(Duration::from_millis));
    let checked = scheduled.check(&times);
    let machine = Machine::load(&scheduled.bytes);
    let length = Duration::from_millis(40);
    let late = match &checked.safety {
        Safety::Unsafe(witness) => machine.follow(witness, &times, length),
        _ => machine.run(length, listed(&BTreeMap::new(), times.all()), |_, _| true),
    };
    assert_eq!(
        late.is_none(),
        checked.safety == Safety::Safe,
        "{checked:?}"
    );
    checked
}

/// t1 in the first 5 ms of each 10, t2 in the others.
fn slots() -> Scheduled {
    let one = Written::with(&[0, 4])
        .dispatch_for(0, 5)
        .idle_for(10)
        .again(0);
    one.idle_for(5)
        .dispatch_for(1, 10)
        .idle_for(10)
        .again(4)
        .finish()
}

#[test]
fn time_slots_of_two_threads_do_not_collide() {
    let slots = slots();
    assert_eq!(verdict(&slots, [5, 5]).safety, Safety::Safe);
    assert_eq!(verdict(&slots, [1, 4]).safety, Safety::Safe);
    for late in [[6, 4], [4, 6]] {
        assert!(matches!(verdict(&slots, late).safety, Safety::Unsafe(_)));
    }
}

#[test]
fn two_threads_that_dispatch_at_once_violate_time_share() {
    let both = Written::with(&[0, 5])
        .dispatch(0)
        .dispatch(1)
        .idle_for(10)
        .again(0);
    // the second thread begins with the other task
    let both = both.dispatch(1).dispatch(0).idle_for(10).again(5);
    let (scheduled, expected) = (both.finish(), [1, 1]);
    let Safety::Unsafe(witness) = verdict(&scheduled, expected).safety else {
        panic!("accepted");
    };
    assert!(
        matches!(witness.breach, Breach::Shared { .. }),
        "{witness:?}"
    );
}

#[test]
fn two_threads_may_dispatch_the_same_task() {
    let same = Written::with(&[0, 5])
        .dispatch(0)
        .dispatch(1)
        .idle_for(10)
        .again(0);
    let same = same.dispatch(0).idle_for(10).again(5).finish();
    assert_eq!(verdict(&same, [3, 3]).safety, Safety::Safe);
}

#[test]
fn what_s_code_leaves_when_it_ends_is_scheduled_by_default() {
    let once = Written::with(&[0])
        .dispatch(1)
        .push(Opcode::Return, 0, 0, 0);
    let once = once.finish();
    let checked = verdict(&once, [5, 5]);
    assert_eq!(
        (checked.safety, checked.class),
        (Safety::Safe, Class::Synchronous)
    );
    assert!(matches!(verdict(&once, [6, 5]).safety, Safety::Unsafe(_)));
}

#[test]
fn jobs_that_differ_in_their_deadlines_only_are_told_apart() {
    // a test of the E code decides whether t1 has 10 or 20 ms; it runs from 5 to 13
    let mut writer = Written::with(&[]).writer;
    let [short, long] = [10, 20].map(|millis| writer.duration(millis * MS, 0));
    let asked = writer.predicate(Predicate::of(PredicateKind::Completed, 1));
    let later = writer.predicate(Predicate::after(5 * MS, 0));
    writer.instructions = vec![
        Instruction::new(Opcode::Fork, 8, 0, 0),
        Instruction::new(Opcode::Branch, asked, 4, 0),
        Instruction::new(Opcode::Release, 0, long, 0),
        Instruction::new(Opcode::Jump, 5, 0, 0),
        Instruction::new(Opcode::Release, 0, short, 0),
        Instruction::new(Opcode::Future, later, 7, 0),
        Instruction::new(Opcode::Return, 0, 0, 0),
        Instruction::new(Opcode::Return, 0, 0, 0),
        Instruction::new(Opcode::Idle, later, 0, 0),
    ];
    let scheduled = Written { writer }.dispatch(0).push(Opcode::Return, 0, 0, 0);
    let checked = verdict(&scheduled.finish(), [8, 1]);
    assert!(matches!(checked.safety, Safety::Unsafe(_)), "{checked:?}");
}

#[test]
fn threads_that_call_or_watch_ports_are_beyond_the_checker() {
    let mut written = Written::with(&[0]).dispatch(0);
    let mailbox = written.writer.text("m");
    let symbol = giornata_abi::module::NameSymbol { name: mailbox };
    written.writer.mailboxes.push(symbol);
    let message = written
        .writer
        .predicate(Predicate::of(PredicateKind::Message, 0));
    let waits = written
        .push(Opcode::Idle, message, 0, 0)
        .push(Opcode::Return, 0, 0, 0);
    let scheduled = waits.finish();
    let times = Times::from_list([1, 1].map(Duration::from_millis));
    let refused = check(&scheduled.program, &scheduled.code, &times).unwrap_err();
    assert!(
        matches!(refused, NotAnalysable::Beyond { address: 6, .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("waits for ports or events"));
}
