use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use kubewright_core::component::ComponentStatus;
use kubewright_core::dependents::RequestPurpose;
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_runtime::cluster::ApiError;
use kubewright_runtime::metrics;
use kubewright_runtime::targets::{ClusterStatistics, TargetMetrics};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::labels::{ControllerSeriesLabels, ErrorLabels, OperationLabels};
use super::observation::{ClusterCollector, Observations, UnusualObservations};
use super::standings::{KindStandings, Standings};

/// The metrics of all component types of an operator; registered once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Families {
    errors: Family<ErrorLabels, Counter>,
    operations: Family<OperationLabels, Counter>,
    standings: Standings,
    drift: Family<ControllerSeriesLabels, Counter>,
    conflicts: Family<ControllerSeriesLabels, Counter>,
    renders: Family<ControllerSeriesLabels, Counter>,
    differing_renders: Family<ControllerSeriesLabels, Counter>,
    crd_outdated: Family<ControllerSeriesLabels, Gauge>,
    observations: Observations,
}

/// Registers the metrics of components.
pub(crate) fn register(registry: &metrics::Metrics) -> Families {
    let families = Families::default();
    registry.register(
        "reconcile_errors",
        "Requests about dependents that failed, and passes that failed otherwise",
        families.errors.clone(),
    );
    registry.register("operations", "Requests about dependents", families.operations.clone());
    registry.register_collector(Box::new(families.standings.clone()));
    registry.register("drift_corrections", "Writes that restored fields that another program changed", families.drift.clone());
    registry.register("conflict_retries", "Writes that met a newer version", families.conflicts.clone());
    registry.register("renders", "Renderings", families.renders.clone());
    registry.register(
        "nondeterministic_renders",
        "Renderings that differed though their input did not",
        families.differing_renders.clone(),
    );
    registry.register(
        "crd_outdated",
        "Whether the server would drop fields of the status that this operator writes",
        families.crd_outdated.clone(),
    );
    registry.register_collector(Box::new(ClusterCollector(families.observations.clone())));
    families
}

/// The metrics of one component type.
#[derive(Clone, Debug)]
pub(crate) struct ComponentMetrics {
    families: Families,
    controller: Arc<str>,
    standings: Arc<KindStandings>,
}

impl ComponentMetrics {
    pub(crate) fn new(families: Families, controller: Arc<str>, kind: GroupKind) -> Self {
        let standings = families.standings.of_kind(Arc::clone(&controller), kind);
        Self { families, controller, standings }
    }

    /// Adds the clusters that this type uses to the metrics.
    pub(crate) fn watch_clusters(&self, registry: &metrics::Metrics, statistics: Weak<dyn ClusterStatistics>) {
        self.families.observations.add(Arc::clone(&self.controller), Weak::clone(&statistics));
        TargetMetrics::of(registry).add(Arc::clone(&self.controller), statistics);
    }

    /// Records the observation of the dependents' cluster by a pass.
    pub(crate) fn observed(&self, key: &Key, seen: UnusualObservations) {
        self.families.observations.set(&self.controller, key, seen);
    }

    /// Returns a probe that fails while types are polled, with their names.
    pub(crate) fn polling_probe(&self) -> impl Fn() -> Result<(), String> + Send + Sync + use<> {
        let (observations, controller) = (self.families.observations.clone(), Arc::clone(&self.controller));
        move || {
            let polled = observations.polled(&controller);
            let line = |(cluster, types): (&String, &BTreeSet<String>)| {
                format!("{} in {cluster}", types.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
            };
            if polled.is_empty() { Ok(()) } else { Err(polled.iter().map(line).collect::<Vec<_>>().join("; ")) }
        }
    }

    pub(crate) fn crd_is_outdated(&self, outdated: bool) {
        self.families.crd_outdated.get_or_create(&self.controller()).set(i64::from(outdated));
    }

    pub(crate) fn rendered(&self) {
        self.families.renders.get_or_create(&self.controller()).inc();
    }

    pub(crate) fn rendered_differently(&self) {
        self.families.differing_renders.get_or_create(&self.controller()).inc();
    }

    /// Counts a failed pass, with the status code of the API server's answer that it failed with. A conflict is not counted: it is retried.
    pub(crate) fn failed(&self, code: Option<u16>) {
        if code == Some(409) {
            return;
        }
        let kind = code.map_or_else(|| "other".to_owned(), |code| code.to_string());
        self.families.errors.get_or_create(&ErrorLabels { controller: self.controller.to_string(), r#type: kind }).inc();
    }

    /// Counts the answer to a request about a dependent, and returns true if it counts as an error. A lost race and an absent object are no
    /// errors, because the pass continues with them.
    pub(crate) fn sent(&self, purpose: RequestPurpose, corrective: bool, error: Option<&ApiError>, lost_race: bool) -> bool {
        let labels = OperationLabels { controller: self.controller.to_string(), action: purpose.operation() };
        self.families.operations.get_or_create(&labels).inc();
        match error {
            None if corrective && matches!(purpose, RequestPurpose::Update | RequestPurpose::Recreate) => {
                self.families.drift.get_or_create(&self.controller()).inc();
            }
            None => {}
            Some(error) if lost_race || error.is_conflict() || error.is_already_exists() => {
                self.families.conflicts.get_or_create(&self.controller()).inc();
            }
            Some(error) if error.is_not_found() || matches!(error, ApiError::LeadershipLost { .. }) => {}
            Some(error) => {
                self.failed(error.code());
                return true;
            }
        }
        false
    }

    /// Records the state of a component at the end of a pass.
    pub(crate) fn recorded(&self, key: &Key, status: &ComponentStatus) {
        self.standings.set(key, status);
    }

    /// Removes the series of a component that is gone (MET-1).
    pub(crate) fn forget(&self, key: &Key) {
        self.standings.forget(key);
        self.families.observations.forget(&self.controller, key);
    }

    fn controller(&self) -> ControllerSeriesLabels {
        ControllerSeriesLabels { controller: self.controller.to_string() }
    }
}
