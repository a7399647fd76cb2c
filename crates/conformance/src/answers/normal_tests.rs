use serde_json::json;

use super::*;

fn script(steps: &[Value]) -> Script {
    let lines = steps.iter().map(Value::to_string);
    let text: Vec<String> = std::iter::once("{}".to_owned()).chain(lines).collect();
    Script::parse("area/name", &text.join("\n")).unwrap()
}

fn answer(body: Value) -> Answer {
    Answer { code: 200, content: Content::Json(body), ..Answer::default() }
}

fn bodies(answers: Vec<Value>) -> Vec<Value> {
    let steps: Vec<Value> =
        (0..answers.len()).map(|index| json!({"id": index.to_string(), "path": "/x?said=10.9.8.7"})).collect();
    let answers: Vec<Answer> = answers.into_iter().map(answer).collect();
    normalise(&script(&steps), "kaaaaaaa", &answers).into_iter().map(|outcome| outcome.body).collect()
}

const UID_A: &str = "00000000-0000-4000-8000-00000000000a";
const UID_B: &str = "00000000-0000-4000-8000-00000000000b";

// DFT-2
#[test]
fn uids_are_numbered_in_the_order_of_their_first_occurrence() {
    let seen = bodies(vec![json!({"uid": UID_B}), json!({"text": format!("{UID_A} and {UID_B}")})]);
    assert_eq!(seen, [json!({"uid": "<uid:1>"}), json!({"text": "<uid:2> and <uid:1>"})]);
}

// DFT-2
#[test]
fn object_versions_are_numbered_in_order_and_list_versions_have_their_own_placeholders() {
    let object = |version: &str| json!({"metadata": {"resourceVersion": version}});
    let list = json!({"items": [object("90")], "metadata": {"resourceVersion": "95"}});
    let seen = bodies(vec![object("100"), object("90"), list]);
    assert_eq!(seen[0], object("<version:2>"));
    assert_eq!(seen[1], object("<version:1>"));
    assert_eq!(seen[2], json!({"items": [object("<version:1>")], "metadata": {"resourceVersion": "<list:1>"}}));
}

// DFT-2
#[test]
fn times_addresses_ports_names_tokens_and_hashes_lose_their_value_unless_the_script_said_it() {
    let seen = bodies(vec![json!({
        "time": "2026-01-01T00:00:00Z",
        "micro": "2026-01-01T00:00:00.000001Z",
        "ip": "10.0.0.7",
        "said": "10.9.8.7",
        "nodePort": 30123,
        "metadata": {"generateName": "web-", "name": "web-x7f2k"},
        "path": "/web-x7f2k/ns-kaaaaaaa",
        "token": "eyJhbGciOiJ9.eyJhdWQiOlt9.c2ln",
        "url": format!("?hash={}", "A".repeat(128)),
    })]);
    assert_eq!(
        seen[0],
        json!({
            "time": "<time>",
            "micro": "<micro-time>",
            "ip": "<address:1>",
            "said": "10.9.8.7",
            "nodePort": "<port:1>",
            "metadata": {"generateName": "web-", "name": "web-<generated:1>"},
            "path": "/web-<generated:1>/ns-$id",
            "token": "<token>",
            "url": "?hash=<hash>",
        })
    );
}

// DFT-2
#[test]
fn a_continue_token_is_shown_by_its_fields() {
    let token = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjgxLCJzdGFydCI6Ii9wMDBcdTAwMDAifQ";
    let seen = bodies(vec![json!({"items": [], "metadata": {"continue": token, "resourceVersion": "281"}})]);
    assert_eq!(seen[0]["metadata"]["continue"], json!({"v": "meta.k8s.io/v1", "rv": "<list:0>", "start": "/p00\u{0}"}));
}

// DFT-3
#[test]
fn normalising_a_failure_separates_the_messages_from_the_sorted_causes() {
    let failure = json!({
        "kind": "Status",
        "status": "Failure",
        "message": "no",
        "details": {"causes": [
            {"field": "b", "reason": "R", "message": "second"},
            {"field": "a", "reason": "R", "message": "first"},
            {"field": "a", "reason": "R", "message": "first"},
        ]},
    });
    let script = script(&[json!({"id": "1", "path": "/x"})]);
    let outcome = normalise(&script, "kaaaaaaa", &[answer(failure)]).remove(0);
    assert_eq!(outcome.messages, ["no", "first", "second"]);
    assert_eq!(outcome.body["details"]["causes"], json!([{"field": "a", "reason": "R"}, {"field": "b", "reason": "R"}]));
}

// DFT-4
#[test]
fn events_are_compared_by_object_and_without_bookmarks() {
    let object = |name: &str| json!({"metadata": {"name": name}});
    let event = |kind: &str, name: &str| json!({"type": kind, "object": object(name)});
    let events = vec![event("ADDED", "b"), event("ADDED", "a"), event("BOOKMARK", ""), event("DELETED", "b")];
    let answer = Answer { content: Content::Events { events, ended: true }, ..Answer::default() };
    let script = script(&[json!({"id": "1", "path": "/x?watch=1", "watch": {}})]);
    let outcome = normalise(&script, "kaaaaaaa", &[answer]).remove(0);
    assert!(outcome.ended);
    assert_eq!(outcome.events, json!({"/a": [event("ADDED", "a")], "/b": [event("ADDED", "b"), event("DELETED", "b")]}));
}
