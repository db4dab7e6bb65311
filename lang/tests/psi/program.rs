//! Random programs, legal or not.

use std::fmt::Write as _;

/// Numbers that look random, from a seed (Knuth's MMIX generator).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed ^ 0x9e37_79b9_7f4a_7c15);
        random.below(1);
        random
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }

    fn is_one_of(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What a task has of its own: name and type.
const STATES: [(&str, &str); 3] = [("n", "u8"), ("b", "bool"), ("m", "i16")];
const WIDTHS: [&str; 5] = ["1 ms", "2 ms", "3 ms", "500 us", "5 ms"];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

struct Writer {
    random: Random,
    tasks: usize,
    task: usize,
    jobs: usize,
    text: String,
}

/// The text of a program with up to four tasks.
pub(crate) fn text(seed: u64) -> String {
    let mut random = Random::new(seed);
    let tasks = 1 + random.below(4);
    let mut writer = Writer {
        random,
        tasks,
        task: 0,
        jobs: 0,
        text: String::new(),
    };
    for task in 0..tasks {
        writer.task = task;
        writer.task();
    }
    writer.text
}

impl Writer {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn task(&mut self) {
        let task = self.task;
        writeln!(self.text, "sensor u32 s{task} uses get{task};").unwrap();
        writeln!(self.text, "actuator u16 a{task} uses put{task};").unwrap();
        writeln!(self.text, "task t{task} {{").unwrap();
        let initialiser = ["", " := first"][self.random.below(2)];
        writeln!(
            self.text,
            "export f32 v{task}{initialiser}; export u32 w{task};"
        )
        .unwrap();
        for (name, type_name) in STATES {
            let initialiser = ["", " := begin"][self.random.below(2)];
            writeln!(self.text, "state {type_name} {name}{initialiser};").unwrap();
        }
        self.items(0);
        self.window();
        self.add("}\n");
    }

    fn items(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(3) {
            self.item(depth);
        }
    }

    fn item(&mut self, depth: usize) {
        match self.random.below(if depth < 2 { 9 } else { 5 }) {
            0..3 => self.window(),
            3 => self.advance(),
            4 => self.choice(),
            5 => {
                self.add("if (");
                self.condition();
                self.add(") {");
                self.items(depth + 1);
                if self.random.is_one_of(2) {
                    self.add("} else {");
                    self.items(depth + 1);
                }
                self.add("}\n");
            }
            6 => {
                let count = 1 + self.random.below(3);
                write!(self.text, "loop ({count}) {{").unwrap();
                self.looped(depth);
            }
            7 => {
                let of = ["n", "m"][self.random.below(2)];
                let most = 1 + self.random.below(4);
                write!(self.text, "loop ({of} max {most}) {{").unwrap();
                self.looped(depth);
            }
            _ => self.afterwards(depth),
        }
    }

    fn looped(&mut self, depth: usize) {
        self.items(depth + 1);
        self.advance();
        self.add("}\n");
    }

    /// A job whose window ends in one of two blocks, after the same time perhaps.
    fn afterwards(&mut self, depth: usize) {
        self.job();
        self.add("if (");
        self.condition();
        self.add(") {");
        let width = WIDTHS[self.random.below(WIDTHS.len())];
        write!(self.text, "advance({width});").unwrap();
        self.items(depth + 1);
        self.add("} else {");
        write!(self.text, "advance({width});").unwrap();
        self.items(depth + 1);
        self.add("}\n");
    }

    /// A job whose window is one of two.
    fn choice(&mut self) {
        self.job();
        self.add("if (");
        self.condition();
        self.add(") {");
        self.advance();
        self.add("} else {");
        self.advance();
        self.add("}\n");
    }

    fn window(&mut self) {
        self.job();
        self.advance();
    }

    fn advance(&mut self) {
        let width = WIDTHS[self.random.below(WIDTHS.len())];
        writeln!(self.text, "advance({width});").unwrap();
    }

    fn job(&mut self) {
        let task = self.task;
        let others = (0..self.tasks).flat_map(|task| [format!("v{task}"), format!("w{task}")]);
        let own = STATES.map(|(name, _)| name.to_owned());
        let reads = others.chain(own.clone()).chain([format!("s{task}")]);
        let reads = self.some(reads, 4);
        let writes = [format!("v{task}"), format!("w{task}"), format!("a{task}")];
        let writes = self.some(own.into_iter().chain(writes), 3);
        self.jobs += 1;
        write!(self.text, "f{}({})", self.jobs, reads.join(", ")).unwrap();
        if !writes.is_empty() {
            write!(self.text, " -> {}", writes.join(", ")).unwrap();
        }
        self.add(";\n");
    }

    /// About one of so many.
    fn some(&mut self, all: impl Iterator<Item = String>, one_of: usize) -> Vec<String> {
        all.filter(|_| self.random.is_one_of(one_of)).collect()
    }

    fn condition(&mut self) {
        self.test();
        while self.random.is_one_of(3) {
            let and = [" && ", " || "][self.random.below(2)];
            self.add(and);
            self.test();
        }
    }

    fn test(&mut self) {
        let (task, comparison) = (self.task, COMPARISONS[self.random.below(6)]);
        let test = match self.random.below(5) {
            0 => "b".to_owned(),
            1 => "!b".to_owned(),
            2 => format!("n {comparison} {}", self.random.below(4)),
            3 => format!("m {comparison} {}", self.random.below(5) as i32 - 2),
            _ => format!("v{task} {comparison} {}.5", self.random.below(4)),
        };
        self.add(&test);
    }
}
