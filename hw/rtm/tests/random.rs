//! Whatever is written and asked, the task manager in Verilator answers as the model does, and
//! each command takes four cycles at most.

use std::path::{Path, PathBuf};

use giornata_rtm::{Model, Parameters, Sense, Simulator, compile, register};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[derive(Clone, Debug)]
enum Command {
    Set(u16, u8, u8, u8),
    SetStatus(u16, u8),
    SetDelay(u16, u32),
    SetKey(u16, u32),
    Words(u16),
    Advance(u32),
    Top,
    Waiter(u8),
    Release(u8),
    Expired,
    Next,
    Begin,
    Idle(u32),
}

fn commands(parameters: Parameters) -> impl Strategy<Value = Vec<Command>> {
    let record = || 0..parameters.records;
    // (few priorities and events, so that records compete; keys to both sides of where they
    // wrap)
    let status = || (0u8..16, any::<bool>()).prop_map(|(bits, more)| bits | u8::from(more) << 4);
    let (priority, event) = (0u8..4, || 0u8..4);
    let delay = prop_oneof![0u32..20, Just(u32::MAX), Just(0xFFFF)];
    let all = prop_oneof![
        4 => (record(), status(), priority, event())
            .prop_map(|(record, status, priority, event)| {
                Command::Set(record, status, priority, event)
            }),
        3 => (record(), status()).prop_map(|(record, status)| Command::SetStatus(record, status)),
        3 => (record(), delay).prop_map(|(record, delay)| Command::SetDelay(record, delay)),
        2 => (record(), 0u32..9)
            .prop_map(|(record, key)| Command::SetKey(record, key.wrapping_sub(4))),
        1 => record().prop_map(Command::Words),
        2 => (0u32..12).prop_map(Command::Advance),
        3 => Just(Command::Top),
        3 => event().prop_map(Command::Waiter),
        2 => event().prop_map(Command::Release),
        2 => Just(Command::Expired),
        2 => Just(Command::Next),
        1 => Just(Command::Begin),
        1 => (0u32..8).prop_map(Command::Idle),
    ];
    prop::collection::vec(all, 1..300)
}

/// The task manager and the model of it.
struct Pair {
    parameters: Parameters,
    simulator: Simulator,
    model: Model,
    /// A delay has run out, and nobody has said that this is known.
    has_expired: bool,
    /// The top when software asked last.
    told: u32,
}

impl Pair {
    /// After a reset; the fields of all records are written.
    fn new(parameters: Parameters, program: &Path) -> Pair {
        let mut pair = Pair {
            parameters,
            simulator: Simulator::start(program).unwrap(),
            model: Model::new(parameters),
            has_expired: false,
            told: register::answer::NONE,
        };
        for record in 0..parameters.records {
            pair.carry_out(&Command::Set(record, 0, 0, 0));
            pair.carry_out(&Command::SetDelay(record, 0));
            pair.carry_out(&Command::SetKey(record, 0));
        }
        pair
    }

    fn read(&mut self, address: u16) -> u32 {
        let answer = self.simulator.read(address).unwrap();
        assert!((1..=4).contains(&answer.cycles), "{answer:?}");
        answer.data
    }

    fn write(&mut self, address: u16, bytes: u8, data: u32) {
        let answer = self.simulator.write(address, bytes, data).unwrap();
        let advances = address == register::ADVANCE;
        let most = match self.parameters.records / self.parameters.delay_cells {
            groups if advances => 3 + u32::from(groups - 1),
            _ => 4,
        };
        assert!((1..=most).contains(&answer.cycles), "{answer:?}");
    }

    /// What the task manager answers: where it says that there is no such record, which that is
    /// means nothing.
    fn question(&mut self, address: u16) -> u32 {
        match self.read(address) {
            answer if answer & register::answer::NONE != 0 => register::answer::NONE,
            answer => answer,
        }
    }

    fn run(&mut self, command: &Command) {
        self.carry_out(command);
        if self.parameters.interrupts {
            self.check_causes();
        }
    }

