//! The limits of values: bounds of numbers, lengths of texts, counts of items and members, patterns and formats.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::Value;

use super::schema_view::{ValuesSchemaNode, types_of, values_of};

/// The number of members of objects: at least and at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberCounts {
    pub(super) least: usize,
    /// None if there is no limit.
    pub(super) most: Option<usize>,
}

/// Keywords with the smallest and the largest size of values of a type.
struct SizeKeywords {
    of: &'static str,
    least: &'static str,
    most: &'static str,
}

const SIZES: [SizeKeywords; 3] = [
    SizeKeywords { of: "string", least: "minLength", most: "maxLength" },
    SizeKeywords { of: "array", least: "minItems", most: "maxItems" },
    SizeKeywords { of: "object", least: "minProperties", most: "maxProperties" },
];

/// The smallest and the largest integer of formats that are those of types.
const INTEGER_FORMATS: [(&str, i128, i128); 10] = [
    ("int8", i8::MIN as i128, i8::MAX as i128),
    ("int16", i16::MIN as i128, i16::MAX as i128),
    ("int32", i32::MIN as i128, i32::MAX as i128),
    ("int64", i64::MIN as i128, i64::MAX as i128),
    ("int", i64::MIN as i128, i64::MAX as i128),
    ("uint8", 0, u8::MAX as i128),
    ("uint16", 0, u16::MAX as i128),
    ("uint32", 0, u32::MAX as i128),
    ("uint64", 0, u64::MAX as i128),
    ("uint", 0, u64::MAX as i128),
];

/// The formats of texts that validators of the drafts before 2019-09 check.
const TEXT_FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
];

/// An end of a range of numbers, with the text that names it.
struct RangeEnd {
    value: f64,
    is_exclusive: bool,
    text: String,
}

/// The side of a range of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RangeSide {
    Least,
    Most,
}

impl RangeSide {
    const fn keywords(self) -> [&'static str; 2] {
        match self {
            Self::Least => ["minimum", "exclusiveMinimum"],
            Self::Most => ["maximum", "exclusiveMaximum"],
        }
    }

    /// Returns the end of the range that a schema sets: of two ends the narrower one.
    fn of(self, node: ValuesSchemaNode<'_>, is_integer: bool) -> Option<RangeEnd> {
        let [inclusive, exclusive] = self.keywords();
        // In draft 4, the exclusive keyword makes the other one exclusive.
        let is_exclusive = node.keyword(exclusive) == Some(&Value::Bool(true));
        let end = |keyword: &str, is_exclusive: bool| {
            let number = node.keyword(keyword)?.as_number()?;
            let text = if is_exclusive && keyword == inclusive {
                format!("exclusive {keyword} {number}")
            } else {
                format!("{keyword} {number}")
            };
            Some(RangeEnd { value: number.as_f64()?, is_exclusive, text })
        };
        let format = || {
            let name = node.keyword("format")?.as_str()?;
            let (_, least, most) = INTEGER_FORMATS.iter().find(|(format, ..)| is_integer && *format == name)?;
            let bound = if self == Self::Least { least } else { most };
            #[expect(clippy::cast_precision_loss, reason = "the bounds of charts are compared with the same precision")]
            Some(RangeEnd { value: *bound as f64, is_exclusive: false, text: format!("{inclusive} {bound} of format {name}") })
        };
        let ends = [end(inclusive, is_exclusive), end(exclusive, true), format()];
        ends.into_iter().flatten().map(|end| self.whole(end, is_integer)).reduce(|one, other| self.narrower(one, other))
    }

    /// Returns the end at the integer next to it, if all values are integers.
    fn whole(self, end: RangeEnd, is_integer: bool) -> RangeEnd {
        if !is_integer {
            return end;
        }
        let value = match (self, end.is_exclusive) {
            (Self::Least, false) => end.value.ceil(),
            (Self::Least, true) => end.value.floor() + 1.0,
            (Self::Most, false) => end.value.floor(),
            (Self::Most, true) => end.value.ceil() - 1.0,
        };
        RangeEnd { value, is_exclusive: false, ..end }
    }

    fn narrower(self, one: RangeEnd, other: RangeEnd) -> RangeEnd {
        if self.is_within(&one, &other) { one } else { other }
    }

    /// Returns true if an end lies inside of a range with the other end.
    fn is_within(self, end: &RangeEnd, other: &RangeEnd) -> bool {
        let is_inside = if self == Self::Least { end.value > other.value } else { end.value < other.value };
        #[expect(clippy::float_cmp, reason = "equal bounds are equal numbers")]
        let is_same = end.value == other.value;
        is_inside || is_same && (end.is_exclusive || !other.is_exclusive)
    }

    /// Returns the attribute of a Rust field that sets an end.
    fn attribute(self, end: &RangeEnd) -> String {
        let name = if self == Self::Least { "min" } else { "max" };
        if end.is_exclusive {
            return format!("#[schemars(extend(\"{}\" = {}))]", self.keywords()[1], end.value);
        }
        format!("#[schemars(range({name} = {}))]", end.value)
    }
}

