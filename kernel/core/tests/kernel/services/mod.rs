//! Services: mutexes, semaphores and conditions, against a model and by name.

mod ceilings;
mod ends;
mod garbage;
mod inversions;
mod model;
mod objects;
mod programs;
mod property;
mod stage;
