//! Microcode that comes while the system runs.
//!
//! ```text
//!            switch_program          its instant              safe
//!   nothing ----------------> asked -------------> ripe ---------------> settling
//!      ^     stage_program      |     agenda         |  banks are flipped    |
//!      |     fills the spare    | withdraw           | withdraw              |
//!      +----- room -------------+--------------------+---- spare is as new --+
//! ```
//! There are two banks of the tables that microcode lies in. The one that comes
//! is written into the spare bank, which nobody reads; at the safe instant the
//! banks change places, and the program begins anew or goes on with its next
//! round. Before that, whatever was staged for programs that do not change now
//! is undone; after it, what changed is copied to the bank that is spare now, a few
//! records at a time. So nothing of what runs is ever written, and what is
//! refused or broken off leaves no change.
//!
//! An instant is safe when no task of the program has a job that has not
//! completed. To carry ports and phases over, the program must also wait for
//! nothing but its next round, which the new module then begins.

use crate::call::wide;
use crate::core_state::Core;
use crate::hardware::{CHUNK, Hardware};
use crate::kernel::Kernel;
use giornata_abi::call::{Answer, Call};
use giornata_abi::id::NONE;
use giornata_abi::load::{Frame, How, Section, state};
use giornata_abi::system::{FLAG_SPARE, ProgramEntry, SystemHeader};
use giornata_abi::trace::TraceKind;
use giornata_abi::{Error, Instant};
use giornata_micro::{Host, with_bank};

/// Records that one piece of settling copies.
const PIECE: u16 = 4;

/// What is under way; one change at a time.
pub(crate) struct Loading {
    phase: Phase,
    /// Before the banks change places: from here on the room of programs that do
    /// not change is to be as it is in the bank in use, whatever was staged there.
    clearing: Option<Position>,
    /// Changes that have happened.
    changes: u32,
}

/// A record of a section of a program.
#[derive(Clone, Copy)]
struct Position {
    program: u16,
    section: Section,
    place: u16,
}

impl Position {
    const fn start_of(program: u16) -> Position {
        Position {
            program,
            section: Section::Instructions,
            place: 0,
        }
    }

    /// The position `piece` records on, in a section of `count`; `None`: the
    /// program ends.
    fn after(self, piece: u16, count: u16) -> Option<Position> {
        let place = self.place.saturating_add(piece);
        if place < count {
            return Some(Position { place, ..self });
        }
        let section = Section::from_code(self.section as usize + 1)?;
        Some(Position {
            section,
            place: 0,
            ..self
        })
    }
}

#[derive(Clone, Copy)]
enum Phase {
    Nothing,
    /// Not before this instant.
    Asked(Change, Instant),
    Ripe(Change),
    /// From here on the program that changed is to be copied.
    Settling(Position),
}

/// A change that was asked for.
#[derive(Clone, Copy)]
struct Change {
    program: u16,
    how: How,
    frame: Frame,
}

impl Loading {
    pub(crate) const NOTHING: Loading = Loading {
        phase: Phase::Nothing,
        clearing: None,
        changes: 0,
    };

    /// When a change is to be considered that has been asked for.
    pub(crate) fn expected(&self) -> Instant {
        match self.phase {
            Phase::Asked(_, at) => at,
            _ => Instant::NEVER,
        }
    }

    /// Whether a change waits for a safe instant.
    pub(crate) fn is_ripe(&self) -> bool {
        matches!(self.phase, Phase::Ripe(_))
    }

    /// Whether the spare bank is to be brought up to date.
    pub(crate) fn is_settling(&self) -> bool {
        self.clearing.is_some() || self.has_changed()
    }

    fn has_changed(&self) -> bool {
        matches!(self.phase, Phase::Settling(_))
    }

    fn is_of(&self, program: u16) -> bool {
        match self.phase {
            Phase::Nothing => false,
            Phase::Asked(change, _) | Phase::Ripe(change) => change.program == program,
            Phase::Settling(position) => position.program == program,
        }
    }
}

/// Events of the agenda that a system with this head needs for changes.
pub(crate) fn events(header: &SystemHeader) -> usize {
    (header.flags & FLAG_SPARE != 0) as usize
}

