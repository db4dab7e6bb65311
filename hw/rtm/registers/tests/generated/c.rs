//! The map as a header in C.

use std::fmt::Write;

use crate::map::{Field, Layout, Map, Register, capitals, comment, snake};

const HEAD: &str = "\
/*
 * The registers of the task manager in hardware, for C and C++.
 *
 * Accessors take the base address, and a number of a record or an event where there are several.
 * Bytes are those of a little-endian bus.
 *
 * Generated from registers.toml.
 */

#ifndef RTM_H
#define RTM_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

/// The header: addresses, bits, and functions that access registers.
pub(crate) fn header(map: &Map) -> String {
    let mut text = format!("{HEAD}\n/* Addresses in bytes, from the base. */\n\n");
    for register in &map.registers {
        text += &remark(&register.what);
        let name = capitals(&register.name);
        define(&mut text, &name, &format!("{:#06X}u", register.address));
        if let Some(array) = &register.array {
            define(
                &mut text,
                &format!("{name}_STRIDE"),
                &format!("{}u", array.stride),
            );
        }
    }
    for layout in &map.layouts {
        text += "\n";
        text += &remark(&layout.what);
        text += "\n";
        layout
            .fields
            .iter()
            .for_each(|field| add_field(&mut text, layout, field));
        if layout.composed {
            text += &maker(layout);
        }
    }
    text += "\n/* Access. */\n";
    for register in &map.registers {
        text += &accessors(register, "uint32_t", register.element(), 0);
        let bytes = map.layout_of(register).filter(|layout| layout.composed);
        for field in bytes.iter().flat_map(|layout| &layout.fields) {
            text += &accessors(register, "uint8_t", &field.name, field.at / 8);
        }
    }
    text + TAIL
}

fn remark(text: &str) -> String {
    let lines = comment(" *", text);
    let ended = match lines.matches('\n').count() {
        1 => lines.trim_end().replacen(" *", "/*", 1),
        _ => lines.replacen(" *", "/*", 1).trim_end().to_owned(),
    };
    ended + " */\n"
}

fn define(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "#define RTM_{name} {value}");
}

/// A word, or what lies above its lowest bits.
fn shifted(at: u32) -> String {
    match at {
        0 => String::from("word"),
        at => format!("(word >> {at})"),
    }
}

/// Bits are constants, and wider fields functions that take them out of a word.
fn add_field(text: &mut String, layout: &Layout, field: &Field) {
    *text += &remark(&field.what);
    if field.is_bit() {
        let name = format!("{}_{}", capitals(&layout.name), capitals(&field.name));
        define(text, &name, &format!("(UINT32_C(1) << {})", field.at));
    } else {
        let _ = writeln!(
            text,
            "static inline uint32_t rtm_{}_{}(uint32_t word)\n{{\n    return {} & {:#X}u;\n}}",
            snake(&layout.name),
            snake(&field.name),
            shifted(field.at),
            field.mask()
        );
    }
}

fn maker(layout: &Layout) -> String {
    let (mut arguments, mut parts) = (Vec::new(), Vec::new());
    for field in &layout.fields {
        let name = snake(&field.name);
        arguments.push(format!("uint8_t {name}"));
        parts.push(match field.at {
            0 => name,
            at => format!("(uint32_t){name} << {at}"),
        });
    }
    format!(
        "/* The word with these fields. */\nstatic inline uint32_t rtm_{}({})\n{{\n    return {};\n}}\n",
        snake(&layout.name),
        arguments.join(", "),
        parts.join(" | ")
    )
}

/// Functions that read and write a register, or a byte of it.
fn accessors(register: &Register, kind: &str, name: &str, byte: u32) -> String {
    let name = snake(name);
    let mut parameters = String::from("uintptr_t base");
    let mut place = format!("base + RTM_{}", capitals(&register.name));
    if byte != 0 {
        let _ = write!(place, " + {byte}u");
    }
    if let Some(array) = &register.array {
        let _ = write!(parameters, ", uint32_t {}", array.of);
        let _ = write!(
            place,
            " + RTM_{}_STRIDE * {}",
            capitals(&register.name),
            array.of
        );
    }
    let mut text = String::from("\n");
    if register.access.reads() {
        let _ = writeln!(
            text,
            "static inline {kind} rtm_read_{name}({parameters})\n{{\n    \
             return *(volatile {kind} *)({place});\n}}"
        );
    }
    if register.access.writes() {
        let _ = writeln!(
            text,
            "static inline void rtm_write_{name}({parameters}, {kind} value)\n{{\n    \
             *(volatile {kind} *)({place}) = value;\n}}"
        );
    }
    text
}
