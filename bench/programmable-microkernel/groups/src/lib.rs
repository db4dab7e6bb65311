//! Tasks that compute for a set time. Each of the four groups of a measured
//! system is a process of this crate.

#![no_std]

mod lengths;

use core::sync::atomic::{AtomicU32, Ordering};

use bench_marks::{ENDED, STARTED, mark};
use giornata_rt::{process, task, thread};

use lengths::LENGTHS;

/// Turns of a job, once a thread has set them.
static TURNS: AtomicU32 = AtomicU32::new(0);

/// Turns that take a microsecond at 100 MHz, where the loop lies in a cache: a
/// turn is a count and a jump.
const TURNS_IN_MICROSECOND: u32 = 33;

/// Computes without branches that depend on anything.
fn job() {
    mark::<STARTED>();
    spin(TURNS.load(Ordering::Relaxed));
    mark::<ENDED>();
}

/// Goes round so often.
#[inline(never)]
fn spin(turns: u32) {
    #[cfg(target_os = "none")]
    // SAFETY: it changes the one register and no memory.
    unsafe {
        core::arch::asm!(
            ".balign 16",
            "2:",
            "addi {turns}, {turns}, -1",
            "bnez {turns}, 2b",
            turns = inout(reg) turns.max(1) => _,
            options(nomem, nostack),
        );
    }
    #[cfg(not(target_os = "none"))]
    core::hint::black_box(turns);
}

/// Tasks that differ in name alone, threads that set the length of their jobs,
/// and the table of both.
macro_rules! groups {
    (jobs: [$($job:ident),* $(,)?], lengths: [$($length:ident),* $(,)?] $(,)?) => {
        $(
            #[task]
            fn $job() {
                job();
            }
        )*

        $(
            #[thread]
            fn $length() {
                set(stringify!($length));
            }
        )*

        process! {
            tasks: [$($job),*],
            threads: [$($length),*],
        }
    };
}

fn set(name: &str) {
    if let Some((_, micros)) = LENGTHS.iter().find(|(length, _)| *length == name) {
        TURNS.store(micros * TURNS_IN_MICROSECOND, Ordering::Relaxed);
    }
}

groups! {
    jobs: [
        job_00, job_01, job_02, job_03, job_04, job_05, job_06, job_07, job_08, job_09,
        job_10, job_11, job_12, job_13, job_14, job_15, job_16, job_17, job_18, job_19,
        job_20, job_21, job_22, job_23, job_24, job_25, job_26, job_27, job_28, job_29,
        job_30, job_31, job_32, job_33, job_34, job_35, job_36, job_37, job_38, job_39,
        job_40, job_41, job_42, job_43, job_44, job_45, job_46, job_47, job_48, job_49,
        job_50, job_51, job_52, job_53, job_54, job_55, job_56, job_57, job_58, job_59,
        job_60, job_61, job_62, job_63, job_64, job_65, job_66, job_67, job_68, job_69,
        job_70, job_71, job_72, job_73, job_74, job_75, job_76, job_77, job_78, job_79,
        job_80, job_81, job_82, job_83, job_84, job_85, job_86, job_87, job_88, job_89,
        job_90, job_91, job_92, job_93, job_94, job_95, job_96, job_97, job_98, job_99,
    ],
    lengths: [
        long_4, long_10, long_50, long_100,
        medium_4, medium_10, medium_50, medium_100,
        short_4, short_10, short_50, short_100,
    ],
}
