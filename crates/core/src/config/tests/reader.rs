use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::data;
use crate::config::{ConfigErrors, Field, FromConfigMap, Parsed, Reader, data_of};

fn read(field: &Field<'_, Duration>, data: &BTreeMap<String, String>) -> Result<Duration, String> {
    let mut reader = Reader::new(data);
    let value = reader.read(field);
    reader.finish(|| value).map(|parsed| parsed.value).map_err(|errors| errors.to_string())
}

fn window() -> Field<'static, Duration> {
    Field::new("window").alias("newer").alias("older").default("60s")
}

const SECOND: Duration = Duration::from_secs(1);

// CFG-1, CFG-2
#[test]
fn a_value_is_trimmed_and_a_missing_one_is_the_default() {
    assert_eq!(read(&window(), &data([("window", " 7s\n")])), Ok(7 * SECOND));
    assert_eq!(read(&window(), &data([])), Ok(60 * SECOND));
    assert_eq!(
        read(&Field::new("window"), &data([])).unwrap_err(),
        "failed to parse \"window\": it is missing and has no default"
    );
}

// CFG-2
#[test]
fn the_key_wins_over_former_names_and_these_in_their_order() {
    assert_eq!(read(&window(), &data([("older", "1s")])), Ok(SECOND));
    assert_eq!(read(&window(), &data([("older", "1s"), ("newer", "2s")])), Ok(2 * SECOND));
    assert_eq!(read(&window(), &data([("older", "1s"), ("newer", "2s"), ("window", "3s")])), Ok(3 * SECOND));
    assert_eq!(
        read(&window(), &data([("older", "bad"), ("window", "3s")])),
        Ok(3 * SECOND),
        "a former name does not count any more"
    );
    assert_eq!(
        read(&window(), &data([("older", "3s"), ("newer", "bad")])).unwrap_err(),
        "failed to parse \"newer\": time: invalid duration \"bad\""
    );
}

// CFG-3
#[test]
fn a_value_out_of_range_is_reported_with_the_bounds() {
    let fails = |range, text| read(&window().range(range), &data([("window", text)])).unwrap_err();
    let prefix = "failed to parse \"window\": must be";
    assert_eq!(fails("6s..=60m", "5s"), format!("{prefix} at least 6s and at most 60m, but is \"5s\""));
    assert_eq!(fails("6s..=1h", "61m"), format!("{prefix} at least 6s and at most 1h, but is \"61m\""));
    assert_eq!(fails("6s..", "5s"), format!("{prefix} at least 6s, but is \"5s\""));
    assert_eq!(fails("..61s", "61s"), format!("{prefix} less than 61s, but is \"61s\""));
    for (range, text) in [("6s..=1h", "1h"), ("6s..=1h", "6s"), ("..", "1ns"), ("..=1h", "0")] {
        assert!(read(&window().range(range).default("6s"), &data([("window", text)])).is_ok(), "{text} in {range}");
    }
}

// CFG-3
#[test]
fn a_declaration_that_cannot_be_used_is_found_though_the_key_is_there() {
    let fails = |field: Field<'static, Duration>| read(&field, &data([("window", "60s")])).unwrap_err();
    let prefix = "failed to parse \"window\": its";
    assert_eq!(
        fails(window().default("60x")),
        format!("{prefix} default cannot be used: time: unknown unit \"x\" in duration \"60x\"")
    );
    assert_eq!(fails(window().range("..=30s")), format!("{prefix} default cannot be used: must be at most 30s, but is \"60s\""));
    assert_eq!(fails(window().range("1h..6s")), format!("{prefix} range \"1h..6s\" cannot be used: no value lies in it"));
    assert_eq!(fails(window().range("6s")), format!("{prefix} range \"6s\" cannot be used: it must have the form least..=most"));
    assert_eq!(
        fails(window().range("6..")),
        format!("{prefix} range \"6..\" cannot be used: time: missing unit in duration \"6\"")
    );
}

// CFG-1
#[test]
fn an_empty_option_is_outside_of_no_range() {
    let entries = data([("a", " "), ("b", "11")]);
    let mut reader = Reader::new(&entries);
    let a = reader.read(&Field::<Option<u8>>::new("a").range("1..=10").default("5"));
    let b = reader.read(&Field::<Option<u8>>::new("b").range("1..=10"));
    assert_eq!(a, Ok(None));
    assert!(b.is_err());
}

