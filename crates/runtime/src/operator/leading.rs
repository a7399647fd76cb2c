//! The leadership of an operator while it runs.

use std::future;
use std::sync::Arc;

use kubewright_core::config::FromConfigMap as _;
use kubewright_core::lease::LeaderElection;
use kubewright_machinery::object::GroupVersionKind;
use serde_json::Value;
use tokio::sync::watch;

use super::{OperatorContext, OperatorError, OperatorOptions, OperatorPhase};
use crate::cluster::{ApiRequest, ApiResource, cluster_domain};
use crate::controller::Runner;
use crate::leadership::{ElectionInputs, Elections, LeadershipState, OperatorIdentity, TaskTerms};
use crate::task::Panic;

/// The leadership of an operator: its elections, if it has any, and the buckets that it leads.
pub(super) struct OperatorLeadership {
    state: watch::Sender<LeadershipState>,
    /// The elections; None without leadership.
    elections: Option<Elections>,
    /// The receiver of the ConfigMap's values, which reports changes since the start.
    configuration: Option<watch::Receiver<Arc<LeaderElection>>>,
}

impl OperatorLeadership {
    pub(super) fn new() -> Self {
        Self { state: watch::Sender::default(), elections: None, configuration: None }
    }

    /// Returns the receiver of the buckets that this replica leads, which follows the elections.
    pub(super) fn state(&self) -> watch::Receiver<LeadershipState> {
        self.state.subscribe()
    }

    /// Creates the elections of these controllers and tasks as the options and the ConfigMap configure them. Controllers that are constructed with the
    /// context afterwards have buckets.
    pub(super) async fn prepare(
        &mut self,
        context: &mut OperatorContext,
        options: &OperatorOptions,
        parts: &[String],
    ) -> Result<(), OperatorError> {
        let Some(sharing) = options.leadership.sharing() else { return Ok(()) };
        let config = context.configs.current().get::<LeaderElection>().unwrap_or_else(|| Arc::new(sharing.base.clone()));
        self.configuration = context.configs.channel::<LeaderElection>().map(|channel| channel.subscribe());
        let replicas = match sharing.unknown_stateful_set() {
            Some(name) => Some(replicas_of(context, name).await?),
            None => None,
        };
        let map = options.config_leader_election.clone().unwrap_or_else(|| LeaderElection::NAME.to_owned());
        let domain = cluster_domain();
        let identity = OperatorIdentity {
            operator: &context.operator,
            parts,
            namespace: &context.system_namespace,
            cluster_domain: &domain,
        };
        let plan = sharing
            .plan(&identity, &config, replicas)
            .map_err(|problem| OperatorError::Configuration { config_map: map.clone(), problem })?;
        let plan = Arc::new(plan);
        context.plan = Some(Arc::clone(&plan));
        let configs = context.configs.clone();
        let is_outdated = move || configs.current().get::<LeaderElection>().is_some_and(|current| current != config);
        context
            .checks
            .note(LeaderElection::NAME, move || if is_outdated() { Err(outdated(&map)) } else { Ok(()) })
            .map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        let state = self.state();
        context
            .checks
            .note("leases", move || state.borrow().overlap_problem().map_or(Ok(()), Err))
            .map_err(|error| OperatorError::Invalid(vec![error.to_string()]))?;
        let inputs = ElectionInputs {
            cluster: context.cluster.clone(),
            tasks: context.tasks.clone(),
            namespace: Arc::clone(&context.system_namespace),
            instance: Arc::clone(&context.instance),
            label_domain: context.formats.label_domain().into(),
            metrics: context.metrics.clone(),
            state: self.state.clone(),
        };
        self.elections = Some(Elections::new(plan, inputs));
        Ok(())
    }

    /// Waits until each bucket of these controllers and leader tasks has been tried for. Without leadership this replica leads all keys at once.
    pub(super) async fn campaign(&mut self, controllers: &[Runner], tasks: &[TaskTerms]) {
        match &mut self.elections {
            Some(elections) => elections.campaign(controllers, tasks).await,
            None => _ = self.state.send_replace(LeadershipState::everything()),
        }
    }

    /// Returns `Leading` if this replica leads a bucket, else `Standby`.
    pub(super) fn phase(&self) -> OperatorPhase {
        if self.state.borrow().leads_any() { OperatorPhase::Leading } else { OperatorPhase::Standby }
    }

    /// Waits until the phase may differ from that of `state`, which was followed until now. An election that has failed is an error, because without it the
    /// replica would stand by for ever.
    pub(super) async fn changed(&mut self, state: &mut watch::Receiver<LeadershipState>) -> Result<(), OperatorError> {
        loop {
            tokio::select! {
                // The sender is in `self`, so the wait cannot fail.
                _ = state.changed() => return Ok(()),
                () = told(self.configuration.as_mut()) => tracing::warn!("{}", outdated(LeaderElection::NAME)),
                panic = failed(self.elections.as_mut()) => return Err(panic.into()),
            }
        }
    }

    /// Begins to release all leases, each as soon as no pass of its bucket runs.
    pub(super) fn stop(&self) {
        if let Some(elections) = &self.elections {
            elections.stop();
        }
    }

    /// Waits until all leases have been released.
    pub(super) async fn released(&mut self) {
        if let Some(elections) = &mut self.elections {
            elections.released().await;
        }
    }
}

fn outdated(map: &str) -> String {
    format!("the ConfigMap {map} has changed since the start: it takes effect when the operator starts again")
}

/// Waits for the failure of an election; without one it never ends.
async fn failed(elections: Option<&mut Elections>) -> Panic {
    match elections {
        Some(elections) => elections.failed().await,
        None => future::pending().await,
    }
}

/// Waits for the next change of a configuration; without one it never ends.
async fn told<T>(configuration: Option<&mut watch::Receiver<T>>) {
    let is_told = match configuration {
        Some(configuration) => configuration.changed().await.is_ok(),
        None => false,
    };
    if !is_told {
        future::pending().await
    }
}

/// Returns the number of replicas of the StatefulSet to which the operator belongs.
async fn replicas_of(context: &OperatorContext, name: &str) -> Result<u32, OperatorError> {
    let kind = GroupVersionKind::new("apps", "v1", "StatefulSet");
    let request = ApiRequest::get(&ApiResource::known(&kind, "statefulsets", true), &context.system_namespace, name);
    let found = context.ask(&request).await.map_err(|source| OperatorError::StatefulSet { name: name.to_owned(), source })?;
    // API servers store 1 for an absent field.
    let replicas = found.pointer("/spec/replicas").and_then(Value::as_u64).unwrap_or(1);
    Ok(u32::try_from(replicas).unwrap_or(u32::MAX))
}
