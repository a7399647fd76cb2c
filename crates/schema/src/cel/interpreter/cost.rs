//! The costs of the steps of an evaluation, in the units of the real server.

use kube_cel::cel::Value as Cel;

use super::library;
use super::values::as_optional;

pub(super) const ACCESS: u64 = 1;
pub(super) const CALL: u64 = 1;
pub(super) const NEW_LIST: u64 = 10;
pub(super) const NEW_MAP: u64 = 30;
/// The costs of the condition of a loop: the accumulator, a negation in the case of `exists`, and the test.
pub(super) const ALL_CONDITION: u64 = 2;
pub(super) const EXISTS_CONDITION: u64 = 3;
/// The cost of reading a text once, per character.
const TRAVERSAL: f64 = 0.1;
/// The cost of a regular expression on a text of cost one, per character of the pattern.
const REGEX: f64 = 0.25;
/// The assumed length of the pattern behind a named format.
const FORMAT_PATTERN: u64 = 60;

fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

fn size(value: &Cel) -> u64 {
    match value {
        Cel::String(text) => text.chars().count() as u64,
        Cel::Bytes(bytes) => bytes.len() as u64,
        Cel::List(items) => items.len() as u64,
        Cel::Map(map) => map.map.len() as u64,
        Cel::Opaque(_) => match as_optional(value).map(|optional| optional.value()) {
            Some(Some(content)) => size(content),
            _ => address_bytes(value).unwrap_or(1),
        },
        _ => 1,
    }
}

/// Returns the number of bytes of an address, or of the prefix of a network.
fn address_bytes(value: &Cel) -> Option<u64> {
    let Cel::Opaque(opaque) = value else { return None };
    let number = |function: &str| match library::call(function, true, std::slice::from_ref(value)) {
        Ok(Cel::Int(number)) => u64::try_from(number).ok(),
        _ => None,
    };
    match opaque.runtime_type_name() {
        "net.IP" => number("family").map(|family| if family == 4 { 4 } else { 16 }),
        "net.CIDR" => number("prefixLength").map(|bits| bits.div_ceil(8)),
        _ => None,
    }
}

/// Returns the cost of reading a value with everything in it.
fn traversal(value: &Cel) -> u64 {
    let text = |bytes: usize| (bytes as f64 * TRAVERSAL) as u64;
    match value {
        Cel::String(found) => text(found.len()),
        Cel::Bytes(bytes) => text(bytes.len()),
        Cel::List(items) => items.iter().map(traversal).sum(),
        Cel::Map(map) => map
            .map
            .iter()
            .map(|(key, value)| {
                let key = match key {
                    kube_cel::cel::objects::Key::String(key) => text(key.len()),
                    _ => 1,
                };
                key + traversal(value)
            })
            .sum(),
        _ => 1,
    }
}

