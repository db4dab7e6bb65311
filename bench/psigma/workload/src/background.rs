//! Threads that always compute, and call nobody.

use giornata_rt::thread;

use crate::compute;

macro_rules! busy {
    ($($name:ident)*) => {
        $(#[thread]
        pub(crate) fn $name() {
            loop {
                compute(1_000);
            }
        })*
    };
}

busy! { busy_0 busy_1 busy_2 busy_3 busy_4 busy_5 busy_6 }
