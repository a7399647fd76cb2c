//! The style of imports: one `use` per module, in the groups standard library, other crates, own crate.
//!
//! `cargo +nightly fmt --all -- --config imports_granularity=Module,group_imports=StdExternalCrate` writes them so.

use std::collections::BTreeSet;

use crate::repository::texts;

/// The groups of imports, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ImportGroup {
    Standard,
    External,
    Own,
}

/// An import at the beginning of a line that has neither attributes nor a doc comment, which rustfmt keeps apart.
#[derive(Debug)]
struct Import {
    /// The number of the line.
    line: usize,
    /// The visibility and the module, for instance `pub(crate) use super::plan`.
    module: String,
    group: ImportGroup,
    /// True if a list in braces goes deeper than the module.
    is_nested: bool,
    /// True if the line before is an import, too, so that both are of one block.
    continues: bool,
}

impl Import {
    fn new(line: usize, text: &str, continues: bool) -> Option<Self> {
        let (visibility, path) = match text.strip_prefix("use ") {
            Some(path) => ("", path),
            None => text.split_once(" use ").filter(|(visibility, _)| visibility.starts_with("pub"))?,
        };
        let path = path.trim_end_matches(';');
        let (module, list) = match path.split_once('{') {
            Some((module, list)) => (module.trim_end_matches("::"), list),
            None => path.rsplit_once("::").unwrap_or((path, "")),
        };
        let group = match module.split("::").next().unwrap_or_default() {
            "std" | "core" | "alloc" => ImportGroup::Standard,
            "crate" | "self" | "super" => ImportGroup::Own,
            _ => ImportGroup::External,
        };
        let module = format!("{visibility} use {module}");
        Some(Self { line, module, group, is_nested: list.contains("::"), continues })
    }
}

/// Returns the imports of a file that stand at the beginning of a line and have neither attributes nor a doc comment.
fn imports(code: &str) -> Vec<Import> {
    let (mut imports, mut lines) = (Vec::new(), code.lines().enumerate());
    let (mut continues, mut stands_alone) = (false, false);
    while let Some((index, line)) = lines.next() {
        let is_import = line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ");
        if !is_import {
            stands_alone = line.starts_with("#[") || line.starts_with("///");
            continues = false;
            continue;
        }
        let mut text = line.to_owned();
        while !text.ends_with(';') {
            let Some((_, line)) = lines.next() else { break };
            text.push_str(line.trim());
        }
        if !stands_alone {
            imports.extend(Import::new(index + 1, &text, continues));
        }
        continues = !stands_alone;
        stands_alone = false;
    }
    imports
}

/// Returns the sentences about the imports of a file that are not in the style of the repository.
fn findings(path: &str, content: &str) -> Vec<String> {
    let imports = imports(content);
    let mut findings = Vec::new();
    let mut modules = BTreeSet::new();
    for (index, import) in imports.iter().enumerate() {
        let Import { line, module, .. } = import;
        if import.is_nested {
            findings.push(format!("{path}:{line}: a list of {module} goes deeper than the module"));
        }
        if !import.continues {
            modules.clear();
        }
        if !modules.insert(module) {
            findings.push(format!("{path}:{line}: {module} stands twice"));
        }
        let before = index.checked_sub(1).and_then(|before| imports.get(before)).filter(|_| import.continues);
        if before.is_some_and(|before| before.group != import.group) {
            findings.push(format!("{path}:{line}: an empty line stands before {module}, which is of another group"));
        }
    }
    findings
}

#[test]
fn imports_have_one_style() {
    let texts = texts();
    let rust = texts.iter().filter(|text| text.is("rs") && !text.path.contains("/tests/ui/"));
    let findings: Vec<_> = rust.flat_map(|text| findings(&text.path, &text.content)).collect();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn nested_split_and_mixed_imports_are_found() {
    let nested = "use std::{\n    fmt::Debug,\n    sync::Arc,\n};\n";
    let split = "use crate::a::{B, C};\nuse crate::a::D;\n";
    let mixed = "use std::fmt;\nuse crate::a;\n";
    let fine = "use std::fmt;\nuse std::sync::{Arc, Weak};\n\nuse serde_json::Value;\n\nuse crate::a::{self, B};\n\npub use a::B;\npub use b::{C, D};\n";
    assert_eq!(findings("a.rs", fine), Vec::<String>::new());
    for text in [nested, split, mixed] {
        assert_eq!(findings("a.rs", text).len(), 1, "{text}");
    }
}
