//! The kernel's binary: code, constants, functions, and from which lines of
//! source each instruction comes.

use crate::Error;
use crate::decode::{Instruction, decode};
use addr2line::{Context, LookupResult};
use gimli::{Dwarf, EndianRcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Where the kernel's sources lie, from the root of the workspace.
const KERNEL: &str = "kernel/";
/// A folder of it that declarations leave out.
const NEXT: &str = "next/";

/// A function of the source that an instruction belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Its path: folder of the crate, modules, name.
    pub(crate) function: Rc<str>,
    /// File and line; empty if unknown.
    pub(crate) line: Rc<str>,
    /// It belongs to the kernel, not to the language's libraries.
    pub(crate) is_own: bool,
}

/// A function of the binary.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: Rc<str>,
    /// First address.
    pub(crate) start: u64,
    /// First address behind it.
    pub(crate) end: u64,
}

struct Section {
    start: u64,
    bytes: Vec<u8>,
    is_code: bool,
}

type Frames = Rc<[Frame]>;

/// A kernel as it was linked, with line tables.
pub struct Binary {
    pub(crate) is_64: bool,
    sections: Vec<Section>,
    functions: BTreeMap<u64, Function>,
    /// Labels of code that are no functions: where assembly begins.
    labels: HashMap<String, u64>,
    /// The first by name of those at an address.
    labels_at: HashMap<u64, Rc<str>>,
    lines: Context<EndianRcSlice<LittleEndian>>,
    known: RefCell<HashMap<u64, Frames>>,
}

impl Binary {
    /// Reads an executable.
    ///
    /// # Errors
    /// It is no RISC-V executable, or has no line tables.
    pub fn read(bytes: &[u8]) -> Result<Binary, Error> {
        let refuse = |reason: String| Error::Binary(reason);
        let file = object::File::parse(bytes).map_err(|e| refuse(e.to_string()))?;
        if !matches!(
            file.architecture(),
            object::Architecture::Riscv32 | object::Architecture::Riscv64
        ) {
            return Err(refuse("it is not made for RISC-V".into()));
        }
        let lines = context(&file).map_err(|e| refuse(format!("its line tables: {e}")))?;
        let mut binary = Binary {
            is_64: file.is_64(),
            sections: sections(&file)?,
            functions: BTreeMap::new(),
            labels: HashMap::new(),
            labels_at: HashMap::new(),
            lines,
            known: RefCell::default(),
        };
        binary.read_symbols(&file);
        Ok(binary)
    }

    fn read_symbols(&mut self, file: &object::File<'_>) {
        for symbol in file.symbols().filter(|s| s.is_definition()) {
            let (name, start) = (symbol.name().unwrap_or_default(), symbol.address());
            let is_local = name.is_empty() || name.starts_with(['.', '$']);
            if is_local || !self.is_code(start) {
                continue;
            }
            self.labels.insert(name.into(), start);
            if symbol.kind() == SymbolKind::Text && symbol.size() > 0 {
                let function = Function {
                    name: path(name).into(),
                    start,
                    end: start + symbol.size(),
                };
                self.functions.entry(start).or_insert(function);
            }
        }
        for (name, at) in &self.labels {
            let first = self.labels_at.entry(*at).or_insert_with(|| (**name).into());
            if **name < **first {
                *first = (**name).into();
            }
        }
    }

    /// Where a label of the assembler lies.
    pub(crate) fn label(&self, name: &str) -> Option<u64> {
        self.labels.get(name).copied()
    }

    /// The function that an address lies in.
    pub(crate) fn function(&self, address: u64) -> Option<&Function> {
        let (_, function) = self.functions.range(..=address).next_back()?;
        (address < function.end).then_some(function)
    }

    /// The name of what begins at an address.
    pub(crate) fn name(&self, address: u64) -> Rc<str> {
        if let Some(function) = self.functions.get(&address) {
            return function.name.clone();
        }
        self.label_at(address)
            .unwrap_or_else(|| format!("{address:#x}").into())
    }

    /// The label at an address.
    pub(crate) fn label_at(&self, address: u64) -> Option<Rc<str>> {
        self.labels_at.get(&address).cloned()
    }

