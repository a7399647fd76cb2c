//! Deletion of components whose dependents are left in place (DEL-10).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kubewright_core::dependents::Item;
use kubewright_core::flow::{Halt, Wait};
use kubewright_core::manifest::keys;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster};
use kubewright_runtime::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
use serde_json::Value;

use super::end::{EnginePassEnd, Step};
use super::finish::{PhaseResult, UnrecordedPass};
use super::pass::EnginePass;
use super::resolve_references::ResolvedInputs;
use crate::hooks::Point;
use crate::targets::DependentsTarget;

/// The time limit for removing the operator's finalizer from all abandoned types.
const RELEASE: Duration = Duration::from_secs(10);
/// The time limit of a single request for that.
const ANSWER: Duration = Duration::from_secs(4);
/// The number of kinds, or objects, that an event names.
const SHOWN: usize = 10;

/// A pass of a component that is being deleted and whose dependents are left in place.
pub(super) struct AbandonedPass<'a> {
    pub(super) pass: EnginePass<'a>,
    pub(super) inputs: ResolvedInputs,
    pub(super) cause: Abandonment,
}

/// The cause why dependents are left in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abandonment {
    /// An annotation asks for it.
    Asked,
    /// The target cannot be reached any more, because its kubeconfig is gone for good.
    TargetLost,
}

impl<'a> AbandonedPass<'a> {
    /// Releases the dependents, then the component.
    pub(super) async fn delete(mut self) -> PhaseResult<'a, Box<UnrecordedPass<'a>>> {
        match self.abandon_and_release().await {
            Ok(end) => Ok(self.pass.end(end, self.inputs.reached())),
            Err(end) => Err(self.pass.end(*end, self.inputs.reached())),
        }
    }

    async fn abandon_and_release(&mut self) -> Step<EnginePassEnd> {
        self.pass.run_hooks(Point::PostRead, &self.inputs, None).await?;
        self.pass.run_hooks(Point::PreDelete, &self.inputs, None).await?;
        self.abandon().await;
        self.pass.release(&self.inputs, None).await
    }

    /// Releases the dependents, and reports it once, however many passes the deletion takes (EVT-2).
    async fn abandon(&mut self) {
        drop(self.pass.shared.leftovers.take(self.pass.key));
        if std::mem::replace(&mut self.pass.memory.told_abandonment, true) {
            return;
        }
        let held = self.release_types().await;
        let inventory = &self.pass.draft.component.inventory;
        let (count, kinds) = (inventory.len(), counted(inventory.items()));
        let mut note = if self.cause == Abandonment::Asked {
            format!("{count} dependents are abandoned, as the annotation {} asks{kinds}", self.pass.abandon_key())
        } else {
            format!(
                "{count} dependents of {} are left where they are: the secret with their kubeconfig is gone with its namespace{kinds}",
                self.pass.key
            )
        };
        if !held.is_empty() {
            let finalizer = self.pass.shared.finalizer();
            let _ = write!(note, "; remove the finalizer {finalizer} before you delete {}", listed(&held));
        }
        if self.cause == Abandonment::Asked {
            self.pass.shared.events.warning(&self.pass.object, "DependentsAbandoned", note);
        } else if count > 0 {
            self.pass.warn_of_the_end("DependentsAbandoned", note, self.inputs.ending_namespace.as_ref());
        }
    }

    /// Removes the operator's finalizer from abandoned types, so that a later deletion of them does not hang. Returns those that keep it, with
    /// the cause.
    async fn release_types(&self) -> Vec<String> {
        let types: Vec<(&Item, ApiResource)> =
            self.pass.draft.component.inventory.items().iter().filter_map(|item| Some((item, resource_of(item)?))).collect();
        if types.is_empty() {
            return Vec::new();
        }
        let title = |item: &Item| format!("{} {}", item.kind, item.name);
        let Some(target) = self.last_target().await else {
            return types.iter().map(|(item, _)| title(item)).collect();
        };
        let cluster = target.cluster();
        let releases = types.iter().map(|(item, resource)| async move {
            let released = self.pass.release_type(cluster, resource, &item.name);
            match cluster.clock().limit(RELEASE, released).await {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(format!("{} ({error})", title(item))),
                Err(_) => Some(format!("{} (no answer within {} s)", title(item), RELEASE.as_secs())),
            }
        });
        join_all(releases).await.into_iter().flatten().collect()
    }

