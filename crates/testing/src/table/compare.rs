//! The comparison of a row's requests with its expectations (TTBL-2, TTBL-3, TTBL-5, TTBL-6).

use std::collections::BTreeMap;

use kubewright_core::finalizer::{FinalizerName, add_patch, remove_patch};
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::PatchKind;
use serde_json::{Value, json};

use super::address::{ObjectAddress, Plurals};
use super::expected::{Expected, Sort};
use super::ledger::{LedgerRequest, follow};
use super::normal::{Ignored, normal, pair};
use super::patch::PatchBody;
use super::wire::Sent;
use super::{Apply, Delete, DeleteCollection, Patch, diff};

/// The rules by which the requests of a row are compared.
#[derive(Debug)]
pub(super) struct ComparisonRules<'a> {
    pub(super) ignored: &'a Ignored,
    pub(super) is_unordered: bool,
    /// The namespace that every request must be in; `None` if any will do.
    pub(super) namespace: Option<&'a str>,
    /// The address of the object of the row's key.
    pub(super) primary: ObjectAddress,
    pub(super) plurals: Plurals,
}

impl ComparisonRules<'_> {
    /// Returns all differences between the requests and the expectations.
    pub(super) fn differences(
        &self,
        expected: &[Expected],
        known: BTreeMap<ObjectAddress, Value>,
        sent: Vec<Sent>,
    ) -> Vec<String> {
        let (mut steps, known) = follow(known, sent);
        self.claim(expected, &mut steps);
        let mut found: Vec<String> = steps.iter().filter_map(|step| self.foreign(step)).collect();
        for sort in Sort::ALL {
            let expected: Vec<&Expected> = expected.iter().filter(|expected| expected.sort() == sort).collect();
            let steps: Vec<&LedgerRequest> = steps.iter().filter(|step| step.sort == sort).collect();
            self.compare(sort, &expected, &steps, &known, &mut found);
        }
        found
    }

    /// Treats a write of a status as a patch if a patch of that status is expected.
    fn claim(&self, expected: &[Expected], steps: &mut [LedgerRequest]) {
        for expected in expected {
            if let Expected::Patch(patch) = expected
                && patch.subresource == "status"
                && let address = self.address(expected)
                && let Some(step) = steps.iter_mut().find(|step| step.sort == Sort::Status && step.address == address)
            {
                step.sort = Sort::Patch;
            }
        }
    }

    fn foreign(&self, step: &LedgerRequest) -> Option<String> {
        let wanted = self.namespace?;
        let target = &step.sent.target;
        let is_namespace = target.group.is_empty() && target.resource == "namespaces";
        (!is_namespace && target.namespace != wanted).then(|| {
            let (sort, address) = (step.sort.as_str(), &step.address);
            format!(
                "Foreign namespace: {sort} {address}, not in the namespace {wanted:?} of the key; `.any_namespace()` allows it"
            )
        })
    }

    fn compare(
        &self,
        sort: Sort,
        expected: &[&Expected],
        steps: &[&LedgerRequest],
        known: &BTreeMap<ObjectAddress, Value>,
        found: &mut Vec<String>,
    ) {
        let mut pairs: Vec<Option<usize>> = vec![None; expected.len()];
        let mut is_free = vec![true; steps.len()];
        let mut take = |pairs: &mut Vec<Option<usize>>, fits: &dyn Fn(&Expected, &LedgerRequest) -> bool| {
            for (position, wanted) in expected.iter().enumerate() {
                if pairs[position].is_none()
                    && let Some(index) = (0..steps.len()).find(|index| is_free[*index] && fits(wanted, steps[*index]))
                {
                    is_free[index] = false;
                    pairs[position] = Some(index);
                }
            }
        };
        if self.is_unordered {
            take(&mut pairs, &|wanted, step| self.is_about(wanted, step) && self.difference(wanted, step).is_none());
        }
        take(&mut pairs, &|wanted, step| self.is_about(wanted, step));
        for (wanted, index) in expected.iter().zip(&pairs) {
            found.extend(match index {
                Some(index) => self.difference(wanted, steps[*index]),
                None => Some(self.missing(wanted, known)),
            });
        }
        let extra = steps.iter().zip(&is_free).filter(|(_, is_free)| **is_free);
        found.extend(extra.map(|(step, _)| extra_text(step)));
        let order: Vec<usize> = pairs.iter().filter_map(|index| *index).collect();
        if !self.is_unordered && !order.is_sorted() {
            let addresses = |indices: &[usize]| indices.iter().map(|index| steps[*index].address.to_string()).collect::<Vec<_>>();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            let diff = diff::lists((&addresses(&order), "expected"), (&addresses(&sorted), "sent"));
            found.push(format!("Different order of {}; `.unordered()` lifts it\n{diff}", sort.as_str()));
        }
    }

    /// Returns the address of the object that an expectation is about.
    fn address(&self, expected: &Expected) -> ObjectAddress {
        let of = |object: &Value| {
            let kind = object.gvk().unwrap_or_else(|| GroupVersionKind::new("", "", object.kind()));
            self.plurals.address(&kind, object.namespace(), object.name())
        };
        match expected {
            Expected::Create(object) | Expected::Update(object) | Expected::Status(object) => of(object),
            Expected::Apply(Apply { object, .. }) => of(object),
            Expected::Patch(patch) => ObjectAddress::parse(&patch.resource, &patch.namespace, &patch.name),
            Expected::FinalizerAdded(_) | Expected::FinalizerRemoved(_) => self.primary.clone(),
            Expected::Delete(delete) => self.plurals.address(&delete.kind, &delete.namespace, &delete.name),
            Expected::DeleteCollection(delete) => self.plurals.address(&delete.kind, &delete.namespace, ""),
        }
    }

    /// Returns true if a request is about the object of an expectation.
    fn is_about(&self, expected: &Expected, step: &LedgerRequest) -> bool {
        let address = self.address(expected);
        if let Expected::Create(object) = expected
            && object.name().is_empty()
        {
            let prefix = |object: &Value| object.pointer("/metadata/generateName").cloned();
            return prefix(object) == prefix(&step.sent.body) && address == step.address.clone().named("");
        }
        let is_subresource = |name: &str| step.sent.target.subresource == name;
        address == step.address
            && match expected {
                Expected::Patch(patch) => is_subresource(&patch.subresource),
                Expected::FinalizerAdded(_) | Expected::FinalizerRemoved(_) => is_subresource(""),
                _ => true,
            }
    }

    fn missing(&self, expected: &Expected, known: &BTreeMap<ObjectAddress, Value>) -> String {
        let address = self.address(expected);
        let title = format!("Missing {} {address}", expected.sort().as_str());
        let (wanted, is_status) = match expected {
            Expected::Create(object) => return format!("{title}\n{}", whole(object, "expected")),
            Expected::Update(object) | Expected::Apply(Apply { object, .. }) => (object.clone(), false),
            Expected::Status(object) => (status_of(object), true),
            Expected::FinalizerAdded(name) => return format!("{title}: the finalizer {name:?} is added"),
            Expected::FinalizerRemoved(name) => return format!("{title}: the finalizer {name:?} is removed"),
            Expected::Patch(Patch { body, kind, subresource, .. }) => {
                let below = if subresource.is_empty() { String::new() } else { format!(" subresource {subresource},") };
                return format!("{title}:{below} {}\n{}", kind.content_type(), shown(body));
            }
            Expected::Delete(_) | Expected::DeleteCollection(_) => return title,
        };
        let last = known.get(&address).cloned().unwrap_or_default();
        let last = if is_status { status_of(&last) } else { last };
        let (wanted, last) = pair(&wanted, &last, self.ignored);
        format!("{title}\n{}", diff::values((&wanted, "expected"), (&last, "last known state")))
    }

    /// Returns the difference between a request and its expectation, if there is one.
    fn difference(&self, expected: &Expected, step: &LedgerRequest) -> Option<String> {
        let sent = &step.sent;
        let title = format!("Different {} {}", step.sort.as_str(), step.address);
        match expected {
            Expected::Create(object) => {
                let mut body = addressed(step);
                if object.name().is_empty() {
                    body.metadata_mut().remove("name");
                }
                self.objects(&title, object, &body, None)
            }
            Expected::Update(object) => self.objects(&title, object, &addressed(step), step.before.as_ref()),
            Expected::Status(object) => {
                let before = step.before.as_ref().map(status_of);
                self.objects(&title, &status_of(object), &status_of(&step.after()), before.as_ref())
            }
            Expected::Apply(apply) => {
                let mut lines = Vec::new();
                differs(&mut lines, "field manager", &apply.manager, &sent.parameter("fieldManager"));
                differs(&mut lines, "force", &apply.is_forced.to_string(), &(sent.parameter("force") == "true").to_string());
                let objects = self.objects(&title, &apply.object, &addressed(step), None);
                joined(&title, lines, objects)
            }
            Expected::Patch(patch) => {
                let mut lines = Vec::new();
                differs(&mut lines, "type", patch.kind.content_type(), &sent.content_type);
                let body = match &patch.body {
                    PatchBody::Text(text) if text.as_bytes() == &*sent.text => None,
                    PatchBody::Json(value) if *value == sent.body => None,
                    PatchBody::Text(text) => {
                        Some(diff::texts((text, "expected"), (&String::from_utf8_lossy(&sent.text), "sent")))
                    }
                    PatchBody::Json(value) => Some(diff::values((value, "expected"), (&sent.body, "sent"))),
                };
                joined(&title, lines, body.map(|diff| format!("{title}\n{diff}")))
            }
            Expected::FinalizerAdded(name) => finalizer(&title, step, name, add_patch),
            Expected::FinalizerRemoved(name) => finalizer(&title, step, name, |object, name| remove_patch(object, &[name])),
            Expected::Delete(delete) => deletion(&title, delete, sent),
            Expected::DeleteCollection(DeleteCollection { labels, fields, .. }) => {
                let mut lines = Vec::new();
                differs(&mut lines, "label selector", labels, &sent.parameter("labelSelector"));
                differs(&mut lines, "field selector", fields, &sent.parameter("fieldSelector"));
                joined(&title, lines, None)
            }
        }
    }

    fn objects(&self, title: &str, expected: &Value, found: &Value, before: Option<&Value>) -> Option<String> {
        let (wanted, sent) = pair(expected, found, self.ignored);
        if wanted == sent {
            return None;
        }
        let mut text = format!("{title}\n{}", diff::values((&wanted, "expected"), (&sent, "sent")));
        if let Some(before) = before {
            let (_, before) = pair(expected, before, self.ignored);
            text.push_str(&diff::values((&before, "last known state"), (&sent, "sent")));
        }
        Some(text)
    }
}

