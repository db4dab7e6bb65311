//! Changes of programs, in a kernel that cannot make any: none.

use crate::{Kernel, Machine, Program, Ref};

impl Kernel {
    pub(crate) fn ripen<M: Machine>(&self, _: Ref<Program>) {}

    pub(crate) fn consider_changes<M: Machine>(&self) {}
}
