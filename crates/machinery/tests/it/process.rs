//! Process-wide state is changed by the command line only.

use crate::repository::{Text, texts};

/// The crates of an operator.
const CRATES: [&str; 9] = ["machinery", "template", "core", "runtime", "component", "contract", "render", "derive", "kubewright"];

/// The folder of the command line.
const COMMAND_LINE: &str = "crates/runtime/src/operator/cli/";

/// The calls that set process-wide state, or that end the process.
const CALLS: [&str; 8] = [
    "set_global_default(",
    ".try_init()",
    ".init();",
    "process::exit(",
    "process::abort(",
    "tokio::signal::",
    "panic::set_hook(",
    "set_text_map_propagator(",
];

/// Returns the code of a file above its tests, without comments.
fn code(text: &Text) -> impl Iterator<Item = (usize, &str)> {
    let code = text.content.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")).map(|(index, line)| (index + 1, line))
}

fn is_of_an_operator(text: &Text) -> bool {
    text.is("rs")
        && !text.path.ends_with("tests.rs")
        && CRATES.iter().any(|name| text.path.starts_with(&format!("crates/{name}/src/")))
}

// OPR-2
#[test]
fn only_the_command_line_sets_global_state_or_ends_the_process() {
    let (mut found, mut in_the_command_line) = (Vec::new(), 0);
    for text in texts().iter().filter(|text| is_of_an_operator(text)) {
        for (line, code) in code(text) {
            if CALLS.iter().any(|call| code.contains(call)) {
                if text.path.starts_with(COMMAND_LINE) {
                    in_the_command_line += 1;
                } else {
                    found.push(format!("{}:{line}: {}", text.path, code.trim()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(in_the_command_line > 0, "the calls are found where they are");
}

// HALT-8
#[test]
fn an_unused_outcome_does_not_compile_in_the_workspace() {
    let manifest = Text::read("Cargo.toml");
    let lints =
        manifest.content.split("[workspace.lints.rust]").nth(1).and_then(|rest| rest.split("\n[").next()).unwrap_or_default();
    assert!(lints.lines().any(|line| line == "unused_must_use = \"deny\""), "{lints}");
}
