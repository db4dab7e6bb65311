//! Psi programs as a shell sees them, and systems of them on the virtual clock.

mod folder;

use folder::Folder;

/// Fig. 3 (a) of the Psigma paper. The times are such that at 2 ms the job f2 runs, which
/// g2 preempts, as in Fig. 3 (b).
const FIGURE: &str = "\
task T1
{
  f1() [wcet 500us];   advance(1);
  f2() [wcet 1200us];  advance(3);
  f3() [wcet 600us];   advance(2);
}
task T2
{
  g1() [wcet 700us];   advance(2);
  g2() [wcet 500us];   advance(1);
}
";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("figure3.psi", FIGURE);
    folder
}

/// The windows are those of the figure, [0,1] [1,4] [4,6] and [0,2] [2,3] [3,5] [5,6], and
/// so is the order in which earliest deadline first runs the jobs.
#[test]
fn figure_3_is_drawn_as_in_the_paper() {
    let (code, out, err) = folder("figure").outcome(&["simulate", "figure3.psi"]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
    let (code, told) = folder("figure").json(&["simulate", "figure3.psi", "--json"]);
    assert_eq!((code, &told["hyperperiod_ns"]), (0, &6_000_000.into()));
}

#[test]
fn a_program_is_checked_compiled_listed_analysed_and_scheduled() {
    let folder = folder("commands");
    for words in [
        vec!["check", "figure3.psi"],
        vec!["compile", "figure3.psi"],
        vec!["check", "figure3.gmod"],
        vec!["disasm", "figure3.psi"],
        vec!["analyze", "figure3.psi"],
        vec!["schedule", "figure3.psi", "--strategy", "edf"],
        vec!["simulate", "figure3.scheduled.gmod"],
    ] {
        let (code, out, err) = folder.outcome(&words);
        assert_eq!((code, err.as_str()), (0, ""), "{words:?}: {out}");
    }
}

#[test]
fn a_window_that_is_too_narrow_is_no_sound_program() {
    let folder = folder("narrow");
    folder.write("narrow.psi", "task t { f() [wcet 2ms]; advance(1 ms); }");
    let (code, _, err) = folder.outcome(&["check", "narrow.psi"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("psi::wcet-beyond-window"), "{err}");
}

#[test]
fn a_job_without_a_worst_case_is_pointed_at() {
    let folder = folder("untimed");
    folder.write(
        "untimed.psi",
        "task t { of(); advance(1 ms);\n f(); advance(1 ms); }",
    );
    let times = "t.of=1us";
    let (code, _, err) = folder.outcome(&["simulate", "untimed.psi", "--exec-time", times]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("`[wcet 1ms]` behind job `f`"), "{err}");
    assert!(err.contains("untimed.psi:2:2"), "{err}");
}

/// Each job that runs longer is stopped at its budget: 400 us of load in 1 ms, no miss.
#[test]
fn a_job_beyond_its_budget_is_stopped_and_reported() {
    let folder = folder("budget");
    let text = "task t { f() [wcet 300us, budget 400us]; advance(1 ms); }";
    folder.write("budget.psi", text);
    let (code, out, _) = folder.outcome(&["simulate", "budget.psi", "--for", "10ms"]);
    assert_eq!(code, 0, "{out}");
    let words = [
        "simulate",
        "budget.psi",
        "--for",
        "10ms",
        "--exec-time",
        "t.f=2ms",
    ];
    let (code, out, _) = folder.outcome(&words);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("missed 0 | violations 10 | load 40.00 %"),
        "{out}"
    );
}

/// A job that is late is reported at its deadline, and what it computes is not published.
#[test]
fn a_deadline_that_is_missed_is_reported() {
    let folder = folder("late");
    let text = "task t { export u32 v; f() -> v; advance(1 ms); g(); advance(1 ms); }";
    folder.write("late.psi", text);
    let words = [
        "simulate",
        "late.psi",
        "--for",
        "2ms",
        "--exec-time",
        "t.f=1100us,t.g=100us",
    ];
    let (code, out, _) = folder.outcome(&words);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("missed: task t.f, job 1, deadline 1.000 ms"),
        "{out}"
    );
    assert!(
        out.contains("violation time-safety: task t.f, driver t.f.outputs"),
        "{out}"
    );
}

/// A system whose program is Psi. The system file's budget goes before the program's.
#[test]
fn a_system_takes_a_program_of_windows_and_its_budgets() {
    let folder = folder("system");
    let text = "task t { f() [wcet 100us, budget 200us]; advance(1 ms);
                         g() [wcet 100us, budget 200us]; advance(1 ms); }";
    folder.write("walk.psi", text);
    folder.write(
        "system.toml",
        "format = 1
name = \"walk\"
board = \"qemu-virt64\"

[program.walk]
source = \"walk.psi\"

[process.walk]
crate = \".\"
tasks = { f = {}, g = { budget = \"500us\" } }
",
    );
    let (code, _, err) = folder.outcome(&["check", "system.toml"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let times = ["--exec-time", "t.f=2ms,t.g=300us", "--for", "10ms"];
    let words = [&["simulate", "system.toml"], &times[..]].concat();
    let (code, out, _) = folder.outcome(&words);
    assert_eq!(code, 1, "{out}");
    // (five jobs of f are stopped after 200 us, and five of g need 300)
    assert!(
        out.contains("missed 0 | violations 5 | load 25.00 %"),
        "{out}"
    );
}

/// The timer of the board ticks every 100 ns.
#[test]
fn a_window_shorter_than_a_tick_of_the_board_is_refused() {
    let folder = folder("tick");
    folder.write(
        "fast.psi",
        "task t {\n f() [wcet 1ns]; advance(99 ns);\n advance(100 ns); }",
    );
    folder.write(
        "system.toml",
        "name = \"fast\"\nboard = \"qemu-virt64\"
[program.fast]
source = \"fast.psi\"
[process.fast]
crate = \".\"
tasks = { f = {} }
",
    );
    let (code, _, err) = folder.outcome(&["check", "system.toml"]);
    let flat = err.replace("\n  │ ", " ");
    let told = "fast.psi, line 2: a window of 99 ns is shorter than a tick of qemu-virt64, 100 ns";
    assert!(code == 2 && flat.contains(told), "{code}: {err}");
    let (code, _, err) = folder.outcome(&["simulate", "fast.psi", "--for", "1us"]);
    assert_eq!(
        (code, err.as_str()),
        (0, ""),
        "alone it has a timer of 1 GHz"
    );
}
