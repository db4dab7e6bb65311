//! A linked process: its code, constants, functions, lines and call frames.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use addr2line::{Context, LookupResult};
use gimli::{BaseAddresses, DebugFrame, Dwarf, EhFrame, EndianArcSlice, LittleEndian, SectionId};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use thiserror::Error;

use crate::Frame;
use crate::paths;

pub(crate) type Reader = EndianArcSlice<LittleEndian>;

/// An executable that tells nothing.
#[derive(Debug, Error)]
#[error("{}: {reason}", path.display())]
pub struct Unreadable {
    /// Where it lies.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

struct Section {
    start: u64,
    bytes: Vec<u8>,
    is_code: bool,
    /// No run changes it.
    is_constant: bool,
}

/// An executable of a process, or the kernel's.
pub struct Executable {
    pub(crate) is_64: bool,
    sections: Vec<Section>,
    /// By first address: name, and first address behind it.
    functions: BTreeMap<u64, (String, u64)>,
    lines: Context<Reader>,
    pub(crate) dwarf: Arc<Dwarf<Reader>>,
    /// Call frame information, which the compiler writes into the one section or the
    /// other.
    pub(crate) debug_frame: DebugFrame<Reader>,
    pub(crate) eh_frame: EhFrame<Reader>,
    pub(crate) bases: BaseAddresses,
    /// Folders from which files are named.
    roots: Vec<String>,
}

impl Executable {
    /// Reads an executable. Files below the first of `roots` that they lie in are named
    /// from there.
    ///
    /// # Errors
    /// It cannot be read, is no ELF file, or its debug information is damaged.
    pub fn read(path: &Path, roots: &[PathBuf]) -> Result<Executable, Unreadable> {
        let refuse = |reason: String| Unreadable {
            path: path.into(),
            reason,
        };
        let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
        Executable::parse(&bytes, roots).map_err(refuse)
    }

    fn parse(bytes: &[u8], roots: &[PathBuf]) -> Result<Executable, String> {
        let file = object::File::parse(bytes).map_err(|error| error.to_string())?;
        let is_64 = file.is_64();
        let load = |id: SectionId| -> Result<Reader, object::Error> {
            let section = file.section_by_name(id.name());
            let data = section.map(|s| s.uncompressed_data()).transpose()?;
            Ok(Reader::new(
                Arc::from(&*data.unwrap_or_default()),
                LittleEndian,
            ))
        };
        let damaged = |error: &dyn std::fmt::Display| format!("its debug information: {error}");
        let dwarf = Dwarf::load(load).map_err(|error| damaged(&error))?;
        let dwarf = Arc::new(dwarf);
        let lines = Context::from_arc_dwarf(dwarf.clone()).map_err(|error| damaged(&error))?;
        let word = if is_64 { 8 } else { 4 };
        let frames = load(SectionId::DebugFrame).map_err(|error| damaged(&error))?;
        let mut debug_frame = DebugFrame::from(frames);
        debug_frame.set_address_size(word);
        let frames = load(SectionId::EhFrame).map_err(|error| damaged(&error))?;
        let mut eh_frame = EhFrame::from(frames);
        eh_frame.set_address_size(word);
        let address = file.section_by_name(".eh_frame").map_or(0, |s| s.address());
        Ok(Executable {
            is_64,
            sections: sections(&file)?,
            functions: functions(&file),
            lines,
            dwarf,
            debug_frame,
            eh_frame,
            bases: BaseAddresses::default().set_eh_frame(address),
            roots: roots
                .iter()
                .map(|root| root.to_string_lossy().trim_end_matches('/').to_string())
                .collect(),
        })
    }

    /// Whether an instruction may lie at an address.
    pub fn is_code(&self, address: u64) -> bool {
        let mut code = self.sections.iter().filter(|section| section.is_code);
        code.any(|section| section.range().contains(&address))
    }

    /// Bytes of code or constants, which no run changes.
    pub fn constant(&self, address: u64, length: usize) -> Option<&[u8]> {
        let mut constant = self.sections.iter().filter(|section| section.is_constant);
        constant.find_map(|section| {
            let start = usize::try_from(address.checked_sub(section.start)?).ok()?;
            section.bytes.get(start..start.checked_add(length)?)
        })
    }

    /// What the words of its constants and data hold at first.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = u64> {
        let word = if self.is_64 { 8 } else { 4 };
        let data = self.sections.iter().filter(|section| !section.is_code);
        data.flat_map(move |section| {
            let start = section.start.next_multiple_of(word as u64) - section.start;
            let aligned = section.bytes.get(start as usize..).unwrap_or_default();
            aligned.chunks_exact(word).map(|bytes| {
                let each = bytes.iter().rev();
                each.fold(0, |value, byte| value << 8 | u64::from(*byte))
            })
        })
    }

