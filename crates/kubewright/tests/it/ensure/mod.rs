//! Children of hand-written reconcilers: `ensure` sends the needed writes, and no others.

mod annotate;
mod apply;
mod gate;
mod hot_loop;
mod ownership;
mod permissions;
mod strategies;
pub(crate) mod world;
