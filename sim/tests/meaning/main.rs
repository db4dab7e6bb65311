//! Random Giotto programs, values included: what their functions see under the kernel,
//! against the meaning of logical execution time, read from the syntax tree.
//!
//! Each function of a program (initialisers, sensors, actuators, guards, drivers, tasks)
//! computes what it puts out from its name, the number of its call and what it gets, and
//! every call is noted with that. The kernel and the oracle must note the same.

mod machine;
mod oracle;
mod program;

use giornata_lang::giotto::{Options, compile, parse};

/// A call of a function: its name, and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    function: String,
    /// It is a task's. Nobody says in which order jobs of one instant run.
    is_job: bool,
    got: Vec<Vec<u8>>,
}

/// Bytes that a function puts out, by its name, the number of its call (from 1), what it
/// gets, and which of its outputs it is.
fn put_out(name: &str, number: u32, got: &[Vec<u8>], which: usize, size: usize) -> Vec<u8> {
    let mut state = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes.iter().chain(&[0xff]) {
            state = (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    add(name.as_bytes());
    add(&number.to_le_bytes());
    got.iter().for_each(|value| add(value));
    add(&[which as u8]);
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        bytes.extend_from_slice(&(state ^ state >> 29).to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

/// Whether a guard holds.
fn holds(name: &str, number: u32, got: &[Vec<u8>]) -> bool {
    put_out(name, number, got, 0, 1)[0] & 1 != 0
}

/// Programs of the long form, and of the short one.
const PROGRAMS: [u64; 2] = [50_000, 500];
/// Milliseconds that each runs.
const UNTIL: u64 = 100;

/// Calls of drivers in their order, then those of tasks, each in its own.
fn in_order(mut calls: Vec<Call>) -> Vec<Call> {
    calls.sort_by_cached_key(|call| call.is_job.then(|| call.function.clone()));
    calls
}

/// What a program of this seed does; `None`: it is not legal. Else how often a switch set
/// a port that it read.
fn agree(seed: u64) -> Option<u32> {
    let random = program::Random::new(seed);
    let program::Text { source, sizes } = program::text(random);
    let (module, _) = compile("random.giotto", &source, &Options::default());
    let module = module?;
    let (tree, _) = parse("random.giotto", &source);
    let mut oracle = oracle::Oracle::new(&tree, &sizes);
    oracle.run(UNTIL * 1_000_000);
    let seen = in_order(machine::run(&module, &sizes, seed, UNTIL));
    let meant = in_order(oracle.calls);
    let same = seen.iter().zip(&meant);
    let same = same.take_while(|(seen, meant)| seen == meant).count();
    assert!(
        same == seen.len() && same == meant.len(),
        "seed {seed}, call {same}\nseen  {:?}\nmeant {:?}\n{source}",
        seen.get(same),
        meant.get(same),
    );
    Some(oracle.aliased)
}

#[test]
fn functions_see_the_values_that_the_text_means() {
    let programs = PROGRAMS[usize::from(std::env::var_os("GIORNATA_LONG").is_none())];
    let (mut legal, mut aliased, mut seed) = (0, 0, 0);
    while legal < programs {
        if let Some(count) = agree(seed) {
            legal += 1;
            aliased += u64::from(count != 0);
        }
        seed += 1;
    }
    assert!(seed < 4 * programs, "{seed} programs, {legal} legal");
    // (one of five, more or less)
    assert!(aliased > programs / 6, "{aliased} of {programs} alias");
}
