//! From a module in the server's memory to a change of the kernel's tables.
//!
//! The kernel has the tables of all programs twice, and a change lets the two
//! banks change places. So what was staged for one program and never asked for
//! would begin to run when another one is changed.
//!
//! The Room Invariant: when a change of a program is asked for, the spare rooms
//! of all others hold what runs in them.

use giornata_abi::load::How;
use giornata_abi::module::Module;
use giornata_hostlink_wire::Code;
use giornata_microcode::interface::{self, LinkedModule};

use crate::facts::Facts;
use crate::place::{Bytes, Coming, Place};
use crate::programs::Programs;
use crate::records;
use crate::server::{Memory, Server};
use crate::words::{Refused, refuse, refuse_by_kernel};

impl Server<'_, '_> {
    /// Whether the module that lies there may take the place; what becomes of it
    /// then. O(the verifier's).
    pub(crate) fn inspect(&mut self, index: usize, bytes: Bytes) -> Result<Coming, Refused> {
        let place = self.places.get(index);
        let Some((place, file)) = place.and_then(|place| Some((place, place.bytes(bytes)?))) else {
            return Ok(Coming::NOTHING);
        };
        let linked = link(place, file, &mut self.memory)?;
        Ok(Coming {
            bytes,
            frame: records::frame(&linked)?,
            facts: Some(Facts::of(&linked)),
            asked: None,
        })
    }

    /// Keeps what has been inspected for a later change.
    pub(crate) fn hold(&mut self, index: usize, coming: Coming) {
        if let Some(place) = self.places.get_mut(index) {
            place.coming = Some(coming);
        }
    }

    /// Stages what has been inspected, and asks for the change. `before`: how
    /// many changes there have been.
    pub(crate) fn change(
        &mut self,
        index: usize,
        coming: Coming,
        how: How,
        before: u32,
        programs: &mut impl Programs,
    ) -> Result<(), Refused> {
        let running = self.places.get(index).and_then(|place| place.running.facts);
        if let (How::CarryOver, Some(facts)) = (how, coming.facts) {
            facts.follow(running.as_ref())?;
        }
        for other in 0..self.places.len() {
            if other != index {
                self.restore(other, programs)?;
            }
        }
        let asked = self.stage_and_ask(index, &coming, how, programs);
        if asked.is_err() {
            // Where it cannot be now, it is before the next change.
            _ = self.restore(index, programs);
        }
        asked?;
        self.counted.changes = self.counted.changes.saturating_add(1);
        self.hold(
            index,
            Coming {
                asked: Some(before),
                ..coming
            },
        );
        Ok(())
    }

    fn stage_and_ask(
        &mut self,
        index: usize,
        coming: &Coming,
        how: How,
        programs: &mut impl Programs,
    ) -> Result<(), Refused> {
        self.stage(index, coming.bytes, programs)?;
        let Some(place) = self.places.get(index) else {
            return Ok(());
        };
        let asked = programs.switch(place.program, &coming.frame, how);
        asked.map_err(|error| refuse_by_kernel("change the program", error))
    }

    /// Makes the spare room of a place hold what runs in it.
    pub(crate) fn restore(
        &mut self,
        index: usize,
        programs: &mut impl Programs,
    ) -> Result<(), Refused> {
        let Some(place) = self.places.get_mut(index).filter(|place| place.is_staged) else {
            return Ok(());
        };
        let status = place.refresh(programs);
        status.map_err(|error| refuse_by_kernel("look at the program", error))?;
        // A change that has happened in the meantime leaves nothing to restore.
        if !place.is_staged {
            return Ok(());
        }
        if place.running.bytes == Bytes::Nowhere {
            return Err(refuse(
                Code::Kernel,
                format_args!(
                    "this server cannot take back what it staged for `{}`; load a module there first",
                    place.name
                ),
            ));
        }
        let running = place.running.bytes;
        self.stage(index, running, programs)?;
        if let Some(place) = self.places.get_mut(index) {
            place.is_staged = false;
        }
        Ok(())
    }

    /// Writes the records of a module into the spare room of its place.
    fn stage(
        &mut self,
        index: usize,
        bytes: Bytes,
        programs: &mut impl Programs,
    ) -> Result<(), Refused> {
        let Some(place) = self.places.get_mut(index) else {
            return Ok(());
        };
        place.is_staged |= bytes != Bytes::Nowhere;
        let Some(file) = place.bytes(bytes) else {
            return Ok(());
        };
        let linked = link(place, file, &mut self.memory)?;
        let staged = records::stage(place.program, &linked, programs);
        staged.map_err(|error| refuse_by_kernel("stage the module", error))
    }
}

/// Checks a module as one: frame, contents, names, limits.
fn link<'m>(
    place: &Place<'_>,
    file: &'m [u8],
    memory: &'m mut Memory<'_>,
) -> Result<LinkedModule<'m>, Refused> {
    let module = Module::parse(file)
        .map_err(|error| refuse(Code::Module, format_args!("{error}; build it again")))?;
    let (scratch, map) = (&mut *memory.scratch, &mut *memory.map);
    interface::link(module, &place.interface, &place.limits, scratch, map)
        .map_err(|error| refuse(Code::Unfit, format_args!("{error}")))
}
