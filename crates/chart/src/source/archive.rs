//! Charts in archives: `.tgz` files.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::file::{ChartFile, without_mark};
use crate::error::ChartError;

/// The limits of a chart, in an archive or in a directory. A chart that exceeds one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// The largest size of all files of the chart and of the archives in it, in bytes. The default is 100 MiB.
    pub size: u64,
    /// The largest number of files. The default is 50,000.
    pub files: usize,
    /// The largest number of charts inside each other. The default is 16.
    pub depth: usize,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { size: 100 << 20, files: 50_000, depth: 16 }
    }
}

/// The rest of the limits while a chart and the archives in it are read.
#[derive(Debug)]
pub(crate) struct RemainingLimits {
    limits: ArchiveLimits,
    pub(super) size: u64,
    pub(super) files: usize,
}

impl RemainingLimits {
    pub(crate) const fn new(limits: ArchiveLimits) -> Self {
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
        let ArchiveLimits { size, files, .. } = self.limits;
        ChartError::Archive(format!("decompressed chart is larger than the maximum size {size} or has more than {files} files"))
    }
}

/// Reads the files of an archive in their order. Their paths are those below the first directory, which is the chart's.
pub(crate) fn read_archive(bytes: &[u8], limits: &mut RemainingLimits) -> Result<Vec<ChartFile>, ChartError> {
    let malformed = |error: io::Error| ChartError::Archive(format!("malformed chart archive: {error}"));
    if !bytes.starts_with(b"\x1f\x8b") {
        return Err(ChartError::Archive("the chart archive is not in gzip format".to_owned()));
    }
    // Headers and padding are read, too, so the stream may be larger than the files; an endless one still ends here.
    let around = (limits.files as u64).saturating_mul(2048).saturating_add(1 << 20);
    let stream = MultiGzDecoder::new(bytes).take(limits.size.saturating_add(around));
    let mut archive = Archive::new(stream);
    let mut files = Vec::new();
    for entry in archive.entries().map_err(malformed)? {
        let mut entry = entry.map_err(malformed)?;
        match entry.header().entry_type() {
            EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader => continue,
            _ => {}
        }
        let path = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|error| ChartError::Archive(format!("the name of a file is not UTF-8: {error}")))?;
        if path.ends_with('/') {
            continue;
        }
        let name = name_below_base(&path)?;
        let size = entry.size();
        limits.take(size)?;
        let mut data = Vec::new();
        entry.by_ref().take(size).read_to_end(&mut data).map_err(malformed)?;
        if (data.len() as u64) < size {
            return Err(ChartError::Archive(format!("the chart archive ends in the middle of the file {name}")));
        }
        files.push(ChartFile::new(name, without_mark(&data)));
    }
    if files.is_empty() {
        return Err(ChartError::Archive("no files in chart archive".to_owned()));
    }
    Ok(files)
}

/// Returns the path below the first directory, if it stays there.
fn name_below_base(path: &str) -> Result<String, ChartError> {
    let illegal = |text: &str| Err(ChartError::Archive(text.to_owned()));
    let delimiter = if path.contains('\\') { '\\' } else { '/' };
    let (base, below) = path.split_once(delimiter).unwrap_or((path, ""));
    let below = below.replace('\\', "/");
    if below.starts_with('/') {
        return illegal("chart illegally contains absolute paths");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return illegal("chart illegally references parent directory");
                }
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Err(ChartError::Archive(format!("chart illegally contains content outside the base directory: {path:?}")));
    }
    let is_drive = |part: &str| part.len() == 2 && part.ends_with(':') && part.starts_with(|c: char| c.is_ascii_alphabetic());
    if parts[0].starts_with("..") {
        return illegal("chart illegally references parent directory");
    }
    if parts.len() > 1 && is_drive(parts[0]) {
        return illegal("chart contains illegally named files");
    }
    if base == "Chart.yaml" {
        return illegal("chart yaml not in base directory");
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, data) in files {
            let mut header = Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(data.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append(&header, *data).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn read(bytes: &[u8], limits: ArchiveLimits) -> Result<Vec<ChartFile>, String> {
        read_archive(bytes, &mut RemainingLimits::new(limits)).map_err(|error| error.to_string())
    }

    fn names(files: &[(&str, &[u8])]) -> Result<Vec<String>, String> {
        let files = read(&archive(files), ArchiveLimits::default())?;
        Ok(files.iter().map(|file| file.name.to_string()).collect())
    }

    #[test]
    fn files_keep_their_order_and_lose_the_first_directory() {
        let files: [(&str, &[u8]); 3] = [("web/b", b"1"), ("web/a/./c", b"2"), ("web\\d\\e", b"\xef\xbb\xbf3")];
        assert_eq!(names(&files).unwrap(), ["b", "a/c", "d/e"]);
        assert_eq!(&*read(&archive(&files), ArchiveLimits::default()).unwrap()[2].data, b"3");
    }

    #[test]
    fn paths_that_leave_the_chart_are_refused() {
        for (name, expected) in [
            ("web//etc/passwd", "chart illegally contains absolute paths"),
            ("web/../../x", "chart illegally references parent directory"),
            ("web/a/../../x", "chart illegally references parent directory"),
            ("web/c:/x", "chart contains illegally named files"),
            ("x", "chart illegally contains content outside the base directory: \"x\""),
            ("Chart.yaml/x", "chart yaml not in base directory"),
        ] {
            assert_eq!(names(&[(name, b"")]), Err(expected.to_owned()), "{name}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; 3 << 20];
        let bytes = archive(&[("web/a", &zeros), ("web/b", &zeros)]);
        assert!(bytes.len() < 100_000);
        let limits = ArchiveLimits { size: 5 << 20, ..ArchiveLimits::default() };
        let error = read(&bytes, limits).unwrap_err();
        assert!(error.starts_with("decompressed chart is larger than the maximum size 5242880"), "{error}");
        let limits = ArchiveLimits { files: 1, ..ArchiveLimits::default() };
        assert!(read(&bytes, limits).is_err());
    }

    #[test]
    fn bytes_that_are_no_whole_archive_are_refused() {
        assert!(read(b"name: web\n", ArchiveLimits::default()).is_err());
        assert!(read(&archive(&[("web/a", b"text")])[..20], ArchiveLimits::default()).is_err());
    }
}
