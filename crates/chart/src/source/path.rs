//! Paths below the directory of a chart.

/// Returns a path with `/` between its parts, and without `.` and `..`. The error tells why the path is not one of a file in a chart, in Helm's words.
pub(super) fn cleaned(path: &str) -> Result<String, &'static str> {
    let path = path.replace('\\', "/");
    if path.starts_with('/') {
        return Err("chart illegally contains absolute paths");
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err("chart illegally references parent directory");
                }
            }
            part => parts.push(part),
        }
    }
    let is_drive = |part: &str| part.len() == 2 && part.ends_with(':') && part.starts_with(|c: char| c.is_ascii_alphabetic());
    match parts[..] {
        [] => Err("chart illegally contains content outside the base directory"),
        [first, ..] if first.starts_with("..") => Err("chart illegally references parent directory"),
        [first, _, ..] if is_drive(first) => Err("chart contains illegally named files"),
        _ => Ok(parts.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_within_the_chart() {
        for (path, expected) in
            [("a", "a"), ("a/./b//c", "a/b/c"), ("a\\b", "a/b"), ("a/../b", "b"), ("c:", "c:"), ("a/c:/b", "a/c:/b")]
        {
            assert_eq!(cleaned(path).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn paths_that_leave_the_chart_are_refused() {
        for (path, expected) in [
            ("/etc/passwd", "chart illegally contains absolute paths"),
            ("\\etc", "chart illegally contains absolute paths"),
            ("../x", "chart illegally references parent directory"),
            ("a/../../x", "chart illegally references parent directory"),
            ("..x", "chart illegally references parent directory"),
            ("c:/x", "chart contains illegally named files"),
            ("", "chart illegally contains content outside the base directory"),
            ("a/..", "chart illegally contains content outside the base directory"),
        ] {
            assert_eq!(cleaned(path), Err(expected), "{path}");
        }
    }
}
