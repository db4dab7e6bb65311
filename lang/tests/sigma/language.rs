//! What programs and files mean: the graphs that are read from them.

use std::fmt::Write as _;

use giornata_lang::sigma::graph::{Filter, Kind};
use giornata_lang::sigma::{Analysis, Format, Graph, Ratio, analyze};
use proptest::prelude::*;

use crate::random::consistent;
use crate::robustness::{CONVERTER, EDGES};

fn read(text: &str, format: Format) -> (Graph, Analysis) {
    let (answers, diagnostics) = analyze("test", text, format);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let (model, analysis) = answers.unwrap();
    (model.graph, analysis)
}

fn filter<'g>(graph: &'g Graph, name: &str) -> &'g Filter {
    let mut filters = graph.filters().iter();
    filters.find(|filter| filter.name == name).unwrap()
}

/// Function and time of each position.
fn positions(filter: &Filter) -> Vec<(Option<&str>, Option<u64>)> {
    let positions = filter.positions.iter();
    positions.map(|p| (p.function.as_deref(), p.wcet)).collect()
}

/// Rates of both ends of a channel, by its name.
fn rates(graph: &Graph, name: &str) -> (Vec<u32>, Vec<u32>) {
    let mut channels = graph.channels().iter().enumerate();
    let (_, channel) = channels
        .find(|(number, _)| graph.channel_name(*number) == name)
        .unwrap();
    (channel.from.rates.clone(), channel.to.rates.clone())
}

#[test]
fn each_position_has_its_function_and_its_time() {
    let (graph, _) = read(EDGES, Format::Sigma);
    let upper = filter(&graph, "upper");
    assert_eq!(upper.kind, Kind::Code);
    let expected = [
        (Some("first_line"), Some(1_200_000)),
        (Some("next_line"), Some(900_000)),
    ];
    assert_eq!(positions(upper), expected);
    let silent = (None, Some(0));
    assert_eq!(positions(filter(&graph, "camera")), [silent]);
    assert_eq!(positions(filter(&graph, "halves")), [silent, silent]);
    assert_eq!(
        positions(filter(&graph, "recorder")),
        [(None, Some(1_000_000))]
    );
}

#[test]
fn functions_without_a_name_are_called_like_their_filter() {
    let text =
        "source s; sink z; filter f { in x[2]; out y; } filter g [wcet 5us] { in x; out y[1, 3]; }
        channel s.out -> f.x : u8; channel f.y -> g.x : u8; channel g.y -> z.in : u8;";
    let (graph, _) = read(text, Format::Sigma);
    assert_eq!(positions(filter(&graph, "f")), [(Some("f"), None)]);
    let expected = [(Some("g_0"), Some(5_000)), (Some("g_1"), Some(5_000))];
    assert_eq!(positions(filter(&graph, "g")), expected);
    // one rate is the rate of all positions
    assert_eq!(rates(&graph, "f.y -> g.x"), (vec![1], vec![1, 1]));
}

#[test]
fn data_is_passed_on_in_turn() {
    let text =
        "source s[6]; sink z[4]; split a[2, 1]; join b[1*1, 2]; permute p[2, 0, 1]; dup d; sink y;
        channel s.out -> a.in : u8; channel a.out0 -> b.in1 : u8; channel a.out1 -> b.in0 : u8;
        channel b.out -> p.in : u8; channel p.out -> d.in : u8;
        channel d.out0 -> z.in : u8; channel d.out1 -> y.in : u8;";
    let (graph, analysis) = read(text, Format::Sigma);
    assert_eq!(rates(&graph, "s.out -> a.in"), (vec![6], vec![2, 1]));
    assert_eq!(rates(&graph, "a.out0 -> b.in1"), (vec![2, 0], vec![0, 2]));
    assert_eq!(rates(&graph, "a.out1 -> b.in0"), (vec![0, 1], vec![1, 0]));
    assert_eq!(rates(&graph, "b.out -> p.in"), (vec![1, 2], vec![3]));
    assert_eq!(rates(&graph, "d.out0 -> z.in"), (vec![1], vec![4]));
    assert_eq!(filter(&graph, "p").kind, Kind::Permute(vec![2, 0, 1]));
    // 12 tokens: s 2, z 3, a 4, b 4, p 4, d 12, y 12 cycles
    let repetition = analysis.repetition.unwrap();
    assert_eq!(repetition.cycles(), [2, 3, 4, 4, 4, 12, 12]);
}

#[test]
fn channels_have_types_capacities_and_tokens() {
    let (graph, analysis) = read(EDGES, Format::Sigma);
    let first = &graph.channels()[0];
    assert_eq!((first.capacity, first.initial), (Some(8), 0));
    assert_eq!(
        (first.token.to_string().as_str(), first.token.bytes()),
        ("u8[640]", Some(640))
    );
    let recorder = &graph.channels()[2];
    assert_eq!((recorder.capacity, recorder.initial), (None, 1));
    // given capacities stay, and every lower bound is kept
    let buffers = analysis.buffers.unwrap();
    assert_eq!(buffers.capacities()[0], 8);
    for (capacity, lower) in buffers.capacities().iter().zip(&buffers.lower) {
        assert!(*capacity >= lower.unwrap());
    }
}

