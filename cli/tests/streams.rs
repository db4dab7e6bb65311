//! `giornata check` and `giornata analyze` of stream graphs as a shell sees them.

mod folder;

use folder::Folder;

/// A picture in lines, three for the first line of edges and one for each further.
const EDGES: &str = "\
source camera;
filter laplace { run first [wcet 300us], next [wcet 100us]; in px[3, 1]; out ed; }
filter pack [wcet 250us] { in ed[2]; out byte; }
sink screen;
channel camera.out -> laplace.px : u8[640] capacity 8;
channel laplace.ed -> pack.ed : u8[640];
channel pack.byte -> screen.in : u8[80];
";

const RING: &str = "\
<sdf3 type=\"sdf\" version=\"1.0\">
  <applicationGraph name=\"ring\">
    <sdf name=\"ring\" type=\"Ring\">
      <actor name=\"a\" type=\"A\">
        <port name=\"i\" type=\"in\" rate=\"1\"/><port name=\"o\" type=\"out\" rate=\"2\"/>
      </actor>
      <actor name=\"b\" type=\"B\">
        <port name=\"i\" type=\"in\" rate=\"2\"/><port name=\"o\" type=\"out\" rate=\"1\"/>
      </actor>
      <channel name=\"there\" srcActor=\"a\" srcPort=\"o\" dstActor=\"b\" dstPort=\"i\"/>
      <channel name=\"back\" srcActor=\"b\" srcPort=\"o\" dstActor=\"a\" dstPort=\"i\" initialTokens=\"1\"/>
    </sdf>
    <sdfProperties>
      <actorProperties actor=\"a\"><processor type=\"p\"><executionTime time=\"3\"/></processor></actorProperties>
      <actorProperties actor=\"b\"><processor type=\"p\"><executionTime time=\"4\"/></processor></actorProperties>
    </sdfProperties>
  </applicationGraph>
</sdf3>
";

#[test]
fn a_live_graph_is_good_and_comes_with_all_that_is_known() {
    let folder = Folder::new("stream-good");
    folder.write("edges.sigma", EDGES);
    let checked = folder.outcome(&["check", "edges.sigma"]);
    assert_eq!(checked, (0, "edges.sigma: ok\n".into(), String::new()));
    let (code, out, err) = folder.outcome(&["analyze", "edges.sigma"]);
    assert_eq!((code, err.as_str()), (0, ""));
    insta::assert_snapshot!(out);
}

#[test]
fn a_graph_of_sdf3_is_read_and_has_no_unit_of_time() {
    let folder = Folder::new("stream-sdf3");
    folder.write("ring.xml", RING);
    assert_eq!(folder.outcome(&["check", "ring.xml"]).0, 0);
    let (code, out, err) = folder.outcome(&["analyze", "ring.xml"]);
    assert_eq!((code, err.as_str()), (0, ""));
    // one token goes round: 3 + 4
    assert!(
        out.contains("an iteration takes 7, in the least room 7\n"),
        "{out}"
    );
}

#[test]
fn json_has_everything() {
    let folder = Folder::new("stream-json");
    folder.write("edges.sigma", EDGES);
    let (code, json) = folder.json(&["analyze", "edges.sigma", "--json"]);
    assert_eq!(
        (code, &json["consistent"], &json["live"]),
        (0, &true.into(), &true.into())
    );
    let laplace = &json["filters"][1];
    assert_eq!(laplace["functions"], serde_json::json!(["first", "next"]));
    assert_eq!(laplace["wcet"], serde_json::json!([300_000, 100_000]));
    assert_eq!(
        (&laplace["cycles"], &laplace["instances"]),
        (&1.into(), &2.into())
    );
    let first = &json["channels"][0];
    assert_eq!(
        (&first["capacity"], &first["lower_bound"]),
        (&8.into(), &3.into())
    );
    // one is busy 300 + 100 us in an iteration, the other 250
    assert_eq!(json["fastest_rates"][0]["period"], "400000");
    let room = &json["counters"]["dependencies"][1];
    assert_eq!(
        (&room["waits"], &room["balance"]),
        (&"camera".into(), &7.into())
    );
    let camera = &json["counters"]["filters"][0];
    assert_eq!(camera["increments"], serde_json::json!([[[0, 1], [1, -1]]]));
    let clock = &json["clocks"][1]["entries"][0];
    assert_eq!(
        (&clock["for"], &clock["start"]),
        (&"camera".into(), &3.into())
    );
    assert_eq!(clock["increments"], serde_json::json!([1, 3]));
}

