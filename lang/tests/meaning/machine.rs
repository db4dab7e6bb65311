//! Runs a module's E code in logical time, with tasks that take none.

use std::collections::BTreeSet;

use giornata_abi::module::{DriverKind, DriverSymbol, Module, PortKind};
use giornata_abi::{Opcode, PredicateKind};

use super::events::{Event, Moment, answer};

pub(crate) struct Machine<'a> {
    module: Module<'a>,
    seed: u64,
    pc: u16,
    at: u128,
    /// Values of guard ports.
    answers: Vec<bool>,
    /// The most instructions that an instant took.
    pub(crate) longest: u32,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(bytes: &'a [u8], seed: u64) -> Machine<'a> {
        let module = Module::parse(bytes).unwrap();
        let answers = vec![false; module.header().ports.into()];
        Machine {
            module,
            seed,
            pc: module.header().start,
            at: 0,
            answers,
            longest: 0,
        }
    }

    fn units(&self, nanos: u64, remainder: u32) -> u128 {
        u128::from(nanos) * u128::from(self.module.header().denominator) + u128::from(remainder)
    }

    /// Runs one instant and waits for the next.
    pub(crate) fn moment(&mut self) -> Moment {
        let mut moment = Moment {
            at: self.at,
            events: Vec::new(),
            sensors: BTreeSet::new(),
        };
        let (mut next, mut steps) = (None, 0);
        loop {
            let i = self.module.instruction(self.pc).unwrap();
            steps += 1;
            self.pc += 1;
            match i.opcode().unwrap() {
                Opcode::Call => self.call(i.a, &mut moment),
                Opcode::Release => {
                    let name = self
                        .module
                        .text(self.module.task(i.a).unwrap().name)
                        .to_owned();
                    let d = self.module.duration(i.b).unwrap();
                    moment
                        .events
                        .push(Event::Release(name, self.units(d.nanos, d.remainder)));
                }
                Opcode::Branch if self.holds(i.a) => self.pc = i.b,
                Opcode::Branch => {}
                Opcode::Jump => self.pc = i.a,
                Opcode::Future => {
                    assert!(next.is_none(), "one future an instant");
                    let p = self.module.predicate(i.a).unwrap();
                    assert_eq!(p.kind(), Some(PredicateKind::After));
                    next = Some((self.at + self.units(p.value, p.remainder), i.b));
                }
                Opcode::Return => break,
                other => panic!("{other:?} in E code"),
            }
        }
        self.longest = self.longest.max(steps);
        (self.at, self.pc) = next.expect("every instant leads to another");
        moment
    }

    fn holds(&self, predicate: u16) -> bool {
        let p = self.module.predicate(predicate).unwrap();
        assert_eq!((p.kind(), p.value), (Some(PredicateKind::Constant), 1));
        self.answers[usize::from(p.subject)] == (p.comparison == 0)
    }

    fn port_names(&self, driver: &DriverSymbol) -> Vec<String> {
        self.module
            .list(driver.writes)
            .map(|p| {
                self.module
                    .text(self.module.port(p).unwrap().name)
                    .to_owned()
            })
            .collect()
    }

    fn kinds(&self, driver: &DriverSymbol) -> (Vec<PortKind>, Vec<PortKind>) {
        let kind = |port| PortKind::from_code(self.module.port(port).unwrap().kind).unwrap();
        (
            self.module.list(driver.reads).map(kind).collect(),
            self.module.list(driver.writes).map(kind).collect(),
        )
    }

    fn call(&mut self, index: u16, moment: &mut Moment) {
        let driver = self.module.driver(index).unwrap();
        let name = self.module.text(driver.name);
        let (reads, writes) = self.kinds(&driver);
        let is_copy = driver.kind == DriverKind::Copy as u32;
        let before = |end: &str| name.strip_suffix(end).unwrap().to_owned();
        match (reads.as_slice(), writes.as_slice()) {
            ([PortKind::TaskOutput, ..], _) => {
                assert!(is_copy);
                moment.events.push(Event::Outputs(before(".outputs")));
            }
            (_, [PortKind::Guard]) => {
                let guard = before(".guard");
                let port = self.module.list(driver.writes).next().unwrap();
                self.answers[usize::from(port)] = answer(self.seed, &guard, self.at);
                moment.events.push(Event::Guard(guard));
            }
            ([], [PortKind::Sensor]) => {
                assert!(
                    moment.sensors.insert(before(".read")),
                    "a sensor is read once an instant"
                );
            }
            ([PortKind::Actuator], []) => moment.events.push(Event::Write(before(".write"))),
            ([], [PortKind::Output]) if name.ends_with(".init") => {
                moment.events.push(Event::Initial(before(".init")));
            }
            _ => {
                let name = name.split('#').next().unwrap().to_owned();
                moment
                    .events
                    .push(Event::Driver(name, self.port_names(&driver)));
            }
        }
    }
}
