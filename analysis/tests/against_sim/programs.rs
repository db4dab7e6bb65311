//! Random Giotto programs, all from a seed.

use std::fmt::Write;

use giornata_abi::Duration;
use giornata_abi::module::Module;
use giornata_analysis::{ECode, Program, Times};
use giornata_lang::giotto::{Options, compile};

use crate::seed::Seed;

/// A compiled program and what the analyses take.
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    pub(crate) program: Program,
    pub(crate) code: ECode,
    pub(crate) times: Times,
    /// Two of the longest rounds.
    pub(crate) length: Duration,
}

const FREQUENCIES: [u64; 6] = [1, 2, 3, 4, 6, 12];

/// A program of 2 to 6 tasks in `modes` modes; its load is around 40 to 120 %.
pub(crate) fn sample(seed: &mut Seed, modes: usize) -> Sample {
    let tasks = 2 + seed.below(5) as usize;
    let period = seed.choose(&[12, 24, 60]);
    let rates: Vec<u64> = (0..tasks).map(|_| seed.choose(&FREQUENCIES)).collect();
    let target = 400_000 + seed.below(800_000);
    let shares: Vec<u64> = (0..tasks).map(|_| 1 + seed.below(100)).collect();
    let whole: u64 = shares.iter().sum();
    let time = |i: usize| {
        let load = target * shares[i] / whole;
        (period * load / rates[i] / 1000).max(1) * 1000
    };
    let times: Vec<Duration> = (0..tasks).map(|i| Duration(time(i))).collect();
    build(&text(seed, modes, period, &rates, &times), 2 * period)
}

fn text(seed: &mut Seed, modes: usize, period: u64, rates: &[u64], times: &[Duration]) -> String {
    let mut text = String::from("sensor u32 s uses get; actuator u32 a uses put;\noutput\n");
    for i in 0..rates.len() {
        let _ = writeln!(text, "  u32 o{i} := zero;");
    }
    for (i, time) in times.iter().enumerate() {
        let _ = writeln!(
            text,
            "task t{i}(u32 x) output (o{i}) state () [wcet {}ns] {{ schedule f{i}(x, o{i}) }}",
            time.0
        );
    }
    text += "driver sense(s) output (u32 x) { if constant_true() then copy(s, x) }\n";
    text += "driver fresh(s) output (u32 x) { if is_fresh(s) then copy(s, x) }\n";
    text += "driver act(o0) output (u32 x) { if constant_true() then copy(o0, x) }\n";
    text += "driver go(s) output () { if is_time(s) then dummy() }\nstart m0 {\n";
    for mode in 0..modes {
        let _ = writeln!(
            text,
            "  mode m{mode}() period {period} {{\n    actfreq 1 do a(act);"
        );
        if modes > 1 {
            let target = (mode + 1) % modes;
            let _ = writeln!(text, "    exitfreq 1 do m{target}(go);");
        }
        for (i, rate) in rates.iter().enumerate() {
            // each mode has its own rates, and may leave a task out
            let rate = match mode {
                0 => *rate,
                _ => seed.choose(&FREQUENCIES),
            };
            if mode == 0 || seed.below(3) > 0 {
                let driver = seed.choose(&["sense", "fresh"]);
                let _ = writeln!(text, "    taskfreq {rate} do t{i}({driver});");
            }
        }
        text += "  }\n";
    }
    text + "}\n"
}

/// Compiles a program; `millis`: how long a run of it should be.
pub(crate) fn build(text: &str, millis: u64) -> Sample {
    let (bytes, diagnostics) = compile("sample.giotto", text, &Options::default());
    let bytes = bytes.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"));
    let program = Program::of(&Module::parse(&bytes).unwrap()).unwrap();
    let code = ECode::of(&program).unwrap();
    Sample {
        times: Times::of(&program, None).unwrap(),
        length: Duration::from_millis(millis),
        bytes,
        program,
        code,
    }
}
