//! Messages, requests and servers.

mod stage;

mod messages;
