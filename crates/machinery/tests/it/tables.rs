//! The tables of the reference name existing tests, and omit no rule.

use std::collections::{BTreeMap, BTreeSet};

use crate::pages::pages;
use crate::repository::{Text, ids, texts};

/// The chapters whose rules `rules-of-reconcilers.md` lists.
const LISTED: [(&str, &[&str]); 2] = [
    ("reconciler.md", &["1", "2", "3", "4", "5", "6", "7", "8", "9", "12", "13", "14", "15"]),
    ("flow-and-contract.md", &["1", "2", "3", "4", "9", "10", "11", "12"]),
];

/// The pages about the features of predecessors, each with the index of the cell that describes the counterpart here.
const PREDECESSORS: [(&str, usize); 6] = [
    ("from-knative.md", 1),
    ("from-controller-runtime.md", 2),
    ("from-leader-election.md", 2),
    ("from-k8ssandra.md", 1),
    ("from-openmcp.md", 1),
    ("from-dogu.md", 1),
];

/// Returns the rows of the tables of a page, without their heads: the number of the line and the cells.
fn rows(page: &str) -> Vec<(usize, Vec<&str>)> {
    let lines: Vec<&str> = page.lines().collect();
    let is_head = |index: usize| lines.get(index + 1).is_some_and(|below| below.starts_with("|-"));
    let is_row = |index: &usize| lines[*index].starts_with("| ") && !is_head(*index);
    (0..lines.len()).filter(is_row).map(|index| (index + 1, cells_of(lines[index]))).collect()
}

/// Returns the cells of a row.
fn cells_of(row: &str) -> Vec<&str> {
    row.trim().trim_start_matches('|').trim_end_matches('|').split(" | ").map(str::trim).collect()
}

/// The functions of each folder below `crates` and `examples`: by name, the modules of the files in which functions of this name stand.
type Functions = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Returns the module of a file below a crate, for instance `queue::tests` for `src/queue/tests.rs`, and `it::deploy` for `tests/it/deploy.rs`.
fn module_of(file: &str) -> Option<String> {
    let path = file.strip_prefix("src/").or_else(|| file.strip_prefix("tests/"))?.strip_suffix(".rs")?;
    let names: Vec<&str> = path.split('/').filter(|name| !["lib", "main", "mod"].contains(name)).collect();
    Some(names.join("::"))
}

fn functions() -> Functions {
    let mut functions = Functions::new();
    for text in texts().iter().filter(|text| text.is("rs")) {
        let mut folders = text.path.splitn(3, '/');
        let (Some("crates" | "examples"), Some(folder), Some(file)) = (folders.next(), folders.next(), folders.next()) else {
            continue;
        };
        let Some(module) = module_of(file) else { continue };
        for line in text.content.lines() {
            let Some(name) = line.trim_start().trim_start_matches("async ").strip_prefix("fn ") else { continue };
            let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len());
            let known = functions.entry(folder.to_owned()).or_default();
            known.entry(name[..end].to_owned()).or_default().insert(module.clone());
        }
    }
    functions
}

/// Returns true if a function of this path exists. Modules inside of a file are not compared.
fn exists(path: &str, functions: &Functions) -> bool {
    let Some((folder, rest)) = path.split_once("::") else { return false };
    let Some((modules, name)) = rest.rsplit_once("::") else { return false };
    let Some(files) = functions.get(folder).and_then(|known| known.get(name)) else { return false };
    files.iter().any(|file| {
        let inside = modules.strip_prefix(file.as_str());
        inside.is_some_and(|inside| file.is_empty() || inside.is_empty() || inside.starts_with("::"))
    })
}

/// Returns the problem of a cell that names tests, if it has one.
fn fault_of_tests(cell: &str, functions: &Functions) -> Option<String> {
    cell.split(", ").find_map(|test| {
        let Some(path) = test.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else {
            return Some(format!("{test} is no test, as in `core::queue::tests::a_name`"));
        };
        (!exists(path, functions)).then(|| format!("there is no test {path}"))
    })
}

/// Returns the scenarios of a page's catalogue, each with its levels.
fn scenarios(page: &str) -> BTreeMap<String, String> {
    let catalogue: Vec<&str> = page.lines().skip_while(|line| !line.contains("Acceptance catalogue")).collect();
    let rows_of_ids = |(_, cells): (usize, Vec<&str>)| {
        let level = cells.get(1).copied().unwrap_or_default().to_owned();
        ids(cells[0]).map(|(id, _)| (id, level.clone())).collect::<Vec<_>>()
    };
    rows(&catalogue.join("\n")).into_iter().flat_map(rows_of_ids).collect()
}

/// Returns the problem of the tests of a scenario of these levels, if there is one.
fn fault_of_scenario(levels: &str, cell: &str, functions: &Functions) -> Option<String> {
    let is_integration = |test: &str| test.split("::").nth(1) == Some("it");
    if levels.contains('I') && !cell.split(", ").any(is_integration) {
        return Some("no test of it runs on a server".to_owned());
    }
    fault_of_tests(cell, functions)
}

/// Returns functions of the crate `core`, each with the module of its file.
fn of_core(known: &[(&str, &str)]) -> Functions {
    let mut functions = Functions::new();
    for (name, module) in known {
        functions.entry("core".to_owned()).or_default().entry((*name).to_owned()).or_default().insert((*module).to_owned());
    }
    functions
}

#[test]
fn table_rows_are_distinguished_from_table_heads() {
    let page = "# T\n\n| Rule | Test |\n|---|---|\n| A-1 | `a::b::c` |\n| A-2 | open |\n\ntext | text\n";
    assert_eq!(rows(page), [(5, vec!["A-1", "`a::b::c`"]), (6, vec!["A-2", "open"])]);
}

