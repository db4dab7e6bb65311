//! The commands that reach a running machine, against the real server over a
//! TCP socket and a kernel that only remembers.

#[path = "../folder/mod.rs"]
mod folder;
mod machine;

use folder::Folder;
use giornata_link::Key;
use machine::Machine;
use serde_json::json;

const FLIGHT: &str = "\
sensor f64 position uses read_position;
actuator f64 servo uses write_servo;
output f64 state := zero; f64 command := zero;
task control(f64 x) output (command) state () [wcet 2ms] { schedule steer(x, command) }
task navigate(f64 x) output (state) state () [wcet 1ms] { schedule look(x, state) }
driver sense(position) output (f64 x) { if constant_true() then copy_f64(position, x) }
driver feed(state) output (f64 x) { if constant_true() then copy_f64(state, x) }
driver show(command) output (f64 x) { if constant_true() then copy_f64(command, x) }
start m { mode m() period 20 { actfreq 1 do servo(show); taskfreq 1 do control(feed); taskfreq 2 do navigate(sense); } }
";

fn flight(rate: u32) -> String {
    FLIGHT.replace("period 20", &format!("period {rate}"))
}

/// A folder with the program at two rates.
fn hangar(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("flight.giotto", flight(20));
    folder.write("faster.giotto", flight(10));
    assert_eq!(
        folder.run(&["compile", "flight.giotto"]).status.code(),
        Some(0)
    );
    assert_eq!(
        folder.run(&["compile", "faster.giotto"]).status.code(),
        Some(0)
    );
    folder
}

fn tag(folder: &Folder, file: &str) -> String {
    let bytes = std::fs::read(folder.0.join(file)).unwrap();
    let crc = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    format!("{crc:08x}")
}

#[test]
fn a_program_is_loaded_switched_and_unloaded() {
    let folder = hangar("remote-load");
    let machine = Machine::start(&folder, None);
    let link = machine.link();
    let link = link.as_str();
    let (old, new) = (tag(&folder, "flight.gmod"), tag(&folder, "faster.gmod"));
    let (code, status) = folder.json(&["status", "--json", "--link", link]);
    let program = |module: &str, changes: u32, loaded: bool, held: Option<&str>| {
        json!({"name": "flight", "loaded": loaded, "pending": false, "module": module,
               "changes": changes, "held": held, "room": 8192})
    };
    assert_eq!(code, 0);
    assert_eq!(status["programs"], json!([program(&old, 0, true, None)]));
    let load = [
        "load",
        "faster.giotto",
        "--program",
        "flight",
        "--carry-over",
        "--link",
        link,
    ];
    let (code, out, err) = folder.outcome(&load);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains(&new) && out.ends_with("runs, change 1\n"),
        "{out}"
    );
    let hold = [
        "load",
        "flight.gmod",
        "--program",
        "flight",
        "--hold",
        "--link",
        link,
    ];
    assert_eq!(folder.outcome(&hold).0, 0);
    let (_, status) = folder.json(&["status", "--json", "--link", link]);
    assert_eq!(
        status["programs"],
        json!([program(&new, 1, true, Some(&old))])
    );
    let (code, out, _) = folder.outcome(&["switch", "flight", "--link", link]);
    assert_eq!(
        (code, out),
        (0, format!("flight: module {old} runs, change 2\n"))
    );
    let (code, out, _) = folder.outcome(&["unload", "flight", "--link", link]);
    assert_eq!((code, out.as_str()), (0, "flight: empty, change 3\n"));
    let (code, json) = folder.json(&["switch", "flight", "--json", "--link", link]);
    assert_eq!((code, &json["refusal"]), (1, &json!("nothing-held")));
    let (_, out, _) = folder.outcome(&["status", "--link", link]);
    assert!(out.contains("empty"), "{out}");
}

#[test]
fn a_patch_is_one_of_what_runs() {
    let folder = hangar("remote-patch");
    let machine = Machine::start(&folder, None);
    let link = machine.link();
    let patch = [
        "patch",
        "faster.gmod",
        "--base",
        "flight.gmod",
        "--program",
        "flight",
        "--link",
        &link,
    ];
    let (code, out, err) = folder.outcome(&patch);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains(&tag(&folder, "faster.gmod")), "{out}");
    // Now another one runs.
    let (code, _, err) = folder.outcome(&patch);
    assert_eq!(code, 1);
    assert!(
        err.contains("the patch is one of module") && err.contains("make it anew"),
        "{err}"
    );
}

