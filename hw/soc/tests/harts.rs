//! A chip with many harts keeps its promises. Needs Verilator, Java and Maven, so
//! `./x test rtl` runs it and a plain `cargo test` does not.

mod common;

use std::sync::OnceLock;

use giornata_soc::{
    Caches, Core, Executed, Harts, Image, Latency, Report, Run, Sight, Variant, Watch,
};

use common::{compile, is_long, run};

/// As `program/harts.rs` numbers them.
#[derive(Clone, Copy, Debug)]
enum Check {
    Count,
    Order,
    Protection,
    Lines,
    Fairness,
    Kick,
    Costs,
}

/// What each hart counts, in the program.
const COUNT: u32 = 10_000;
/// Kicks in the program.
const KICKS: usize = 104;
const FOUR: Variant = variant(Harts::Four, Caches::Shipped);

const fn variant(harts: Harts, caches: Caches) -> Variant {
    Variant {
        core: Core::Smp(harts),
        caches,
        waveform: false,
        task_manager: None,
    }
}

/// The chips to look at: the short form looks at four harts with small caches.
fn chips() -> &'static [Variant] {
    const ALL: [Variant; 5] = [
        FOUR,
        variant(Harts::Two, Caches::Shipped),
        variant(Harts::Eight, Caches::Shipped),
        variant(Harts::Two, Caches::Large),
        variant(Harts::Four, Caches::Large),
    ];
    match is_long() {
        false => &ALL[..1],
        true => &ALL,
    }
}

fn check(check: Check) -> Run {
    static PROGRAM: OnceLock<Image> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compile("harts", "riscv32im-unknown-none-elf"));
    Run {
        argument: check as u32,
        max_cycles: 10_000_000,
        ..Run::new(program.clone())
    }
}

/// Runs a check that must hold.
fn holds(chip: Variant, description: &Run) -> Report {
    let report = run(chip, description);
    if let Err(error) = report.expect_success() {
        panic!("{}: {error}", chip.name());
    }
    report
}

