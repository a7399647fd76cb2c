use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use jiff::SignedDuration;
use kubewright_machinery::quantity::{GoDuration, Quantity};
use proptest::prelude::*;

use crate::config::{ConfigValue, NamespacedName, ValueError};

fn reads<T: ConfigValue + PartialEq + Debug>(text: &str, value: T) {
    assert_eq!(T::parse(text), Ok(value), "{text:?}");
}

fn refuses<T: ConfigValue + Debug>(text: &str, cause: &str) {
    assert_eq!(T::parse(text).unwrap_err().to_string(), cause, "{text:?}");
}

// CFG-1
#[test]
fn booleans_are_written_in_twelve_ways() {
    for text in ["1", "t", "T", "TRUE", "true", "True"] {
        reads(text, true);
    }
    for text in ["0", "f", "F", "FALSE", "false", "False"] {
        reads(text, false);
    }
    for text in ["yes", "", "tRUE", "on"] {
        let allowed = "must be one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False, but is";
        refuses::<bool>(text, &format!("{allowed} {text:?}"));
    }
}

// CFG-1
#[test]
fn whole_numbers_have_their_full_width() {
    reads("65535", u16::MAX);
    reads("18446744073709551615", u64::MAX);
    reads("-9223372036854775808", i64::MIN);
    reads("+5", 5_i16);
    reads("4294967295", u32::MAX);
    reads("7", 7_usize);
    reads("-128", i8::MIN);
    refuses::<u16>("65536", "must be a whole number from 0 to 65535, but is \"65536\"");
    refuses::<i16>("-32769", "must be a whole number from -32768 to 32767, but is \"-32769\"");
    for text in ["", "+3", "-1", "3.0", "0x1", "1_0", "1e3"] {
        assert!(<u32 as ConfigValue>::parse(text).is_err(), "{text:?}");
    }
}

// CFG-1
#[test]
#[allow(clippy::float_cmp)] // the texts are exact
fn decimal_numbers_are_finite() {
    reads("0.25", 0.25_f32);
    reads("-1e3", -1000.0_f64);
    for text in ["NaN", "inf", "-Infinity", "1e999", "", "1,5"] {
        refuses::<f64>(text, &format!("must be a finite number, but is {text:?}"));
    }
}

// CFG-1
#[test]
fn durations_are_those_of_go() {
    reads("1m30s", Duration::from_secs(90));
    reads("0", Duration::ZERO);
    reads("-1.5h", SignedDuration::from_mins(-90));
    reads("-5us", GoDuration::from_nanos(-5000));
    reads("2µs", Duration::from_micros(2));
    refuses::<Duration>("15", "time: missing unit in duration \"15\"");
    refuses::<Duration>("-5s", "must be a duration of zero or more, but is \"-5s\"");
    refuses::<SignedDuration>("1 s", "time: unknown unit \" s\" in duration \"1 s\"");
}

// CFG-1
#[test]
fn lists_quantities_and_names_are_read() {
    let set = |entries: &[&str]| entries.iter().map(|entry| (*entry).to_owned()).collect::<BTreeSet<_>>();
    reads(" b ,a,, b", set(&["a", "b"]));
    reads("", set(&[]));
    reads("1.5Gi", Quantity::parse("1536Mi").unwrap());
    assert!(<Quantity as ConfigValue>::parse("1.5Gb").unwrap_err().to_string().ends_with("but the value is \"1.5Gb\""));
    reads("shop/orders", NamespacedName::new("shop", "orders"));
    for text in ["orders", "", "a/b/c"] {
        refuses::<NamespacedName>(text, &format!("expected 'namespace/name' format, but found {text:?}"));
    }
    for (text, part) in
        [("/b", "namespace is \"\""), ("a/", "name is \"\""), ("A/b", "namespace is \"A\""), ("a/b.c", "name is \"b.c\"")]
    {
        let cause = <NamespacedName as ConfigValue>::parse(text).unwrap_err().to_string();
        assert!(cause.starts_with(&format!("expected 'namespace/name' format, but the {part}: ")), "{cause}");
    }
}

// CFG-1
#[test]
fn an_empty_option_is_none() {
    reads::<Option<u16>>("", None);
    reads("5", Some(5_u16));
    assert!(<Option<u16> as ConfigValue>::parse("x").is_err());
    assert_eq!((Option::<u16>::absent(), u16::absent()), (Some(None), None));
}

#[test]
fn a_cause_has_one_line_and_an_end() {
    assert_eq!(ValueError::new("a\n  b\r\nc").to_string(), "a b c");
    let cut = ValueError::new("ä".repeat(1000)).to_string();
    assert!(cut.ends_with('…') && cut.len() < 410, "{cut}");
}

proptest! {
    // CFG-1
    #[test]
    fn numbers_survive_their_text(signed: i64, unsigned: u64, float in prop::num::f64::NORMAL) {
        reads(&signed.to_string(), signed);
        reads(&unsigned.to_string(), unsigned);
        reads(&float.to_string(), float);
    }
}
