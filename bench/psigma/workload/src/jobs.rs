//! Tasks that are released together, more of them than harts: each takes another time, so that
//! they end one after the other.

use bench_marks::mark;
use bench_marks::psigma::{BEGUN, ENDED};
use giornata_rt::task;

use crate::compute;

macro_rules! jobs {
    ($($name:ident: $rounds:literal,)*) => {
        $(#[task]
        pub(crate) fn $name() {
            mark::<BEGUN>();
            compute($rounds);
            mark::<ENDED>();
        })*
    };
}

jobs! {
    job_0: 211, job_1: 307, job_2: 401, job_3: 223, job_4: 311,
    job_5: 409, job_6: 227, job_7: 313, job_8: 419, job_9: 229,
}
