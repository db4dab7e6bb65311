//! What `registers.toml` says.

use serde::Deserialize;

/// The register map.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Map {
    pub(crate) address_bits: u32,
    #[serde(rename = "layout")]
    pub(crate) layouts: Vec<Layout>,
    #[serde(rename = "register")]
    pub(crate) registers: Vec<Register>,
}

/// What a word or a byte holds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layout {
    pub(crate) name: String,
    pub(crate) bits: u32,
    /// Software makes such a word of its fields.
    #[serde(default)]
    pub(crate) composed: bool,
    pub(crate) what: String,
    #[serde(rename = "field")]
    pub(crate) fields: Vec<Field>,
}

/// Part of a layout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// Its lowest bit.
    pub(crate) at: u32,
    #[serde(default = "one")]
    pub(crate) width: u32,
    pub(crate) needs: Option<String>,
    pub(crate) what: String,
}

/// A register, or an array of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Register {
    pub(crate) name: String,
    /// Name of one of an array, if it is another.
    element: Option<String>,
    pub(crate) address: u32,
    pub(crate) array: Option<Array>,
    pub(crate) access: Access,
    /// To read it changes what the task manager holds.
    #[serde(default)]
    pub(crate) changes: bool,
    pub(crate) reset: Option<String>,
    pub(crate) layout: Option<String>,
    pub(crate) needs: Option<String>,
    pub(crate) what: String,
}

/// What numbers the elements, 256 at most, and how many bytes lie between two.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Array {
    pub(crate) of: String,
    pub(crate) stride: u32,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(crate) enum Access {
    #[serde(rename = "read")]
    Read,
    #[serde(rename = "write")]
    Write,
    #[serde(rename = "read, write")]
    Both,
}

const MOST_ELEMENTS: u32 = 256;

fn one() -> u32 {
    1
}

impl Map {
    /// Reads a map, and checks that no two things lie at one place.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Map, String> {
        let map: Map = toml::from_str(text).map_err(|error| error.to_string())?;
        map.layouts.iter().try_for_each(Layout::check)?;
        map.check_registers()?;
        Ok(map)
    }

    /// The layout of a register that has one.
    pub(crate) fn layout_of(&self, register: &Register) -> Option<&Layout> {
        let name = register.layout.as_ref()?;
        self.layouts.iter().find(|layout| layout.name == *name)
    }

    fn check_registers(&self) -> Result<(), String> {
        let mut taken = vec![None; 1 << (self.address_bits - 2)];
        for register in &self.registers {
            let name = &register.name;
            if register.layout.is_some() && self.layout_of(register).is_none() {
                return Err(format!("{name}: there is no such layout"));
            }
            for address in register.addresses() {
                if address % 4 != 0 {
                    return Err(format!("{name}: {address:#x} is no address of a word"));
                }
                let Some(place) = taken.get_mut(address as usize / 4) else {
                    return Err(format!("{name}: {address:#x} lies outside of the map"));
                };
                if let Some(other) = place.replace(name) {
                    return Err(format!("{name} and {other} both lie at {address:#x}"));
                }
            }
        }
        Ok(())
    }
}

impl Layout {
    fn check(&self) -> Result<(), String> {
        let mut taken = 0;
        for field in &self.fields {
            let mask = u64::from(field.mask()) << field.at;
            let name = format!("{}.{}", self.name, field.name);
            if mask >> self.bits != 0 {
                return Err(format!("{name} lies outside of the {} bits", self.bits));
            }
            if taken & mask != 0 {
                return Err(format!("{name} shares a bit with another field"));
            }
            taken |= mask;
        }
        Ok(())
    }
}

impl Field {
    /// As many ones as it has bits.
    pub(crate) fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.width)
    }

    pub(crate) fn is_bit(&self) -> bool {
        self.width == 1
    }
}

impl Register {
    /// Name of one of an array.
    pub(crate) fn element(&self) -> &str {
        self.element.as_ref().unwrap_or(&self.name)
    }

    /// Of all of its elements.
    fn addresses(&self) -> impl Iterator<Item = u32> {
        let (count, stride) = match &self.array {
            Some(array) => (MOST_ELEMENTS, array.stride),
            None => (1, 0),
        };
        (0..count).map(move |element| self.address + stride * element)
    }
}

impl Access {
    pub(crate) fn reads(self) -> bool {
        self != Access::Write
    }

    pub(crate) fn writes(self) -> bool {
        self != Access::Read
    }
}

/// A name in another case, its words apart by `_`: `KeyBits` is `key_bits`.
pub(crate) fn snake(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// The same in capitals.
pub(crate) fn capitals(name: &str) -> String {
    snake(name).to_uppercase()
}

/// A text in comment lines of 100 columns at most, each after the same prefix, in which names
/// stand as they do in the page, but for `*`.
pub(crate) fn comment(prefix: &str, text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::from(prefix);
    let plain = text.replace('*', "");
    for word in plain.split(' ') {
        if line.len() + 1 + word.len() > 100 {
            lines += &line;
            lines.push('\n');
            line = String::from(prefix);
        }
        line.push(' ');
        line += word;
    }
    lines + &line + "\n"
}