#[test]
fn refusals_of_the_machine_are_diagnostics_with_a_mend() {
    let folder = hangar("remote-refuse");
    let machine = Machine::start(&folder, None);
    let link = machine.link();
    folder.write("other.giotto", FLIGHT.replace("position", "height"));
    let load = [
        "load",
        "other.giotto",
        "--program",
        "flight",
        "--json",
        "--link",
        &link,
    ];
    let (code, json) = folder.json(&load);
    assert_eq!((code, &json["refusal"]), (1, &json!("unfit")));
    let diagnostic = &json["diagnostics"][0];
    assert!(
        diagnostic["message"]
            .as_str()
            .unwrap()
            .contains("no port `height`"),
        "{json:#}"
    );
    assert!(
        diagnostic["help"]
            .as_str()
            .unwrap()
            .contains("declare it there"),
        "{json:#}"
    );
    let (code, _, err) = folder.outcome(&["unload", "fright", "--link", &link]);
    assert_eq!(code, 1);
    assert!(err.contains("no program `fright`"), "{err}");
    assert_eq!(machine.changes(), 0);
}

#[test]
fn a_change_that_does_not_happen_is_waited_for_and_withdrawn() {
    let folder = hangar("remote-pending");
    let machine = Machine::start(&folder, None);
    machine.stall();
    let link = machine.link();
    let load = [
        "load",
        "faster.gmod",
        "--program",
        "flight",
        "--timeout",
        "200ms",
        "--link",
        &link,
    ];
    let (code, _, err) = folder.outcome(&load);
    assert_eq!(code, 1);
    assert!(
        err.contains("has not happened in time") && err.contains("--withdraw"),
        "{err}"
    );
    let (_, out, _) = folder.outcome(&["status", "--link", &link]);
    assert!(out.contains("a change is asked for"), "{out}");
    let (code, out, _) = folder.outcome(&["switch", "flight", "--withdraw", "--link", &link]);
    assert_eq!((code, out.as_str()), (0, "flight: withdrawn\n"));
    assert_eq!(machine.changes(), 0);
}