/// The number behind a word of the only mend.
fn mend(text: &str, word: &str) -> u64 {
    let (_, diagnostics) = analyze("test", text, Format::Sigma);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    let (_, behind) = diagnostics[0].help.split_once(word).unwrap();
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn is_live(text: &str) -> bool {
    let (answers, _) = analyze("test", text, Format::Sigma);
    answers.unwrap().1.is_live == Some(true)
}

#[test]
fn the_mend_of_a_graph_that_stops_is_the_least_that_helps() {
    let ring = |initial: u64| {
        format!(
            "filter a {{ in x[1]; out y[5]; }} filter b {{ in x[3]; out y[4]; }}
            filter c {{ in x[7]; out y[1]; }}
            channel a.y -> b.x : u8; channel b.y -> c.x : u8;
            channel c.y -> d.in : u8; dup d;
            channel d.out0 -> e.in0 : u8; channel d.out1 -> e.in1 : u8; join e[20, 20];
            filter f {{ in x[40]; out y[21]; }} channel e.out -> f.x : u8;
            channel f.y -> a.x : u8 initial {initial};"
        )
    };
    let least = mend(&ring(2), "`initial ");
    assert!(least > 2 && is_live(&ring(least)) && !is_live(&ring(least - 1)));
    let way = |capacity: u64| {
        format!(
            "filter a {{ out x[2]; out y[1]; }} filter b {{ in x[6]; out y[5]; }}
            filter c {{ in x[5]; in y[3]; }}
            channel a.x -> b.x : u8; channel b.y -> c.x : u8;
            channel a.y -> c.y : u8 capacity {capacity};"
        )
    };
    let least = mend(&way(1), "capacity of ");
    assert!(least > 1 && is_live(&way(least)) && !is_live(&way(least - 1)));
}

#[test]
fn a_mend_of_one_channel_is_not_promised_where_others_wait_too() {
    let text = "filter a { in x; in z; out y; out w; } filter b { in x; in z; out y; out w; }
        channel a.y -> b.x : u8; channel b.y -> a.x : u8;
        channel b.w -> b.z : u8; channel a.w -> a.z : u8;";
    let (_, diagnostics) = analyze("test", text, Format::Sigma);
    assert!(
        diagnostics[0].help.contains("each other ring"),
        "{diagnostics:?}"
    );
}

/// A graph as a program; ports are called like their channel and end.
fn written(graph: &Graph) -> String {
    let mut text = String::new();
    for (number, filter) in graph.filters().iter().enumerate() {
        let positions = filter.positions.iter();
        let functions = positions.map(|p| format!("run f [wcet {}ns]", p.wcet.unwrap()));
        let functions = functions.map(|f| f + ";").collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "filter {} {{ {functions}", filter.name);
        for (c, channel) in graph.channels().iter().enumerate() {
            if channel.to.filter == number {
                let _ = writeln!(text, "  in i{c}{:?};", channel.to.rates);
            }
            if channel.from.filter == number {
                let _ = writeln!(text, "  out o{c}{:?};", channel.from.rates);
            }
        }
        text += "}\n";
    }
    for (c, channel) in graph.channels().iter().enumerate() {
        let name = |filter: usize| &graph.filters()[filter].name;
        let (from, to) = (name(channel.from.filter), name(channel.to.filter));
        let initial = channel.initial;
        let _ = writeln!(
            text,
            "channel {from}.o{c} -> {to}.i{c} : u8 initial {initial};"
        );
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_graph_that_is_written_is_read_back(graph in consistent(2..6)) {
        let (answers, diagnostics) = analyze("test", &written(&graph), Format::Sigma);
        let Some((model, _)) = answers else {
            panic!("{diagnostics:?}");
        };
        prop_assert_eq!(model.graph.filters().len(), graph.filters().len());
        for (read, own) in model.graph.filters().iter().zip(graph.filters()) {
            let times = |filter: &Filter| -> Vec<_> { filter.positions.iter().map(|p| p.wcet).collect() };
            prop_assert_eq!((&read.name, times(read)), (&own.name, times(own)));
        }
        prop_assert_eq!(model.graph.channels().len(), graph.channels().len());
        for (read, own) in model.graph.channels().iter().zip(graph.channels()) {
            prop_assert_eq!((read.from.filter, &read.from.rates), (own.from.filter, &own.from.rates));
            prop_assert_eq!((read.to.filter, &read.to.rates), (own.to.filter, &own.to.rates));
            prop_assert_eq!((read.initial, read.capacity), (own.initial, own.capacity));
        }
    }
}

#[test]
fn a_file_of_sdf3_is_the_graph_that_it_describes() {
    let (graph, analysis) = read(CONVERTER, Format::Sdf3);
    assert_eq!(
        positions(filter(&graph, "read")),
        [(None, Some(10))],
        "the default processor"
    );
    let times = [4, 1, 1].map(|time| (None, Some(time)));
    assert_eq!(positions(filter(&graph, "filter")), times);
    assert_eq!(
        rates(&graph, "read.out -> filter.in"),
        (vec![2], vec![1, 0, 0])
    );
    assert_eq!(
        rates(&graph, "filter.out -> write.in"),
        (vec![0, 1, 1], vec![3])
    );
    assert_eq!(graph.channels()[2].initial, 2);
    // 3 * 2 tokens for 6 cycles of the filter, whose 12 tokens are written in 4 threes
    let repetition = analysis.repetition.unwrap();
    assert_eq!(repetition.cycles(), [3, 6, 4]);
    assert_eq!(repetition.instances(), [3, 18, 4]);
    // the filter is busy for 6 * (4 + 1 + 1), the reader for 3 * 10
    let fastest = analysis.buffers.unwrap().fastest.unwrap();
    assert_eq!(fastest.rates[0].period, Ratio::whole(36));
}
