//! What the kernel needs of a board besides memory: without it, it cannot be built.

use super::Device;
use crate::problem::{Findings, suggest};
use crate::section::Section;

/// The timer that each hart has.
const TIMER: &str = "clint";
/// The feature of a kernel whose interrupts come through a controller, and its device.
const CONTROLLER: &str = "plic";
/// The part of the kernel whose queues are on the task manager, which is a device.
const RTM: &str = "rtm";
const TASK_MANAGER: &str = "task-manager";
/// Features that a kernel on several harts needs, or cannot have (true), why, and the mend.
const ON_SEVERAL: [(&str, bool, &str, &str); 2] = [
    (
        "atomics",
        false,
        "several harts share the kernel by atomic instructions, which the board has not",
        "say `harts = 1`, or name the feature `atomics` if they have them",
    ),
    (
        RTM,
        true,
        "the queues of a task manager are those of one hart",
        "say `harts = 1`",
    ),
];
/// What the end of the kernel's memory is a multiple of: the records begin there.
const PAGE: u32 = 0x1000;

/// Refuses what is missing in `[kernel]`, and devices that it names and are not there.
pub(super) fn check(
    findings: &mut Findings,
    kernel: &Section<'_>,
    (base, size): (u32, u32),
    features: &[String],
    devices: &[Device],
) {
    for key in ["console", "exit"] {
        if let Some(name) = kernel.needed(findings, key, "\"uart0\"")
            && devices.iter().all(|device| device.name != *name.get_ref())
        {
            let known = devices.iter().map(|device| device.name.as_str());
            let reason = format!("`{key}` names no device of the board");
            findings.refuse(name.span(), reason, suggest(name.get_ref(), known));
        }
    }
    if !base.wrapping_add(size).is_multiple_of(PAGE) {
        let reason =
            "the kernel's memory ends within a page, and the records of the system lie behind it";
        let mend = "take a `base` and a `size` that are multiples of 0x1000";
        findings.refuse(kernel.span(), reason, mend);
    }
    kernel.needed_number(findings, "cycle-hertz", "10_000_000");
    if let Some(harts) = kernel.number(findings, "harts")
        && *harts.get_ref() > 1
    {
        for (feature, is_wrong, reason, mend) in ON_SEVERAL {
            let has = features.iter().any(|own| own == feature);
            if has == is_wrong {
                findings.refuse(harts.span(), reason, mend);
            }
        }
    }
    let mut needed = vec![TIMER];
    if features.iter().any(|feature| feature == CONTROLLER) {
        needed.push(CONTROLLER);
        kernel.needed_number(findings, "plic-context", "0");
    }
    if features.iter().any(|feature| feature == RTM) {
        needed.push(TASK_MANAGER);
        kernel.needed_number(findings, "task-records", "64");
    }
    for name in needed {
        if devices.iter().all(|device| device.name != name) {
            let reason = format!("the board has no device `{name}`, which the kernel needs");
            let mend = format!("add `[devices.{name}]` with `base` and `size`");
            findings.refuse(kernel.span(), reason, mend);
        }
    }
}
