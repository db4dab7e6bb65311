//! Psi programs: what their code means, and that any text gets an answer.

mod events;
mod machine;
mod meaning;
mod program;
mod reference;
mod robustness;
mod timeline;
