//! `giornata simulate` as a shell sees it.

mod folder;

use std::fs;

use folder::Folder;

/// The program of the paper's Figures 1 and 2: t1 every 20 ms, t2 every 10 ms.
/// Of equal deadlines the paper's traces run t2, which is the first here.
const TWO_TASKS: &str = "\
sensor u32 position uses read_position;
actuator u32 valve uses open_valve;
output u32 filtered := zero; u32 opening := shut;
task t2(u32 p) output (filtered) state () [wcet 3ms] { schedule filter(p, filtered) }
task t1(u32 f) output (opening) state () [wcet 12ms] { schedule control(f, opening) }
driver ds(position) output (u32 p) { if true() then copy(position, p) }
driver di(filtered) output (u32 f) { if true() then copy(filtered, f) }
driver da(opening) output (u32 v) { if true() then copy(opening, v) }
driver next() output () { if is_tired() then dummy() }
start work {
  mode work() period 20 {
    actfreq 1 do valve(da); exitfreq 1 do rest(next);
    taskfreq 2 do t2(ds); taskfreq 1 do t1(di);
  }
  mode rest() period 20 { taskfreq 1 do t2(ds); }
}
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("two-tasks.giotto", TWO_TASKS);
    folder
}

fn simulate<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["simulate", "two-tasks.giotto"], rest].concat()
}

fn flight(file: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/flight-control");
    format!("{root}/{file}")
}

