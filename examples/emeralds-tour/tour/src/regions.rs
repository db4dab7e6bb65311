//! Memory that processes share (EMERALDS, section 6.2). The other process is
//! `c/viewer.c`.

use giornata_rt::supervisor;
use giornata_rt::time::Instant;
use giornata_rt::{Error, log};

use crate::name;
use crate::plan::{BOARD, VIEWER};

pub(crate) fn show() -> Result<(), Error> {
    let board = BOARD.attach()?;
    log!("{} bytes, first {}", board.length(), board.load(0)?);
    log!("attached twice: {}", name(&BOARD.attach()));
    board.write(0, b"hello from the guide\0")?;
    VIEWER.start()?;
    let end = supervisor::await_end(Instant::NEVER)?;
    log!("the viewer alone has ended: {:?}", end.cause);
    drop(board);
    let board = BOARD.attach_to_read()?;
    log!("when nobody had it, it became {}", board.load(0)?);
    Ok(())
}
