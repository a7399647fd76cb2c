//! The files of a chart, and where they come from.

mod archive;
mod directory;
mod file;
mod ignore;
mod wildcard;

pub use archive::ArchiveLimits;
pub(crate) use archive::{RemainingLimits, read_archive};
pub(crate) use directory::read_path;
pub use file::ChartFile;
pub(crate) use file::{base_name, has_extension, in_walk_order, without_mark};
