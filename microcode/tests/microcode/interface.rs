//! Modules linked against an interface.

use giornata_abi::Predicate;
use giornata_abi::instruction::Instruction;
use giornata_abi::load::Frame;
use giornata_abi::module::Module;
use giornata_microcode::interface::{
    Difference, Limits, LinkError, LinkedModule, Resource, SymbolKind, link, map_needed,
};
use giornata_microcode::verify::{Scratch, scratch_needed};
use giornata_test_microcode::assemble;
use proptest::prelude::*;

const WIDE: Limits = Limits {
    instructions: 1000,
    predicates: 1000,
    durations: 1000,
    steps: 100_000,
    triggers: 1000,
    threads: 1000,
};

/// What can be declared, in an order in which it may be: ports before drivers.
const PORTS: [&str; 8] = [
    "port p i32 output",
    "port q i32 sensor",
    "port r f32 actuator",
    "port s i32 output",
    "task t in t_in out t_out",
    "task u in u_in out u_out",
    "task v",
    "port who u16 violation-task",
];
const REST: [&str; 8] = [
    "driver sense writes q",
    "driver act reads r",
    "copy feed reads q writes t_in",
    "copy give reads t_out writes p",
    "irq button",
    "irq tick",
    "mailbox news",
    "mailbox mail",
];
/// Lines of code about all of that; `@` is an address.
const LINES: [&str; 18] = [
    "call sense",
    "call act",
    "call feed",
    "call give",
    "release t, 5ms",
    "release u, 10ms",
    "release v, 5ms",
    "future after(5ms), @",
    "future irq(tick), @",
    "future message(mail), @",
    "future changed(s), @",
    "branch upcall(sense), @",
    "branch completed(u), @",
    "dispatch u, released(v), @",
    "idle p > activation",
    "branch q < 7, @",
    "fork @",
    "return",
];

/// Assembles declarations in the order of `keys` and the code behind them.
fn declared(keys: &[u32], leave_out: &[&str], code: &str) -> Vec<u8> {
    let mut text = String::new();
    for (half, offset) in [(PORTS, 0), (REST, PORTS.len())] {
        let mut order: Vec<usize> = (0..half.len()).collect();
        order.sort_by_key(|index| keys.get(offset + index));
        for index in order {
            if !leave_out.contains(&half[index]) {
                text += half[index];
                text += "\n";
            }
        }
    }
    assemble(&(text + code))
}

/// Declarations that nothing in the code needs.
fn unused(code: &str) -> Vec<&'static str> {
    let name = |line: &'static str| line.split_whitespace().nth(1).unwrap_or("");
    let free = [PORTS[3], PORTS[7], REST[1], REST[4], REST[6]];
    free.into_iter()
        .filter(|line| !code.contains(name(line)))
        .collect()
}

/// The code of the chosen lines, each with a label.
fn code(chosen: &[(usize, usize)]) -> String {
    let mut text = String::from("start l0\n");
    for (at, (line, target)) in chosen.iter().enumerate() {
        let target = format!("l{}", target % (chosen.len() + 1));
        text += &format!("l{at}: {}\n", LINES[*line].replace('@', &target));
    }
    text + &format!("l{}: return\n", chosen.len())
}

/// The result of linking a module: frame and records, or the error's text.
type Outcome = Result<(Frame, Vec<Instruction>, Vec<Predicate>, Vec<u16>), String>;

fn outcome_of(module: &[u8], interface: &[u8], limits: &Limits) -> Outcome {
    let mut outcome = Err(String::new());
    with_link(module, interface, limits, |linked| {
        outcome = match linked {
            Ok(linked) => Ok(records(&linked)),
            Err(refusal) => Err(refusal.to_string()),
        };
    });
    outcome
}

fn with_link(
    module: &[u8],
    interface: &[u8],
    limits: &Limits,
    see: impl FnOnce(Result<LinkedModule<'_>, LinkError<'_>>),
) {
    let module = Module::parse(module).unwrap();
    let interface = Module::parse(interface).unwrap();
    let mut scratch = vec![Scratch::EMPTY; scratch_needed(&module)];
    let mut map = vec![0; map_needed(&module)];
    see(link(module, &interface, limits, &mut scratch, &mut map));
}