/// Returns the body of a request with the namespace and name in its path, as the server completes it.
fn addressed(step: &LedgerRequest) -> Value {
    let mut body = step.sent.body.clone();
    let address = &step.address;
    for (field, text) in [("namespace", &address.namespace), ("name", &address.name)] {
        if !text.is_empty() && body.pointer(&format!("/metadata/{field}")).is_none_or(Value::is_null) {
            body.metadata_mut().insert(field.into(), text.as_str().into());
        }
    }
    body
}

/// Returns the status of an object, without the rest of it.
fn status_of(object: &Value) -> Value {
    json!({ "status": object.get("status") })
}

fn whole(object: &Value, title: &str) -> String {
    diff::values((&normal(object.clone()), title), (&json!({}), "sent"))
}

fn shown(body: &PatchBody) -> String {
    match body {
        PatchBody::Text(text) => text.clone(),
        PatchBody::Json(value) => value.to_string(),
    }
}

fn extra_text(step: &LedgerRequest) -> String {
    let target = &step.sent.target;
    let below = if target.subresource.is_empty() { String::new() } else { format!(" (subresource {})", target.subresource) };
    let sort = if step.sort == Sort::Other { target.verb.as_str() } else { step.sort.as_str() };
    let title = format!("Extra {sort} {}{below}", step.address);
    match step.sort {
        Sort::Status => {
            let before = normal(status_of(&step.before.clone().unwrap_or_default()));
            let after = normal(status_of(&step.after()));
            format!("{title}\n{}", diff::values((&before, "last known state"), (&after, "sent")))
        }
        Sort::Update => {
            let before = normal(step.before.clone().unwrap_or_default());
            format!("{title}\n{}", diff::values((&before, "last known state"), (&normal(step.sent.body.clone()), "sent")))
        }
        _ if step.sent.body.is_null() => title,
        _ => format!("{title}\n{}", diff::values((&json!({}), "expected"), (&step.sent.body, "sent"))),
    }
}

