//! What `system.toml` names, as it numbers it: objects by kind in the order of the
//! file, regions and processes from 0.

use giornata_rt::mailbox::Mailbox;
use giornata_rt::region::Region;
use giornata_rt::supervisor::Process;
use giornata_rt::sync::{Condition, Mutex, Semaphore};

pub(crate) const BUS: Mutex = Mutex::new(0);
pub(crate) const ROOF: Mutex = Mutex::new(1);
pub(crate) const SLOTS: Semaphore = Semaphore::new(3);
pub(crate) const READY: Semaphore = Semaphore::new(4);
pub(crate) const WAKES: Semaphore = Semaphore::new(5);
pub(crate) const CHANGE: Condition = Condition::new(7);
pub(crate) const REQUESTS: Mailbox = Mailbox::new(8);
pub(crate) const REPLIES: Mailbox = Mailbox::new(9);
pub(crate) const STACK: Mailbox = Mailbox::new(10);
pub(crate) const ORDERS: Mailbox = Mailbox::new(11);

pub(crate) const BOARD: Region = Region::new(0);

pub(crate) const NET: Process = Process::new(1);
pub(crate) const OFFICE: Process = Process::new(2);
pub(crate) const VIEWER: Process = Process::new(3);
pub(crate) const WORKSHOP: Process = Process::new(4);
pub(crate) const STUNT: Process = Process::new(5);
pub(crate) const BELL: Process = Process::new(6);
