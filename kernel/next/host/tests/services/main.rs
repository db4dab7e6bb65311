//! Mutexes, semaphores, conditions, ceilings, priorities: what each promises, and the
//! rules of KERNEL 7 that keep it right.

mod locks;
#[allow(dead_code)] // the tests of single calls are not all here yet
mod stage;
