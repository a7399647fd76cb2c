use kubewright_core::child::{ChildSituation, Decision, LastWrite, UpdateRate, decide};
use kubewright_core::flow::{Blocked, Event, Failure, Flow, Halt};
use kubewright_core::precondition::{only_change, only_create};
use kubewright_machinery::object::{ObjectExt as _, Propagation};
use serde_json::Value;

use super::request::{ChildRequest, PreparedChild};
use super::{ChildChange, ChildPass};
use crate::cluster::{ApiError, ApiRequest, PatchKind};

impl ChildPass {
    /// Brings a child into its desired state, with one write at most (KID-8).
    pub(super) async fn ensure(&self, request: ChildRequest) -> Flow<(Value, ChildChange)> {
        let child = request.prepare(self)?;
        self.uses(child.target.object_key());
        let live = self.live(&child.target).await?;
        let decision = self.decide(&request, &child, live.as_ref());
        tracing::debug!(child = %child.target.title(), ?decision, "decided about a child");
        if request.is_helper {
            self.children.memory.add_helper(self.key(), child.target.object_key(), child.target.clone());
        }
        let title = child.target.title();
        match (decision, live) {
            (Decision::Create, _) => Ok((self.create(&child).await?, ChildChange::Created)),
            (Decision::Apply, Some(live)) => self.apply(&request, child, &live).await,
            (Decision::MarkOrphan(patch), Some(live)) => {
                Ok((self.adopt_orphan(&child, patch, &live).await?, ChildChange::Updated))
            }
            (Decision::Recreate(uid), Some(live)) => Err(self.replace(&child, &uid, &live).await?),
            (Decision::Unchanged, Some(live)) => Ok((live, ChildChange::Unchanged)),
            (Decision::Held, Some(live)) => {
                self.holds_back(title);
                Ok((live, ChildChange::Held))
            }
            (Decision::Terminating, Some(live)) => {
                let message = format!("{title} is being deleted");
                Err(self.wait("ChildTerminating", message, &child.target, &live))
            }
            (Decision::FormerOwner, Some(live)) => {
                let message = format!("{title} belongs to a former {}; it is removed by garbage collection", self.owner.gvk.kind);
                Err(self.wait("ChildOfFormerOwner", message, &child.target, &live))
            }
            (Decision::Conflict(owner), Some(_)) => Blocked::new("NameConflict", name_conflict(&title, owner.as_deref())).into(),
            (_, live) => Ok((live.unwrap_or(child.desired), ChildChange::Skipped)),
        }
    }

    fn decide(&self, request: &ChildRequest, child: &PreparedChild, live: Option<&Value>) -> Decision {
        let marks = &self.children.marks;
        let (hash_annotation, orphan_label) = (marks.applied_hash(), marks.orphan());
        self.children.memory.of(self.key(), &child.target.object_key(), |memory| {
            decide(&ChildSituation {
                desired: &child.desired,
                digest: &child.digest,
                live,
                owner: &self.owner,
                strategy: request.strategy,
                adopt: request.adopt,
                gate: request.gate,
                last: memory.last.as_ref(),
                skips_absent: request.skips_absent,
                hash_annotation: &hash_annotation,
                orphan_label: &orphan_label,
            })
        })
    }

    /// Sends an apply that can only create, so that an object that took the name meanwhile is read before it is changed.
    async fn create(&self, child: &PreparedChild) -> Result<Value, Failure> {
        let mut body = child.desired.clone();
        only_create(&mut body);
        let sent = self.send(child, PatchKind::Apply, &body).await;
        let exists = sent.as_ref().is_err_and(|error| error.is_conflict() || error.is_already_exists());
        let key = child.target.object_key();
        self.children.memory.of(self.key(), &key, |memory| memory.was_met = exists);
        match sent {
            Ok(answer) => {
                self.remember(child, &answer);
                Ok(answer)
            }
            Err(error) if exists => Err(Failure::unclassified(error).reason("AlreadyExists")),
            Err(error) => Err(Failure::unclassified(error)),
        }
    }

