//! Invalid input: no bytes make a decoder panic or a request hang, and the answers stay within those of the real server.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::json;

use self::broken_text::break_text;
use self::xorshift::{Xorshift, number};
use crate::cluster::Cluster;

#[path = "../../../machinery/tests/shared/broken_text.rs"]
mod broken_text;

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub, reason = "the file is the library of the fuzz targets")]
mod targets;
#[path = "../../../machinery/tests/shared/xorshift.rs"]
mod xorshift;

const TEXTS: &[&str] = &[
    "a in (b, c),d!=e,!f,g>5",
    "metadata.name=a,status.phase!=b",
    "100m",
    "1.5Gi",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: a, labels: {a: b}}\ndata: {a: |\n  b\n}\nx: *m\n",
    r#"[{"op":"add","path":"/metadata/labels/a","value":"b"},{"op":"move","from":"/spec","path":"/x"},{"op":"test","path":"/a~1b"}]"#,
    r#"{"metadata":{"labels":{"a":null},"$setElementOrder/finalizers":["y"]},"spec":{"$patch":"merge","template":{"spec":{"containers":[{"name":"c","$patch":"delete"}]}}}}"#,
    r#"{"f:metadata":{".":{},"f:labels":{"f:a":{}}},"f:spec":{"k:{\"name\":\"a\"}":{".":{}},"v:1":{},"i:0":{}}}"#,
    r#"{"type":"object","properties":{"spec":{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[a-z]+$","default":"x"},"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"integer"}}}}},"x-kubernetes-validations":[{"rule":"self.a == 'x'"}]}}}"#,
    "self.s.matches('^[a-z]+$') && self.l.all(x, x.size() < 3) ? [1, 2u, 3.0][0] == self.i : has(self.s)",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"default\":5},\"b\":{\"x-kubernetes-int-or-string\":true}}}\0{\"a\":null,\"b\":\"x\",\"c\":[1]}",
    ".status.conditions[?(@.type==\"Ready\")].status",
    ".spec['a'].b[0]",
    "\u{a}\u{3}\u{a}\u{1}a\u{12}\u{6}\u{a}\u{4}\u{8}\u{1}\u{10}\u{2}",
];

const PIECES: &[&str] = &[
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "-",
    "*a",
    "&a",
    "null",
    "true",
    "1e999",
    "-9223372036854775808",
    "\u{0}",
    "\u{ff}",
    "\\ud800",
    "\n",
    "..",
    "~1",
    "$patch",
    "$",
    "x-kubernetes-",
    "self",
    "? :",
    "0x",
    "é",
    "\u{feff}",
    "99999999999999999999",
];

/// Returns a valid text with a few random changes.
fn nonsense(dice: &mut Xorshift) -> Vec<u8> {
    let mut bytes = TEXTS[dice.roll(TEXTS.len())].as_bytes().to_vec();
    break_text(&mut bytes, PIECES, |below| dice.roll(below));
    bytes
}

