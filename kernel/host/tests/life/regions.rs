//! Regions of memory that processes share: who may touch them, until when, and what the
//! next finds in them.

use giornata_abi::Error;
use giornata_abi::call::Call;
use giornata_abi::region::{READ_ONLY, READ_WRITE};
use giornata_abi::system::FaultPolicy;
use giornata_core::process::region::{READ, WRITE};
use giornata_host::{MEMORY, Results, Rig};
use giornata_records::{Description, Region};

use crate::stage::*;

const WRITES: u32 = READ | WRITE;
/// Bytes of a region.
const SIZE: usize = 4096;

/// Where the memory of a region lies.
fn shared(region: usize) -> usize {
    0x8_0000 + region * 0x1_0000
}

/// Its address in every process.
fn address(region: usize) -> usize {
    0x7000_0000 + region * 0x1_0000
}

/// A process with a thread of each priority, and regions with what each may do.
fn system_of(priorities: &[u8], grants: &[&[u32]]) -> Description {
    let mut description = system();
    for priority in priorities {
        process(&mut description, &[*priority]);
    }
    for (region, grants) in grants.iter().enumerate() {
        description.regions.push(Region {
            address: address(region) as u64,
            size: SIZE as u64,
            place: (MEMORY + shared(region)) as u64,
            tables: 0,
            grants: grants.to_vec(),
        });
    }
    description
}

fn attach(rig: &mut Rig, region: usize) -> Option<Results> {
    call(rig, Call::AttachRegion, [region, READ_WRITE])
}

fn attach_to_read(rig: &mut Rig, region: usize) -> Option<Results> {
    call(rig, Call::AttachRegion, [region, READ_ONLY])
}

fn detach(rig: &mut Rig, region: usize) -> Option<Results> {
    call(rig, Call::DetachRegion, [region])
}

/// What is returned to who attaches a region.
fn attached(region: usize) -> Option<Results> {
    values([address(region), SIZE])
}

#[test]
fn a_region_is_open_to_who_has_attached_it_as_it_has() {
    let description = system_of(&[7, 5, 3], &[&[WRITES, READ, 0]]);
    let mut rig = Rig::boot(&description);
    assert_eq!(attach(&mut rig, 0), attached(0));
    sleep(&mut rig, 100);
    assert_eq!(attach(&mut rig, 0), refused(Error::EPERM));
    assert_eq!(
        attach_to_read(&mut rig, 0),
        attached(0),
        "at the same address"
    );
    sleep(&mut rig, 100);
    assert_eq!(attach_to_read(&mut rig, 0), refused(Error::EPERM));
    let access = [0, 1, 2].map(|process| rig.access(process, address(0)));
    assert_eq!(access, [WRITES, READ, 0]);
}

#[test]
fn what_is_wrong_with_a_call_is_told() {
    let description = system_of(&[7], &[&[WRITES], &[0]]);
    let mut rig = Rig::boot(&description);
    let [no_such, invalid, exists, denied] =
        [Error::ESRCH, Error::EINVAL, Error::EEXIST, Error::EPERM].map(refused);
    assert_eq!(attach(&mut rig, 2), no_such);
    assert_eq!(detach(&mut rig, 2), no_such);
    assert_eq!(attach(&mut rig, usize::MAX), no_such);
    assert_eq!(call(&mut rig, Call::AttachRegion, [0, 2]), invalid);
    assert_eq!(attach(&mut rig, 1), denied);
    assert_eq!(detach(&mut rig, 1), denied);
    assert_eq!(detach(&mut rig, 0), invalid);
    assert_eq!(attach(&mut rig, 0), attached(0));
    assert_eq!(attach(&mut rig, 0), exists);
    assert_eq!(attach_to_read(&mut rig, 0), exists);
    assert_eq!(detach(&mut rig, 0), DONE);
    assert_eq!(detach(&mut rig, 0), invalid);
    assert_eq!(attach_to_read(&mut rig, 0), attached(0));
    assert_eq!(
        rig.access(0, address(0)),
        READ,
        "who may write can ask to read only"
    );
}

