//! Whatever is written and asked, the task manager in Verilator answers as the model does, in the
//! cycle in which it should, and each command takes four cycles at most.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use giornata_rtm::register::{self, answer, cause};
use giornata_rtm::{
    Access, Bus, Course, Coverage, Delays, Model, Parameters, Simulator, compile,
    compile_for_coverage,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// What is asked of a task manager at once.
#[derive(Clone, Debug)]
enum Step {
    Accesses(Vec<(Access, Delays)>),
    Idle(u32),
}

fn steps(parameters: Parameters) -> impl Strategy<Value = Vec<Step>> {
    let delays = (0u8..4, 0u8..4, 0u8..4);
    let delays =
        prop_oneof![Just((0, 0, 0)), delays].prop_map(|(address, data, response)| Delays {
            address,
            data,
            response,
        });
    let at_once = prop::collection::vec((access(parameters), delays), 1..5);
    let step = prop_oneof![
        8 => at_once.prop_map(Step::Accesses),
        1 => (0u32..80).prop_map(Step::Idle),
    ];
    prop::collection::vec(step, 1..150)
}

/// Between 0 and 255 there are three times as many, so that all bits of a byte are in use.
const SPREAD: u16 = 85;

fn access(parameters: Parameters) -> impl Strategy<Value = Access> {
    let read = |address: u16| Access::Read { address };
    let write = |address: u16, bytes: u8, data: u32| Access::Write {
        address,
        bytes,
        data,
    };
    let record = || 0..parameters.records;
    let word = |record: u16| register::RECORDS + register::RECORDS_STRIDE * record;
    let delay = |record: u16| register::DELAYS + register::DELAYS_STRIDE * record;
    let key = |record: u16| register::KEYS + register::KEYS_STRIDE * record;
    let of_event = |base: u16| (0u16..4).prop_map(move |event| read(base + 4 * (SPREAD * event)));
    // (few priorities and events, so that records compete; keys to both sides of where they
    // wrap)
    let fields = (any::<u8>(), 0u8..4, 0u8..4);
    let fields = fields.prop_map(|(status, priority, event)| {
        let spread = SPREAD as u8;
        u32::from_le_bytes([status, spread * priority, spread * event, 0xFF])
    });
    let bytes = || prop_oneof![4 => Just(0b1111), 2 => Just(0b0001), 1 => 0u8..16];
    let ticks = prop_oneof![0u32..20, Just(u32::MAX), Just(0xFFFF)];
    // (with the longest no tick comes)
    let period = prop_oneof![
        3 => Just(0),
        3 => 20u32..100,
        1 => 1u32..20,
        1 => 0x0100_0000u32..,
    ];
    prop_oneof![
        8 => (record(), bytes(), fields)
            .prop_map(move |(record, bytes, data)| write(word(record), bytes, data)),
        4 => (record(), bytes(), ticks)
            .prop_map(move |(record, bytes, data)| write(delay(record), bytes, data)),
        2 => (record(), bytes(), 0u32..9).prop_map(move |(record, bytes, data)| {
            write(key(record), bytes, data.wrapping_sub(4))
        }),
        3 => (record(), 0..3).prop_map(move |(record, which)| match which {
            0 => read(word(record)),
            1 => read(delay(record)),
            _ => read(key(record)),
        }),
        3 => (bytes(), 0u32..12).prop_map(move |(bytes, data)| {
            write(register::ADVANCE, bytes, data)
        }),
        4 => Just(read(register::TOP)),
        4 => of_event(register::WAITER),
        3 => of_event(register::RELEASE),
        3 => Just(read(register::EXPIRED)),
        3 => Just(read(register::NEXT)),
        1 => bytes().prop_map(move |bytes| write(register::NEXT, bytes, 0)),
        1 => Just(read(register::CAUSE)),
        1 => Just(read(register::CONFIG)),
        1 => (bytes(), 0u32..4).prop_map(move |(bytes, data)| write(register::CAUSE, bytes, data)),
        1 => (bytes(), 0u32..4).prop_map(move |(bytes, data)| write(register::ENABLE, bytes, data)),
        1 => (bytes(), period).prop_map(move |(bytes, data)| write(register::TICK, bytes, data)),
        1 => (0u16..0x800).prop_map(move |word| read(4 * word)),
        1 => (0x200u16..0x800, any::<u32>())
            .prop_filter("a tick that never comes", |(word, _)| 4 * word != register::TICK)
            .prop_map(move |(word, data)| write(4 * word, 0b1111, data)),
    ]
}

/// The task manager and the model of it.
struct Pair {
    parameters: Parameters,
    simulator: Simulator,
    course: Course,
    model: Model,
}

impl Pair {
    /// After a reset; the fields of all records are written.
    fn new(parameters: Parameters, simulator: Simulator) -> Pair {
        let mut pair = Pair {
            parameters,
            simulator,
            course: Course::new(parameters),
            model: Model::new(parameters),
        };
        for record in 0..parameters.records {
            for address in [
                register::RECORDS + register::RECORDS_STRIDE * record,
                register::DELAYS + register::DELAYS_STRIDE * record,
                register::KEYS + register::KEYS_STRIDE * record,
            ] {
                pair.write(address, 0);
            }
        }
        pair
    }

    /// Once nothing has happened for so many cycles, the task manager knows which record is the
    /// top.
    fn settles(&self) -> u32 {
        u32::from(self.parameters.stages) + 3
    }

    fn run(&mut self, step: &Step) {
        match step {
            Step::Accesses(all) => self.access(all),
            Step::Idle(cycles) => self.idle(*cycles),
        }
        if self.parameters.interrupts {
            self.idle(self.settles());
            self.access(&[(
                Access::Read {
                    address: register::CAUSE,
                },
                Delays::default(),
            )]);
        }
    }

    fn write(&mut self, address: u16, data: u32) {
        let access = Access::Write {
            address,
            bytes: 0b1111,
            data,
        };
        self.access(&[(access, Delays::default())]);
    }

    fn access(&mut self, all: &[(Access, Delays)]) {
        let answers = self.simulator.access(all).unwrap();
        for answer in answers {
            let access = all[answer.index].0;
            let first = answer.at + 1 - answer.cycles;
            let carried = self.course.request(first, access, &mut self.model);
            assert_eq!(carried.at, answer.at, "{access:?}");
            self.check_cycles(access, answer.cycles, carried.waited);
            match access {
                Access::Read { address } => self.check(address, answer.data, carried.quiet),
                Access::Write {
                    address,
                    bytes,
                    data,
                } => self.model.write(address, bytes, data),
            }
        }
    }

    /// Each command takes four cycles at most. Time advances in as many more as records share a
    /// delay cell, and a request may wait for that.
    fn check_cycles(&self, access: Access, cycles: u32, waited: u32) {
        let groups = u32::from(self.parameters.records / self.parameters.delay_cells);
        let most = match access {
            Access::Write {
                address: register::ADVANCE,
                ..
            } => 3 + groups - 1,
            _ => 4,
        };
        assert!(cycles - waited <= most, "{access:?}");
        assert!(waited <= 1 + groups, "{access:?}");
        assert!(waited == 0 || self.parameters.interrupts, "{access:?}");
    }

    /// What was read is what the model says, as far as that has a meaning.
    fn check(&mut self, address: u16, data: u32, quiet: u32) {
        let expected = self.model.read(address);
        let meant = match address {
            register::CAUSE if quiet < self.settles() => !cause::TOP,
            _ if expected & answer::NONE != 0 && self.is_question(address) => answer::NONE,
            _ => u32::MAX,
        };
        assert_eq!(data & meant, expected & meant, "{address:#06x}");
    }

    fn is_question(&self, address: u16) -> bool {
        let questions = [register::TOP, register::EXPIRED, register::NEXT];
        questions.contains(&address) || (register::WAITER..register::KEYS).contains(&address)
    }

    fn idle(&mut self, cycles: u32) {
        let answer = self.simulator.idle(cycles).unwrap();
        self.course.idle_until(answer.at, &mut self.model);
        if self.course.quiet() >= self.settles() {
            let interrupts = self.model.causes() & self.model.enabled() != 0;
            let has_line = self.parameters.interrupts;
            assert_eq!(answer.interrupts, interrupts && has_line);
        }
    }
}

fn is_long() -> bool {
    std::env::var_os("GIORNATA_LONG").is_some()
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Runs random commands on a task manager with these parameters.
fn answers_as_the_model_does(name: &str, bus: Bus, parameters: Parameters) {
    let program = compile(&folder(name), bus, &parameters).unwrap();
    run(parameters, || Simulator::start(&program).unwrap());
}

/// Runs random commands, each series of them on a simulator that has been started.
fn run(parameters: Parameters, start: impl Fn() -> Simulator) {
    let mut runner = TestRunner::new(Config {
        // (each is some hundred commands)
        cases: Config::default().cases.div_ceil(16).min(64),
        failure_persistence: None,
        ..Config::default()
    });
    let done = runner.run(&steps(parameters), |all| {
        let mut pair = Pair::new(parameters, start());
        all.iter().for_each(|step| pair.run(step));
        Ok(())
    });
    done.unwrap_or_else(|why| panic!("{why}"));
}

#[test]
#[ignore = "stage rtm"]
fn the_reference_answers_as_the_model_does() {
    answers_as_the_model_does("reference", Bus::Wishbone, Parameters::REFERENCE);
}

#[test]
#[ignore = "stage rtm"]
fn a_pipelined_tree_answers_as_the_model_does() {
    answers_as_the_model_does("pipelined", Bus::AxiLite, Parameters::PIPELINED);
    if is_long() {
        let one = Parameters {
            stages: 1,
            ..Parameters::EXTENDED
        };
        answers_as_the_model_does("pipelined-once", Bus::Wishbone, one);
    }
}

#[test]
#[ignore = "stage rtm"]
fn all_extensions_answer_as_the_model_does() {
    answers_as_the_model_does("extended", Bus::Wishbone, Parameters::EXTENDED);
}

#[test]
#[ignore = "stage rtm"]
fn a_clock_that_stands_while_nothing_is_under_way_changes_no_answer() {
    answers_as_the_model_does("gated", Bus::GatedWishbone, Parameters::EXTENDED);
}

#[test]
#[ignore = "stage rtm"]
fn shared_delay_cells_and_other_numbers_of_records_answer_as_the_model_does() {
    let all = [(32, 8), (256, 64)];
    let some = if is_long() { &all[..] } else { &[] };
    for &(records, delay_cells) in some {
        let parameters = Parameters {
            records,
            delay_cells,
            ..Parameters::EXTENDED
        };
        let name = format!("shared-{records}-{delay_cells}");
        answers_as_the_model_does(&name, Bus::Wishbone, parameters);
    }
}

/// In percent. Not run are registers in the tree, and what cannot be.
const LEAST_LINES: f64 = 95.0;
/// In percent. Most of the others are bits of answers that are always 0.
const LEAST_TOGGLES: f64 = 98.0;

#[test]
#[ignore = "stage rtm"]
fn few_records_and_one_delay_cell_answer_as_the_model_does_and_are_covered() {
    let parameters = Parameters {
        records: 16,
        delay_cells: 1,
        ..Parameters::EXTENDED
    };
    let folder = folder("covered");
    let program = compile_for_coverage(&folder, Bus::AxiLite, &parameters).unwrap();
    let series = Cell::new(0);
    let file = |number: u32| folder.join(format!("coverage-{number}.dat"));
    run(parameters, || {
        series.set(series.get() + 1);
        Simulator::start_for_coverage(&program, &file(series.get())).unwrap()
    });
    let files: Vec<PathBuf> = (1..=series.get()).map(file).collect();
    let coverage = Coverage::merged(&folder, &files).unwrap();
    fs::write(
        folder.with_file_name("rtm-coverage.txt"),
        coverage.to_string(),
    )
    .unwrap();
    let enough =
        coverage.lines.percent() >= LEAST_LINES && coverage.toggles.percent() >= LEAST_TOGGLES;
    assert!(
        enough,
        "{coverage}, without:\n{}",
        coverage.missing.join("\n")
    );
}

#[test]
#[ignore = "stage rtm"]
fn a_tick_in_each_cycle_leaves_the_bus_to_requests() {
    let parameters = Parameters::EXTENDED.with_records(16);
    let program = compile(&folder("ticks"), Bus::Wishbone, &parameters).unwrap();
    let mut simulator = Simulator::start(&program).unwrap();
    simulator.write(register::TICK, 0b1111, 1).unwrap();
    for _ in 0..4 {
        let answer = simulator.read(register::TOP).unwrap();
        // (what has been counted goes before it once)
        assert!((1..=6).contains(&answer.cycles), "{answer:?}");
    }
}
