//! The experiment of the paper on hardware support for real-time operating systems (Kohout,
//! Ganesh and Jacob, CODES+ISSS 2003) on the simulated chip: two kernels in C and Giornata, each
//! with its tasks in software and in the task manager of `hw/rtm`; see `bench/rtm`.

mod account;
mod arrivals;
mod checks;
mod drawing;
mod experiment;
mod giornata;
mod page;
mod program;
mod rows;
mod sweep;
mod tasks;
mod watched;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use giornata_launch::Verdict;
use serde::{Deserialize, Serialize};

use super::Options;
pub(crate) use checks::check;
use experiment::Case;
use program::Compiler;
use tasks::{Chips, Tasks};

/// Its name: its folder under bench/.
pub(super) const SUITE: &str = "rtm";

/// Arrivals of a run, and of a quick one.
const ARRIVALS: u32 = 200;
const QUICK_ARRIVALS: u32 = 40;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kernel {
    /// In the style of uC/OS-II.
    Preemptive,
    /// In the style of the paper's NOS: non-preemptive.
    Nos,
    /// This project's own, with its processes in user mode.
    Giornata,
}

impl Kernel {
    const ALL: [Kernel; 3] = [Kernel::Preemptive, Kernel::Nos, Kernel::Giornata];

    /// Its folder.
    fn name(self) -> &'static str {
        match self {
            Kernel::Preemptive => "preemptive",
            Kernel::Nos => "nos",
            Kernel::Giornata => "giornata",
        }
    }

    /// Of one in C, its part in assembly.
    fn assembly(self) -> Option<&'static str> {
        match self {
            Kernel::Preemptive => Some("switch.S"),
            Kernel::Nos => Some("trap.S"),
            Kernel::Giornata => None,
        }
    }

    /// Tasks of so many channels, with all that the program and the kernel have besides.
    fn tasks(self, channels: u32) -> u32 {
        match self {
            // noise, the answer to arrivals, idle
            Kernel::Preemptive => 2 * channels + 3,
            Kernel::Nos => 2 * channels + 1,
            // noise, the answer to arrivals, their interrupt's thread, idle
            Kernel::Giornata => 2 * channels + 4,
        }
    }
}

/// What channels do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Workload {
    AdpcmEncode,
    AdpcmDecode,
    GsmDecode,
    PublicKeyEncrypt,
    PublicKeyDecrypt,
}

/// A library as a crate carries it.
struct Library {
    package: &'static str,
    include: &'static str,
    flags: &'static [&'static str],
    sources: &'static [&'static str],
}

/// The parts that decode, built as its makefile does for machines without floating point.
const GSM: Library = Library {
    package: "gsm-sys",
    include: "libgsm/inc",
    flags: &["-DSASR", "-DNDEBUG", "-DNeedFunctionPrototypes=1"],
    sources: &[
        "libgsm/src/add.c",
        "libgsm/src/decode.c",
        "libgsm/src/gsm_decode.c",
        "libgsm/src/long_term.c",
        "libgsm/src/rpe.c",
        "libgsm/src/short_term.c",
        "libgsm/src/table.c",
    ],
};

const MONOCYPHER: Library = Library {
    package: "monocypher-sys",
    include: "Monocypher/src",
    flags: &[],
    sources: &["Monocypher/src/monocypher.c"],
};

impl Workload {
    const ALL: [Workload; 5] = [
        Workload::AdpcmEncode,
        Workload::AdpcmDecode,
        Workload::GsmDecode,
        Workload::PublicKeyEncrypt,
        Workload::PublicKeyDecrypt,
    ];

    /// Its file.
    fn name(self) -> &'static str {
        match self {
            Workload::AdpcmEncode => "adpcm-encode",
            Workload::AdpcmDecode => "adpcm-decode",
            Workload::GsmDecode => "gsm-decode",
            Workload::PublicKeyEncrypt => "public-key-encrypt",
            Workload::PublicKeyDecrypt => "public-key-decrypt",
        }
    }

    /// Whose code it runs, if not ours.
    fn library(self) -> Option<Library> {
        match self {
            Workload::AdpcmEncode | Workload::AdpcmDecode => None,
            Workload::GsmDecode => Some(GSM),
            Workload::PublicKeyEncrypt | Workload::PublicKeyDecrypt => Some(MONOCYPHER),
        }
    }

    /// Channels of each step of the load: about a third, two thirds, and nearly all of the
    /// processor.
    fn channels(self) -> [u32; STEPS] {
        match self {
            Workload::AdpcmEncode => [7, 14, 20],
            Workload::AdpcmDecode => [8, 16, 24],
            Workload::GsmDecode => [1, 2, 3],
            Workload::PublicKeyEncrypt | Workload::PublicKeyDecrypt => [4, 8, 12],
        }
    }
}

/// Loads of a workload.
const STEPS: usize = 3;

/// `./x bench rtm [--kernel K] [--quick] [--arrivals N] [--document | --redraw]`.
///
/// # Errors
/// A program cannot be built, or a run fails: its output is wrong, or it comes too late.
pub(super) fn run(options: &Options) -> Result<Verdict> {
    ensure!(
        !(options.document && (options.kernel.is_some() || options.quick)),
        "--document takes all runs: leave out --kernel and --quick"
    );
    ensure!(
        options.op.is_none()
            && options.layouts.is_none()
            && options.board.is_none()
            && options.config.is_none()
            && !options.bless
            && !options.check,
        "suite `{SUITE}` is run alone, with --kernel, --quick, --arrivals, --json, --document or --redraw"
    );
    if options.redraw {
        page::write(&page::committed()?)?;
        return Ok(Verdict::Good);
    }
    let kernels = match options.kernel {
        Some(kernel) => vec![kernel],
        None => Kernel::ALL.to_vec(),
    };
    let arrivals = match options.quick {
        true => QUICK_ARRIVALS,
        false => ARRIVALS,
    };
    let cases = experiment::cases(
        &kernels,
        options.quick,
        options.arrivals.unwrap_or(arrivals),
    );
    let compiler = Compiler::prepare()?;
    let chips = Chips::prepare()?;
    checks::kernels(&compiler, &chips)?;
    let rows = match kernels.contains(&Kernel::Preemptive) {
        true => rows::measure(&compiler, &chips)?,
        false => Vec::new(),
    };
    let sweep = match kernels.contains(&Kernel::Giornata) && !options.quick {
        true => sweep::measure(&compiler, &chips)?,
        false => Vec::new(),
    };
    let outcomes = experiment::run(&compiler, &chips, &cases)?;
    let results = page::Results {
        rows,
        sweep,
        outcomes,
    };
    println!("{}", page::text(&results));
    if let Some(path) = &options.json {
        page::save(&results, path)?;
    }
    if options.document {
        page::write(&results)?;
    }
    Ok(Verdict::Good)
}

#[cfg(test)]
mod tests {
    use super::SUITE;
    use crate::bench::folder;

    /// How many marks a source in C has, which has those of these names and numbers.
    pub(super) fn marks_of(source: &str, numbers: &[(&str, u16)]) -> usize {
        let text = std::fs::read_to_string(folder(SUITE).join(source)).unwrap();
        for (name, number) in numbers {
            assert!(text.contains(&format!("MARK_{name} = {number},")), "{name}");
        }
        text.matches("    MARK_").count()
    }
}
