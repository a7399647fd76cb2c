//! Estimates of the costs of single functions.

use super::functions::Overload;
use super::sizes::{REGEX, Range, TRAVERSAL};
use super::types::CelType;
use crate::cel::syntax::Literal;

/// The cost of a call, and the size of its result if it is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub(super) cost: Range,
    pub(super) size: Option<Range>,
}

impl Estimate {
    pub(super) fn cost(cost: Range) -> Self {
        Self { cost, size: None }
    }

    fn sized(cost: Range, size: Range) -> Self {
        Self { cost, size: Some(size) }
    }
}

/// The properties of an argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) type_: CelType,
    pub(super) path: Vec<String>,
    pub(super) size: Option<Range>,
    pub(super) literal: Option<Literal>,
}

impl Argument {
    pub(super) fn size_or_any(&self) -> Range {
        self.size.unwrap_or(Range::ANY)
    }
}

/// A function that returns the size that a schema declares for a path.
pub(super) type Sizes<'s> = &'s dyn Fn(&[String]) -> Option<Range>;

/// Returns the cost of a function by one of its overloads, without that of its arguments.
pub(super) fn function(
    name: &str,
    overload: Option<&Overload>,
    target: Option<&Argument>,
    arguments: &[Argument],
    sizes: Sizes<'_>,
) -> Estimate {
    if let Some(found) = kubernetes(name, overload, target, arguments, sizes) {
        return found;
    }
    standard(name, overload, target, arguments).unwrap_or_else(|| Estimate::cost(Range::exactly(1)))
}

fn size(argument: &Argument, sizes: Sizes<'_>) -> Range {
    argument.size.or_else(|| sizes(&argument.path)).unwrap_or(Range::ANY)
}

