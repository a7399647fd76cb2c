//! Functions of lists.

use std::cmp::Ordering;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;

use super::compare::{compare, equal};
use super::failure::EvaluationFailure;
use super::operators;

type Outcome = Result<Cel, EvaluationFailure>;

/// Calls a function of lists; returns `None` for other functions.
pub(super) fn call(name: &str, arguments: &[Cel]) -> Option<Outcome> {
    if let ("lists.range", [Cel::Int(count)]) = (name, arguments) {
        return Some(Ok(list((0..*count).map(Cel::Int).collect())));
    }
    let [Cel::List(items), rest @ ..] = arguments else {
        return None;
    };
    Some(match (name, rest) {
        ("isSorted", []) => {
            Ok(Cel::Bool(items.windows(2).all(|pair| !matches!(compare(&pair[0], &pair[1]), Ok(Some(Ordering::Greater))))))
        }
        ("sum", []) => sum(items),
        ("min", []) => extreme(items, "min", Ordering::Less),
        ("max", []) => extreme(items, "max", Ordering::Greater),
        ("indexOf", [wanted]) => Ok(Cel::Int(position(items.iter().position(|item| equal(item, wanted))))),
        ("lastIndexOf", [wanted]) => Ok(Cel::Int(position(items.iter().rposition(|item| equal(item, wanted))))),
        ("reverse", []) => Ok(list(items.iter().rev().cloned().collect())),
        ("distinct", []) => Ok(list(distinct(items))),
        ("slice", [Cel::Int(start), Cel::Int(end)]) => slice(items, *start, *end),
        ("flatten", []) => Ok(list(flatten(items, 1))),
        ("flatten", [Cel::Int(depth)]) if *depth < 0 => Err(EvaluationFailure::new("level must be non-negative")),
        ("flatten", [Cel::Int(depth)]) => Ok(list(flatten(items, *depth))),
        ("sort", []) => sorted(items, items),
        ("@sortByAssociatedKeys", [Cel::List(keys)]) => sorted(items, keys),
        ("join", []) => join(items, ""),
        ("join", [Cel::String(separator)]) => join(items, separator),
        ("sets.contains", [Cel::List(others)]) => Ok(Cel::Bool(others.iter().all(|other| has(items, other)))),
        ("sets.intersects", [Cel::List(others)]) => Ok(Cel::Bool(others.iter().any(|other| has(items, other)))),
        ("sets.equivalent", [Cel::List(others)]) => {
            Ok(Cel::Bool(others.iter().all(|other| has(items, other)) && items.iter().all(|item| has(others, item))))
        }
        _ => return None,
    })
}

fn list(items: Vec<Cel>) -> Cel {
    Cel::List(Arc::new(items))
}

fn has(items: &[Cel], wanted: &Cel) -> bool {
    items.iter().any(|item| equal(item, wanted))
}

fn position(found: Option<usize>) -> i64 {
    found.map_or(-1, |index| index as i64)
}

fn sum(items: &[Cel]) -> Outcome {
    let Some((first, rest)) = items.split_first() else {
        return Ok(Cel::Int(0));
    };
    rest.iter().try_fold(first.clone(), |sum, item| {
        operators::apply("_+_", &[sum, item.clone()]).unwrap_or(Err(EvaluationFailure::NoSuchOverload))
    })
}

fn extreme(items: &[Cel], name: &str, wanted: Ordering) -> Outcome {
    let Some((first, rest)) = items.split_first() else {
        return Err(EvaluationFailure::new(format!("{name} called on empty list")));
    };
    let mut found = first;
    for item in rest {
        if compare(item, found)? == Some(wanted) {
            found = item;
        }
    }
    Ok(found.clone())
}

fn distinct(items: &[Cel]) -> Vec<Cel> {
    let mut found: Vec<Cel> = Vec::new();
    for item in items {
        if !has(&found, item) {
            found.push(item.clone());
        }
    }
    found
}

fn slice(items: &[Cel], start: i64, end: i64) -> Outcome {
    let problem = if start < 0 || end < 0 {
        "negative indexes not supported".to_owned()
    } else if start > end {
        "start index must be less than or equal to end index".to_owned()
    } else if (items.len() as i64) < end {
        format!("list is length {}", items.len())
    } else {
        return Ok(list(items[start as usize..end as usize].to_vec()));
    };
    Err(EvaluationFailure::new(format!("cannot slice({start}, {end}), {problem}")))
}

fn flatten(items: &[Cel], depth: i64) -> Vec<Cel> {
    let mut flat = Vec::new();
    for item in items {
        match item {
            Cel::List(inner) if depth > 0 => flat.extend(flatten(inner, depth - 1)),
            other => flat.push(other.clone()),
        }
    }
    flat
}

fn sorted(items: &[Cel], keys: &[Cel]) -> Outcome {
    if items.len() != keys.len() {
        return Err(EvaluationFailure::new(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            items.len(),
            keys.len()
        )));
    }
    if let Some(first) = keys.first()
        && keys.iter().any(|key| std::mem::discriminant(key) != std::mem::discriminant(first))
    {
        return Err(EvaluationFailure::new("list elements must have the same type"));
    }
    if let Some(first) = keys.first() {
        compare(first, first).map_err(|_| EvaluationFailure::new("list elements must be comparable"))?;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| compare(&keys[*a], &keys[*b]).ok().flatten().unwrap_or(Ordering::Equal));
    Ok(list(order.into_iter().map(|index| items[index].clone()).collect()))
}

fn join(items: &[Cel], separator: &str) -> Outcome {
    let texts: Result<Vec<_>, _> = items
        .iter()
        .map(|item| match item {
            Cel::String(text) => Ok(text.as_str()),
            _ => Err(EvaluationFailure::NoSuchOverload),
        })
        .collect();
    Ok(Cel::String(Arc::new(texts?.join(separator))))
}
