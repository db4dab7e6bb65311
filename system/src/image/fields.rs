//! What the values of ports consist of: the fields of structs, read from the debug
//! information of the processes that use them, in whatever language they are written.
//!
//! A struct inside a struct and an array are told as their parts: `rates.x`, `gains[2]`.

use std::collections::BTreeMap;

use crate::names::{FieldName, NameMap};
use gimli::constants as dw;
use gimli::{AttributeValue, DwAt, Dwarf, EndianSlice, LittleEndian, UnitOffset};
use giornata_abi::ValueType;
use object::{Object, ObjectSection};

/// Values of more parts are shown as bytes.
const MOST: usize = 64;
/// Structs inside structs, names of names.
const DEEPEST: usize = 16;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;
/// A unit, and where in it.
type Place = (usize, UnitOffset);

/// Fills in the fields of the ports whose types are structs of one of the executables.
pub(crate) fn fill(names: &mut NameMap, executables: &[Vec<u8>]) {
    let is_wanted = |port: &&mut crate::names::PortName| {
        port.value_type() == ValueType::Opaque && port.size > 0
    };
    let mut wanted: Vec<_> = names.ports.iter_mut().filter(is_wanted).collect();
    for bytes in executables {
        if wanted.is_empty() {
            return;
        }
        // (an executable without debug information has no types)
        let Some(types) = Types::read(bytes) else {
            continue;
        };
        wanted.retain_mut(|port| {
            let fields = types.fields(&port.type_name, port.size.into());
            match fields {
                Some(fields) => {
                    port.fields = fields;
                    false
                }
                None => true,
            }
        });
    }
}

/// The types of an executable.
struct Types<'a> {
    dwarf: Dwarf<Slice<'a>>,
    units: Vec<gimli::Unit<Slice<'a>>>,
    /// Structs by name.
    structs: BTreeMap<String, Vec<Place>>,
}

