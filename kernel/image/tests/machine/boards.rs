//! The boards, their kernels, and the programs that run on them: built once each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use object::{Object, ObjectSegment, ObjectSymbol};
use toml::{Table, Value};

/// A board, by the name of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Board(pub(crate) &'static str);

/// In QEMU, and on the project's chip.
pub(crate) const QEMU: [Board; 3] = [
    Board("qemu-virt64"),
    Board("qemu-virt32"),
    Board("qemu-virt32-pmp"),
];
pub(crate) const CHIPS: [Board; 2] = [Board("rtl-pmp"), Board("rtl-mmu")];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = Board> {
    QEMU.into_iter().chain(CHIPS)
}

/// What runs on a board.
#[derive(Debug)]
pub(crate) struct Build {
    pub(crate) kernel: PathBuf,
    /// The programs, from [`Board::text`] on.
    pub(crate) text: Vec<u8>,
    symbols: HashMap<String, u64>,
}

impl Build {
    /// The address of a program, or of a place in one.
    pub(crate) fn address(&self, symbol: &str) -> u64 {
        *self
            .symbols
            .get(symbol)
            .unwrap_or_else(|| panic!("no program {symbol}"))
    }
}

impl Board {
    pub(crate) fn file(self) -> Table {
        let path = format!(
            "{}/../../boards/{}.toml",
            env!("CARGO_MANIFEST_DIR"),
            self.0
        );
        std::fs::read_to_string(path).unwrap().parse().unwrap()
    }

    /// Whether its kernel keeps floating-point registers.
    pub(crate) fn has_floating(self) -> bool {
        self.texts("features").contains(&"floating".into())
    }

    pub(crate) fn is_chip(self) -> bool {
        CHIPS.contains(&self)
    }

    pub(crate) fn has_regions(self) -> bool {
        self.text_of("", "protection") == "pmp"
    }

    /// Bytes of an address.
    pub(crate) fn width(self) -> usize {
        if self.text_of("", "arch") == "rv64" {
            8
        } else {
            4
        }
    }

    fn text_of(self, section: &str, key: &str) -> String {
        self.value(section, key).as_str().unwrap().into()
    }

    /// A list of the section of the kernel.
    fn texts(self, key: &str) -> Vec<String> {
        let list = self.value("kernel", key);
        let texts = list.as_array().unwrap().iter();
        texts.map(|text| text.as_str().unwrap().into()).collect()
    }

    pub(crate) fn number(self, section: &str, key: &str) -> u64 {
        self.value(section, key).as_integer().unwrap() as u64
    }

    fn value(self, section: &str, key: &str) -> Value {
        let mut table = self.file();
        for name in section.split('.').filter(|name| !name.is_empty()) {
            table = table[name].as_table().unwrap().clone();
        }
        table[key].clone()
    }

    /// Where RAM begins.
    pub(crate) fn ram(self) -> u64 {
        self.number("memory", "base")
    }

    /// Where the records lie: behind the kernel's memory.
    pub(crate) fn records(self) -> u64 {
        self.number("kernel", "base") + self.number("kernel", "size")
    }

    /// Where the programs lie: in a cache of 64 KiB apart from the kernel's text.
    pub(crate) fn text(self) -> u64 {
        self.ram() + 0x10_E000
    }

    /// What runs on it.
    pub(crate) fn build(self) -> &'static Build {
        static BUILDS: OnceLock<Mutex<HashMap<Board, &'static Build>>> = OnceLock::new();
        let mut builds = BUILDS
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        builds.entry(self).or_insert_with(|| {
            let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(self.0);
            std::fs::create_dir_all(&folder).unwrap();
            let kernel = self.kernel(&folder);
            let elf = std::fs::read(self.programs(&folder)).unwrap();
            let elf = object::File::parse(&*elf).unwrap();
            let text = elf.segments().find(|s| s.address() == self.text()).unwrap();
            let symbols = elf
                .symbols()
                .map(|s| (s.name().unwrap().to_string(), s.address()));
            Box::leak(Box::new(Build {
                kernel,
                text: text.data().unwrap().to_vec(),
                symbols: symbols.collect(),
            }))
        })
    }

    /// The kernel as it ships: the release build, with everything in it.
    fn kernel(self, folder: &Path) -> PathBuf {
        // One for all boards, whose builders are compiled once.
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let target = self.text_of("kernel", "target");
        let mut features = self.texts("features");
        features.extend(["programs", "load", "mail", "hints", "processes"].map(String::from));
        run(Command::new(env!("CARGO"))
            .args(["build", "--release", "-p", "giornata-image"])
            .args(["--no-default-features", "--features", &features.join(",")])
            .args(["--target", &target])
            .args([
                "--config",
                concat!(env!("CARGO_MANIFEST_DIR"), "/flags.toml"),
            ])
            .env("GIORNATA_BOARD", self.0)
            .env_remove("RUSTFLAGS")
            .env("CARGO_TARGET_DIR", &shared));
        // (the next board's comes to lie there)
        let kernel = folder.join("kernel");
        std::fs::copy(shared.join(target).join("release/giornata-image"), &kernel).unwrap();
        kernel
    }

    fn programs(self, folder: &Path) -> PathBuf {
        let out = folder.join("programs.elf");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/programs.rs");
        run(Command::new("rustc")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["--edition", "2024", "-C", "panic=abort", "-O"])
            .args(["--target", &self.text_of("kernel", "target")])
            .args(self.has_floating().then_some("--cfg=floating"))
            .args(["-C", &format!("link-arg=-Ttext={:#x}", self.text())])
            .args(["-C", "link-arg=--no-relax"])
            .arg("-o")
            .arg(&out)
            .arg(source));
        out
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
