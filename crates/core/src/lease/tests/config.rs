use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use kubewright_machinery::quantity::GoDuration;
use serde_json::{Value, json};

use super::super::*;
use crate::config::FromConfigMap;
use crate::recorded::knative_vectors;

fn data(entries: &[(&str, &str)]) -> BTreeMap<String, String> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn read(entries: &[(&str, &str)]) -> Result<LeaderElection, String> {
    LeaderElection::from_data(&data(entries)).map(|parsed| parsed.value).map_err(|errors| errors.to_string())
}

fn timing(seconds: [u64; 3]) -> LeaseTiming {
    let [lease, deadline, retry] = seconds.map(Duration::from_secs);
    LeaseTiming::new(lease, deadline, retry).unwrap()
}

/// Returns a configuration in the form of the recordings.
fn shown(config: &LeaderElection) -> Value {
    let text = |duration: Duration| GoDuration::from(duration).to_string();
    json!({
        "buckets": config.buckets,
        "leaseDuration": text(config.timing.lease_duration()),
        "renewDeadline": text(config.timing.renew_deadline()),
        "retryPeriod": text(config.timing.retry_period()),
    })
}

// 6.5
#[test]
fn an_empty_map_means_the_defaults() {
    let config = read(&[]).unwrap();
    assert_eq!(config, LeaderElection::default());
    assert_eq!((config.timing, config.buckets.get()), (timing([60, 40, 10]), 1));
}

// 6.5
#[test]
fn every_key_and_its_former_name_is_read() {
    let config = read(&[
        ("lease-duration", "15s"),
        ("renewDeadline", "10s"),
        ("retry-period", " 2s "),
        ("buckets", "3"),
        ("buckets.other", "5"),
        ("map-lease-prefix.Comp.Reconciler", "Other"),
    ])
    .unwrap();
    assert_eq!(config.timing, timing([15, 10, 2]));
    assert_eq!((config.buckets_of("some").get(), config.buckets_of("other").get()), (3, 5));
    let set = LeaseSet::of_controller("comp", "reconciler", config.buckets, &config.prefixes);
    assert_eq!(&*set.names()[0], "other.00-of-03");
}

// CFG-2
#[test]
fn a_former_name_beside_a_present_one_need_not_parse() {
    let config = read(&[("lease-duration", "50s"), ("leaseDuration", "bad"), ("retryPeriod", "5s")]).unwrap();
    assert_eq!(config.timing, timing([50, 40, 5]));
    let all = [("lease-duration", "50s"), ("renew-deadline", "30s"), ("retry-period", "20s")];
    let former = [("leaseDuration", "15s"), ("renewDeadline", "10s"), ("retryPeriod", "2s")];
    assert_eq!(read(&[all, former].concat()).unwrap().timing, timing([50, 30, 20]));
    let error = read(&[("leaseDuration", "bad")]).unwrap_err();
    assert_eq!(error, "failed to parse \"leaseDuration\": time: invalid duration \"bad\"");
}

// CFG-30: Knative then hangs without a message, and ignores the first signal
#[test]
fn durations_that_cannot_work_together_are_an_error_with_all_three() {
    let error = |lease: &str, deadline: &str, retry: &str| {
        read(&[("lease-duration", lease), ("renew-deadline", deadline), ("retry-period", retry)]).unwrap_err()
    };
    let text = "failed to parse \"lease-duration\": lease-duration 10s, renew-deadline 20s and retry-period 5s cannot be used together; \
                lease-duration must be longer than renew-deadline, renew-deadline longer than 1.2 × retry-period, and retry-period \
                longer than 0s";
    assert_eq!(error("10s", "20s", "5s"), text);
    for (lease, deadline, retry) in [("20s", "20s", "5s"), ("20s", "6s", "5s"), ("20s", "10s", "0s"), ("0", "0", "0")] {
        assert!(error(lease, deadline, retry).contains("cannot be used together"), "{lease} {deadline} {retry}");
    }
    assert!(error("-5s", "20s", "5s").contains("must be a duration of zero or more, but is \"-5s\""));
    assert!(read(&[("lease-duration", "21s"), ("renew-deadline", "20s"), ("retry-period", "16s")]).is_ok());
}