/// Returns the limits of the chart's schemas that the typed values do not keep: those that they have, and those that are allowed. Values of any type
/// are not compared.
pub(super) fn limit_differences(
    typed: &[ValuesSchemaNode<'_>],
    schemas: &[ValuesSchemaNode<'_>],
    counts: MemberCounts,
) -> Vec<(String, String)> {
    if let Some(values) = values_of(typed) {
        return schemas.iter().flat_map(|node| refused_values(*node, &values)).collect();
    }
    let Some(types) = types_of(typed) else { return Vec::new() };
    let mut differences = Vec::new();
    for node in schemas {
        if types.contains("integer") || types.contains("number") {
            differences.extend(number_differences(typed, *node, !types.contains("number")));
        }
        for keywords in SIZES.iter().filter(|keywords| types.contains(keywords.of)) {
            differences.extend(size_differences(typed, *node, keywords, counts));
        }
        if types.contains("string") {
            differences.extend(pattern_difference(typed, *node));
            differences.extend(format_difference(typed, *node));
        }
        if types.contains("array") {
            differences.extend(unique_difference(typed, *node));
        }
    }
    differences
}

/// Returns the values that a limit refuses, by limits.
fn refused_values(node: ValuesSchemaNode<'_>, values: &[&Value]) -> Vec<(String, String)> {
    let limits = node.schema().as_object().into_iter().flatten();
    let differences = limits.filter_map(|(keyword, limit)| {
        let refused = values.iter().filter(|value| keeps(node, keyword, value) == Some(false));
        let refused: Vec<String> = refused.map(ToString::to_string).collect();
        (!refused.is_empty()).then(|| (refused.join(", "), format!("values of {keyword} {limit}")))
    });
    differences.collect()
}

/// Returns true if a value keeps the limit that a keyword sets. None for keywords that are no limits, or not compared with values.
pub(super) fn keeps(node: ValuesSchemaNode<'_>, keyword: &str, value: &Value) -> Option<bool> {
    let limit = node.keyword(keyword)?;
    let size = |size: Option<usize>| size.map(|size| u64::try_from(size).unwrap_or(u64::MAX));
    let length = || size(value.as_str().map(|text| text.chars().count()));
    let items = || size(value.as_array().map(Vec::len));
    let members = || size(value.as_object().map(serde_json::Map::len));
    let least = |size: Option<u64>| Some(size.is_none_or(|size| limit.as_u64().is_none_or(|least| size >= least)));
    let most = |size: Option<u64>| Some(size.is_none_or(|size| limit.as_u64().is_none_or(|most| size <= most)));
    match keyword {
        "minLength" => least(length()),
        "maxLength" => most(length()),
        "minItems" => least(items()),
        "maxItems" => most(items()),
        "minProperties" => least(members()),
        "maxProperties" => most(members()),
        "pattern" => {
            let Some(text) = value.as_str() else { return Some(true) };
            Some(Regex::new(limit.as_str()?).ok()?.is_match(text))
        }
        "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" => {
            let Some(value) = value.as_f64() else { return Some(true) };
            let side = if keyword.ends_with("inimum") { RangeSide::Least } else { RangeSide::Most };
            let value = RangeEnd { value, is_exclusive: false, text: String::new() };
            Some(side.of(node, false).is_none_or(|end| side.is_within(&value, &end)))
        }
        "multipleOf" => {
            let Some(value) = value.as_f64() else { return Some(true) };
            Some(limit.as_f64().is_none_or(|factor| is_multiple(value, factor)))
        }
        "uniqueItems" => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let is_repeated = items.iter().enumerate().any(|(index, item)| items[..index].contains(item));
            Some(*limit != Value::Bool(true) || !is_repeated)
        }
        _ => None,
    }
}

fn number_differences(typed: &[ValuesSchemaNode<'_>], node: ValuesSchemaNode<'_>, is_integer: bool) -> Vec<(String, String)> {
    let sides = [RangeSide::Least, RangeSide::Most].into_iter().filter_map(|side| {
        let allowed = side.of(node, is_integer)?;
        let ends = typed.iter().filter_map(|node| side.of(*node, is_integer));
        let found = ends.reduce(|one, other| side.narrower(one, other));
        if found.as_ref().is_some_and(|found| side.is_within(found, &allowed)) {
            return None;
        }
        let found = found.map_or_else(|| format!("no {}", side.keywords()[0]), |found| found.text);
        let narrower = if side == RangeSide::Least { "more" } else { "less" };
        Some((found, format!("{} or {narrower}, as by {}", allowed.text, side.attribute(&allowed))))
    });
    sides.chain(multiple_difference(typed, node, is_integer)).collect()
}

fn multiple_difference(typed: &[ValuesSchemaNode<'_>], node: ValuesSchemaNode<'_>, is_integer: bool) -> Option<(String, String)> {
    let number = node.keyword("multipleOf")?;
    let allowed = number.as_f64()?;
    let found = typed.iter().filter_map(|node| node.keyword("multipleOf")).filter_map(|found| Some((found, found.as_f64()?)));
    let found: Vec<(&Value, f64)> = found.collect();
    if found.iter().any(|(_, factor)| is_multiple(*factor, allowed)) || is_integer && is_multiple(1.0, allowed) {
        return None;
    }
    let shown = found.first().map_or_else(|| "no multipleOf".to_owned(), |(found, _)| format!("multipleOf {found}"));
    Some((shown, format!("multipleOf {number} or a multiple of it, as by #[schemars(extend(\"multipleOf\" = {number}))]")))
}

/// Returns true if a number is a multiple of a factor, but for errors of rounding.
fn is_multiple(number: f64, factor: f64) -> bool {
    let quotient = number / factor;
    (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
}

fn size_differences(
    typed: &[ValuesSchemaNode<'_>],
    node: ValuesSchemaNode<'_>,
    keywords: &SizeKeywords,
    counts: MemberCounts,
) -> Vec<(String, String)> {
    let limits = |keyword: &str| typed.iter().filter_map(|node| node.keyword(keyword)?.as_u64()).collect::<Vec<_>>();
    let is_object = keywords.of == "object";
    let counted = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let least = if is_object { counted(counts.least) } else { limits(keywords.least).into_iter().max().unwrap_or(0) };
    let most = if is_object { counts.most.map(counted) } else { limits(keywords.most).into_iter().min() };
    let attribute = |keyword: &str, name: &str, limit: u64| {
        if is_object {
            format!("#[schemars(extend(\"{keyword}\" = {limit}))]")
        } else {
            format!("#[schemars(length({name} = {limit}))]")
        }
    };
    let mut differences = Vec::new();
    if let Some(allowed) = node.keyword(keywords.least).and_then(Value::as_u64).filter(|allowed| least < *allowed) {
        let keyword = keywords.least;
        differences.push((
            format!("{keyword} {least}"),
            format!("{keyword} {allowed} or more, as by {}", attribute(keyword, "min", allowed)),
        ));
    }
    let too_many = |allowed: &u64| most.is_none_or(|most| most > *allowed);
    if let Some(allowed) = node.keyword(keywords.most).and_then(Value::as_u64).filter(too_many) {
        let keyword = keywords.most;
        let found = most.map_or_else(|| format!("no {keyword}"), |most| format!("{keyword} {most}"));
        differences.push((found, format!("{keyword} {allowed} or less, as by {}", attribute(keyword, "max", allowed))));
    }
    differences
}

fn pattern_difference(typed: &[ValuesSchemaNode<'_>], node: ValuesSchemaNode<'_>) -> Option<(String, String)> {
    let allowed = node.keyword("pattern")?.as_str()?;
    let found: BTreeSet<&str> = typed.iter().filter_map(|node| node.keyword("pattern")?.as_str()).collect();
    // Patterns are searched in texts, so that these are found in each.
    let is_any = matches!(allowed, "" | "^" | "$" | ".*" | "^.*" | ".*$");
    if is_any || found.contains(allowed) {
        return None;
    }
    let found =
        if found.is_empty() { "no pattern".to_owned() } else { format!("pattern {}", Vec::from_iter(found).join(" and ")) };
    let hashes = if allowed.contains('"') { "#" } else { "" };
    Some((found, format!("pattern {allowed}, as by #[schemars(regex(pattern = r{hashes}\"{allowed}\"{hashes}))]")))
}

fn format_difference(typed: &[ValuesSchemaNode<'_>], node: ValuesSchemaNode<'_>) -> Option<(String, String)> {
    let allowed = node.keyword("format")?.as_str()?;
    let found = || typed.iter().filter_map(|node| node.keyword("format")?.as_str());
    if !node.checks_formats() || !TEXT_FORMATS.contains(&allowed) || found().any(|found| found == allowed) {
        return None;
    }
    let found = found().next().map_or_else(|| "no format".to_owned(), |found| format!("format {found}"));
    Some((found, format!("format {allowed}, as by #[schemars(extend(\"format\" = \"{allowed}\"))]")))
}

fn unique_difference(typed: &[ValuesSchemaNode<'_>], node: ValuesSchemaNode<'_>) -> Option<(String, String)> {
    let is_unique = |node: &ValuesSchemaNode<'_>| node.keyword("uniqueItems") == Some(&Value::Bool(true));
    let is_single = |node: &ValuesSchemaNode<'_>| node.keyword("maxItems").and_then(Value::as_u64).is_some_and(|most| most <= 1);
    if !is_unique(&node) || typed.iter().any(|node| is_unique(node) || is_single(node)) {
        return None;
    }
    Some((
        "items that may be equal".to_owned(),
        "uniqueItems true, as by a BTreeSet, or #[schemars(extend(\"uniqueItems\" = true))]".to_owned(),
    ))
}
