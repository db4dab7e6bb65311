//! Linking of a module that comes while the system runs.
//!
//! The place of a program that may be replaced has an *interface*: a module
//! whose symbol tables name all that may be used there, in the order of the
//! kernel's tables. A module that comes uses any part of it, by name and with
//! equal meaning, drivers by their meaning alone; its code is free.
//!
//! ```text
//!   module's symbols        map            interface's symbols
//!   0 port angle      --->  [2, 0]         0 port servo
//!   1 port servo                           1 port rate
//!                                          2 port angle
//! ```
//!
//! The Map Invariant: an entry of the map names a symbol of the interface that
//! means the same, and no two entries of a table name one, those of drivers
//! apart. So what the [verifier](crate::verify) finds of the module holds for the
//! linked code: what it takes for two tasks are two; of a driver it only believes
//! what it writes. What is stated of tasks and drivers for
//! analyses (times, priorities) may differ: the system's own govern.
//!
//! No heap: the caller lends the verifier's scratch and the map.

use core::fmt::{Display, Formatter};

use giornata_abi::id::NONE;
use giornata_abi::instruction::{DurationEntry, Instruction, Opcode, Operand};
use giornata_abi::load::Frame;
use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, Name, NameSymbol, PortKind, PortList, PortSymbol, TaskSymbol,
};
use giornata_abi::{Comparison, Predicate, PredicateKind};

use crate::verify::{self, Scratch, Verified};

/// What a place has for the module that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions.
    pub instructions: u16,
    /// Predicates.
    pub predicates: u16,
    /// Durations.
    pub durations: u16,
    /// Microcode steps in one instant.
    pub steps: u32,
    /// Slots of the trigger queue.
    pub triggers: u16,
    /// Slots of the thread set.
    pub threads: u16,
}

impl Limits {
    /// The limits as the builder writes them for a loader, in the order of the fields.
    pub const fn words(&self) -> [u32; 6] {
        [
            self.instructions as u32,
            self.predicates as u32,
            self.durations as u32,
            self.steps,
            self.triggers as u32,
            self.threads as u32,
        ]
    }

    /// The limits that the builder wrote so; what no field holds is its most.
    pub const fn from_words(words: [u32; 6]) -> Limits {
        const fn narrow(word: u32) -> u16 {
            if word > u16::MAX as u32 {
                u16::MAX
            } else {
                word as u16
            }
        }
        let [
            instructions,
            predicates,
            durations,
            steps,
            triggers,
            threads,
        ] = words;
        Limits {
            instructions: narrow(instructions),
            predicates: narrow(predicates),
            durations: narrow(durations),
            steps,
            triggers: narrow(triggers),
            threads: narrow(threads),
        }
    }
}

/// A table of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Tasks.
    Task,
    /// Drivers.
    Driver,
    /// Ports.
    Port,
    /// Interrupts.
    Interrupt,
    /// Mailboxes.
    Mailbox,
}

/// What a place has a limited number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Room for instructions.
    Instructions,
    /// Room for predicates.
    Predicates,
    /// Room for durations.
    Durations,
    /// Microcode steps in one instant.
    Steps,
    /// Slots of the trigger queue.
    Triggers,
    /// Slots of the thread set.
    Threads,
}

/// In what two symbols of one name differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The function behind it.
    Function,
    /// What kind it is of.
    Kind,
    /// The type of its value.
    Type,
    /// The ports it reads.
    Reads,
    /// The ports it writes.
    Writes,
    /// The ports of its state.
    States,
}

