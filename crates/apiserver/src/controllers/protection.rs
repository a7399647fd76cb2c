//! Protection of claims while a pod uses them, volumes while they are bound, and attributes classes while a claim or volume names them (CTL-9).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::Value;

use super::backlog::Backlog;
use super::by_item::ByItem;
use crate::admission;
use crate::api::Writer;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, Snapshot, StoreEvent};

/// Adds the protection finalizer where it is missing, and removes it from objects that are being deleted and no longer used.
#[derive(Clone, Debug)]
pub(super) struct Protection {
    name: &'static str,
    kept: ProtectedKind,
    pending: Backlog<ObjectName>,
}

/// The protected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProtectedKind {
    Claims,
    Volumes,
    Classes,
}

impl ProtectedKind {
    /// Returns the group and plural of the protected kind.
    fn resource(self) -> (&'static str, &'static str) {
        match self {
            Self::Claims => ("", CLAIMS),
            Self::Volumes => ("", VOLUMES),
            Self::Classes => ("storage.k8s.io", "volumeattributesclasses"),
        }
    }

    fn is_used(self, snapshot: &Snapshot, object: &Value) -> bool {
        match self {
            Self::Claims => is_used(snapshot, object),
            Self::Volumes => object["status"]["phase"] == "Bound",
            Self::Classes => [CLAIMS, VOLUMES].iter().any(|plural| {
                let resource = Resource::new("", plural);
                snapshot.list(&resource, None).any(|(_, stored)| classes_of(stored.value()).any(|class| class == object.name()))
            }),
        }
    }
}

const CLAIMS: &str = "persistentvolumeclaims";
const VOLUMES: &str = "persistentvolumes";

impl Protection {
    /// Returns the controller for claims.
    pub(super) fn of_claims() -> Self {
        Self::new("pvc-protection-controller", ProtectedKind::Claims)
    }

    /// Returns the controller for volumes.
    pub(super) fn of_volumes() -> Self {
        Self::new("pv-protection-controller", ProtectedKind::Volumes)
    }

    /// Returns the controller for volume attributes classes.
    pub(super) fn of_classes() -> Self {
        Self::new("volumeattributesclass-protection-controller", ProtectedKind::Classes)
    }

    fn new(name: &'static str, kept: ProtectedKind) -> Self {
        Self { name, kept, pending: Backlog::default() }
    }

    fn finalizer(&self) -> &'static str {
        let (group, plural) = self.kept.resource();
        admission::finalizer_of(group, plural).unwrap_or_default()
    }

    /// Returns true if the object lacks its finalizer, or may lose it.
    fn is_concerned(&self, object: &Value) -> bool {
        object.deletion_timestamp().is_some() == object.has_finalizer(self.finalizer())
    }
}

impl ByItem for Protection {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        self.name
    }

    fn observe(&self, event: &StoreEvent) {
        let (group, plural) = self.kept.resource();
        if event.object.resource.is(group, plural) {
            match &event.current {
                Some(stored) if self.is_concerned(stored.value()) => self.pending.add(event.object.name.clone()),
                Some(_) => {}
                None => self.pending.forget(&event.object.name),
            }
        } else if self.kept == ProtectedKind::Classes
            && [CLAIMS, VOLUMES].iter().any(|plural| event.object.resource.is("", plural))
        {
            let named = event.previous.iter().flat_map(|stored| classes_of(stored.value()));
            self.pending.extend(named.map(|class| ObjectName::new("", class)));
        } else if self.kept == ProtectedKind::Claims && event.object.resource.is("", "pods") {
            // The claims of a pod become free when it is deleted or ends.
            for pod in event.previous.iter().chain(&event.current) {
                let used = claims_of(pod.value()).map(|(claim, _)| ObjectName::new(pod.value().namespace(), &claim));
                self.pending.extend(used);
            }
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, name: &ObjectName) -> Result<bool, Status> {
        let snapshot = writer.snapshot();
        let (group, plural) = self.kept.resource();
        let (resource, finalizer) = (Resource::new(group, plural), self.finalizer());
        let Some(stored) = snapshot.get(&resource, name).filter(|stored| self.is_concerned(stored.value())) else {
            return Ok(false);
        };
        let goes = stored.value().deletion_timestamp().is_some();
        if goes && self.kept.is_used(&snapshot, stored.value()) {
            return Ok(false);
        }
        let change = |object: &mut Value| {
            if object.deletion_timestamp().is_none() {
                object.add_finalizer(finalizer);
            } else {
                object.remove_finalizer(finalizer);
            }
        };
        writer.modify(&resource, name, Endpoint::Main, change).await?;
        Ok(true)
    }
}

/// Returns the classes that a claim or a volume names: the requested, the current and the target one of a modification.
fn classes_of(user: &Value) -> impl Iterator<Item = &str> {
    let (spec, status) = (&user["spec"], &user["status"]);
    let all = [
        &spec["volumeAttributesClassName"],
        &status["currentVolumeAttributesClassName"],
        &status["modifyVolumeStatus"]["targetVolumeAttributesClassName"],
    ];
    all.into_iter().filter_map(Value::as_str).filter(|class| !class.is_empty())
}

/// Returns the claims that a pod names; the flag is true for claims made for the pod.
fn claims_of(pod: &Value) -> impl Iterator<Item = (String, bool)> {
    let volumes = pod.pointer("/spec/volumes").and_then(Value::as_array);
    volumes.into_iter().flatten().filter_map(|volume| {
        if let Some(claim) = volume["persistentVolumeClaim"]["claimName"].as_str() {
            return Some((claim.to_owned(), false));
        }
        let name = volume["name"].as_str().filter(|_| volume["ephemeral"].is_object())?;
        Some((format!("{}-{name}", pod.name()), true))
    })
}

/// Returns true if a pod on a node uses the claim. A pod that is not scheduled yet does not count, since scheduling fails once the claim is being
/// deleted.
fn is_used(snapshot: &Snapshot, claim: &Value) -> bool {
    let pods = Resource::new("", "pods");
    snapshot.list(&pods, Some(claim.namespace())).map(|(_, stored)| stored.value()).any(|pod| {
        let is_scheduled = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
        // The node has already stopped the pod.
        let is_over = pod.deletion_timestamp().is_some() && pod["metadata"]["deletionGracePeriodSeconds"] == 0;
        let is_own = || claim.controller().is_some_and(|owner| owner.uid == pod.uid());
        is_scheduled && claims_of(pod).any(|(name, made_for_it)| name == claim.name() && (!made_for_it || !is_over && is_own()))
    })
}
