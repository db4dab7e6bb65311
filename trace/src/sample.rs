//! A small system and events of it, for tests.

use giornata_abi::{Duration, Instant, Ticks, ValueType};
use giornata_system::NameMap;
use giornata_system::memory_map::Machine;
use giornata_system::names::{
    DriverName, FORMAT, PortName, ProcessName, ProgramName, ThreadName, ThreadRole,
};

use crate::event::{Content, Event, Piece};

/// Two processes with a task each and one upcall thread; two ports; 10 MHz.
pub(crate) fn names() -> NameMap {
    NameMap {
        format: FORMAT,
        system: "sample".into(),
        board: "qemu-virt64".into(),
        expect: vec![],
        timer_hertz: 10_000_000,
        deadline_band: 200,
        stop_at: 0,
        trace_capacity: 1024,
        processes: vec![process("control"), process("io")],
        threads: vec![
            thread("fast", 0, ThreadRole::Task, 10_000_000),
            thread("slow", 1, ThreadRole::Task, 20_000_000),
            thread("upcall", 1, ThreadRole::Upcall, 0),
        ],
        ports: vec![
            port("servo", ValueType::F32, 4),
            port("state", ValueType::Opaque, 12),
        ],
        drivers: vec![DriverName {
            name: "write_servo".into(),
            program: 0,
            function: "write_servo".into(),
            work: "upcall".into(),
            process: Some(1),
            budget: 20_000,
            body: 0,
        }],
        programs: vec![ProgramName {
            name: "flight".into(),
            source: "flight.giotto".into(),
            schedule: "edf".into(),
            handled: [false, false, true, false],
            instructions: 12,
        }],
        interrupts: vec![],
        objects: vec![],
        machine: Machine::default(),
    }
}

fn process(name: &str) -> ProcessName {
    ProcessName {
        name: name.into(),
        on_fault: "restart".into(),
        restart: None,
        by_call: false,
        reads_trace: false,
        text: 0,
        rodata: 0,
        data: 0,
        stacks: 0,
        heap: 0,
        memory: vec![],
    }
}

fn thread(name: &str, process: u16, role: ThreadRole, deadline: u64) -> ThreadName {
    ThreadName {
        name: name.into(),
        called: String::new(),
        process,
        role,
        policy: "deadline".into(),
        priority: 0,
        autostart: false,
        program: Some(0),
        function: name.into(),
        budget: 0,
        wcet: 0,
        deadline,
        stack: 4096,
        stack_top: 0,
        guard: 0,
        body: 0,
    }
}

fn port(name: &str, value_type: ValueType, size: u16) -> PortName {
    PortName {
        name: name.into(),
        program: 0,
        kind: "actuator".into(),
        type_name: value_type.name().into(),
        value_type: value_type as u8,
        size,
        traced: true,
        task: None,
        fields: vec![],
    }
}

/// An event at a time in microseconds.
pub(crate) fn event(micros: u64, content: Content) -> Event {
    Event {
        index: 0,
        tick: Ticks(micros * 10),
        hart: 0,
        content,
    }
}

pub(crate) fn switch(micros: u64, thread: Option<u16>) -> Event {
    event(
        micros,
        Content::Switch {
            thread,
            deadline: None,
            job: 1,
        },
    )
}

pub(crate) fn release(millis: u64, thread: u16, job: u32, window: u64) -> Event {
    let at = Instant(millis * 1_000_000);
    let deadline = Some(at + Duration(window * 1_000_000));
    event(
        millis * 1000,
        Content::Release {
            thread,
            job,
            at,
            deadline,
        },
    )
}

pub(crate) fn complete(micros: u64, thread: u16, job: u32) -> Event {
    let execution = Duration(micros % 1000 * 1000);
    event(
        micros,
        Content::Complete {
            thread,
            job,
            at: Instant(micros * 1000),
            execution,
        },
    )
}

pub(crate) fn port_piece(port: u16, offset: u32, at: u64, piece: [u8; 8]) -> Event {
    let content = Content::Port {
        port,
        offset,
        at: Instant(at),
        piece: Piece::new(&piece),
    };
    Event {
        tick: Ticks(at / 100 + 12),
        ..event(0, content)
    }
}

pub(crate) fn log(micros: u64, thread: u16, words: &str, more: bool) -> Event {
    let mut text = [0; 16];
    text[..words.len()].copy_from_slice(words.as_bytes());
    event(
        micros,
        Content::Log {
            thread,
            length: words.len(),
            more,
            text,
        },
    )
}
