//! A module under the kernel, its functions noted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use giornata_abi::module::{DriverKind, Module, PortKind, PortSymbol};
use giornata_abi::process::block_offsets;
use giornata_abi::{Instant, ValueType};
use giornata_sim::{Act, Moment, Shape, Simulation, SystemBuilder};

use crate::program::Random;
use crate::{Call, holds, put_out};

/// A function of the program: its name, and bytes of what it gets and puts out.
#[derive(Clone)]
struct Function {
    name: String,
    gets: Vec<usize>,
    puts: Vec<usize>,
    is_guard: bool,
}

impl Function {
    /// Runs at a moment; what it got is noted.
    fn run(&self, moment: &mut Moment<'_>, number: u32) -> Call {
        let mut places = Vec::new();
        let all = self.gets.iter().chain(&self.puts).copied();
        block_offsets(all, |at| places.push(at));
        let block = moment.block;
        let got = self.gets.iter().zip(&places).map(|(size, at)| {
            let mut bytes = vec![0; *size];
            assert!(moment.read(block + at, &mut bytes));
            bytes
        });
        let got: Vec<Vec<u8>> = got.collect();
        let puts = self.puts.iter().zip(&places[self.gets.len()..]).enumerate();
        for (which, (size, at)) in puts {
            let value = match self.is_guard {
                true => vec![u8::from(holds(&self.name, number, &got))],
                false => put_out(&self.name, number, &got, which, *size),
            };
            assert!(moment.write(block + at, &value));
        }
        let function = self.name.clone();
        let is_job = moment.driver.is_none();
        Call {
            function,
            is_job,
            got,
        }
    }
}

/// Calls of functions in their order, tasks at their releases.
pub(crate) fn run(bytes: &[u8], sizes: &BTreeMap<String, u16>, seed: u64, until: u64) -> Vec<Call> {
    let module = Module::parse(bytes).unwrap();
    let mut random = Random::new(seed ^ 0xA5A5);
    let shape = |port: &PortSymbol| match ValueType::from_code(port.value_type) {
        Some(ValueType::Opaque) | None => Shape::Bytes(sizes[module.text(port.type_name)]),
        Some(scalar) => scalar.into(),
    };
    let bytes_of = |port: u16| match shape(&module.port(port).unwrap()) {
        Shape::Scalar(scalar) => scalar.size().unwrap().into(),
        Shape::Bytes(size) => usize::from(size),
    };
    let mut b = SystemBuilder::new();
    // by port of the module: that of the system
    let mut ports: BTreeMap<u16, u16> = BTreeMap::new();
    let mut tasks = Vec::new();
    for task in module.tasks() {
        let (inputs, outputs): (Vec<u16>, Vec<u16>) = (
            module.list(task.inputs).collect(),
            module.list(task.outputs).collect(),
        );
        let shapes = |list: &[u16]| -> Vec<Shape> {
            let ports = list.iter().map(|port| module.port(*port).unwrap());
            ports.map(|port| shape(&port)).collect()
        };
        let process = b.process();
        let own = b.task(
            process,
            module.text(task.name),
            &shapes(&inputs),
            &shapes(&outputs),
        );
        ports.extend(inputs.iter().copied().zip(own.inputs));
        ports.extend(outputs.iter().copied().zip(own.outputs));
        let function = Function {
            name: module.text(task.function).to_string(),
            gets: inputs.iter().map(|port| bytes_of(*port)).collect(),
            puts: outputs.iter().map(|port| bytes_of(*port)).collect(),
            is_guard: false,
        };
        tasks.push((own.thread, function));
    }
    for (index, port) in (0..).zip(module.ports()) {
        let kind = PortKind::from_code(port.kind).unwrap();
        if !matches!(
            kind,
            PortKind::TaskInput | PortKind::TaskOutput | PortKind::State
        ) {
            let own = b.port(module.text(port.name), shape(&port));
            // (what nobody looks at is copied otherwise)
            b.description.programs.ports[usize::from(own)].traced = random.below(3) == 0;
            ports.insert(index, own);
        }
    }
    let mut drivers = Vec::new();
    for driver in module.drivers() {
        let name = module.text(driver.name);
        let (reads, writes): (Vec<u16>, Vec<u16>) = (
            module.list(driver.reads).collect(),
            module.list(driver.writes).collect(),
        );
        let own = |list: &[u16]| -> Vec<u16> { list.iter().map(|port| ports[port]).collect() };
        if driver.kind == DriverKind::Copy as u32 {
            b.copy(name, &own(&reads), &own(&writes));
            continue;
        }
        let process = b.process();
        b.upcall_thread(process);
        let kind = |port: &u16| PortKind::from_code(module.port(*port).unwrap().kind);
        let function = Function {
            name: module.text(driver.function).to_string(),
            gets: reads.iter().map(|port| bytes_of(*port)).collect(),
            puts: writes.iter().map(|port| bytes_of(*port)).collect(),
            is_guard: writes
                .iter()
                .any(|port| kind(port) == Some(PortKind::Guard)),
        };
        drivers.push((
            b.upcall(name, process, &own(&reads), &own(&writes), 0),
            function,
        ));
    }
    b.program(bytes);
    let system = b.finish();
    let calls = RefCell::new(Vec::new());
    let counts = RefCell::new(BTreeMap::<String, u32>::new());
    let mut simulation = Simulation::new(&system);
    simulation.listen(|_, _| {});
    let all = drivers
        .into_iter()
        .map(|(driver, function)| (None, driver, function));
    let tasks = tasks
        .into_iter()
        .map(|(thread, function)| (Some(thread), 0, function));
    for (thread, driver, function) in all.chain(tasks) {
        let (calls, counts) = (&calls, &counts);
        let behaviour = move |moment: &mut Moment<'_>| {
            let mut counts = counts.borrow_mut();
            let number = counts.entry(function.name.clone()).or_default();
            *number += 1;
            calls.borrow_mut().push(function.run(moment, *number));
            Act::End(0)
        };
        match thread {
            Some(thread) => simulation.set_thread(thread, behaviour),
            None => simulation.set_driver(driver, behaviour),
        }
    }
    simulation.run_until(Instant(until * 1_000_000 - 1_000));
    drop(simulation);
    calls.into_inner()
}
