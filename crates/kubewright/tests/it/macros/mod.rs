//! Programs with `#[reconciler]`, and what the compiler says when they are wrong.

mod by_hand;
mod conditions;
mod kinds;
mod methods;
mod ui;
