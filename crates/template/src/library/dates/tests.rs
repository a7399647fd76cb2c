//! Tests of times and durations.

use serde_json::{Value, json};

use super::super::fake::{call, check_errors, check_results, printed, shown};
use super::parse::parse;
use super::print::print;
use super::time::TimeValue;
use super::zone::Zone;
use super::{add_durations, span};
use crate::function::FunctionSet;
use crate::value::{GoObject, GoValue};

fn read(text: &str) -> TimeValue {
    parse(b"2006-01-02T15:04:05Z07:00", text.as_bytes()).unwrap()
}

fn text(time: &TimeValue) -> String {
    time.text().unwrap()
}

#[test]
fn layouts_print_times_in_their_zones() {
    let time = read("2024-02-09T05:04:03.0678Z");
    let half_a_year = 12 + 6 * 24 * 30;
    let later = time.plus(half_a_year * 3600 * super::SECOND);
    for (layout, in_utc, in_india, in_summer) in [
        (
            "Jan January Mon Monday MST",
            "Feb February Fri Friday UTC",
            "Feb February Fri Friday IST",
            "Aug August Wed Wednesday EDT",
        ),
        (
            "01 1 02 _2 2 15 03 3 04 4 05 5 2006 06 002 __2",
            "02 2 09  9 9 05 05 5 04 4 03 3 2024 24 040  40",
            "02 2 09  9 9 10 10 10 34 34 03 3 2024 24 040  40",
            "08 8 07  7 7 13 01 1 04 4 03 3 2024 24 220 220",
        ),
        ("PM pm", "AM am", "AM am", "PM pm"),
        (
            "Z07:00 Z0700 Z07 Z070000 Z07:00:00",
            "Z Z Z Z Z",
            "+05:30 +0530 +05 +053000 +05:30:00",
            "-04:00 -0400 -04 -040000 -04:00:00",
        ),
        (
            "-0700 -07:00 -07 -070000 -07:00:00",
            "+0000 +00:00 +00 +000000 +00:00:00",
            "+0530 +05:30 +05 +053000 +05:30:00",
            "-0400 -04:00 -04 -040000 -04:00:00",
        ),
        (
            ".000 .999 ,000 ,99999 .0 .00x .0001 5.00",
            ".067 .067 ,067 ,0678 .0 .06x .0002 3.06",
            ".067 .067 ,067 ,0678 .0 .06x .0002 3.06",
            ".067 .067 ,067 ,0678 .0 .06x .0008 3.06",
        ),
        ("Janus Monk _2006 January2", "Janus Monk _2024 February9", "Janus Monk _2024 February9", "Janus Monk _2024 August7"),
        (
            "2006-01-02T15:04:05.999999999Z07:00",
            "2024-02-09T05:04:03.0678Z",
            "2024-02-09T10:34:03.0678+05:30",
            "2024-08-07T13:04:03.0678-04:00",
        ),
        (
            "Mon, 02 Jan 2006 15:04:05 MST",
            "Fri, 09 Feb 2024 05:04:03 UTC",
            "Fri, 09 Feb 2024 10:34:03 IST",
            "Wed, 07 Aug 2024 13:04:03 EDT",
        ),
        ("3:04PM", "5:04AM", "10:34AM", "1:04PM"),
        ("Jan _2 15:04:05.000000", "Feb  9 05:04:03.067800", "Feb  9 10:34:03.067800", "Aug  7 13:04:03.067800"),
        ("20060102150405", "20240209050403", "20240209103403", "20240807130403"),
        ("é\n15h04", "é\n05h04", "é\n10h34", "é\n13h04"),
    ] {
        let printed = |time: &TimeValue, zone: &str| {
            String::from_utf8(print(&time.clone().in_zone(Zone::of_name(zone)), layout.as_bytes())).unwrap()
        };
        assert_eq!(printed(&time, "UTC"), in_utc, "{layout}");
        assert_eq!(printed(&time, "Asia/Kolkata"), in_india, "{layout}");
        assert_eq!(printed(&later, "America/New_York"), in_summer, "{layout}");
    }
}