    /// What declarations call the function that begins at an address.
    pub(crate) fn key(&self, address: u64) -> Rc<str> {
        let frames = self.frames(address);
        let own = frames.first().filter(|frame| frame.names_a_function());
        own.map_or_else(|| self.name(address), |frame| frame.function.clone())
    }

    /// First and last address of its code, for who watches it run.
    pub fn code(&self) -> std::ops::Range<u64> {
        let code = || self.sections.iter().filter(|s| s.is_code);
        let start = code().map(|s| s.start).min().unwrap_or(0);
        let end = code().map(|s| s.start + s.bytes.len() as u64).max();
        start..end.unwrap_or(start)
    }

    fn is_code(&self, address: u64) -> bool {
        let within = |s: &&Section| s.start <= address && address < s.start + s.bytes.len() as u64;
        self.sections.iter().find(within).is_some_and(|s| s.is_code)
    }

    fn bytes(&self, address: u64) -> Option<&[u8]> {
        self.sections.iter().find_map(|section| {
            let offset = usize::try_from(address.checked_sub(section.start)?).ok()?;
            section.bytes.get(offset..).filter(|rest| !rest.is_empty())
        })
    }

    /// The instruction at an address; `None` where there is none.
    pub(crate) fn instruction(&self, address: u64) -> Option<Instruction> {
        if !self.is_code(address) {
            return None;
        }
        decode(address, self.bytes(address)?, self.is_64)
    }

    /// A word of 4 or 8 bytes among the constants.
    pub(crate) fn word(&self, address: u64, bytes: u8) -> Option<u64> {
        let found = self.bytes(address)?;
        match bytes {
            4 => Some(u32::from_le_bytes(*found.first_chunk()?).into()),
            _ => Some(u64::from_le_bytes(*found.first_chunk()?)),
        }
    }

    /// The functions of the source that an instruction belongs to: the one it
    /// was compiled in first, then those inlined into it. Empty if unknown.
    pub(crate) fn frames(&self, address: u64) -> Frames {
        if let Some(frames) = self.known.borrow().get(&address) {
            return frames.clone();
        }
        let frames: Frames = self.look_up(address).into();
        self.known.borrow_mut().insert(address, frames.clone());
        frames
    }

    fn look_up(&self, address: u64) -> Vec<Frame> {
        let found = match self.lines.find_frames(address) {
            LookupResult::Output(found) => found,
            LookupResult::Load { .. } => return Vec::new(),
        };
        let Ok(mut found) = found else {
            return Vec::new();
        };
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            let named = frame.function.as_ref();
            let named = named.and_then(|f| f.raw_name().map(|name| path(&name)).ok());
            // functions into which nothing was inlined are known as symbols only
            let symbol = || Some(self.function(address)?.name.to_string());
            let Some(name) = named.or_else(symbol) else {
                continue;
            };
            let (file, line) = match &frame.location {
                Some(place) => (place.file.unwrap_or(""), place.line.unwrap_or(0)),
                None => ("", 0),
            };
            frames.push(Frame::new(&name, file, line));
        }
        frames.reverse();
        frames
    }

    /// Where an instruction comes from, for people.
    pub(crate) fn place(&self, address: u64) -> String {
        let frames = self.frames(address);
        let frame = frames.iter().rev().find(|frame| frame.is_own);
        match frame.or(frames.last()) {
            Some(frame) => format!("{}, {} ({address:#x})", frame.function, frame.line),
            None => match self.function(address) {
                Some(function) => format!("{} ({address:#x})", function.name),
                None => format!("{address:#x}"),
            },
        }
    }
}

fn context(
    file: &object::File<'_>,
) -> Result<Context<EndianRcSlice<LittleEndian>>, Box<dyn std::error::Error>> {
    let load = |id: SectionId| {
        let section = file.section_by_name(id.name());
        let data = section.map(|s| s.uncompressed_data()).transpose()?;
        let data = data.unwrap_or_default();
        Ok::<_, object::Error>(EndianRcSlice::new(Rc::from(&*data), LittleEndian))
    };
    Ok(Context::from_dwarf(Dwarf::load(load)?)?)
}

