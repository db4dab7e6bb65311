//! The lock that several harts share, as `lock.s` has it: its own instructions, run by two harts
//! (of three, two that wait would have to be kept from waiting for each other for ever) in every
//! order that RISC-V's memory model allows them (a fence of the manual's table of
//! mappings stands for that of C11).
//!
//! One hart at a time is inside and sees what those before it wrote, and harts come inside in the
//! order of their tickets. Without either fence they do not.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::sync::atomic::{AtomicU32, fence};
use loom::thread;

/// Where a macro ends, if there are instructions behind that.
const END: &str = "end";

/// The instructions of a macro, those of macros in it among them.
fn body(text: &str, name: &str) -> Vec<String> {
    let begin = format!(".macro {name} ");
    let lines = text.lines().skip_while(|line| !line.starts_with(&begin));
    let lines = lines.skip(1).take_while(|line| *line != ".endm");
    let mut code = Vec::new();
    for line in lines {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            // (what is out of the way lies behind the end)
            [".subsection", ..] => code.push(END.to_owned()),
            [first, ..] if first.starts_with('.') => {}
            // (registers have the same names there)
            [inner, ..] if text.contains(&format!(".macro {inner} ")) => {
                code.extend(body(text, inner));
            }
            _ => code.push(words.join(" ")),
        }
    }
    code
}

/// The words of the lock, and what it protects: how many harts have been inside.
struct Shared {
    next: AtomicU32,
    serving: AtomicU32,
    entered: UnsafeCell<u32>,
}

// SAFETY: what is protected is reached by whoever has the lock; loom finds out if not.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

/// A hart's registers.
type Registers = HashMap<String, u32>;

/// Where a jump leads. (Each label is there once.)
fn target(code: &[String], to: &str) -> usize {
    let label = format!("{}:", &to[..1]);
    let place = code.iter().position(|line| *line == label);
    place.unwrap_or_else(|| panic!("no label {to} in {code:?}"))
}

/// Runs a macro. Returns the ticket, if it draws one.
fn run(code: &[String], shared: &Shared) -> Option<u32> {
    let (mut registers, mut at, mut ticket) = (Registers::new(), 0, None);
    while let Some(line) = code.get(at) {
        at += 1;
        let (operation, operands) = line.split_once(' ').unwrap_or((line, ""));
        let operands: Vec<&str> = operands.split(", ").collect();
        let value = |name: &str| registers.get(name).copied().unwrap_or(0);
        match (operation, &*operands) {
            (END, _) => break,
            ("5:" | "6:" | "7:", _) | ("li", [_, "{LOCK}"]) => {}
            ("li", [to, number]) => {
                registers.insert((*to).into(), number.parse().unwrap());
            }
            ("amoadd.w.aq", [to, from, _]) => {
                let drawn = shared.next.fetch_add(value(from), Acquire);
                registers.insert((*to).into(), drawn);
                ticket = Some(drawn);
            }
            ("lw", [to, place]) if place.starts_with("4(") => {
                registers.insert((*to).into(), shared.serving.load(Relaxed));
            }
            ("bne", [a, b, to]) => {
                if value(a) != value(b) {
                    thread::yield_now();
                    at = target(code, to);
                }
            }
            ("j", [to]) => at = target(code, to),
            ("fence", ["r", "rw"]) => fence(Acquire),
            ("fence", ["rw", "w"]) => fence(Release),
            ("addi", [to, from, number]) => {
                let number: u32 = number.parse().unwrap();
                registers.insert((*to).into(), value(from) + number);
            }
            ("sw", [from, place]) if place.starts_with("4(") => {
                shared.serving.store(value(from), Relaxed);
            }
            // (who has the lock says so, in a word that it protects)
            ("SAVE", ["sp", ..]) => shared.entered.with_mut(|_| {}),
            _ => panic!("lock.s has an instruction that is not known here: {line}"),
        }
    }
    ticket
}

/// Two harts come inside, one of them again.
fn check(change: fn(&mut Vec<String>, &mut Vec<String>)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("../arch-riscv/src/machine/lock.s");
    let text = fs::read_to_string(file).unwrap();
    let (mut take, mut give) = (body(&text, "TAKE_LOCK"), body(&text, "GIVE_LOCK"));
    assert!(take.len() > 4 && give.len() > 3, "{take:?} {give:?}");
    change(&mut take, &mut give);
    let model = loom::model::Builder::new();
    model.check(move || {
        let shared = Arc::new(Shared {
            next: AtomicU32::new(0),
            serving: AtomicU32::new(0),
            entered: UnsafeCell::new(0),
        });
        let hart = |shared: Arc<Shared>, take: Vec<String>, give: Vec<String>| {
            let ticket = run(&take, &shared).unwrap();
            let entered = shared.entered.with_mut(|entered| {
                // SAFETY: this hart has the lock; loom finds out if another has it too.
                let entered = unsafe { &mut *entered };
                std::mem::replace(entered, *entered + 1)
            });
            assert_eq!(entered, ticket, "in the order of tickets");
            run(&give, &shared);
        };
        let other = {
            let (shared, take, give) = (shared.clone(), take.clone(), give.clone());
            thread::spawn(move || hart(shared, take, give))
        };
        hart(shared.clone(), take.clone(), give.clone());
        hart(shared, take.clone(), give.clone());
        other.join().unwrap();
    });
}

fn without(code: &mut Vec<String>, line: &str) {
    let before = code.len();
    code.retain(|other| other != line);
    assert_eq!(code.len() + 1, before, "{line}");
}

#[test]
fn one_hart_at_a_time_is_inside_in_the_order_of_tickets() {
    check(|_, _| {});
}

#[test]
#[should_panic(expected = "Causality violation")]
fn whoever_comes_inside_needs_its_fence() {
    check(|take, _| without(take, "fence r, rw"));
}

#[test]
#[should_panic(expected = "Causality violation")]
fn whoever_leaves_needs_its_fence() {
    check(|_, give| without(give, "fence rw, w"));
}
