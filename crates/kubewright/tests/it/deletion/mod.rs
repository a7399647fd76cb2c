//! Cleanups of hand-written reconcilers: the children that they delete, the order of deletion, and the objects that they leave alone.

mod children;
mod guards;
mod helpers;
mod world;
