use std::collections::BTreeMap;

use super::*;
use crate::inspection::Inspection;
use crate::sample::names;
use crate::task_states::task_states;
use anyhow::Context;
use giornata_records::{Target, constants, records};
use giornata_system::names::{InterruptName, ObjectName, ThreadRole};
use giornata_system::{DebugMap, Stack};
use proptest::prelude::*;

const BASE: u64 = 0x8000_0000;
const KERNEL: u64 = BASE;
const PROCESSES: u64 = BASE + 0x4000;
const THREADS: u64 = BASE + 0x8000;
const OBJECTS: u64 = BASE + 0xC000;
const LINE: u64 = BASE + 0xD000;
const NOWHERE: u64 = BASE + 0xE000;
const HAND: u64 = BASE + 0xE800;
const STACKS: u64 = BASE + 0xF000;
const PLACES: u64 = BASE + 0x2000;
const TASK: u64 = BASE + 0x3000;
const SIZE: usize = 0x1_0000;

/// A machine with the sample's processes, five plain threads, a mutex and a condition.
struct Machine {
    map: DebugMap,
    bytes: Vec<u8>,
}

impl Machine {
    fn new(width: usize) -> Machine {
        let mut names = names();
        let thread = names.threads[0].clone();
        names.threads = (0..5u16)
            .map(|index| giornata_system::names::ThreadName {
                name: format!("t{index}"),
                process: 0,
                role: ThreadRole::Thread,
                ..thread.clone()
            })
            .collect();
        names.objects = ["mutex", "condition"].map(object).into();
        names.interrupts = vec![InterruptName {
            number: 7,
            name: "uart0".into(),
            process: Some(0),
        }];
        let shapes = records(Target {
            width,
            several: false,
            streams: false,
        })
        .into_iter();
        let words = |words: BTreeMap<&str, u32>| {
            words.into_iter().map(|(n, w)| (n.to_string(), w)).collect()
        };
        let map = DebugMap {
            format: 1,
            image: String::new(),
            width: width as u32,
            translated: false,
            memory: (BASE as u32, SIZE as u32),
            clock: 0,
            kernel: KERNEL as u32,
            end: (BASE as usize + SIZE) as u32,
            symbols: vec![],
            sources: String::new(),
            stacks: vec![
                Stack {
                    top: 0x2000,
                    size: 0x100,
                    place: STACKS as u32,
                };
                5
            ],
            records: shapes.map(|(n, shape)| (n.into(), shape.into())).collect(),
            constants: constants()
                .map(|(n, w)| (n.to_string(), words(w)))
                .collect(),
            names,
        };
        let mut machine = Machine {
            map,
            bytes: vec![0; SIZE],
        };
        for (field, address) in [
            ("processes.address", PROCESSES),
            ("threads.address", THREADS),
            ("objects.address", OBJECTS),
            ("no_list", NOWHERE),
        ] {
            machine.set("System", KERNEL, field, 0, address);
        }
        let given = machine.constant("tenancy", "GIVEN");
        for index in 0..5 {
            machine.thread(index, "process", PROCESSES);
            machine.thread(index, "tenancy", given);
            machine.thread(index, "hand", HAND + index);
        }
        machine
    }

    fn constant(&self, group: &str, name: &str) -> u64 {
        self.map.constants[group][name].into()
    }

