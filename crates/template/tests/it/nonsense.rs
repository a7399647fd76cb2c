//! Invalid input: no text makes the parser or an execution panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::differential::number;
use crate::functions::functions;
use crate::grammar::broken_text;

#[path = "../../../../fuzz/src/templates.rs"]
#[allow(unreachable_pub, reason = "the file is a target of the fuzzer")]
mod target;

#[test]
fn no_text_makes_the_engine_panic() {
    let functions = functions();
    let first = number("KUBEWRIGHT_TEMPLATES_SEED", 1);
    for seed in first..first + number("KUBEWRIGHT_TEMPLATES_CASES", 1_000) {
        let text = broken_text(seed, &functions);
        let result = catch_unwind(AssertUnwindSafe(|| target::templates(&text)));
        assert!(result.is_ok(), "seed {seed}: {:?}", String::from_utf8_lossy(&text));
    }
}
