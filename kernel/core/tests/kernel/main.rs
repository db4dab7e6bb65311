//! The kernel's core on the simulated board: what it does, by name, and that
//! nothing random breaks it.

mod ahead;
mod calls;
mod clock;
mod dice;
mod interrupts;
mod lives;
mod load;
mod mailboxes;
mod ports;
mod processes;
mod random;
mod renewal;
mod rig;
mod scheduling;
mod services;
mod succession;
mod tasks;
mod words;
