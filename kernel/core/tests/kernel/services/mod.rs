//! Services: mutexes, semaphores and conditions, against a model and by name; and
//! memory that is shared.

mod ceilings;
mod ends;
mod garbage;
mod hints;
mod inversions;
mod model;
mod objects;
mod programs;
mod property;
mod regions;
mod stage;
