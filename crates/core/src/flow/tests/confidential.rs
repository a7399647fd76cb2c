use serde_json::json;

use crate::flow::*;

fn masked(object: &serde_json::Value, text: &str) -> String {
    Confidential::of(object, false).mask(text).into_owned()
}

// SW-9a
#[test]
fn the_data_of_a_secret_is_masked_as_it_was_sent_and_as_it_was_decoded() {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "shop" },
        "data": { "encoded": "aHVudGVyMmh1bnRlcg==" }, "stringData": { "plain": "correct horse", "lines": "first line\nsecond \"line\"" },
    });
    for (text, expected) in [
        ("Invalid value: \"aHVudGVyMmh1bnRlcg==\": too long", "Invalid value: \"***\": too long"),
        ("got hunter2hunter, Y29ycmVjdCBob3JzZQ==, and correct horse", "got ***, ***, and ***"),
        (r#"got "first line\nsecond \"line\"""#, r#"got "***\n*** \"***\"""#),
        ("Secret default/shop is invalid", "Secret default/shop is invalid"),
    ] {
        assert_eq!(masked(&secret, text), expected);
    }
    let patch = json!({ "stringData": { "plain": "correct horse" } });
    assert_eq!(Confidential::of(&patch, true).mask("got correct horse"), "got ***");
}

// SW-9a
#[test]
fn fields_with_confidential_names_are_masked_and_references_to_secrets_are_not() {
    let object = json!({
        "kind": "Database",
        "spec": {
            "adminPassword": "correct horse", "api-key": ["abcdefgh"], "pin_token": 123_456_789, "host": "db.example.com",
            "passwordSecretName": "database", "tokenRef": "reference", "secretRef": { "name": "nothing secret" },
            "env": [{ "name": "DB_PASSWORD", "value": "battery staple" }, { "name": "MODE", "value": "production" }],
        },
    });
    assert_eq!(masked(&object, "correct horse, abcdefgh, 123456789, battery staple"), "***, ***, ***, ***");
    let shown = "db.example.com, database, reference, nothing secret, production";
    assert_eq!(masked(&object, shown), shown);
    let patch = json!([{ "op": "replace", "path": "/spec/adminPassword", "value": "correct horse" }]);
    assert_eq!(masked(&patch, "got correct horse"), "got ***");
}

// SW-9a
#[test]
fn a_short_value_is_masked_as_a_word_only() {
    let secret = json!({ "kind": "Secret", "stringData": { "mode": "test", "flag": "on" } });
    assert_eq!(masked(&secret, "test is no latest, \"test\" is on"), "*** is no latest, \"***\" is on");
}