/// The first record of a program's section, and how many it has room for.
fn section_of(entry: &ProgramEntry, section: Section) -> (u32, u32) {
    match section {
        Section::Instructions => (entry.code, entry.room),
        Section::Predicates => (entry.predicates.start.into(), entry.predicate_room.into()),
        Section::Durations => (entry.durations.start.into(), entry.duration_room.into()),
    }
}

impl<H: Hardware> Core<'_, H> {
    /// The program of an argument, if the caller may change it.
    fn loadable(&self, thread: u16, program: usize) -> Result<(u16, &ProgramEntry), Error> {
        let entry = self.system.programs.get(program).ok_or(Error::ESRCH)?;
        if entry.loader != self.thread_entry(thread).process {
            return Err(Error::EPERM);
        }
        Ok((program as u16, entry))
    }

    /// A call of a loader.
    #[inline(never)] // seldom made
    pub(crate) fn change_program(
        &mut self,
        thread: u16,
        call: Call,
        arguments: &[usize; 6],
    ) -> Answer {
        let [a, b, c, d, e, _] = *arguments;
        let done = match call {
            Call::StageProgram => self.stage(thread, a, b, c, d),
            Call::SwitchProgram => self.ask(thread, a, b, c, Instant(wide(d, e))),
            _ => return self.program_status(thread, a),
        };
        done.map_or_else(Answer::error, |()| Answer::DONE)
    }

    /// [`Call::StageProgram`].
    fn stage(
        &mut self,
        thread: u16,
        target: usize,
        place: usize,
        address: usize,
        length: usize,
    ) -> Result<(), Error> {
        let (_, entry) = self.loadable(thread, target >> 16)?;
        let section = Section::from_code(target & 0xFFFF).ok_or(Error::EINVAL)?;
        let (first, room) = section_of(entry, section);
        let count = length / section.record();
        let fits = place <= room as usize && count <= room as usize - place;
        if count == 0 || length > CHUNK || !length.is_multiple_of(section.record()) || !fits {
            return Err(Error::EINVAL);
        }
        let mut records = [0; CHUNK / 8];
        let process = self.thread_entry(thread).process;
        let read = self.hardware.read(process, address, &mut records, length);
        read.map_err(|_| Error::EFAULT)?;
        if !matches!(self.load.phase, Phase::Nothing) {
            return Err(Error::EBUSY);
        }
        let first = (first as usize).saturating_add(place);
        match self.hardware.stage(section, first, &records, length) {
            true => Ok(()),
            false => Err(Error::EINVAL),
        }
    }

    /// [`Call::SwitchProgram`].
    fn ask(
        &mut self,
        thread: u16,
        program: usize,
        address: usize,
        how: usize,
        at: Instant,
    ) -> Result<(), Error> {
        let (program, entry) = self.loadable(thread, program)?;
        let rooms = Section::ALL.map(|section| section_of(entry, section).1);
        let how = How::from_code(how).ok_or(Error::EINVAL)?;
        if how == How::Withdraw {
            return self.withdraw(program);
        }
        if at == Instant::NEVER {
            return Err(Error::EINVAL);
        }
        let mut words = [0; Frame::WORDS];
        let (process, length) = (self.thread_entry(thread).process, size_of_val(&words));
        let read = self.hardware.read(process, address, &mut words, length);
        read.map_err(|_| Error::EFAULT)?;
        let frame = Frame::from_words(words);
        let can_resume = frame.instructions > 0 && frame.resume != NONE;
        if !frame.fits(rooms) || (how == How::CarryOver && !can_resume) {
            return Err(Error::EINVAL);
        }
        if !matches!(self.load.phase, Phase::Nothing) {
            return Err(Error::EBUSY);
        }
        let at = at.max(self.now());
        let change = Change {
            program,
            how,
            frame,
        };
        self.load.phase = Phase::Asked(change, at);
        self.load.clearing = Some(Position::start_of(0));
        let event = self.change_event();
        self.agenda.insert(event, at);
        Ok(())
    }

    fn withdraw(&mut self, program: u16) -> Result<(), Error> {
        let is_waiting = !self.load.has_changed() && self.load.is_of(program);
        if !is_waiting {
            return Err(Error::EINVAL);
        }
        let event = self.change_event();
        self.agenda.remove(event);
        self.load.phase = Phase::Nothing;
        Ok(())
    }

    /// [`Call::ProgramStatus`].
    fn program_status(&self, thread: u16, program: usize) -> Answer {
        let (program, entry) = match self.loadable(thread, program) {
            Ok(found) => found,
            Err(error) => return Answer::error(error),
        };
        let is_mine = self.load.is_of(program);
        let bits = match (is_mine, self.load.has_changed()) {
            (false, _) => 0,
            (true, false) => state::PENDING,
            (true, true) => state::SETTLING,
        };
        let loaded = (entry.start != NONE) as usize * state::LOADED;
        Answer::words([
            bits | loaded,
            entry.tag as usize,
            self.load.changes as usize,
        ])
    }

    /// The agenda's event of a change: the last one.
    fn change_event(&self) -> u16 {
        self.stop_event().wrapping_add(1)
    }

    /// An event of the agenda beyond those of threads and timers: the instant
    /// before which a change was not to happen has come.
    pub(crate) fn ripen(&mut self, event: u16) {
        if let Phase::Asked(change, _) = self.load.phase
            && event == self.change_event()
        {
            self.load.phase = Phase::Ripe(change);
        }
    }

    /// Whether no task of the program has a job that has not completed.
    fn is_at_rest(&self, entry: &ProgramEntry) -> bool {
        !self
            .links(entry.tasks)
            .iter()
            .any(|task| self.is_released(*task))
    }

    /// Copies a piece to the spare bank: of the programs that do not change
    /// before a change, of the one that did after it.
    pub(crate) fn settle_bank(&mut self) {
        if let Some(position) = self.load.clearing {
            let next = match self.load.is_of(position.program) {
                true => None,
                false => self.copy_piece(position),
            };
            let programs = self.system.programs.len();
            let following = position.program.saturating_add(1);
            self.load.clearing = match next {
                None if (following as usize) < programs => Some(Position::start_of(following)),
                next => next,
            };
        } else if let Phase::Settling(position) = self.load.phase {
            self.load.phase = match self.copy_piece(position) {
                Some(next) => Phase::Settling(next),
                None => Phase::Nothing,
            };
        }
    }

    /// Copies a few records of a program that may be replaced, and its entry at
    /// the end; answers where it goes on.
    fn copy_piece(&mut self, position: Position) -> Option<Position> {
        let Position {
            program,
            section,
            place,
        } = position;
        let entry = self.system.programs.get(program as usize)?;
        if entry.room == 0 {
            return None;
        }
        let count = match section {
            Section::Instructions => entry.code_length as u16,
            Section::Predicates => entry.predicates.count,
            Section::Durations => entry.durations.count,
        };
        let piece = count.saturating_sub(place).min(PIECE);
        let first = (section_of(entry, section).0 as usize).saturating_add(place as usize);
        self.hardware.restage(section, first, piece as usize);
        let next = position.after(piece, count);
        if next.is_none() {
            self.hardware.stage_entry(program, entry);
        }
        next
    }
}

