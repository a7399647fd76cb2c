//! Programs with `#[reconciler]`, and the compiler's messages about wrong ones.

mod by_hand;
mod conditions;
mod kinds;
mod methods;
mod ui;
