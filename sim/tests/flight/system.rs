//! The example flight-control on the host: its system file resolved and linked
//! as for a board, its processes' own code for the host.

use giornata_abi::process::{Function, ProcessTable};
use giornata_abi::{Duration, Instant};
use giornata_records::Description;
use giornata_sim::{Native, Simulation, Work, describe};
use giornata_system::names::name_map;
use giornata_system::{Functions, Model, NameMap, Project, SystemFile};
use giornata_trace::{Content, Event, Expansion};
use std::collections::BTreeMap;
use std::path::Path;

/// The processes and what they provide.
fn processes() -> [(&'static str, &'static ProcessTable); 5] {
    [
        ("control", flight_control_control::process()),
        ("io", flight_control_io::process()),
        ("plant", flight_control_plant::process()),
        ("telemetry", flight_control_telemetry::process()),
        ("trace", giornata_trace_server::process()),
    ]
}

/// A system file of the example, linked for the host.
pub(crate) struct Flight {
    pub(crate) model: Model,
    pub(crate) names: NameMap,
    pub(crate) system: Description,
}

impl Flight {
    /// The system of `examples/flight-control/FILE.toml`, or of a whole path.
    pub(crate) fn open(file: &str) -> Flight {
        Flight::changed(file, &[])
    }

    /// The same with changes of its text, each of which must hit.
    pub(crate) fn changed(file: &str, changes: &[(String, String)]) -> Flight {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let path = root
            .join("examples/flight-control")
            .join(file)
            .with_extension("toml");
        let mut text = std::fs::read_to_string(&path).expect("the example's own system file");
        for (from, to) in changes {
            assert!(text.contains(from), "`{from}` is not in {}", path.display());
            text = text.replacen(from, to, 1);
        }
        let file = SystemFile::parse(&path, &text).expect("a sound system file");
        let project = Project::of(file, &root, None).expect("programs that compile");
        let functions: BTreeMap<String, Functions> = processes()
            .map(|(name, table)| (name.into(), Functions::of(table)))
            .into();
        let model = Model::resolve(&project, &functions).expect("the functions fit");
        Flight {
            names: name_map(&model, &[]),
            system: describe(&model).expect("the system fits its records"),
            model,
        }
    }

    /// Lets tasks and upcalls run their real functions; the trace server, which
    /// needs its UART, does nothing.
    pub(crate) fn connect(&self, simulation: &mut Simulation<'_>) {
        for (index, thread) in (0u16..).zip(&self.model.threads) {
            if thread.task.is_some() {
                simulation.set_thread(index, self.function(thread.process, &thread.function));
            }
        }
        for (index, driver) in (0u16..).zip(&self.model.drivers) {
            if let giornata_system::model::Work::Upcall { process, .. } = driver.work {
                simulation.set_driver(index, self.function(process, &driver.function));
            }
        }
    }

    fn function(&self, process: u16, name: &str) -> Native {
        let process = &self.model.processes[process as usize].name;
        let found = processes().into_iter().find(|(other, _)| other == process);
        let (_, table) = found.expect("every process is known here");
        let functions: &[Function] = table.functions;
        Native::new(
            functions
                .iter()
                .find(|f| f.name == name)
                .expect("resolved before"),
        )
    }

    /// Flies for a time and hands each event to `listener`.
    pub(crate) fn fly(
        &self,
        system: &Description,
        until: Instant,
        durations: impl FnMut(Work, u32) -> Duration,
        mut listener: impl FnMut(&Event),
    ) {
        let mut expansion = Expansion::new(system.timer_hertz);
        let mut simulation = Simulation::new(system);
        self.connect(&mut simulation);
        simulation.set_durations(durations);
        simulation.listen(|index, record| {
            expansion.push(index, record, |event| listener(&event));
        });
        simulation.run_until(until);
    }

    /// Flies and keeps the events.
    pub(crate) fn record(
        &self,
        system: &Description,
        until: Instant,
        durations: impl FnMut(Work, u32) -> Duration,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        self.fly(system, until, durations, |event| events.push(event.clone()));
        events
    }
}

/// Whether an event tells of something that a good flight does not know.
pub(crate) fn is_trouble(event: &Event) -> bool {
    use Content::{Fault, Miss, Violation};
    matches!(event.content, Miss { .. } | Violation(_) | Fault { .. })
}
