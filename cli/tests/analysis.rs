//! `giornata analyze` and `giornata schedule` as a shell sees them.

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

#[test]
fn a_schedule_travels_with_its_module() {
    let folder = controller("schedule", "t1 = \"12ms\"\n");
    let times = ["--wcet", "times.toml"];
    let schedule = ["schedule", "f.giotto", "--strategy", "edf", "--listing"];
    let (code, out, err) = folder.outcome(&[schedule.as_slice(), &times].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
    let module = "f.scheduled.gmod";
    assert_eq!(folder.run(&["check", module]).status.code(), Some(0));
    let analyze = ["analyze", module];
    let (code, out, _) = folder.outcome(&[analyze.as_slice(), &times].concat());
    assert!(
        code == 0 && out.contains("its preemptive S code keeps it time-safe"),
        "{out}"
    );
    // the same code with longer jobs
    folder.write("times.toml", "t1 = \"15ms\"\n");
    let (code, out, _) = folder.outcome(&[analyze.as_slice(), &times].concat());
    assert!(
        code == 1 && out.contains("does not keep it time-safe"),
        "{out}"
    );
    assert!(
        out.contains("t1 (job 1), released at 0 ms, has not completed"),
        "{out}"
    );
}

#[test]
fn a_schedule_that_does_not_exist_is_shown_to_fail() {
    let folder = controller("infeasible", "t1 = \"12ms\"\n");
    let strategy = ["--strategy", "synchronous", "--wcet", "times.toml"];
    let arguments = [["schedule", "f.giotto"].as_slice(), &strategy].concat();
    let (code, out, _) = folder.outcome(&arguments);
    assert_eq!(code, 1);
    insta::assert_snapshot!(out);
    let (code, json) = folder.json(&[arguments.as_slice(), &["--json"]].concat());
    assert_eq!((code, &json["feasibility"]), (1, &"infeasible".into()));
    assert!(!folder.0.join("f.scheduled.gmod").exists());
}

#[test]
fn a_module_is_scheduled_once_and_completed_where_it_has_code() {
    let folder = controller("complete", "t1 = \"12ms\"\n");
    let strategy = ["--strategy", "rm", "--wcet", "times.toml"];
    let schedule = |file, output| {
        let arguments = ["schedule", file, "-o", output];
        folder.outcome(&[arguments.as_slice(), &strategy].concat())
    };
    assert_eq!(schedule("f.giotto", "once.gmod").0, 0);
    let (code, _, err) = schedule("once.gmod", "twice.gmod");
    assert!(code == 2 && err.contains("carries S code already"), "{err}");
    let complete = [
        "schedule",
        "--complete",
        "--wcet",
        "times.toml",
        "-o",
        "all.gmod",
    ];
    let (code, out, _) = folder.outcome(&[complete.as_slice(), &["once.gmod"]].concat());
    assert!(code == 0 && out.contains("dispatches every task"), "{out}");
    let (code, _, err) = folder.outcome(&[complete.as_slice(), &["f.giotto"]].concat());
    assert!(
        code == 2 && err.contains("carries no S code to be completed"),
        "{err}"
    );
}

#[test]
fn a_system_is_analysed_as_one_by_its_budgets_and_schedules() {
    let folder = Folder::new("whole-system");
    let program = |task: &str, wcet: &str| {
        format!(
            "output u32 o := init;\n\
             task {task}() output (o) state () [wcet {wcet}] {{ schedule {task}_task(o) }}\n\
             driver none() output () {{ if true() then dummy() }}\n\
             start m {{ mode m() period 20 {{ taskfreq 2 do {task}(none); }} }}\n"
        )
    };
    folder.write("a.giotto", program("a", "1ms"));
    folder.write("b.giotto", program("b", "4ms"));
    let system = |schedules: [&str; 2], budget: &str| {
        format!(
            "name = \"s\"\nboard = \"qemu-virt64\"\n\
             [program.a]\nsource = \"a.giotto\"\nschedule = \"{}\"\n\
             [program.b]\nsource = \"b.giotto\"\nschedule = \"{}\"\n\
             [process.p]\ncrate = \"p\"\n\
             tasks = {{ a_task = {{ budget = \"{budget}\" }}, b_task = {{}} }}\n\
             drivers = {{ init = {{ budget = \"10us\" }} }}\n",
            schedules[0], schedules[1]
        )
    };
    folder.write("system.toml", system(["edf", "edf"], "2ms"));
    let (code, out, err) = folder.outcome(&["analyze", "system.toml"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("system.toml under edf: schedulable"), "{out}");
    assert!(out.contains("utilisation 60.0 %"), "{out}");
    folder.write("system.toml", system(["rm", "rm"], "7ms"));
    let (code, out, _) = folder.outcome(&["analyze", "system.toml"]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("system.toml under rm: not schedulable"),
        "{out}"
    );
    folder.write("system.toml", system(["edf", "rm"], "2ms"));
    let (code, _, err) = folder.outcome(&["analyze", "system.toml"]);
    assert_eq!(code, 3);
    assert!(err.contains("schedules of several kinds"), "{err}");
    let (code, _, _) = folder.outcome(&["analyze", "system.toml", "--strategy", "edf"]);
    assert_eq!(code, 0);
}
