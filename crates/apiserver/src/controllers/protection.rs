//! Claims stay while a pod uses them, and volumes while they are bound (CTL-9).

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::{backlog::Backlog, by_item::ByItem};
use crate::{
    admission,
    kinds::Endpoint,
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource, Snapshot},
};

/// Puts the finalizer that keeps an object where it is missing, and takes it away from what is being deleted and used by nobody.
#[derive(Clone, Debug)]
pub(super) struct Protection {
    name: &'static str,
    plural: &'static str,
    pending: Backlog<ObjectName>,
}

impl Protection {
    /// For claims.
    pub(super) fn of_claims() -> Self {
        Self { name: "pvc-protection-controller", plural: "persistentvolumeclaims", pending: Backlog::default() }
    }

    /// For volumes.
    pub(super) fn of_volumes() -> Self {
        Self { name: "pv-protection-controller", plural: "persistentvolumes", pending: Backlog::default() }
    }

    fn is_of_claims(&self) -> bool {
        self.plural == "persistentvolumeclaims"
    }

    fn finalizer(&self) -> &'static str {
        admission::finalizer_of("", self.plural).unwrap_or_default()
    }

    /// Whether the object lacks its finalizer, or may lose it.
    fn is_concerned(&self, object: &Value) -> bool {
        object.deletion_timestamp().is_some() == object.has_finalizer(self.finalizer())
    }
}

impl ByItem for Protection {
    type Item = ObjectName;

    fn name(&self) -> &'static str {
        self.name
    }

    fn observe(&self, event: &Event) {
        if event.object.resource.is("", self.plural) {
            match &event.current {
                Some(stored) if self.is_concerned(stored.value()) => self.pending.add(event.object.name.clone()),
                Some(_) => {}
                None => self.pending.forget(&event.object.name),
            }
        } else if self.is_of_claims() && event.object.resource.is("", "pods") {
            // What a pod used is free when it goes, or ends.
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
        let (resource, finalizer) = (Resource::new("", self.plural), self.finalizer());
        let Some(stored) = snapshot.get(&resource, name).filter(|stored| self.is_concerned(stored.value())) else {
            return Ok(false);
        };
        let goes = stored.value().deletion_timestamp().is_some();
        let in_use =
            if self.is_of_claims() { is_used(&snapshot, stored.value()) } else { stored.value()["status"]["phase"] == "Bound" };
        if goes && in_use {
            return Ok(false);
        }
        let change = |object: &mut Value| {
            if object.deletion_timestamp().is_none() {
                admission::add_finalizer(object, finalizer);
            } else if let Some(finalizers) = object.metadata_mut().get_mut("finalizers").and_then(Value::as_array_mut) {
                finalizers.retain(|present| present != finalizer);
            }
        };
        writer.modify(&resource, name, Endpoint::Main, change).await?;
        Ok(true)
    }
}

/// The claims that a pod names, and whether they were made for it.
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

/// Whether a pod on a node uses the claim. One that waits for a node finds out itself that the claim goes.
fn is_used(snapshot: &Snapshot, claim: &Value) -> bool {
    let pods = Resource::new("", "pods");
    snapshot.list(&pods, Some(claim.namespace())).map(|(_, stored)| stored.value()).any(|pod| {
        let is_placed = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
        // The node is done with it.
        let is_over = pod.deletion_timestamp().is_some() && pod["metadata"]["deletionGracePeriodSeconds"] == 0;
        let is_own = || claim.controller().is_some_and(|owner| owner.uid == pod.uid());
        is_placed && claims_of(pod).any(|(name, made_for_it)| name == claim.name() && (!made_for_it || !is_over && is_own()))
    })
}
