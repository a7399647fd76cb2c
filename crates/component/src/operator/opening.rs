//! The construction of the engine for one type of owners.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kubewright_core::dependents::{KindRule, ProjectionContext};
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::BoxError;
use kubewright_core::manifest::OperatorName;
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, Cluster, ConnectError};
use kubewright_runtime::events::Recorder;
use kubewright_runtime::operator::OperatorContext;
use serde_json::Value;

use super::EngineOptions;
use crate::events::ComponentEvents;
use crate::lookups::Lookups;
use crate::metrics::{ComponentMetrics, register};
use crate::observe::Notify;
use crate::reconciler::{Leftovers, Memories, SharedPassState};
use crate::references::ReferenceWatches;
use crate::targets::{TargetFactory, TargetRegistry};

/// The parts from which the engine for one type of owners is constructed.
pub(crate) struct EngineOpening<'a> {
    pub(crate) context: &'a OperatorContext,
    /// The name of the controller in metrics and checks.
    pub(crate) controller: &'a str,
    /// The name of the operator.
    pub(crate) operator: &'a str,
    /// The name of the type, which is the prefix of its marks (OPT-1a).
    pub(crate) name: OperatorName,
    pub(crate) resource: Arc<ApiResource>,
    pub(crate) finalizer: FinalizerName,
    pub(crate) is_hosted: bool,
    pub(crate) options: &'a EngineOptions,
    pub(crate) readiness: BTreeMap<GroupKind, KindRule>,
    /// The cluster with the controller's client.
    pub(crate) cluster: Cluster,
    /// The cluster with the client for the owners themselves and for the code of the operator's author.
    pub(crate) own: Cluster,
    pub(crate) recorder: Recorder,
    pub(crate) notify: Notify,
}

impl EngineOpening<'_> {
    /// Constructs the engine. No request is sent; [`SharedPassState::know_cluster`] sets the identity of the cluster later.
    pub(crate) fn open(self) -> Result<SharedPassState, BoxError> {
        let Self { context, controller, options, cluster, notify, .. } = self;
        if options.default_service_account.is_some() && cluster.acts_as_another() {
            return Err(ConnectError::ActsAsAnother { cluster: cluster.name().to_owned() }.into());
        }
        // The finalizer's name is a wire format, so users cannot follow the warning's advice to choose another one.
        let finalizer = self.finalizer.as_str();
        cluster.expect_warning(format!("metadata.finalizers: {finalizer:?}: prefer a domain-qualified finalizer name"));
        let field_manager: Arc<str> = options.field_manager.as_deref().unwrap_or(self.name.as_str()).into();
        let projection = Arc::new(ProjectionContext {
            operator: self.name.clone(),
            field_manager: field_manager.to_string(),
            reclaimed_managers: options.reclaimed_managers.clone(),
            kind_rules: self.readiness,
        });
        let self_manager = format!("{field_manager}/self").into();
        let targets = TargetRegistry::new(TargetFactory {
            operator: self.operator.to_owned(),
            cluster: cluster.clone(),
            tasks: context.tasks.clone(),
            projection: Arc::clone(&projection),
            notify: Arc::clone(&notify),
            recorder: self.recorder.clone(),
            field_manager,
            parallel: options.parallel_requests,
            allow_exec: options.allow_exec_credentials,
            connector: context.state(),
        });
        let others = targets.clone();
        context.checks.note(format!("targets of {controller}"), move || {
            let problems = others.problems();
            if problems.is_empty() { Ok(()) } else { Err(problems.join(", ")) }
        })?;
        let metrics = ComponentMetrics::new(context.metrics.shared(register), controller.into(), self.resource.group_kind());
        metrics.watch_clusters(&context.metrics, targets.statistics());
        context.checks.note(format!("polled types of {controller}"), metrics.polling_probe())?;
        Ok(SharedPassState {
            finalizer: self.finalizer,
            is_hosted: self.is_hosted,
            timing: context.timing.clone(),
            self_manager,
            resource: self.resource,
            cluster_id: OnceLock::new(),
            lookups: Lookups::new(cluster.clone(), targets.clone(), context.tasks.clone(), Arc::clone(&notify)),
            targets,
            references: ReferenceWatches::new(cluster.clone(), context.tasks.clone(), notify),
            projection,
            defaults: options.defaults(),
            events: ComponentEvents::new(self.recorder, &self.name, options.dependent_events),
            metrics,
            memories: Memories::default(),
            leftovers: Leftovers::default(),
            operator: self.name,
            started: cluster.clock().now(),
            cluster: self.own,
        })
    }
}

/// Returns the request that reads the identity of a cluster (OPT-1).
pub(crate) fn identity_request() -> ApiRequest {
    let namespaces = ApiResource::known(&GroupVersionKind::new("", "v1", "Namespace"), "namespaces", false);
    ApiRequest::get(&namespaces, "", "kube-system")
}

/// Returns the identity of a cluster: the UID of the namespace `kube-system`.
pub(crate) fn identity_of(answer: &Value) -> String {
    answer.uid().to_owned()
}
