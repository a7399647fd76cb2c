//! Tests of expressions on a stack of the size that the threads of a runtime have.

use std::thread;

use serde_json::json;

use crate::cel::interpreter::CelProgram;
use crate::{SchemaContext, check};

/// The stack size of tokio's worker threads and of test threads.
const STACK: usize = 2 * 1024 * 1024;

/// Compiles the rule as the check of a definition does, and evaluates it if it is valid.
fn use_it(rule: &str) {
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": rule, "message": "m"}]});
    let errors = check(&schema, "s", SchemaContext::default());
    if let Some(program) = CelProgram::compile(rule) {
        assert!(program.mentions("self") == rule.contains("self"), "{rule}");
        let _ = program.evaluate(&[], 1_000_000);
    } else {
        assert!(!errors.is_empty(), "{rule}");
    }
}

// CRD-2, SCH-4
#[test]
fn short_expressions_of_any_form_fit_on_a_small_stack() {
    let forms: [fn(usize) -> String; 12] = [
        |n| "(".repeat(n),
        |n| "[".repeat(n),
        |n| "!(".repeat(n),
        |n| "a(".repeat(n),
        |n| format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        |n| format!("{}{}", "[".repeat(n), "]".repeat(n)),
        |n| format!("{}true{}", "!(".repeat(n), ")".repeat(n)),
        |n| format!("{}1", "1?1:".repeat(n)),
        |n| format!("{}1", "1+".repeat(n)),
        |n| format!("{}self", "self in ".repeat(n)),
        |n| format!("self{}", ".a".repeat(n)),
        |n| format!("{}true{}", "[1].all(x,".repeat(n), ")".repeat(n)),
    ];
    let use_all = move || {
        for form in forms {
            for n in (1..).take_while(|n| form(*n).len() < 200) {
                use_it(&form(n));
            }
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(use_all).unwrap().join().unwrap();
}
