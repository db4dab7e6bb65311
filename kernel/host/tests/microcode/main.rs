//! The meaning of microcode, a named test for every rule: modules are assembled,
//! linked, and run by the kernel on the host, and its trace is read as words.

mod classes;
mod copies;
mod events;
mod instants;
mod instructions;
mod listings;
mod load;
mod planted;
mod predicates;
mod programs;
mod properties;
mod scheduling;
mod support;
mod upcalls;
mod violations;