#[test]
fn a_region_keeps_what_is_in_it_until_the_last_detaches() {
    let description = system_of(&[7, 5], &[&[WRITES, WRITES]]);
    let mut rig = Rig::boot(&description);
    for offset in (0..SIZE).step_by(4) {
        rig.set_word(shared(0) + offset, 0xDEAD);
    }
    for outside in [shared(0) - 4, shared(0) + SIZE] {
        rig.set_word(outside, 0x600D);
    }
    attach(&mut rig, 0);
    for offset in (0..SIZE).step_by(4) {
        assert_eq!(rig.word(shared(0) + offset), 0, "zeroed");
    }
    for outside in [shared(0) - 4, shared(0) + SIZE] {
        assert_eq!(rig.word(outside), 0x600D, "and nothing else");
    }
    rig.set_word(shared(0) + 8, 77);
    sleep(&mut rig, 10);
    attach(&mut rig, 0);
    assert_eq!(rig.word(shared(0) + 8), 77);
    advance(&mut rig, 10);
    assert_eq!(detach(&mut rig, 0), DONE);
    assert_eq!(rig.access(0, address(0)), 0);
    attach(&mut rig, 0);
    detach(&mut rig, 0);
    assert_eq!(rig.word(shared(0) + 8), 77, "the other still has it");
    sleep(&mut rig, 20);
    detach(&mut rig, 0);
    advance(&mut rig, 10);
    attach(&mut rig, 0);
    assert_eq!(rig.word(shared(0) + 8), 0, "both were gone");
}

#[test]
fn a_region_is_zeroed_in_pieces_and_more_urgent_threads_run_in_between() {
    let mut description = system_of(&[5, 7], &[&[WRITES, WRITES]]);
    description.regions[0].size = 0x8000;
    let mut rig = Rig::boot(&description);
    sleep(&mut rig, 100);
    assert_eq!(rig.running(), 0);
    // the other becomes ready while the first attaches: it runs before the region is zero
    rig.set_word(shared(0) + 0x7FFC, 1);
    rig.pass(100);
    assert_eq!(attach(&mut rig, 0), None);
    assert_eq!(rig.running(), 1);
    assert_eq!(rig.word(shared(0) + 0x7FFC), 1);
    // it wants it too, and only has the rest to zero
    rig.set_word(shared(0), 2);
    let whole = values([address(0), 0x8000]);
    assert_eq!(attach(&mut rig, 0), whole);
    assert_eq!(rig.word(shared(0)), 2, "that was zeroed already");
    assert_eq!(rig.word(shared(0) + 0x7FFC), 0);
    sleep(&mut rig, 1000);
    assert_eq!((rig.running(), rig.take_results(0)), (0, whole));
}

#[test]
fn the_threads_of_a_process_share_what_it_has_attached() {
    let mut description = system();
    process(&mut description, &[7, 5]);
    description.regions = system_of(&[], &[&[WRITES]]).regions;
    let mut rig = Rig::boot(&description);
    attach(&mut rig, 0);
    call(&mut rig, Call::Exit, [0]);
    assert_eq!(rig.running(), 1);
    assert_eq!(attach(&mut rig, 0), refused(Error::EEXIST));
    assert_eq!(detach(&mut rig, 0), DONE);
}

#[test]
fn a_process_that_dies_has_no_region_any_more_and_attaches_anew() {
    for policy in [FaultPolicy::Stop, FaultPolicy::Restart] {
        let grants: [&[u32]; 3] = [&[WRITES, WRITES], &[WRITES, 0], &[WRITES, WRITES]];
        let mut description = system_of(&[7, 5], &grants);
        on_fault(&mut description, 0, policy);
        let mut rig = Rig::boot(&description);
        let open =
            |rig: &Rig, process| [0, 1, 2].map(|region| rig.access(process, address(region)));
        attach(&mut rig, 0);
        attach(&mut rig, 1);
        attach_to_read(&mut rig, 2);
        assert_eq!(open(&rig, 0), [WRITES, WRITES, READ]);
        rig.set_word(shared(0), 5);
        sleep(&mut rig, 10);
        attach(&mut rig, 0);
        advance(&mut rig, 10);
        fault(&mut rig);
        assert_eq!(open(&rig, 0), [0; 3]);
        assert_eq!((open(&rig, 1), rig.word(shared(0))), ([WRITES, 0, 0], 5));
        if policy == FaultPolicy::Restart {
            assert_eq!(rig.running(), 0);
            assert_eq!(attach(&mut rig, 0), attached(0));
            assert_eq!(attach(&mut rig, 1), attached(1));
        }
    }
}
