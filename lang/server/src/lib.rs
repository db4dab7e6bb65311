//! A language server for Giotto and Psi: what the compiler finds, while a program is written;
//! where a name is declared and used; and at which instants what it names happens.
//!
//! It speaks the Language Server Protocol over the standard input and output, keeps the
//! texts that the editor has open, and asks the compiler anew at every change: a program
//! of a thousand lines is compiled in milliseconds.

mod place;
mod server;

pub use server::{Stopped, serve, serve_over};