/// Why a module may not take a place, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal<'m> {
    /// The verifier refuses it.
    Unsound(verify::Refusal),
    /// The interface has no such symbol, or not as many.
    Missing(Sort, &'m str),
    /// The interface has a symbol of that name that means something else.
    Differs(Sort, &'m str, Difference),
    /// The code asks of this port, which tells whom a violation is about,
    /// whether it is less or greater than a constant.
    Order(&'m str),
    /// The module can need more than the place has.
    Beyond {
        /// Of what.
        resource: Resource,
        /// As many it can need.
        needed: u32,
        /// As many it may.
        allowed: u32,
    },
    /// The lent map is shorter than [`map_needed`] says.
    Map,
}

/// Entries of the map that [`admit`] fills for a module: one a symbol. O(1).
pub fn map_needed(module: &Module<'_>) -> usize {
    let header = module.header();
    let tables = [
        header.tasks,
        header.drivers,
        header.ports,
        header.interrupts,
        header.mailboxes,
    ];
    tables.into_iter().map(usize::from).sum()
}

/// A verified module in terms of an interface.
#[derive(Clone, Copy, Debug)]
pub struct Linked<'m> {
    module: Module<'m>,
    maps: Maps<&'m [u16]>,
    steps: u32,
}

/// The parts of the map.
#[derive(Clone, Copy, Debug)]
struct Maps<M> {
    tasks: M,
    drivers: M,
    ports: M,
    interrupts: M,
    mailboxes: M,
}

/// Verifies `module` and links it with `interface`, whose own contents the
/// caller vouches for. `scratch` as [`verify::scratch_needed`] says, `map` as
/// [`map_needed`]. O(the verifier's, and the product of the symbol counts).
///
/// # Errors
/// The first thing that keeps it from the place.
pub fn admit<'m>(
    module: Module<'m>,
    interface: &Module<'_>,
    limits: &Limits,
    scratch: &mut [Scratch],
    map: &'m mut [u16],
) -> Result<Linked<'m>, Refusal<'m>> {
    check_room(&module, limits)?;
    let verified = verify::verify(&module, scratch).map_err(Refusal::Unsound)?;
    let steps = check_needs(&module, &verified, limits)?;
    let both = Both {
        module,
        interface: *interface,
    };
    let maps = both.pair_all(cut(&module, map).ok_or(Refusal::Map)?)?;
    let linked = Linked {
        module,
        maps,
        steps,
    };
    linked.check_orders()?;
    Ok(linked)
}

/// Whether there is room for the records; before the verifier, whose scratch
/// may be as long as the room.
fn check_room<'m>(module: &Module<'m>, limits: &Limits) -> Result<(), Refusal<'m>> {
    use Resource::*;
    let header = module.header();
    check_limit(Instructions, header.instructions, limits.instructions)?;
    check_limit(Predicates, header.predicates, limits.predicates)?;
    check_limit(Durations, header.durations, limits.durations)
}

/// The step bound of a module that needs no more than the place has.
fn check_needs<'m>(
    module: &Module<'m>,
    verified: &Verified,
    limits: &Limits,
) -> Result<u32, Refusal<'m>> {
    check_limit(Resource::Triggers, verified.triggers, limits.triggers)?;
    check_limit(Resource::Threads, verified.threads, limits.threads)?;
    // Where nothing is declared or decided the kernel enforces the place's own.
    let declared = Some(module.header().max_steps).filter(|steps| *steps != 0);
    let steps = declared.or(verified.steps).unwrap_or(limits.steps);
    check_limit(Resource::Steps, steps, limits.steps)?;
    Ok(steps)
}

fn check_limit<'m>(
    resource: Resource,
    needed: impl Into<u32>,
    allowed: impl Into<u32>,
) -> Result<(), Refusal<'m>> {
    let (needed, allowed) = (needed.into(), allowed.into());
    if needed <= allowed {
        return Ok(());
    }
    Err(Refusal::Beyond {
        resource,
        needed,
        allowed,
    })
}

/// Cuts the lent map into its parts.
fn cut<'m>(module: &Module<'_>, map: &'m mut [u16]) -> Option<Maps<&'m mut [u16]>> {
    let header = module.header();
    let (tasks, rest) = map.split_at_mut_checked(header.tasks.into())?;
    let (drivers, rest) = rest.split_at_mut_checked(header.drivers.into())?;
    let (ports, rest) = rest.split_at_mut_checked(header.ports.into())?;
    let (interrupts, rest) = rest.split_at_mut_checked(header.interrupts.into())?;
    let (mailboxes, _) = rest.split_at_mut_checked(header.mailboxes.into())?;
    Some(Maps {
        tasks,
        drivers,
        ports,
        interrupts,
        mailboxes,
    })
}

