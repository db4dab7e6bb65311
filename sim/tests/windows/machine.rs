//! A module under the kernel, its functions noted by instant.

use std::cell::RefCell;
use std::collections::BTreeMap;

use giornata_abi::module::{DriverKind, Module, PortKind};
use giornata_abi::process::block_offsets;
use giornata_abi::{Duration, Instant, ValueType};
use giornata_sim::{Act, Moment, Shape, Simulation, SystemBuilder};

use crate::events::{self, Begun, put_out};

/// All windows are multiples of this, in nanoseconds; the jobs of an instant together
/// take less.
const GRID: u64 = 500_000;
/// What a job takes after it has read and before it writes.
const WORK: Duration = Duration(20_000);

/// A function of the program, with the types of what it gets and puts out.
struct Function {
    name: String,
    gets: Vec<ValueType>,
    puts: Vec<ValueType>,
}

impl Function {
    /// The addresses of its values.
    fn places(&self, block: usize) -> Vec<usize> {
        let all = self.gets.iter().chain(&self.puts);
        let mut places = Vec::new();
        let sizes = all.map(|of| usize::from(of.size().unwrap()));
        block_offsets(sizes, |at| places.push(block + at));
        places
    }

    fn got(&self, moment: &Moment<'_>) -> Vec<Vec<u8>> {
        let places = self.places(moment.block);
        let values = self.gets.iter().zip(places);
        let read = values.map(|(of, at)| {
            let mut bytes = vec![0; of.size().unwrap().into()];
            assert!(moment.read(at, &mut bytes));
            bytes
        });
        read.collect()
    }

    fn put(&self, moment: &mut Moment<'_>, number: u64, got: &[Vec<u8>]) {
        let places = self.places(moment.block);
        let outputs = self.puts.iter().zip(&places[self.gets.len()..]);
        for (which, (of, at)) in outputs.enumerate() {
            let value = put_out(*of, &self.name, number, got, which);
            assert!(moment.write(*at, &value));
        }
    }
}

type Moments = RefCell<BTreeMap<u64, events::Moment>>;

fn note(moments: &Moments, now: Instant, add: impl FnOnce(&mut events::Moment)) {
    let at = now.0 / GRID * GRID;
    let mut moments = moments.borrow_mut();
    let moment = moments.entry(at).or_insert_with(|| events::Moment {
        at,
        ..events::Moment::default()
    });
    add(moment);
}

/// What is seen of each instant at which a job begins or an actuator is written.
pub(crate) fn run(bytes: &[u8], until: u64) -> Vec<events::Moment> {
    let module = Module::parse(bytes).unwrap();
    let type_of = |port: u16| ValueType::from_code(module.port(port).unwrap().value_type).unwrap();
    let kind_of = |port: u16| PortKind::from_code(module.port(port).unwrap().kind).unwrap();
    let function = |name, reads: &[u16], writes: &[u16]| Function {
        name: module.text(name).to_owned(),
        gets: reads.iter().map(|port| type_of(*port)).collect(),
        puts: writes.iter().map(|port| type_of(*port)).collect(),
    };
    let mut b = SystemBuilder::new();
    let mut ports: BTreeMap<u16, u16> = BTreeMap::new();
    let (mut tasks, mut drivers) = (Vec::new(), Vec::new());
    for task in module.tasks() {
        let [inputs, outputs] =
            [task.inputs, task.outputs].map(|list| module.list(list).collect::<Vec<u16>>());
        let shapes = |list: &[u16]| list.iter().map(|port| type_of(*port).into()).collect();
        let [gets, puts]: [Vec<Shape>; 2] = [shapes(&inputs), shapes(&outputs)];
        let (process, name) = (b.process(), module.text(task.name));
        let own = b.task(process, name, &gets, &puts);
        ports.extend(inputs.iter().copied().zip(own.inputs));
        ports.extend(outputs.iter().copied().zip(own.outputs));
        tasks.push((own.thread, name, function(task.function, &inputs, &outputs)));
    }
    for (index, port) in (0..).zip(module.ports()) {
        if !kind_of(index).is_task_local() {
            ports.insert(index, b.port(module.text(port.name), type_of(index)));
        }
    }
    for driver in module.drivers() {
        let [reads, writes] =
            [driver.reads, driver.writes].map(|list| module.list(list).collect::<Vec<u16>>());
        let own = |list: &[u16]| -> Vec<u16> { list.iter().map(|port| ports[port]).collect() };
        let (name, reads_here, writes_here) = (module.text(driver.name), own(&reads), own(&writes));
        if driver.kind == DriverKind::Copy as u32 {
            b.copy(name, &reads_here, &writes_here);
            continue;
        }
        let process = b.process();
        b.upcall_thread(process);
        let index = b.upcall(name, process, &reads_here, &writes_here, 0);
        let actuator = reads.first().map(|port| module.port(*port).unwrap());
        let actuator = actuator.map(|port| module.text(port.name));
        let is_sensor = writes.iter().any(|port| kind_of(*port) == PortKind::Sensor);
        drivers.push((
            index,
            actuator,
            is_sensor,
            function(driver.function, &reads, &writes),
        ));
    }
    b.program(bytes);
    let system = b.finish();
    let moments = Moments::default();
    let mut simulation = Simulation::new(&system);
    simulation.listen(|_, _| {});
    for (index, actuator, is_sensor, function) in drivers {
        let moments = &moments;
        simulation.set_driver(index, move |moment: &mut Moment<'_>| {
            let (got, now) = (function.got(moment), moment.now);
            let at = now.0 / GRID * GRID;
            function.put(moment, if is_sensor { at } else { 0 }, &[]);
            if let Some(actuator) = actuator {
                note(moments, now, |moment| {
                    moment.written.push((actuator.to_owned(), got[0].clone()));
                });
            }
            Act::End(0)
        });
    }
    for (thread, name, function) in tasks {
        let moments = &moments;
        let (mut number, mut got) = (0, None::<Vec<Vec<u8>>>);
        simulation.set_thread(thread, move |moment: &mut Moment<'_>| {
            if let Some(got) = got.take() {
                number += 1;
                function.put(moment, number, &got);
                return Act::End(0);
            }
            let read = function.got(moment);
            note(moments, moment.now, |moment| {
                moment.begun.push(Begun {
                    job: name.to_owned(),
                    deadline: 0,
                    got: read.clone(),
                });
            });
            got = Some(read);
            Act::Compute(WORK)
        });
    }
    simulation.run_until(Instant(until * 1_000_000 - 1_000));
    drop(simulation);
    let mut moments: Vec<events::Moment> = moments.into_inner().into_values().collect();
    moments.iter_mut().for_each(events::Moment::sort);
    moments
}
