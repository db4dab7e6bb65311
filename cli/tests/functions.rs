//! `giornata simulate --functions` and `giornata compare`: the values of a run, whatever
//! its functions took.

mod folder;

use folder::Folder;

#[test]
fn values_do_not_depend_on_execution_times_and_are_those_of_the_functions() {
    let folder = Folder::new("functions");
    let system = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/flight-control/system.toml"
    );
    let simulate = |times: &str, trace: &str, rest: &[&str]| {
        let words = [
            "simulate",
            system,
            "--for",
            "300ms",
            "--exec-time",
            times,
            "--record",
            trace,
        ];
        let (code, _, err) = folder.outcome(&[&words, rest].concat());
        assert_eq!(code, 0, "{err}");
    };
    simulate("worst", "slow.trace", &["--functions"]);
    simulate("uniform", "fast.trace", &["--functions", "--seed", "3"]);
    let (code, out, err) = folder.outcome(&["compare", "slow.trace", "fast.trace"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with("the same: ") && out.contains(" up to 300 ms"),
        "{out}"
    );
    // nor on how many harts they run
    let harts = ["--functions", "--harts", "3", "--seed", "3"];
    simulate("uniform", "several.trace", &harts);
    let (code, out, err) = folder.outcome(&["compare", "slow.trace", "several.trace"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    // without the functions nothing is computed
    simulate("worst", "idle.trace", &[]);
    let (code, out, _) = folder.outcome(&["compare", "slow.trace", "idle.trace"]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("they differ after") && out.contains("idle.trace: "),
        "{out}"
    );
    let (code, json) = folder.json(&["compare", "slow.trace", "idle.trace", "--json"]);
    assert_eq!(
        (code, json["difference"].as_array().map(Vec::len)),
        (1, Some(2))
    );
}

#[test]
fn a_program_alone_has_no_functions() {
    let folder = Folder::new("no-functions");
    folder.write("f.giotto", "start idle { mode idle() period 20 { } }");
    let (code, _, err) = folder.outcome(&["simulate", "f.giotto", "--functions"]);
    assert_eq!(code, 2);
    assert!(err.contains("simulate a system file"), "{err}");
    folder.write("f.trace", "no trace at all");
    let (code, _, err) = folder.outcome(&["compare", "f.trace", "none.trace"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("f.trace is no recorded run") && err.contains("none.trace"),
        "{err}"
    );
}
