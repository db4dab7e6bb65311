//! `giornata schedule --from-trace`: runs that were recorded become S code.

mod folder;

use std::fs;
use std::path::Path;

use folder::Folder;

/// Two tasks in a program of one mode; the shorter period preempts.
const PROGRAM: &str = include_str!("recorded/preempted.giotto");

/// A folder with the program, and the trace of its run in the emulator.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("preempted.giotto", PROGRAM);
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let trace = fs::read(traces.join("preempted.trace")).unwrap();
    folder.write("machine.trace", trace);
    folder
}

/// Records a simulation of a program, of jobs that take so long.
fn record(folder: &Folder, program: &str, times: &str, length: &str, trace: &str) {
    let words = ["simulate", program, "--exec-time", times, "--for", length];
    let (_, _, err) = folder.outcome(&[&words[..], &["--record", trace]].concat());
    assert_eq!(err, "");
}

fn schedule<'a>(program: &'a str, trace: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&["schedule", program, "--from-trace", trace], rest].concat()
}

/// Releases, misses and preemptions of each task of a simulated file.
fn simulated(folder: &Folder, file: &str) -> Vec<[u64; 3]> {
    let words = ["simulate", file, "--exec-time", "job_00=270us,job_01=270us"];
    let (code, json) = folder.json(&[&words[..], &["--for", "20ms", "--json"]].concat());
    assert_eq!(code, 0);
    let figure = |task: &serde_json::Value, name: &str| task[name].as_u64().unwrap();
    let tasks = json["tasks"].as_array().unwrap().iter();
    tasks
        .map(|task| ["releases", "misses", "preemptions"].map(|name| figure(task, name)))
        .collect()
}

#[test]
fn a_run_of_the_emulator_becomes_s_code_that_decides_as_it_did() {
    let folder = folder("from-machine");
    let words = schedule("preempted.giotto", "machine.trace", &["--listing"]);
    let (code, out, err) = folder.outcome(&words);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
    let kernel = simulated(&folder, "preempted.giotto");
    assert_eq!(kernel, [[50, 0, 0], [10, 0, 20]]);
    assert_eq!(simulated(&folder, "preempted.scheduled.gmod"), kernel);
}

#[test]
fn the_simulator_and_the_emulator_decide_alike() {
    let folder = folder("both-machines");
    let times = "job_00=270us,job_01=270us";
    record(&folder, "preempted.giotto", times, "5ms", "simulator.trace");
    for machine in ["simulator", "machine"] {
        let trace = format!("{machine}.trace");
        let module = format!("{machine}.gmod");
        let words = schedule("preempted.giotto", &trace, &["-o", &module]);
        assert_eq!(folder.outcome(&words).0, 0);
    }
    let bytes = |name: &str| fs::read(folder.0.join(name)).unwrap();
    assert_eq!(bytes("simulator.gmod"), bytes("machine.gmod"));
}

#[test]
fn what_was_right_for_short_jobs_is_checked_with_the_longest() {
    let folder = folder("recorded-short");
    let times = "job_00=100us,job_01=100us";
    record(&folder, "preempted.giotto", times, "5ms", "short.trace");
    // the short job of job_01 was not preempted, so its S code does not preempt it
    let words = schedule("preempted.giotto", "short.trace", &["--json"]);
    let (code, json) = folder.json(&words);
    assert_eq!(
        (code, &json["time_safe"], &json["class"]),
        (1, &false.into(), &"non-preemptive".into())
    );
    assert_eq!(json["late"]["task"], "job_00");
}

/// The file without the frame after the `skipped`th zero of its stream.
fn without_frame(file: &[u8], skipped: usize) -> Vec<u8> {
    let ends: Vec<usize> = (0..file.len()).filter(|at| file[*at] == 0).collect();
    let (from, to) = (ends[skipped] + 1, ends[skipped + 1] + 1);
    [&file[..from], &file[to..]].concat()
}

#[test]
fn traces_that_do_not_do_are_refused_with_the_reason() {
    let folder = folder("recorded-bad");
    let whole = fs::read(folder.0.join("machine.trace")).unwrap();
    folder.write("lost.trace", without_frame(&whole, 10));
    folder.write("cut.trace", &whole[..whole.len() / 2]);
    let switching = PROGRAM
        .replace("taskfreq 1", "exitfreq 1 do rest(leave); taskfreq 1")
        .replace("start run {", "driver leave() output () { if never() then dummy() }\nstart run {\n  mode rest() period 2ms { taskfreq 5 do job_00(nothing); }");
    folder.write("switching.giotto", switching);
    folder.write("renamed.giotto", PROGRAM.replace("job_01", "job_02"));
    folder.write("slower.giotto", PROGRAM.replace("2ms", "4ms"));
    record(
        &folder,
        "preempted.giotto",
        "job_01=900us",
        "5ms",
        "late.trace",
    );
    let cases = [
        ("preempted", "lost", "records are lost", "more room"),
        (
            "preempted",
            "cut",
            "the release at 4 ms is not in it",
            "a longer run",
        ),
        (
            "preempted",
            "late",
            "task `job_01` had not completed at 2 ms",
            "in time",
        ),
        ("preempted", "none", "cannot be read", "--record"),
        (
            "renamed",
            "machine",
            "none has the tasks job_00, job_02",
            "that was recorded",
        ),
        (
            "slower",
            "machine",
            "task `job_00` is released at 400 us",
            "as it is now",
        ),
        ("switching", "machine", "switches modes", "--strategy rm"),
    ];
    for (program, trace, reason, mend) in cases {
        let (program, trace) = (format!("{program}.giotto"), format!("{trace}.trace"));
        let (code, json) = folder.json(&schedule(&program, &trace, &["--json"]));
        assert_eq!(
            (code, &json["verdict"]),
            (2, &"bad input".into()),
            "{reason}"
        );
        let said = &json["diagnostics"][0];
        let has = |key: &str, text: &str| said[key].as_str().is_some_and(|s| s.contains(text));
        assert!(has("message", reason) && has("help", mend), "{said:#}");
    }
    let words = [
        "schedule",
        "preempted.giotto",
        "--from-trace",
        "preempted.giotto",
    ];
    let (code, _, err) = folder.outcome(&words);
    assert!(code == 2 && err.contains("not a recorded trace"), "{err}");
    let both = schedule("preempted.giotto", "machine.trace", &["--strategy", "edf"]);
    assert_eq!(folder.outcome(&both).0, 2);
}
