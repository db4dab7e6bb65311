//! A kernel beside the model: the same events, and the first difference.

use crate::model::{Entry, Event, Model, Resumption, Word};
use crate::random::{Dice, Menu, Program, Scope, system};
use crate::request::{Reply, Request};
use crate::system::{Kind, System};
use std::collections::HashMap;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A kernel that can be compared.
pub trait Kernel {
    /// What comes at an instant, which is not before the last one: it works until a thread
    /// runs in user mode, or none. What is due before a call goes first; if another thread
    /// runs then, the caller makes its call as soon as it has its turn again.
    fn apply(&mut self, event: &Event, now: u64) -> Observation;
}

/// What can be seen of a kernel after an event.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Who runs.
    pub runs: Option<usize>,
    /// How it goes on. A kernel that cannot tell how a thread begins says that it
    /// continues.
    pub resumption: Resumption,
    /// What else the kernel can tell.
    pub state: Snapshot,
}

/// The state of a kernel, as far as it can tell.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// Threads of the ready queue, in order.
    pub queue: Option<Vec<usize>>,
    /// The owner of each mutex that is not private; of a mailbox who serves it or received
    /// from it last, unless its process has ended.
    pub owners: Option<Vec<Option<usize>>>,
    /// Who waits in the list of each object, in order; nobody for a mutex.
    pub waiters: Option<Vec<Vec<usize>>>,
    /// The count of each semaphore; else 0.
    pub counts: Option<Vec<usize>>,
    /// The word of each private mutex; else free.
    pub words: Option<Vec<Word>>,
    /// When the timer must ring at the latest.
    pub alarm: Option<Option<u64>>,
}

impl Snapshot {
    /// The whole state of the model.
    pub fn of(model: &Model) -> Snapshot {
        let objects = 0..model.system().objects.len();
        let is_private = |object: usize| {
            let kind = model.system().objects[object].kind;
            matches!(kind, Kind::Mutex { private: true, .. })
        };
        let thread = |entry: &Entry| match *entry {
            Entry::Thread(thread) => Some(thread),
            Entry::Teardown(..) | Entry::Dead(..) => None,
        };
        let owner = |object: usize| {
            let reader = model.reader(object);
            let reader = reader.filter(|reader| model.is_alive(*reader));
            let owner = model.owner(object).filter(|_| !is_private(object));
            owner.or(reader)
        };
        let count = |object: usize| model.count(object) as usize;
        Snapshot {
            queue: Some(model.queue().iter().filter_map(thread).collect()),
            owners: Some(objects.clone().map(owner).collect()),
            waiters: Some(
                objects
                    .clone()
                    .map(|object| model.waiters(object))
                    .collect(),
            ),
            counts: Some(objects.clone().map(count).collect()),
            words: Some(objects.map(|object| model.word(object)).collect()),
            alarm: Some(model.next_event()),
        }
    }

    /// The first field in which a kernel's state differs from the model's.
    fn difference(&self, model: &Snapshot) -> Option<String> {
        fn differ<T: Debug + PartialEq>(
            name: &str,
            kernel: &Option<T>,
            model: &Option<T>,
        ) -> Option<String> {
            let (Some(kernel), Some(model)) = (kernel, model) else {
                return None;
            };
            let why = || format!("{name}: {kernel:?} instead of {model:?}");
            (kernel != model).then(why)
        }
        differ("queue", &self.queue, &model.queue)
            .or_else(|| differ("owners", &self.owners, &model.owners))
            .or_else(|| differ("wait lists", &self.waiters, &model.waiters))
            .or_else(|| differ("counts", &self.counts, &model.counts))
            .or_else(|| differ("words", &self.words, &model.words))
            .or_else(|| match (self.alarm, model.alarm) {
                // it may ring early, and then finds nothing due
                (Some(alarm), Some(Some(at))) if alarm.is_none_or(|alarm| alarm > at) => {
                    Some(format!("the alarm is at {alarm:?}, after {at}"))
                }
                _ => None,
            })
    }
}

/// A model is a kernel too.
impl Kernel for Model {
    fn apply(&mut self, event: &Event, now: u64) -> Observation {
        Model::apply(self, event, now);
        Observation {
            runs: self.runs(),
            resumption: match self.runs() {
                Some(_) => self.take_resumption(),
                None => Resumption::Continues,
            },
            state: Snapshot::of(self),
        }
    }
}

/// Where a kernel differs from the model.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What it was about.
    pub menu: Menu,
    /// The seed of the system, and of each step that is left after others were dropped.
    pub seeds: (u64, Vec<u64>),
    /// The system.
    pub system: System,
    /// What was seen.
    pub why: String,
    /// What happened, for people.
    pub log: Vec<String>,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seed, steps) = &self.seeds;
        writeln!(
            f,
            "{:?}, seed {seed}, {} steps left: {}",
            self.menu,
            steps.len(),
            self.why
        )?;
        for (number, thread) in self.system.threads.iter().enumerate() {
            writeln!(f, "thread {number}: {thread:?}")?;
        }
        for (number, process) in self.system.processes.iter().enumerate() {
            writeln!(f, "process {number}: {process:?}")?;
        }
        for (number, object) in self.system.objects.iter().enumerate() {
            writeln!(f, "object {number}: {object:?}")?;
        }
        for line in &self.log {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// One random system, and as many steps as there are seeds for.
struct Run<'a, K> {
    menu: Menu,
    scope: Scope,
    seed: u64,
    make: &'a dyn Fn(&System) -> K,
}

