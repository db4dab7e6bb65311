//! Hostile processes. None of this may change what their neighbours do.
//!
//! The `attacker` goes through a list of attacks, one for each of its lives:
//! it is restarted after every fault, and the generation of its thread's id
//! says which attack is next. An attack that it outlives ends in a panic that
//! says so. The other functions never end by themselves.

#![cfg(target_os = "none")]
#![no_std]

mod attacks;
mod control_page;
mod floating;
mod instruction;
mod loops;
mod upcall;

use giornata_rt::process;

use attacks::{attack, read_registers, write_registers};
use control_page::{forge_job, raise_ceiling, scribble_page};
use floating::{keep_secrets, look_for_leaks};
use loops::{count_for_ever, flood_kernel, flood_yields, loop_for_ever, overrun, recurse_for_ever};
use upcall::{
    answer_nothing, ask_kernel, fault_upcall, flood_upcall, leave_upcall, no_never, no_result,
    overflow_upcall, panic_upcall, spin_upcall, take_readings,
};

process! {
    tasks: [overrun, take_readings],
    drivers: [
        spin_upcall, flood_upcall, fault_upcall, panic_upcall, overflow_upcall, ask_kernel, leave_upcall, answer_nothing,
        no_result, no_never,
    ],
    threads: [
        attack, read_registers, write_registers, scribble_page, forge_job, raise_ceiling, keep_secrets, look_for_leaks,
        count_for_ever, loop_for_ever, flood_kernel, flood_yields, recurse_for_ever,
    ],
}
