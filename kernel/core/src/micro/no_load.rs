//! Changes of programs, in a kernel that cannot make any: none.

use crate::{Machine, Program, Ref, System};

impl System {
    pub(crate) fn ripen<M: Machine>(&self, _: Ref<Program>) {}

    pub(crate) fn consider_changes<M: Machine>(&self) {}
}
