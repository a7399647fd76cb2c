//! What replicas did, as the embedded server saw it: who wrote without leading, and how often objects came and went.

use std::collections::BTreeMap;

use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::{Record, Records};
use kubewright_apiserver::store::EventKind;
use kubewright_machinery::object::ObjectExt as _;

use super::normal::ANY;

/// Resources that every replica may write.
pub(super) const UNLED: [&str; 2] = ["leases", "events"];

/// The writes that reached the server while another replica held the lease, or none after a release. `agents` is what the user agents of the
/// replicas begin with.
pub(super) fn unled_writes(server: &Records, agents: &str) -> Vec<String> {
    let mut holder: Option<&str> = None;
    let mut found = Vec::new();
    for record in server.iter().filter(|record| record.is_write() && record.user_agent.starts_with(agents)) {
        let Some(of) = record.target.resource() else { continue };
        if of.resource == "leases" && record.status().is_some_and(|code| code < 300) {
            let is_held = record.body.as_ref().is_some_and(|lease| lease["spec"]["holderIdentity"] != "");
            holder = is_held.then_some(record.user_agent.as_str());
        } else if !UNLED.contains(&of.resource.as_str()) && holder != Some(record.user_agent.as_str()) {
            found.push(format!("{record} while {} holds the lease", holder.unwrap_or("no replica")));
        }
    }
    found
}

/// How often each object was created and deleted by operators. Objects with generated names count together.
pub(super) fn births_and_deaths(server: &Records, agents: &str, namespace: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut generated: BTreeMap<String, String> = BTreeMap::new();
    for record in server.iter().filter(|record| record.is_write() && record.user_agent.starts_with(agents)) {
        for change in record.changes.iter().filter(|change| is_target(record, change)) {
            let object = change.object.to_string();
            let what = match change.kind {
                EventKind::Added => {
                    let prefix = change.difference["metadata"]["generateName"].as_str();
                    if let Some(prefix) = prefix.filter(|_| !change.difference.name().is_empty()) {
                        generated.insert(object.clone(), format!("{} {prefix}…", change.object.resource.plural));
                    }
                    "created"
                }
                EventKind::Deleted => "deleted",
                EventKind::Modified => continue,
            };
            let object = generated.get(&object).cloned().unwrap_or(object).replace(namespace, ANY);
            *counts.entry(format!("{object} was {what}")).or_insert(0) += 1;
        }
    }
    counts
}

/// Whether a change is that of the object that the request names, not what followed from it.
fn is_target(record: &Record, change: &kubewright_apiserver::middleware::journal::ChangedObject) -> bool {
    let Some(of) = record.target.resource() else { return false };
    let resource = &change.object.resource;
    !UNLED.contains(&of.resource.as_str())
        && of.resource == *resource.plural
        && (of.verb == Verb::Create || of.name == *change.object.name.name)
}
