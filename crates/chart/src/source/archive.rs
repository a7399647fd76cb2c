//! Charts in archives: `.tgz` files.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::file::{ChartFile, without_mark};
use super::limits::RemainingLimits;
use super::path::cleaned;
use crate::error::ChartError;

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
        let entry_type = entry.header().entry_type();
        if matches!(entry_type, EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader) {
            continue;
        }
        let path = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|error| ChartError::Archive(format!("the name of a file is not UTF-8: {error}")))?;
        if path.ends_with('/') {
            continue;
        }
        if let Some(irregular) = irregular_name(entry_type) {
            return Err(ChartError::Archive(format!(
                "the chart archive has the {irregular} {path:?}; only files and directories are supported"
            )));
        }
        let name = name_below_base(&path).map_err(|problem| ChartError::Archive(format!("{problem}: {path:?}")))?;
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

/// Returns the name of the type of an entry that is neither a file nor a directory. Helm takes such an entry for an empty file.
const fn irregular_name(entry_type: EntryType) -> Option<&'static str> {
    match entry_type {
        EntryType::Symlink => Some("symbolic link"),
        EntryType::Link => Some("hard link"),
        EntryType::Char | EntryType::Block => Some("device"),
        EntryType::Fifo => Some("pipe"),
        _ => None,
    }
}

/// Returns the path below the first directory, if it stays there.
fn name_below_base(path: &str) -> Result<String, &'static str> {
    let delimiter = if path.contains('\\') { '\\' } else { '/' };
    let (base, below) = path.split_once(delimiter).unwrap_or((path, ""));
    let name = cleaned(below)?;
    if base == "Chart.yaml" { Err("chart yaml not in base directory") } else { Ok(name) }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    use super::*;
    use crate::source::ChartLimits;

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

    fn read(bytes: &[u8], limits: ChartLimits) -> Result<Vec<ChartFile>, String> {
        read_archive(bytes, &mut RemainingLimits::new(limits)).map_err(|error| error.to_string())
    }

    fn names(files: &[(&str, &[u8])]) -> Result<Vec<String>, String> {
        let files = read(&archive(files), ChartLimits::default())?;
        Ok(files.iter().map(|file| file.name.to_string()).collect())
    }

    #[test]
    fn files_keep_their_order_and_lose_the_first_directory() {
        let files: [(&str, &[u8]); 3] = [("web/b", b"1"), ("web/a/./c", b"2"), ("web\\d\\e", b"\xef\xbb\xbf3")];
        assert_eq!(names(&files).unwrap(), ["b", "a/c", "d/e"]);
        assert_eq!(&*read(&archive(&files), ChartLimits::default()).unwrap()[2].data, b"3");
    }

    #[test]
    fn paths_that_leave_the_chart_are_refused() {
        for (name, expected) in [
            ("web//etc/passwd", "chart illegally contains absolute paths"),
            ("web/../../x", "chart illegally references parent directory"),
            ("x", "chart illegally contains content outside the base directory"),
            ("Chart.yaml/x", "chart yaml not in base directory"),
        ] {
            assert_eq!(names(&[(name, b"")]), Err(format!("{expected}: {name:?}")), "{name}");
        }
    }

    #[test]
    fn links_and_devices_are_refused() {
        for (entry_type, expected) in [
            (EntryType::Symlink, "symbolic link"),
            (EntryType::Link, "hard link"),
            (EntryType::Char, "device"),
            (EntryType::Block, "device"),
            (EntryType::Fifo, "pipe"),
        ] {
            let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
            let mut header = Header::new_gnu();
            header.set_entry_type(entry_type);
            header.set_size(0);
            builder.append_link(&mut header, "web/values.yaml", "/etc/passwd").unwrap();
            let bytes = builder.into_inner().unwrap().finish().unwrap();
            let error = read(&bytes, ChartLimits::default()).unwrap_err();
            assert!(error.starts_with(&format!("the chart archive has the {expected} \"web/values.yaml\";")), "{error}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![0; 3 << 20];
        let bytes = archive(&[("web/a", &zeros), ("web/b", &zeros)]);
        assert!(bytes.len() < 100_000);
        let limits = ChartLimits { size: 5 << 20, ..ChartLimits::default() };
        let error = read(&bytes, limits).unwrap_err();
        assert!(error.starts_with("decompressed chart is larger than the maximum size 5242880"), "{error}");
        let limits = ChartLimits { files: 1, ..ChartLimits::default() };
        assert!(read(&bytes, limits).is_err());
    }

    #[test]
    fn bytes_that_are_no_whole_archive_are_refused() {
        assert!(read(b"name: web\n", ChartLimits::default()).is_err());
        assert!(read(&archive(&[("web/a", b"text")])[..20], ChartLimits::default()).is_err());
    }
}
