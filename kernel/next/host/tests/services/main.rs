//! Mutexes, semaphores, conditions, ceilings, priorities: what each promises, and the
//! rules of KERNEL 7 that keep it right.

mod locks;
mod stage;
