//! Stages a module from the server's memory in the kernel and requests the change.
//!
//! The kernel reserves two rooms for the records of each replaceable program, the one in
//! use and the spare one; a change swaps them. A module that is staged without a request
//! for the change never runs, and stays in the spare room until the next one overwrites it.

use giornata_abi::linked::Times;
use giornata_abi::load::{How, MOST, RECORD, Section};
use giornata_abi::module::Module;
use giornata_abi::{Error, Record};
use giornata_hostlink_wire::Code;
use giornata_microcode::interface::{self, LinkedModule};

use crate::facts::Facts;
use crate::place::{Bytes, Coming, Place};
use crate::programs::Programs;
use crate::server::{Memory, Server};
use crate::words::{Refused, refuse, refuse_by_kernel};

impl Server<'_, '_> {
    /// Checks whether the module in `bytes` may replace the program; returns the
    /// description that a change needs. Costs as much as the verifier.
    pub(crate) fn inspect(
        &mut self,
        index: usize,
        bytes: Bytes,
        programs: &mut impl Programs,
    ) -> Result<Coming, Refused> {
        let place = self.places.get(index);
        let Some((place, file)) = place.and_then(|place| Some((place, place.bytes(bytes)?))) else {
            return Ok(Coming::NOTHING);
        };
        let (linked, times) = link(place, file, &mut self.memory, programs.hertz())?;
        Ok(Coming {
            bytes,
            frame: linked.frame(&times),
            facts: Some(Facts::of(&linked)),
            asked: None,
        })
    }

    /// Holds an inspected module for a later change.
    pub(crate) fn hold(&mut self, index: usize, coming: Coming) {
        if let Some(place) = self.places.get_mut(index) {
            place.coming = Some(coming);
        }
    }

    /// Stages an inspected module and requests the change. `before`: the kernel's
    /// count of changes so far.
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
        self.stage_and_ask(index, &coming, how, programs)?;
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

    /// Writes the records of a module into the spare room of its program.
    fn stage(
        &mut self,
        index: usize,
        bytes: Bytes,
        programs: &mut impl Programs,
    ) -> Result<(), Refused> {
        let place = self.places.get(index);
        let Some((place, file)) = place.and_then(|place| Some((place, place.bytes(bytes)?))) else {
            return Ok(());
        };
        let (linked, times) = link(place, file, &mut self.memory, programs.hertz())?;
        let staged = stage(place.program, &linked, &times, programs);
        staged.map_err(|error| refuse_by_kernel("stage the module", error))
    }
}

/// Checks a whole module: frame, contents, names, limits, durations.
fn link<'m>(
    place: &Place<'_>,
    file: &'m [u8],
    memory: &'m mut Memory<'_>,
    hertz: u32,
) -> Result<(LinkedModule<'m>, Times), Refused> {
    let module = Module::parse(file)
        .map_err(|error| refuse(Code::Module, format_args!("{error}; build it again")))?;
    let (scratch, map) = (&mut *memory.scratch, &mut *memory.map);
    let linked = interface::link(module, &place.interface, &place.limits, scratch, map)
        .map_err(|error| refuse(Code::Unfit, format_args!("{error}")))?;
    match linked.times(hertz) {
        Some(times) => Ok((linked, times)),
        None => Err(refuse(
            Code::Unfit,
            format_args!("its durations divide the ticks of this timer, {hertz} Hz, too finely"),
        )),
    }
}

fn stage(
    program: u16,
    linked: &LinkedModule<'_>,
    times: &Times,
    programs: &mut impl Programs,
) -> Result<(), Error> {
    let frame = linked.frame(times);
    let instructions = (0..frame.instructions).map_while(|at| linked.staged_instruction(at, times));
    stage_all(program, Section::Instructions, instructions, programs)?;
    let predicates = (0..frame.predicates).map_while(|at| linked.staged_predicate(at, times));
    stage_all(program, Section::Predicates, predicates, programs)
}

/// Writes the records of a section, as many in each call as fit.
fn stage_all<R: Record>(
    program: u16,
    section: Section,
    records: impl Iterator<Item = R>,
    programs: &mut impl Programs,
) -> Result<(), Error> {
    let (mut piece, mut length, mut place) = ([0; MOST], 0, 0);
    let mut records = records.peekable();
    while let Some(record) = records.next() {
        record.encode(&mut |bytes| {
            if let Some(target) = piece.get_mut(length..length + bytes.len()) {
                target.copy_from_slice(bytes);
                length += bytes.len();
            }
        });
        if length == MOST || records.peek().is_none() {
            let whole = piece.get(..length).unwrap_or(&[]);
            programs.stage(program, section, place, whole)?;
            place += length / RECORD;
            length = 0;
        }
    }
    Ok(())
}
