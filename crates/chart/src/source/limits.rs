//! The limits of a chart, and their rest while its files are read.

use super::file::ChartFile;
use crate::error::ChartError;

/// The limits of a chart, from wherever it is loaded. A chart that exceeds one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartLimits {
    /// The largest size of all files of the chart and of the archives in it, in bytes, those of a subchart once per alias. The default is 100 MiB.
    pub size: u64,
    /// The largest number of files, those of a subchart once per alias, and of directories on a disk. The default is 50,000.
    pub files: usize,
    /// The largest number of charts inside each other. The default is 16.
    pub depth: usize,
}

impl Default for ChartLimits {
    fn default() -> Self {
        Self { size: 100 << 20, files: 50_000, depth: 16 }
    }
}

/// The number and the size of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileUsage {
    pub(crate) files: usize,
    pub(crate) size: u64,
}

impl FileUsage {
    /// Returns the usage of a file.
    pub(crate) fn of(file: &ChartFile) -> Self {
        Self { files: 1, size: file.data.len() as u64 }
    }

    /// Adds another usage as often as a number says.
    pub(crate) const fn add(&mut self, other: Self, times: usize) {
        self.files = self.files.saturating_add(other.files.saturating_mul(times));
        self.size = self.size.saturating_add(other.size.saturating_mul(times as u64));
    }

    /// Returns true if the usage is within the limits.
    pub(crate) const fn is_within(self, limits: ChartLimits) -> bool {
        self.files <= limits.files && self.size <= limits.size
    }
}

/// The rest of the limits while a chart and the archives in it are read.
#[derive(Debug)]
pub(crate) struct RemainingLimits {
    limits: ChartLimits,
    pub(super) size: u64,
    pub(super) files: usize,
}

impl RemainingLimits {
    pub(crate) const fn new(limits: ChartLimits) -> Self {
        Self { limits, size: limits.size, files: limits.files }
    }

    /// Counts a file. The error is that of a chart that exceeds the limits.
    pub(super) fn take(&mut self, size: u64) -> Result<(), ChartError> {
        match (self.size.checked_sub(size), self.files.checked_sub(1)) {
            (Some(size), Some(files)) => {
                (self.size, self.files) = (size, files);
                Ok(())
            }
            _ => Err(self.exceeded()),
        }
    }

    /// Returns the error of a chart that exceeds the limits.
    pub(super) fn exceeded(&self) -> ChartError {
        let ChartLimits { size, files, .. } = self.limits;
        ChartError::Archive(format!("decompressed chart is larger than the maximum size {size} or has more than {files} files"))
    }
}