    fn set(&mut self, record: &str, at: u64, field: &str, index: usize, value: u64) {
        let (offset, bytes, _) = self.map.records[record].fields[field];
        let at = (at - BASE) as usize + offset + index * bytes;
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    fn at(&self, index: u64) -> u64 {
        THREADS + index * self.map.records["Thread"].size as u64
    }

    fn thread(&mut self, index: u64, field: &str, value: u64) {
        self.set("Thread", self.at(index), field, 0, value);
    }

    /// A thread runs the jobs of a task.
    fn task(&mut self, index: u64) {
        let place = PLACES + index * self.map.records["Place"].size as u64;
        self.thread(index, "place", place);
        self.set("Place", place, "task", 0, TASK);
    }

    fn object(&self, index: u64) -> u64 {
        OBJECTS + index * self.map.records["Object"].size as u64
    }

    fn read(&self, running: Option<u16>) -> Standing {
        Standing::read(&self.map, &Memory::of(BASE, &self.bytes), running).unwrap()
    }

    fn states(&self, running: Option<u16>) -> Vec<State> {
        let standing = self.read(running);
        standing.threads.iter().map(|own| own.state).collect()
    }
}

fn size(machine: &Machine, record: &str) -> usize {
    machine.map.records[record].size
}

fn object(kind: &str) -> ObjectName {
    ObjectName {
        name: format!("a-{kind}"),
        kind: kind.into(),
        ceiling: None,
        users: vec![0],
        receivers: vec![],
        managers: vec![],
        server: None,
    }
}

#[test]
fn threads_are_told_by_what_they_wait_for() {
    for width in [4, 8] {
        let mut machine = Machine::new(width);
        let (mutex, condition) = (machine.object(0), machine.object(1));
        // 1 keeps its place in the ready queue, 2 is parked, 3 has noted the mutex
        machine.thread(1, "wants", mutex);
        machine.thread(2, "wants", mutex);
        machine.thread(2, "waits", NOWHERE);
        machine.thread(2, "state", machine.constant("state", "PARKED"));
        machine.thread(3, "wants", mutex);
        machine.thread(3, "waits", condition);
        machine.thread(4, "wants", HAND + 1);
        let own = machine.at(0);
        machine.set("Object", mutex, "owner", 0, own);
        assert_eq!(
            machine.states(Some(0)),
            [
                State::Running,
                State::Waits(Awaited::Object(0)),
                State::Waits(Awaited::Object(0)),
                State::Waits(Awaited::Object(1)),
                State::Waits(Awaited::Reply(1)),
            ]
        );
        let standing = machine.read(None);
        assert_eq!(standing.threads[0].state, State::Ready);
        assert_eq!(standing.owners, [Some(0), None]);
        assert_eq!(
            standing.describe(1, &machine.map.names),
            ("waits", "mutex a-mutex, owner control/t0".into())
        );
    }
}

#[test]
fn sleepers_handlers_and_the_dead_are_told() {
    let mut machine = Machine::new(8);
    for index in 0..5 {
        machine.thread(index, "waits", NOWHERE);
    }
    let state = machine.constant("state", "SLEEPS") | machine.constant("state", "ARMED");
    machine.thread(0, "state", state);
    machine.set("Thread", machine.at(0), "context.t", 0, 20_000_000);
    machine.set("System", KERNEL, "lines", 7, LINE);
    machine.set("Line", LINE, "handler", 0, machine.at(1));
    machine.thread(2, "tenancy", machine.constant("tenancy", "NOBODY"));
    machine.thread(
        3,
        "process",
        PROCESSES + machine.map.records["Process"].size as u64,
    );
    let (process, dead) = (
        PROCESSES + machine.map.records["Process"].size as u64,
        machine.constant("life", "DEAD"),
    );
    machine.set("Process", process, "life", 0, dead);
    machine.thread(4, "tenancy", machine.constant("tenancy", "TASK"));
    assert_eq!(
        machine.states(None),
        [
            State::Sleeps,
            State::Waits(Awaited::Line(7)),
            State::Absent,
            State::Dead,
            State::Idle,
        ]
    );
    let standing = machine.read(None);
    let names = &machine.map.names;
    assert_eq!(
        standing.describe(0, names),
        ("sleeps", "until 2.000 s".into())
    );
    assert_eq!(
        standing.describe(1, names),
        ("waits", "interrupt 7 (uart0)".into())
    );
}

#[test]
fn a_task_in_a_ring_is_ready_only_if_it_has_a_job() {
    let mut machine = Machine::new(4);
    machine.thread(0, "state", machine.constant("state", "IN_RING"));
    machine.thread(1, "state", machine.constant("state", "IN_RING"));
    let mut standing = machine.read(None);
    standing.settle(|thread| thread == 0);
    let states: Vec<State> = standing.threads.iter().map(|own| own.state).collect();
    assert_eq!(states[..2], [State::Ready, State::Idle]);
}

#[test]
fn the_stack_in_use_is_from_the_pointer_to_the_top() {
    let mut machine = Machine::new(8);
    machine.set("Thread", machine.at(0), "context.sp", 0, 0x2000 - 0x40);
    machine.set("Thread", machine.at(0), "context.pc", 0, 0x1000);
    machine.set("Thread", machine.at(1), "context.sp", 0, 0x1000);
    let standing = machine.read(None);
    assert_eq!(standing.threads[0].stack_used, Some(0x40));
    assert_eq!(standing.threads[0].stack.bytes.len(), 0x40);
    let registers = standing.threads[0].registers.unwrap();
    assert_eq!((registers.pc, registers.ra), (0x1000 - CALL, None));
    assert_eq!(standing.threads[1].stack_used, None, "elsewhere");
}

#[test]
fn violations_are_those_of_the_task() {
    let mut machine = Machine::new(8);
    machine.task(1);
    machine.set("Task", TASK, "violations", 0, 3);
    let standing = machine.read(None).threads;
    let counts = standing.iter().map(|own| own.violations);
    assert_eq!(counts.take(3).collect::<Vec<u32>>(), [0, 3, 0]);
}

#[test]
fn the_running_thread_has_a_place_only_if_it_was_interrupted() {
    let mut machine = Machine::new(8);
    machine.set("Thread", machine.at(0), "context.pc", 0, 0x1000);
    assert_eq!(machine.read(Some(0)).threads[0].registers, None);
    machine.thread(0, "kind", machine.constant("resumed", "FULL"));
    let registers = machine.read(Some(0)).threads[0].registers.unwrap();
    assert_eq!((registers.pc, registers.ra), (0x1000, Some(0)));
}

#[test]
fn memory_that_is_not_all_there_is_refused() {
    let machine = Machine::new(8);
    let short = Memory::of(BASE, &machine.bytes[..0x8000]);
    let error = Standing::read(&machine.map, &short, None).unwrap_err();
    assert!(error.to_string().contains("no Thread"), "{error}");
}

proptest! {
    /// A machine that runs is read while it writes: no bytes whatever may end the reader.
    #[test]
    fn records_that_are_torn_or_nonsense_are_an_error_or_a_table(
        width in prop::sample::select(vec![4, 8]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..7u8), 1..60),
    ) {
        let mut machine = Machine::new(width);
        machine.task(1);
        let stretches = [
            (KERNEL, size(&machine, "System")),
            (machine.at(0), 5 * size(&machine, "Thread")),
            (PROCESSES, 3 * size(&machine, "Process")),
            (OBJECTS, 2 * size(&machine, "Object")),
            (LINE, size(&machine, "Line")),
            (PLACES, 2 * size(&machine, "Place")),
            (TASK, size(&machine, "Task")),
        ];
        machine.set("System", KERNEL, "lines", 7, LINE);
        for (place, byte, stretch) in changes {
            let (start, length) = stretches[usize::from(stretch)];
            machine.bytes[(start - BASE) as usize + place.index(length)] = byte;
        }
        let memory = Memory::of(BASE, &machine.bytes);
        for running in [None, Some(0), Some(9)] {
            if let Ok(standing) = Standing::read(&machine.map, &memory, running) {
                let names = (&machine.map.names, None);
                let table = task_states(names, &standing, |_| None, &[]);
                prop_assert_eq!(table.len(), 6);
            }
        }
    }
}

