//! Cleanups of hand-written reconcilers: what they delete, in which order, and what they leave alone.

mod children;
mod guards;
mod helpers;
mod world;