fn sections(file: &object::File<'_>) -> Result<Vec<Section>, Error> {
    let loaded = file
        .sections()
        .filter(|s| matches!(s.kind(), SectionKind::Text | SectionKind::ReadOnlyData));
    let read = |section: object::Section<'_, '_>| {
        let data = section.data().map_err(|e| Error::Binary(e.to_string()))?;
        Ok(Section {
            start: section.address(),
            bytes: data.to_vec(),
            is_code: section.kind() == SectionKind::Text,
        })
    };
    let sections: Vec<Section> = loaded.map(read).collect::<Result<_, Error>>()?;
    if !sections.iter().any(|s| s.is_code) {
        return Err(Error::Binary("it has no code".into()));
    }
    Ok(sections)
}

/// The path of a function, out of its name in the binary.
fn path(name: &str) -> String {
    short(&format!("{:#}", rustc_demangle::demangle(name)))
}

impl Frame {
    /// It is the kernel's and no closure, so that a declaration can name it.
    pub(crate) fn names_a_function(&self) -> bool {
        self.is_own && !self.function.ends_with('}')
    }

    /// The compiler has made one instruction of several, so it has no line.
    pub(crate) fn is_merged(&self) -> bool {
        self.line.ends_with(":0")
    }

    /// The line tables know the bare name of a function, and its file; so its
    /// path is made of the file's: `find` in kernel/queue/src/agenda.rs is
    /// `queue::agenda::find`.
    fn new(name: &str, file: &str, line: u32) -> Frame {
        let name = name.rsplit("::").next().unwrap_or(name);
        let Some(from) = file.rfind(KERNEL) else {
            return Frame {
                function: name.into(),
                line: format!("{file}:{line}").into(),
                is_own: false,
            };
        };
        let file = &file[from..];
        let module = file.trim_start_matches(KERNEL).trim_start_matches(NEXT);
        let module = module.trim_end_matches(".rs");
        let module = module.replace("/src/", "/").replace('/', "::");
        Frame {
            function: format!("{module}::{name}").into(),
            line: format!("{file}:{line}").into(),
            is_own: true,
        }
    }
}

/// A path without generic arguments, and with the type in the stead of its
/// `impl`: `a::<impl b::Core<H>>::f` is `a::Core::f`, `<a::Core as c::T>::f`
/// is `a::Core::f`.
fn short(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(open) = rest.find('<') {
        let (before, inside) = rest.split_at(open);
        let close = matching(inside);
        out.push_str(before);
        let inner = inside.get(1..close).unwrap_or("");
        let (of, _) = inner.split_once(" as ").unwrap_or((inner, ""));
        if out.is_empty() {
            out = short(of);
        } else if let Some(of) = inner.strip_prefix("impl ") {
            // an `impl` in another module is named by where it stands
            let of = of.split_once(" for ").map_or(of, |(_, of)| of);
            out.push_str(short(of).rsplit("::").next().unwrap_or(""));
        } else {
            out.truncate(out.trim_end_matches("::").len());
        }
        rest = inside.get(close + 1..).unwrap_or("");
    }
    out + rest
}

/// Where the bracket that opens the text closes.
fn matching(text: &str) -> usize {
    let mut depth = 0;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
        before = letter;
    }
    text.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_differs_between_builds() {
        let cases = [
            (
                "giornata_core::kernel::Kernel<H>::handle",
                "giornata_core::kernel::Kernel::handle",
            ),
            (
                "giornata_core::dispatch::<impl giornata_core::core_state::Core<H>>::requeue",
                "giornata_core::dispatch::Core::requeue",
            ),
            (
                "<giornata_arch_riscv::machine::hardware::Machine as giornata_core::hardware::Hardware>::read",
                "giornata_arch_riscv::machine::hardware::Machine::read",
            ),
            (
                "core::iter::Iterator::position::<u8, F>",
                "core::iter::Iterator::position",
            ),
            ("position<u8, a::b::{closure_env#0}<c::d>>", "position"),
            ("memcpy", "memcpy"),
        ];
        for (path, expected) in cases {
            assert_eq!(short(path), expected, "{path}");
        }
    }

    #[test]
    fn a_function_is_called_by_its_file_and_name() {
        let frame = Frame::new("find", "/anywhere/kernel/queue/src/agenda.rs", 7);
        assert_eq!(&*frame.function, "queue::agenda::find");
        assert_eq!(&*frame.line, "kernel/queue/src/agenda.rs:7");
        let frame = Frame::new("next", "/rustc/0/library/core/src/slice/iter.rs", 7);
        assert!(!frame.is_own);
    }
}