#[test]
fn layouts_read_times_and_their_errors_name_the_element() {
    let cases: &[(&str, &str, Result<&str, &str>)] = &[
        ("2006-01-02", "2021-05-06", Ok("2021-05-06 00:00:00 +0000 UTC")),
        ("2006-01-02", "9999-12-31", Ok("9999-12-31 00:00:00 +0000 UTC")),
        ("2006-01-02", "2021-02-29", Err("parsing time \"2021-02-29\": day out of range")),
        ("2006-01-02", "2021-13-01", Err("parsing time \"2021-13-01\": month out of range")),
        ("2006-01-02", "nope", Err("parsing time \"nope\" as \"2006-01-02\": cannot parse \"nope\" as \"2006\"")),
        ("2006-01-02", "2021-05-06x", Err("parsing time \"2021-05-06x\": extra text: \"x\"")),
        ("2006-01-02", "2021-05", Err("parsing time \"2021-05\" as \"2006-01-02\": cannot parse \"\" as \"-\"")),
        ("2006-01-02T15:04:05Z07:00", "2024-02-29T13:04:05Z", Ok("2024-02-29 13:04:05 +0000 UTC")),
        ("2006-01-02T15:04:05Z07:00", "2024-02-29T13:04:05+02:00", Ok("2024-02-29 13:04:05 +0200 +0200")),
        ("2006-01-02T15:04:05Z07:00", "2024-02-29T13:04:05.25+00:00", Ok("2024-02-29 13:04:05.25 +0000 UTC")),
        (
            "2006-01-02T15:04:05Z07:00",
            "2024-02-29T13:04:05+25:00",
            Err("parsing time \"2024-02-29T13:04:05+25:00\": time zone offset hour out of range"),
        ),
        (
            "2006-01-02T15:04:05Z07:00",
            "2024-02-29T13:04:05+02",
            Err("parsing time \"2024-02-29T13:04:05+02\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"+02\" as \"Z07:00\""),
        ),
        ("Mon, 02 Jan 2006 15:04:05 MST", "Tue, 09 JAN 2024 15:04:05 CET", Ok("2024-01-09 15:04:05 +0000 CET")),
        ("Mon, 02 Jan 2006 15:04:05 MST", "Tue, 09 Jan 2024 15:04:05 GMT+3", Ok("2024-01-09 18:04:05 +0300 GMT+3")),
        (
            "Mon, 02 Jan 2006 15:04:05 MST",
            "Tue, 09 Jan 2024 15:04:05 ABCDEF",
            Err(
                "parsing time \"Tue, 09 Jan 2024 15:04:05 ABCDEF\" as \"Mon, 02 Jan 2006 15:04:05 MST\": cannot parse \"ABCDEF\" as \"MST\"",
            ),
        ),
        ("Mon, 02 Jan 2006 15:04:05 -0700 (MST)", "Tue, 09 Jan 2024 15:04:05 +0100 (CET)", Ok("2024-01-09 15:04:05 +0100 CET")),
        ("3:04PM", "12:05AM", Ok("0000-01-01 00:05:00 +0000 UTC")),
        ("3:04PM", "1:05PM", Ok("0000-01-01 13:05:00 +0000 UTC")),
        ("3:04pm", "1:05PM", Err("parsing time \"1:05PM\" as \"3:04pm\": cannot parse \"PM\" as \"pm\"")),
        ("15:04", "24:00", Err("parsing time \"24:00\": hour out of range")),
        ("15:04", "9:07", Ok("0000-01-01 09:07:00 +0000 UTC")),
        ("04", "7", Err("parsing time \"7\" as \"04\": cannot parse \"7\" as \"04\"")),
        ("2006 002", "2024 060", Ok("2024-02-29 00:00:00 +0000 UTC")),
        ("2006 002", "2023 366", Err("parsing time \"2023 366\": day-of-year out of range")),
        ("2006-01-02 002", "2024-02-28 060", Err("parsing time \"2024-02-28 060\": day-of-year does not match day")),
        ("06 Jan 2", "68 May 3", Ok("2068-05-03 00:00:00 +0000 UTC")),
        ("06 January 2", "69 september 3", Ok("1969-09-03 00:00:00 +0000 UTC")),
        ("_2 Jan 2006", " 3 Jan 2020", Ok("2020-01-03 00:00:00 +0000 UTC")),
        ("05.000", "03.5", Err("parsing time \"03.5\" as \"05.000\": cannot parse \".5\" as \".000\"")),
        ("05.000", "03.500", Ok("0000-01-01 00:00:03.5 +0000 UTC")),
        ("05.999", "03,123456789123", Ok("0000-01-01 00:00:03.123456789 +0000 UTC")),
        ("2006  01", "2006 01", Ok("2006-01-01 00:00:00 +0000 UTC")),
        ("", "x", Err("parsing time \"x\": extra text: \"x\"")),
        ("2006 \"x\" é", "20", Err("parsing time \"20\" as \"2006 \\\"x\\\" \\xc3\\xa9\": cannot parse \"20\" as \"2006\"")),
        ("15:04:05", "10:11:12.5", Ok("0000-01-01 10:11:12.5 +0000 UTC")),
        ("15:04:05", "10:11:60", Err("parsing time \"10:11:60\": second out of range")),
        ("Z07", "-05", Ok("0000-01-01 00:00:00 -0500 -0500")),
        ("-07:00:00", "+01:02:03", Ok("0000-01-01 00:00:00 +0102 +0102")),
    ];
    for (layout, value, expected) in cases {
        let result = parse(layout.as_bytes(), value.as_bytes()).map(|time| text(&time));
        assert_eq!(result.as_deref().map_err(|error| &**error), *expected, "{layout} {value}");
    }
}