#[test]
fn no_bytes_make_a_decoder_panic() {
    let seed = number("KUBEWRIGHT_NONSENSE_SEED", 36).max(1);
    let mut dice = Xorshift(seed);
    for round in 0..number("KUBEWRIGHT_NONSENSE_ROUNDS", 1_500) {
        let bytes = nonsense(&mut dice);
        for (name, target) in targets::TARGETS {
            let result = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            assert!(result.is_ok(), "seed {seed}, round {round}, {name}: {:?}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn no_request_makes_the_server_panic() {
    let seed = number("KUBEWRIGHT_NONSENSE_SEED", 36).max(1);
    let mut dice = Xorshift(seed);
    for round in 0..number("KUBEWRIGHT_NONSENSE_ROUNDS", 1_500) {
        let bytes = [vec![dice.roll(256) as u8], QUERIES[dice.roll(QUERIES.len())].into(), vec![0], nonsense(&mut dice)].concat();
        let result = catch_unwind(AssertUnwindSafe(|| targets::requests(&bytes)));
        assert!(result.is_ok(), "seed {seed}, round {round}: {:?}", String::from_utf8_lossy(&bytes));
    }
}

#[tokio::test]
async fn no_body_gets_a_request_stuck() {
    let seed = number("KUBEWRIGHT_NONSENSE_SEED", 36).max(1);
    let mut dice = Xorshift(seed);
    let cluster = Cluster::start();
    cluster.map("a", json!({"data": {"a": "b"}})).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let requests = [
        ("POST", maps.to_owned(), "application/json"),
        ("POST", maps.to_owned(), "application/yaml"),
        ("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".to_owned(), "application/json"),
        ("POST", "/apis/apps/v1/namespaces/default/deployments".to_owned(), "application/yaml"),
        ("PUT", format!("{maps}/a"), "application/json"),
        ("PATCH", format!("{maps}/a"), "application/json-patch+json"),
        ("PATCH", format!("{maps}/a"), "application/merge-patch+json"),
        ("PATCH", format!("{maps}/a"), "application/strategic-merge-patch+json"),
        ("PATCH", format!("{maps}/a?fieldManager=m"), "application/apply-patch+yaml"),
        ("DELETE", format!("{maps}/none"), "application/json"),
        ("POST", maps.to_owned(), "application/vnd.kubernetes.protobuf"),
    ];
    for round in 0..number("KUBEWRIGHT_NONSENSE_ROUNDS", 1_500) {
        let body = String::from_utf8_lossy(&nonsense(&mut dice)).into_owned();
        let (method, path, kind) = &requests[dice.roll(requests.len())];
        let headers = [("content-type", *kind)];
        let answer = tokio::time::timeout(Duration::from_secs(30), cluster.send_text(method, path, body.clone(), &headers)).await;
        let answer = answer.unwrap_or_else(|_| panic!("seed {seed}, round {round}: {method} {path} got stuck by {body:?}"));
        assert!((200..=504).contains(&answer.code), "seed {seed}, round {round}: {method} {path} {body:?}");
    }
    assert_eq!(cluster.get(maps).await.code, 200);
}

/// Parts of queries: options, selectors, tokens.
const QUERIES: &[&str] = &[
    "limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjgxLCJzdGFydCI6Ii9wMDBcdTAwMDAifQ",
    "labelSelector=a%20in%20(b,c),!d&fieldSelector=metadata.name%3Da",
    "resourceVersion=1&resourceVersionMatch=NotOlderThan",
    "watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=1&resourceVersionMatch=NotOlderThan",
    "timeout=1h2m3.5s&pretty=true&dryRun=All",
    "fieldValidation=Strict&fieldManager=m&force=true&includeObject=None",
];

#[tokio::test(start_paused = true)]
async fn no_query_gets_a_request_stuck() {
    let seed = number("KUBEWRIGHT_NONSENSE_SEED", 36).max(1);
    let mut dice = Xorshift(seed);
    let cluster = Cluster::start();
    cluster.map("a", json!({"data": {"a": "b"}})).await;
    for round in 0..number("KUBEWRIGHT_NONSENSE_ROUNDS", 1_500) {
        let mut query = QUERIES[dice.roll(QUERIES.len())].to_owned();
        for _ in 0..dice.roll(5) {
            let at = (0..=dice.roll(query.len() + 1)).rev().find(|at| query.is_char_boundary(*at)).unwrap_or_default();
            match dice.roll(4) {
                0 => query.truncate(at),
                1 => query.insert_str(
                    at,
                    ["%", "%00", "%ff", "&", "=", "%2C", "-1", "99999999999999999999", "%7B", "+"][dice.roll(10)],
                ),
                2 => query.insert_str(at, "&limit=1"),
                _ => {
                    let turned: String = query.split_off(at).chars().rev().take(dice.roll(9)).collect();
                    query.push_str(&turned);
                }
            }
        }
        query.retain(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '`' | '{' | '}' | '#'));
        let accept =
            ["application/json", "application/json;as=Table;g=meta.k8s.io;v=v1,*/*", "application/yaml;q=x", ";;,=", "*/*;as=;g"];
        let headers = [("accept", accept[dice.roll(accept.len())])];
        let path = ["/api/v1/namespaces/default/configmaps", "/api/v1/configmaps", "/api/v1/namespaces/default/configmaps/a"]
            [dice.roll(3)];
        let path = format!("{path}?{query}");
        // The time that a watch takes is virtual.
        let answer =
            tokio::time::timeout(Duration::from_secs(7_200), cluster.send_text("GET", &path, String::new(), &headers)).await;
        let answer = answer.unwrap_or_else(|_| panic!("seed {seed}, round {round}: {path} got stuck"));
        assert!((200..=504).contains(&answer.code), "seed {seed}, round {round}: {path}");
    }
}

// The real server refuses documents whose aliases expand exponentially, and this one must refuse them without expanding them.
#[tokio::test]
async fn aliases_that_blow_up_are_refused_at_once() {
    let cluster = Cluster::start();
    let mut body = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let inner = vec![format!("*a{}", level - 1); 10].join(",");
        let _ = writeln!(body, "a{level}: &a{level} [{inner}]");
    }
    let answer =
        cluster.send_text("POST", "/api/v1/namespaces/default/configmaps", body, &[("content-type", "application/yaml")]).await;
    assert_eq!((answer.code, answer.reason()), (400, "BadRequest"));
}

// Unread watches use memory, but do not slow down writes.
#[tokio::test(start_paused = true)]
async fn ten_thousand_idle_watches_do_not_block_writes() {
    let cluster = Cluster::start();
    let mut watches = Vec::new();
    for _ in 0..10_000 {
        watches.push(
            cluster
                .watch("/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Da")
                .await,
        );
    }
    cluster.map("a", json!({"data": {"a": "b"}})).await;
    for index in [0, 5_000, 9_999] {
        let event = watches[index].next().await.unwrap();
        assert_eq!(event["object"]["metadata"]["name"], "a");
    }
    // The other watches are never read; writes go on.
    for round in 0..50 {
        let changed =
            cluster.merge("/api/v1/namespaces/default/configmaps/a", json!({"data": {"round": round.to_string()}})).await;
        assert_eq!(changed.code, 200);
    }
}
