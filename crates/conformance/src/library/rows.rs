//! The rules, and the tests that name them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// The level of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Level {
    /// Must.
    M,
    /// Should.
    S,
    /// Nice to have.
    N,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The id, such as `CRUD-1`.
    pub id: String,
    /// The area; the areas are in the order of the file.
    pub area: String,
    /// The level of the rule.
    pub level: Level,
}

/// All rules, in order.
#[derive(Clone, Debug, Default)]
pub struct Rows(Vec<Row>);

#[derive(Deserialize)]
struct Area {
    name: String,
    rows: Vec<(String, Level)>,
}

#[derive(Deserialize)]
struct RowsFile {
    area: Vec<Area>,
}

impl Rows {
    /// Reads `rows.toml`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: RowsFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let rows = file.area.into_iter().flat_map(|area| {
            let name = area.name;
            area.rows.into_iter().map(move |(id, level)| Row { id, area: name.clone(), level })
        });
        Ok(Self(rows.collect()))
    }

    /// Returns all rules.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.0.iter()
    }

    /// Returns true if there is a rule with this id.
    pub fn has(&self, id: &str) -> bool {
        self.0.iter().any(|row| row.id == id)
    }

    /// Returns the areas, in order.
    pub fn areas(&self) -> Vec<&str> {
        let mut areas: Vec<&str> = self.0.iter().map(|row| row.area.as_str()).collect();
        areas.dedup();
        areas
    }
}

/// Returns for each rule the number of Rust tests below a folder that name it in the comment above them.
pub(crate) fn tests_naming_rules(folder: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    visit(folder, &mut counts);
    counts
}

fn visit(folder: &Path, counts: &mut BTreeMap<String, usize>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            visit(&path, counts);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            count(&text, counts);
        }
    }
}

/// Counts the rules that are named in comments directly above the attribute of a test.
fn count(text: &str, counts: &mut BTreeMap<String, usize>) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let is_test = line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        let Some(comment) = index.checked_sub(1).and_then(|above| lines[above].strip_prefix("// ")).filter(|_| is_test) else {
            continue;
        };
        for word in comment.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-') {
            *counts.entry(word.to_owned()).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_in_order() {
        let rows = Rows::parse("[[area]]\nname = \"A\"\nrows = [[\"A-1\", \"M\"], [\"A-2\", \"N\"]]\n").unwrap();
        assert_eq!(rows.areas(), ["A"]);
        assert!(rows.has("A-2"));
        assert_eq!(rows.iter().next().unwrap().level, Level::M);
    }

    #[test]
    fn a_comment_above_a_test_names_rules() {
        let mut counts = BTreeMap::new();
        count("// X-1, Y-2: why\n#[tokio::test(start_paused = true)]\nasync fn a() {}\n// X-1\nfn b() {}", &mut counts);
        assert_eq!((counts.get("X-1"), counts.get("Y-2")), (Some(&1), Some(&1)));
    }
}
