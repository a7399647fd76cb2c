//! The files that the pages for contributors name exist.

use crate::repository::{Text, exists};

const PAGES: [&str; 4] = ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md", "README.md"];
/// The folders of the repository with which a path begins.
const FOLDERS: [&str; 5] = [".ci/", "crates/", "docs/", "examples/", "hack/"];

#[test]
fn paths_in_pages_for_contributors_exist() {
    let (mut checked, mut missing) = (0, Vec::new());
    for page in PAGES.map(Text::read) {
        for (index, line) in page.content.lines().enumerate() {
            // Between backticks.
            for path in line.split('`').skip(1).step_by(2) {
                let path = path.split([' ', ':', '#']).next().unwrap_or_default();
                if FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.contains(['*', '<', '{']) {
                    checked += 1;
                    if !exists(path) {
                        missing.push(format!("{}:{}: {path}", page.path, index + 1));
                    }
                }
            }
        }
    }
    assert!(checked > 100, "paths are found: {checked}");
    assert!(missing.is_empty(), "the repository has no such files: {missing:#?}");
}
