//! Random programs. Switches copy in any order among the ports that they set, and more.

use std::collections::BTreeMap;
use std::fmt::Write;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn shuffled<T: Clone>(&mut self, list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
        list
    }
}

/// A program.
pub(crate) struct Text {
    pub(crate) source: String,
    /// Bytes of the types that are no scalars.
    pub(crate) sizes: BTreeMap<String, u16>,
}

const TYPES: [&str; 4] = ["u32", "u64", "pair", "table"];
const FREQUENCIES: [u64; 5] = [1, 1, 2, 3, 4];

/// The text being written: names with the indices of their types.
struct Writer {
    random: Random,
    sensors: Vec<(String, usize)>,
    actuators: Vec<(String, usize)>,
    outputs: Vec<(String, usize)>,
    drivers: String,
    count: usize,
}

/// The text of a program, which need not be legal.
pub(crate) fn text(mut random: Random) -> Text {
    let few = 1 + random.below(TYPES.len());
    let sizes = [
        ("pair".to_string(), 9 + random.below(16) as u16),
        ("table".to_string(), 200 + random.below(200) as u16),
    ];
    let named = |random: &mut Random, name: &str, count: usize| -> Vec<(String, usize)> {
        let one = |number| (format!("{name}{number}"), random.below(few));
        (0..count).map(one).collect()
    };
    let counts = [random.below(3), random.below(3), 2 + random.below(6)];
    let sensors = named(&mut random, "s", counts[0]);
    let outputs = named(&mut random, "o", counts[2]);
    // (of types that an output has)
    let actuators = (0..counts[1])
        .map(|number| (format!("a{number}"), random.one(&outputs).1))
        .collect();
    let mut writer = Writer {
        random,
        sensors,
        actuators,
        outputs,
        drivers: String::new(),
        count: 0,
    };
    let source = writer.program();
    Text {
        source,
        sizes: sizes.into(),
    }
}

impl Writer {
    fn program(&mut self) -> String {
        let mut text = String::new();
        for (name, kind) in &self.sensors {
            write!(text, "sensor {} {name} uses read_{name}; ", TYPES[*kind]).unwrap();
        }
        for (name, kind) in &self.actuators {
            write!(text, "actuator {} {name} uses write_{name}; ", TYPES[*kind]).unwrap();
        }
        // (an actuator that shows all outputs and a task that does so)
        text.push_str("actuator u32 shown uses show;\n");
        for (name, kind) in &self.outputs {
            write!(text, "output {} {name} := init_{name}; ", TYPES[*kind]).unwrap();
        }
        let tasks = self.tasks(&mut text);
        text.push_str("task watch(u32 w) output () state () { schedule watching(w) }\n");
        let modes = 1 + self.random.below(3);
        let ports: Vec<Vec<(String, usize)>> = (0..modes)
            .map(|_| {
                let count = self.random.below(self.outputs.len() + 1);
                let mut ports = self.random.shuffled(&self.outputs);
                ports.truncate(count);
                ports
            })
            .collect();
        let mut bodies = String::new();
        for mode in 0..modes {
            self.mode(&mut bodies, mode, &ports, &tasks);
        }
        let all: Vec<&str> = self.outputs.iter().map(|(name, _)| name.as_str()).collect();
        let all = all.join(", ");
        for (name, formal) in [("all_shown", "u32 x"), ("all_watched", "u32 w")] {
            let formal_name = &formal[4..];
            writeln!(
                text,
                "driver {name}({all}) output ({formal}) {{ if true() then {name}_f({all}, {formal_name}) }}",
            )
            .unwrap();
        }
        text.push_str("driver none() output () { if true() then dummy() }\n");
        format!("{text}{}start m0 {{\n{bodies}}}\n", self.drivers)
    }

    /// Tasks, with the types of their inputs. Each output is at most one's.
    fn tasks(&mut self, text: &mut String) -> Vec<Vec<usize>> {
        let count = self.random.below(4);
        let mut free = self.random.shuffled(&self.outputs);
        let mut tasks = Vec::new();
        for task in 0..count {
            let own = self.random.below(3).min(free.len());
            let own = free.split_off(free.len() - own);
            let inputs = self.random.below(4);
            let kinds: Vec<usize> = (0..inputs)
                .map(|_| self.random.one(&self.outputs).1)
                .collect();
            let formals: Vec<String> = (0..)
                .zip(&kinds)
                .map(|(n, kind)| format!("{} i{n}", TYPES[*kind]))
                .collect();
            let outputs: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
            let names = (0..inputs).map(|n| format!("i{n}"));
            let arguments: Vec<String> =
                names.chain(outputs.iter().map(|o| o.to_string())).collect();
            writeln!(
                text,
                "task t{task}({}) output ({}) state () {{ schedule f{task}({}) }}",
                formals.join(", "),
                outputs.join(", "),
                arguments.join(", "),
            )
            .unwrap();
            tasks.push(kinds);
        }
        tasks
    }

