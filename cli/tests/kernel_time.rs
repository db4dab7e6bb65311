//! `giornata analyze --board`: the kernel's own time in the verdict.

mod folder;

use std::fs;

use folder::Folder;
use serde_json::{Value, json};

const PROGRAM: &str = "\
sensor u32 position uses read_position;
output u32 filtered := zero;
task t2(u32 p) output (filtered) state () [wcet 3ms] { schedule filter(p, filtered) }
task t1() output () state () [wcet 12ms] { schedule control() }
driver ds(position) output (u32 p) { if true() then copy(position, p) }
driver none() output () { if true() then dummy() }
start work {
  mode work() period 20 { taskfreq 2 do t2(ds); taskfreq 1 do t1(none); }
}
";

/// A workspace of two boards, one measured and one bounded.
fn workspace(test: &str) -> Folder {
    let folder = Folder::new(test);
    for part in ["boards", "docs/results"] {
        fs::create_dir_all(folder.0.join(part)).unwrap();
    }
    folder.write("two.giotto", PROGRAM);
    let boards = [
        ("rtl-pmp", include_str!("../../boards/rtl-pmp.toml")),
        ("qemu-virt64", include_str!("../../boards/qemu-virt64.toml")),
        ("rtl-mmu", include_str!("../../boards/rtl-mmu.toml")),
    ];
    for (name, text) in boards {
        folder.write(&format!("boards/{name}.toml"), text);
    }
    let row = |op: &str, max: u64| json!({ "op": op, "board": "rtl-pmp", "config": "hot", "max": max, "clock_hz": 100_000_000 });
    let rows = [
        row("due-at-once/4", 5_000),
        row("due-at-once/10", 8_000),
        row("due-at-once/50", 30_000),
        row("due-at-once/100", 60_000),
        row("driver-copy", 600),
        row("driver-upcall", 2_000),
        row("completion", 1_000),
    ];
    folder.write("docs/results/kernel.json", json!(rows).to_string());
    folder.write("docs/results/bounds.json", bounds(20_000));
    folder
}

/// Bounds of a kernel that takes so many instructions after a look, and a fourth of that
/// for a step. An instant of the program goes through eighteen steps besides its first and
/// its last.
fn bounds(look: u64) -> String {
    let kind = |kind: &str, bound: u64| json!({ "kind": kind, "bound": bound });
    let kinds = [
        kind("timer", 10_000),
        kind("after a look at interrupts", look),
        kind("step of microcode", look / 4),
        kind("call return", 5_000),
        kind("call complete", 5_000),
    ];
    let board = json!({ "board": "qemu-virt64", "kinds": kinds });
    json!({ "system": "sample", "boards": [board] }).to_string()
}

fn analyze<'a>(board: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["analyze", "two.giotto", "--board", board], rest].concat()
}

#[test]
fn measured_and_bounded_kernels_are_charged_to_the_jobs() {
    let folder = workspace("kernel-time");
    let of = |board: &str| {
        let (code, out, err) = folder.outcome(&analyze(board, &[]));
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        out
    };
    insta::assert_snapshot!(of("rtl-pmp") + "\n" + &of("qemu-virt64"));
}

#[test]
fn what_was_measured_is_charged_where_that_is_asked_for() {
    let folder = workspace("kernel-measured");
    let kinds = [
        "timer",
        "after a look at interrupts",
        "step of microcode",
        "call return",
    ];
    let mut kinds: Vec<Value> = kinds
        .map(|kind| json!({ "kind": kind, "bound": 20_000, "measured": 400 }))
        .into();
    // what was never seen is charged its bound
    kinds.push(json!({ "kind": "call complete", "bound": 5_000, "measured": null }));
    let board = json!({ "board": "qemu-virt64", "kinds": kinds });
    let bounds = json!({ "system": "sample", "boards": [board] });
    folder.write("docs/results/bounds.json", bounds.to_string());
    let (code, json) = folder.json(&analyze("qemu-virt64", &["--measured", "--json"]));
    assert_eq!(code, 0, "{json:#}");
    assert_eq!(json["kernel"]["completion_ns"], 5_400);
    let source = json["kernel"]["source"].as_str().unwrap();
    assert!(
        source.starts_with("the most instructions that were measured of sample"),
        "{source}"
    );
    let (_, json) = folder.json(&analyze("qemu-virt64", &["--json"]));
    assert_eq!(json["kernel"]["completion_ns"], 25_000);
}

