use std::time::Duration;

use super::data;
use crate::backoff::{Policy, Timing};
use crate::config::FromConfigMap as _;
use crate::flow::{Class, Delay};

fn read(entries: &[(&str, &str)]) -> Timing {
    Timing::from_data(&data(entries.iter().copied())).unwrap().value
}

fn problem(entries: &[(&str, &str)]) -> String {
    Timing::from_data(&data(entries.iter().copied())).unwrap_err().to_string()
}

// 14
#[test]
fn without_keys_the_defaults_count() {
    assert_eq!(read(&[]), Timing::default());
    let texts = Timing::default().texts();
    let given: Vec<(&str, &str)> = texts.iter().map(|(key, text)| (*key, text.as_str())).collect();
    assert_eq!(read(&given), Timing::default(), "the texts are those of the defaults");
}

// 14
#[test]
fn each_key_is_read_and_others_stay() {
    let found = read(&[
        ("failures-first", "10ms"),
        ("failures-cap", "20s"),
        ("failures-multiplier", "3"),
        ("failures-jitter", "0"),
        ("conflict", "2s"),
        ("unclassified", "terminal"),
        ("hot-loop-updates", "3"),
        ("dangling", "1h"),
        ("_example", "conflict: never"),
    ]);
    let failures = Policy::new(Duration::from_millis(10), Duration::from_secs(20)).multiplier(3.0).jitter(0.0);
    let mut expected = Timing::default();
    (expected.failures, expected.conflict, expected.unclassified) = (failures, Delay::secs::<2>(), Class::Terminal);
    (expected.hot_loop.updates, expected.dangling) = (3, Delay::hours::<1>());
    assert_eq!(found, expected);
    assert_eq!(read(&[("unclassified", "1m30s")]).unclassified, Class::After(Delay::secs::<90>()));
}

// 14: absent keys keep the values that the author of the operator set
#[test]
fn config_keys_replace_values_of_the_base_timing_and_absent_keys_keep_them() {
    let mut base = Timing::default().without_jitter();
    base.conflict = Delay::secs::<9>();
    let found = base.updated(&data([("safety-net", "1m")])).unwrap().value;
    assert_eq!(found, Timing { safety_net: Delay::minutes::<1>(), ..base });
}

// 14, HALT-4
#[test]
fn all_wrong_values_are_reported_together() {
    let problems = problem(&[
        ("conflict", "0s"),
        ("waits-cap", "100ms"),
        ("waits-jitter", "1"),
        ("retry-burst", "0"),
        ("refused-first", "10m"),
        ("unclassified", "never"),
    ]);
    for part in [
        "must be a duration above zero, but is \"0s\"",
        "less than 1, but is \"1\"",
        "must be at least 1, but is \"0\"",
        "must be at least refused-first, which is 10m, but is 5m",
        "must be one of backoff, conflict, terminal, or a duration above zero, but is \"never\"",
    ] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
}