    fn mode(
        &mut self,
        text: &mut String,
        mode: usize,
        ports: &[Vec<(String, usize)>],
        tasks: &[Vec<usize>],
    ) {
        let names: Vec<&str> = ports[mode].iter().map(|(name, _)| name.as_str()).collect();
        let period = 12 * (1 + self.random.below(2));
        writeln!(
            text,
            "  mode m{mode}({}) period {period} {{",
            names.join(", ")
        )
        .unwrap();
        for (name, kind) in self.actuators.clone() {
            if self.random.below(2) == 0 {
                let frequency = self.random.one(&FREQUENCIES);
                let driver = self.driver(&[kind], &[], true);
                let frequency = *frequency;
                writeln!(text, "    actfreq {frequency} do {name}({driver});").unwrap();
            }
        }
        text.push_str("    actfreq 12 do shown(all_shown);\n");
        for _ in 0..self.random.below(3) {
            let target = self.random.below(ports.len());
            let kinds: Vec<usize> = ports[target].iter().map(|(_, kind)| *kind).collect();
            let frequency = *self.random.one(&FREQUENCIES);
            let is_last = self.random.below(3) == 0;
            let driver = self.driver(&kinds, &ports[target], is_last);
            writeln!(text, "    exitfreq {frequency} do m{target}({driver});").unwrap();
        }
        for (task, kinds) in tasks.iter().enumerate() {
            if self.random.below(3) != 0 {
                let frequency = *self.random.one(&FREQUENCIES);
                // (no guard is asked for a task without inputs)
                let driver = match kinds.is_empty() {
                    true => "none".to_string(),
                    false => self.driver(kinds, &[], true),
                };
                writeln!(text, "    taskfreq {frequency} do t{task}({driver});").unwrap();
            }
        }
        text.push_str("    taskfreq 12 do watch(all_watched);\n  }\n");
    }

    /// The name of a driver with formals of these types, most often a copy, and most often
    /// of the ports of which a switch sets some.
    fn driver(
        &mut self,
        kinds: &[usize],
        preferred: &[(String, usize)],
        may_be_certain: bool,
    ) -> String {
        let name = format!("d{}", self.count);
        self.count += 1;
        let all: Vec<(String, usize)> = self.outputs.iter().chain(&self.sensors).cloned().collect();
        let mut sources: Vec<String> = Vec::new();
        let mut copied: Vec<String> = Vec::new();
        for kind in kinds {
            let from = match !preferred.is_empty() && self.random.below(3) != 0 {
                true => preferred,
                false => &all,
            };
            let same: Vec<&(String, usize)> = from.iter().filter(|(_, own)| own == kind).collect();
            copied.push(self.random.one(&same).0.clone());
        }
        for source in &copied {
            if !sources.contains(source) {
                sources.push(source.clone());
            }
        }
        let more = self.random.one(&all).0.clone();
        if !sources.contains(&more) {
            sources.push(more.clone());
        }
        let formals: Vec<String> = (0..)
            .zip(kinds)
            .map(|(n, kind)| format!("{} x{n}", TYPES[*kind]))
            .collect();
        let names: Vec<String> = (0..kinds.len()).map(|n| format!("x{n}")).collect();
        let guard = match may_be_certain && self.random.below(3) != 0 {
            true => "true()".to_string(),
            false => format!("{name}_if({more})"),
        };
        let both = [copied, names.clone()].concat().join(", ");
        let action = match kinds.len() {
            0 => "dummy()".to_string(),
            _ if self.random.below(5) == 0 => format!("{name}_f({both})"),
            _ => format!("copy({both})"),
        };
        writeln!(
            self.drivers,
            "driver {name}({}) output ({}) {{ if {guard} then {action} }}",
            sources.join(", "),
            formals.join(", "),
        )
        .unwrap();
        name
    }
}
