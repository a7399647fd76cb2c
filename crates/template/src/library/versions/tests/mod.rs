//! Tests of versions and constraints. The expectations of the tables are those of Masterminds/semver 3.5.0.

mod constraints;

use serde_json::json;

use self::constraints::CONSTRAINTS;
use super::super::fake::{check_errors, check_results};
use super::{SemanticVersion, VersionConstraint};

/// The versions against which constraints are checked.
const VERSIONS: [&str; 15] = [
    "1.2.3",
    "1.2.4",
    "1.3.0",
    "2.0.0",
    "0.0.3",
    "0.0.4",
    "0.2.9",
    "0.3.0",
    "1.2.3-beta.2",
    "1.2.3-beta.11",
    "1.2.0-alpha",
    "0.0.0",
    "1.0.0",
    "2.0.0-alpha",
    "1.2.3+x",
];

#[test]
fn versions_may_be_incomplete() {
    let cases: &[(&str, Result<&str, &str>)] = &[
        ("1.2.3", Ok("1.2.3")),
        ("v1.2", Ok("1.2.0")),
        ("1", Ok("1.0.0")),
        ("01.02.3", Ok("1.2.3")),
        ("1.2.3-rc.1+b.5", Ok("1.2.3-rc.1+b.5")),
        ("1.2.3+b-1", Ok("1.2.3+b-1")),
        ("1.2.3-01", Err("version segment starts with 0")),
        ("1.2.3-0a", Ok("1.2.3-0a")),
        ("1.2.3-", Err("invalid semantic version")),
        ("1.2.3+", Err("invalid semantic version")),
        ("1.2.3.4", Err("invalid semantic version")),
        ("", Err("invalid semantic version")),
        ("x", Err("invalid semantic version")),
        ("1..2", Err("invalid semantic version")),
        ("V1.2.3", Err("invalid semantic version")),
        ("1.2.3-a..b", Err("invalid semantic version")),
        (
            "18446744073709551616.0.0",
            Err("error parsing version segment: strconv.ParseUint: parsing \"18446744073709551616\": value out of range"),
        ),
        ("1.2.3-a_b", Err("invalid semantic version")),
        (" 1.2.3", Err("invalid semantic version")),
        ("1.2-beta", Ok("1.2.0-beta")),
        ("1.2.3-é", Err("invalid semantic version")),
        ("18446744073709551615", Ok("18446744073709551615.0.0")),
    ];
    for (text, expected) in cases {
        let version = SemanticVersion::parse(text).map(|version| version.to_string()).map_err(|error| error.to_string());
        assert_eq!(version.as_deref().map_err(|error| &**error), *expected, "{text:?}");
    }
    assert_eq!(SemanticVersion::parse(&"1".repeat(257)).unwrap_err().to_string(), "version string is too long (max 256 bytes)");
}

#[test]
fn constraints_are_satisfied_by_the_versions_of_the_original() {
    let versions = VERSIONS.map(|version| SemanticVersion::parse(version).unwrap());
    for (text, expected) in CONSTRAINTS {
        let constraint = VersionConstraint::parse(text).unwrap();
        let satisfied: String = versions.iter().map(|version| if constraint.check(version) { 'y' } else { '-' }).collect();
        assert_eq!(satisfied, *expected, "{text:?}");
    }
}

#[test]
fn malformed_constraints_are_refused() {
    let cases: &[(&str, Result<(), &str>)] = &[
        ("bad!!", Err("improper constraint: \"bad!!\"")),
        ("", Err("improper constraint: \"\"")),
        ("||", Err("improper constraint: \"\"")),
        ("1.2.3 ||", Err("improper constraint: \"\"")),
        (">1.2.3>2", Err("improper constraint: \">1.2.3>2\"")),
        ("1|2", Err("constraint parser error")),
        ("xx", Err("constraint parser error")),
        ("1.2.3.4", Err("improper constraint: \"1.2.3.4\"")),
        (">==1", Err("improper constraint: \">==1\"")),
        ("1 -2", Err("improper constraint: \"1 -2\"")),
        ("99999999999999999999.1.1", Err("constraint parser error")),
        ("1.2.3-01", Err("constraint parser error")),
        ("é", Err("improper constraint: \"é\"")),
    ];
    for (text, expected) in cases {
        let result = VersionConstraint::parse(text).map(drop).map_err(|error| error.to_string());
        assert_eq!(result, expected.map_err(str::to_owned), "{text:?}");
    }
    let error = |text: &str| VersionConstraint::parse(text).unwrap_err().to_string();
    assert_eq!(error(&"1".repeat(513)), "constraint string is too long (max 512 bytes)");
    assert_eq!(error(&["1"; 33].join("||")), "too many constraint groups (max 32)");
}

#[test]
fn functions_compare_and_read_versions() {
    check_results([
        ("semver", json!(["v1.2"]), "1.2.0"),
        ("semverCompare", json!([">=1.20-0", "1.20.5-gke.1"]), "true"),
        ("semverCompare", json!([">=1.20", "1.20.5-gke.1"]), "false"),
    ]);
    check_errors([
        ("semver", json!(["x"]), "invalid semantic version"),
        ("semverCompare", json!([">=1", "x"]), "invalid semantic version"),
        ("semverCompare", json!(["bad!!", "1"]), "improper constraint: \"bad!!\""),
    ]);
}

mod values {
    use super::super::super::fake::{call, shown};
    use crate::value::GoValue;

    fn method(version: &str, name: &str, arguments: &[GoValue]) -> Result<String, String> {
        match call("semver", [version.into()]).unwrap() {
            GoValue::Object(object) => {
                assert!(object.method(name).is_some(), "{name}");
                object.call(name, arguments).map(|value| shown(&value)).map_err(|error| format!("{error:?}"))
            }
            other => panic!("{other:?} is an object"),
        }
    }

    #[test]
    fn versions_have_the_methods_of_go() {
        for (name, expected) in [
            ("Major", "1"),
            ("Minor", "2"),
            ("Patch", "3"),
            ("Prerelease", "rc.1"),
            ("Metadata", "b"),
            ("Original", "v1.2.3-rc.1+b"),
            ("String", "1.2.3-rc.1+b"),
            ("IncPatch", "1.2.3"),
            ("IncMinor", "1.3.0"),
            ("IncMajor", "2.0.0"),
        ] {
            assert_eq!(method("v1.2.3-rc.1+b", name, &[]).as_deref(), Ok(expected), "{name}");
        }
        let other = || call("semver", ["1.2.3".into()]).unwrap();
        assert_eq!(method("1.2.3-rc", "LessThan", &[other()]).unwrap(), "true");
        assert_eq!(method("1.2.3", "Equal", &[other()]).unwrap(), "true");
        assert_eq!(method("1.3", "Compare", &[other()]).unwrap(), "1");
        assert_eq!(method("1.2.3", "Equal", &[GoValue::Nil]).unwrap(), "false");
        assert_eq!(method("1.2.3", "SetPrerelease", &["beta.1".into()]).unwrap(), "1.2.3-beta.1");
        assert!(method("1.2.3", "SetPrerelease", &["01".into()]).is_err());
        assert!(method("18446744073709551615", "IncMajor", &[]).is_err());
    }
}
