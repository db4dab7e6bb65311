//! The chip keeps its promises on each of its cores. Needs Verilator and the core's
//! package, so `./x test rtl` runs it and a plain `cargo test` does not.

mod common;

use std::path::Path;
use std::sync::OnceLock;

use giornata_soc::{
    Caches, Core, End, Harts, Image, Input, Latency, Report, Run, Sight, TaskManager, Variant,
    Watch, Waveform,
};

use common::{compile, is_long, run, simulator};

/// As `checks.s` numbers them.
#[derive(Clone, Copy, Debug)]
enum Check {
    Echo,
    Counter,
    Generator,
    Timer,
    ReceiveInterrupt,
    Overrun,
    Nowhere,
    Conflict,
    Regions,
    Pages,
    Echo16550,
    Devices,
    TaskManager,
}

const CORES: [Core; 3] = [Core::Mmu, Core::Pmp, Core::Smp(Harts::Four)];
/// Those whose PMP this project has mended.
const MENDED: [Core; 2] = [Core::Pmp, Core::Smp(Harts::Four)];

/// The sizes of caches to look at: the short form builds chips with one.
fn sizes() -> &'static [Caches] {
    match is_long() {
        false => &[Caches::Shipped],
        true => &[Caches::Shipped, Caches::Large],
    }
}

fn mended() -> impl Iterator<Item = (Core, Caches)> {
    let with_sizes = |core| sizes().iter().map(move |&caches| (core, caches));
    MENDED.into_iter().flat_map(with_sizes)
}

/// The checks, assembled.
fn program() -> Image {
    static PROGRAM: OnceLock<Image> = OnceLock::new();
    PROGRAM
        .get_or_init(|| compile("checks", "riscv32imac-unknown-none-elf"))
        .clone()
}

fn check(check: Check) -> Run {
    Run {
        argument: check as u32,
        max_cycles: 1_000_000,
        ..Run::new(program())
    }
}

