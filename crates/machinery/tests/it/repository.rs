//! The files of the repository, and the ids that they cite.

use std::path::{Path, PathBuf};

/// The extensions of hand-written files.
const WRITTEN: [&str; 7] = ["rs", "md", "toml", "jsonl", "sh", "py", "go"];

/// A file of the repository.
#[derive(Debug)]
pub(crate) struct Text {
    /// The path, relative to the root.
    pub(crate) path: String,
    pub(crate) content: String,
}

impl Text {
    /// Reads a file by its path relative to the root.
    pub(crate) fn read(path: &str) -> Self {
        let content = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self { path: path.to_owned(), content }
    }

    /// Reads a file by its path relative to the root; prints a message if it does not exist.
    pub(crate) fn find(path: &str) -> Option<Self> {
        if root().join(path).exists() {
            return Some(Self::read(path));
        }
        println!("skipped: there is no {path}");
        None
    }

    /// Returns true if the name ends with this extension.
    pub(crate) fn is(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    /// Returns true if the file is a page of rules.
    pub(crate) fn is_page(&self) -> bool {
        self.path.starts_with("docs/spec/")
    }

    /// Iterates over the lines of prose with their numbers: comments on a line of their own, and whole documents.
    pub(crate) fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let (is_rust, is_document) = (self.is("rs"), self.is("md"));
        let is_prose = move |line: &str| is_document || line.trim_start().starts_with(if is_rust { "//" } else { "#" });
        self.content.lines().enumerate().filter(move |(_, line)| is_prose(line)).map(|(index, line)| (index + 1, line))
    }

    /// Returns a source file without comments and without its modules of tests.
    pub(crate) fn code(&self) -> String {
        let (mut code, mut lines) = (String::new(), self.content.lines().peekable());
        while let Some(line) = lines.next() {
            if line == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{')) {
                lines.by_ref().find(|line| *line == "}");
            } else if !line.trim_start().starts_with("//") {
                code.push_str(line);
                code.push('\n');
            }
        }
        code
    }

    /// Returns true for a file below `src` that is compiled for tests only, or is a program.
    pub(crate) fn is_test(&self) -> bool {
        let file = self.path.split_once("/src/").map_or("", |(_, file)| file);
        let is_folder = ["tests/", "fixtures/", "testing/"].iter().any(|folder| file.contains(folder));
        is_folder
            || ["tests.rs", "recorded.rs", "testing.rs", "fixtures.rs"].iter().any(|name| file.ends_with(name))
            || file.starts_with("bin/")
    }

    /// Returns the part that runs as a test: the whole file below a folder of tests, or the text from the first module of tests on.
    pub(crate) fn tests(&self) -> &str {
        if self.is("jsonl") || self.path.contains("/tests/") || self.path.ends_with("tests.rs") {
            return &self.content;
        }
        self.content.find("#[cfg(test)]").filter(|_| self.is("rs")).map_or("", |start| &self.content[start..])
    }
}

/// Returns true if the repository has this file or folder.
pub(crate) fn exists(path: &str) -> bool {
    root().join(path).exists()
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns all hand-written files: code, scripts, documents, data of tests.
pub(crate) fn texts() -> Vec<Text> {
    fn visit(folder: &Path, root: &Path, texts: &mut Vec<Text>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if entry.file_type().unwrap().is_dir() {
                if (name != "target" || folder.ends_with("src")) && (name == ".ci" || !name.starts_with('.')) {
                    visit(&path, root, texts);
                }
                continue;
            }
            let relative = path.strip_prefix(root).unwrap().display().to_string();
            let mut text = Text { path: relative, content: String::new() };
            if name == "run" || WRITTEN.iter().any(|extension| text.is(extension)) {
                text.content = std::fs::read_to_string(&path).unwrap();
                texts.push(text);
            }
        }
    }
    let (root, mut texts) = (root(), Vec::new());
    visit(&root, &root, &mut texts);
    texts.sort_by(|one, other| one.path.cmp(&other.path));
    texts
}

/// Iterates over the words of a line that have the form of an id, such as `OWN-3a`, each with the part before its hyphen.
pub(crate) fn ids(line: &str) -> impl Iterator<Item = (String, String)> + '_ {
    line.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').filter_map(|word| {
        let (prefix, number) = word.split_once('-')?;
        let digits = number.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(number);
        let is_prefix = prefix.starts_with(|first: char| first.is_ascii_uppercase())
            && prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_prefix && is_number).then(|| (word.to_owned(), prefix.to_owned()))
    })
}

#[test]
fn rule_ids_are_distinguished_from_other_words() {
    let found: Vec<_> =
        ids("(OWN-3a, `RES-01`) SSA-1..5 X-Kubernetes-1 a-zA-Z0-9 del-1-2 v1-2 OWN- -1").map(|(id, _)| id).collect();
    assert_eq!(found, ["OWN-3a", "RES-01", "SSA-1"]);
}
