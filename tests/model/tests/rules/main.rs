//! The rules of the kernel's second design that concern services, shown by the model.

mod calls;
mod fairness;
mod limits;
mod lives;
mod locks;
mod parking;
mod posix;
mod restarted;
mod stage;