/// Returns the cost of a call without that of its arguments.
pub(super) fn of_call(name: &str, member: bool, arguments: &[Cel]) -> u64 {
    let sized = |index: usize| arguments.get(index).map_or(1, size);
    let read = |index: usize| scaled(sized(index), TRAVERSAL);
    let searched = |pattern: u64| scaled(sized(0) + 1, TRAVERSAL) * scaled(pattern, REGEX);
    match (name, arguments) {
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", [first, ..]) => traversal(first),
        ("ip", _) if member => CALL,
        (
            "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "ip" | "quantity"
            | "isQuantity" | "semver" | "isSemver" | "startsWith" | "endsWith" | "strings.quote" | "format",
            _,
        )
        | ("bytes", [Cel::String(_)])
        | ("string", [Cel::Bytes(_)]) => read(0),
        ("replace" | "split" | "ip.isCanonical", _) => scaled(sized(0), 2.0 * TRAVERSAL),
        ("join", _) => scaled(joined(arguments), 2.0 * TRAVERSAL),
        ("matches", _) if !member => CALL,
        ("find" | "findAll" | "matches", _) => searched(sized(1)),
        ("contains", _) => read(0) * read(1),
        ("containsIP", _) => scaled(2 * sized(0), TRAVERSAL) + in_words(arguments),
        ("containsCIDR", _) => scaled(2 * sized(0), TRAVERSAL) + read(0) + 1 + in_words(arguments),
        ("validate", _) => scaled(sized(1) + 1, TRAVERSAL) * scaled(FORMAT_PATTERN, REGEX),
        ("_==_", [Cel::Opaque(_), _]) if as_optional(&arguments[0]).is_none() => CALL,
        ("_==_" | "_!=_", [a, b])
        | ("_<_" | "_<=_" | "_>_" | "_>=_", [a @ Cel::String(_), b @ Cel::String(_)] | [a @ Cel::Bytes(_), b @ Cel::Bytes(_)]) => {
            scaled(size(a).min(size(b)), TRAVERSAL)
        }
        ("_+_", [Cel::String(_), Cel::String(_)] | [Cel::Bytes(_), Cel::Bytes(_)]) => scaled(sized(0) + sized(1), TRAVERSAL),
        ("@in", [_, list @ Cel::List(_)]) => size(list),
        ("slice", [_, Cel::Int(start), Cel::Int(end)]) => {
            new_list(end.saturating_sub(*start).max(0).unsigned_abs().min(sized(0)), 1.0)
        }
        ("lists.range", [Cel::Int(count)]) => new_list(count.max(&0).unsigned_abs(), 1.0),
        ("flatten", [_, Cel::Int(depth)]) => new_list(sized(0), *depth as f64),
        ("flatten" | "reverse", _) => new_list(sized(0), 1.0),
        ("distinct" | "sort", [list]) | ("@sortByAssociatedKeys", [_, list]) => compared_with_each_other(list),
        ("sets.contains" | "sets.intersects", _) => CALL + sized(0).saturating_mul(sized(1)),
        ("sets.equivalent", _) => CALL + sized(0).saturating_mul(sized(1)).saturating_mul(2),
        _ => CALL,
    }
}

fn new_list(size: u64, factor: f64) -> u64 {
    (size as f64 * factor) as u64 + CALL + NEW_LIST
}

fn compared_with_each_other(list: &Cel) -> u64 {
    let Cel::List(items) = list else { return CALL };
    let factor = if matches!(items.first(), Some(Cel::String(_) | Cel::Bytes(_))) { 2.0 + TRAVERSAL } else { 2.0 };
    let size = items.len() as u64;
    new_list(size.saturating_mul(size), factor)
}

/// Returns the cost of parsing a network that is given as text.
fn in_words(arguments: &[Cel]) -> u64 {
    match arguments.get(1) {
        Some(text @ Cel::String(_)) => scaled(size(text), TRAVERSAL),
        _ => 0,
    }
}

/// Returns the size of joined texts.
fn joined(arguments: &[Cel]) -> u64 {
    let Some(Cel::List(items)) = arguments.first() else { return 1 };
    let separator = arguments.get(1).map_or(0, size);
    items.iter().map(size).sum::<u64>().saturating_add(separator.saturating_mul((items.len() as u64).saturating_sub(1)))
}

/// Returns true if the real server converts a constant list to a set, in which lookups are free.
pub(super) fn is_set(list: &Cel) -> bool {
    let plain =
        |item: &Cel| matches!(item, Cel::String(_) | Cel::Int(_) | Cel::UInt(_) | Cel::Float(_) | Cel::Bool(_) | Cel::Null);
    matches!(list, Cel::List(items) if items.iter().all(plain))
}

/// Returns the copying of a call that the real server does not charge for: joined lists, and texts that grow.
pub(super) fn work_of_call(name: &str, arguments: &[Cel]) -> u64 {
    match (name, arguments) {
        ("_+_", [Cel::List(a), Cel::List(b)]) => (a.len() + b.len()) as u64,
        ("replace", [Cel::String(text), Cel::String(old), Cel::String(new), ..]) => {
            // An empty old text is replaced around each character, any other one wherever it can occur.
            let occurrences = text.len() / old.len().max(1) + 1;
            (occurrences as u64).saturating_mul(new.len() as u64) / 8
        }
        _ => 0,
    }
}