    async fn apply(&self, request: &ChildRequest, child: PreparedChild, live: &Value) -> Flow<(Value, ChildChange)> {
        let mut body = child.desired.clone();
        only_change(&mut body, live.uid());
        match self.send(&child, PatchKind::Apply, &body).await {
            Ok(answer) => {
                self.remember(&child, &answer);
                if answer.resource_version() == live.resource_version() {
                    return Ok((answer, ChildChange::Unchanged));
                }
                self.note_update(&child);
                Ok((answer, ChildChange::Updated))
            }
            Err(error) if request.skips_absent && self.is_gone(&child, &error).await? => {
                Ok((child.desired, ChildChange::Skipped))
            }
            Err(error) => Err(Failure::unclassified(error).into()),
        }
    }

    /// Returns true if a refused write met no object.
    async fn is_gone(&self, child: &PreparedChild, refusal: &ApiError) -> Result<bool, Failure> {
        if refusal.is_not_found() {
            return Ok(true);
        }
        if !refusal.is_conflict() {
            return Ok(false);
        }
        let read = ApiRequest::get(&child.target.resource, child.target.key.namespace(), child.target.key.name());
        match self.children.cluster.send(&read).await {
            Ok(_) => Ok(false),
            Err(error) if error.is_not_found() => Ok(true),
            Err(error) => Err(Failure::unclassified(error)),
        }
    }

    /// Marks an object that a user provided, and changes no other field of it.
    async fn adopt_orphan(&self, child: &PreparedChild, mut patch: Value, live: &Value) -> Result<Value, Failure> {
        patch.metadata_mut().insert("resourceVersion".to_owned(), live.resource_version().into());
        self.send(child, PatchKind::Merge, &patch).await.map_err(Failure::unclassified)
    }

    /// Deletes a child that cannot be changed. Returns the wait for its end.
    async fn replace(&self, child: &PreparedChild, uid: &str, live: &Value) -> Result<Halt, Failure> {
        let (namespace, name) = (child.target.key.namespace(), child.target.key.name());
        let resource = &child.target.resource;
        let delete = ApiRequest::delete_exactly(resource, (namespace, name), (uid, None), Propagation::Background);
        match self.children.cluster.write(resource, &delete).await {
            Ok(_) => self.children.memory.forget_child(self.key(), &child.target.object_key()),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(Failure::unclassified(error)),
        }
        let message = format!("{} is deleted, to be created anew", child.target.title());
        Ok(self.wait("Recreating", message, &child.target, live))
    }

    async fn send(&self, child: &PreparedChild, kind: PatchKind, body: &Value) -> Result<Value, ApiError> {
        let (resource, key) = (&child.target.resource, &child.target.key);
        let request = ApiRequest::patch(resource, key.namespace(), key.name(), kind, body).field_manager(&child.manager);
        let request = if kind == PatchKind::Apply { request.force() } else { request };
        self.children.cluster.write(resource, &request).await
    }

    fn remember(&self, child: &PreparedChild, answer: &Value) {
        let key = child.target.object_key();
        self.children.memory.of(self.key(), &key, |memory| memory.last = Some(LastWrite::new(child.digest.as_str(), answer)));
    }

    /// Counts an update, and warns of a child that is updated repeatedly (KID-18).
    fn note_update(&self, child: &PreparedChild) {
        let (now, limits) = (self.children.cluster.clock().moment(), self.children.timing.get().hot_loop);
        let key = child.target.object_key();
        let rate = self.children.memory.of(self.key(), &key, |memory| memory.updates.updated(self.generation, now, &limits));
        if rate == UpdateRate::Fine {
            return;
        }
        self.children.count_hot_loop();
        if rate == UpdateRate::Alarming {
            let note = format!(
                "{} was updated more than {} times in {} s; does another writer undo the updates?",
                child.target.title(),
                limits.updates,
                limits.window.as_secs()
            );
            self.children.recorder.record(&self.reference, Event::warning("HotLoop", note));
        }
    }
}

fn name_conflict(title: &str, owner: Option<&str>) -> String {
    match owner {
        Some(owner) => format!("{title} belongs to {owner}; rename one of the two"),
        None => format!("{title} exists without an owner and must not be adopted; delete or rename it"),
    }
}
