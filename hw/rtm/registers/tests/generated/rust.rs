//! The map as a crate in Rust.

use std::fmt::Write;

use crate::map::{Field, Layout, Map, capitals, comment, snake};

const HEAD: &str = "\
//! The register map of the task manager in hardware: addresses in bytes, from its base, and bits.
//!
//! Generated from `hw/rtm/registers.toml`.

#![no_std]
";

/// The crate: addresses, and a module for each layout.
pub(crate) fn module(map: &Map) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(
        text,
        "\n/// Bits of an address.\npub const ADDRESS_BITS: u32 = {};\n",
        map.address_bits
    );
    for register in &map.registers {
        let name = capitals(&register.name);
        text += &comment("///", &register.what);
        let _ = writeln!(text, "pub const {name}: u16 = {:#06X};", register.address);
        if let Some(array) = &register.array {
            let _ = writeln!(
                text,
                "/// Bytes from one of [`{name}`] to that of the next {}.",
                array.of
            );
            let _ = writeln!(text, "pub const {name}_STRIDE: u16 = {};", array.stride);
        }
    }
    map.layouts.iter().for_each(|layout| add(&mut text, layout));
    text
}

fn add(text: &mut String, layout: &Layout) {
    *text += "\n";
    *text += &comment("///", &layout.what);
    let _ = writeln!(text, "pub mod {} {{", snake(&layout.name));
    let mut members: Vec<String> = Vec::new();
    for field in &layout.fields {
        members.push(match field.is_bit() {
            true => bit(field, layout.bits),
            false => part(field),
        });
    }
    if layout.composed {
        members.push(maker(layout));
    }
    let mut was_constant = true;
    for (index, member) in members.iter().enumerate() {
        let is_constant = !member.contains(" fn ");
        if index != 0 && !(is_constant && was_constant) {
            *text += "\n";
        }
        was_constant = is_constant;
        *text += member;
    }
    *text += "}\n";
}

fn bit(field: &Field, bits: u32) -> String {
    let doc = comment("    ///", &field.what);
    let name = capitals(&field.name);
    format!("{doc}    pub const {name}: u{bits} = 1 << {};\n", field.at)
}

/// Takes a field out of a word.
fn part(field: &Field) -> String {
    let doc = comment("    ///", &field.what);
    let name = snake(&field.name);
    let shifted = match field.at {
        0 => String::from("word"),
        at => format!("(word >> {at})"),
    };
    let kind = format!("u{}", field.width.next_multiple_of(8).next_power_of_two());
    format!(
        "{doc}    pub const fn {name}(word: u32) -> {kind} {{\n        {shifted} as {kind}\n    }}\n"
    )
}

/// Makes a word of its fields, which are bytes.
fn maker(layout: &Layout) -> String {
    let names: Vec<String> = layout.fields.iter().map(|f| snake(&f.name)).collect();
    let arguments: Vec<String> = names.iter().map(|name| format!("{name}: u8")).collect();
    format!(
        "    /// The word with these fields.\n    pub const fn word({}) -> u32 {{\n        \
         u32::from_le_bytes([{}, 0])\n    }}\n",
        arguments.join(", "),
        names.join(", ")
    )
}