fn records(linked: &LinkedModule<'_>) -> (Frame, Vec<Instruction>, Vec<Predicate>, Vec<u16>) {
    let times = linked.times(1_000_000_000).expect("whole ticks");
    let frame = linked.frame(&times);
    let instructions = (0..frame.instructions).map_while(|at| linked.instruction(at));
    let predicates = (0..frame.predicates).map_while(|at| linked.predicate(at));
    assert_eq!(linked.instruction(frame.instructions), None);
    assert_eq!(linked.predicate(frame.predicates), None);
    (
        frame,
        instructions.collect(),
        predicates.collect(),
        linked.released().collect(),
    )
}

proptest! {
    #[test]
    fn linked_code_is_what_the_interfaces_own_tables_would_have_given(
        chosen in prop::collection::vec((0..LINES.len(), any::<usize>()), 1..12),
        own in prop::collection::vec(any::<u32>(), 16),
        theirs in prop::collection::vec(any::<u32>(), 16),
    ) {
        let code = code(&chosen);
        let module = declared(&own, &unused(&code), &code);
        let interface = declared(&theirs, &[], "start a\na: return");
        let native = declared(&theirs, &[], &code);
        let expected = outcome_of(&native, &native, &WIDE);
        let linked = outcome_of(&module, &interface, &WIDE);
        match (linked, expected) {
            (Ok((mut frame, code, predicates, released)), Ok((theirs, native, pool, tasks))) => {
                // Two files have two checksums; the rest is one.
                frame.tag = theirs.tag;
                prop_assert_eq!(frame, theirs);
                prop_assert_eq!(code, native);
                prop_assert_eq!(predicates, pool);
                prop_assert_eq!(released, tasks);
            }
            // Neither of them is sound, for the same reason.
            (linked, expected) => prop_assert_eq!(linked.err(), expected.err()),
        }
    }

    #[test]
    fn a_module_linked_with_itself_stays_what_it_is(
        chosen in prop::collection::vec((0..LINES.len(), any::<usize>()), 1..12),
    ) {
        let bytes = declared(&[0; 16], &[], &code(&chosen));
        let Ok((frame, code, predicates, _)) = outcome_of(&bytes, &bytes, &WIDE) else { return Ok(()) };
        let module = Module::parse(&bytes).unwrap();
        prop_assert_eq!(code, module.instructions().collect::<Vec<_>>());
        prop_assert_eq!(predicates, module.predicates().collect::<Vec<_>>());
        prop_assert_eq!(frame.tag, module.header().crc);
    }
}

fn refused(module: &str, interface: &str) -> Option<(SymbolKind, String, Option<Difference>)> {
    let body = |text: &str| assemble(&format!("{text}\nstart z\nz: return"));
    let mut found = None;
    with_link(&body(module), &body(interface), &WIDE, |linked| {
        let Err(error) = linked else { return };
        let (kind, name, what) = match error {
            LinkError::Missing(kind, name) => (kind, name, None),
            LinkError::Differs(kind, name, what) => (kind, name, Some(what)),
            other => panic!("{other}"),
        };
        let text = error.to_string();
        assert!(
            text.contains(&format!("{} `{name}`", kind.name())),
            "{text}"
        );
        let said = what.map_or("has no".to_string(), |what| what.to_string());
        assert!(text.contains(&said), "{text}");
        found = Some((kind, name.to_string(), what));
    });
    found
}

#[test]
fn what_the_interface_lacks_is_named() {
    let everything = "port p i32 output\ntask t\ndriver d writes p\nirq i\nmailbox m";
    for (module, kind, name) in [
        ("port q i32 output", SymbolKind::Port, "q"),
        ("task u", SymbolKind::Task, "u"),
        ("driver e", SymbolKind::Driver, "e"),
        ("irq j", SymbolKind::Interrupt, "j"),
        ("mailbox i", SymbolKind::Mailbox, "i"),
    ] {
        let expected = Some((kind, name.to_string(), None));
        assert_eq!(refused(module, everything), expected);
    }
    assert_eq!(refused(everything, everything), None);
    assert_eq!(refused("irq i", everything), None);
}