/// A module and an interface while their symbols are paired.
struct Both<'m, 'i> {
    module: Module<'m>,
    interface: Module<'i>,
}

impl<'m> Both<'m, '_> {
    /// Fills the map; ports come first, because lists are compared through them.
    fn pair_all(&self, maps: Maps<&'m mut [u16]>) -> Result<Maps<&'m [u16]>, Refusal<'m>> {
        let (own, theirs) = (&self.module, &self.interface);
        self.pair(
            Sort::Port,
            maps.ports,
            own.ports(),
            || theirs.ports(),
            |p: &PortSymbol| p.name,
            |a, b| self.port(a, b),
        )?;
        let ports: &[u16] = maps.ports;
        self.pair(
            Sort::Task,
            maps.tasks,
            own.tasks(),
            || theirs.tasks(),
            |t: &TaskSymbol| t.name,
            |a, b| self.task(ports, a, b),
        )?;
        self.pair(
            Sort::Driver,
            maps.drivers,
            own.drivers(),
            || theirs.drivers(),
            |d: &DriverSymbol| d.name,
            |a, b| self.driver(ports, a, b),
        )?;
        let name = |symbol: &NameSymbol| symbol.name;
        self.pair(
            Sort::Interrupt,
            maps.interrupts,
            own.interrupts(),
            || theirs.interrupts(),
            name,
            |_, _| None,
        )?;
        self.pair(
            Sort::Mailbox,
            maps.mailboxes,
            own.mailboxes(),
            || theirs.mailboxes(),
            name,
            |_, _| None,
        )?;
        Ok(Maps {
            tasks: maps.tasks,
            drivers: maps.drivers,
            ports,
            interrupts: maps.interrupts,
            mailboxes: maps.mailboxes,
        })
    }

    /// Fills one part of the map: each symbol with the first of its name that
    /// means the same and is not taken; a driver with the first that means the same.
    fn pair<T, I: Iterator<Item = T>>(
        &self,
        sort: Sort,
        map: &mut [u16],
        own: impl Iterator<Item = T>,
        theirs: impl Fn() -> I,
        name: impl Fn(&T) -> Name,
        difference: impl Fn(&T, &T) -> Option<Difference>,
    ) -> Result<(), Refusal<'m>> {
        for (index, symbol) in own.enumerate() {
            let text = self.module.text(name(&symbol));
            let taken = map.get(..index).unwrap_or(&[]);
            let (mut found, mut differs) = (None, None);
            for (place, other) in (0u16..).zip(theirs()) {
                let has_name = self.interface.text(name(&other)) == text;
                let is_free = has_name && !taken.contains(&place);
                if sort != Sort::Driver && !is_free {
                    continue;
                }
                match difference(&symbol, &other) {
                    Some(what) if has_name => differs = differs.or(Some(what)),
                    Some(_) => {}
                    None => {
                        found = Some(place);
                        break;
                    }
                }
            }
            match (found, map.get_mut(index)) {
                (Some(place), Some(entry)) => *entry = place,
                _ => {
                    return Err(differs.map_or(Refusal::Missing(sort, text), |what| {
                        Refusal::Differs(sort, text, what)
                    }));
                }
            }
        }
        Ok(())
    }

    fn is_one_text(&self, own: Name, theirs: Name) -> bool {
        self.module.text(own) == self.interface.text(theirs)
    }

    /// Whether a list of the module names, through the map, what one of the
    /// interface does.
    fn is_one_list(&self, ports: &[u16], own: PortList, theirs: PortList) -> bool {
        let mapped = self.module.list(own).map(|port| look_up(ports, port));
        own.count == theirs.count && mapped.eq(self.interface.list(theirs))
    }

    fn port(&self, own: &PortSymbol, theirs: &PortSymbol) -> Option<Difference> {
        let is_one_type = self.is_one_text(own.type_name, theirs.type_name)
            && (own.value_type, own.size) == (theirs.value_type, theirs.size);
        first_false([
            (own.kind == theirs.kind, Difference::Kind),
            (is_one_type, Difference::Type),
        ])
    }

    fn task(&self, ports: &[u16], own: &TaskSymbol, theirs: &TaskSymbol) -> Option<Difference> {
        let is_one = |a, b| self.is_one_list(ports, a, b);
        first_false([
            (
                self.is_one_text(own.function, theirs.function),
                Difference::Function,
            ),
            (is_one(own.inputs, theirs.inputs), Difference::Reads),
            (is_one(own.outputs, theirs.outputs), Difference::Writes),
            (is_one(own.states, theirs.states), Difference::States),
        ])
    }

    fn driver(
        &self,
        ports: &[u16],
        own: &DriverSymbol,
        theirs: &DriverSymbol,
    ) -> Option<Difference> {
        let is_one = |a, b| self.is_one_list(ports, a, b);
        let copies = own.kind == DriverKind::Copy as u32;
        first_false([
            (own.kind == theirs.kind, Difference::Kind),
            (
                copies || self.is_one_text(own.function, theirs.function),
                Difference::Function,
            ),
            (is_one(own.reads, theirs.reads), Difference::Reads),
            (is_one(own.writes, theirs.writes), Difference::Writes),
        ])
    }
}