    fn carry_out(&mut self, command: &Command) {
        let Parameters {
            key_bits,
            releases,
            interrupts,
            tells_many,
            ..
        } = self.parameters;
        let at = |record: u16| register::RECORDS + register::RECORDS_STRIDE * record;
        match *command {
            Command::Set(record, status, priority, event) => {
                let word = u32::from_le_bytes([status, priority, event, 0xFF]);
                self.write(at(record), 0b1111, word);
                self.model.set(record, status, priority, event);
            }
            Command::SetStatus(record, status) => {
                self.write(at(record), 0b0001, u32::from(status) | 0xFFFF_FF00);
                self.model.set_status(record, status);
            }
            Command::SetDelay(record, delay) => {
                self.write(at(record) + 4, 0b1111, delay);
                self.model.set_delay(record, delay);
            }
            Command::SetKey(record, key) if key_bits != 0 => {
                self.write(register::KEYS + 4 * record, 0b1111, key);
                self.model.set_key(record, key);
            }
            Command::Words(record) => {
                let words = [self.read(at(record)), self.read(at(record) + 4)];
                assert_eq!(words, self.model.words(record));
            }
            Command::Advance(ticks) => {
                self.write(register::ADVANCE, 0b1111, ticks);
                self.has_expired |= self.model.advance(ticks);
            }
            Command::Top => {
                self.told = self.model.first(Sense::Ready);
                assert_eq!(self.question(register::TOP), self.told);
            }
            Command::Waiter(event) => {
                let waiter = self.question(register::WAITER + 4 * u16::from(event));
                assert_eq!(waiter, self.model.first(Sense::Waits(event)));
            }
            Command::Release(event) if releases => {
                let released = self.question(register::RELEASE + 4 * u16::from(event));
                assert_eq!(released, self.model.release(event));
            }
            Command::Expired if interrupts => {
                assert_eq!(self.question(register::EXPIRED), self.model.take_expired());
            }
            Command::Next if tells_many => {
                assert_eq!(self.question(register::NEXT), self.model.take_next());
            }
            Command::Begin if tells_many => {
                self.write(register::NEXT, 0b1111, 0);
                self.model.begin();
            }
            Command::Idle(cycles) => {
                self.simulator.idle(cycles).unwrap();
            }
            _ => {}
        }
    }

    /// Once it has had time to look, it says why it would interrupt.
    fn check_causes(&mut self) {
        self.simulator.idle(8).unwrap();
        let has_changed = self.model.first(Sense::Ready) != self.told;
        let causes = [
            (self.has_expired, register::cause::DELAY),
            (has_changed, register::cause::TOP),
        ];
        let expected = causes.map(|(holds, bit)| if holds { bit } else { 0 });
        assert_eq!(self.read(register::CAUSE), expected[0] | expected[1]);
        self.write(register::CAUSE, 0b0001, register::cause::DELAY);
        self.has_expired = false;
    }
}

fn is_long() -> bool {
    std::env::var_os("GIORNATA_LONG").is_some()
}

/// Runs random commands on a task manager with these parameters.
fn answers_as_the_model_does(name: &str, parameters: Parameters) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let program = compile(&folder, &parameters).unwrap();
    let mut runner = TestRunner::new(Config {
        // (each is some hundred commands)
        cases: Config::default().cases.div_ceil(128).min(24),
        failure_persistence: None,
        ..Config::default()
    });
    let done = runner.run(&commands(parameters), |all| {
        let mut pair = Pair::new(parameters, &program);
        all.iter().for_each(|command| pair.run(command));
        Ok(())
    });
    done.unwrap_or_else(|why| panic!("{why}"));
}

#[test]
#[ignore = "stage rtm"]
fn the_reference_answers_as_the_model_does() {
    answers_as_the_model_does("reference", Parameters::REFERENCE);
}

#[test]
#[ignore = "stage rtm"]
fn a_pipelined_tree_answers_as_the_model_does() {
    answers_as_the_model_does("pipelined", Parameters::PIPELINED);
    if is_long() {
        let one = Parameters {
            stages: 1,
            ..Parameters::EXTENDED
        };
        answers_as_the_model_does("pipelined-once", one);
    }
}

#[test]
#[ignore = "stage rtm"]
fn all_extensions_answer_as_the_model_does() {
    answers_as_the_model_does("extended", Parameters::EXTENDED);
}

#[test]
#[ignore = "stage rtm"]
fn shared_delay_cells_and_other_numbers_of_records_answer_as_the_model_does() {
    let all = [(16, 1), (32, 8), (256, 64)];
    let some = if is_long() { &all[..] } else { &all[..1] };
    for &(records, delay_cells) in some {
        let parameters = Parameters {
            records,
            delay_cells,
            ..Parameters::EXTENDED
        };
        answers_as_the_model_does(&format!("shared-{records}-{delay_cells}"), parameters);
    }
}

#[test]
#[ignore = "stage rtm"]
fn a_tick_in_each_cycle_leaves_the_bus_to_requests() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("ticks");
    let program = compile(&folder, &Parameters::EXTENDED).unwrap();
    let mut simulator = Simulator::start(&program).unwrap();
    simulator.write(register::TICK, 0b1111, 1).unwrap();
    for _ in 0..4 {
        let answer = simulator.read(register::TOP).unwrap();
        // (what has been counted goes before it once)
        assert!((1..=6).contains(&answer.cycles), "{answer:?}");
    }
}
