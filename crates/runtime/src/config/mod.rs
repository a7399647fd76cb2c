//! Typed configuration: where its data comes from.

mod directory;

pub use directory::read_dir;
