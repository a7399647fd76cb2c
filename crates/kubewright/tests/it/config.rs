use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use kubewright::core::config::{ConfigValue, NamespacedName, SignedDuration, ValueError};
use kubewright::machinery::quantity::Quantity;
use kubewright::prelude::*;

fn data<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    entries.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

fn read<T: FromConfigMap>(data: &BTreeMap<String, String>) -> T {
    T::from_data(data).unwrap().value
}

fn errors<T: FromConfigMap>(data: &BTreeMap<String, String>) -> String {
    T::from_data(data).unwrap_err().to_string()
}

/// A value that is read through `FromStr`.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Mode {
    Slow,
    Fast,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "slow" => Ok(Self::Slow),
            "fast" => Ok(Self::Fast),
            _ => Err(format!("must be slow or fast, but is {text:?}")),
        }
    }
}

/// A value with both traits, of which the one for configurations takes precedence.
#[derive(Clone, Debug, PartialEq)]
struct Percent(u8);

impl FromStr for Percent {
    type Err = Infallible;

    fn from_str(_: &str) -> Result<Self, Infallible> {
        Ok(Self(100))
    }
}

impl ConfigValue for Percent {
    fn parse(text: &str) -> Result<Self, ValueError> {
        let number = text.strip_suffix('%').ok_or_else(|| ValueError::new("must end with %"))?;
        ConfigValue::parse(number).map(Self)
    }
}

/// A value with neither trait. The names of the functions equal those of variables in the generated code.
#[derive(Clone, Debug, PartialEq)]
struct Pair(String, String);

fn text(text: &str) -> Result<Pair, &'static str> {
    let (one, other) = text.split_once('=').ok_or("must have the form a=b")?;
    Ok(Pair(one.to_owned(), other.to_owned()))
}

fn reader(text: &str) -> Result<u16, String> {
    u16::from_str_radix(text, 16).map_err(|error| error.to_string())
}

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-all", example_checksum)]
struct All {
    text: String,
    #[config(default = "true")]
    flag: bool,
    tiny: i8,
    small: i16,
    middle: i32,
    large: i64,
    small_count: u16,
    middle_count: u32,
    large_count: u64,
    size: usize,
    ratio: f32,
    #[config(range = "0.5..1")]
    exact: f64,
    #[config(key = "stable-window", alias = "stableWindow", default = "60s", range = "6s..=1h")]
    window: Duration,
    offset: SignedDuration,
    #[config(range = "..=2Gi")]
    memory: Quantity,
    hosts: BTreeSet<String>,
    backend: NamespacedName,
    limit: Option<u8>,
    #[config(default = "fast", range = "fast..")]
    mode: Mode,
    other_mode: Option<Mode>,
    share: Percent,
    address: Option<IpAddr>,
    #[config(parse_with = text)]
    pair: Pair,
    #[config(parse_with = text)]
    other_pair: Option<Pair>,
    #[config(parse_with = reader, default = "1f", range = "a..=ff")]
    r#mod: u16,
    #[config(prefix = "class")]
    classes: BTreeMap<String, String>,
    #[config(prefix = "mode-of", range = "slow..=slow")]
    modes: BTreeMap<String, Mode>,
}

fn all() -> BTreeMap<String, String> {
    data([
        ("text", " a b "),
        ("flag", "F"),
        ("tiny", "-128"),
        ("small", "-32768"),
        ("middle", "-2147483648"),
        ("large", "9223372036854775807"),
        ("small-count", "65535"),
        ("middle-count", "4294967295"),
        ("large-count", "18446744073709551615"),
        ("size", "7"),
        ("ratio", "0.25"),
        ("exact", "5e-1"),
        ("stable-window", "1m30s"),
        ("offset", "-1.5h"),
        ("memory", "512Mi"),
        ("hosts", "b, a,,"),
        ("backend", "shop/orders"),
        ("limit", ""),
        ("other-mode", "slow"),
        ("share", "20%"),
        ("address", "10.0.0.1"),
        ("pair", "a=b=c"),
        ("other-pair", " "),
        ("class.a", "x"),
        ("class.b.c", ""),
        ("mode-of.z", "slow"),
        ("unheard", "x"),
        ("_example", "text: x"),
    ])
}

