//! The keys and values of a generated object.

use std::collections::HashSet;

use crate::error::BuildProblem;
use crate::kustomization::GeneratedObject;
use crate::limits::LARGEST_OBJECT;
use crate::path::file_name;

/// A key with its value, which need not be a text.
type Pair = (String, Vec<u8>);

/// Returns the keys and values of all sources of an object: of files of variables, literals, and files. A repeated key is an error.
pub(super) fn pairs<'a>(
    entry: &GeneratedObject,
    load: &dyn Fn(&str) -> Result<&'a [u8], BuildProblem>,
) -> Result<Vec<Pair>, BuildProblem> {
    let mut room = LARGEST_OBJECT;
    let mut read = |path: &str| -> Result<&'a [u8], BuildProblem> {
        let bytes = load(path)?;
        room = room.checked_sub(bytes.len()).ok_or_else(|| {
            BuildProblem(format!(
                "the files are larger than {LARGEST_OBJECT} bytes in total at {path:?}; generate several objects"
            ))
        })?;
        Ok(bytes)
    };
    let mut pairs: Vec<Pair> = Vec::new();
    for path in &entry.envs {
        pairs.extend(variables(read(path)?).map_err(|problem| problem.within(path))?);
    }
    for literal in &entry.literals {
        pairs.push(self::literal(literal)?);
    }
    for source in &entry.files {
        let (key, path) = file_source(source)?;
        pairs.push((key, read(&path)?.to_vec()));
    }
    let mut keys = HashSet::new();
    for (key, _) in &pairs {
        if !is_data_key(key) {
            return Err(BuildProblem(format!("{key:?} is not a valid key; keys consist of letters, digits, '-', '_' and '.'")));
        }
        if !keys.insert(key) {
            return Err(BuildProblem(format!("configmap {} illegally repeats the key `{key}`", entry.name)));
        }
    }
    Ok(pairs)
}

/// Reads lines `KEY=value`. Empty lines and comments are left out; a line without a value has an empty one.
fn variables(bytes: &[u8]) -> Result<Vec<Pair>, BuildProblem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut pairs = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = std::str::from_utf8(line).map_err(|_| BuildProblem(format!("line {} has invalid utf8 bytes", index + 1)))?;
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !is_variable_name(key) {
            return Err(BuildProblem(format!("line {}: {key:?} is not a valid name of a variable", index + 1)));
        }
        pairs.push((key.to_owned(), value.as_bytes().to_vec()));
    }
    Ok(pairs)
}

/// Splits `key=value`; quotes around the value are removed. The error does not show the text, which may be that of a secret.
fn literal(source: &str) -> Result<Pair, BuildProblem> {
    let (key, value) = source
        .split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| BuildProblem::new("invalid literal source, expected key=value"))?;
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    Ok((key.to_owned(), quoted.unwrap_or(value).as_bytes().to_vec()))
}

/// Splits `key=path`. Without a key, the name of the file is the key.
fn file_source(source: &str) -> Result<(String, String), BuildProblem> {
    match source.split_once('=') {
        None => Ok((file_name(source.trim_end_matches('/')).to_owned(), source.to_owned())),
        Some((_, path)) if path.contains('=') => {
            Err(BuildProblem(format!("source {source:?} key name or file path contains '='")))
        }
        Some(("", path)) => Err(BuildProblem(format!("missing key name for file path {path:?} in source {source:?}"))),
        Some((key, "")) => Err(BuildProblem(format!("missing file path for key name {key:?} in source {source:?}"))),
        Some((key, path)) => Ok((key.to_owned(), path.to_owned())),
    }
}

fn is_data_key(key: &str) -> bool {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    !key.is_empty() && key.len() <= 253 && key != "." && !key.starts_with("..") && key.chars().all(is_allowed)
}

fn is_variable_name(name: &str) -> bool {
    is_data_key(name) && !name.starts_with(|first: char| first.is_ascii_digit())
}
