//! `giornata analyze` and `giornata simulate` for several harts as a shell sees them.

mod folder;

use folder::Folder;

/// Two that need little and one that needs nearly a whole hart.
const DHALL: &str = "task a { fa() [wcet 2ms]; advance(10 ms); }
task b { fb() [wcet 2ms]; advance(10 ms); }
task c { fc() [wcet 10ms]; advance(11 ms); }
";

/// Both harts are never idle, and no job is late where all begin together.
const FULL: &str = "task a { fa() [wcet 2ms]; advance(3 ms); }
task b { fb() [wcet 2ms]; advance(3 ms); }
task c { fc() [wcet 2ms]; advance(6 ms); }
task d { fd() [wcet 2ms]; advance(6 ms); }
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("dhall.psi", DHALL);
    folder.write("full.psi", FULL);
    folder
}

#[test]
fn yes_comes_with_a_test_no_with_a_run_and_neither_with_the_closest() {
    let folder = folder("several-harts-verdicts");
    let ask = |file, harts| folder.json(&["analyze", file, "--harts", harts, "--json"]);

    let (code, json) = ask("dhall.psi", "3");
    assert_eq!((code, &json["schedulability"]), (0, &"schedulable".into()));
    assert_eq!(
        (&json["harts"], &json["shown_by"]),
        (&3.into(), &"BAR".into())
    );
    assert_eq!(json["tasks"][2]["response_bound_ns"], 10_000_000);
    assert_eq!(json["tasks"][2]["slack_ns"], 1_000_000);

    let (code, json) = ask("dhall.psi", "2");
    assert_eq!((code, &json["late"]["task"]), (1, &"c.fc".into()));
    assert_eq!(json["late"]["left_ns"], 1_000_000);
    let gfb = &json["tests"][0];
    assert_eq!(
        (&gfb["test"], &gfb["says"]),
        (&"GFB".into(), &"not shown".into())
    );
    // 2/10 + 2/10 + 10/11, and 2 - 10/11
    assert_eq!(
        (&gfb["needed_permille"], &gfb["fits_permille"]),
        (&1310.into(), &1090.into())
    );
    // (each hart of its own could do it)
    assert_eq!(json["partition"]["harts"][0][0], "c.fc");

    let (code, json) = ask("full.psi", "2");
    assert_eq!((code, &json["schedulability"]), (3, &"unknown".into()));
    assert_eq!(
        (&json["closest"], &json["load_permille"]),
        (&"GFB".into(), &2000.into())
    );
}

#[test]
fn boards_say_how_many_harts_run_tasks_and_that_the_kernel_is_not_counted() {
    let folder = folder("several-harts-boards");
    let (code, out, err) = folder.outcome(&["analyze", "full.psi", "--board", "rtl-smp4"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("full.psi under edf on 4 harts: schedulable"),
        "{out}"
    );
    assert!(
        out.contains("kernel on rtl-smp4: its time is not counted"),
        "{out}"
    );
}

#[test]
fn what_several_harts_cannot_do_is_refused() {
    let folder = folder("several-harts-refused");
    for (arguments, reason) in [
        (
            &["--harts", "2", "--strategy", "edf-nonpreemptive"][..],
            "without preemption",
        ),
        (
            &["--harts", "2", "--board", "qemu-virt32"],
            "fewer harts (1) than `--harts 2`",
        ),
        (&["--harts", "9"], "9 is not in 1..=8"),
        (&["--harts", "0"], "0 is not in 1..=8"),
    ] {
        let (code, out, err) = folder.outcome(&[&["analyze", "full.psi"], arguments].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains(reason), "{err}");
    }
}

/// What carries S code is analysed as one hart would run it, which the answer says.
#[test]
fn s_code_is_answered_for_one_hart() {
    let folder = folder("several-harts-s-code");
    folder.write("one.psi", "task a { fa() [wcet 2ms]; advance(10 ms); }");
    let (code, _, err) = folder.outcome(&["schedule", "one.psi", "--strategy", "edf"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let arguments = ["analyze", "one.scheduled.gmod", "--harts", "2"];
    let (code, out, _) = folder.outcome(&arguments);
    assert_eq!(code, 0);
    assert!(out.starts_with("S code is for one hart"), "{out}");
}

/// What the analysis shows as a run is what the kernel does; on a third hart nobody is late.
#[test]
fn a_simulation_has_as_many_harts_as_are_asked_for() {
    let folder = folder("several-harts-simulated");
    let simulate = |harts| {
        let words = [
            "simulate",
            "dhall.psi",
            "--for",
            "11ms",
            "--json",
            "--harts",
        ];
        folder.json(&[&words[..], &[harts]].concat())
    };
    let (code, json) = simulate("2");
    assert_eq!((code, &json["misses"][0]["task"]), (1, &"c.fc".into()));
    assert_eq!(json["misses"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["totals"]["busy_ns"], 4_000_000 + 9_000_000 + 1_000_000);

    let (code, json) = simulate("3");
    assert_eq!(
        (code, &json["tasks"][2]["response_ns"]["max"]),
        (0, &10_000_000.into())
    );
    let busy = |hart: usize| json["harts"][hart]["busy_ns"].as_u64().unwrap();
    assert_eq!(
        busy(0) + busy(1) + busy(2),
        4_000_000 + 10_000_000 + 2_000_000
    );
    assert_eq!(json["harts"].as_array().map(Vec::len), Some(3));
    // (whoever is first keeps its hart for all of its 10 ms)
    assert!((0..3).any(|hart| busy(hart) >= 10_000_000), "{json:#}");
}

/// The recording of several harts is told apart by them, and is no schedule of one.
#[test]
fn a_recording_of_several_harts_is_no_schedule_of_one() {
    let folder = folder("several-harts-recorded");
    let words = [
        "simulate", "full.psi", "--harts", "2", "--for", "24ms", "--record", "t.trace",
    ];
    let (code, _, err) = folder.outcome(&words);
    assert_eq!((code, err.as_str()), (0, ""));
    let words = ["schedule", "full.psi", "--from-trace", "t.trace"];
    let (code, _, err) = folder.outcome(&words);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("several harts"), "{err}");
}