// CFG-3
#[test]
fn lease_configuration_errors_name_the_key_the_value_and_the_constraint() {
    let error =
        read(&[("buckets", "11"), ("buckets.x", "0"), ("lease-duration", "15"), ("map-lease-prefix.a", "B_")]).unwrap_err();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "failed to parse \"buckets\": must be at least 1 and at most 10, but is \"11\"",
            "failed to parse \"buckets.x\": must be a whole number of at least 1, but is \"0\"",
            "failed to parse \"lease-duration\": time: missing unit in duration \"15\"",
        ]
    );
    let error = read(&[("buckets", "many"), ("renew-deadline", "flops"), ("retry-period", "flops")]).unwrap_err();
    assert_eq!(
        error.lines().collect::<Vec<_>>(),
        [
            "failed to parse \"buckets\": must be a whole number of at least 1, but is \"many\"",
            "failed to parse \"renew-deadline\": time: invalid duration \"flops\"",
            "failed to parse \"retry-period\": time: invalid duration \"flops\"",
        ]
    );
    let error = read(&[("map-lease-prefix.a", "B_"), ("map-lease-prefix.b", "")]).unwrap_err();
    assert!(
        error.starts_with("failed to parse \"map-lease-prefix.a\": must be the beginning of a lease name, but is \"B_\": "),
        "{error}"
    );
    assert_eq!(error.lines().count(), 2);
    let error = read(&[("map-lease-prefix.A", "x"), ("map-lease-prefix.a", "y")]).unwrap_err();
    assert!(error.contains("\"map-lease-prefix.a\": another key maps the same prefix"), "{error}");
}

// 6.5: the maximum is a builder option
#[test]
fn an_operator_sets_the_maximum_and_the_values_of_absent_keys() {
    let mut base =
        LeaderElection { buckets: NonZeroU32::new(12).unwrap(), timing: timing([15, 10, 2]), ..LeaderElection::default() };
    base.prefixes.insert("a", "b");
    let most = NonZeroU32::new(20).unwrap();
    let config = base.updated(&data(&[("retry-period", "3s"), ("map-lease-prefix.c", "d")]), most).unwrap().value;
    assert_eq!((config.buckets.get(), config.timing), (12, timing([15, 10, 3])));
    assert_eq!(&*LeaseSet::of_operator("a", config.buckets, &config.prefixes).names()[0], "b.00-of-12");
    assert!(base.updated(&data(&[("buckets", "20")]), most).is_ok());
    assert!(base.updated(&data(&[("buckets", "21")]), most).is_err());
}

// LDR-13: others take a lease over after the duration that its record states
#[test]
fn a_record_never_states_less_than_the_lease_duration() {
    let stated = |millis| LeaseTiming::new(Duration::from_millis(millis), Duration::from_millis(9), Duration::from_millis(1));
    let seconds: Vec<u32> = [10, 999, 1000, 1001].map(|millis| stated(millis).unwrap().stated_seconds()).into();
    assert_eq!(seconds, [1, 1, 1, 2]);
}

/// Returns the reason why a recorded configuration is read differently here, if it is.
fn deviation(data: &Value) -> Option<&'static str> {
    let text = data.to_string();
    Some(match text.as_str() {
        r#"{"buckets":" 3 "}"# => "CFG-1: values are trimmed",
        r#"{"lease-duration":"15s"}"#
        | r#"{"leaseDuration":"15s"}"#
        | r#"{"lease-duration":"30s","leaseDuration":"15s"}"#
        | r#"{"lease-duration":"0"}"#
        | r#"{"lease-duration":"10s","renew-deadline":"20s"}"# => "CFG-30: not longer than the renew deadline",
        r#"{"lease-duration":"-5s"}"# => "CFG-30: negative",
        r#"{"map-lease-prefix.a.b":""}"# => "an empty prefix is no beginning of a lease name",
        _ => return None,
    })
}

// CFG-30, LDR-12
#[test]
fn configurations_are_read_as_recorded_except_where_the_rules_differ() {
    let Some(lines) = knative_vectors("leader-election-config.jsonl") else { return };
    assert_eq!(lines.len(), 31);
    let mut deviations = 0;
    for line in lines {
        let data: BTreeMap<String, String> = serde_json::from_value(line["data"].clone()).unwrap_or_default();
        let found = LeaderElection::from_data(&data);
        if line["data"] == json!({ "lease-duration": "30s", "leaseDuration": "bad" }) {
            // CFG-2: the former name does not count. CFG-30: 30 s are not longer than the renew deadline.
            assert!(found.unwrap_err().to_string().contains("cannot be used together"), "{line}");
            continue;
        }
        if let Some(reason) = deviation(&line["data"]) {
            deviations += 1;
            assert_ne!(found.is_ok(), line.get("config").is_some(), "{line}: {reason}");
            continue;
        }
        let Some(expected) = line.get("config") else {
            assert!(found.is_err(), "{line}");
            continue;
        };
        let config = found.unwrap_or_else(|errors| panic!("{line}: {errors}")).value;
        let mut prefixes = PrefixMap::default();
        for (from, to) in expected["leaseNamesPrefixMapping"].as_object().into_iter().flatten() {
            assert!(prefixes.insert(from, to.as_str().unwrap()));
        }
        assert_eq!(config.prefixes, prefixes, "{line}");
        for (field, value) in shown(&config).as_object().unwrap() {
            assert_eq!(value, &expected[field], "{field} of {line}");
        }
    }
    assert_eq!(deviations, 8);
}
