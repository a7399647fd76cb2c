//! The formats of strings that the server checks.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use kubewright_machinery::object::names;
use regex::Regex;

/// The formats of strings, without dashes.
const FORMATS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// Returns true if values of a type are checked for this format; other formats accept every value.
pub fn is_known(type_name: &str, format: &str) -> bool {
    match type_name {
        "" | "string" => FORMATS.contains(&plain(format).as_str()),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

fn plain(format: &str) -> String {
    format.replace('-', "")
}

/// Returns true if the text has the format, or if the format is not checked.
pub(crate) fn matches(format: &str, text: &str) -> bool {
    let like = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
    match plain(format).as_str() {
        "datetime" => text.parse::<jiff::Timestamp>().is_ok() && text.len() >= "2006-01-02T15:04:05Z".len(),
        "date" => text.len() == "2006-01-02".len() && text.parse::<jiff::civil::Date>().is_ok(),
        "duration" => is_duration(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => like(&MAC),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "uri" => is_uri(text),
        "email" => is_email(text),
        "hostname" => like(&HOSTNAME) && text.len() <= 255 && text.split('.').all(|part| part.len() <= 63),
        "byte" => is_base64(text),
        "hexcolor" => like(&HEX_COLOR),
        "rgbcolor" => like(&RGB_COLOR),
        "ssn" => like(&SSN),
        "bsonobjectid" => text.len() == 24 && text.chars().all(|c| c.is_ascii_hexdigit()),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "k8sshortname" => names::dns_1123_label(text).is_empty(),
        "k8slongname" => names::dns_1123_subdomain(text).is_empty(),
        _ => true,
    }
}

static MAC: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let byte = "[0-9a-fA-F]{2}";
    let pair = "[0-9a-fA-F]{4}";
    let by = |part: &str, separator: &str, counts: &[usize]| -> String {
        let forms: Vec<_> = counts.iter().map(|count| format!("{part}(?:{separator}{part}){{{}}}", count - 1)).collect();
        forms.join("|")
    };
    let forms = [by(byte, ":", &[6, 8, 20]), by(byte, "-", &[6, 8, 20]), by(pair, "\\.", &[3, 4, 10])];
    Regex::new(&format!("^(?:{})$", forms.join("|"))).ok()
});
static HOSTNAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let letter = r"a-zA-Z0-9\p{S}\p{L}";
    let label = format!(r"[{letter}](?:[{letter}-]{{0,61}}[{letter}])?");
    Regex::new(&format!(r"^(?:[{letter}](?:-?[{letter}]{{0,62}})?|(?:{label}\.)+[a-zA-Z\p{{L}}]{{2,63}})$")).ok()
});
static HEX_COLOR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$").ok());
static RGB_COLOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = r"(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])";
    Regex::new(&format!(r"^rgb\(\s*{number}\s*,\s*{number}\s*,\s*{number}\s*\)$")).ok()
});
static SSN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$").ok());

