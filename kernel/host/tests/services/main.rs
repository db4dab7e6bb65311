//! Mutexes, semaphores, conditions, ceilings, priorities: what each promises, and the
//! rules of KERNEL 7 that keep it right.

mod ceilings;
mod conditions;
mod cpu_clocks;
mod crowds;
mod deadlines;
mod deaths;
mod helping;
mod interrupts;
mod limits;
mod locks;
mod priorities;
mod protection;
mod random;
mod semaphores;
mod slots;
mod sporadic;
mod stage;
mod words;