fn differs(lines: &mut Vec<String>, what: &str, expected: &str, found: &str) {
    if expected != found {
        lines.push(format!("{what}: expected {expected:?}, found {found:?}"));
    }
}

fn joined(title: &str, lines: Vec<String>, rest: Option<String>) -> Option<String> {
    match (lines.is_empty(), rest) {
        (true, rest) => rest,
        (false, None) => Some(format!("{title}\n{}\n", lines.join("\n"))),
        (false, Some(rest)) => Some(format!("{rest}{}\n", lines.join("\n"))),
    }
}

/// Compares a patch with the one that the framework makes of the object before the request.
fn finalizer(
    title: &str,
    step: &LedgerRequest,
    name: &str,
    patch: fn(&Value, &FinalizerName) -> Option<Value>,
) -> Option<String> {
    let (sent, before) = (&step.sent, step.before.clone().unwrap_or_default());
    let expected = match FinalizerName::unqualified(name) {
        Ok(name) => patch(&before, &name).unwrap_or_default(),
        Err(error) => return Some(format!("{title}: {error}")),
    };
    let mut lines = Vec::new();
    differs(&mut lines, "type", PatchKind::Json.content_type(), &sent.content_type);
    let body =
        (expected != sent.body).then(|| format!("{title}\n{}", diff::values((&expected, "expected"), (&sent.body, "sent"))));
    joined(title, lines, body)
}

fn deletion(title: &str, delete: &Delete, sent: &Sent) -> Option<String> {
    let text = |pointer: &str| sent.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let in_query = sent.parameter("propagationPolicy");
    let propagation = if in_query.is_empty() { text("/propagationPolicy") } else { in_query };
    let mut lines = Vec::new();
    let stated = [
        ("propagation", &delete.propagation, propagation),
        ("uid", &delete.uid, text("/preconditions/uid")),
        ("resource version", &delete.resource_version, text("/preconditions/resourceVersion")),
    ];
    for (what, expected, found) in stated {
        if let Some(expected) = expected {
            differs(&mut lines, what, expected, &found);
        }
    }
    joined(title, lines, None)
}