/// Returns true for an address with a scheme, or a path.
fn is_uri(text: &str) -> bool {
    if text.is_empty() || text.contains(|c: char| c.is_control() || c == ' ') {
        return false;
    }
    if text.starts_with('/') {
        return true;
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(letters) && has_valid_port(rest)
}

fn has_valid_port(rest: &str) -> bool {
    let Some(authority) = rest.strip_prefix("//").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default()) else {
        return true;
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    let port = if host.starts_with('[') { host.rsplit_once(']').map(|(_, port)| port.trim_start_matches(':')) } else { None };
    let port = port.or_else(|| host.rsplit_once(':').map(|(_, port)| port));
    port.is_none_or(|port| port.chars().all(|c| c.is_ascii_digit()))
}

fn is_email(text: &str) -> bool {
    // A name may stand before the address.
    let address = match text.rsplit_once('<') {
        Some((_, rest)) => match rest.strip_suffix('>') {
            Some(address) => address,
            None => return false,
        },
        None => text,
    };
    let atom = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    let dotted = |text: &str| !text.is_empty() && text.split('.').all(|part| !part.is_empty() && part.chars().all(atom));
    address.rsplit_once('@').is_some_and(|(user, host)| {
        let quoted = user.len() >= 2 && user.starts_with('"') && user.ends_with('"');
        (dotted(user) || quoted) && dotted(host)
    })
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let plain_number = bits == "0" || !bits.starts_with(['0', '+']);
    let Ok(bits) = bits.parse::<u8>() else {
        return false;
    };
    plain_number && ((bits <= 32 && address.parse::<Ipv4Addr>().is_ok()) || (bits <= 128 && address.parse::<Ipv6Addr>().is_ok()))
}

/// Returns true for a UUID; each of its dashes may be omitted.
fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    let mut digits = String::new();
    for length in [8, 4, 4, 4, 12] {
        if !digits.is_empty() {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((part, tail)) = rest.split_at_checked(length) else {
            return false;
        };
        digits.push_str(part);
        rest = tail;
    }
    let variant = |c: char| matches!(c.to_ascii_lowercase(), '8' | '9' | 'a' | 'b');
    rest.is_empty()
        && digits.chars().all(|c| c.is_ascii_hexdigit())
        && version.is_none_or(|version| {
            digits.chars().nth(12) == Some(version) && (version == '3' || digits.chars().nth(16).is_some_and(variant))
        })
}

/// Returns true for base64: at least one group of four characters, the last one padded.
fn is_base64(text: &str) -> bool {
    let body = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    !text.is_empty() && text.len().is_multiple_of(4) && body.chars().all(plain)
}

fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = text.replace(['-', ' '], "");
    let (body, check) = match text.split_at_checked(9) {
        Some((body, check)) if body.chars().all(|c| c.is_ascii_digit()) => (digits(body), check),
        _ => return false,
    };
    let check = match check {
        "X" | "x" => 10,
        check => match check.parse::<u32>() {
            Ok(check) if check < 10 => check,
            _ => return false,
        },
    };
    let sum: u32 = body.iter().zip(1..).map(|(digit, weight)| digit * weight).sum();
    (sum + check * 10).is_multiple_of(11)
}

fn is_isbn13(text: &str) -> bool {
    let text = text.replace(['-', ' '], "");
    let all = digits(&text);
    text.len() == 13
        && all.len() == 13
        && all.iter().zip([1, 3].iter().cycle()).map(|(digit, weight)| digit * weight).sum::<u32>() % 10 == 0
}

/// Returns true for a number of a known issuer whose check digit is right.
fn is_credit_card(text: &str) -> bool {
    static ISSUERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|\
             (?:2131|1800|35[0-9]{3})[0-9]{11})$",
        )
        .ok()
    });
    let digits = digits(text);
    let number: String = digits.iter().map(u32::to_string).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| if index % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    ISSUERS.as_ref().is_none_or(|issuers| issuers.is_match(&number)) && sum.is_multiple_of(10)
}

/// Returns true for a Go duration such as `1h30m`, or for numbers with spelled units such as `3 weeks` anywhere in the text.
fn is_duration(text: &str) -> bool {
    go_duration(text) || spelled_duration(text)
}

/// Returns true for a duration as Go writes it: `1h30m`, `-1.5s`, `0`.
pub(crate) fn go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (digits, tail) = rest.split_at(number);
        let Some(unit) = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"].into_iter().find(|unit| tail.starts_with(unit)) else {
            return false;
        };
        if digits.parse::<f64>().is_err() {
            return false;
        }
        parts += 1;
        rest = &tail[unit.len()..];
    }
    parts > 0
}

fn spelled_duration(text: &str) -> bool {
    static PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[0-9]+\s*([A-Za-zµ]+)").ok());
    /// Units that must be whole words; the units of the other list may have an ending.
    const SHORT: [&str; 13] = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "nano", "micro"];
    const LONG: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    let Some(parts) = PARTS.as_ref() else {
        return false;
    };
    parts.captures_iter(text).any(|part| {
        let unit = part[1].to_lowercase();
        SHORT.contains(&unit.as_str()) || LONG.iter().any(|long| unit.starts_with(long))
    })
}
