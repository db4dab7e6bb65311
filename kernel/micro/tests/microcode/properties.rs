//! Replaced below.
