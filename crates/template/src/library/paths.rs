//! Functions of paths with slashes. Those of the operating system are the same, as on Linux.

use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::GoValue;

const TEXT: Signature = Signature::of(&[Parameter::String]);

/// Adds the functions of paths.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("base", TEXT, |call| Ok(GoValue::string(base(call.string(0).as_bytes()))));
    functions.add("dir", TEXT, |call| Ok(GoValue::string(directory(call.string(0).as_bytes()))));
    functions.add("clean", TEXT, |call| Ok(GoValue::string(clean(call.string(0).as_bytes()))));
    functions.add("ext", TEXT, |call| Ok(GoValue::string(extension(call.string(0).as_bytes()))));
    functions.add("isAbs", TEXT, |call| Ok(call.string(0).as_bytes().starts_with(b"/").into()));
    for (alias, name) in [("osBase", "base"), ("osDir", "dir"), ("osClean", "clean"), ("osExt", "ext"), ("osIsAbs", "isAbs")] {
        functions.alias(alias, name);
    }
}

/// Returns the position behind the last slash.
fn name_start(path: &[u8]) -> usize {
    path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)
}

/// Returns the last part, without slashes at the end; `.` for an empty path, and `/` for slashes alone.
fn base(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
    match (&path[..end], path.is_empty()) {
        (_, true) => b".",
        ([], false) => b"/",
        (path, false) => &path[name_start(path)..],
    }
}

/// Returns the cleaned path without its last part.
fn directory(path: &[u8]) -> Vec<u8> {
    clean(&path[..name_start(path)])
}

/// Returns the ending of the last part from its last dot on.
fn extension(path: &[u8]) -> &[u8] {
    let name = &path[name_start(path)..];
    name.iter().rposition(|byte| *byte == b'.').map_or(&[], |at| &name[at..])
}

/// Returns the shortest path that is the same: without empty parts and `.`, and without parts that `..` leaves again.
fn clean(path: &[u8]) -> Vec<u8> {
    let is_absolute = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if is_absolute => {}
            other => parts.push(other),
        }
    }
    let cleaned = parts.join(&b'/');
    match (is_absolute, cleaned.is_empty()) {
        (true, _) => [b"/", &cleaned[..]].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => cleaned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: impl AsRef<[u8]>) -> String {
        String::from_utf8(bytes.as_ref().to_vec()).unwrap()
    }

    #[test]
    fn paths_are_cleaned() {
        for (path, expected) in [
            ("", "."),
            ("/", "/"),
            ("//", "/"),
            ("a/../b//c/.", "b/c"),
            ("/../a", "/a"),
            ("../../a", "../../a"),
            ("a/..", "."),
            ("/..", "/"),
            ("a/../..", ".."),
            ("./a/", "a"),
            ("../a/../..", "../.."),
        ] {
            assert_eq!(text(clean(path.as_bytes())), expected, "{path}");
        }
    }

    #[test]
    fn paths_have_a_base_a_directory_and_an_extension() {
        for (path, parts) in [
            ("", [".", ".", ""]),
            ("/", ["/", "/", ""]),
            ("a", ["a", ".", ""]),
            ("a/", ["a", "a", ""]),
            ("///", ["/", "/", ""]),
            ("a/b/c.tar.gz", ["c.tar.gz", "a/b", ".gz"]),
            (".bashrc", [".bashrc", ".", ".bashrc"]),
            ("a.b/c", ["c", "a.b", ""]),
        ] {
            let path = path.as_bytes();
            assert_eq!([text(base(path)), text(directory(path)), text(extension(path))], parts);
        }
    }
}
