//! The known states of the objects of a row, request by request.

use std::collections::BTreeMap;

use kubewright_machinery::patch::{json_patch, merge_patch_as_servers_do};
use kubewright_middleware::Verb;
use kubewright_runtime::cluster::PatchKind;
use serde_json::{Value, json};

use super::address::ObjectAddress;
use super::expected::Sort;
use super::wire::Sent;

/// A request with the known state of its object before it.
#[derive(Debug)]
pub(super) struct LedgerRequest {
    pub(super) sent: Sent,
    pub(super) sort: Sort,
    /// The address of the object. For a create it includes the name that the object got.
    pub(super) address: ObjectAddress,
    pub(super) before: Option<Value>,
}

impl LedgerRequest {
    /// Returns the object after the request: the one in the answer, or the one that the request would have stored if it failed.
    pub(super) fn after(&self) -> Value {
        if let Some(answer) = &self.sent.answer {
            return answer.clone();
        }
        let mut object = self.before.clone().unwrap_or_else(|| json!({}));
        let body = &self.sent.body;
        if self.sent.target.verb != Verb::Patch || self.sent.is_apply() {
            return body.clone();
        }
        if self.sent.content_type == PatchKind::Json.content_type() {
            // A patch that cannot be applied changes nothing.
            drop(json_patch(&mut object, body));
        } else {
            merge_patch_as_servers_do(&mut object, body);
        }
        object
    }
}

/// Follows the requests of a row, and returns each with the state of its object before it, and the last known states.
pub(super) fn follow(
    mut known: BTreeMap<ObjectAddress, Value>,
    sent: Vec<Sent>,
) -> (Vec<LedgerRequest>, BTreeMap<ObjectAddress, Value>) {
    let mut steps = Vec::new();
    for sent in sent {
        let mut address = ObjectAddress::of(&sent.target);
        if sent.target.verb == Verb::Create {
            let name = |object: &Value| object.pointer("/metadata/name").and_then(Value::as_str).map(str::to_owned);
            let name = sent.answer.as_ref().and_then(name).or_else(|| name(&sent.body));
            address = address.named(&name.unwrap_or_default());
        }
        let before = known.get(&address).cloned();
        match (sent.target.verb, &sent.answer) {
            (_, Some(answer)) if answer.get("metadata").is_some_and(|metadata| metadata.get("name").is_some()) => {
                known.insert(address.clone(), answer.clone());
            }
            (Verb::Delete, Some(_)) => drop(known.remove(&address)),
            _ => {}
        }
        steps.push(LedgerRequest { sort: sort_of(&sent), sent, address, before });
    }
    (steps, known)
}

fn sort_of(sent: &Sent) -> Sort {
    match (sent.target.verb, sent.target.subresource.as_str()) {
        (Verb::Create, "") => Sort::Create,
        (Verb::Update, "") => Sort::Update,
        (Verb::Update | Verb::Patch, "status") => Sort::Status,
        (Verb::Patch, "") if sent.is_apply() => Sort::Apply,
        (Verb::Patch, _) if !sent.is_apply() => Sort::Patch,
        (Verb::Delete, "") => Sort::Delete,
        (Verb::DeleteCollection, "") => Sort::DeleteCollection,
        _ => Sort::Other,
    }
}
