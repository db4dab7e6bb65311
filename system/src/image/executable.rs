//! Reads a linked process: its sections, its function table, its symbols.

use crate::file::ProcessSection;
use crate::functions::{Function, Functions, Parameter};
use crate::image::link_process::{CURSOR_SYMBOL, DATA_SYMBOL, END_SYMBOL};
use crate::problem::{Problem, Refusal};
use giornata_abi::process::{
    CONSTRUCTORS_SYMBOLS, Direction, FILTER_SYMBOL, FILTERS_SYMBOL, FunctionKind,
    LOCAL_START_SYMBOLS, LOCALS_SYMBOLS, RESTARTABLE_SYMBOLS, START_SYMBOLS, TABLE_MAGIC,
    TABLE_SYMBOL,
};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};
use std::collections::BTreeMap;

/// A stretch of a process's memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    /// First user address.
    pub(crate) address: u32,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// A linked process.
#[derive(Clone, Debug)]
pub(crate) struct Executable {
    /// Code.
    pub(crate) text: Section,
    /// Constants.
    pub(crate) rodata: Section,
    /// Initialised data.
    pub(crate) data: Section,
    /// First address after the zeroed data.
    pub(crate) end: u32,
    /// What it provides.
    pub(crate) functions: Functions,
    /// The start code, by kind of function.
    pub(crate) start: [u32; 3],
    /// Its restartable sequence.
    pub(crate) restartable: (u32, u32),
    /// Its trace cursor; 0 = none.
    pub(crate) trace_cursor: u32,
    /// The code that runs its filters; 0 = none.
    pub(crate) run_filter: u32,
    /// The words of its filters; 0 = none.
    pub(crate) filters: u32,
}

/// Initial values of thread-local variables: constants behind the others.
const INITIAL: &str = ".tdata";
/// The thread that is `main()` of a process which is written after POSIX, and its body.
const MAIN: &str = "main";
pub(crate) const POSIX_MAIN: &str = "giornata_posix_main";
/// Alignment of the memory behind a control page.
const MOST_ALIGNED: u64 = 8;

/// More functions or parameters than this are taken for a damaged table.
const MOST: usize = 4096;

impl Executable {
    /// Reads the linked process of a section. Its crate lists what it provides;
    /// what is a thread of its C sources, the section says, and what a filter of these calls,
    /// the streams: `filters`.
    pub(crate) fn read(
        section: &ProcessSection,
        filters: &[&str],
        bytes: &[u8],
    ) -> Result<Executable, Refusal> {
        let name = section.name.get_ref();
        let refuse = |reason: &str, mend: &str| {
            Refusal::from(Problem::new(
                format!("the image of process `{name}` {reason}"),
                mend,
            ))
        };
        let file =
            object::File::parse(bytes).map_err(|e| refuse(&format!("is no ELF file: {e}"), ""))?;
        let sections = sections(&file).map_err(|section| {
            refuse(
                &format!("has a section {section} that has no place"),
                "put it into .text, .rodata, .data or .bss",
            )
        })?;
        if !has_aligned_locals(&file) {
            return Err(refuse(
                "has thread-local variables aligned to more than 8 bytes",
                "align them to 8 bytes at most",
            ));
        }
        let symbols: BTreeMap<&str, u32> = file
            .symbols()
            .filter_map(|s| Some((s.name().ok()?, u32::try_from(s.address()).ok()?)))
            .collect();
        let symbol = |name: &str| symbols.get(name).copied();
        let [_, _, locals] = LOCALS_SYMBOLS.map(|name| symbol(name).unwrap_or(0));
        let constructors = CONSTRUCTORS_SYMBOLS.map(symbol);
        let starts = if locals > 0 || constructors[0] < constructors[1] {
            LOCAL_START_SYMBOLS
        } else {
            START_SYMBOLS
        };
        let [Some(task), Some(driver), Some(thread)] = starts.map(symbol) else {
            return Err(refuse(
                "has no code at which threads start",
                "build its crate with `giornata-rt`",
            ));
        };
        let (Some(begin), Some(end)) = (symbol(DATA_SYMBOL), symbol(END_SYMBOL)) else {
            return Err(refuse(
                "does not say where its data lies",
                "link it with the builder's script",
            ));
        };
        let [text, rodata, data] = sections;
        let mut executable = Executable {
            text,
            rodata,
            data: Section {
                address: begin,
                ..data
            },
            end,
            functions: Functions {
                locals,
                ..Functions::default()
            },
            start: [task, driver, thread],
            restartable: restartable(symbol),
            trace_cursor: symbol(CURSOR_SYMBOL).unwrap_or(0),
            run_filter: symbol(FILTER_SYMBOL).unwrap_or(0),
            filters: symbol(FILTERS_SYMBOL).unwrap_or(0),
        };
        let word = if file.is_64() { 8 } else { 4 };
        if section.code.package.is_some() {
            let table = symbol(TABLE_SYMBOL).ok_or_else(|| {
                refuse(
                    "has no function table",
                    "write `giornata_rt::process! { tasks: [...] }` in its crate",
                )
            })?;
            let reader = Reader {
                executable: &executable,
                word,
            };
            executable.functions.list = reader.table(table).ok_or_else(|| {
                refuse(
                    "has a damaged function table",
                    "build its crate with this version's `giornata-rt`",
                )
            })?;
        }
        if !section.code.c.is_empty() {
            let threads = c_threads(&file, section);
            for thread in threads {
                if executable.functions.position(&thread.name).is_some() {
                    let reason = format!("has two functions `{}`, in C and in Rust", thread.name);
                    return Err(refuse(&reason, "rename one of them"));
                }
                executable.functions.list.push(thread);
            }
            for function in c_filters(&file, filters) {
                if executable.functions.position(&function.name).is_none() {
                    let name = function.name.clone();
                    executable.functions.untold.insert(name);
                    executable.functions.list.push(function);
                }
            }
        }
        Ok(executable)
    }
}

