//! The order of the modules of each crate, which its `lib.rs` lists: imports go down only.

use std::collections::BTreeSet;

use crate::repository::{Text, texts};

/// The beginning of the list in the documentation of a crate.
const LIST: &str = "Modules, from low to high: ";

/// The modules of a crate, in their order.
struct Order {
    krate: String,
    modules: Vec<String>,
}

impl Order {
    /// Reads the list in the documentation of a crate. None for a crate without modules.
    fn of(path: &str, text: &str) -> Option<Self> {
        let krate = path.strip_prefix("crates/")?.strip_suffix("/src/lib.rs")?.to_owned();
        let documentation: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let begin = documentation.iter().position(|line| line.starts_with(LIST));
        let list: Vec<&str> = documentation.iter().skip(begin?).take_while(|line| !line.is_empty()).copied().collect();
        let list = list.join(" ");
        let names =
            list.strip_prefix(LIST)?.trim_end_matches('.').split(", ").map(|name| name.trim_matches(['[', ']', '`']).to_owned());
        Some(Self { krate, modules: names.collect() })
    }

    fn position(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|known| known == module)
    }

    /// Returns the modules that a file uses and that are above its own.
    fn upward<'o>(&'o self, file: &str, code: &str) -> Vec<&'o str> {
        let own = file.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        let Some(own) = self.position(own) else { return Vec::new() };
        let used = used_modules(code);
        self.modules.iter().skip(own + 1).filter(|module| used.contains(*module)).map(String::as_str).collect()
    }
}

/// Returns the first names of all paths that begin with `crate::`.
fn used_modules(code: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut is_first) = (0_usize, true);
            let mut name = String::new();
            for letter in group.chars() {
                match letter {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        used.insert(std::mem::take(&mut name));
                        is_first = true;
                    }
                    letter if depth == 0 && is_first && (letter.is_alphanumeric() || letter == '_') => name.push(letter),
                    ':' => is_first = false,
                    _ => {}
                }
            }
            used.insert(name);
        } else {
            used.insert(rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect());
        }
    }
    used
}

fn orders() -> Vec<(Order, Vec<String>)> {
    let texts = texts();
    let lib = |path: &str| path.starts_with("crates/") && path.ends_with("/src/lib.rs");
    let mut orders = Vec::new();
    for text in texts.iter().filter(|text| lib(&text.path)) {
        let declared: Vec<String> = text
            .code()
            .lines()
            .scan("", |before, line| {
                let is_of_tests = std::mem::replace(before, line).contains("cfg(test)");
                Some((line, is_of_tests))
            })
            .filter(|(_, is_of_tests)| !is_of_tests)
            .filter_map(|(line, _)| line.trim_start_matches("pub(crate) ").trim_start_matches("pub ").strip_prefix("mod "))
            .filter_map(|module| module.strip_suffix(';').map(str::to_owned))
            .collect();
        match Order::of(&text.path, &text.content) {
            Some(order) => orders.push((order, declared)),
            None => assert!(declared.len() < 6, "{} lists no order of its {} modules ({LIST}…)", text.path, declared.len()),
        }
    }
    assert!(orders.len() >= 5, "the order of modules is read");
    orders
}

#[test]
fn the_order_of_modules_names_each_module_once() {
    for (order, declared) in orders() {
        let listed: BTreeSet<&String> = order.modules.iter().collect();
        assert_eq!(listed.len(), order.modules.len(), "{} lists a module twice", order.krate);
        assert_eq!(listed, declared.iter().collect(), "the list of {} is that of its modules", order.krate);
    }
}

#[test]
fn imports_between_modules_go_down() {
    let mut found = Vec::new();
    for (order, _) in orders() {
        let root = format!("crates/{}/src/", order.krate);
        for text in texts() {
            let Some(file) = text.path.strip_prefix(&root).filter(|_| text.is("rs") && !text.is_test()) else {
                continue;
            };
            let upward = order.upward(file, &text.code()).into_iter().map(|module| format!("{} imports {module}", text.path));
            found.extend(upward);
        }
    }
    assert!(found.is_empty(), "imports go up: {found:#?}");
}

#[test]
fn grouped_and_single_module_paths_are_found() {
    let content =
        "use crate::a::{b, c};\nuse crate::{\n    d::{e, f},\n    g,\n};\nlet x = crate::h::i();\n// crate::j\n".to_owned();
    let used = used_modules(&Text { path: "a.rs".to_owned(), content }.code());
    assert_eq!(used.into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>(), ["a", "d", "g", "h"]);
}