fn first_false<const N: usize>(checks: [(bool, Difference); N]) -> Option<Difference> {
    let failed = checks.into_iter().find(|(holds, _)| !holds);
    failed.map(|(_, what)| what)
}

fn look_up(map: &[u16], index: u16) -> u16 {
    map.get(usize::from(index)).copied().unwrap_or(NONE)
}

impl<'m> Linked<'m> {
    /// The module as it came.
    pub fn module(&self) -> &Module<'m> {
        &self.module
    }

    /// What the kernel is told of it besides its records.
    pub fn frame(&self) -> Frame {
        let header = self.module.header();
        Frame {
            instructions: header.instructions,
            predicates: header.predicates,
            durations: header.durations,
            start: header.start,
            round: header.round,
            resume: header.resume,
            handlers: header.handlers,
            denominator: header.denominator,
            max_steps: self.steps,
            tag: header.crc,
        }
    }

    /// The linked instruction at an address. O(1).
    pub fn instruction(&self, address: u16) -> Option<Instruction> {
        let own = self.module.instruction(address)?;
        let [a, b, c] = own.opcode().map_or([Operand::None; 3], Opcode::operands);
        Some(Instruction {
            a: self.operand(a, own.a),
            b: self.operand(b, own.b),
            c: self.operand(c, own.c),
            ..own
        })
    }

    fn operand(&self, kind: Operand, value: u16) -> u16 {
        match kind {
            Operand::Task => look_up(self.maps.tasks, value),
            Operand::Driver => look_up(self.maps.drivers, value),
            // The module brings its pools and its code along.
            Operand::None
            | Operand::Predicate
            | Operand::Test
            | Operand::Duration
            | Operand::Address => value,
        }
    }

    /// The linked predicate at an index. O(1).
    pub fn predicate(&self, index: u16) -> Option<Predicate> {
        use PredicateKind::*;
        let own = self.module.predicate(index)?;
        let map = match own.kind()? {
            True | Never | After => return Some(own),
            Released | Completed => self.maps.tasks,
            Changed | Constant | Activation => self.maps.ports,
            Interrupt => self.maps.interrupts,
            Message => self.maps.mailboxes,
            Upcall => self.maps.drivers,
        };
        let subject = look_up(map, own.subject);
        let value = self.told(&own).map_or(own.value, |named| {
            let local = u16::try_from(own.value).unwrap_or(NONE);
            look_up(named, local).into()
        });
        Some(Predicate {
            subject,
            value,
            ..own
        })
    }

    /// The map of what the constant of a predicate names, if it names something:
    /// such ports tell the index of a task or driver.
    fn told(&self, predicate: &Predicate) -> Option<&'m [u16]> {
        if predicate.kind() != Some(PredicateKind::Constant) {
            return None;
        }
        let port = self.module.port(predicate.subject)?;
        match PortKind::from_code(port.kind)? {
            PortKind::ViolationTask => Some(self.maps.tasks),
            PortKind::ViolationDriver => Some(self.maps.drivers),
            _ => None,
        }
    }

    /// The order of indices is not that of the interface's.
    fn check_orders(&self) -> Result<(), Refusal<'m>> {
        let unequal = |p: &Predicate| {
            let comparison = Comparison::from_code(p.comparison);
            self.told(p).is_some()
                && !matches!(comparison, Some(Comparison::Equal | Comparison::NotEqual))
        };
        let Some(found) = self.module.predicates().find(unequal) else {
            return Ok(());
        };
        let port = self.module.port(found.subject);
        Err(Refusal::Order(
            port.map_or("", |port| self.module.text(port.name)),
        ))
    }

    /// The duration at an index: as it came. O(1).
    pub fn duration(&self, index: u16) -> Option<DurationEntry> {
        self.module.duration(index)
    }

    /// The tasks that its code releases, by the interface's index, in the order
    /// of the code; one may come several times. O(code).
    pub fn released(&self) -> impl Iterator<Item = u16> + use<'m> {
        let tasks = self.maps.tasks;
        let releases = |i: &Instruction| i.opcode() == Some(Opcode::Release);
        let all = self.module.instructions().filter(releases);
        all.map(|release| look_up(tasks, release.a))
    }
}

