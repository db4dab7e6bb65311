//! The list of attacks, and the thread that goes through it.

use giornata_rt::{Error, log, shutdown, thread};

use crate::instruction::{self, INSTRUCTIONS, REGISTERS, Register};

/// What is done to a place, with its verb.
pub(crate) type Act = (&'static str, unsafe fn(usize));

const ACTS: [Act; 5] = [
    ("load from", instruction::load),
    ("store to", instruction::store),
    ("add to", instruction::add),
    ("reserve", instruction::reserve),
    ("jump to", instruction::jump),
];

/// Where nobody but the kernel, another process or nobody at all lives.
const PLACES: [(&str, usize); 30] = [
    ("null", 0),
    ("beside null", 8),
    ("the boot ROM", 0x1000),
    ("the finisher", 0x10_0000),
    ("the clock device", 0x10_1000),
    ("msip", 0x0200_0000),
    ("mtimecmp", 0x0200_4000),
    ("mtime", 0x0200_BFF8),
    ("PLIC priorities", 0x0C00_0028),
    ("PLIC enables", 0x0C00_2000),
    ("PLIC threshold", 0x0C20_0000),
    ("PLIC claim", 0x0C20_0004),
    ("below user memory", 0x0FFF_FFF8),
    ("a device not granted", 0x4000_0000),
    ("the trace ring", 0x5000_0000),
    ("kernel text", 0x8000_0000),
    ("kernel data", 0x8002_0000),
    ("the end of the kernel", 0x8003_FFF8),
    ("the system tables", 0x8004_0000),
    ("physical memory 1", 0x8005_0000),
    ("physical memory 2", 0x8008_0000),
    ("physical memory 3", 0x8010_0000),
    ("physical memory 4", 0x8020_0000),
    ("the end of memory", 0x87FF_FFF8),
    ("beyond memory", 0x8800_0000),
    ("a sign-extended kernel", 0x8000_0000_u32 as i32 as usize),
    ("the sign", 1 << (usize::BITS - 1)),
    ("the hole", HOLE),
    ("the upper half", usize::MAX << (usize::BITS - 26)),
    ("the last word", usize::MAX - 7),
];

/// Where nothing can be: between the halves of a sign-extended address space.
/// A space of 32 bits has no such hole; there, an address that nobody is given.
const HOLE: usize = if usize::BITS == 64 {
    1usize.rotate_left(38)
} else {
    0x7000_0000
};

/// A place of one's own, and what may not be done to it: indices into [`ACTS`].
type OwnPlace = (&'static str, fn() -> usize, &'static [usize]);

const OWN: [OwnPlace; 4] = [
    ("own text", own_text, &[1, 2]),
    ("own constants", own_constants, &[1, 2, 4]),
    ("own data", own_data, &[4]),
    ("own stack", own_stack, &[4]),
];

/// A place as far away from anything of one's own as from another's: where
/// addresses are not translated, one's own memory lies among the others'.
fn elsewhere(address: usize) -> usize {
    const NEAR: usize = 0x2_0000;
    let is_near = |own: fn() -> usize| own().abs_diff(address) < NEAR;
    if OWN.iter().any(|&(_, own, _)| is_near(own)) {
        address + 2 * NEAR
    } else {
        address
    }
}

fn own_text() -> usize {
    (own_text as fn() -> usize as usize) & !7
}

fn own_constants() -> usize {
    (&raw const PLACES_IN_MEMORY).addr() & !7
}

fn own_data() -> usize {
    (&raw mut DATA).addr()
}

fn own_stack() -> usize {
    let mut local = 0u64;
    core::hint::black_box(&raw mut local).addr()
}

static PLACES_IN_MEMORY: [u64; 2] = [1, 2];
static mut DATA: u64 = 0x0000_8067_0000_8067;

/// Does attack number `step`; `None` when the list is at its end.
fn carry_out(step: usize) -> Option<()> {
    let (place, act) = (step / ACTS.len(), step % ACTS.len());
    if let Some(&(name, address)) = PLACES.get(place) {
        attack_place(ACTS[act], name, elsewhere(address));
        return Some(());
    }
    let step = step - PLACES.len() * ACTS.len();
    let own = || {
        OWN.iter().flat_map(|&(name, address, acts)| {
            acts.iter().map(move |&act| (ACTS[act], name, address))
        })
    };
    if let Some((act, name, address)) = own().nth(step) {
        attack_place(act, name, address());
        return Some(());
    }
    let &(name, run) = INSTRUCTIONS.get(step - own().count())?;
    log!("{name}");
    run();
    Some(())
}

pub(crate) fn attack_place((verb, act): Act, name: &str, address: usize) {
    log!("{verb} {name}");
    // SAFETY: none; that this hurts nobody else is what is tested.
    unsafe { act(address) }
}

/// Which life of the process this is, from 0.
pub(crate) fn life() -> Result<usize, Error> {
    thread::own().map(|id| id.generation().into())
}

/// Nothing happened: that is told, and the life ended all the same.
pub(crate) fn outlive() -> ! {
    log!("outlived");
    panic!("outlived");
}

/// One attack for each life.
#[thread]
pub(crate) fn attack() {
    match life().map(carry_out) {
        Ok(Some(())) => outlive(),
        Ok(None) => log!("no attack left; shutdown: {}", shutdown(7).name()),
        Err(error) => log!("own: {}", error.name()),
    }
}

/// Reads control and status registers, one for each life.
#[thread]
pub(crate) fn read_registers() {
    sweep_registers("read", |(_, read, _)| read());
}

/// Writes control and status registers, one for each life.
#[thread]
pub(crate) fn write_registers() {
    sweep_registers("write", |(_, _, write)| write());
}

/// Tries the register of this life; one that lets itself be used ends the life
/// too, so that the next life has the next register.
fn sweep_registers(verb: &str, act: fn(&Register)) {
    match life().map(|life| REGISTERS.get(life)) {
        Ok(Some(register)) => {
            log!("{verb} {}", register.0);
            act(register);
            outlive();
        }
        Ok(None) => log!("{verb} all"),
        Err(error) => log!("own: {}", error.name()),
    }
}