    /// Name and addresses of the function that an address lies in.
    pub fn function_at(&self, address: u64) -> Option<(&str, Range<u64>)> {
        let (start, (name, end)) = self.functions.range(..=address).next_back()?;
        (address < *end).then_some((name.as_str(), *start..*end))
    }

    /// First addresses of functions that one instruction reaches from an address.
    pub(crate) fn functions_near(&self, address: u64) -> impl Iterator<Item = u64> {
        let near = address.saturating_sub(1 << 11)..=address.saturating_add(1 << 11);
        self.functions.range(near).map(|(start, _)| *start)
    }

    /// The functions, each with its addresses, in their order.
    pub fn functions(&self) -> impl Iterator<Item = (&str, Range<u64>)> {
        let functions = self.functions.iter();
        functions.map(|(start, (name, end))| (name.as_str(), *start..*end))
    }

    /// The functions of the source that the instruction at an address belongs to: the
    /// innermost first, then each that it was inlined into. Empty where no function is.
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let symbol = || Some(paths::function(self.function_at(address)?.0));
        let mut frames = Vec::new();
        let found = match self.lines.find_frames(address) {
            LookupResult::Output(found) => found.ok(),
            LookupResult::Load { .. } => None,
        };
        if let Some(mut found) = found {
            while let Ok(Some(frame)) = found.next() {
                let named = frame.function.as_ref();
                let named = named.and_then(|f| Some(paths::function(&f.raw_name().ok()?)));
                let Some(function) = named.or_else(symbol) else {
                    continue;
                };
                let place = frame.location.as_ref();
                let file = place.and_then(|place| place.file);
                let file = file.map(|file| paths::file(file, &self.roots));
                frames.push(Frame {
                    function,
                    is_own: file.as_ref().is_some_and(|(_, is_own)| *is_own),
                    file: file.map(|(file, _)| file),
                    line: place.and_then(|place| place.line).filter(|line| *line != 0),
                    is_inlined: true,
                });
            }
        }
        if let (true, Some(function)) = (frames.is_empty(), symbol()) {
            frames.push(Frame {
                function,
                ..Frame::default()
            });
        }
        // (the body that a macro has made of a function is that function)
        frames.dedup_by(|outer, inner| outer.function == inner.function);
        if let Some(last) = frames.last_mut() {
            last.is_inlined = false;
        }
        frames
    }

    /// A file of the source as frames name it, and whether it is the project's own.
    pub fn file(&self, path: &str) -> (String, bool) {
        paths::file(path, &self.roots)
    }
}

impl Section {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len() as u64
    }
}

fn sections(file: &object::File<'_>) -> Result<Vec<Section>, String> {
    let is_constant = |section: &object::Section<'_, '_>| {
        matches!(
            section.kind(),
            SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::ReadOnlyString
        ) || section.name() == Ok(".rodata")
    };
    let kept = |section: &object::Section<'_, '_>| {
        let is_kept = is_constant(section) || section.kind() == SectionKind::Data;
        section.address() != 0 && is_kept
    };
    let read = |section: object::Section<'_, '_>| {
        let data = section.data().map_err(|error| error.to_string())?;
        Ok(Section {
            start: section.address(),
            bytes: data.to_vec(),
            is_code: section.kind() == SectionKind::Text,
            is_constant: is_constant(&section),
        })
    };
    file.sections().filter(kept).map(read).collect()
}

/// Functions, and labels of assembly that say that they are some.
fn functions(file: &object::File<'_>) -> BTreeMap<u64, (String, u64)> {
    let mut functions: BTreeMap<u64, (String, u64)> = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_definition()) {
        let name = symbol.name().unwrap_or_default();
        let is_function = symbol.kind() == SymbolKind::Text && !name.starts_with(['.', '$']);
        if is_function && !name.is_empty() {
            let end = symbol.address() + symbol.size();
            let known = functions.entry(symbol.address()).or_default();
            if known.0.is_empty() || known.1 < end {
                *known = (name.into(), end);
            }
        }
    }
    // one of assembly without a size reaches to the next
    let starts: Vec<u64> = functions.keys().copied().collect();
    for pair in starts.windows(2) {
        if let (Some((_, end)), [start, next]) = (functions.get_mut(&pair[0]), pair)
            && end == start
        {
            *end = *next;
        }
    }
    functions
}
