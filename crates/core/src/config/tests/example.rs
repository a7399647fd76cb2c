use proptest::prelude::*;
use serde_json::{Value, json};

use crate::config::{ExampleChecksum, check_example};
use crate::recorded::knative_vectors;

fn checksum(text: &str) -> String {
    ExampleChecksum::of(text).to_string()
}

// EXC-1
#[test]
fn checksums_are_those_of_the_vectors() {
    for (text, expected) in [
        ("", "00000000"),
        ("a somewhat\nlonger\ntext", "2b4ed320"),
        ("a somewhat\n\n\nlonger\n\ntext", "2b4ed320"),
        ("a somewhat\r\nlonger\r\n\r\ntext\r\n", "2b4ed320"),
        ("1", "83dcefb7"),
        ("   a somewhat longer test\t\t\t", "fefe6f72"),
        ("test", "d87f7e0c"),
        ("multi\nline", "c1daaaa9"),
        ("123456789", "cbf43926"),
    ] {
        assert_eq!(checksum(text), expected, "{text:?}");
    }
}

// EXC-1
#[test]
fn checksums_are_those_of_the_predecessor() {
    let Some(vectors) = knative_vectors("example-checksum.jsonl") else { return };
    for vector in vectors {
        assert_eq!(checksum(vector["value"].as_str().unwrap()), vector["checksum"], "{vector}");
    }
}

// EXC-2
#[test]
fn a_changed_example_is_reported_with_both_checksums() {
    let config_map = |annotations: Value| json!({ "metadata": { "annotations": annotations }, "data": { "_example": "test" } });
    let good = "d87f7e0c";
    for accepted in [
        config_map(json!({})),
        config_map(json!({ "knative.dev/example-checksum": good })),
        config_map(json!({ "shop.dev/example-checksum": good, "knative.dev/example-checksum": "00000000" })),
        json!({ "metadata": { "annotations": { "shop.dev/example-checksum": "00000000" } }, "data": { "a": "b" } }),
        json!({ "metadata": { "annotations": { "shop.dev/example-checksum": "00000000" } } }),
    ] {
        check_example(&accepted, "shop.dev").unwrap();
    }

    let error = check_example(&config_map(json!({ "shop.dev/example-checksum": "00000000" })), "shop.dev").unwrap_err();
    assert_eq!((error.annotation.as_str(), error.expected.as_str()), ("shop.dev/example-checksum", "00000000"));
    let message = error.to_string();
    for part in ["_example", good, "00000000", "has no effect"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let error = check_example(&config_map(json!({ "knative.dev/example-checksum": "" })), "shop.dev").unwrap_err();
    assert_eq!(error.annotation, "knative.dev/example-checksum");
}

proptest! {
    // EXC-1
    #[test]
    fn line_ends_and_outer_space_do_not_matter(lines in prop::collection::vec("[a-z \t]{0,5}[a-z]", 1..6)) {
        let plain = checksum(&lines.join("\n"));
        prop_assert_eq!(&plain, &checksum(&lines.join("\r\n")));
        prop_assert_eq!(&plain, &checksum(&format!("\n \t{}\r\n\r\n", lines.join("\n\r\n\n"))));
        prop_assert_ne!(&plain, &checksum(&format!("{}x", lines.join("\n"))));
    }
}
