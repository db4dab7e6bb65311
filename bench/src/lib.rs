//! What measurements become: rows of figures, compared with what others have
//! published, with goals, with budgets and with what was measured before.
//!
//! Nothing here measures. A suite gives [`Statistics`] of its samples; the
//! [`Catalogue`] of the suite knows each operation, the figures to compare it
//! with and where they come from; together they are a [`Row`]. Rows go out as
//! JSON, as tables and as plots, and come in again as a baseline.

mod baseline;
mod budget;
mod catalogue;
mod error;
mod flat;
mod plot;
mod rate;
mod row;
mod shipped;
mod statistics;
mod table;

pub use baseline::{Change, compare};
pub use budget::{Breach, Budget};
pub use catalogue::{Catalogue, Figure, Kind, Operation};
pub use error::Error;
pub use flat::Flat;
pub use plot::{Series, growth, plot};
pub use rate::Rate;
pub use row::{Circumstances, Row, from_json, to_json};
pub use shipped::Shipped;
pub use statistics::{LEAST_SAMPLES, Statistic, Statistics};
pub use table::{compared, markdown, plain, sources};
