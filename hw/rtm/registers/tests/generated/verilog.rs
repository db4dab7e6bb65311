//! The map as a package in SystemVerilog.

use std::fmt::Write;

use crate::map::{Field, Map, comment};

const HEAD: &str = "\
// The register map of the task manager: bits, and byte addresses.
//
// Generated from `registers.toml`, which says more of each.

package rtm_pkg;
";

/// The package: of each field its lowest bit, under the name of its layout and its own.
pub(crate) fn package(map: &Map) -> String {
    let mut text = String::from(HEAD);
    for layout in &map.layouts {
        text += "\n";
        text += &comment("  //", &layout.what);
        let name = |field: &Field| format!("{}{}", layout.name, field.name);
        let fields = layout.fields.iter();
        add(
            &mut text,
            "int unsigned",
            fields.map(|field| (name(field), field.at.to_string())),
        );
    }
    let bits = map.address_bits;
    text += "\n  // Bits of an address, and addresses.\n";
    add(
        &mut text,
        "int unsigned",
        [("AddressW".to_owned(), bits.to_string())],
    );
    text += "\n";
    let value = |address: u32| format!("{bits}'h{address:04X}");
    let registers = map
        .registers
        .iter()
        .map(|register| (register.name.clone(), value(register.address)));
    add(&mut text, &format!("logic [{}:0]", bits - 1), registers);
    text + "\nendpackage\n"
}

/// Constants of one type, one below the other.
fn add(text: &mut String, kind: &str, all: impl IntoIterator<Item = (String, String)>) {
    let all: Vec<_> = all.into_iter().collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in all {
        let _ = writeln!(text, "  localparam {kind} {name:width$} = {value};");
    }
}
