//! Schedulability of microcode: what a module's E code demands, and whether it
//! can be met.
//!
//! ```text
//!  module --> Program --> ECode: the reactions of each block
//!                            |
//!   worst-case times --> walk: every way the program can go, scheduled by a
//!                            |  strategy; verdict and witness
//!                            v
//!              Walked --> Round: the schedule of a program that always does
//!                            |   the same
//!                            v
//!          generate --> SCode --> attach: a module of E code and S code
//!                         ^          |
//!   a recorded run --> recorded      |
//!                                    |
//!                                    v
//!                                  check: is it time-safe, of which class?
//! ```
//! Pure functions: a verdict comes with what shows it. Every verdict assumes
//! that drivers take no time, nor the kernel unless its time is charged to jobs,
//! that one hart runs the tasks of this module only, and that no job runs longer
//! than its worst-case time. Several modules of one hart are made one by
//! [`compose`]. What several harts with one queue can do is asked of [`global`](mod@global).
//!
//! Symbolic execution is control-sensitive: where code branches, both ways are
//! gone. Tests of ports are taken to answer anything at any time; the verdict
//! "not schedulable" therefore means that guards *can* answer so that a job is
//! late.

#![forbid(unsafe_code)]

pub mod agenda;
pub mod attach;
pub mod check;
pub mod compose;
pub mod ecode;
pub mod generate;
pub mod global;
pub mod job;
pub mod kernel_time;
pub mod nonpreemptive;
pub mod periodic;
pub mod program;
pub mod quantity;
pub mod recorded;
pub mod round;
mod scan;
pub mod scode;
pub mod sensitivity;
pub mod slots;
pub mod timeline;
pub mod times;
pub mod walk;

pub use attach::{AttachError, attach, fill_idle};
pub use check::{Checked, Class, Safety, check, check_module, is_safe_in_all_phases};
pub use compose::{NotComposable, Part, compose};
pub use ecode::{ECode, Reaction, Release};
pub use generate::{Kind, NoSCode, generate, lacking, walk_without_preemption};
pub use global::{Global, Policy, Says, global};
pub use kernel_time::{Charged, Costs, Uncharged, charge};
pub use periodic::{Demand, Periodic, periodic, qpa, responses};
pub use program::{NotAnalysable, Program, Unreadable};
pub use recorded::{Decision, NotRecorded, recorded};
pub use sensitivity::{greatest_factor, greatest_factor_of};
pub use slots::{NoSlots, slots};
pub use times::{Times, TimesError};
pub use walk::{Strategy, Verdict, Walked, walk, walk_on};