#[test]
fn a_verdict_that_hangs_on_the_bounds_is_unknown() {
    let folder = workspace("kernel-bounds");
    folder.write("docs/results/bounds.json", bounds(100_000));
    let (code, out, _) = folder.outcome(&analyze("qemu-virt64", &[]));
    assert!(
        code == 3 && out.contains("known as an upper bound only"),
        "{out}"
    );
    // without them it is late, too
    folder.write("times.toml", "t1 = \"15ms\"\n");
    let words = analyze("qemu-virt64", &["--wcet", "times.toml", "--json"]);
    let (code, json) = folder.json(&words);
    assert_eq!(
        (code, &json["schedulability"]),
        (1, &"not schedulable".into())
    );
    folder.write("docs/results/bounds.json", bounds(3_000_000));
    let (code, _, err) = folder.outcome(&analyze("qemu-virt64", &[]));
    assert!(
        code == 3 && err.contains("the next one comes after 10000000 ns"),
        "{err}"
    );
}

#[test]
fn s_code_is_checked_with_the_kernels_time_where_that_is_known() {
    let folder = workspace("kernel-s-code");
    let words = [
        "schedule",
        "two.giotto",
        "--strategy",
        "edf",
        "-o",
        "two.gmod",
    ];
    assert_eq!(folder.outcome(&words).0, 0);
    let on = |board: &str| folder.outcome(&["analyze", "two.gmod", "--board", board]);
    // every instruction of S code is a step, and 65 may be executed at an instant
    folder.write("docs/results/bounds.json", bounds(8_000));
    let (code, out, _) = on("qemu-virt64");
    assert!(code == 0 && out.contains("keeps it time-safe"), "{out}");
    let (code, _, err) = on("rtl-pmp");
    assert!(
        code == 3 && err.contains("what S code takes is not known"),
        "{err}"
    );
    folder.write("docs/results/bounds.json", bounds(20_000));
    let (code, out, _) = on("qemu-virt64");
    assert!(
        code == 3 && out.contains("does not keep it time-safe"),
        "{out}"
    );
}

#[test]
fn boards_that_nothing_is_known_of_are_refused() {
    let folder = workspace("kernel-boards");
    let refused = |board: &str| {
        let (code, json) = folder.json(&analyze(board, &["--json"]));
        assert_eq!((code, &json["verdict"]), (2, &"bad input".into()));
        json["diagnostics"][0].clone()
    };
    let none = refused("rtl-pnp");
    let says = |said: &Value, key: &str, text: &str| said[key].as_str().unwrap().contains(text);
    assert!(
        says(&none, "message", "there is no board \"rtl-pnp\""),
        "{none}"
    );
    assert!(says(&none, "help", "did you mean `rtl-pmp`?"), "{none}");
    let far = refused("arduino");
    assert!(says(&far, "help", "qemu-virt64, rtl-mmu, rtl-pmp"), "{far}");
    let unknown = refused("rtl-mmu");
    assert!(
        says(&unknown, "message", "neither measured nor bounded"),
        "{unknown}"
    );
}

/// Worst responses in ns, by task; `None` where a job is late.
fn responses(folder: &Folder, words: &[&str]) -> Vec<Option<u64>> {
    let (_, json) = folder.json(&[words, &["--json"]].concat());
    let tasks = json["tasks"].as_array().cloned().unwrap_or_default();
    tasks
        .iter()
        .map(|task| task["response_ns"].as_u64())
        .collect()
}

#[test]
fn no_response_is_shorter_with_the_kernel_than_without() {
    let folder = Folder::new("kernel-repository");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for program in ["flight", "plant", "telemetry"] {
        let path = format!("{root}/examples/flight-control/{program}.giotto");
        let without = responses(&folder, &["analyze", &path]);
        assert!(without.iter().all(Option::is_some));
        let boards = [
            "qemu-virt64",
            "qemu-virt32",
            "qemu-virt32-pmp",
            "rtl-mmu",
            "rtl-pmp",
        ];
        for board in boards {
            let with = responses(&folder, &["analyze", &path, "--board", board]);
            for (with, without) in with.iter().zip(&without) {
                assert!(
                    with.is_none_or(|with| Some(with) > *without),
                    "{program} on {board}"
                );
            }
        }
    }
}
