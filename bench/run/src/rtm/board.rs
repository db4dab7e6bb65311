//! `./x rtm --target litex`: the task manager in a system-on-chip, up to the bitstream of a board.

use anyhow::{Context, Result, ensure};
use giornata_rtm::{build_for_board, install_for_board};

use super::{Options, tools};
use crate::crates::target_folder;
use giornata_launch::Verdict;

/// Records, unless others are asked for.
const RECORDS: u16 = 64;
/// From which seed the design is placed.
const SEED: u32 = 1;

/// Builds it, and says what it takes.
pub(super) fn run(options: &Options) -> Result<Verdict> {
    ensure!(
        options.variant.is_none() && !options.document && !options.check,
        "`--target litex` goes with `--records` and `--rom` only"
    );
    let program = match &options.rom {
        Some(path) => Some(
            path.canonicalize()
                .with_context(|| path.display().to_string())?,
        ),
        None => None,
    };
    install_for_board(&tools())?;
    let records = options.records.unwrap_or(RECORDS);
    let folder = target_folder().join(format!("rtm/board-{records}"));
    let board = build_for_board(&tools(), &folder, records, SEED, program.as_deref())?;
    for all in &board.used {
        println!("{:<16} {:>6} of {:>6}", all.kind, all.used, all.available);
    }
    println!("system clock     {:>6.2} MHz", board.megahertz);
    println!("bitstream        {}", board.bitstream.display());
    Ok(Verdict::Good)
}
