//! Texts whose form is checked when an operator is compiled.

use std::time::Duration;

use syn::parse::ParseStream;
use syn::{Error, Expr, ExprLit, Lit, LitStr, Result};

/// The longest DNS subdomain, in characters.
const MAX_DOMAIN: usize = 253;
/// The longest part of a finalizer after the slash, and the longest label, in characters.
const MAX_NAME: usize = 63;

/// Parses a text, or the path of a constant. Only a text can be checked here: a constant is checked when the operator starts.
pub(crate) fn text_or_constant(input: ParseStream<'_>, problem: fn(&str) -> Option<&'static str>) -> Result<Expr> {
    let value: Expr = input.parse()?;
    match &value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => match problem(&text.value()) {
            Some(problem) => Err(Error::new(text.span(), format!("{:?} {problem}", text.value()))),
            None => Ok(value),
        },
        Expr::Path(_) => Ok(value),
        other => Err(Error::new_spanned(other, "expected a text, such as \"example\", or the path of a constant")),
    }
}

/// Returns the problem of the name of a finalizer (FNL-1). The rule is that of `kubewright_core::finalizer::FinalizerName::parse`.
pub(crate) fn finalizer_problem(name: &str) -> Option<&'static str> {
    let is_finalizer = name.split_once('/').is_some_and(|(domain, rest)| is_subdomain(domain) && is_qualified(rest));
    (!is_finalizer).then_some(
        "is no name of a finalizer: it must be <DNS subdomain>/<name>, the name of at most 63 letters, digits, `-`, `_` and `.`, such as \
         \"example.com/widget\"",
    )
}

/// Returns the problem of the former name of a finalizer, which may lack the domain.
pub(crate) fn former_finalizer_problem(name: &str) -> Option<&'static str> {
    if name.contains('/') {
        return finalizer_problem(name);
    }
    let is_former = !name.is_empty() && name.len() <= MAX_NAME && name.bytes().all(is_inner);
    (!is_former).then_some(
        "is no former name of a finalizer: at most 63 letters, digits, `-`, `_` and `.`, with or without a domain and `/`",
    )
}

/// Returns the problem of the name of a controller.
pub(crate) fn controller_problem(name: &str) -> Option<&'static str> {
    (!is_subdomain(name)).then_some("is no name of a controller: it must be a DNS subdomain, such as \"widgets\"")
}

/// Returns the problem of a text that only must not be empty.
pub(crate) fn empty_problem(text: &str) -> Option<&'static str> {
    text.is_empty().then_some("is empty")
}

/// Returns no problem, because any text is allowed.
pub(crate) const fn no_problem(_: &str) -> Option<&'static str> {
    None
}

pub(crate) fn is_subdomain(domain: &str) -> bool {
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        let edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let inner = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
        bytes.len() <= MAX_NAME && edge(bytes.first()) && edge(bytes.last()) && bytes.iter().all(inner)
    };
    domain.len() <= MAX_DOMAIN && domain.split('.').all(is_label)
}

fn is_qualified(name: &str) -> bool {
    let bytes = name.as_bytes();
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() <= MAX_NAME && edge(bytes.first()) && edge(bytes.last()) && name.bytes().all(is_inner)
}

const fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Parses a duration longer than zero.
pub(crate) fn duration(text: &LitStr) -> Result<Duration> {
    match nanoseconds(&text.value()) {
        Some(0) => Err(Error::new(text.span(), "the duration must be longer than zero")),
        Some(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
        None => {
            let problem = format!(
                "{:?} is not a duration: it must consist of numbers with the units ns, us, ms, s, m and h, such as \"30s\" or \"1h30m\"",
                text.value()
            );
            Err(Error::new(text.span(), problem))
        }
    }
}

/// Parses a duration in the form of Go: numbers, optionally with a fraction, each with a unit.
fn nanoseconds(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let (number, after) = rest.split_at(rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?);
        let (unit, after) = after.split_at(after.find(|sign: char| sign.is_ascii_digit() || sign == '.').unwrap_or(after.len()));
        rest = after;
        sum = sum.checked_add(part(number, unit)?)?;
    }
    (!text.is_empty()).then_some(sum)
}

fn part(number: &str, unit: &str) -> Option<u64> {
    let unit: u128 = match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<u128>().ok() };
    // More than 18 decimal places are below a nanosecond even for hours.
    let fraction = fraction.get(..fraction.len().min(18))?;
    let below = digits(fraction)? * unit / 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    u64::try_from(digits(whole)?.checked_mul(unit)?.checked_add(below)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, seconds) in [("30s", 30.0), ("5m", 300.0), ("1h30m", 5400.0), ("1.5h", 5400.0), ("100ms", 0.1), (".5s", 0.5)] {
            assert_eq!(nanoseconds(text).map(Duration::from_nanos), Some(Duration::from_secs_f64(seconds)), "{text}");
        }
        assert_eq!(nanoseconds("0s"), Some(0));
        for text in
            ["", "10", "1x", "s", ".s", "-1m", "1m 30s", "1.2.3s", "99999999999h", "999999999999999999999999999999999999999999h"]
        {
            assert_eq!(nanoseconds(text), None, "{text}");
        }
    }

    // FNL-1
    #[test]
    fn finalizers_are_a_domain_and_a_qualified_name() {
        let long = "n".repeat(64);
        for name in ["example.com/widget", "a/b", "kubewright.dev/Widget_1.x", &format!("a.b/{}", &long[1..])] {
            assert_eq!(finalizer_problem(name), None, "{name}");
        }
        for name in ["", "widget", "/widget", "example.com/", "Example.com/w", "a..b/w", "-a/w", "a/b/c", "a/.b", "a/b-", "a/b c"]
        {
            assert!(finalizer_problem(name).is_some(), "{name}");
        }
        assert!(finalizer_problem(&format!("a/{long}")).is_some());
        assert!(finalizer_problem(&format!("{long}/a")).is_some());
    }

    // FNL-1
    #[test]
    fn former_finalizers_may_lack_the_domain() {
        for name in ["configmaps.", "example.com/widget", "operator"] {
            assert_eq!(former_finalizer_problem(name), None, "{name}");
        }
        for name in ["", "a b", "/a", &"n".repeat(64)] {
            assert!(former_finalizer_problem(name).is_some(), "{name}");
        }
    }
}
