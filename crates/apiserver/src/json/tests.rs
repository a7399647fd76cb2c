use serde_json::json;

use super::*;

fn read(text: &[u8]) -> (serde_json::Value, Vec<String>) {
    let document = parse(text).unwrap();
    assert!(!document.is_cut);
    (document.value, document.repeated)
}

// REQ-8, REQ-9
#[test]
fn repeated_keys_are_found_by_path_and_the_last_wins() {
    let (value, repeated) = read(br#"{"data":{"a":"1","a":"2"},"list":[{"x":1},{"x":1,"x":2}]}"#);
    assert_eq!(value, json!({"data": {"a": "2"}, "list": [{"x": 1}, {"x": 2}]}));
    assert_eq!(repeated, ["data.a", "list[1].x"]);
}

// REQ-8
#[test]
fn a_repeated_key_comes_before_those_inside_it() {
    let (_, repeated) = read(br#"{"a":{"x":1},"a":{"b":1,"b":{"y":1,"y":1}},"a":{"b":1,"b":1}}"#);
    assert_eq!(repeated, ["a", "a.b", "a.b.y"]);
}

// REQ-8: the real server stops after a hundred problems.
#[test]
fn repeated_keys_beyond_the_first_hundred_are_not_reported() {
    let members: Vec<_> = (0..150).map(|n| format!(r#""k{n}":1,"k{n}":2"#)).collect();
    let (value, repeated) = read(format!("{{{}}}", members.join(",")).as_bytes());
    assert_eq!((value["k149"].as_i64(), repeated.len(), repeated[99].as_str()), (Some(2), MAX_PROBLEMS, "k99"));
}

#[test]
fn repeated_keys_below_a_long_one_cost_little() {
    let long = "k".repeat(1_000_000);
    for inside in ["\"a\":1,".repeat(100_000), (0..50_000).map(|n| format!("\"{n}\":1,\"{n}\":2,")).collect::<Vec<_>>().concat()]
    {
        let text = format!("{{\"{long}\":{{{inside}\"z\":1}}}}");
        let (_, repeated) = read(text.as_bytes());
        assert!(repeated.len() <= MAX_PROBLEMS);
        let wanted = format!("{long}.z");
        assert!(PathPositions::of(text.as_bytes(), [wanted.as_str()].into_iter()).first(&wanted).is_some());
    }
}

// REQ-8
#[test]
fn places_come_in_the_order_of_the_text() {
    let text = br#"{"b":{"x":1},"a":[{"y":1}],"b":2}"#;
    let paths = ["b", "b.x", "a", "a[0].y", "none"];
    let positions = PathPositions::of(text, paths.into_iter());
    assert_eq!(paths.map(|path| positions.first(path)), [Some(1), Some(6), Some(13), Some(19), None]);
    assert_eq!((positions.second("b"), positions.second("a")), (Some(27), None));
    assert_eq!(PathPositions::of(b"{", paths.into_iter()).first("b"), None);
}

// REQ-5
#[test]
fn half_a_surrogate_pair_becomes_the_letter_that_stands_for_it() {
    let read = |text: &str| read(text.as_bytes()).0;
    assert_eq!(
        read(r#"["\ud800","x\udc00y","\ud800\ud800","\ud800\n"]"#),
        json!(["\u{fffd}", "x\u{fffd}y", "\u{fffd}\u{fffd}", "\u{fffd}\n"])
    );
    assert_eq!(read(r#"{"\\ud800\ud83d\ude00":"\udfff"}"#), json!({"\\ud800😀": "\u{fffd}"}));
    assert!(parse(br#"["\ud8"]"#).is_err());
}

// REQ-5
#[test]
fn each_byte_that_is_no_text_becomes_a_letter() {
    assert_eq!(text(b"a\xe2\x82b\xff"), "a\u{fffd}\u{fffd}b\u{fffd}");
}

#[test]
fn a_document_ends_where_it_ends() {
    assert!(parse(b"{} x").is_err());
    assert!(matches!(parse(b"{\"a\":"), Err(UnreadableJson::Syntax(error)) if error.is_eof()));
}
