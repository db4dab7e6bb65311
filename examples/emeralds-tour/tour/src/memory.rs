//! Memory of a process: its heap and its stacks (EMERALDS, section 7.4).

use giornata_rt::{Error, heap, log, thread};

use crate::name;

pub(crate) fn show_heap() -> Result<(), Error> {
    let memory = heap::allocate(40)?;
    let is_clear = memory.iter().all(|byte| *byte == 0);
    log!("asked for 40, has {}, clear: {is_clear}", memory.len());
    log!("32 of the last 16: {}", name(&heap::allocate(32)));
    log!("the last 16: {}", heap::allocate(16)?.len());
    Ok(())
}

pub(crate) fn show_stack() -> Result<(), Error> {
    let before = thread::stack()?;
    dive();
    let after = thread::stack()?;
    log!(
        "{} bytes, not full: {}",
        after.size,
        after.used < after.size
    );
    log!(
        "below 3000 at first, above when 3000 were used: {}",
        before.used < 3000 && after.used > 3000
    );
    Ok(())
}

/// Uses 3000 bytes of stack.
#[inline(never)]
fn dive() {
    core::hint::black_box(&mut [1u8; 3000]);
}