#[test]
fn the_papers_two_tasks_meet_their_deadlines() {
    let (code, out, err) = folder("two-tasks").outcome(&simulate(&[]));
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn an_overload_is_drawn_counted_and_explained() {
    let folder = folder("overloaded");
    let words = simulate(&["--exec-time", "t1=25ms", "--for", "60ms"]);
    let (code, out, err) = folder.outcome(&words);
    assert_eq!((code, err.as_str()), (1, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn json_tells_every_task_miss_and_violation() {
    let folder = folder("simulate-json");
    let words = simulate(&["--exec-time", "t1=25ms", "--for", "40ms", "--json"]);
    let (code, json) = folder.json(&words);
    assert_eq!((code, &json["verdict"]), (1, &"negative".into()));
    insta::assert_snapshot!(format!("{json:#}"));
}

#[test]
fn a_seed_decides_everything() {
    let folder = folder("seed");
    let run = |seed: &str, format: &[&str]| {
        let chance = ["--exec-time", "uniform", "--guard", "is_tired=random"];
        let words = simulate(
            &[
                &chance,
                ["--seed", seed, "--svg", "x.svg"].as_slice(),
                format,
            ]
            .concat(),
        );
        let output = folder.run(&words);
        assert_eq!(output.status.code(), Some(0));
        let svg = fs::read(folder.0.join("x.svg")).unwrap();
        (output.stdout, svg)
    };
    for format in [[].as_slice(), &["--json"]] {
        assert_eq!(run("7", format), run("7", format));
        assert_ne!(run("7", format), run("8", format));
    }
}

#[test]
fn schedulers_differ_in_who_waits() {
    let folder = folder("schedulers");
    let worst = |scheduler: &str| {
        let words = simulate(&["--scheduler", scheduler, "--json"]);
        let (code, json) = folder.json(&words);
        assert_eq!((code, &json["scheduler"]), (0, &scheduler.into()));
        let tasks = json["tasks"].as_array().unwrap();
        let of = |task: &serde_json::Value| {
            let response = task["response_ns"]["max"].as_u64().unwrap();
            (response / 1_000_000, task["preemptions"].as_u64().unwrap())
        };
        [of(&tasks[0]), of(&tasks[1])]
    };
    assert_eq!(worst("edf"), [(3, 0), (18, 50)]);
    assert_eq!(worst("rm"), [(3, 0), (18, 50)]);
    assert_eq!(worst("fifo"), [(8, 0), (15, 0)], "t2 waits for t1's end");
}

#[test]
fn a_module_behaves_like_its_source() {
    let folder = folder("simulate-module");
    folder.run(&["compile", "two-tasks.giotto"]);
    let of_source = folder.outcome(&simulate(&[]));
    let of_module = folder.outcome(&["simulate", "two-tasks.gmod"]);
    assert_eq!(of_source, of_module);
}

/// The same two tasks without ports, scheduled by the paper's non-preemptive
/// S code (Fig. 4).
const S_CODE: &str = "
task t1
task t2
        fork s0
a0:     release t1, 20ms
        release t2, 10ms
        future after(10ms), a1
        return
a1:     release t2, 10ms
        future after(10ms), a0
        return
s0:     dispatch t2
        dispatch t1, released(t2), s1
        idle released(t2)
s1:     dispatch t1
        dispatch t2
        idle released(t1)
        fork s0
        return
";

/// A module of a listing.
fn module(listing: &str) -> Vec<u8> {
    giornata_test_microcode::assemble(listing)
}

#[test]
fn an_interrupt_that_a_module_waits_for_never_comes() {
    let folder = Folder::new("interrupt");
    let listing = "
task t1
task t2
irq button3
a0:     release t1, 10ms
        future irq(button3), a1
        return
a1:     release t2, 10ms
        return
";
    folder.write("waits.gmod", module(listing));
    let (code, out, _) = folder.outcome(&["simulate", "waits.gmod", "--exec-time", "best"]);
    assert!(code == 0 && out.contains("releases 1 | missed 0"), "{out}");
    assert!(
        out.contains("note: interrupts that never come: button3"),
        "{out}"
    );
}

#[test]
fn s_code_of_a_module_schedules_its_tasks() {
    let folder = Folder::new("s-code");
    folder.write("two-tasks.gmod", module(S_CODE));
    let times = ["--exec-time", "t1=12ms,t2=3ms"];
    let words = ["simulate", "two-tasks.gmod", "--json"];
    let (code, json) = folder.json(&[&words[..], &times].concat());
    assert_eq!((code, &json["scheduler"]), (0, &"S code".into()));
    let tasks = json["tasks"].as_array().unwrap();
    let of = |task: &serde_json::Value| {
        let response = task["response_ns"]["max"].as_u64().unwrap();
        (response / 1_000_000, task["preemptions"].as_u64().unwrap())
    };
    assert_eq!(of(&tasks[0]), (15, 0), "t1 goes on when t2 is released");
    assert_eq!(of(&tasks[1]), (8, 0), "and t2 waits for it");
    let words = ["simulate", "two-tasks.gmod", "--scheduler", "edf"];
    let (code, _, err) = folder.outcome(&words);
    assert!(code == 2 && err.contains("carries S code"), "{err}");
}

#[test]
fn guards_switch_modes_if_they_are_told_to() {
    let folder = folder("guards");
    let releases = |words: &[&str]| {
        let json = folder.json(&simulate(words)).1;
        let tasks = json["tasks"].as_array().unwrap().clone();
        let counts = tasks.iter().map(|task| task["releases"].as_u64().unwrap());
        (counts.collect::<Vec<u64>>(), json["guards_shut"].clone())
    };
    let shut = releases(&["--json"]);
    assert_eq!(shut, (vec![100, 50], vec!["is_tired"].into()));
    let open = releases(&["--json", "--guard", "is_tired=true"]);
    assert_eq!(
        open,
        (vec![50, 0], serde_json::json!([])),
        "rest from the start"
    );
}

#[test]
fn a_system_runs_with_its_budgets_under_every_scheduler() {
    let folder = Folder::new("simulate-system");
    let system = flight("system.toml");
    for scheduler in ["edf", "rm", "fifo"] {
        let words = ["simulate", &system, "--scheduler", scheduler, "--json"];
        let (code, json) = folder.json(&words);
        assert_eq!((code, &json["totals"]["misses"]), (0, &0.into()));
        assert_eq!(
            json["totals"]["releases"], 250,
            "without the logger, who waits"
        );
        assert_eq!(json["threads_left_out"], serde_json::json!(["serve"]));
    }
    let words = ["simulate", &system, "--exec-time", "control=3ms"];
    let (code, out, _) = folder.outcome(&words);
    assert_eq!(code, 2, "the task is steer, control its function: {out}");
    let words = ["simulate", &system, "--exec-time", "steer=3ms"];
    let (code, out, _) = folder.outcome(&words);
    assert!(
        code == 1 && out.contains("violation overrun: task steer"),
        "{out}"
    );
}

#[test]
fn every_program_of_the_repository_can_be_simulated() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Folder::new("simulate-all");
    let mut count = 0;
    for place in [
        "lang/tests/programs",
        "examples/flight-control",
        "bench/kernel",
    ] {
        for entry in fs::read_dir(root.join(place)).unwrap() {
            let path = entry.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "giotto")
            {
                let path = path.to_str().unwrap();
                let words = ["simulate", path, "--exec-time", "best", "--for", "100ms"];
                let (code, out, err) = folder.outcome(&words);
                assert_eq!(code, 0, "{path}: {err}");
                assert!(
                    out.contains("missed 0 | violations 0 | load 0.00 %"),
                    "{out}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} programs");
}

#[test]
fn what_the_chart_leaves_out_is_said() {
    let folder = folder("narrow");
    let first = |words: &[&str]| {
        let out = folder.outcome(&simulate(words)).1;
        out.lines().next().unwrap_or_default().to_owned()
    };
    let narrow = first(&["--width", "20"]);
    assert!(
        narrow.ends_with("the first 16 ms of 1 s; the hyperperiod is 20 ms"),
        "{narrow}"
    );
    assert!(first(&["--for", "20ms"]).ends_with("all of 20 ms"));
}

#[test]
fn bad_input_is_refused_with_reason_and_mend() {
    let folder = folder("simulate-bad");
    folder.write("untimed.giotto", TWO_TASKS.replace("[wcet 12ms]", ""));
    let cases: [(&[&str], &str, &str); 10] = [
        (&["nowhere.giotto"], "there is no file", "check the path"),
        (
            &["two-tasks.giotto", "--exec-time", "t3=1ms"],
            "`t3`",
            "tasks t2, t1",
        ),
        (
            &["two-tasks.giotto", "--exec-time", "t1=1"],
            "`1` is not a duration",
            "1.5ms",
        ),
        (
            &["two-tasks.giotto", "--exec-time", "t1=-1ms"],
            "not a duration",
            "1.5ms",
        ),
        (
            &["two-tasks.giotto", "--exec-time", "often"],
            "`often`",
            "worst, best, uniform",
        ),
        (
            &["two-tasks.giotto", "--for", "0s"],
            "of no time",
            "--for 1s",
        ),
        (
            &["two-tasks.giotto", "--guard", "overheated=true"],
            "`overheated`",
            "there are is_tired",
        ),
        (
            &["two-tasks.giotto", "--guard", "is_tired"],
            "what a guard answers",
            "GUARD=true",
        ),
        (
            &["two-tasks.giotto", "--svg", "no/such/place.svg"],
            "cannot be written",
            "--svg OUT",
        ),
        (
            &["untimed.giotto"],
            "task `t1` has no worst-case",
            "`[wcet 1ms]`",
        ),
    ];
    for (words, reason, mend) in cases {
        let words = [&["simulate"], words].concat();
        let (code, json) = folder.json(&[&words[..], &["--json"]].concat());
        assert_eq!(
            (code, &json["verdict"]),
            (2, &"bad input".into()),
            "{words:?}"
        );
        let said = &json["diagnostics"][0];
        let has =
            |key: &str, text: &str| said[key].as_str().is_some_and(|said| said.contains(text));
        assert!(
            has("message", reason) && has("help", mend),
            "{words:?}: {said:#}"
        );
        assert_eq!(folder.run(&words).status.code(), Some(2));
    }
    let (_, json) = folder.json(&["simulate", "untimed.giotto", "--json"]);
    assert_eq!(json["diagnostics"][0]["place"]["line"], 5);
    let timed = ["simulate", "untimed.giotto", "--exec-time", "t1=12ms"];
    assert_eq!(
        folder.outcome(&timed).1,
        folder
            .outcome(&simulate(&["--exec-time", "t1=12ms"]))
            .1
            .replace("two-tasks:", "untimed:")
    );
    let words = simulate(&["--scheduler", "lifo"]);
    assert_eq!(folder.run(&words).status.code(), Some(2));
}
