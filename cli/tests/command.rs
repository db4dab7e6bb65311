//! The command as a shell sees it: what it writes, and how it exits.

mod folder;

use std::fs;

use folder::Folder;

const GOOD: &str = "\
actuator f64 servo uses put;
output f64 cmd := zero;
task control() output (cmd) state () { schedule work(cmd) }
driver none() output () { if true() then dummy() }
driver act(cmd) output (f64 v) { if true() then copy(cmd, v) }
start hover { mode hover() period 20 { actfreq 1 do servo(act); taskfreq 2 do control(none); } }
";

#[test]
fn a_good_program_is_ok() {
    let folder = Folder::new("good");
    folder.write("f.giotto", GOOD);
    assert_eq!(
        folder.outcome(&["check", "f.giotto"]),
        (0, "f.giotto: ok\n".into(), String::new())
    );
}

#[test]
fn a_bad_program_is_bad_input_with_line_reason_and_mend() {
    let folder = Folder::new("bad");
    folder.write("f.giotto", GOOD.replace("servo(act)", "server(act)"));
    let (code, out, err) = folder.outcome(&["check", "f.giotto"]);
    assert_eq!((code, out.as_str()), (2, ""));
    insta::assert_snapshot!(err);
    assert_eq!(folder.run(&["compile", "f.giotto"]).status.code(), Some(2));
    assert_eq!(folder.run(&["disasm", "f.giotto"]).status.code(), Some(2));
    assert!(
        !folder.0.join("f.gmod").exists(),
        "nothing is written for a bad program"
    );
}