impl<'a> Types<'a> {
    fn read(bytes: &'a [u8]) -> Option<Types<'a>> {
        let file = object::File::parse(bytes).ok()?;
        let section = |id: gimli::SectionId| {
            let section = file.section_by_name(id.name());
            let data = section.and_then(|section| section.data().ok());
            Ok::<_, gimli::Error>(Slice::new(data.unwrap_or_default(), LittleEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            units.extend(dwarf.unit(header));
        }
        let mut types = Types {
            dwarf,
            units,
            structs: BTreeMap::new(),
        };
        for index in 0..types.units.len() {
            types.collect(index);
        }
        Some(types)
    }

    /// The structs of a unit that are whole.
    fn collect(&mut self, index: usize) {
        let mut found = Vec::new();
        let mut entries = self.units[index].entries();
        while let Ok(Some(entry)) = entries.next_dfs() {
            if entry.tag() == dw::DW_TAG_structure_type
                && entry.attr(dw::DW_AT_declaration).is_none()
                && let Some(name) = self.name(index, entry)
            {
                found.push((name, (index, entry.offset())));
            } else if entry.tag() == dw::DW_TAG_typedef
                && let Some(name) = self.name(index, entry)
            {
                // (C: `typedef struct { ... } Name`)
                found.push((name, (index, entry.offset())));
            }
        }
        for (name, place) in found {
            self.structs.entry(name).or_default().push(place);
        }
    }

    /// The parts of a struct of this name and size.
    fn fields(&self, type_name: &str, size: u64) -> Option<Vec<FieldName>> {
        let name = type_name.rsplit("::").next()?.trim();
        let places = self.structs.get(name)?;
        places.iter().find_map(|place| {
            let mut parts = Vec::new();
            let is_whole = self.size(*place, DEEPEST)? == size
                && self.flatten(*place, "", 0, DEEPEST, &mut parts).is_some();
            parts.sort_by_key(|part| part.offset);
            (is_whole && !parts.is_empty()).then_some(parts)
        })
    }

    fn with<R>(&self, (unit, offset): Place, read: impl FnOnce(&Entry<'a>) -> R) -> Option<R> {
        let mut tree = self.units.get(unit)?.entries_tree(Some(offset)).ok()?;
        let root = tree.root().ok()?;
        Some(read(root.entry()))
    }

    fn name(&self, unit: usize, entry: &Entry<'a>) -> Option<String> {
        let value = entry.attr_value(dw::DW_AT_name)?;
        let text = self.dwarf.attr_string(self.units.get(unit)?, value).ok()?;
        Some(text.to_string_lossy().into_owned())
    }

    fn number(&self, place: Place, attribute: DwAt) -> Option<u64> {
        self.with(place, |entry| entry.attr_value(attribute)?.udata_value())?
    }

    /// Where the type of an entry is.
    fn type_of(&self, place: Place) -> Option<Place> {
        match self.with(place, |entry| entry.attr_value(dw::DW_AT_type))?? {
            AttributeValue::UnitRef(offset) => Some((place.0, offset)),
            AttributeValue::DebugInfoRef(offset) => {
                let mut units = self.units.iter().enumerate();
                units.find_map(|(index, unit)| {
                    let within = offset.to_unit_offset(&unit.header)?;
                    Some((index, within))
                })
            }
            _ => None,
        }
    }

    fn tag(&self, place: Place) -> Option<gimli::DwTag> {
        self.with(place, |entry| entry.tag())
    }

    /// The entries right below one, of one kind.
    fn children(&self, (unit, offset): Place, tag: gimli::DwTag) -> Vec<Place> {
        let mut found = Vec::new();
        let tree = self
            .units
            .get(unit)
            .map(|unit| unit.entries_tree(Some(offset)));
        if let Some(Ok(mut tree)) = tree
            && let Ok(root) = tree.root()
        {
            let mut children = root.children();
            while let Ok(Some(child)) = children.next() {
                if child.entry().tag() == tag {
                    found.push((unit, child.entry().offset()));
                }
            }
        }
        found
    }

    /// Elements of an array.
    fn count(&self, place: Place) -> Option<u64> {
        let ranges = self.children(place, dw::DW_TAG_subrange_type);
        let counts = ranges.into_iter().map(|range| {
            let count = self.number(range, dw::DW_AT_count);
            count.or_else(|| self.number(range, dw::DW_AT_upper_bound)?.checked_add(1))
        });
        counts.reduce(|a, b| a?.checked_mul(b?))?
    }

    /// Bytes of a type.
    fn size(&self, place: Place, depth: usize) -> Option<u64> {
        if let Some(size) = self.number(place, dw::DW_AT_byte_size) {
            return Some(size);
        }
        let element = self.size(self.type_of(place)?, depth.checked_sub(1)?)?;
        match self.tag(place)? {
            dw::DW_TAG_array_type => element.checked_mul(self.count(place)?),
            _ => Some(element),
        }
    }

    /// Adds the parts of a type; `None` if one has no number to show, or they are too
    /// many.
    fn flatten(
        &self,
        place: Place,
        name: &str,
        offset: u64,
        depth: usize,
        parts: &mut Vec<FieldName>,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.tag(place)? {
            dw::DW_TAG_base_type | dw::DW_TAG_enumeration_type => {
                let value_type = self.scalar(place)?;
                parts.push(FieldName {
                    name: name.into(),
                    offset: u16::try_from(offset).ok()?,
                    value_type: value_type as u8,
                });
                (parts.len() <= MOST).then_some(())
            }
            dw::DW_TAG_structure_type => {
                for member in self.children(place, dw::DW_TAG_member) {
                    let at = self.number(member, dw::DW_AT_data_member_location)?;
                    let own = self.with(member, |entry| self.name(member.0, entry))??;
                    // a tuple's are numbers in the source
                    let own = own.strip_prefix("__").unwrap_or(&own);
                    let whole = match name {
                        "" => own.to_string(),
                        name => format!("{name}.{own}"),
                    };
                    let of = self.type_of(member)?;
                    self.flatten(of, &whole, offset.checked_add(at)?, depth, parts)?;
                }
                Some(())
            }
            dw::DW_TAG_array_type => {
                let element = self.type_of(place)?;
                let (size, count) = (self.size(element, depth)?, self.count(place)?);
                for index in 0..count {
                    let at = offset.checked_add(size.checked_mul(index)?)?;
                    self.flatten(element, &format!("{name}[{index}]"), at, depth, parts)?;
                }
                Some(())
            }
            dw::DW_TAG_typedef | dw::DW_TAG_const_type | dw::DW_TAG_volatile_type => {
                self.flatten(self.type_of(place)?, name, offset, depth, parts)
            }
            _ => None,
        }
    }

    fn scalar(&self, place: Place) -> Option<ValueType> {
        use ValueType::*;
        let size = self.number(place, dw::DW_AT_byte_size)?;
        let encoding = match self.tag(place)? {
            dw::DW_TAG_enumeration_type => dw::DW_ATE_unsigned,
            _ => {
                let value = self.with(place, |entry| entry.attr_value(dw::DW_AT_encoding))??;
                match value {
                    AttributeValue::Encoding(encoding) => encoding,
                    _ => return None,
                }
            }
        };
        Some(match (encoding, size) {
            (dw::DW_ATE_boolean, 1) => Bool,
            (dw::DW_ATE_float, 4) => F32,
            (dw::DW_ATE_float, 8) => F64,
            (dw::DW_ATE_signed | dw::DW_ATE_signed_char, 1) => I8,
            (dw::DW_ATE_signed, 2) => I16,
            (dw::DW_ATE_signed, 4) => I32,
            (dw::DW_ATE_signed, 8) => I64,
            (dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char, 1) => U8,
            (dw::DW_ATE_unsigned, 2) => U16,
            (dw::DW_ATE_unsigned | dw::DW_ATE_UTF, 4) => U32,
            (dw::DW_ATE_unsigned, 8) => U64,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const C: &str = "
        typedef struct { float x, y; } Vector;
        enum Phase { HOVER, LAND = 7 };
        struct Pose { Vector turn; short gains[2]; enum Phase phase; };
        struct Pose pose;
        struct Link { struct Link *next; } link;
    ";
    const RUST: &str = "
        #![no_std]
        #[repr(C)] #[derive(Clone, Copy)] pub struct Vector(f32, f32);
        #[repr(C)] #[derive(Clone, Copy)] pub struct Gps { fix: u16, place: [Vector; 2], last: i64 }
        #[unsafe(no_mangle)] pub extern \"C\" fn last(gps: Gps) -> i64 { gps.last }
        #[panic_handler] fn stop(_: &core::panic::PanicInfo) -> ! { loop {} }
    ";

    /// A library with debug information, linked for the host.
    fn library(source: &str, command: &[&str]) -> Vec<u8> {
        let folder = std::env::temp_dir();
        let of = |extension: &str| {
            let name = format!("giornata-fields-{}-{}", std::process::id(), command[0]);
            folder.join(name).with_extension(extension)
        };
        std::fs::write(of("source"), source).unwrap();
        let mut compiler = Command::new(command[0]);
        compiler.args(&command[1..]).arg("-o").arg(of("so"));
        assert!(compiler.arg(of("source")).status().unwrap().success());
        let bytes = std::fs::read(of("so")).unwrap();
        for extension in ["source", "so"] {
            std::fs::remove_file(of(extension)).unwrap();
        }
        bytes
    }

    fn parts(types: &Types<'_>, name: &str, size: u64) -> Option<Vec<String>> {
        let parts = types.fields(name, size)?.into_iter();
        let text = |part: FieldName| {
            let value_type = part.value_type().name();
            format!("{} {} {value_type}", part.offset, part.name)
        };
        Some(parts.map(text).collect())
    }

    #[test]
    fn structs_of_c_are_their_fields_in_order() {
        let command = ["cc", "-g", "-shared", "-fPIC", "-nostdlib", "-x", "c"];
        let bytes = library(C, &command);
        let types = Types::read(&bytes).unwrap();
        let pose = [
            "0 turn.x f32",
            "4 turn.y f32",
            "8 gains[0] i16",
            "10 gains[1] i16",
            "12 phase u32",
        ];
        assert_eq!(parts(&types, "Pose", 16).unwrap(), pose);
        assert_eq!(parts(&types, "Vector", 8).unwrap().len(), 2);
        assert_eq!(parts(&types, "Pose", 12), None, "of another size");
        assert_eq!(parts(&types, "Link", 8), None, "a pointer is no number");
    }

    #[test]
    fn structs_of_rust_are_their_fields_in_order() {
        let options = ["--crate-type=cdylib", "--edition=2024", "-Cpanic=abort"];
        let options = [&["rustc", "-g"], &options[..], &["-Clink-arg=-nostdlib"]].concat();
        let bytes = library(RUST, &options);
        let types = Types::read(&bytes).unwrap();
        let gps = [
            "0 fix u16",
            "4 place[0].0 f32",
            "8 place[0].1 f32",
            "12 place[1].0 f32",
            "16 place[1].1 f32",
            "24 last i64",
        ];
        assert_eq!(parts(&types, "airframe::Gps", 32).unwrap(), gps);
    }

    #[test]
    fn what_is_no_executable_has_no_types() {
        assert!(Types::read(b"no ELF").is_none());
        let types = Types::read(include_bytes!("../../Cargo.toml"));
        assert!(types.is_none());
    }
}
