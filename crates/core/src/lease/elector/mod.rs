//! The election of one bucket, as one replica sees it (LDR-20 to LDR-26).
//!
//! What happens is first learnt, then moves the term on, and then what is due is done: in this order through the files of this folder.

mod act;
mod learn;
mod phase;
mod state;
mod term;

pub use state::{Elector, LeaseState};
pub use term::promotion_delay;