fn kubernetes(
    name: &str,
    overload: Option<&Overload>,
    target: Option<&Argument>,
    arguments: &[Argument],
    sizes: Sizes<'_>,
) -> Option<Estimate> {
    let traversed = |size: Range| size.scaled(TRAVERSAL);
    let first = arguments.first();
    let takes_text = overload.is_some_and(|overload| overload.parameters.get(1) == Some(&CelType::Text));
    Some(match name {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            let target = target?;
            match &target.type_ {
                CelType::List(element) => {
                    let mut one = Range::exactly(1);
                    if matches!(**element, CelType::Text | CelType::Bytes) {
                        let path: Vec<_> = target.path.iter().cloned().chain(["@items".to_owned()]).collect();
                        let known = if target.path.is_empty() { None } else { sizes(&path) };
                        one = one.plus(traversed(known.unwrap_or(Range::ANY)));
                    }
                    Estimate::cost(size(target, sizes).times(one))
                }
                _ => Estimate::cost(traversed(size(target, sizes))),
            }
        }
        "slice" => {
            let bound = |index: usize, other: u64| match arguments.get(index).and_then(|argument| argument.literal.as_ref()) {
                Some(Literal::Int(bound)) => bound.cast_unsigned(),
                _ => other,
            };
            new_list(1.0, Range::exactly(bound(1, size(target?, sizes).max).wrapping_sub(bound(0, 0))))
        }
        "lists.range" => new_list(1.0, Range::exactly(literal_or(first, u64::MAX))),
        "reverse" => new_list(1.0, size(target?, sizes)),
        "flatten" => new_list(first.map_or(1.0, |depth| literal_or(Some(depth), u64::MAX) as f64), size(target?, sizes)),
        "distinct" => {
            let size = size(target?, sizes);
            new_list(2.0, size.times(size))
        }
        "sort" | "@sortByAssociatedKeys" => {
            let keys = if name == "sort" { target? } else { first? };
            let text = matches!(&keys.type_, CelType::List(element) if matches!(**element, CelType::Text | CelType::Bytes));
            let size = size(keys, sizes);
            new_list(if text { 2.0 + TRAVERSAL } else { 2.0 }, size.times(size))
        }
        "url" => {
            let size = size(first?, sizes);
            Estimate::sized(traversed(size), size)
        }
        "lowerAscii" | "upperAscii" | "substring" | "trim" => {
            let size = size(target?, sizes);
            Estimate::sized(traversed(size), size)
        }
        "replace" => {
            let [old, new, ..] = arguments else { return None };
            let text = size(target?, sizes);
            let result = replaced(text, size(old, sizes), size(new, sizes));
            Estimate::sized(text.scaled(2.0 * TRAVERSAL), result)
        }
        "split" => {
            let text = size(target?, sizes);
            let most = match arguments.get(1).and_then(|limit| limit.literal.as_ref()) {
                Some(Literal::Int(limit)) => limit.cast_unsigned(),
                _ => text.max,
            };
            Estimate::sized(text.scaled(2.0 * TRAVERSAL), Range { min: 0, max: most })
        }
        "join" => {
            let list = target?;
            let count = size(list, sizes);
            let path: Vec<_> = list.path.iter().cloned().chain(["@items".to_owned()]).collect();
            let element = if list.path.is_empty() { None } else { sizes(&path) };
            let mut result = count.times(element.unwrap_or(Range::ANY));
            if let Some(separator) = first {
                let gaps = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
                result = result.plus(size(separator, sizes).times(gaps));
            }
            Estimate::sized(traversed(result), result)
        }
        "find" | "findAll" => {
            let text = size(target?, sizes);
            let searched = traversed(text.plus(Range::exactly(1)));
            Estimate::sized(searched.times(size(first?, sizes).scaled(REGEX)), Range { min: 0, max: text.max })
        }
        "ip" if target.is_some() => Estimate::cost(Range::exactly(1)),
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            Estimate::cost(traversed(size(first?, sizes)))
        }
        "ip.isCanonical" => Estimate::cost(size(first?, sizes).scaled(2.0 * TRAVERSAL)),
        "containsIP" | "containsCIDR" => {
            let address = Range { min: 4, max: 16 };
            let mut cost = traversed(address.plus(address));
            if name == "containsCIDR" {
                cost = cost.plus(traversed(address)).plus(Range::exactly(1));
            }
            if takes_text {
                cost = cost.plus(traversed(size(first?, sizes)));
            }
            Estimate::cost(cost)
        }
        "validate" => {
            const LONGEST_REGEX: f64 = 128.0;
            Estimate::cost(traversed(size(first?, sizes)).scaled(LONGEST_REGEX * REGEX))
        }
        "_==_" => {
            let [left, right] = arguments else { return None };
            match (&left.type_, &right.type_) {
                (CelType::Opaque("kubernetes.NamedFormat"), b) if *b == left.type_ => {
                    Estimate::cost(Range { min: 1, max: 64 }.scaled(TRAVERSAL))
                }
                (CelType::Opaque("kubernetes.URL"), b) if *b == left.type_ => {
                    let size = right.size.map_or(Range::exactly(1), |size| size);
                    Estimate::cost(Range { min: 1, max: size.max }.scaled(TRAVERSAL))
                }
                (CelType::Opaque(_), b) if *b == left.type_ => Estimate::cost(Range::exactly(1)),
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Returns the cost of a list that is created from another one.
fn new_list(factor: f64, size: Range) -> Estimate {
    const CALL_AND_LIST: u64 = 11;
    Estimate::sized(size.scaled(factor).plus(Range::exactly(CALL_AND_LIST)), size)
}

fn literal_or(argument: Option<&Argument>, other: u64) -> u64 {
    match argument.and_then(|argument| argument.literal.as_ref()) {
        Some(Literal::Int(number)) => number.cast_unsigned(),
        _ => other,
    }
}

/// Returns the size of a text after a replacement.
fn replaced(text: Range, old: Range, new: Range) -> Range {
    let divided = |size: u64, by: u64| (size as f64 / by as f64).ceil() as u64;
    let (mut count, mut kept) = (Range::NOTHING, Range::NOTHING);
    // An empty text is found around each character.
    if old.min == 0 {
        count.max = text.max.saturating_add(1);
        kept.max = text.max;
    } else if new.max <= old.min {
        kept.max = text.max;
    } else {
        count.max = divided(text.max, old.min);
    }
    if old.max == 0 {
        count.min = text.min.saturating_add(1);
        kept.min = text.min;
    } else if old.max <= new.min {
        kept.min = text.min;
    } else {
        count.min = divided(text.min, old.max);
    }
    count.times(new).plus(kept)
}

fn standard(name: &str, overload: Option<&Overload>, target: Option<&Argument>, arguments: &[Argument]) -> Option<Estimate> {
    let of =
        |types: &[CelType]| overload.and_then(|overload| overload.parameters.first()).is_some_and(|found| types.contains(found));
    let first = arguments.first().map(Argument::size_or_any);
    Some(match name {
        "format" => Estimate::cost(target?.size_or_any().scaled(TRAVERSAL)),
        "bytes" if of(&[CelType::Text]) => {
            let size = first?;
            Estimate::sized(size.scaled(TRAVERSAL), Range { min: size.min, max: size.max.wrapping_mul(4) })
        }
        "string" if of(&[CelType::Bytes]) => {
            let size = first?;
            Estimate::sized(size.scaled(TRAVERSAL), Range { min: size.min / 4, max: size.max })
        }
        "strings.quote" => {
            let size = first?;
            let quoted = Range { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            Estimate::sized(size.scaled(TRAVERSAL), quoted)
        }
        "startsWith" | "endsWith" => Estimate::cost(first?.scaled(TRAVERSAL)),
        "@in" if overload.is_some_and(|overload| matches!(overload.parameters.get(1), Some(CelType::List(_)))) => {
            Estimate::cost(arguments.get(1)?.size_or_any())
        }
        "matches" if target.is_some() => {
            let text = target?.size_or_any().plus(Range::exactly(1)).scaled(TRAVERSAL);
            Estimate::cost(text.times(first?.scaled(REGEX)))
        }
        "contains" => Estimate::cost(target?.size_or_any().scaled(TRAVERSAL).times(first?.scaled(TRAVERSAL))),
        "_+_"
            if overload
                .is_some_and(|overload| matches!(overload.parameters[0], CelType::Text | CelType::Bytes | CelType::List(_))) =>
        {
            let size = first?.plus(arguments.get(1)?.size_or_any());
            let cost = if of(&[CelType::Text, CelType::Bytes]) { size.scaled(TRAVERSAL) } else { Range::exactly(1) };
            Estimate::sized(cost, size)
        }
        "_<_" | "_>_" | "_<=_" | "_>=_" if of(&[CelType::Text, CelType::Bytes]) => {
            compared(first?, arguments.get(1)?.size_or_any())
        }
        "_==_" | "_!=_" => compared(first?, arguments.get(1)?.size_or_any()),
        _ => return None,
    })
}

/// Returns the cost of a comparison, which reads both values up to the end of the shorter one.
fn compared(left: Range, right: Range) -> Estimate {
    let most = left.max.min(right.max);
    Estimate::cost(Range { min: u64::from(most > 0), max: most }.scaled(TRAVERSAL))
}