impl Executable {
    /// The same with data of whole words, which its script leaves room for: the second
    /// kernel restores them so.
    pub(crate) fn in_words(mut self) -> Executable {
        let bytes = &mut self.data.bytes;
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        self
    }
}

/// The functions that a C compiler leaves under their names.
fn c_bodies<'a>(file: &object::File<'a>) -> BTreeMap<&'a str, u64> {
    let code = file
        .symbols()
        .filter(|symbol| symbol.is_global() && symbol.kind() == SymbolKind::Text);
    code.filter_map(|symbol| Some((symbol.name().ok()?, symbol.address())))
        .collect()
}

/// What filters call of the C sources of a process.
fn c_filters(file: &object::File<'_>, filters: &[&str]) -> Vec<Function> {
    let bodies = c_bodies(file);
    let found = filters.iter().filter_map(|name| {
        Some(Function {
            name: (*name).into(),
            kind: FunctionKind::Filter,
            parameters: Vec::new(),
            body: *bodies.get(name)?,
        })
    });
    found.collect()
}

/// The threads of a section that are functions of its C sources.
fn c_threads(file: &object::File<'_>, section: &ProcessSection) -> Vec<Function> {
    let bodies = c_bodies(file);
    let threads = section.threads.iter().filter_map(|thread| {
        let name = thread.name.get_ref();
        let body = match name == MAIN && section.code.is_posix {
            true => POSIX_MAIN,
            false => name,
        };
        Some(Function {
            name: name.clone(),
            kind: FunctionKind::Thread,
            parameters: Vec::new(),
            body: *bodies.get(body)?,
        })
    });
    threads.collect()
}

fn restartable(symbol: impl Fn(&str) -> Option<u32>) -> (u32, u32) {
    match RESTARTABLE_SYMBOLS.map(symbol) {
        [Some(begin), Some(end)] if begin < end => (begin, end),
        _ => (0, 0),
    }
}

