//! The pages of `docs/spec`, with their rules and chapters.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::{Text, ids};

/// The pages, in reading order.
pub(crate) const PAGES: [&str; 4] = ["component.md", "reconciler.md", "flow-and-contract.md", "apiserver.md"];

/// A rule on a page.
#[derive(Debug)]
pub(crate) struct PageRule {
    pub(crate) id: String,
    pub(crate) line: usize,
    /// The number of its chapter, without that of its section.
    pub(crate) chapter: String,
    /// False if the rule or its chapter is marked as not built yet.
    pub(crate) is_built: bool,
}

/// A page with its rules, chapters and scenarios.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) name: &'static str,
    pub(crate) rules: Vec<PageRule>,
    /// The numbers of chapters and sections, such as `10.8` and `B.2`.
    pub(crate) sections: BTreeSet<String>,
    /// The names of scenarios without a hyphen, such as `A1`.
    pub(crate) scenarios: BTreeSet<String>,
}

impl Page {
    /// Reads a page. A rule is defined by its id in bold at the start of a paragraph or bullet, or in the first cell of a table whose first column is
    /// headed `Id`.
    pub(crate) fn parse(name: &'static str, text: &str) -> Self {
        let mut page = Self { name, rules: Vec::new(), sections: BTreeSet::new(), scenarios: BTreeSet::new() };
        let mut chapters = Chapters::default();
        let mut first_column: Option<String> = None;
        let mut chapter = String::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(section) = heading(line) {
                section.split('.').next().unwrap_or_default().clone_into(&mut chapter);
                page.sections.insert(section);
                let after = text.lines().skip(index + 1).find(|line| !line.is_empty()).unwrap_or_default();
                chapters.enter(line.bytes().take_while(|byte| *byte == b'#').count(), after.starts_with("*Not built yet"));
            }
            let mut found = Vec::new();
            if let Some(cell) = line.strip_prefix('|').and_then(|rest| rest.split('|').next()) {
                match &first_column {
                    None => first_column = Some(cell.trim().to_lowercase()),
                    Some(column) if column == "id" => found = ids(cell).map(|(id, _)| id).collect(),
                    Some(column) if column == "ids" => {
                        page.scenarios.extend(Some(cell.trim().to_owned()).filter(|cell| is_scenario(cell)));
                    }
                    Some(_) => {}
                }
            } else {
                first_column = None;
                let bold = line.strip_prefix("* ").unwrap_or(line).strip_prefix("**").and_then(|rest| rest.split("**").next());
                found.extend(bold.filter(|bold| ids(bold).any(|(id, _)| id == *bold)).map(str::to_owned));
                if let Some(section) = line.get(..4).filter(|start| start.starts_with("B.") && start.ends_with(' ')) {
                    page.sections.insert(section.trim().to_owned());
                }
            }
            let is_built = chapters.are_built() && !line.to_lowercase().contains("*not built yet");
            page.rules.extend(found.into_iter().map(|id| PageRule { id, line: index + 1, chapter: chapter.clone(), is_built }));
        }
        page
    }
}

/// The headings above a line, each with a mark if its chapter is not built.
#[derive(Default)]
struct Chapters(BTreeMap<usize, bool>);

impl Chapters {
    fn enter(&mut self, level: usize, is_marked: bool) {
        self.0.retain(|other, _| *other < level);
        self.0.insert(level, is_marked);
    }

    fn are_built(&self) -> bool {
        !self.0.values().any(|is_marked| *is_marked)
    }
}

/// Returns true if a word is the name of a scenario, such as `A1`.
pub(crate) fn is_scenario(word: &str) -> bool {
    let digits = word.get(1..).unwrap_or_default();
    word.starts_with(|first: char| first.is_ascii_uppercase())
        && matches!(digits.len(), 1 | 2)
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the number that a heading starts with.
fn heading(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').trim_start();
    let title = title.strip_prefix("Appendix ").unwrap_or(title);
    let number = title.split(' ').next()?.trim_end_matches('.');
    let is_number = number.starts_with(|first: char| first.is_ascii_digit()) || (number.len() == 1 && line.contains("Appendix"));
    is_number.then(|| number.to_owned())
}

/// Returns all pages.
pub(crate) fn pages() -> Vec<Page> {
    PAGES.map(|name| Page::parse(name, &Text::read(&format!("docs/spec/{name}")).content)).into_iter().collect()
}

#[test]
fn rules_are_found_in_bullets_and_tables_and_know_whether_they_are_built() {
    let text = "# Title\n\n## 1. One\n\n* **AB-1** One.\n* **AB-2** *Not built yet.* Two, unlike AB-7.\n\n| Id | What |\n|---|---|\n| AB-3, AB-4 | x |\n\n\
        ### 1.1 Later\n\n*Not built yet.*\n\n* **AB-5a** Five.\n\n## 2. Two\n\n| Ids | Scenario |\n|---|---|\n| A1 | y |\n| AB-1 | z |\n\n**AB-6** Six.\n";
    let page = Page::parse("component.md", text);
    let rules: Vec<_> = page.rules.iter().map(|rule| (rule.id.as_str(), rule.is_built)).collect();
    assert_eq!(rules, [("AB-1", true), ("AB-2", false), ("AB-3", true), ("AB-4", true), ("AB-5a", false), ("AB-6", true)]);
    let chapters: Vec<_> = page.rules.iter().map(|rule| rule.chapter.as_str()).collect();
    assert_eq!(chapters, ["1", "1", "1", "1", "1", "2"]);
    assert_eq!(page.sections.iter().map(String::as_str).collect::<Vec<_>>(), ["1", "1.1", "2"]);
    assert_eq!(page.scenarios.iter().map(String::as_str).collect::<Vec<_>>(), ["A1"]);
}
