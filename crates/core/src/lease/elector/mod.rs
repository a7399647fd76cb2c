//! The election of one bucket, as one replica sees it (LDR-20 to LDR-26).
//!
//! An input is first learnt, then moves the term on, and then the requests that are due are sent: the files of this folder in this order are
//! `learn`, `term` and `act`.

mod act;
mod learn;
mod phase;
mod state;
mod term;

pub use state::{Elector, LeaseState};
pub use term::promotion_delay;
