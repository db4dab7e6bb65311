//! Software and hardware have the same register map.

use giornata_rtm::register::{self, status};

/// What `rtm_pkg.sv` says of a name.
fn number(name: &str) -> u32 {
    let text = include_str!("../rtl/rtm_pkg.sv");
    let is_it = |line: &&str| line.split_whitespace().rev().nth(2) == Some(name);
    let line = text.lines().map(str::trim).find(is_it);
    let line = line.unwrap_or_else(|| panic!("{name} is not in rtm_pkg.sv"));
    let value = line.rsplit_once("= ").unwrap().1.trim_end_matches(';');
    match value.split_once("'h") {
        Some((_, digits)) => u32::from_str_radix(digits, 16).unwrap(),
        None => value.parse().unwrap(),
    }
}

#[test]
fn addresses_are_those_of_the_hardware() {
    let addresses = [
        ("Records", register::RECORDS),
        ("RecordBytes", register::RECORD_BYTES),
        ("Top", register::TOP),
        ("Advance", register::ADVANCE),
        ("Expired", register::EXPIRED),
        ("Next", register::NEXT),
        ("Cause", register::CAUSE),
        ("Enable", register::ENABLE),
        ("Tick", register::TICK),
        ("Config", register::CONFIG),
        ("Waiter", register::WAITER),
        ("Release", register::RELEASE),
        ("Keys", register::KEYS),
    ];
    for (name, address) in addresses {
        assert_eq!(number(name), u32::from(address), "{name}");
    }
}

#[test]
fn bits_are_those_of_the_hardware() {
    let statuses = [
        ("StatusValid", status::VALID),
        ("StatusDelayed", status::DELAYED),
        ("StatusEvent", status::EVENT),
        ("StatusSuspended", status::SUSPENDED),
        ("StatusTimed", status::TIMED),
        ("StatusExpired", status::EXPIRED),
        ("StatusStamped", status::STAMPED),
    ];
    let statuses = statuses.map(|(name, bit)| (name, u32::from(bit)));
    let others = [
        ("CauseDelay", register::CAUSE_DELAY),
        ("CauseTop", register::CAUSE_TOP),
        ("AnswerNone", register::NONE),
    ];
    for (name, bit) in statuses.into_iter().chain(others) {
        assert_eq!(1 << number(name), bit, "{name}");
    }
}
