//! Defaults of LimitRanges.

use serde_json::Value;

use crate::types::edit::{Edit as _, Members, each, part};

/// Fills in the defaults of a LimitRange (BDF-19): the limits of a container default to its maxima, its requests to its limits or its minima.
pub(in crate::types::defaults) fn limit_range(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    for limit in each(spec, "limits").filter(|limit| limit.text("type") == "Container") {
        inherit(limit, "max", "default");
        inherit(limit, "default", "defaultRequest");
        inherit(limit, "min", "defaultRequest");
    }
}

fn inherit(limit: &mut Members, from: &str, to: &str) {
    let Some(amounts) = limit.get(from).and_then(Value::as_object).cloned() else {
        return;
    };
    let target = limit.ensure(to);
    for (resource, amount) in amounts {
        target.entry(resource).or_insert(amount);
    }
}
