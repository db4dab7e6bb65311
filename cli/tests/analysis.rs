//! `giornata analyze` as a shell sees it.

mod folder;

use folder::Folder;

/// Control every 20 ms, navigation every 10 ms.
const CONTROLLER: &str = "\
sensor f64 position uses read_position;
actuator f64 servo uses write_servo;
output f64 state := zero_state; f64 command := zero_command;
task t1(f64 s) output (command) state () { schedule control(s, command) }
task t2(f64 p) output (state) state () [wcet 3ms] { schedule navigation(p, state) }
driver ds(position) output (f64 p) { if constant_true() then copy_f64(position, p) }
driver di(state) output (f64 s) { if constant_true() then copy_f64(state, s) }
driver da(command) output (f64 c) { if constant_true() then copy_f64(command, c) }
start m {
  mode m() period 20 { actfreq 1 do servo(da); taskfreq 1 do t1(di); taskfreq 2 do t2(ds); }
}
";

fn controller(test: &str, times: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("f.giotto", CONTROLLER);
    folder.write("times.toml", times);
    folder
}

#[test]
fn a_schedulable_program_is_good() {
    let folder = controller("schedulable", "t1 = \"12ms\"\n");
    let arguments = ["analyze", "f.giotto", "--wcet", "times.toml"];
    let (code, out, err) = folder.outcome(&arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn a_program_that_is_not_comes_with_a_timeline() {
    let folder = controller("late", "t1 = \"15ms\"\n");
    let arguments = [
        "analyze",
        "f.giotto",
        "--wcet",
        "times.toml",
        "--strategy",
        "rm",
    ];
    let (code, out, err) = folder.outcome(&arguments);
    assert_eq!((code, err.as_str()), (1, ""));
    insta::assert_snapshot!(out);
    let (code, json) = folder.json(&[arguments.as_slice(), &["--json"]].concat());
    assert_eq!((code, &json["late"]["task"]), (1, &"t1".into()));
    assert_eq!(json["late"]["left_ns"], 1_000_000);
}

#[test]
fn a_task_without_a_time_is_bad_input() {
    let folder = controller("timeless", "");
    let (code, out, err) = folder.outcome(&["analyze", "f.giotto"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("no worst-case time is known of t1"), "{err}");
    assert!(err.contains("--wcet FILE"), "{err}");
}

#[test]
fn a_file_of_times_is_read_with_care() {
    for (times, complaint) in [
        (
            "t1 = \"1ms\"\nt3 = \"1ms\"\n",
            "line 2: the program has no task `t3`",
        ),
        ("\nt1 = 5\n", "line 2: `t1` is no time"),
        ("t1 = \"1ms\"\nt2 =\n", "line 2"),
    ] {
        let folder = controller("times", times);
        let arguments = ["analyze", "f.giotto", "--wcet", "times.toml", "--json"];
        let (code, json) = folder.json(&arguments);
        let message = json["diagnostics"][0]["message"].as_str().unwrap();
        assert!(code == 2 && message.contains(complaint), "{message}");
    }
    let folder = controller("no-times", "");
    let (code, _, err) = folder.outcome(&["analyze", "f.giotto", "--wcet", "none.toml"]);
    assert!(
        code == 2 && err.contains("none.toml cannot be read"),
        "{err}"
    );
}
