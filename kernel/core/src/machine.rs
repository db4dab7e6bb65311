//! The E/S machine, which runs the programs of the system.

pub(crate) use giornata_micro::Machine;