/// What the harts have told, each in its order.
fn told(report: &Report, chip: Variant) -> Vec<Vec<u32>> {
    let of = |hart| {
        let probes = report.probes.iter();
        probes
            .filter(move |probe| probe.hart == hart)
            .map(|probe| probe.id)
    };
    (0..chip.core.harts())
        .map(|hart| of(hart).collect())
        .collect()
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn no_increment_of_any_hart_is_lost() {
    for &chip in chips() {
        let report = holds(chip, &check(Check::Count));
        let sum = COUNT * u32::from(chip.core.harts());
        assert_eq!(told(&report, chip)[0], [sum, sum], "{}", chip.name());
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn fences_order_what_other_harts_see() {
    for &chip in chips() {
        let report = holds(chip, &check(Check::Order));
        // Without a fence a load overtakes a store: the check that none does with one can fail.
        let overtaken = report.probes[0].id;
        assert!(overtaken > 0, "{}", chip.name());
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn user_mode_of_each_hart_reaches_its_own_regions_only() {
    for &chip in chips() {
        let report = holds(chip, &check(Check::Protection));
        assert_eq!(report.output, b"");
        for (hart, told) in told(&report, chip).iter().enumerate() {
            // The first has one region more.
            let (granted, refused) = if hart == 0 { (9, 28) } else { (8, 29) };
            assert_eq!(
                told[..],
                [granted << 16 | refused],
                "{} hart {hart}",
                chip.name()
            );
        }
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn each_line_interrupts_its_hart_alone() {
    for &chip in chips() {
        let report = holds(chip, &check(Check::Lines));
        let late: Vec<u32> = told(&report, chip).concat();
        assert_eq!(late.len(), usize::from(chip.core.harts()), "{late:?}");
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn a_ticket_lock_is_fair_and_a_flag_need_not_be() {
    for &chip in chips() {
        let report = holds(chip, &check(Check::Fairness));
        let told = told(&report, chip);
        let of = |index: usize| told.iter().map(move |of_hart| of_hart[index]);
        let [ticket, ticket_done, flag, flag_done] =
            [0, 1, 2, 3].map(|index| of(index).max().unwrap());
        let [first, first_of_flag] = [1, 3].map(|index| of(index).min().unwrap());
        let name = chip.name();
        println!("{name}: longest wait {ticket} cycles with tickets, {flag} with a flag");
        println!(
            "{name}: all done after {ticket_done} and {flag_done}, the first after {first} and {first_of_flag}"
        );
        // Each waits for one section of every other hart.
        let harts = u32::from(chip.core.harts());
        assert!(ticket < harts * 200, "{name}: {told:?}");
        assert!(first * 100 > ticket_done * 95, "{name}: {told:?}");
        // With a flag it is luck, which here a hart has not.
        if chip == FOUR {
            assert!(flag > 10 * ticket, "{name}: {told:?}");
        }
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn a_waiting_hart_is_kicked_within_twenty_cycles() {
    for &chip in chips() {
        let latencies = &told(&holds(chip, &check(Check::Kick)), chip)[0];
        let (least, most) = (
            latencies.iter().min().unwrap(),
            latencies.iter().max().unwrap(),
        );
        println!(
            "{}: {least} to {most} cycles from the store to the handler",
            chip.name()
        );
        assert!(*most <= 20, "{}: {latencies:?}", chip.name());
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn whoever_watches_sees_which_hart_was_kicked() {
    let mut kick = check(Check::Kick);
    let unwatched = run(FOUR, &kick);
    kick.watch = Watch::Kernel;
    let report = holds(FOUR, &kick);
    assert_eq!(report.cycles, unwatched.cycles);
    let rises: Vec<u64> = report
        .points
        .iter()
        .filter(|point| point.sight == Sight::Software)
        .inspect(|point| assert_eq!(point.hart, 1))
        .map(|point| point.cycle)
        .collect();
    assert_eq!(rises.len(), KICKS);
    let of = |hart| {
        report
            .executed
            .iter()
            .filter(move |one: &&Executed| one.hart == hart)
    };
    // All began at the same place; the one that is kicked goes on soon after.
    for hart in 0..4 {
        assert_eq!(of(hart).next().unwrap().pc, 0x4000_0000, "{hart}");
    }
    for rise in &rises[KICKS / 2..] {
        let next = of(1).find(|one| u64::from(one.cycle) > *rise).unwrap();
        assert!(u64::from(next.cycle) - rise < 20, "{rise} {next:?}");
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn accesses_cost_what_the_readme_says() {
    for &chip in chips() {
        let figures = &told(&holds(chip, &check(Check::Costs)), chip)[0];
        // A load that hits, one that misses, 16 stores, AMO, LR and SC, ticket lock, flag.
        let (hit, miss) = match chip.caches {
            Caches::Shipped => (4, 17),
            Caches::Large => (4, 4),
        };
        assert_eq!(
            figures[..],
            [hit, miss, 29, 15, 19, 29, 25],
            "{}",
            chip.name()
        );
    }
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn slower_memory_delays_what_misses() {
    let figures = |first, burst| {
        let mut costs = check(Check::Costs);
        costs.latency = Latency { first, burst };
        let [hit, miss, ..] = told(&holds(FOUR, &costs), FOUR)[0][..] else {
            panic!("two figures at least");
        };
        (hit, miss)
    };
    let (fast, late, slow) = (figures(1, 1), figures(11, 1), figures(11, 3));
    assert_eq!((fast.0, late.0, slow.0), (4, 4, 4));
    // 10 cycles for the first word of a line, then 2 for each of seven more.
    assert_eq!((late.1 - fast.1, slow.1 - late.1), (10, 14));
}

#[test]
#[ignore = "needs Verilator, Java and Maven: ./x test rtl"]
fn two_runs_of_many_harts_agree_to_the_cycle() {
    for description in [Check::Fairness, Check::Kick].map(check) {
        assert_eq!(run(FOUR, &description), run(FOUR, &description));
    }
}
