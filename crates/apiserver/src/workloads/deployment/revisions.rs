//! The ReplicaSets of a Deployment, by revision.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::status::{max_surge, wanted};
use crate::workloads::read::{at, created, int};
use crate::workloads::template;

pub(super) const HASH_LABEL: &str = "pod-template-hash";
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAXIMUM: &str = "deployment.kubernetes.io/max-replicas";
/// The annotations of a Deployment that are not copied to its ReplicaSets.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    "deployment.kubernetes.io/revision-history",
    DESIRED,
    MAXIMUM,
    "deprecated.deployment.rollback.to",
];

/// The ReplicaSets of a Deployment: the one of its current template, and the old ones, oldest first.
#[derive(Debug)]
pub(super) struct Revisions<'a> {
    pub(super) new: Option<&'a Value>,
    pub(super) old: Vec<&'a Value>,
}

impl<'a> Revisions<'a> {
    pub(super) fn of(deployment: &Value, owned: &[&'a Value]) -> Self {
        let mut sets = owned.to_vec();
        sets.sort_by_key(|set| (created(set), set.name().to_owned()));
        let present = at(deployment, "/spec/template");
        let new = sets.iter().position(|set| template::is_same(at(set, "/spec/template"), present, HASH_LABEL));
        let new = new.map(|index| sets.remove(index));
        Self { new, old: sets }
    }

    /// Returns all ReplicaSets.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Value> {
        self.old.iter().copied().chain(self.new)
    }

    /// Returns the old ReplicaSets with replicas.
    pub(super) fn active_old(&self) -> impl Iterator<Item = &'a Value> {
        self.old.iter().copied().filter(|set| int(set, "/spec/replicas") > 0)
    }

    /// Returns the number of the current revision.
    pub(super) fn number(&self) -> i64 {
        let newest_old = self.old.iter().map(|set| revision(set)).max().unwrap_or_default();
        match self.new.map(revision) {
            Some(number) if number > newest_old => number,
            _ => newest_old + 1,
        }
    }

    /// Returns the ReplicaSet to be created for the current template.
    pub(super) fn create(&self, deployment: &Value, replicas: i64) -> Value {
        let mut collisions = int(deployment, "/status/collisionCount");
        let name_for = |hash: &str| format!("{}-{hash}", deployment.name());
        let mut hash = template::hash(at(deployment, "/spec/template"), collisions);
        // An old ReplicaSet of another template may have the name.
        while self.old.iter().any(|set| set.name() == name_for(&hash)) {
            collisions += 1;
            hash = template::hash(at(deployment, "/spec/template"), collisions);
        }
        let mut pod_template = at(deployment, "/spec/template").clone();
        pod_template.set_label(HASH_LABEL, hash.as_str());
        let mut selector = at(deployment, "/spec/selector").clone();
        selector["matchLabels"][HASH_LABEL] = hash.as_str().into();
        let mut set = json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": name_for(&hash),
                "namespace": deployment.namespace(),
                "labels": at(&pod_template, "/metadata/labels"),
                "ownerReferences": [template::owner_reference(deployment)],
            },
            "spec": {"replicas": replicas, "selector": selector, "template": pod_template},
        });
        if int(deployment, "/spec/minReadySeconds") > 0 {
            set["spec"]["minReadySeconds"] = at(deployment, "/spec/minReadySeconds").clone();
        }
        for (key, value) in annotations(deployment, self.number()) {
            set.set_annotation(key, value);
        }
        set
    }
}

/// Returns the annotations of the current ReplicaSet.
pub(super) fn annotations(deployment: &Value, revision: i64) -> Vec<(String, String)> {
    let own = deployment.annotations().iter().filter(|(key, _)| !NOT_COPIED.contains(&key.as_str()));
    let mut annotations: Vec<(String, String)> =
        own.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect();
    annotations.push((REVISION.to_owned(), revision.to_string()));
    annotations.extend(sizes(deployment));
    annotations
}

/// Returns the annotations with the sizes of the Deployment, which its ReplicaSets carry.
pub(super) fn sizes(deployment: &Value) -> [(String, String); 2] {
    let wanted = wanted(deployment);
    [(DESIRED.to_owned(), wanted.to_string()), (MAXIMUM.to_owned(), (wanted + max_surge(deployment)).to_string())]
}

/// Returns the revision number of a ReplicaSet.
pub(super) fn revision(set: &Value) -> i64 {
    set.annotation(REVISION).and_then(|number| number.parse().ok()).unwrap_or_default()
}
