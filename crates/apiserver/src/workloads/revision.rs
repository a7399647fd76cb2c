//! ControllerRevisions: the current and past templates of StatefulSets and DaemonSets.

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use super::plan::WorkloadPlan;
use super::read::{at, int, text};
use super::template;

pub(super) const HASH_LABEL: &str = "controller.kubernetes.io/hash";
pub(super) const POD_LABEL: &str = "controller-revision-hash";

/// The revisions of a workload; `present` is that of its current template.
#[derive(Debug)]
pub(super) struct RevisionHistory<'a> {
    present: Present<'a>,
    all: Vec<&'a Value>,
}

#[derive(Debug)]
enum Present<'a> {
    Stored(&'a Value),
    /// A revision that is still to be created.
    New(Value),
}

impl<'a> RevisionHistory<'a> {
    pub(super) fn of(workload: &Value, owned: &[&'a Value]) -> Self {
        let mut all = owned.to_vec();
        all.sort_by_key(|revision| int(revision, "/revision"));
        let wanted = at(workload, "/spec/template");
        let stored =
            all.iter().rev().find(|revision| template::is_same(at(revision, "/data/spec/template"), &marked(wanted), ""));
        let present = match stored {
            Some(stored) => Present::Stored(stored),
            None => Present::New(create(workload, &all)),
        };
        Self { present, all }
    }

    /// Returns the revision of the current template.
    pub(super) fn present(&self) -> &Value {
        match &self.present {
            Present::Stored(stored) => stored,
            Present::New(new) => new,
        }
    }

    /// Creates the current revision if it is new, and makes it the newest if the workload returned to an older one.
    pub(super) fn keep(&self, plan: &mut WorkloadPlan) {
        match &self.present {
            Present::New(new) => plan.create(new.clone()),
            Present::Stored(stored) => {
                let newest = self.all.last().map_or(0, |revision| int(revision, "/revision"));
                if int(stored, "/revision") < newest {
                    plan.patch(stored, json!({"revision": newest + 1}));
                }
            }
        }
    }

    /// Returns the template of the revision of this name.
    pub(super) fn template(&self, name: &str) -> Option<&Value> {
        self.all.iter().find(|revision| revision.name() == name).map(|revision| at(revision, "/data/spec/template"))
    }

    /// Deletes the oldest unused revisions beyond the limit.
    pub(super) fn clean_up(&self, workload: &Value, in_use: impl Fn(&Value) -> bool, plan: &mut WorkloadPlan) {
        let limit = at(workload, "/spec/revisionHistoryLimit").as_u64().unwrap_or(10) as usize;
        let present = self.present().name();
        let unused: Vec<&&Value> = self.all.iter().filter(|revision| revision.name() != present && !in_use(revision)).collect();
        let surplus = unused.len().saturating_sub(limit);
        unused[..surplus].iter().for_each(|revision| plan.delete(revision));
    }
}

/// Returns the hash in the name of a revision.
pub(super) fn hash_of(revision: &Value) -> &str {
    revision.label(HASH_LABEL).unwrap_or_default()
}

fn create(workload: &Value, all: &[&Value]) -> Value {
    let template = at(workload, "/spec/template");
    let mut collisions = int(workload, "/status/collisionCount");
    let name_for = |hash: &str| format!("{}-{hash}", workload.name());
    let mut hash = template::hash(template, collisions);
    while all.iter().any(|revision| revision.name() == name_for(&hash)) {
        collisions += 1;
        hash = template::hash(template, collisions);
    }
    let mut revision = json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name_for(&hash),
            "namespace": workload.namespace(),
            "ownerReferences": [template::owner_reference(workload)],
        },
        "data": {"spec": {"template": marked(template)}},
        "revision": all.last().map_or(0, |newest| int(newest, "/revision")) + 1,
    });
    for (key, value) in template.labels() {
        revision.set_label(key, value.as_str().unwrap_or_default());
    }
    revision.set_label(HASH_LABEL, hash);
    revision
}

/// Returns the template in the form of a revision: a patch that replaces the whole template.
fn marked(template: &Value) -> Value {
    let mut marked = template.clone();
    if text(&marked, "/$patch").is_empty() {
        marked["$patch"] = "replace".into();
    }
    marked
}

/// Returns the template of a revision in the form from which pods are created.
pub(super) fn unmarked(template: &Value) -> Value {
    let mut unmarked = template.clone();
    if let Some(members) = unmarked.as_object_mut() {
        members.remove("$patch");
    }
    unmarked
}