    /// Returns the target of the abandoned dependents, if it is known.
    async fn last_target(&self) -> Option<Arc<DependentsTarget>> {
        let (targets, settings) = (&self.pass.shared.targets, &self.inputs.component.settings);
        let kubeconfig = self.inputs.contents.secret(&settings.kube_config);
        if settings.kube_config.is_some() && kubeconfig.is_none() {
            return targets.known(self.pass.key);
        }
        targets.select(self.pass.key, kubeconfig, settings.impersonation.as_ref()).await.ok()
    }
}

impl EnginePass<'_> {
    /// Returns true if an annotation asks to leave the dependents in place.
    pub(super) fn abandons(&self) -> bool {
        self.object.annotation(&self.abandon_key()) == Some("true")
    }

    fn abandon_key(&self) -> String {
        self.shared.operator.key(keys::ABANDON_DEPENDENTS)
    }

    /// Appends a hint for a user who deletes a component: how to end a wait for an object that may never return (TGT-7).
    pub(super) fn with_way_out(&self, gone: &str, message: String) -> String {
        if !self.is_deleting() {
            return message;
        }
        let key = self.abandon_key();
        format!("{message} (if {gone} is gone for good, annotate the object with {key}=true to leave its dependents)")
    }

    /// Appends the same hint to a wait of user code.
    pub(super) fn halt_with_way_out(&self, halt: Halt) -> Halt {
        match halt {
            Halt::Wait(wait) => {
                let text = self.with_way_out("it", wait.text());
                Halt::Wait(Wait::message(wait, text))
            }
            other => other,
        }
    }

    /// Records an event on the namespace, because a namespace that is being deleted accepts no events on the objects in it.
    pub(super) fn warn_of_the_end(&self, reason: &'static str, note: String, namespace: Option<&Value>) {
        tracing::warn!(component = %self.key, reason, "{note}");
        if let Some(namespace) = namespace {
            self.shared.events.warning(namespace, reason, note);
        }
    }

    async fn release_type(&self, cluster: &Cluster, resource: &ApiResource, name: &str) -> Result<(), ApiError> {
        let (owner, key) = (self.shared.owner(self.key), self.shared.operator.owner_key());
        let is_foreign = |live: &Value| live.label(&key).is_some_and(|hash| hash != owner.hash());
        let live = match cluster.send(&ApiRequest::get(resource, "", name).deadline(ANSWER).at_once()).await {
            Err(error) if error.is_not_found() => return Ok(()),
            answer => answer?,
        };
        if is_foreign(&live) {
            return Ok(());
        }
        let shared = self.shared;
        let manager = Arc::clone(&shared.self_manager);
        let writer = FinalizerWriter::new(
            cluster.clone(),
            Arc::new(resource.clone()),
            manager,
            shared.finalizer().clone(),
            &shared.timing,
        );
        match writer.hurried(ANSWER).remove(&live, RemovalGuard::Anyhow, |live| !is_foreign(live)).await? {
            FinalizerOutcome::Overtaken(error) => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the type of an item that carries the operator's finalizer: a definition or an API service.
fn resource_of(item: &Item) -> Option<ApiResource> {
    let plural = match (item.group.as_str(), item.kind.as_str()) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => "customresourcedefinitions",
        ("apiregistration.k8s.io", "APIService") => "apiservices",
        _ => return None,
    };
    Some(ApiResource::known(&GroupVersionKind::new(&item.group, "v1", &item.kind), plural, false))
}

/// Returns the number of objects of each kind as text.
fn counted(items: &[Item]) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for item in items {
        *kinds.entry(&item.kind).or_default() += 1;
    }
    let texts: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if texts.is_empty() { String::new() } else { format!(": {}", listed(&texts)) }
}

fn listed(texts: &[String]) -> String {
    let more = texts.len().saturating_sub(SHOWN);
    let shown = texts[..texts.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
