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
mod devices;
mod filters;
mod floating;
mod instruction;
mod job;
mod loops;
mod shared;
mod upcall;

use giornata_rt::process;

use attacks::{attack, read_registers, write_registers};
use control_page::{forge_job, raise_ceiling, scribble_page};
use devices::attack_devices;
use filters::{dregs, eat, feed, meddle, pour, spoil};
use floating::{keep_secrets, look_for_leaks};
use loops::{count_for_ever, flood_kernel, flood_yields, loop_for_ever, recurse_for_ever};

process! {
    tasks: [
        job::overrun,
        job::fault_job,
        job::panic_job,
        job::tell_readings,
        job::tell_outputs,
        shared::tell_level,
    ],
    drivers: [
        upcall::spin_upcall,
        upcall::flood_upcall,
        upcall::fault_upcall,
        upcall::panic_upcall,
        upcall::overflow_upcall,
        upcall::ask_kernel,
        upcall::leave_upcall,
        upcall::count_calls,
        shared::fill_tank,
        shared::look_at_tank,
        job::no_result,
        job::no_never,
        job::no_fault,
        job::no_panic,
        job::note_violation,
    ],
    threads: [
        attack,
        attack_devices,
        read_registers,
        write_registers,
        scribble_page,
        forge_job,
        raise_ceiling,
        keep_secrets,
        look_for_leaks,
        count_for_ever,
        loop_for_ever,
        flood_kernel,
        flood_yields,
        recurse_for_ever,
    ],
    filters: [feed, meddle, eat, pour, spoil, dregs],
}