/// Compares a kernel with the model in a random system for so many steps at most. Returns
/// how many were made, or the difference with all events dropped that it does not need.
pub fn compare<K: Kernel>(
    make: &dyn Fn(&System) -> K,
    menu: Menu,
    scope: Scope,
    seed: u64,
    length: usize,
) -> Result<usize, Box<Difference>> {
    let mut dice = Dice(!seed);
    let steps: Vec<u64> = (0..length).map(|_| dice.word()).collect();
    let run = Run {
        menu,
        scope,
        seed,
        make,
    };
    run.steps(&steps)
        .map_err(|difference| run.shrink(difference))
}

impl<K: Kernel> Run<'_, K> {
    /// Drops steps, many at once and then few, as long as some difference is left.
    fn shrink(&self, mut found: Box<Difference>) -> Box<Difference> {
        let mut size = found.seeds.1.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            let mut has_shrunk = false;
            while at < found.seeds.1.len() {
                let mut fewer = found.seeds.1.clone();
                fewer.drain(at..(at + size).min(fewer.len()));
                match self.steps(&fewer) {
                    Err(difference) => (found, has_shrunk) = (difference, true),
                    Ok(_) => at += size,
                }
            }
            if !has_shrunk || size > 1 {
                size /= 2;
            }
        }
        found
    }

    fn steps(&self, seeds: &[u64]) -> Result<usize, Box<Difference>> {
        let system = system(&mut Dice(self.seed), self.menu, self.scope);
        let mut log = Vec::new();
        let mut done = 0;
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let mut pair = Pair {
                model: Model::new(&system),
                kernel: (self.make)(&system),
                program: Program::new(self.menu, self.scope, system.threads.len()),
                tokens: HashMap::new(),
            };
            for seed in seeds {
                done += 1;
                match pair.step(&mut Dice(*seed), &mut log) {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(why) => return Err(format!("{why}\n{:#?}", pair.model.state_lines())),
                }
            }
            Ok(())
        }));
        let why = match ran {
            Ok(Ok(())) => return Ok(done),
            Ok(Err(why)) => why,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied());
                format!("a panic: {}", text.unwrap_or("of no text"))
            }
        };
        Err(Box::new(Difference {
            menu: self.menu,
            seeds: (self.seed, seeds[..done].to_vec()),
            system,
            why,
            log,
        }))
    }
}

/// A kernel and the model, side by side.
struct Pair<K> {
    model: Model,
    kernel: K,
    program: Program,
    /// What the kernel calls a token of the model's.
    tokens: HashMap<u32, u32>,
}

impl<K: Kernel> Pair<K> {
    /// One event for both; `false`: nothing will ever happen again.
    fn step(&mut self, dice: &mut Dice, log: &mut Vec<String>) -> Result<bool, String> {
        let Some((event, now)) = self.program.next(dice, &mut self.model) else {
            return Ok(false);
        };
        log.push(format!("{now:6}, {:?} runs: {event:?}", self.model.runs()));
        let expected = Kernel::apply(&mut self.model, &event, now);
        let queue = expected.state.queue.as_deref().unwrap_or_default();
        log.push(format!(
            "        {:?}, queue {queue:?}",
            expected.resumption
        ));
        self.model.check_invariants();
        let seen = self.kernel.apply(&self.translated(&event), now);
        if seen.runs != expected.runs {
            return Err(format!(
                "{:?} runs instead of {:?}: it {:?}",
                seen.runs, expected.runs, seen.resumption
            ));
        }
        self.compare_resumption(&seen.resumption, &expected.resumption)?;
        match seen.state.difference(&expected.state) {
            Some(why) => Err(why),
            None => Ok(true),
        }
    }

    /// The event as the kernel knows it.
    fn translated(&self, event: &Event) -> Event {
        let mut event = event.clone();
        if let Event::Call(Request::ReplyReceive { token, .. } | Request::Forward { token, .. }) =
            &mut event
        {
            // (one that the kernel never gave is one that it never will)
            *token = *self.tokens.get(token).unwrap_or(&(u32::MAX - *token));
        }
        event
    }

    fn compare_resumption(
        &mut self,
        seen: &Resumption,
        expected: &Resumption,
    ) -> Result<(), String> {
        let is_same = match (seen, expected) {
            (Resumption::Continues, Resumption::Begins) => true,
            (Resumption::Returns(seen), Resumption::Returns(expected)) => {
                self.is_same(seen, expected)
            }
            (seen, expected) => seen == expected,
        };
        match is_same {
            true => Ok(()),
            false => Err(format!("it {seen:?} instead of {expected:?}")),
        }
    }

    /// The kernel's tokens are its own; everything else is the same.
    fn is_same(&mut self, seen: &Reply, expected: &Reply) -> bool {
        let mut seen = seen.clone();
        if let (Ok(values), Ok(expected)) = (&mut seen.values, expected.values) {
            let [.., token] = values;
            let [.., expected] = expected;
            if expected != 0 {
                self.tokens.insert(expected, *token);
                *token = expected;
            }
        }
        seen == *expected
    }
}
