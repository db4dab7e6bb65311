//! Signed requests, which change the machine. Each is checked completely before the
//! first call that changes anything.

use giornata_abi::load::{Frame, How};
use giornata_hostlink_wire::{Action, Change, Code, Deed, Permission, Request, Signature};

use crate::place::{Bytes, Coming};
use crate::programs::Programs;
use crate::server::{Answer, Outcome, Server, Settings};
use crate::signature;
use crate::words::{Refused, refuse, refuse_by_kernel};

impl Server<'_, '_> {
    /// Executes a request of a kind that must be signed if there is a key.
    pub(crate) fn do_deed(
        &mut self,
        request: &Request<'_>,
        programs: &mut impl Programs,
    ) -> Answer {
        match request.action {
            Action::Commit {
                ticket,
                change,
                signature,
            } => self.commit(request, ticket, change, signature, programs),
            Action::Switch {
                program,
                change,
                signature,
            } => {
                let index = self.find(program)?;
                let detail = change as u8;
                self.check(request, Deed::Switch, detail, program, signature)?;
                self.switch(index, change, programs)
            }
            Action::Unload { program, signature } => {
                let index = self.find(program)?;
                self.check(request, Deed::Unload, 0, program, signature)?;
                self.unload(index, programs)
            }
            Action::Withdraw { program, signature } => {
                let index = self.find(program)?;
                self.check(request, Deed::Withdraw, 0, program, signature)?;
                self.withdraw(index, programs)
            }
            Action::Shutdown { status, signature } => {
                self.check(request, Deed::Shutdown, status, "", signature)?;
                let error = programs.shutdown(status);
                Err(refuse_by_kernel("stop the machine", error))
            }
            // The caller handles the others.
            _ => Ok(Outcome::Done),
        }
    }

    /// Checks the signature of a request without a module.
    fn check(
        &self,
        request: &Request<'_>,
        deed: Deed,
        detail: u8,
        program: &str,
        signature: Option<Signature>,
    ) -> Result<(), Refused> {
        let permission = Permission {
            nonce: self.settings.nonce,
            session: request.session,
            number: request.number,
            ticket: 0,
            deed,
            detail,
            program,
            module: &[],
        };
        signature::check(self.settings.key.as_ref(), &permission, signature)
    }

    /// Checks the uploaded module, then holds it or stages it and requests the change.
    fn commit(
        &mut self,
        request: &Request<'_>,
        ticket: u32,
        change: Change,
        signature: Option<Signature>,
        programs: &mut impl Programs,
    ) -> Answer {
        let Settings { nonce, key, .. } = self.settings;
        let (upload, place) = self.uploading(ticket)?;
        upload.check_whole()?;
        let (length, index) = (upload.length, upload.place);
        let before = place.settle(programs)?.changes;
        let bytes = Bytes::Buffer(place.spare(), length);
        let permission = Permission {
            nonce,
            session: request.session,
            number: request.number,
            ticket,
            deed: Deed::Commit,
            detail: change as u8,
            program: place.name,
            module: place.bytes(bytes).unwrap_or(&[]),
        };
        signature::check(key.as_ref(), &permission, signature)?;
        let coming = self.inspect(index, bytes, programs)?;
        match how(change) {
            None => self.hold(index, coming),
            Some(how) => self.change(index, coming, how, before, programs)?,
        }
        self.upload = None;
        Ok(Outcome::Done)
    }

    /// Requests the change to the held module.
    fn switch(&mut self, index: usize, change: Change, programs: &mut impl Programs) -> Answer {
        let Some(place) = self.places.get_mut(index) else {
            return Ok(Outcome::Done);
        };
        let before = place.settle(programs)?.changes;
        let (Some(coming), Some(how)) = (place.coming, how(change)) else {
            return Err(refuse(
                Code::Nothing,
                format_args!(
                    "no module is held for `{}`; load one with --hold first",
                    place.name
                ),
            ));
        };
        self.change(index, coming, how, before, programs)?;
        Ok(Outcome::Done)
    }

    /// Requests that the program be emptied.
    fn unload(&mut self, index: usize, programs: &mut impl Programs) -> Answer {
        let Some(place) = self.places.get_mut(index) else {
            return Ok(Outcome::Done);
        };
        let before = place.settle(programs)?.changes;
        self.change(index, Coming::NOTHING, How::Restart, before, programs)?;
        Ok(Outcome::Done)
    }

    /// Cancels a change that has not happened yet, or drops the held module.
    fn withdraw(&mut self, index: usize, programs: &mut impl Programs) -> Answer {
        let Some(place) = self.places.get_mut(index) else {
            return Ok(Outcome::Done);
        };
        let seen = place.refresh(programs);
        seen.map_err(|error| refuse_by_kernel("look at the program", error))?;
        let Some(coming) = place.coming else {
            return Err(refuse(
                Code::Nothing,
                format_args!(
                    "no change of `{}` is under way and nothing is held; it may have happened",
                    place.name
                ),
            ));
        };
        if coming.asked.is_some() {
            let taken_back = programs.switch(place.program, &Frame::EMPTY, How::Withdraw);
            // It may have happened before the kernel was told.
            _ = place.refresh(programs);
            if place.coming.is_none() {
                return Err(refuse(
                    Code::Nothing,
                    format_args!("the change of `{}` has just happened", place.name),
                ));
            }
            taken_back.map_err(|error| refuse_by_kernel("take the change back", error))?;
        }
        place.coming = None;
        Ok(Outcome::Done)
    }
}

/// The kernel's mode for a change; `None`: the module is only held.
const fn how(change: Change) -> Option<How> {
    match change {
        Change::Hold => None,
        Change::Restart => Some(How::Restart),
        Change::CarryOver => Some(How::CarryOver),
    }
}
