//! Children of hand-written reconcilers: what `ensure` writes, and that it writes no more.

mod annotate;
mod apply;
mod gate;
mod hot_loop;
mod ownership;
mod permissions;
mod strategies;
pub(crate) mod world;