#[test]
fn a_test_is_found_by_its_crate_its_module_and_its_name() {
    let functions = of_core(&[("one", "queue"), ("two", "queue::tests")]);
    assert_eq!(fault_of_tests("`core::queue::tests::one`, `core::queue::tests::two`", &functions), None);
    for wrong in [
        "`core::queue::three`",
        "`render::queue::one`",
        "core::queue::one",
        "`core::one`",
        "`core::queue::two`",
        "`core::hash::one`",
        "",
        "open",
    ] {
        assert!(fault_of_tests(wrong, &functions).is_some(), "{wrong}");
    }
}

#[test]
fn scenarios_have_the_level_of_their_row() {
    let page =
        "| A-01 | U |\n\n## 18. Acceptance catalogue\n\n| Id | Level | Scenario |\n|---|---|---|\n| B-01, B-02 | U, I | one |\n";
    let found: Vec<(String, String)> = scenarios(page).into_iter().collect();
    assert_eq!(found, [("B-01".to_owned(), "U, I".to_owned()), ("B-02".to_owned(), "U, I".to_owned())]);
    let functions = of_core(&[("one", "flow"), ("one", "it")]);
    assert_eq!(fault_of_scenario("U", "`core::flow::one`", &functions), None);
    assert_eq!(fault_of_scenario("U, I", "`core::it::one`", &functions), None);
    assert!(fault_of_scenario("U, I", "`core::flow::one`", &functions).is_some());
}

#[test]
fn every_scenario_of_the_catalogue_is_listed_once_with_its_level_and_tests() {
    let Some(page) = Text::find("docs/src/reference/rules-of-contracts.md") else { return };
    let wanted = scenarios(&Text::read("docs/spec/flow-and-contract.md").content);
    let functions = functions();
    let (mut faults, mut listed, mut later) = (Vec::new(), BTreeSet::new(), 0);
    for (line, cells) in rows(&page.content) {
        let (id, level, test) = (cells[0], cells.get(1).copied().unwrap_or_default(), cells.get(2).copied().unwrap_or_default());
        let fault = match wanted.get(id) {
            None => Some("no scenario of the catalogue".to_owned()),
            Some(_) if !listed.insert(id.to_owned()) => Some("listed a second time".to_owned()),
            Some(wanted) if wanted != level => Some(format!("level {level} instead of {wanted}")),
            Some(_) if test.strip_prefix("later: ").is_some_and(|reason| !reason.is_empty()) => {
                later += 1;
                None
            }
            Some(_) => fault_of_scenario(level, test, &functions),
        };
        faults.extend(fault.map(|fault| format!("line {line}, {id}: {fault}")));
    }
    faults.extend(wanted.keys().filter(|id| !listed.contains(*id)).map(|id| format!("{id} is missing")));
    println!("{}: {} scenarios, {later} later", page.path, listed.len());
    assert!(faults.is_empty(), "{}:\n{}", page.path, faults.join("\n"));
}

#[test]
fn every_rule_of_reconcilers_is_listed_once_with_its_tests() {
    let Some(page) = Text::find("docs/src/reference/rules-of-reconcilers.md") else { return };
    let functions = functions();
    let (mut faults, mut listed, mut counts) = (Vec::new(), BTreeSet::new(), [0; 3]);
    for (line, cells) in rows(&page.content) {
        let (id, test) = (cells[0], cells.get(1).copied().unwrap_or_default());
        let kind = if test == "open" { 2 } else { usize::from(test.starts_with("later: ")) };
        counts[kind] += 1;
        let fault = (kind == 0).then(|| fault_of_tests(test, &functions)).flatten();
        faults.extend(fault.map(|fault| format!("line {line}, {id}: {fault}")));
        if !listed.insert(id.to_owned()) {
            faults.push(format!("line {line}: {id} a second time"));
        }
    }
    let chapters: BTreeMap<_, _> = LISTED.into();
    let is_listed = |page: &str, chapter: &str| chapters.get(page).is_some_and(|chapters| chapters.contains(&chapter));
    let wanted: BTreeSet<String> = pages()
        .iter()
        .flat_map(|page| page.rules.iter().filter(|rule| is_listed(page.name, &rule.chapter)))
        .map(|rule| rule.id.clone())
        .collect();
    faults.extend(wanted.difference(&listed).map(|id| format!("{id} is missing")));
    faults.extend(listed.difference(&wanted).map(|id| format!("{id} is no rule of the listed chapters")));
    println!("{}: {} rules with a test, {} later, {} open", page.path, counts[0], counts[1], counts[2]);
    assert!(faults.is_empty(), "{}:\n{}", page.path, faults.join("\n"));
}

#[test]
fn every_test_that_stands_for_a_predecessor_exists() {
    let functions = functions();
    for (name, here) in PREDECESSORS {
        let Some(page) = Text::find(&format!("docs/src/reference/{name}")) else { continue };
        let mut faults = Vec::new();
        let mut open = 0;
        for (line, cells) in rows(&page.content) {
            let reason = cells.get(here).copied().unwrap_or_default();
            let fault = match cells.get(3).copied() {
                _ if cells.len() != 4 => Some(format!("{} cells instead of 4", cells.len())),
                Some("open") => {
                    open += 1;
                    None
                }
                Some("–") if reason.starts_with("none:") || reason.starts_with("later:") => None,
                Some("–") => Some(format!("says neither `none:` nor `later:`, and names no test: {reason}")),
                test => fault_of_tests(test.unwrap_or_default(), &functions),
            };
            faults.extend(fault.map(|fault| format!("line {line}: {fault}")));
        }
        println!("{name}: {open} open");
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
    }
}