/// What a machine gives of its memory, of which a thread goes on after a while.
fn inspect(machine: &mut Machine, mut goes_on: impl FnMut(&mut Machine, usize)) -> Inspected {
    let map = machine.map.clone();
    let mut asked = Vec::new();
    let taken = Inspection::take(&map, |address, length| {
        goes_on(machine, asked.len());
        asked.push((address, length));
        let memory = Memory::of(BASE, &machine.bytes);
        let bytes = memory.read(address, length);
        Ok(bytes.context("no such memory")?.to_vec())
    });
    let taken = taken.map_err(|error| format!("{error:#}"))?;
    let (standing, changed) = taken.standing(Some(0)).map_err(|error| error.to_string())?;
    Ok((standing, changed, taken.meanwhile().unwrap(), asked))
}

type Inspected = Result<(Standing, Vec<u16>, u32, Vec<(u64, usize)>), String>;

#[test]
fn an_inspection_reads_what_a_stopped_machine_tells_and_names_who_has_gone_on() {
    for width in [4, 8] {
        let mut machine = Machine::new(width);
        machine.set("System", KERNEL, "lines", 7, LINE);
        let mutex = machine.object(0);
        machine.thread(1, "wants", mutex);
        machine.task(1);
        machine.set("Task", TASK, "violations", 0, 3);
        for index in [0, 2] {
            machine.thread(
                index,
                "place",
                PLACES + index * size(&machine, "Place") as u64,
            );
        }
        let still = machine.read(Some(0));
        let (standing, changed, meanwhile, asked) = inspect(&mut machine, |_, _| ()).unwrap();
        assert_eq!((&standing, changed, meanwhile), (&still, vec![], 0));
        // the hart, threads, processes, objects, a line, places, a task; all of that twice
        assert_eq!((asked.len(), &asked[..7]), (14, &asked[7..]));
        assert_eq!(asked[5], (PLACES, 3 * size(&machine, "Place")));
        assert_eq!(asked[6], (TASK, size(&machine, "Task")));
        let (standing, changed, meanwhile, _) = inspect(&mut machine, |machine, piece| {
            if piece == 7 {
                machine.thread(1, "wants", 0);
                machine.set("System", KERNEL, "trace.written", 0, 3 * 16);
            }
        })
        .unwrap();
        assert_eq!((changed, meanwhile), (vec![1], 3));
        assert_eq!(standing.threads[1].state, State::Ready);
    }
}

#[test]
fn records_that_lead_out_of_what_can_be_read_are_an_error() {
    let mut machine = Machine::new(8);
    machine.set("System", KERNEL, "threads.address", 0, u64::MAX - 8);
    let error = inspect(&mut machine, |_, _| ()).unwrap_err();
    assert!(error.contains("bytes at 0xfffffffffffffff7"), "{error}");
}