/// Runs on each core and expects the checks to hold.
fn on_each_core(description: &Run) -> [Report; 3] {
    CORES.map(|core| {
        let report = run(Variant::new(core, Caches::Shipped), description);
        report
            .expect_success()
            .unwrap_or_else(|error| panic!("{core:?}: {error}"));
        report
    })
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn bytes_come_in_and_go_out() {
    for registers in [Check::Echo, Check::Echo16550] {
        let mut echo = check(registers);
        echo.input = Input::Bytes(b"more BYTES than the queue holds.".to_vec());
        for report in on_each_core(&echo) {
            assert_eq!(
                report.output,
                b"MORE\0bytes\0THAN\0THE\0QUEUE\0HOLDS".to_vec()
            );
        }
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn a_byte_interrupts_in_the_cycle_in_which_it_arrives() {
    let mut receive = check(Check::ReceiveInterrupt);
    receive.input = Input::At(vec![(2_000, b'!')]);
    for report in on_each_core(&receive) {
        assert_eq!(report.output, b"!");
        let latency = report.probes[0].cycle - 2_000;
        assert!((5..60).contains(&latency), "{latency}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn bytes_that_find_the_queue_full_are_lost_and_it_is_told() {
    let mut overrun = check(Check::Overrun);
    overrun.input = Input::At((0..20).map(|i| (10 + u64::from(i), b'a' + i)).collect());
    for report in on_each_core(&overrun) {
        assert_eq!(report.output, b"abcdefghijklmnop");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn cycle_counter_and_probes_share_a_clock() {
    for report in on_each_core(&check(Check::Counter)) {
        let lags: Vec<u64> = report
            .probes
            .iter()
            .map(|p| p.cycle - u64::from(p.id))
            .collect();
        assert_eq!(lags.len(), 4);
        // The first time the code is not cached yet.
        assert_eq!(lags[1], lags[2]);
        assert_eq!(lags[2], lags[3]);
        assert!((1..20).contains(&lags[3]), "{lags:?}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn generated_interrupt_rises_when_asked() {
    for report in on_each_core(&check(Check::Generator)) {
        let [armed, handled] = report.probes[..] else {
            panic!("{:?}", report.probes);
        };
        let delay = handled.id - armed.id;
        assert!((200..220).contains(&delay), "{delay}");
        let latency = handled.cycle - u64::from(handled.id);
        assert!((5..60).contains(&latency), "{latency}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn whoever_watches_sees_user_mode_and_its_mark() {
    for core in MENDED {
        sees_user_mode(Variant::new(core, Caches::Shipped));
    }
}

fn sees_user_mode(variant: Variant) {
    let mut regions = check(Check::Regions);
    let unwatched = run(variant, &regions);
    assert_eq!(unwatched.points, []);
    regions.watch = Watch::Kernel;
    let report = run(variant, &regions);
    assert_eq!(report.cycles, unwatched.cycles);
    // The two accesses that are refused are never executed.
    let [leave, mark, enter] = report.points[..] else {
        panic!("{:?}", report.points);
    };
    assert_eq!(leave.sight, Sight::Leave);
    assert_eq!(mark.sight, Sight::Mark(7));
    assert_eq!(enter.sight, Sight::Enter);
    assert!(leave.cycle <= mark.cycle && mark.cycle < enter.cycle);
    let first = report.executed[0];
    assert_eq!(first.pc, 0x4000_0000);
    assert!(report.executed.iter().all(|one| one.pc != leave.pc));
    assert!(enter.instructions - mark.instructions < 12 && leave.pc < enter.pc);
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn whoever_watches_sees_the_line_rise_at_its_cycle() {
    let mut generator = check(Check::Generator);
    generator.watch = Watch::Points;
    for report in on_each_core(&generator) {
        let rises: Vec<u64> = report.points.iter().map(|point| point.cycle).collect();
        assert_eq!(rises, [u64::from(report.probes[1].id)]);
        assert_eq!(report.points[0].sight, Sight::Line);
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn timer_interrupt_comes_at_its_instant() {
    for report in on_each_core(&check(Check::Timer)) {
        let latency = report.probes[0].cycle - u64::from(report.probes[0].id);
        assert!((5..60).contains(&latency), "{latency}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn an_access_to_nowhere_ends_the_run_with_its_address() {
    for core in CORES {
        let report = run(Variant::new(core, Caches::Shipped), &check(Check::Nowhere));
        // The whole line was asked for.
        assert_eq!(report.end, End::NoAnswer(0x2000_0000), "{core:?}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn regions_of_the_mended_core_cover_their_whole_size() {
    for (core, caches) in mended() {
        let report = run(Variant::new(core, caches), &check(Check::Regions));
        assert_eq!(report.end, End::Exit(0), "{core:?} {caches:?}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn user_mode_of_the_mended_core_reaches_granted_devices_only() {
    let mut devices = check(Check::Devices);
    devices.input = Input::Bytes(b"!".to_vec());
    for (core, caches) in mended() {
        let report = run(Variant::new(core, caches), &devices);
        assert_eq!(report.end, End::Exit(0), "{core:?} {caches:?}");
        assert_eq!((&*report.output, &*report.probes), (&[][..], &[][..]));
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn a_task_manager_tells_the_first_and_interrupts() {
    let mut check = check(Check::TaskManager);
    check.max_cycles = 10_000;
    // (no board has the other core with it)
    let cores = match is_long() {
        false => &[Core::Pmp][..],
        true => &CORES,
    };
    for &core in cores {
        let variant = Variant::new(core, Caches::Shipped);
        let with = variant.with_task_manager(TaskManager::EXTENDED);
        let report = run(with, &check);
        assert_eq!(report.end, End::Exit(0), "{core:?}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn pages_of_the_other_core_are_mapped_and_guarded() {
    for &caches in sizes() {
        let report = run(Variant::new(Core::Mmu, caches), &check(Check::Pages));
        assert_eq!(report.end, End::Exit(0), "{caches:?}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn large_caches_hold_lines_that_evict_each_other_in_shipped_ones() {
    if !is_long() {
        return;
    }
    for core in CORES {
        let cycles = |caches| {
            let report = run(Variant::new(core, caches), &check(Check::Conflict));
            report.between(1, 2)[0]
        };
        let (shipped, large) = (cycles(Caches::Shipped), cycles(Caches::Large));
        // 126 refills of a line are saved.
        assert!(large + 126 * 8 < shipped, "{core:?}: {large}, {shipped}");
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn slower_memory_takes_more_cycles() {
    let variant = Variant::new(Core::Pmp, Caches::Shipped);
    let cycles = |first, burst| {
        let mut conflict = check(Check::Conflict);
        conflict.latency = Latency { first, burst };
        run(variant, &conflict).between(1, 2)[0]
    };
    let (fast, late, slow) = (cycles(1, 1), cycles(11, 1), cycles(11, 3));
    // 128 lines: 10 cycles for the first word of each, then 2 for each of seven more.
    assert!(
        (128 * 10..=130 * 10).contains(&(late - fast)),
        "{fast} {late}"
    );
    assert!(
        (128 * 14..=130 * 14).contains(&(slow - late)),
        "{late} {slow}"
    );
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn two_runs_agree_to_the_cycle() {
    let checks = [
        Check::Counter,
        Check::Generator,
        Check::Timer,
        Check::Conflict,
    ];
    for description in checks.map(check) {
        assert_eq!(on_each_core(&description), on_each_core(&description));
    }
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn a_program_that_does_not_end_runs_out_of_cycles() {
    let mut endless = check(Check::Echo);
    endless.max_cycles = 10_000;
    let report = run(Variant::new(Core::Pmp, Caches::Shipped), &endless);
    assert_eq!((report.end, report.cycles), (End::OutOfCycles, 10_000));
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn exit_code_is_the_whole_word() {
    let mut unknown = check(Check::Echo);
    unknown.argument = 1000;
    let report = run(Variant::new(Core::Pmp, Caches::Shipped), &unknown);
    assert_eq!(report.end, End::Exit(254));
    assert!(report.expect_success().is_err());
}

#[test]
#[ignore = "needs Verilator: ./x test rtl"]
fn waveform_shows_the_cycles_that_were_asked_for() {
    if !is_long() {
        return;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checks.vcd");
    let mut counter = check(Check::Counter);
    counter.waveform = Some(Waveform {
        file: file.clone(),
        cycles: 20..30,
    });
    let variant = Variant::new(Core::Pmp, Caches::Shipped);
    let error = simulator(variant).run(&counter).unwrap_err().to_string();
    assert!(error.contains("without --trace"), "{error}");
    let report = run(variant.with_waveform(), &counter);
    assert_eq!(
        report,
        run(
            variant,
            &Run {
                waveform: None,
                ..counter
            }
        )
    );
    let text = std::fs::read_to_string(&file).expect("the waveform");
    assert!(text.contains("u_interrupt_generator"));
    let stamps: Vec<u64> = text
        .lines()
        .filter_map(|l| l.strip_prefix('#')?.parse().ok())
        .collect();
    assert_eq!((stamps.first(), stamps.last()), (Some(&205), Some(&300)));
}
