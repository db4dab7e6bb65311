//! Mailboxes: messages, clients that wait for an answer, threads that serve them.
//!
//! The usual cases of the calls lie in `mailbox`. Each declines before it has changed
//! anything; `sending`, `receiving` and `request` carry out what is unusual.

#[cfg(feature = "mail")]
pub(crate) mod invariants;
#[cfg(feature = "mail")]
pub(crate) mod mailbox;
#[cfg_attr(not(feature = "mail"), allow(dead_code))]
pub mod message;
#[cfg(not(feature = "mail"))]
pub(crate) mod none;
#[cfg(feature = "mail")]
pub(crate) mod receiving;
#[cfg(feature = "mail")]
pub(crate) mod request;
#[cfg(feature = "mail")]
pub(crate) mod sending;
#[cfg(feature = "mail")]
pub(crate) mod server;
#[cfg(feature = "mail")]
pub(crate) mod undeliverable;

// (general calls ask for messages that are on their way)
#[cfg(all(feature = "services", not(feature = "mail")))]
pub(crate) use none as mailbox;
