//! The map as a page of the book.

use std::fmt::Write;

use crate::map::{Field, Layout, Map, Register, capitals};

const HEAD: &str = "\
# Registers of the task manager

The [task manager in hardware](../hw/rtm/README.md) takes 8 KiB of addresses. All registers are words of 32 bits; bytes of a record, of its delay and of its key can be written by themselves. Where there is no register, a read returns 0 and a write does nothing; so it is with a register or a bit whose parameter, named under *needs*, is not set.

For software these are `hw/rtm/include/rtm.h` in C and C++, and the crate `giornata-rtm-registers` in Rust. They, the package of the hardware and this page are made of `hw/rtm/registers.toml`.

| address | register | access | after a reset | holds | needs |
|---|---|---|---|---|---|
";

/// The page: a table of registers, and one for each layout.
pub(crate) fn page(map: &Map) -> String {
    let mut text = String::from(HEAD);
    map.registers
        .iter()
        .for_each(|register| add_register(&mut text, register));
    text += "\nA register that is read with effect should not be shown by a debugger.\n";
    for layout in &map.layouts {
        add_layout(&mut text, layout);
    }
    text
}

fn add_register(text: &mut String, register: &Register) {
    let mut address = format!("{:#06X}", register.address).replace("0X", "0x");
    if let Some(array) = &register.array {
        let _ = write!(address, " + {} × {}", array.stride, array.of);
    }
    let read = match (register.access.reads(), register.changes) {
        (false, _) => None,
        (true, false) => Some("read"),
        (true, true) => Some("read with effect"),
    };
    let write = register.access.writes().then_some("write");
    let access: Vec<&str> = read.into_iter().chain(write).collect();
    let layout = match &register.layout {
        Some(name) => format!(" [{name}](#{})", name.to_lowercase()),
        None => String::new(),
    };
    let _ = writeln!(
        text,
        "| {address} | `{}` | {} | {} | {}{layout} | {} |",
        capitals(&register.name),
        access.join(", "),
        register.reset.as_deref().unwrap_or(""),
        register.what,
        needed(&register.needs)
    );
}

fn add_layout(text: &mut String, layout: &Layout) {
    let _ = writeln!(
        text,
        "\n## {}\n\n{}\n\n| bits | name | meaning | needs |\n|---|---|---|---|",
        layout.name, layout.what
    );
    for field in &layout.fields {
        let _ = writeln!(
            text,
            "| {} | `{}` | {} | {} |",
            bits(field),
            capitals(&field.name),
            field.what,
            needed(&field.needs)
        );
    }
}

fn bits(field: &Field) -> String {
    match field.is_bit() {
        true => field.at.to_string(),
        false => format!("{}:{}", field.at + field.width - 1, field.at),
    }
}

fn needed(parameter: &Option<String>) -> String {
    let name = parameter.iter().map(|name| format!("`{name}`"));
    name.collect()
}