impl Sort {
    /// The word for one of it.
    pub const fn name(self) -> &'static str {
        match self {
            Sort::Task => "task",
            Sort::Driver => "driver",
            Sort::Port => "port",
            Sort::Interrupt => "interrupt",
            Sort::Mailbox => "mailbox",
        }
    }
}

impl Resource {
    /// What there is too much of, and what to do about it.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Resource::Instructions => ("instructions", "make it shorter"),
            Resource::Predicates => ("predicates", "wait for fewer things"),
            Resource::Durations => ("durations", "use fewer deadlines"),
            Resource::Steps => ("steps in one instant", "do less in one"),
            Resource::Triggers => ("triggers at once", "wait for less at a time"),
            Resource::Threads => ("threads at once", "fork less"),
        }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Difference::Function => "is another function",
            Difference::Kind => "is of another kind",
            Difference::Type => "has another type",
            Difference::Reads => "reads other ports",
            Difference::Writes => "writes other ports",
            Difference::States => "has another state",
        })
    }
}

impl Display for Refusal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match *self {
            Refusal::Unsound(why) => write!(f, "{why}"),
            Refusal::Missing(sort, name) => {
                let sort = sort.name();
                write!(
                    f,
                    "the interface of the program has no {sort} `{name}`; use one that it declares, or declare it there and build the system again"
                )
            }
            Refusal::Differs(sort, name, what) => {
                let sort = sort.name();
                write!(
                    f,
                    "{sort} `{name}` {what} than in the interface of the program; declare it as it is there"
                )
            }
            Refusal::Order(name) => write!(
                f,
                "port `{name}` names a task or driver, which has no order; compare it with == or !="
            ),
            Refusal::Beyond {
                resource,
                needed,
                allowed,
            } => {
                let (what, mend) = resource.words();
                write!(
                    f,
                    "the module can need {needed} {what}, {allowed} are allowed; {mend}, or give the program more in the system file"
                )
            }
            Refusal::Map => {
                f.write_str("not enough memory for the map; lend as much as `map_needed` says")
            }
        }
    }
}

impl core::error::Error for Refusal<'_> {}
