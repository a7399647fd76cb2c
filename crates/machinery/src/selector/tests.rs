use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn matches(selector: &str, pairs: &[(&str, &str)]) -> bool {
    LabelSelector::parse(selector).unwrap().matches(&labels(pairs))
}

// SEL-1
#[test]
fn label_selector_operators_match_as_on_the_real_server() {
    for (selector, matching, other) in [
        ("a=1", "1", Some("2")),
        ("a==1", "1", Some("2")),
        ("a in (1, 2)", "2", Some("3")),
        ("a notin (1,2)", "3", Some("2")),
        ("a!=1", "2", Some("1")),
        ("a", "", None),
        ("a>5", "6", Some("5")),
        ("a<5", "-1", Some("x")),
        ("a=", "", Some("1")),
        ("a in ()", "", Some("1")),
        ("a in (,1)", "", Some("2")),
        ("a = in", "in", Some("notin")),
    ] {
        assert!(matches(selector, &[("a", matching)]), "{selector} on {matching}");
        if let Some(other) = other {
            assert!(!matches(selector, &[("a", other)]), "{selector} on {other}");
        }
    }
    for absent in ["a!=1", "a notin (1)", "!a", ""] {
        assert!(matches(absent, &[]), "{absent}");
    }
    for absent in ["a", "a=", "a in (1)", "a>1", "a in ()"] {
        assert!(!matches(absent, &[]), "{absent}");
    }
    assert!(matches("a=1, b , !c", &[("a", "1"), ("b", "")]));
    assert!(!matches("a=1,b", &[("a", "1")]));
}

// SEL-2
#[test]
fn bad_label_selectors_get_the_text_of_the_server() {
    for (selector, text) in [
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a=1 b", "found 'b', expected: ',' or 'end of string'"),
        ("a=1,", "found '', expected: identifier after ','"),
        (",a", "found ',', expected: !, identifier, or 'end of string'"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a==(", "unable to parse requirement: found '(', expected: identifier"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        (
            "a>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an \
             integer",
        ),
    ] {
        assert_eq!(LabelSelector::parse(selector).unwrap_err().to_string(), text, "{selector}");
    }
    let text = LabelSelector::parse("-a=1").unwrap_err().to_string();
    assert!(text.starts_with("unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist"), "{text}");
    let text = LabelSelector::parse("a=1.").unwrap_err().to_string();
    assert!(text.starts_with("unable to parse requirement: values[0][a]: Invalid value: \"1.\": a valid label"), "{text}");
}

#[test]
fn selectors_inside_objects_are_read_from_json() {
    let selector = LabelSelector::from_json(&json!({
        "matchLabels": {"tier": "web"},
        "matchExpressions": [
            {"key": "app", "operator": "In", "values": ["b", "a"]},
            {"key": "old", "operator": "DoesNotExist"},
        ],
    }))
    .unwrap();
    assert_eq!(selector.to_string(), "app in (a,b),!old,tier=web");
    assert!(selector.matches(&labels(&[("tier", "web"), ("app", "a")])));
    assert!(!selector.matches(&labels(&[("tier", "web"), ("app", "a"), ("old", "")])));
    assert!(LabelSelector::from_json(&json!({})).unwrap().matches(&labels(&[])));
    assert!(!LabelSelector::from_json(&Value::Null).unwrap().matches(&labels(&[])));
    assert!(!LabelSelector::from_map(&json!({})).unwrap().matches(&labels(&[])));
    for empty in [json!({"key": "a", "operator": "In"}), json!({"key": "a", "operator": "In", "values": []})] {
        let error = LabelSelector::from_json(&json!({"matchExpressions": [empty]})).unwrap_err();
        assert_eq!(error.to_string(), "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    }
    let unknown = json!({"matchExpressions": [{"key": "a", "operator": "Gt"}]});
    assert_eq!(LabelSelector::from_json(&unknown).unwrap_err().to_string(), "\"Gt\" is not a valid label selector operator");
}

// SEL-3
#[test]
fn field_selectors_know_equality_only() {
    let selector = FieldSelector::parse("metadata.name=a,,status.phase!=x,spec.y==z").unwrap();
    let found: Vec<_> = selector.requirements().iter().map(|r| (r.field.as_str(), r.equal, r.value.as_str())).collect();
    assert_eq!(found, [("metadata.name", true, "a"), ("status.phase", false, "x"), ("spec.y", true, "z")]);
    assert_eq!(selector.required("metadata.name"), Some("a"));
    assert!(FieldSelector::parse("").unwrap().is_everything());
    for (text, error) in [
        ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("metadata.name in (a)", "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a=\\b", "invalid field selector: invalid escape sequence: \\b"),
    ] {
        assert_eq!(FieldSelector::parse(text).unwrap_err().to_string(), error);
    }
}

// SEL-5
#[test]
fn an_absent_field_equals_the_empty_value() {
    let selector = FieldSelector::parse("spec.size=5,spec.gone=").unwrap();
    assert!(selector.matches(|field| if field == "spec.size" { "5" } else { "" }));
}

proptest! {
    #[test]
    fn field_selectors_survive_their_text(values in prop::collection::vec(".*", 0..4)) {
        let requirement = |(index, value)| FieldRequirement { field: format!("f{index}"), equal: index % 2 == 0, value };
        let selector = FieldSelector::new(values.into_iter().enumerate().map(requirement).collect());
        prop_assert_eq!(FieldSelector::parse(&selector.to_string()).unwrap(), selector);
    }

    #[test]
    fn label_selectors_survive_their_text(keys in prop::collection::vec(("[a-z]{1,3}", 0..7_usize, "[a-z0-9]{0,2}"), 0..5)) {
        let requirements = keys.into_iter().map(|(key, operator, value)| {
            let operators = [
                SelectorOperator::In, SelectorOperator::NotIn, SelectorOperator::Equals, SelectorOperator::DoubleEquals, SelectorOperator::NotEquals,
                SelectorOperator::Exists, SelectorOperator::DoesNotExist,
            ];
            let values = if operator < 5 { vec![value] } else { Vec::new() };
            LabelRequirement::new(&key, operators[operator], values).unwrap()
        });
        let selector = LabelSelector::new(requirements.collect());
        prop_assert_eq!(LabelSelector::parse(&selector.to_string()).unwrap(), selector);
    }

    #[test]
    fn no_text_makes_the_parsers_fail_badly(text in "[a-c=!()<>, \\\\]{0,12}") {
        let _ = LabelSelector::parse(&text);
        let _ = FieldSelector::parse(&text);
    }
}
