//! The simulated chip of a board: section `[rtl]` of its file.

use anyhow::{Context, Result, bail};
use giornata_soc::{Caches, Core, Harts, Latency, Simulator, TaskManager, Variant};
use serde::Deserialize;

use crate::home::{root, target_folder};

/// How a board is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Core and caches.
    pub variant: Variant,
    /// Of its RAM.
    pub latency: Latency,
    /// Cycles a second.
    pub clock_hertz: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Board {
    timer_hertz: u64,
    kernel: Kernel,
    rtl: Rtl,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Kernel {
    task_records: Option<u16>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Rtl {
    core: CoreName,
    harts: Option<u8>,
    caches: CachesName,
    ram_first: u8,
    ram_burst: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CoreName {
    Mmu,
    Pmp,
    Smp,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CachesName {
    Shipped,
    Large,
}

impl Rtl {
    /// The core, with its harts.
    fn core(&self) -> Result<Core> {
        let core = match (&self.core, self.harts) {
            (CoreName::Mmu, None | Some(1)) => Core::Mmu,
            (CoreName::Pmp, None | Some(1)) => Core::Pmp,
            (CoreName::Mmu | CoreName::Pmp, Some(harts)) => {
                bail!(
                    "[rtl] harts = {harts}: a chip with the core `mmu` or `pmp` has 1; `smp` has more"
                )
            }
            (CoreName::Smp, None) => bail!("[rtl] harts is missing: the core `smp` needs it"),
            (CoreName::Smp, Some(harts)) => match Harts::of(harts) {
                Some(harts) => Core::Smp(harts),
                None => bail!("[rtl] harts = {harts}: a chip with the core `smp` has 1, 2, 4 or 8"),
            },
        };
        Ok(core)
    }
}

impl Chip {
    /// The chip of a board.
    ///
    /// # Errors
    /// There is no such board, or it is not simulated.
    pub fn of(board: &str) -> Result<Chip> {
        let path = root().join("boards").join(format!("{board}.toml"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Chip::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Chip> {
        let Board {
            timer_hertz,
            kernel,
            rtl,
        } = toml::from_str(text).context("no board with [rtl]")?;
        let core = rtl.core()?;
        let caches = match rtl.caches {
            CachesName::Shipped => Caches::Shipped,
            CachesName::Large => Caches::Large,
        };
        Ok(Chip {
            variant: Variant {
                task_manager: kernel
                    .task_records
                    .map(|records| TaskManager::EXTENDED.with_records(records)),
                ..Variant::new(core, caches)
            },
            latency: Latency {
                first: rtl.ram_first,
                burst: rtl.ram_burst,
            },
            // The timer counts cycles.
            clock_hertz: timer_hertz,
        })
    }

    /// The same with other caches.
    pub fn with(self, caches: Caches) -> Chip {
        Chip {
            variant: Variant {
                caches,
                ..self.variant
            },
            ..self
        }
    }

    /// Its simulator, built if it is not there.
    ///
    /// # Errors
    /// As [`Simulator::prepare`].
    pub fn simulator(&self) -> Result<Simulator> {
        let folder = target_folder().join("soc");
        Ok(Simulator::prepare(&folder, self.variant)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simulated_boards_have_the_clock_of_the_chip() {
        for (board, core) in [("rtl-mmu", Core::Mmu), ("rtl-pmp", Core::Pmp)] {
            let chip = Chip::of(board).unwrap();
            assert_eq!(chip.variant, Variant::new(core, Caches::Shipped));
            assert_eq!(chip.clock_hertz, u64::from(giornata_soc::CLOCK_HERTZ));
        }
        for harts in [Harts::Two, Harts::Four, Harts::Eight] {
            let chip = Chip::of(&format!("rtl-smp{}", harts.count())).unwrap();
            let smp = Variant::new(Core::Smp(harts), Caches::Shipped);
            assert_eq!(chip.variant, smp);
            assert_eq!(chip.clock_hertz, u64::from(giornata_soc::CLOCK_HERTZ));
        }
        let chip = Chip::of("rtl-rtm").unwrap();
        let pmp = Variant::new(Core::Pmp, Caches::Shipped);
        assert_eq!(chip.variant, pmp.with_task_manager(TaskManager::EXTENDED));
    }

    fn with_core(core: &str) -> Result<Chip> {
        Chip::parse(&format!(
            "timer-hertz = 1\n[kernel]\n[rtl]\n{core}\ncaches = \"large\"\nram-first = 1\nram-burst = 2"
        ))
    }

    #[test]
    fn a_chip_with_many_harts_says_how_many() {
        let chip = with_core("core = \"smp\"\nharts = 4").unwrap();
        let four = Variant::new(Core::Smp(Harts::Four), Caches::Large);
        assert_eq!(chip.variant, four);
        for wrong in [
            "core = \"smp\"",
            "core = \"smp\"\nharts = 3",
            "core = \"pmp\"\nharts = 2",
        ] {
            let error = with_core(wrong).unwrap_err().to_string();
            assert!(error.contains("[rtl] harts"), "{error}");
        }
    }

    #[test]
    fn a_board_without_a_chip_is_refused() {
        assert!(Chip::of("qemu-virt64").is_err());
        assert!(Chip::parse("timer-hertz = 1\n[rtl]\ncore = \"arm\"").is_err());
    }
}
