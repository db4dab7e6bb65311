//! Runs a module's E code in logical time, with values, and tasks that compute at once.

use giornata_abi::module::{DriverKind, Module, PortKind, PortList};
use giornata_abi::{Comparison, Opcode, PredicateKind, ValueType};

use crate::events::{Begun, Moment, put_out};

pub(crate) struct Machine<'a> {
    module: Module<'a>,
    values: Vec<Vec<u8>>,
    /// How often each task was released.
    released: Vec<u64>,
    /// Due time and block, in the order of activation.
    triggers: Vec<(u64, u16)>,
    at: u64,
    /// The most instructions that an instant took.
    pub(crate) longest: u32,
    pub(crate) most_triggers: usize,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Machine<'a> {
        let module = Module::parse(bytes).unwrap();
        let values = module.ports().map(|port| vec![0; port.size.into()]);
        Machine {
            module,
            values: values.collect(),
            released: vec![0; module.header().tasks.into()],
            triggers: vec![(0, module.header().start)],
            at: 0,
            longest: 0,
            most_triggers: 1,
        }
    }

    fn port_name(&self, port: u16) -> String {
        let port = self.module.port(port).unwrap();
        self.module.text(port.name).to_owned()
    }

    fn value_type(&self, port: u16) -> ValueType {
        ValueType::from_code(self.module.port(port).unwrap().value_type).unwrap()
    }

    fn kind(&self, port: u16) -> PortKind {
        PortKind::from_code(self.module.port(port).unwrap().kind).unwrap()
    }

    fn list(&self, list: PortList) -> Vec<u16> {
        self.module.list(list).collect()
    }

    fn got(&self, ports: &[u16]) -> Vec<Vec<u8>> {
        let values = ports.iter();
        values
            .map(|port| self.values[usize::from(*port)].clone())
            .collect()
    }

    /// Runs the next instant.
    pub(crate) fn moment(&mut self) -> Moment {
        self.at = self.triggers.iter().map(|(due, _)| *due).min().unwrap();
        let mut moment = Moment {
            at: self.at,
            ..Moment::default()
        };
        let mut steps = 0;
        while let Some(first) = self.triggers.iter().position(|(due, _)| *due == self.at) {
            let (_, block) = self.triggers.remove(first);
            steps += self.block(block, &mut moment);
        }
        self.longest = self.longest.max(steps);
        for (port, value) in (0..).zip(&self.values) {
            if self.kind(port) == PortKind::Output {
                moment.visible.push((self.port_name(port), value.clone()));
            }
        }
        moment.sort();
        moment
    }

    /// Runs a block; how many instructions it takes.
    fn block(&mut self, mut pc: u16, moment: &mut Moment) -> u32 {
        let mut steps = 0;
        loop {
            let i = self.module.instruction(pc).unwrap();
            steps += 1;
            pc += 1;
            match i.opcode().unwrap() {
                Opcode::Call => self.call(i.a, moment),
                Opcode::Release => self.release(i.a, i.b, moment),
                Opcode::Branch if self.holds(i.a) => pc = i.b,
                Opcode::Branch => {}
                Opcode::Jump => pc = i.a,
                Opcode::Future => {
                    let p = self.module.predicate(i.a).unwrap();
                    let due = match p.kind() {
                        Some(PredicateKind::After) if p.value > 0 => self.at + p.value,
                        Some(PredicateKind::True) => self.at,
                        other => panic!("{other:?} in Psi"),
                    };
                    self.triggers.push((due, i.b));
                    self.most_triggers = self.most_triggers.max(self.triggers.len());
                }
                Opcode::Return => return steps,
                other => panic!("{other:?} in E code"),
            }
        }
    }

    fn holds(&self, predicate: u16) -> bool {
        let p = self.module.predicate(predicate).unwrap();
        assert_eq!(p.kind(), Some(PredicateKind::Constant));
        let of = self.value_type(p.subject);
        let mut raw = [0; 8];
        let value = &self.values[usize::from(p.subject)];
        raw[..value.len()].copy_from_slice(value);
        let [left, right] = [u64::from_le_bytes(raw), p.value].map(|raw| of.order_key(raw));
        Comparison::from_code(p.comparison)
            .unwrap()
            .holds(left, right)
    }

    fn call(&mut self, index: u16, moment: &mut Moment) {
        let driver = self.module.driver(index).unwrap();
        let (reads, writes) = (self.list(driver.reads), self.list(driver.writes));
        let got = self.got(&reads);
        if driver.kind == DriverKind::Copy as u32 {
            assert_eq!(reads.len(), writes.len());
            for (value, to) in got.into_iter().zip(writes) {
                self.values[usize::from(to)] = value;
            }
            return;
        }
        let function = self.module.text(driver.function);
        match (&reads[..], &writes[..]) {
            ([actuator], []) => moment
                .written
                .push((self.port_name(*actuator), got[0].clone())),
            ([], [port]) => {
                let number = if self.kind(*port) == PortKind::Sensor {
                    self.at
                } else {
                    0
                };
                let value = put_out(self.value_type(*port), function, number, &[], 0);
                self.values[usize::from(*port)] = value;
            }
            other => panic!("{other:?}"),
        }
    }

    /// A job computes as soon as it may: what it writes is there before anybody may see it.
    fn release(&mut self, index: u16, deadline: u16, moment: &mut Moment) {
        let task = self.module.task(index).unwrap();
        let number = &mut self.released[usize::from(index)];
        *number += 1;
        let number = *number;
        let got = self.got(&self.list(task.inputs));
        let function = self.module.text(task.function);
        for (which, port) in self.list(task.outputs).into_iter().enumerate() {
            let value = put_out(self.value_type(port), function, number, &got, which);
            self.values[usize::from(port)] = value;
        }
        moment.begun.push(Begun {
            job: self.module.text(task.name).to_owned(),
            deadline: self.module.duration(deadline).unwrap().nanos,
            got,
        });
    }
}
