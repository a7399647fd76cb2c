//! Citations of rules, chapters and sections resolve.

use std::collections::{BTreeMap, BTreeSet};

use crate::pages::{PAGES, Page, is_scenario, pages};
use crate::repository::{Text, ids, texts};

/// Prefixes of words that have the form of an id but are none: algorithms, standards, curves.
const NO_RULES: [&str; 11] = ["AES", "CRC", "CVE", "DNS", "FNV", "ISO", "P", "RFC", "SHA", "UTF", "X"];

#[test]
fn a_rule_stands_on_one_page_once() {
    let (mut lines, mut owners) = (BTreeMap::new(), BTreeMap::new());
    for page in pages() {
        for rule in &page.rules {
            let line = format!("{}:{}", page.name, rule.line);
            if let Some(other) = lines.insert(rule.id.clone(), line.clone()) {
                panic!("{} stands at {other} and at {line}", rule.id);
            }
            let prefix = rule.id.split('-').next().unwrap().to_owned();
            let owner = *owners.entry(prefix.clone()).or_insert(page.name);
            assert_eq!(owner, page.name, "ids of {prefix} stand on two pages, the second time at {line}");
        }
    }
}

#[test]
fn every_rule_that_is_cited_exists() {
    let rules: BTreeSet<String> = pages().into_iter().flat_map(|page| page.rules).map(|rule| rule.id).collect();
    let prefixes: BTreeSet<&str> = rules.iter().filter_map(|id| id.split('-').next()).collect();
    let mut dangling = Vec::new();
    for text in texts() {
        for (index, line) in text.content.lines().enumerate() {
            let unknown = ids(line).filter(|(id, prefix)| prefixes.contains(prefix.as_str()) && !rules.contains(id));
            dangling.extend(unknown.map(|(id, _)| format!("{}:{}: {id}", text.path, index + 1)));
        }
        // Prose must not cite rules that are on no page: such a citation has a mistyped prefix, or belongs to a missing page.
        for (line, prose) in text.prose() {
            let foreign =
                ids(prose).filter(|(_, prefix)| !prefixes.contains(prefix.as_str()) && !NO_RULES.contains(&prefix.as_str()));
            dangling.extend(foreign.map(|(id, _)| format!("{}:{line}: {id}", text.path)));
        }
    }
    assert!(dangling.is_empty(), "no page of docs/spec has these rules:\n{}", dangling.join("\n"));
}

#[test]
fn every_scenario_that_a_test_names_exists() {
    let scenarios: BTreeSet<String> = pages().into_iter().flat_map(|page| page.scenarios).collect();
    assert!(scenarios.contains("A1"), "the page of components lists its scenarios");
    let mut dangling = Vec::new();
    for text in texts().iter().filter(|text| text.is("rs")) {
        let lines: Vec<&str> = text.content.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[1].starts_with("#[test]") || pair[1].starts_with("#[tokio::test")) {
            let Some(comment) = pair[0].strip_prefix("// ") else { continue };
            let named = comment.split(':').next().unwrap_or_default().split(", ");
            dangling.extend(
                named.filter(|word| is_scenario(word) && !scenarios.contains(*word)).map(|word| format!("{}: {word}", text.path)),
            );
        }
    }
    assert!(dangling.is_empty(), "no page of docs/spec has these scenarios:\n{}", dangling.join("\n"));
}

/// Iterates over the numbers that follow a word, each with the text before that word.
fn numbers_after<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    line.match_indices(word).filter_map(move |(start, _)| {
        let rest = &line[start + word.len()..];
        let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let number = rest[..end].trim_end_matches('.');
        (!number.is_empty()).then_some((&line[..start], number))
    })
}

/// Returns the page that is named directly before a chapter or section, as in "`component.md`, section 4".
fn page_before(before: &str) -> Option<&'static str> {
    let before = before.trim_end().trim_end_matches(',').trim_end_matches('`');
    PAGES.into_iter().find(|page| before.ends_with(page))
}

/// Returns the chapters and sections that a line cites, each with its page, or none if the line does not name the page.
fn cited_sections(line: &str) -> Vec<(Option<&'static str>, &str)> {
    let mut found = Vec::new();
    for page in PAGES {
        for joint in [", ", " ", "` ", "`, "] {
            let named = line.match_indices(page).filter_map(|(start, _)| line[start + page.len()..].strip_prefix(joint));
            found.extend(named.filter_map(|rest| {
                Some((Some(page), numbers_after(rest, "").next().filter(|(before, _)| before.is_empty())?.1))
            }));
        }
    }
    for word in ["section ", "Section ", "chapter ", "Chapter ", "§"] {
        found.extend(numbers_after(line, word).map(|(before, number)| (page_before(before), number)));
    }
    let is_closed = |before: &str, number: &str| line[before.len() + 1 + number.len()..].starts_with(')');
    let bare = numbers_after(line, "(").filter(|(before, number)| number.matches('.').count() == 1 && is_closed(before, number));
    found.extend(bare.map(|(_, number)| (None, number)));
    found
}

#[test]
fn places_are_found_with_and_without_their_page() {
    assert_eq!(cited_sections("waves (component.md, 10.8)."), [(Some("component.md"), "10.8")]);
    assert_eq!(cited_sections("see `reconciler.md` §4.2, section 3"), [(None, "3"), (Some("reconciler.md"), "4.2")]);
    assert_eq!(
        cited_sections("`apiserver.md` 6.7; (10.8), chapter 5"),
        [(Some("apiserver.md"), "6.7"), (None, "5"), (None, "10.8")]
    );
    assert_eq!(cited_sections("(1) at 2.5 seconds, this chapter, (3.4 s), older than 3.5.13 (3.4.31)"), []);
}

#[test]
fn every_cited_section_of_the_spec_exists() {
    let pages: BTreeMap<&str, Page> = pages().into_iter().map(|page| (page.name, page)).collect();
    let mut dangling = Vec::new();
    for text in texts().iter().filter(|text| !text.path.starts_with("docs/src/")) {
        let own = text.path.strip_prefix("docs/spec/");
        for (line, prose) in text.prose() {
            for (page, number) in cited_sections(prose) {
                let page = page.or(own);
                if !page.and_then(|page| pages.get(page)).is_some_and(|page| page.sections.contains(number)) {
                    let hint = if page.is_none() { ", which does not name its page, as in \"component.md, 10.8\"" } else { "" };
                    dangling.push(format!("{}:{line}: {number}{hint}", text.path));
                }
            }
        }
    }
    assert!(dangling.is_empty(), "no page of docs/spec has these places:\n{}", dangling.join("\n"));
}

/// Prints the rules that no test cites; `--nocapture` shows them. Rules that are not built are only counted.
#[test]
fn rules_without_a_test_are_listed() {
    let texts = texts();
    let named: BTreeSet<String> =
        texts.iter().filter(|text| !text.is_page()).flat_map(|text| ids(Text::tests(text)).map(|(id, _)| id)).collect();
    for page in pages() {
        let (built, later): (Vec<_>, Vec<_>) = page.rules.iter().partition(|rule| rule.is_built);
        let open: Vec<&str> = built.iter().map(|rule| rule.id.as_str()).filter(|id| !named.contains(*id)).collect();
        println!(
            "{}: {} rules, {} of them not built yet; no test names {}: {}",
            page.name,
            page.rules.len(),
            later.len(),
            open.len(),
            open.join(" ")
        );
        assert!(open.len() < built.len(), "{}: tests name none of its rules", page.name);
    }
}
