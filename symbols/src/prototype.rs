//! What kind of function each is, from debug information: how many words it takes, and
//! which, and what it returns.

use std::collections::BTreeMap;

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Unit, UnitOffset, constants};

use crate::Executable;
use crate::executable::Reader;

/// What a parameter is, or a value that is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The address of something.
    Pointer,
    /// A number, an enumeration or a truth value of so many bytes.
    Integer(u64),
    /// Something else.
    Other,
}

/// Parameters and result of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// `None`: it returns nothing.
    pub returns: Option<Word>,
    /// In their order.
    pub parameters: Vec<Word>,
}

type Entry = DebuggingInformationEntry<Reader>;

impl Executable {
    /// The prototypes of the functions that debug information tells of, by first address.
    /// O(debug information).
    pub fn prototypes(&self) -> BTreeMap<u64, Prototype> {
        let mut all = BTreeMap::new();
        let mut headers = self.dwarf.units();
        while let Ok(Some(header)) = headers.next() {
            if let Ok(unit) = self.dwarf.unit(header) {
                // (of a unit that is damaged, what comes before the damage is known)
                let _ = of_unit(&self.dwarf, &unit, &mut all);
            }
        }
        all
    }
}

fn of_unit(
    dwarf: &Dwarf<Reader>,
    unit: &Unit<Reader>,
    all: &mut BTreeMap<u64, Prototype>,
) -> gimli::Result<()> {
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        if entry.tag() != constants::DW_TAG_subprogram {
            continue;
        }
        let low = entry.attr_value(constants::DW_AT_low_pc);
        let low = low.map(|low| dwarf.attr_address(unit, low)).transpose()?;
        if let Some(start) = low.flatten() {
            all.insert(start, prototype(unit, entry)?);
        }
    }
    Ok(())
}

/// Of a copy out of line, the function that was inlined elsewhere says it.
fn origin(unit: &Unit<Reader>, entry: &Entry) -> gimli::Result<Option<Entry>> {
    let named = [
        constants::DW_AT_abstract_origin,
        constants::DW_AT_specification,
    ];
    for name in named {
        if let Some(AttributeValue::UnitRef(at)) = entry.attr_value(name) {
            return Ok(Some(unit.entry(at)?));
        }
    }
    Ok(None)
}

fn prototype(unit: &Unit<Reader>, entry: &Entry) -> gimli::Result<Prototype> {
    let origin = origin(unit, entry)?;
    let entry = origin.as_ref().unwrap_or(entry);
    let returns = match type_of(entry) {
        Some(at) => Some(word(unit, at)?),
        None => None,
    };
    let mut parameters = Vec::new();
    let mut tree = unit.entries_tree(Some(entry.offset()))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        let child = child.entry();
        if child.tag() == constants::DW_TAG_formal_parameter {
            parameters.push(match type_of(child) {
                Some(at) => word(unit, at)?,
                None => Word::Other,
            });
        }
    }
    Ok(Prototype {
        returns,
        parameters,
    })
}

fn type_of(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(constants::DW_AT_type) {
        Some(AttributeValue::UnitRef(at)) => Some(at),
        _ => None,
    }
}

/// What a type is under its names.
fn word(unit: &Unit<Reader>, mut at: UnitOffset) -> gimli::Result<Word> {
    // (types do not name themselves but in what is damaged)
    for _ in 0..64 {
        let entry = unit.entry(at)?;
        let size = entry.attr_value(constants::DW_AT_byte_size);
        let size = size.and_then(|size| size.udata_value()).unwrap_or(0);
        match entry.tag() {
            constants::DW_TAG_pointer_type => return Ok(Word::Pointer),
            constants::DW_TAG_base_type => {
                use constants::{DW_ATE_boolean, DW_ATE_signed, DW_ATE_unsigned};
                let encoding = entry.attr_value(constants::DW_AT_encoding);
                let number = [DW_ATE_boolean, DW_ATE_signed, DW_ATE_unsigned];
                return Ok(match encoding {
                    Some(AttributeValue::Encoding(kind)) if number.contains(&kind) => {
                        Word::Integer(size)
                    }
                    _ => Word::Other,
                });
            }
            constants::DW_TAG_enumeration_type => return Ok(Word::Integer(size)),
            constants::DW_TAG_typedef
            | constants::DW_TAG_const_type
            | constants::DW_TAG_volatile_type
            | constants::DW_TAG_restrict_type => match type_of(&entry) {
                Some(inner) => at = inner,
                None => return Ok(Word::Other),
            },
            _ => return Ok(Word::Other),
        }
    }
    Ok(Word::Other)
}
