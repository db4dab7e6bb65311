//! The meaning of microcode, a named test for every rule, in a world of
//! virtual time.

mod events;
mod instants;
mod instructions;
mod listings;
mod predicates;
mod programs;
mod properties;
mod scheduling;
mod support;
mod upcalls;
mod violations;