#[test]
fn years_are_not_limited_to_four_digits() {
    let second = i128::from(super::SECOND);
    for (seconds, expected) in [
        (-62_135_596_800_i64, "0001-01-01 00:00:00 +0000 UTC"),
        (1 << 62, "146138514283-06-19 07:45:04 +0000 UTC"),
        (-1 << 40, "-32873-11-12 23:23:44 +0000 UTC"),
    ] {
        assert_eq!(text(&TimeValue::new(i128::from(seconds) * second, Zone::Utc)), expected);
    }
}

#[test]
fn times_have_the_methods_of_go() {
    let time = GoValue::object(read("2024-01-31T10:20:30.5Z"));
    let method = |value: &GoValue, name: &str, arguments: &[GoValue]| match value {
        GoValue::Object(object) => {
            assert_eq!(object.method(name).unwrap().fixed.len(), arguments.len(), "{name}");
            object.call(name, arguments).unwrap()
        }
        other => panic!("{other:?} is an object"),
    };
    for (name, arguments, expected) in [
        ("Year", vec![], "2024"),
        ("Month", vec![], "January"),
        ("Day", vec![], "31"),
        ("Weekday", vec![], "Wednesday"),
        ("YearDay", vec![], "31"),
        ("Unix", vec![], "1706696430"),
        ("UnixMilli", vec![], "1706696430500"),
        ("Nanosecond", vec![], "500000000"),
        ("IsZero", vec![], "false"),
        ("AddDate", vec![GoValue::int(0), GoValue::int(1), GoValue::int(0)], "2024-03-02 10:20:30.5 +0000 UTC"),
        ("Format", vec!["15h".into()], "10h"),
        ("Sub", vec![GoValue::object(read("2024-01-31T10:20:00Z"))], "30.5s"),
        ("Before", vec![GoValue::object(read("2024-01-31T10:20:31Z"))], "true"),
        ("Compare", vec![GoValue::object(read("2024-01-31T10:20:00Z"))], "1"),
        ("Location", vec![], "UTC"),
        ("GoString", vec![], "time.Date(2024, time.January, 31, 10, 20, 30, 500000000, time.UTC)"),
    ] {
        assert_eq!(shown(&method(&time, name, &arguments)), expected, "{name}");
    }
    let hour = GoValue::object(span::DurationValue::new(3600 * super::SECOND));
    assert_eq!(shown(&method(&time, "Truncate", std::slice::from_ref(&hour))), "2024-01-31 10:00:00 +0000 UTC");
    assert_eq!(shown(&method(&time, "Add", std::slice::from_ref(&hour))), "2024-01-31 11:20:30.5 +0000 UTC");
    assert_eq!(shown(&method(&hour, "Minutes", &[])), "60");
    assert_eq!(shown(&method(&hour, "Round", &[GoValue::object(span::DurationValue::new(7 * 60 * super::SECOND))])), "1h3m0s");
}