/// Text, rodata and data; or the name of another section that takes memory.
fn sections(file: &object::File<'_>) -> Result<[Section; 3], String> {
    let mut all: [Section; 4] = Default::default();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        let name = section.name().unwrap_or("?");
        let is_zero = matches!(name, ".bss" | ".tbss");
        if !sh_flags.contains(object::elf::SHF_ALLOC) || section.size() == 0 || is_zero {
            continue;
        }
        let place = [".text", ".rodata", ".data", INITIAL]
            .iter()
            .position(|n| *n == name);
        let place = place.and_then(|index| all.get_mut(index));
        let (Some(place), Ok(bytes), Ok(address)) =
            (place, section.data(), u32::try_from(section.address()))
        else {
            return Err(name.into());
        };
        *place = Section {
            address,
            bytes: bytes.to_vec(),
        };
    }
    let [text, mut rodata, data, initial] = all;
    if !initial.bytes.is_empty() {
        let offset = initial.address.wrapping_sub(rodata.address) as usize;
        rodata.bytes.resize(offset, 0);
        rodata.bytes.extend(initial.bytes);
    }
    Ok([text, rodata, data])
}

/// Whether thread-local variables lie as they have to, which their place is for no larger
/// alignment.
fn has_aligned_locals(file: &object::File<'_>) -> bool {
    let is_local = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(object::elf::SHF_TLS));
    let mut locals = file.sections().filter(|section| is_local(section.flags()));
    locals.all(|section| section.size() == 0 || section.align() <= MOST_ALIGNED)
}

/// Reads the function table, whose pointers are as wide as the process's.
struct Reader<'a> {
    executable: &'a Executable,
    word: usize,
}

impl Reader<'_> {
    fn bytes(&self, address: u32, length: usize) -> Option<&[u8]> {
        let sections = [
            &self.executable.rodata,
            &self.executable.data,
            &self.executable.text,
        ];
        sections.into_iter().find_map(|s| {
            let start = address.checked_sub(s.address)? as usize;
            s.bytes.get(start..start.checked_add(length)?)
        })
    }

    fn word(&self, address: u32, index: usize) -> Option<u32> {
        let at = address.checked_add(u32::try_from(index * self.word).ok()?)?;
        let bytes = self.bytes(at, self.word)?;
        let value = bytes
            .iter()
            .rev()
            .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        u32::try_from(value).ok()
    }

    /// A slice of `words`-word elements: the address of each.
    fn slice(&self, address: u32, index: usize, words: usize) -> Option<Vec<u32>> {
        let (start, count) = (
            self.word(address, index)?,
            self.word(address, index + 1)? as usize,
        );
        let step = words * self.word;
        let element = |i: usize| start.checked_add(u32::try_from(i * step).ok()?);
        if count > MOST {
            None
        } else {
            (0..count).map(element).collect()
        }
    }

    fn text(&self, address: u32, index: usize) -> Option<String> {
        let (start, length) = (
            self.word(address, index)?,
            self.word(address, index + 1)? as usize,
        );
        String::from_utf8(self.bytes(start, length)?.to_vec()).ok()
    }

    fn table(&self, address: u32) -> Option<Vec<Function>> {
        if self.word(address, 0)? as usize != TABLE_MAGIC {
            return None;
        }
        let functions = self.slice(address, 1, 6)?;
        functions
            .into_iter()
            .map(|f| self.function(f))
            .collect::<Option<_>>()
    }

    /// kind, name (2), body, parameters (2).
    fn function(&self, at: u32) -> Option<Function> {
        let kinds = [
            FunctionKind::Task,
            FunctionKind::Driver,
            FunctionKind::Thread,
            FunctionKind::Filter,
        ];
        let parameters = self.slice(at, 4, 4)?;
        Some(Function {
            kind: *kinds.get(self.word(at, 0)? as usize)?,
            name: self.text(at, 1)?,
            body: self.word(at, 3)?.into(),
            parameters: parameters
                .into_iter()
                .map(|p| self.parameter(p))
                .collect::<Option<_>>()?,
        })
    }

    /// direction, size, type name (2).
    fn parameter(&self, at: u32) -> Option<Parameter> {
        let directions = [Direction::Input, Direction::Output, Direction::State];
        Some(Parameter {
            direction: *directions.get(self.word(at, 0)? as usize)?,
            size: self.word(at, 1)? as usize,
            type_name: self.text(at, 2)?,
        })
    }
}