impl<H: Hardware> Kernel<'_, H> {
    /// The machine has settled: a change that waits may happen now.
    #[inline(always)]
    pub(crate) fn consider_change(&mut self) {
        if self.core.load.is_ripe() | self.machine.is_attentive() {
            self.try_change();
        }
    }

    #[inline(never)]
    fn try_change(&mut self) {
        let Phase::Ripe(change) = self.core.load.phase else {
            return self.machine.attend(false); // it was withdrawn
        };
        let Change {
            program,
            how,
            frame,
        } = change;
        let Some(old) = self.core.system.programs.get(program as usize) else {
            return;
        };
        if !self.core.is_at_rest(old)
            || how == How::CarryOver && !self.machine.awaits_round(program, frame.denominator)
        {
            return self.machine.attend(true);
        }
        self.machine.attend(false);
        let core = &mut self.core;
        core.hardware.stage_entry(program, &old.with(&frame));
        let Some(bank) = core.hardware.flip() else {
            core.load.phase = Phase::Nothing;
            return;
        };
        core.system = with_bank(&core.system, &bank);
        core.load.phase = Phase::Settling(Position::start_of(program));
        core.load.changes = core.load.changes.wrapping_add(1);
        let instant = core.instant;
        let (x, y) = (instant.0, frame.tag.into());
        core.trace(TraceKind::Change, program, how as u32, x, y);
        match how {
            How::CarryOver => self
                .machine
                .take_over(program, frame.resume, &bank, &mut self.core),
            _ => {
                self.machine.replace(program, &bank, &mut self.core);
                self.machine.start(program, instant);
            }
        }
    }
}
