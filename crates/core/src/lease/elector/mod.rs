//! The election of one bucket, as one replica sees it (LDR-20 to LDR-26).
//!
//! An input is first learnt, then advances the term, and then the due requests are sent. The files of these steps, in this order, are
//! `learn`, `term` and `act`.

mod act;
mod learn;
mod phase;
mod state;
mod term;

pub use state::{Elector, LeaseState};
pub use term::promotion_delay;