// CFG-1, CFG-2
#[test]
fn every_type_is_read() {
    let parsed = All::from_data(&all()).unwrap();
    let expected = All {
        text: "a b".to_owned(),
        flag: false,
        tiny: i8::MIN,
        small: i16::MIN,
        middle: i32::MIN,
        large: i64::MAX,
        small_count: u16::MAX,
        middle_count: u32::MAX,
        large_count: u64::MAX,
        size: 7,
        ratio: 0.25,
        exact: 0.5,
        window: Duration::from_secs(90),
        offset: SignedDuration::from_mins(-90),
        memory: Quantity::from_units(512 << 20),
        hosts: BTreeSet::from(["a".to_owned(), "b".to_owned()]),
        backend: NamespacedName::new("shop", "orders"),
        limit: None,
        mode: Mode::Fast,
        other_mode: Some(Mode::Slow),
        share: Percent(20),
        address: Some(IpAddr::from([10, 0, 0, 1])),
        pair: Pair("a".to_owned(), "b=c".to_owned()),
        other_pair: None,
        r#mod: 31,
        classes: data([("a", "x"), ("b.c", "")]),
        modes: BTreeMap::from([("z".to_owned(), Mode::Slow)]),
    };
    assert_eq!(parsed.value, expected);
    // CFG-4
    assert_eq!(parsed.unknown_keys, BTreeSet::from(["unheard".to_owned()]));
    assert_eq!((All::NAME, All::REQUIRED, All::EXAMPLE_CHECKSUM), ("config-all", true, true));
}

// CFG-3
#[test]
fn three_wrong_keys_have_three_sorted_lines() {
    let mut entries = all();
    entries.extend(data([("stable-window", "5s"), ("flag", "yes"), ("backend", "orders")]));
    assert_eq!(
        errors::<All>(&entries),
        "failed to parse \"backend\": expected 'namespace/name' format, but found \"orders\"\n\
         failed to parse \"flag\": must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False, but is \"yes\"\n\
         failed to parse \"stable-window\": must be at least 6s and at most 1h, but is \"5s\""
    );
}

// CFG-3
#[test]
fn each_invalid_configuration_value_is_refused_with_the_reason() {
    for (key, text, cause) in [
        ("tiny", "128", "must be a whole number from -128 to 127, but is \"128\""),
        ("exact", "1", "must be at least 0.5 and less than 1, but is \"1\""),
        ("ratio", "x", "must be a finite number, but is \"x\""),
        ("memory", "3Gi", "must be at most 2Gi, but is \"3Gi\""),
        ("mode", "slow", "must be at least fast, but is \"slow\""),
        ("other-mode", "x", "must be slow or fast, but is \"x\""),
        ("share", "5", "must end with %"),
        ("limit", "256", "must be a whole number from 0 to 255, but is \"256\""),
        ("pair", "", "must have the form a=b"),
        ("other-pair", "a", "must have the form a=b"),
        ("mod", "100", "must be at least a and at most ff, but is \"100\""),
        ("mode-of.y", "fast", "must be at least slow and at most slow, but is \"fast\""),
    ] {
        let mut entries = all();
        entries.insert(key.to_owned(), text.to_owned());
        assert_eq!(errors::<All>(&entries), format!("failed to parse {key:?}: {cause}"));
    }
}

// CFG-1, CFG-2
#[test]
fn a_missing_key_is_an_error_unless_its_type_has_an_empty_value() {
    let lines = errors::<All>(&data([]));
    let missing: Vec<_> = lines.lines().map(|line| line.split('"').nth(1).unwrap()).collect();
    let required = [
        "backend",
        "exact",
        "large",
        "large-count",
        "memory",
        "middle",
        "middle-count",
        "offset",
        "pair",
        "ratio",
        "share",
        "size",
        "small",
        "small-count",
        "text",
        "tiny",
    ];
    assert_eq!(missing, required);
    assert!(lines.lines().all(|line| line.ends_with(": it is missing and has no default")), "{lines}");
    assert_eq!(All::defaults(), None);
}

// CFG-2
#[test]
fn the_new_spelling_of_a_key_wins() {
    let with = |entries| {
        let mut all = all();
        all.remove("stable-window");
        all.extend(entries);
        read::<All>(&all).window
    };
    assert_eq!(with(data([])), Duration::from_secs(60));
    assert_eq!(with(data([("stableWindow", "7s")])), Duration::from_secs(7));
    assert_eq!(with(data([("stableWindow", "7s"), ("stable-window", "8s")])), Duration::from_secs(8));
}

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-strict", optional, strict)]
struct Strict {
    #[config(default = "5")]
    a: u8,
    #[config(key = "more.own", default = "x")]
    own: String,
    #[config(prefix = "more")]
    more: BTreeMap<String, Option<u8>>,
}

