//! Generated code does what the language means: the E code of random programs, with
//! values, against an interpreter of the syntax tree.

use giornata_abi::ValueType;
use giornata_abi::module::Module;
use giornata_lang::Options;
use giornata_lang::psi::{compile, parse};
use giornata_microcode::verify::{Scratch, scratch_needed, verify};
use proptest::prelude::*;

use crate::machine::Machine;
use crate::program;
use crate::reference::Reference;

/// What a job gets and until when it may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Begun {
    /// `task.function`
    pub(crate) job: String,
    /// Nanoseconds after the instant.
    pub(crate) deadline: u64,
    pub(crate) got: Vec<Vec<u8>>,
}

/// All that is to see of one instant: nobody says in which order tasks begin their windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Nanoseconds since the start.
    pub(crate) at: u64,
    /// Jobs that begin, by name.
    pub(crate) begun: Vec<Begun>,
    /// Actuators that are written, by name, and what.
    pub(crate) written: Vec<(String, Vec<u8>)>,
    /// Exported variables as they are from now on, by name.
    pub(crate) visible: Vec<(String, Vec<u8>)>,
}

impl Moment {
    pub(crate) fn sort(&mut self) {
        self.begun.sort_by(|a, b| a.job.cmp(&b.job));
        self.written.sort();
        self.visible.sort();
    }
}

/// A value that a function puts out, by what it is called, how often it was, what it
/// got and which of its results it is.
pub(crate) fn put_out(
    of: ValueType,
    function: &str,
    number: u64,
    got: &[Vec<u8>],
    which: usize,
) -> Vec<u8> {
    let mut state = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xff]) {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(function.as_bytes());
    add(&number.to_le_bytes());
    got.iter().for_each(|value| add(value));
    add(&[which as u8]);
    let hash = state ^ state >> 31;
    let small = (hash % 5) as u8;
    match of {
        ValueType::Bool => vec![small & 1],
        ValueType::U8 => vec![small],
        ValueType::I16 => (i16::from(small) - 2).to_le_bytes().to_vec(),
        ValueType::F32 => (f32::from(small) - 0.25).to_le_bytes().to_vec(),
        _ => hash.to_le_bytes()[..of.size().unwrap().into()].to_vec(),
    }
}

fn agree(source: &str, moments: usize) -> Result<usize, TestCaseError> {
    let (bytes, diagnostics) = compile("random.psi", source, &Options::default());
    let Some(bytes) = bytes else {
        prop_assert!(diagnostics.iter().any(|d| d.is_error()));
        return Err(TestCaseError::reject("not a legal program"));
    };
    let module = Module::parse(&bytes).unwrap();
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
    let verified = verify(&module, &mut scratch).unwrap_or_else(|why| panic!("{why}"));
    let bound = verified.steps.expect("the verifier counts the steps");
    let (tree, _) = parse("random.psi", source);
    let mut machine = Machine::new(&bytes);
    let mut reference = Reference::new(&tree);
    let mut begun = 0;
    for _ in 0..moments {
        let moment = machine.moment();
        begun += moment.begun.len();
        prop_assert_eq!(moment, reference.moment());
    }
    prop_assert!(
        machine.longest <= bound,
        "{} steps, bound {bound}",
        machine.longest
    );
    prop_assert!(machine.most_triggers <= verified.triggers.into());
    Ok(begun)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn code_and_meaning_agree_at_every_instant(seed: u64) {
        agree(&program::text(seed), 150)?;
    }
}

#[test]
fn a_walker_goes_on_by_what_it_sees() {
    let begun = agree(include_str!("walk.psi"), 1_000).unwrap();
    assert!(begun > 500, "{begun} jobs");
}

/// A reader whose window begins where the writer's ends sees the value, whichever of
/// the two comes first in the text; one whose window begins before does not.
#[test]
fn a_variable_appears_at_the_end_of_its_window_and_never_before() {
    let writer = "task w { export u32 v; write(v) -> v; advance(3 ms); }";
    let reader = "task r { read(v); advance(1 ms); }";
    for source in [format!("{writer}{reader}"), format!("{reader}{writer}")] {
        let (bytes, _) = compile("seen.psi", &source, &Options::default());
        let bytes = bytes.unwrap();
        let mut machine = Machine::new(&bytes);
        let mut seen = Vec::new();
        for _ in 0..7 {
            let moment = machine.moment();
            let visible = moment.visible[0].1.clone();
            for job in moment.begun.iter().filter(|job| job.job == "r.read") {
                assert_eq!(job.got[0], visible);
                seen.push(visible.clone());
            }
        }
        let first = put_out(ValueType::U32, "write", 1, &[vec![0; 4]], 0);
        let second = put_out(ValueType::U32, "write", 2, std::slice::from_ref(&first), 0);
        let zero = vec![0; 4];
        let by_thirds = [
            [zero.clone(), zero.clone(), zero],
            [first.clone(), first.clone(), first],
        ];
        assert_eq!(seen[..6], by_thirds.concat());
        assert_eq!(seen[6], second);
    }
}