#[test]
fn a_graph_that_stops_is_bad_input_and_is_shown_as_it_stands() {
    let folder = Folder::new("stream-stops");
    folder.write("ring.xml", RING.replace("initialTokens=\"1\"", ""));
    assert_eq!(folder.outcome(&["check", "ring.xml"]).0, 2);
    let (code, out, err) = folder.outcome(&["analyze", "ring.xml"]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(out + "\n" + &err);
    let (_, json) = folder.json(&["analyze", "--json", "ring.xml"]);
    assert_eq!(
        (&json["consistent"], &json["live"]),
        (&true.into(), &false.into())
    );
    assert_eq!(json["filters"][0]["ended_when_it_stopped"], 0);
    assert_eq!(json["diagnostics"][0]["place"]["line"], 11);
}

#[test]
fn an_inconsistent_graph_is_bad_input_at_the_channel_that_breaks_it() {
    let folder = Folder::new("stream-rates");
    folder.write("edges.sigma", EDGES.to_owned() + "filter two { out a; out b[2]; }\nfilter one { in a; in b; }\nchannel two.a -> one.a : u8;\nchannel two.b -> one.b : u8;\n");
    let (code, json) = folder.json(&["analyze", "--json", "edges.sigma"]);
    assert_eq!((code, &json["consistent"]), (2, &false.into()));
    let found = &json["diagnostics"][0];
    assert_eq!(
        (&found["code"], &found["place"]["line"]),
        (&"sigma::inconsistent".into(), &11.into())
    );
    let (code, out, _) = folder.outcome(&["analyze", "edges.sigma"]);
    assert_eq!(
        (code, out.as_str()),
        (2, "edges.sigma: inconsistent; 6 filters\n")
    );
}

#[test]
fn a_graph_without_times_has_bounds_and_no_throughput() {
    let folder = Folder::new("stream-untimed");
    folder.write("edges.sigma", EDGES.replace(" [wcet 250us]", ""));
    let (code, out, _) = folder.outcome(&["analyze", "edges.sigma"]);
    assert_eq!(code, 0);
    let reason = "fastest: unknown, `pack` has no worst-case execution time\n";
    assert!(out.contains(reason), "{out}");
}

#[test]
fn a_graph_that_is_too_large_is_unknown() {
    let folder = Folder::new("stream-large");
    let text = "source s[1000003];\nsink z[999983];\nchannel s.out -> z.in : u8;\n";
    folder.write("large.sigma", text);
    for command in ["check", "analyze"] {
        let (code, _, err) = folder.outcome(&[command, "large.sigma"]);
        assert_eq!(code, 3, "{err}");
        assert!(err.contains("sigma::unknown"), "{err}");
    }
}

#[test]
fn what_means_nothing_to_a_graph_is_refused() {
    let folder = Folder::new("stream-options");
    folder.write("edges.sigma", EDGES);
    let cases: [(&[&str], &str); 7] = [
        (
            &["analyze", "edges.sigma", "--strategy", "rm"],
            "`--strategy` means nothing",
        ),
        (
            &["analyze", "edges.sigma", "--board", "rtl-pmp"],
            "`--board` means nothing",
        ),
        (&["analyze", "nowhere.sigma"], "there is no file"),
        (&["compile", "edges.sigma"], "it has no microcode"),
        (&["disasm", "edges.sigma"], "it has no microcode"),
        (&["simulate", "edges.sigma"], "it has no microcode"),
        (
            &["schedule", "edges.sigma", "--strategy", "edf"],
            "it has no microcode",
        ),
    ];
    for (arguments, reason) in cases {
        let (code, out, err) = folder.outcome(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(
            err.replace("\n  │ ", " ").contains(reason),
            "{arguments:?}: {err}"
        );
    }
}