#[test]
fn functions_take_times_and_seconds() {
    check_results([
        ("date", json!(["2006-01-02T15:04", 1_700_000_000]), "2023-11-14T22:13"),
        ("date", json!(["2006", "no time"]), "1970"),
        ("dateInZone", json!(["15:04 MST", 1_700_000_000, "Europe/Berlin"]), "23:13 CET"),
        ("dateInZone", json!(["15:04 MST", 1_700_000_000, "europe/berlin"]), "22:13 UTC"),
        ("date_in_zone", json!(["15:04 MST", 1_700_000_000, "Nowhere"]), "22:13 UTC"),
        ("htmlDate", json!([86400]), "1970-01-02"),
        ("htmlDateInZone", json!([0, "America/New_York"]), "1969-12-31"),
        ("toDate", json!(["2006-01-02", "nope"]), "0001-01-01 00:00:00 +0000 UTC"),
        ("ago", json!([-125]), "2m5s"),
        ("ago", json!([null]), "0s"),
        ("duration", json!(["95"]), "1m35s"),
        ("duration", json!([3661]), "0s"),
        ("durationRound", json!(["2400h10m5s"]), "3mo"),
        ("durationRound", json!(["-2h10m5s"]), "2h"),
        ("durationRound", json!(["x"]), "0s"),
        ("now", json!([]), "1970-01-01 00:00:00 +0000 UTC"),
    ]);
    check_errors([("mustToDate", json!(["2006", "x"]), "parsing time \"x\" as \"2006\": cannot parse \"x\" as \"2006\"")]);
    let day = || GoValue::object(read("2024-02-28T00:00:00Z"));
    let shown_call = |name, arguments: [GoValue; 2]| call(name, arguments).map(|value| shown(&value));
    assert_eq!(shown_call("dateModify", ["-1.5h".into(), day()]).unwrap(), "2024-02-27 22:30:00 +0000 UTC");
    assert_eq!(shown_call("date_modify", ["bad".into(), day()]).unwrap(), "2024-02-28 00:00:00 +0000 UTC");
    assert_eq!(shown_call("mustDateModify", ["bad".into(), day()]).unwrap_err(), "time: invalid duration \"bad\"");
    assert_eq!(shown(&call("unixEpoch", [day()]).unwrap()), "1709078400");
    assert_eq!(shown(&call("durationRound", [day()]).unwrap()), "54y");
}

#[test]
fn durations_of_helm_4_are_texts_or_seconds() {
    let mut functions = FunctionSet::new();
    add_durations(&mut functions);
    assert_eq!(functions.names().count(), 11);
    let cases: [(&str, Value, &str); 13] = [
        ("mustToDuration", json!(["1h30m"]), "1h30m0s"),
        ("mustToDuration", json!(["2.5"]), "2.5s"),
        ("mustToDuration", json!([90]), "1m30s"),
        ("durationSeconds", json!(["1m0.5s"]), "60.5"),
        ("durationMilliseconds", json!([1.5]), "1500"),
        ("durationMicroseconds", json!(["1ms"]), "1000"),
        ("durationNanoseconds", json!(["x"]), "0"),
        ("durationMinutes", json!([90]), "1.5"),
        ("durationHours", json!(["90m"]), "1.5"),
        ("durationDays", json!(["36h"]), "1.5"),
        ("durationWeeks", json!(["84h"]), "0.5"),
        ("durationRoundTo", json!(["1h45m", "1h"]), "2h0m0s"),
        ("durationTruncateTo", json!(["1h45m", "1h"]), "1h0m0s"),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(printed(name, &arguments).as_deref(), Ok(expected), "{name} {arguments}");
    }
    check_errors([
        ("mustToDuration", json!([" "]), "empty duration"),
        ("mustToDuration", json!(["x"]), "could not parse duration \"x\""),
        ("mustToDuration", json!([null]), "invalid duration"),
        ("mustToDuration", json!([true]), "unsupported duration type bool"),
        ("mustToDuration", json!([i64::MAX]), "duration seconds overflow: 9223372036854775807"),
        ("mustToDuration", json!([1e300]), "duration seconds overflow: 1e+300"),
    ]);
}