#[test]
fn json_names_file_line_and_column() {
    let folder = Folder::new("json");
    folder.write("f.giotto", GOOD.replace("servo(act)", "server(act)"));
    let (code, json) = folder.json(&["check", "--json", "f.giotto"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(format!("{json:#}"));
}

#[test]
fn a_compiled_module_passes_the_check_and_lists_like_its_source() {
    let folder = Folder::new("compile");
    folder.write("f.giotto", GOOD);
    let (code, out, _) = folder.outcome(&["compile", "f.giotto"]);
    let size = fs::metadata(folder.0.join("f.gmod")).unwrap().len();
    assert_eq!((code, out), (0, format!("f.gmod: {size} bytes\n")));
    assert_eq!(folder.run(&["check", "f.gmod"]).status.code(), Some(0));
    let listing = folder.outcome(&["disasm", "f.gmod"]);
    assert_eq!(listing, folder.outcome(&["disasm", "f.giotto"]));
    insta::assert_snapshot!(listing.1);
}

#[test]
fn the_module_goes_where_it_is_told() {
    let folder = Folder::new("output");
    folder.write("f.giotto", GOOD);
    let (code, json) = folder.json(&[
        "compile", "f.giotto", "--json", "-o", "x.gmod", "--name", "x",
    ]);
    assert_eq!(
        (code, &json["module"]["name"], &json["output"]),
        (0, &"x".into(), &"x.gmod".into())
    );
    let bytes = folder
        .run(&["compile", "f.giotto", "-o", "-", "--name", "x"])
        .stdout;
    assert_eq!(bytes, fs::read(folder.0.join("x.gmod")).unwrap());
    assert_eq!(
        folder.json(&["compile", "f.giotto", "--json", "-o", "-"]).0,
        2
    );
    assert_eq!(
        folder
            .run(&["compile", "f.giotto", "-o", "no/such/place"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn handlers_are_compiled_in() {
    let folder = Folder::new("handlers");
    folder.write("f.giotto", GOOD);
    folder.run(&["compile", "f.giotto", "--handler", "overrun=shed_load"]);
    let (_, listing, _) = folder.outcome(&["disasm", "f.gmod"]);
    assert!(
        listing.contains("handler of overrun") && listing.contains("shed_load"),
        "{listing}"
    );
    assert_eq!(
        folder
            .run(&["compile", "f.giotto", "--handler", "overload=f"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_module_that_no_kernel_loads_is_a_negative_verdict() {
    use giornata_abi::module::ModuleWriter;
    let folder = Folder::new("refused");
    folder.write("empty.gmod", ModuleWriter::new("empty", "").finish());
    let (code, _, err) = folder.outcome(&["check", "empty.gmod"]);
    assert_eq!(code, 1);
    assert!(err.contains("giornata::refused"), "{err}");
}

#[test]
fn every_unusable_file_is_bad_input_with_a_mend() {
    let folder = Folder::new("unusable");
    folder.write("f.giotto", GOOD);
    folder.run(&["compile", "f.giotto"]);
    let module = fs::read(folder.0.join("f.gmod")).unwrap();
    let mut damaged = module.clone();
    damaged[100] ^= 1;
    folder.write("damaged.gmod", &damaged);
    folder.write("cut.gmod", &module[..module.len() / 2]);
    folder.write("text.gmod", "not a module at all");
    folder.write("latin.giotto", b"sensor f64 a uses b;\n// \xe4\n");
    folder.write("picture.png", b"\x89PNG");
    folder.write("system.toml", "name = ");
    let cases = [
        ("check", "nowhere.giotto", "there is no file"),
        ("check", ".", "is a folder"),
        ("check", "damaged.gmod", "checksum"),
        ("disasm", "cut.gmod", "ends before"),
        ("disasm", "text.gmod", "GMOD"),
        ("check", "latin.giotto", "in line 2"),
        ("check", "picture.png", "neither a program"),
        ("compile", "f.gmod", "is not a program"),
        ("disasm", "system.toml", "no microcode of its own"),
        ("check", "system.toml", "system.toml"),
    ];
    for (command, file, reason) in cases {
        let (code, _, err) = folder.outcome(&[command, file]);
        let flat = err.replace("\n  │ ", " ");
        assert!(
            code == 2 && flat.contains(reason),
            "{command} {file}: {code} {err}"
        );
        let (code, json) = folder.json(&[command, file, "--json"]);
        assert_eq!((code, &json["verdict"]), (2, &"bad input".into()));
        assert!(!json["diagnostics"].as_array().unwrap().is_empty());
    }
}

#[test]
fn help_shows_examples() {
    let folder = Folder::new("help");
    for command in ["check", "compile", "disasm", "simulate"] {
        let (code, out, _) = folder.outcome(&[command, "--help"]);
        assert!(code == 0 && out.contains("Examples:"), "{out}");
    }
    assert!(folder.outcome(&["--help"]).1.contains("Exit codes: 0 good"));
    assert_eq!(folder.run(&["fly"]).status.code(), Some(2));
}

#[test]
fn the_reference_that_is_written_is_the_page() {
    let folder = Folder::new("reference");
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs");
    for (arguments, page) in [
        (&["schema", "--markdown"][..], "system-file.md"),
        (&["schema", "--markdown", "--board"], "board-file.md"),
    ] {
        let page = fs::read_to_string(format!("{docs}/{page}")).unwrap();
        assert_eq!(folder.outcome(arguments), (0, page, String::new()));
    }
}

#[test]
fn a_worst_case_beyond_the_period_does_not_pass_the_check() {
    let folder = Folder::new("beyond");
    let slow = GOOD.replace("state ()", "state () [wcet 11ms]");
    folder.write("f.giotto", &slow);
    let (code, out, err) = folder.outcome(&["check", "f.giotto"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("takes up to 11 ms, and is due after 10 ms"),
        "{err}"
    );
    // the analysis shows the job that is late
    assert_eq!(folder.run(&["analyze", "f.giotto"]).status.code(), Some(1));
    folder.write("f.giotto", slow.replace("11ms", "10ms"));
    assert_eq!(folder.run(&["check", "f.giotto"]).status.code(), Some(0));
}

#[test]
fn an_error_in_a_line_of_any_length_has_a_file_a_line_and_a_place() {
    let folder = Folder::new("long");
    let wide = "/*".to_owned() + &"x".repeat(70_000) + "*/ ";
    let bad = GOOD.replace("actfreq", &wide).replace("start", "\nstart");
    folder.write("f.giotto", bad);
    let (code, _, err) = folder.outcome(&["check", "f.giotto"]);
    assert_eq!(code, 2);
    assert!(err.contains("[f.giotto:7:"), "{err}");
    assert!(
        err.contains("1 do servo(act)") && err.len() < 10_000,
        "{err}"
    );
    let (_, json) = folder.json(&["check", "--json", "f.giotto"]);
    let place = &json["diagnostics"][0]["place"];
    assert_eq!(
        (&place["line"], &place["column"]),
        (&7.into(), &70_046.into())
    );
}

#[test]
fn a_system_file_of_quotes_is_refused_in_few_lines() {
    let folder = Folder::new("quotes");
    for text in ["\"".repeat(200_000), "\"\n".repeat(200_000)] {
        folder.write("system.toml", text);
        let (code, _, err) = folder.outcome(&["check", "system.toml"]);
        assert_eq!(code, 2);
        assert!(
            err.contains("not TOML") && err.contains("system.toml:1:"),
            "{err:.500}"
        );
        assert!(err.lines().count() < 200, "{}", err.lines().count());
    }
}

#[test]
fn a_system_file_that_is_not_utf_8_names_its_line() {
    let folder = Folder::new("latin");
    folder.write(
        "system.toml",
        b"name = \"a\"\n# f\xfcr den Regler\nboard = \"b\"\n",
    );
    let (code, _, err) = folder.outcome(&["check", "system.toml"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("line 2, column 4") && err.contains("[system.toml:2:"),
        "{err}"
    );
}

#[test]
fn a_module_that_is_refused_is_named() {
    let folder = Folder::new("refused-module");
    folder.write("f.giotto", GOOD);
    folder.run(&["compile", "f.giotto"]);
    let mut writer = {
        let bytes = fs::read(folder.0.join("f.gmod")).unwrap();
        giornata_system::rewrite(&giornata_abi::module::Module::parse(&bytes).unwrap())
    };
    // the program leads out of its code
    writer.start = writer.instructions.len() as u16;
    folder.write("f.gmod", writer.finish());
    for command in ["check", "simulate", "analyze"] {
        let (code, _, err) = folder.outcome(&[command, "f.gmod"]);
        assert!([1, 2].contains(&code), "{command}: {code}");
        assert!(err.contains("f.gmod"), "{command}: {err}");
    }
}
