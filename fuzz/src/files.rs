//! Files in one text.

/// The beginning of the line before each file. The rest of the line is the path.
const MARK: &str = "=== ";

/// Returns the files of a text: each is the content behind a line that begins with `=== ` and a path. The content before the first such line is left out.
pub(crate) fn files_of(data: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        if let Some(path) = line.strip_prefix(MARK.as_bytes()) {
            files.push((String::from_utf8_lossy(path).trim_end().to_owned(), Vec::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.extend_from_slice(line);
        }
    }
    files
}