#[test]
fn a_machine_with_a_key_obeys_who_has_it() {
    let folder = hangar("remote-key");
    let (code, made) = folder.json(&["key", "pilot.key", "--json"]);
    assert_eq!(code, 0);
    assert_eq!(
        folder.run(&["key", "pilot.key"]).status.code(),
        Some(2),
        "it is there already"
    );
    let key = Key::read(&std::fs::read_to_string(folder.0.join("pilot.key")).unwrap()).unwrap();
    assert_eq!(made["public"], json!(key.public()));
    let machine = Machine::start(&folder, Some(key.public()));
    folder.run(&["key", "thief.key"]);
    let link = machine.link();
    let load = |key: &[&str]| {
        let base = [
            "load",
            "faster.gmod",
            "--program",
            "flight",
            "--link",
            &link,
        ];
        folder.outcome(&[&base, key].concat())
    };
    for key in [&[][..], &["--key", "thief.key"]] {
        let (code, _, err) = load(key);
        assert_eq!(code, 1);
        assert!(err.contains("signature"), "{err}");
    }
    assert_eq!(folder.outcome(&["shutdown", "--link", &link]).0, 1);
    assert_eq!(machine.changes(), 0);
    assert_eq!(load(&["--key", "pilot.key"]).0, 0);
    assert_eq!(machine.changes(), 1);
    assert_eq!(load(&["--key", "flight.gmod"]).0, 2);
    let (code, _, err) =
        folder.outcome(&["unload", "flight", "--key", "pilot.key", "--link", &link]);
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn without_a_machine_there_is_bad_input_with_a_mend() {
    let folder = hangar("remote-nobody");
    let nobody = Machine::nobody();
    let (code, _, err) = folder.outcome(&["status", "--link", &nobody]);
    assert_eq!(code, 2);
    assert!(
        err.contains("there is no line to") && err.contains("start the machine"),
        "{err}"
    );
    let (code, _, err) = folder.outcome(&["status", "--link", "udp:here"]);
    assert_eq!(code, 2);
    assert!(err.contains("tcp:HOST:PORT"), "{err}");
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let link = format!("tcp:{}", silent.local_addr().unwrap());
    let (code, _, err) = folder.outcome(&["status", "--timeout", "100ms", "--link", &link]);
    assert_eq!(code, 2);
    assert!(err.contains("does not answer"), "{err}");
}

/// A system of the program and another one.
fn system(folder: &Folder, other: &str) {
    let other = format!(
        "output f64 o := zero;\ntask log() output (o) state () [wcet {other}] {{ schedule log(o) }}\n\
         driver none() output () {{ if constant_true() then nothing() }}\n\
         start m {{ mode m() period 40 {{ taskfreq 1 do log(none); }} }}\n"
    );
    folder.write("other.giotto", other);
    folder.write(
        "system.toml",
        "name = \"s\"\nboard = \"qemu-virt64\"\n\
         [program.flight]\nsource = \"flight.giotto\"\n[program.other]\nsource = \"other.giotto\"\n\
         [process.all]\ncrate = \"all\"\n\
         tasks = { steer = { budget = \"2ms\" }, look = { budget = \"1ms\" }, log = { budget = \"20ms\" } }\n\
         drivers = { read_position = { budget = \"20us\" }, write_servo = { budget = \"20us\" }, zero = { budget = \"20us\" } }\n",
    );
}

#[test]
fn a_module_is_checked_with_what_runs_before_it_is_sent() {
    let folder = hangar("remote-check");
    let machine = Machine::start(&folder, None);
    let link = machine.link();
    let load = |file: &str| {
        folder.json(&[
            "load",
            file,
            "--program",
            "flight",
            "--check",
            "system.toml",
            "--json",
            "--link",
            &link,
        ])
    };
    // 5 ms in 20, of 40: with 25 more in 40 it fits at that rate, not at 4 ms in 10.
    system(&folder, "25ms");
    let (code, json) = load("flight.gmod");
    assert_eq!(
        (code, &json["certificate"]),
        (0, &json!("schedulable")),
        "{json:#}"
    );
    let (code, json) = load("faster.gmod");
    assert_eq!(
        (code, &json["certificate"]),
        (1, &json!("not schedulable")),
        "{json:#}"
    );
    assert_eq!(machine.changes(), 1);
    system(&folder, "20ms");
    assert_eq!(load("faster.gmod").0, 0);
    folder.write("fastest.giotto", flight(3));
    let (code, json) = load("fastest.giotto");
    assert_eq!(code, 1);
    let message = json["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("alone is not schedulable"), "{message}");
    // S code beside another program: nothing is promised
    let scheduled = [
        "schedule",
        "flight.giotto",
        "--strategy",
        "edf",
        "-o",
        "s.gmod",
    ];
    assert_eq!(folder.run(&scheduled).status.code(), Some(0));
    let (code, json) = load("s.gmod");
    assert_eq!(
        (code, &json["certificate"]),
        (3, &json!("unknown")),
        "{json:#}"
    );
    assert_eq!(machine.changes(), 2);
}

#[test]
fn the_trace_is_printed_recorded_and_summed_up() {
    let folder = hangar("remote-trace");
    let machine = Machine::start(&folder, None);
    let link = machine.link();
    system(&folder, "5ms");
    let (code, out, err) =
        folder.outcome(&["trace", "system.toml", "--for", "300ms", "--link", &link]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        !out.ends_with("\n0 records\n") && out.ends_with(" records\n"),
        "{out}"
    );
    let record = [
        "trace",
        "system.toml",
        "--for",
        "300ms",
        "-o",
        "flight.trace",
        "--json",
        "--link",
        &link,
    ];
    let (code, json) = folder.json(&record);
    assert_eq!(code, 0);
    let file = std::fs::read(folder.0.join("flight.trace")).unwrap();
    let recording = giornata_trace::Recording::read(&file).unwrap();
    // the first record says when the others are
    assert_eq!(json["records"], json!(recording.events.len() + 1));
    assert!(recording.events.len() > 10 && recording.damage.lost == 0);
    let (code, json) = folder.json(&["top", "system.toml", "--json", "--link", &link]);
    assert_eq!(code, 0);
    assert!(json["releases"].as_u64().unwrap() > 0, "{json:#}");
    let (code, out, _) = folder.outcome(&["top", "system.toml", "--once", "--link", &link]);
    assert_eq!(code, 0);
    assert!(
        out.contains("released") && out.contains("navigate"),
        "{out}"
    );
}

#[test]
fn a_server_that_may_not_see_the_records_says_what_to_grant() {
    let folder = hangar("remote-tasks");
    let machine = Machine::start(&folder, None);
    system(&folder, "5ms");
    let (code, out, err) = folder.outcome(&["tasks", "system.toml", "--link", &machine.link()]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("this server may not read the") && err.contains("`inspect = true`"),
        "{err}"
    );
}

#[test]
fn records_of_another_build_are_no_table() {
    let folder = hangar("remote-other-build");
    let machine = Machine::start_with_records(&folder);
    system(&folder, "5ms");
    let tasks = ["tasks", "system.toml", "--json", "--link", &machine.link()];
    let (code, json) = folder.json(&tasks);
    assert_eq!(code, 2);
    let code = &json["diagnostics"][0]["code"];
    assert_eq!(code, "giornata::other-build", "{json}");
}
