//! What a capacity costs, as docs/services.md says it.

use giornata_core::layout::{Record, Shape, Target};
use giornata_core::process::{Image, Process};
use giornata_core::sched::thread::{Place, Thread};
use giornata_core::{Handle, Line, Mail, Message, Object};

/// Bytes of a record where an address has `width` bytes.
fn bytes<T: Record>(width: usize) -> usize {
    let target = Target {
        width,
        several: false,
        streams: false,
    };
    Shape::Record(T::LAYOUT).size(target)
}

/// The table of the page.
fn table() -> String {
    let thread = |width| bytes::<Thread>(width) + bytes::<Place>(width);
    let object = bytes::<Object>;
    let rows: [(&str, &dyn Fn(usize) -> usize); 7] = [
        ("a thread, with its registers", &thread),
        ("a semaphore, mutex or condition", &object),
        ("a mailbox", &|width| object(width) + bytes::<Mail>(width)),
        ("an object, for each process", &bytes::<Handle>),
        ("a message of a process", &bytes::<Message>),
        ("a process, with the thread that ends it", &|width| {
            bytes::<Process>(width) + bytes::<Image>(width) + thread(width)
        }),
        ("an interrupt line", &bytes::<Line>),
    ];
    let mut text = String::from("| one more | 32 bits | 64 bits |\n|---|---|---|\n");
    for (what, price) in rows {
        text += &format!("| {what} | {} | {} |\n", price(4), price(8));
    }
    text
}

#[test]
fn the_page_of_services_says_what_capacities_cost() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/services.md");
    let page = std::fs::read_to_string(page).unwrap();
    let table = table();
    assert!(page.contains(&table), "docs/services.md is to say\n{table}");
}
