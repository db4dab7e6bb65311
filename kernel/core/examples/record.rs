//! Runs the scenarios of the differential test on this kernel and records what it
//! does: `cargo run -p giornata-core --example record`.

#[path = "../tests/replay/machine.rs"]
mod machine;
#[path = "../tests/replay/requests.rs"]
mod requests;
#[path = "../tests/replay/tables.rs"]
mod tables;
#[path = "../tests/replay/watch.rs"]
mod watch;

use giornata_replay_logs as logs;
use std::collections::BTreeMap;

fn main() -> std::io::Result<()> {
    let mut bytes = 0;
    let mut census = Census::default();
    for number in 0..logs::COUNT / logs::CHUNK {
        let numbers = number * logs::CHUNK..(number + 1) * logs::CHUNK;
        let run = |number| {
            let scenario = logs::scenario(number);
            let record = machine::run(&scenario);
            census.count(&record);
            record
        };
        let records: Vec<logs::Record> = numbers.map(run).collect();
        let file = logs::pack(number, &records);
        bytes += file.len();
        std::fs::write(logs::folder().join(format!("{number:02}.bin")), file)?;
    }
    println!("{bytes} bytes");
    census.print();
    Ok(())
}

/// What the records are like.
#[derive(Default)]
struct Census {
    untouched: u32,
    touches: BTreeMap<logs::Kind, u32>,
    occurrences: BTreeMap<String, u32>,
}

impl Census {
    fn count(&mut self, record: &logs::Record) {
        self.untouched += u32::from(record.touches.is_empty());
        for touch in &record.touches {
            *self.touches.entry(touch.kind).or_default() += 1;
        }
        for occurrence in record.observation.steps.iter().flatten() {
            let name = match occurrence {
                logs::Occurrence::Returns(error, _) => format!("Returns({error})"),
                logs::Occurrence::Switch(_, logs::Runner::Thread(_)) => "Switch".into(),
                other => format!("{other:?}")
                    .chars()
                    .take_while(|c| c.is_alphabetic())
                    .collect(),
            };
            *self.occurrences.entry(name).or_default() += 1;
        }
    }

    fn print(&self) {
        println!("untouched: {}", self.untouched);
        for (kind, count) in &self.touches {
            println!("  {kind:?}: {count}");
        }
        for (name, count) in &self.occurrences {
            println!("{name}: {count}");
        }
    }
}