#[test]
fn a_symbol_of_another_meaning_is_refused_with_the_difference() {
    use Difference::*;
    let ports = "port p i32 output\nport q i32 output\n";
    for (module, interface, kind, what) in [
        (
            "port p i32 output",
            "port p i32 sensor",
            SymbolKind::Port,
            Kind,
        ),
        (
            "port p i32 output",
            "port p u32 output",
            SymbolKind::Port,
            Type,
        ),
        (
            "task t in a",
            "port a i32 own-input\ntask t",
            SymbolKind::Task,
            Reads,
        ),
        (
            "task t out a",
            "port a i32 own-output\ntask t",
            SymbolKind::Task,
            Writes,
        ),
        (
            "driver d reads p",
            "driver d reads q",
            SymbolKind::Driver,
            Reads,
        ),
        (
            "driver d reads p",
            "driver d reads p p",
            SymbolKind::Driver,
            Reads,
        ),
        (
            "driver d writes p",
            "driver d writes q",
            SymbolKind::Driver,
            Writes,
        ),
        (
            "copy d reads p writes q",
            "driver d reads p writes q",
            SymbolKind::Driver,
            Kind,
        ),
    ] {
        let own = if module.starts_with("port") {
            ""
        } else {
            ports
        };
        let theirs = if interface.contains("port p") {
            ""
        } else {
            ports
        };
        let found = refused(&format!("{own}{module}"), &format!("{theirs}{interface}"));
        assert_eq!(
            found.map(|(kind, _, what)| (kind, what)),
            Some((kind, Some(what))),
            "{module}"
        );
    }
}

#[test]
fn two_symbols_never_become_one() {
    // The verifier takes them for two, and rests the end of cycles on that.
    let twice = "port p i32 output\nport p i32 output";
    let once = "port p i32 output";
    assert_eq!(
        refused(twice, once),
        Some((SymbolKind::Port, "p".into(), None))
    );
    assert_eq!(refused(twice, twice), None);
    assert_eq!(
        refused("task t\ntask t", "task t").map(|r| r.0),
        Some(SymbolKind::Task)
    );
    assert_eq!(
        refused("irq i\nirq i", "irq i").map(|r| r.0),
        Some(SymbolKind::Interrupt)
    );
}

#[test]
fn drivers_are_what_they_do() {
    let ports = "port p i32 output\nport q i32 output\n";
    let link = |module: &str, interface: &str| {
        refused(&format!("{ports}{module}"), &format!("{ports}{interface}"))
    };
    assert_eq!(
        link("copy c reads p writes q", "copy d reads p writes q"),
        None
    );
    let twice = "copy c reads p writes q\ncopy d reads p writes q";
    assert_eq!(link(twice, "copy d reads p writes q"), None);
    let missing = Some((SymbolKind::Driver, "c".to_string(), None));
    assert_eq!(
        link("copy c reads p writes q", "copy d reads q writes p"),
        missing
    );
}

#[test]
fn a_constant_that_names_a_task_names_it_in_the_interface_too() {
    let code = |order: &str, test: &str| {
        assemble(&format!(
            "{order}\nport who u16 violation-task\nstart a\na: return\nhandler overrun h\nh: branch {test}, a\nreturn"
        ))
    };
    let value = |test: &str| {
        let linked = outcome_of(
            &code("task t\ntask u", test),
            &code("task x\ntask u\ntask t", "true"),
            &WIDE,
        );
        linked.map(|(_, _, predicates, _)| predicates[0].value)
    };
    assert_eq!(value("who == 0"), Ok(2));
    assert_eq!(value("who != 1"), Ok(1));
    // Nobody.
    assert_eq!(value("who == 65535"), Ok(65535));
    let words = value("who < 1").unwrap_err();
    assert!(words.contains("`who`") && words.contains("=="), "{words}");
}