// CFG-4
#[test]
fn unknown_keys_of_a_strict_configuration_are_errors() {
    let known = data([("a", "6"), ("more.own", "y"), ("more.b", ""), ("_example", "z: 1")]);
    let expected = Strict { a: 6, own: "y".to_owned(), more: BTreeMap::from([("b".to_owned(), None)]) };
    assert_eq!(read::<Strict>(&known), expected);
    assert_eq!(
        errors::<Strict>(&data([("more.", "x"), ("b", "x"), ("a", "x")])),
        "failed to parse \"a\": must be a whole number from 0 to 255, but is \"x\"\n\
         failed to parse \"b\": the key is unknown; allowed: a, more.own, more.<name>\n\
         failed to parse \"more.\": the key is unknown; allowed: a, more.own, more.<name>"
    );
    const { assert!(!Strict::REQUIRED && !Strict::EXAMPLE_CHECKSUM) };
    assert_eq!(Strict::defaults(), Some(Strict { a: 5, own: "x".to_owned(), more: BTreeMap::new() }));
}

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-broken")]
struct Broken {
    #[config(default = "60x")]
    window: Duration,
}

// CFG-3
#[test]
fn a_default_that_does_not_parse_is_found_whatever_the_data_is() {
    let line = "failed to parse \"window\": its default cannot be used: time: unknown unit \"x\" in duration \"60x\"";
    assert_eq!(errors::<Broken>(&data([])), line);
    assert_eq!(errors::<Broken>(&data([("window", "1s")])), line);
    assert_eq!(Broken::defaults(), None);
}

#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-empty", optional)]
struct NoKeys {}

#[test]
fn a_configuration_may_have_no_keys() {
    assert_eq!(NoKeys::defaults(), Some(NoKeys {}));
}

// CFG-5
#[test]
fn a_folder_of_files_gives_the_same_value() {
    let folder = std::env::temp_dir().join(format!("kubewright-config-{}-facade", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (key, text) in all() {
        std::fs::write(folder.join(key), text).unwrap();
    }
    let read_data = kubewright::runtime::config::read_dir(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(All::from_data(&read_data.unwrap()), All::from_data(&all()));
}

/// The rules of `reconciler.md`, 6.5, as far as they concern a single field: not that one duration is longer than another (CFG-30), nor that the
/// maximum of buckets is an option of the operator.
#[derive(FromConfigMap, Clone, Debug, PartialEq)]
#[config(name = "config-leader-election", optional)]
struct ExpressedLeaderElection {
    #[config(alias = "leaseDuration", default = "60s")]
    lease_duration: SignedDuration,
    #[config(alias = "renewDeadline", default = "40s")]
    renew_deadline: SignedDuration,
    #[config(alias = "retryPeriod", default = "10s")]
    retry_period: SignedDuration,
    #[config(default = "1", range = "1..=10")]
    buckets: u32,
    #[config(prefix = "buckets", range = "1..=10")]
    buckets_of: BTreeMap<String, u32>,
    #[config(prefix = "map-lease-prefix")]
    lease_prefixes: BTreeMap<String, String>,
}

// CFG-1, CFG-2, CFG-4
#[test]
fn the_leader_election_of_the_predecessor_can_be_expressed() {
    let file = "shared/data/knative/vectors/leader-election-config.jsonl";
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let Some(path) = here.ancestors().map(|folder| folder.join(file)).find(|path| path.is_file()) else {
        eprintln!("skipped: there is no {file} beside the repository");
        return;
    };
    let vectors = std::fs::read_to_string(path).unwrap();
    for line in vectors.lines().filter(|line| !line.trim().is_empty()) {
        let vector: Value = serde_json::from_str(line).unwrap();
        let data: BTreeMap<String, String> =
            serde_json::from_value::<Option<_>>(vector["data"].clone()).unwrap().unwrap_or_default();
        let result = ExpressedLeaderElection::from_data(&data);
        // Values are trimmed here, and an old key that the new key overrides need not be valid.
        let padded = data.values().any(|text| text.trim() != text);
        let overridden = data.contains_key("lease-duration") && data.contains_key("leaseDuration");
        assert_eq!(result.is_ok(), padded || overridden || vector["error"].is_null(), "{line}: {result:?}");
        let Some(config) = vector["config"].as_object() else { continue };
        let ExpressedLeaderElection { lease_duration, renew_deadline, retry_period, buckets, buckets_of, lease_prefixes } =
            result.unwrap().value;
        let go = |key: &str| <SignedDuration as ConfigValue>::parse(config[key].as_str().unwrap()).unwrap();
        let durations = (go("leaseDuration"), go("renewDeadline"), go("retryPeriod"));
        assert_eq!((lease_duration, renew_deadline, retry_period), durations, "{line}");
        assert_eq!((json!(buckets), buckets_of.len()), (config["buckets"].clone(), 0), "{line}");
        let mapping = &config["leaseNamesPrefixMapping"];
        assert_eq!(json!(lease_prefixes), if mapping.is_null() { json!({}) } else { mapping.clone() }, "{line}");
    }
}
