//! The formats of strings that the server checks. Unknown formats accept everything.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

/// Whether the text has the format; true for formats that are not checked.
pub(super) fn matches(format: &str, text: &str) -> bool {
    match format.replace('-', "").as_str() {
        "datetime" => text.parse::<jiff::Timestamp>().is_ok() && text.len() >= "2006-01-02T15:04:05Z".len(),
        "date" => text.len() == "2006-01-02".len() && text.parse::<jiff::civil::Date>().is_ok(),
        "duration" => is_duration(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => MAC.as_ref().is_none_or(|mac| mac.is_match(text)),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "uri" => text.parse::<http::Uri>().is_ok_and(|uri| uri.scheme().is_some() || uri.path().starts_with('/')),
        "email" => text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty() && !text.contains(' ')),
        "hostname" => HOSTNAME.as_ref().is_none_or(|host| text.len() <= 255 && host.is_match(text)),
        "byte" => is_base64(text),
        "hexcolor" => HEX_COLOR.as_ref().is_none_or(|color| color.is_match(text)),
        "bsonobjectid" => text.len() == 24 && text.chars().all(|c| c.is_ascii_hexdigit()),
        _ => true,
    }
}

static MAC: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[0-9a-fA-F]{2}([:.-]?[0-9a-fA-F]{2}){5,7}$").ok());
static HOSTNAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?([.][a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?)*$").ok()
});
static HEX_COLOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$").ok());

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let Ok(bits) = bits.parse::<u8>() else {
        return false;
    };
    (bits <= 32 && address.parse::<Ipv4Addr>().is_ok()) || (bits <= 128 && address.parse::<Ipv6Addr>().is_ok())
}

fn is_uuid(text: &str, version: Option<char>) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let shaped =
        text.len() == 32 || (text.len() == 36 && [8, 13, 18, 23].iter().all(|at| text.as_bytes().get(*at) == Some(&b'-')));
    shaped
        && digits.len() == 32
        && digits.chars().all(|c| c.is_ascii_hexdigit())
        && version.is_none_or(|version| digits.chars().nth(12) == Some(version))
}

fn is_base64(text: &str) -> bool {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

/// A Go duration such as `1h30m`, or a number with a spelled unit such as `3 weeks`.
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 23] = [
        "ns",
        "us",
        "µs",
        "μs",
        "ms",
        "s",
        "m",
        "h",
        "d",
        "w",
        "nanosecond",
        "microsecond",
        "millisecond",
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "sec",
        "min",
        "hr",
        "wk",
        "nano",
    ];
    let mut rest = text.trim_start_matches(['+', '-']).trim();
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(unit_at);
        let tail = tail.trim_start();
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.' || c == ' ').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        let known = UNITS.contains(&unit) || unit.strip_suffix('s').is_some_and(|unit| UNITS.contains(&unit));
        if number.parse::<f64>().is_err() || !known {
            return false;
        }
        parts += 1;
        rest = tail.trim_start();
    }
    parts > 0
}