// CFG-2
#[test]
fn a_prefix_collects_the_keys_that_no_other_field_reads() {
    let entries =
        data([("class.a.b", " x "), ("class", "x"), ("class.", "x"), ("classes.a", "x"), ("class.own", "x"), ("class.e", "")]);
    let mut reader = Reader::new(&entries);
    let own = reader.read(&Field::<String>::new("class.own"));
    let classes = reader.collect(&Field::<String>::new("class"));
    let parsed = reader.finish(|| Ok((own?, classes?))).unwrap();
    assert_eq!(parsed.value, ("x".to_owned(), data([("a.b", "x"), ("e", "")])));
    assert_eq!(parsed.unknown_keys, BTreeSet::from(["class".to_owned(), "class.".to_owned(), "classes.a".to_owned()]));
}

// CFG-3
#[test]
fn errors_of_values_under_a_prefix_name_their_keys() {
    let entries = data([("buckets.a", "1"), ("buckets.b", "11"), ("buckets.c", "x"), ("buckets.d", "2")]);
    let mut reader = Reader::new(&entries);
    let buckets = reader.collect(&Field::<u8>::new("buckets").range("1..=10"));
    let errors = reader.finish(|| buckets).unwrap_err();
    assert_eq!(errors.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["buckets.b", "buckets.c"]);
}

// CFG-4
#[test]
fn unknown_keys_are_returned_and_refused_by_a_strict_reader() {
    let entries = data([("a", "1"), ("z", "2"), ("y", "3"), ("_example", "a: 1")]);
    let read = |reader: Reader<'_>| {
        let mut reader = reader;
        let a = reader.read(&Field::<u8>::new("a"));
        let more = reader.collect(&Field::<u8>::new("more"));
        reader.finish(|| Ok((a?, more?)))
    };
    let unknown_keys = BTreeSet::from(["y".to_owned(), "z".to_owned()]);
    assert_eq!(read(Reader::new(&entries)), Ok(Parsed { value: (1, BTreeMap::new()), unknown_keys }));
    assert_eq!(
        read(Reader::new(&entries).strict()).unwrap_err().to_string(),
        "failed to parse \"y\": the key is unknown; allowed: a, more.<name>\n\
         failed to parse \"z\": the key is unknown; allowed: a, more.<name>"
    );
}

#[derive(Clone, Debug, PartialEq)]
struct Pair(u8, u8);

impl FromConfigMap for Pair {
    const NAME: &'static str = "pair";
    const REQUIRED: bool = true;
    const EXAMPLE_CHECKSUM: bool = false;

    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let mut reader = Reader::new(data);
        let (one, other) = (reader.read(&Field::new("one").default("1")), reader.read(&Field::new("other").default("2")));
        reader.finish(|| Ok(Self(one?, other?)))
    }
}

#[test]
fn defaults_are_the_value_of_an_empty_map() {
    assert_eq!(Pair::defaults(), Some(Pair(1, 2)));
}

#[test]
fn data_are_the_texts_of_a_config_map() {
    let config_map = serde_json::json!({ "kind": "ConfigMap", "data": { "a": "1", "b": 2 }, "binaryData": { "c": "AA==" } });
    assert_eq!(data_of(&config_map), data([("a", "1")]));
    assert_eq!(data_of(&serde_json::json!({})), data([]));
}

#[test]
fn a_result_of_another_reader_is_no_value() {
    let entries = data([]);
    let unread = Reader::new(&entries).read(&Field::<u8>::new("a"));
    assert!(Reader::new(&entries).finish(|| unread).is_err());
}

proptest! {
    // CFG-3
    #[test]
    fn each_wrong_key_has_one_line_and_lines_are_sorted(texts in prop::collection::btree_map("[a-c]{1,2}", "[0-9x]{0,3}", 0..8)) {
        let mut reader = Reader::new(&texts);
        let values: Vec<_> = ["b", "cc", "a", "ab", "c"].map(|key| reader.read(&Field::<u8>::new(key).default("1"))).into();
        let wrong: Vec<_> = ["a", "ab", "b", "c", "cc"]
            .into_iter()
            .filter(|key| texts.get(*key).is_some_and(|text| text.parse::<u8>().is_err()))
            .collect();
        let result = reader.finish(|| values.into_iter().collect::<Result<Vec<_>, _>>());
        let lines = result.err().map(|errors| errors.to_string()).unwrap_or_default();
        let told: Vec<_> = lines.lines().map(|line| line.split('"').nth(1).unwrap()).collect();
        prop_assert_eq!(told, wrong);
    }
}
