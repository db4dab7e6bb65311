//! Messages, requests and servers.

mod stage;

mod bytes;
mod ends;
mod messages;
mod planted;
mod random;
mod requests;
mod servers;