#[test]
fn a_module_beyond_any_limit_of_its_slot_is_refused_with_the_figures() {
    let module = assemble(
        "task t\ntask u\nstart a\na: release t, 5ms\nrelease u, 6ms\nfuture after(5ms), b\nreturn\nb: idle released(t)\nidle after(10ms)\nfork a\nreturn",
    );
    let mut found = Vec::new();
    for (resource, limits) in [
        (
            Resource::Instructions,
            Limits {
                instructions: 7,
                ..WIDE
            },
        ),
        (
            Resource::Predicates,
            Limits {
                predicates: 2,
                ..WIDE
            },
        ),
        (
            Resource::Durations,
            Limits {
                durations: 1,
                ..WIDE
            },
        ),
        (Resource::Steps, Limits { steps: 3, ..WIDE }),
        (
            Resource::Triggers,
            Limits {
                triggers: 0,
                ..WIDE
            },
        ),
        (Resource::Threads, Limits { threads: 0, ..WIDE }),
    ] {
        with_link(&module, &module, &limits, |linked| {
            let error = linked.unwrap_err();
            let LinkError::LimitExceeded {
                resource: what,
                needed,
                allowed,
            } = error
            else {
                panic!("{resource:?}: {error:?}");
            };
            assert_eq!(what, resource);
            assert!(needed > allowed);
            let text = error.to_string();
            assert!(text.contains(&format!("can need {needed} ")), "{text}");
            assert!(text.contains(&format!("{allowed} are allowed; ")), "{text}");
            found.push(needed);
        });
    }
    assert_eq!(found[..3], [8, 3, 2]);
    assert!(outcome_of(&module, &module, &WIDE).is_ok());
}

#[test]
fn an_undecided_step_bound_becomes_that_of_the_slot() {
    // Each run leaves two triggers.
    let code = |steps: &str| {
        assemble(&format!(
            "{steps}\nstart a\na: future after(5ms), a\nfuture after(5ms), a\nreturn"
        ))
    };
    let bound = |steps: &str| {
        outcome_of(&code(steps), &code(steps), &WIDE).map(|linked| linked.0.max_steps)
    };
    assert_eq!(bound(""), Ok(WIDE.steps));
    assert_eq!(bound("steps 40"), Ok(40));
    assert!(
        bound("steps 100001")
            .unwrap_err()
            .contains("100000 are allowed")
    );
}

#[test]
fn unsound_code_and_short_memory_are_refused() {
    let bytes = assemble("task t\nstart a\na: jump a");
    assert!(
        outcome_of(&bytes, &bytes, &WIDE)
            .unwrap_err()
            .contains("no time")
    );
    let sound = assemble("task t\nstart a\na: return");
    let module = Module::parse(&sound).unwrap();
    let scratch = &mut [Scratch::EMPTY; 8];
    assert_eq!(
        link(module, &module, &WIDE, scratch, &mut []).err(),
        Some(LinkError::MapTooShort)
    );
    let map = &mut [0];
    let lacking = link(module, &module, &WIDE, &mut [], map).err();
    assert!(matches!(lacking, Some(LinkError::Rejected(_))));
}

#[test]
fn the_empty_frame_has_nothing_to_run() {
    let addresses = [Frame::EMPTY.start, Frame::EMPTY.round, Frame::EMPTY.resume];
    assert_eq!((Frame::EMPTY.instructions, addresses), (0, [u16::MAX; 3]));
}

#[test]
fn limits_survive_the_words_that_the_builder_writes() {
    let limits = Limits {
        instructions: 1,
        predicates: 2,
        durations: 3,
        steps: 1 << 20,
        triggers: 5,
        threads: 6,
    };
    assert_eq!(Limits::from_words(limits.words()), limits);
    let widest = Limits::from_words([u32::MAX; 6]);
    assert_eq!((widest.threads, widest.steps), (u16::MAX, u32::MAX));
}
