//! Children of hand-written reconcilers: what `ensure` writes, and that it writes no more.

mod apply;
mod ownership;
mod world;
