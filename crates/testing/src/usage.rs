//! The CPU time and memory that a process uses.

use std::{fs, io};

/// Clock ticks per second in `/proc`; the same on all Linux systems.
const TICKS: f64 = 100.0;
/// KiB in a MiB.
const MEBIBYTE: f64 = 1024.0;

/// The resource usage of a running process, read from `/proc` of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    pid: u32,
}

impl Usage {
    /// Returns the usage of the process with this id.
    pub const fn of(pid: u32) -> Self {
        Self { pid }
    }

    /// Returns the CPU seconds so far, of user and system.
    ///
    /// # Errors
    /// The process is gone, or the system has no `/proc`.
    pub fn cpu(self) -> io::Result<f64> {
        let text = self.read("stat")?;
        // The program's name comes before the fields, in parentheses, and may contain spaces and parentheses.
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
        if ticks.len() == 2 { Ok(ticks.iter().sum::<f64>() / TICKS) } else { Err(self.unreadable("stat")) }
    }

    /// Returns the resident memory now, in MiB.
    ///
    /// # Errors
    /// The process is gone, or the system has no `/proc`.
    pub fn resident(self) -> io::Result<f64> {
        self.status("VmRSS:")
    }

    /// Returns the peak of resident memory since the start, or since [`Self::forget_peak`], in MiB.
    ///
    /// # Errors
    /// The process is gone, or the system has no `/proc`.
    pub fn peak(self) -> io::Result<f64> {
        self.status("VmHWM:")
    }

    /// Resets [`Self::peak`] to the memory in use now.
    ///
    /// # Errors
    /// The process is gone or another user's, or the system has no `/proc`.
    pub fn forget_peak(self) -> io::Result<()> {
        fs::write(self.file("clear_refs"), "5")
    }

    fn status(self, field: &str) -> io::Result<f64> {
        let text = self.read("status")?;
        let line = text.lines().find_map(|line| line.strip_prefix(field));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kibibytes.map(|kibibytes| kibibytes / MEBIBYTE).ok_or_else(|| self.unreadable("status"))
    }

    fn read(self, file: &str) -> io::Result<String> {
        fs::read_to_string(self.file(file))
    }

    fn file(self, file: &str) -> String {
        format!("/proc/{}/{file}", self.pid)
    }

    fn unreadable(self, file: &str) -> io::Error {
        io::Error::other(format!("failed to read {}: it has another form than on Linux", self.file(file)))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_usage_of_this_process_reports_cpu_time_resident_memory_and_peak_memory() {
        let usage = Usage::of(std::process::id());
        assert!(usage.cpu().unwrap() >= 0.0);
        assert!(usage.resident().unwrap() > 1.0);
        assert!(usage.peak().unwrap() > 1.0);
    }

    #[test]
    fn a_process_that_is_gone_takes_nothing_that_could_be_read() {
        assert_eq!(Usage::of(u32::MAX).cpu().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
