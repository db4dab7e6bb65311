//! Filters of stream graphs. Each function is of the graph in which it is named.

#![no_std]

mod cycles;
mod edges;
mod mixed;
mod shuffle;

use cycles::{check_cycles, deal_0, deal_1, deal_2, numbers_0, numbers_1};
use edges::{camera, first_line, next_line, pack, screen};
use mixed::{halves, lines};
use shuffle::{compare, counter, double, triple};

giornata_rt::process! {
    filters: [
        camera, first_line, next_line, pack, screen,
        counter, double, triple, compare, lines, halves,
        numbers_0, numbers_1, deal_0, deal_1, deal_2, check_cycles,
    ]
}
