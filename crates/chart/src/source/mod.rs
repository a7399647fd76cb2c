//! The files of a chart: from a directory, from an archive, from memory; and their limits.

mod archive;
mod directory;
mod file;
mod ignore;
mod limits;
mod memory;
mod path;
mod wildcard;

pub(crate) use archive::read_archive;
pub(crate) use directory::read_path;
pub use file::ChartFile;
pub(crate) use file::{base_name, has_extension};
pub use limits::ChartLimits;
pub(crate) use limits::{FileUsage, RemainingLimits};
pub(crate) use memory::{read_memory, without_ignored};
