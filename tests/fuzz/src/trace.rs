//! The trace on the host: any bytes on its wire, and any records in sound frames.

use giornata_abi::ring::{BYTES, Kind, Words};
use giornata_abi::{Instant, ValueType};
use giornata_system::NameMap;
use giornata_system::memory_map::Machine;
use giornata_system::names::{
    DriverName, FORMAT, PortName, ProcessName, ProgramName, ThreadName, ThreadRole,
};
use giornata_trace::{
    Damage, Decoder, Event, Perfetto, Schedule, Statistics, decision_trace, encode, physical_trace,
    port_trace, transcript, words_of,
};

const HERTZ: u32 = 10_000_000;

/// Decodes `data` as bytes of the wire, and as records. However the bytes come in pieces,
/// the events are the same; whatever they are, the tools read them.
pub fn explore(data: &[u8]) {
    let names = names();
    watch(data, &names);
    watch(&frames(data), &names);
}

fn watch(wire: &[u8], names: &NameMap) {
    let whole = decode([wire].into_iter());
    let pieces = wire.chunks(usize::from(wire.first().copied().unwrap_or(1)).max(1));
    assert_eq!(whole, decode(pieces), "the same in pieces");
    let (events, _) = whole;
    for hart in 0..=1 {
        let of_hart = events.iter().filter(|event| event.hart == hart);
        assert!(of_hart.is_sorted_by_key(|event| event.index), "in order");
    }
    let mut totals = Statistics::new(names);
    let mut schedule = Schedule::new(names, Instant(1_000_000_000));
    let Ok(mut perfetto) = Perfetto::new(std::io::sink(), names) else {
        return;
    };
    for event in &events {
        let _ = totals.observe(event);
        schedule.observe(event);
        let _ = perfetto.push(event);
    }
    schedule.close(totals.instant());
    assert!(totals.misses() <= events.len() as u64);
    let writes = port_trace(&events, names);
    assert!(writes.iter().all(|write| write.value.len() == 12));
    let _ = decision_trace(&events, names);
    let _ = physical_trace(&events, names, |_| true);
    let _ = transcript(&events, names);
}

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, Damage) {
    let (mut decoder, mut events) = (Decoder::new(HERTZ), Vec::new());
    for piece in pieces {
        decoder.push(piece, |event| events.push(event));
    }
    (events, decoder.damage())
}

/// A sound frame for each [`BYTES`]; now and then one is lost, or comes again.
fn frames(data: &[u8]) -> Vec<u8> {
    let (mut wire, mut index) = (Vec::new(), 0u64);
    for record in data.chunks_exact(BYTES).filter_map(record) {
        encode(index, &record, &mut wire);
        index += match data.get(index as usize) {
            Some(1) => 0,
            Some(2) => 3,
            _ => 1,
        };
    }
    wire
}

fn record(bytes: &[u8]) -> Option<Words> {
    let [time, head, second, third] = words_of(bytes)?;
    let kind = head % (Kind::ALL.len() as u32 + 1);
    // of threads and ports that there are, mostly
    let subject = head >> 16 & 0x8003;
    let head = kind | head & 0x100 | subject << 16;
    Some([time, head, second, third])
}

/// A system of two tasks, an upcall and a port of 12 bytes.
fn names() -> NameMap {
    let thread = |name: &str, role| ThreadName {
        called: String::new(),
        name: name.into(),
        process: 0,
        role,
        policy: "deadline".into(),
        priority: 0,
        autostart: false,
        program: Some(0),
        function: name.into(),
        budget: 0,
        wcet: 0,
        deadline: 10_000_000,
        stack: 4096,
        stack_top: 0,
        guard: 0,
        body: 0,
    };
    NameMap {
        format: FORMAT,
        system: "fuzz".into(),
        board: "qemu-virt64".into(),
        expect: vec![],
        timer_hertz: HERTZ,
        deadline_band: 200,
        stop_at: 0,
        trace_capacity: 1024,
        processes: vec![ProcessName {
            name: "control".into(),
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
        }],
        threads: vec![
            thread("fast", ThreadRole::Task),
            thread("slow", ThreadRole::Task),
            thread("upcall", ThreadRole::Upcall),
        ],
        ports: vec![PortName {
            name: "state".into(),
            program: 0,
            kind: "actuator".into(),
            type_name: "State".into(),
            value_type: ValueType::Opaque as u8,
            size: 12,
            traced: true,
            task: None,
            fields: vec![],
        }],
        drivers: vec![DriverName {
            name: "write_state".into(),
            program: 0,
            function: "write_state".into(),
            work: "upcall".into(),
            process: Some(0),
            budget: 20_000,
            body: 0,
        }],
        programs: vec![ProgramName {
            name: "flight".into(),
            source: "flight.giotto".into(),
            schedule: "edf".into(),
            handled: [false; 4],
            instructions: 12,
        }],
        interrupts: vec![],
        objects: vec![],
        machine: Machine::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_what_the_kernel_sends() {
        let seed: &[u8] = include_bytes!("../seeds/trace/sent");
        let (events, damage) = decode([seed].into_iter());
        assert!(events.len() >= 8, "{}", events.len());
        assert_eq!(damage, Damage::default());
        assert_eq!(port_trace(&events, &names()).len(), 1);
        explore(seed);
    }
}
