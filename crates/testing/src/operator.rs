//! Operators under test.

use std::sync::Arc;
use std::time::Duration;

use kube::core::GroupVersionKind;
use kubewright_runtime::clock::Random;
use kubewright_runtime::cluster::{ApiRequest, ApiResource};
use kubewright_runtime::leadership::Leadership;
use kubewright_runtime::operator::{Operator, OperatorError, RunningOperator};
use serde_json::Value;

use crate::TestCluster;
use crate::cluster::fail;

/// The time limit for an operator to work or to end, and for a type to be served.
const START_LIMIT: Duration = Duration::from_secs(150);
/// Pause between two checks of the operator.
const POLL: Duration = Duration::from_millis(50);

/// An operator that runs on a test cluster.
#[derive(Debug)]
#[must_use = "an operator runs on until it is stopped or killed"]
pub struct TestOperator {
    /// The name of the operator.
    name: String,
    /// The name of this replica; `None` for an operator that was started alone, without leadership.
    replica: Option<String>,
    running: RunningOperator,
}

impl TestCluster {
    /// Installs the CRDs of an operator, starts it, and returns when it works. On a cluster that tests share, the operator keeps to the namespace of the test.
    pub async fn run(&self, operator: impl Into<Operator>) -> TestOperator {
        let operator = operator.into();
        self.install_crds(&operator).await;
        self.working(self.start_operator(operator).await).await
    }

    /// Installs the CRDs of an operator, starts this many replicas of it, and returns when all of them work or stand by. They share the work as the
    /// operator's [`Leadership`] defines. `operator` makes one replica. Replicas are called `replica-0`, `replica-1` and so on in leases and events,
    /// and their user agents are `<operator>/replica-0` and so on, so that faults can be for one of them.
    pub async fn run_replicas(&self, count: usize, operator: impl Fn() -> Operator) -> Vec<TestOperator> {
        self.install_crds(&operator()).await;
        let mut replicas = Vec::new();
        for number in 0..count {
            replicas.push(self.start_replica(operator(), &format!("replica-{number}")).await);
        }
        let mut working = Vec::new();
        for replica in replicas {
            working.push(self.working(replica).await);
        }
        working
    }

    /// Starts one more replica of an operator whose CRDs are installed, and returns when it works or stands by.
    pub async fn run_replica(&self, operator: impl Into<Operator>, replica: &str) -> TestOperator {
        self.working(self.start_replica(operator, replica).await).await
    }

    /// Starts a replica whose user agent is `<operator>/<replica>`, without waiting for it: for a replica whose start must fail or wait.
    pub async fn start_replica(&self, operator: impl Into<Operator>, replica: &str) -> TestOperator {
        let operator = operator.into();
        let agent = format!("{}/{replica}", operator.name());
        let operator = operator.options(|options| {
            options.instance = Some(replica.to_owned());
            options.user_agent = Some(agent);
        });
        let mut operator = self.start_with_client(operator, self.operator_client(None).await);
        operator.replica = Some(replica.to_owned());
        operator
    }

    /// Installs the CRDs of an operator, starts it with the rights of this user, and returns when it works. Only a cluster with authorization rejects
    /// requests: see [`TestOptions::rbac`](crate::TestOptions::rbac).
    pub async fn run_as(&self, operator: impl Into<Operator>, user: &str) -> TestOperator {
        let operator = operator.into();
        self.install_crds(&operator).await;
        self.working(self.start_operator_as(operator, user).await).await
    }

    async fn working(&self, operator: TestOperator) -> TestOperator {
        let working = tokio::time::timeout(START_LIMIT, operator.running.working()).await;
        match working {
            Ok(Ok(())) => operator,
            Ok(Err(error)) => self.fail(&format!("failed to start the operator: {error}")),
            Err(_) => self.fail(&format!("failed to start the operator within {START_LIMIT:?}: {}", operator.checks())),
        }
    }

    /// Starts an operator without waiting until it works: for an operator whose requests must fail.
    pub async fn start_operator(&self, operator: impl Into<Operator>) -> TestOperator {
        self.start_with_client(operator.into().leadership(Leadership::off()), self.operator_client(None).await)
    }

    /// Starts an operator with the rights of this user, without waiting until it works.
    pub async fn start_operator_as(&self, operator: impl Into<Operator>, user: &str) -> TestOperator {
        let operator = operator.into().leadership(Leadership::off());
        self.start_with_client(operator, self.operator_client(Some(user)).await)
    }

    fn start_with_client(&self, operator: Operator, client: kube::Client) -> TestOperator {
        let system = self.namespace().to_owned();
        let namespace = self.is_shared().then(|| self.namespace().to_owned());
        let (name, random) = (operator.name().to_owned(), Random::seeded(self.next_seed()));
        let operator = operator.clock(self.clock().clone()).random(random).options(|options| {
            options.admin = None;
            options.system_namespace.get_or_insert(system);
            if let Some(namespace) = namespace {
                options.watch_namespaces = vec![namespace];
            }
        });
        match operator.start(client) {
            Ok(running) => TestOperator { name, replica: None, running },
            Err(error) => self.fail(&format!("failed to start the operator: {error}")),
        }
    }

    /// Installs the CRDs that an operator declares, and waits until they are served and discovery lists their types.
    pub async fn install_crds(&self, operator: &Operator) {
        for crd in operator.declarations().crds() {
            self.install_crd(crd).await;
        }
    }

    /// Installs a CRD, and waits until it is served and discovery lists its types.
    pub async fn install_crd(&self, crd: &Value) {
        let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        self.apply(crd).await;
        let name = crd.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        self.expect_object(&kind, name)
            .matching("it is established", |crd| {
                let conditions = crd.pointer("/status/conditions").and_then(Value::as_array);
                conditions.is_some_and(|all| all.iter().any(|one| one["type"] == "Established" && one["status"] == "True"))
            })
            .await;
        for kind in served(crd) {
            self.until_discovered(&kind).await;
        }
    }

    /// Returns the warnings of the server about the CRDs that an operator prints, by a dry run.
    pub async fn crd_warnings(&self, operator: &Operator) -> Vec<String> {
        let kind = kubewright_machinery::object::GroupVersionKind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        let definitions = ApiResource::known(&kind, "customresourcedefinitions", false);
        let connected = self.connect(self.tasks()).await;
        let mut warnings = Vec::new();
        for crd in operator.declarations().crds() {
            // The dry run uses a new name, since a server sends no warnings about the parts of a CRD that are already stored.
            let mut crd = crd.clone();
            let name = format!("{}.warnings.kubewright.dev", crd["spec"]["names"]["plural"].as_str().unwrap_or_default());
            crd["metadata"]["name"] = name.clone().into();
            crd["spec"]["group"] = "warnings.kubewright.dev".into();
            match connected.exchange(&ApiRequest::create(&definitions, &crd).dry_run()).await {
                Ok(answer) => warnings.extend(answer.warnings),
                Err(error) => self.fail(&format!("failed to try the definition {name}: {error}")),
            }
        }
        warnings
    }

    /// Waits until discovery lists a kind: a real server lists a type a little later than it accepts its CRD.
    pub(crate) async fn until_discovered(&self, kind: &GroupVersionKind) {
        let mut last = None;
        let looking = async {
            while let Err(error) = kube::discovery::pinned_kind(self.client(), kind).await {
                last = Some(error);
                tokio::time::sleep(POLL).await;
            }
        };
        if tokio::time::timeout(START_LIMIT, looking).await.is_err() {
            let last = last.map_or_else(|| "no answer".to_owned(), |error| error.to_string());
            let wanted = format!("{} in {}", kind.kind, kind.api_version());
            self.fail(&format!("expected discovery to tell of {wanted} within {START_LIMIT:?}; last answer: {last}"));
        }
    }
}

/// Returns the types that a CRD serves.
fn served(crd: &Value) -> Vec<GroupVersionKind> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let kind = |version: &Value| {
        GroupVersionKind::gvk(&text(&crd["spec"]["group"]), &text(&version["name"]), &text(&crd["spec"]["names"]["kind"]))
    };
    versions.filter(|version| version["served"] == true).map(kind).collect()
}

impl TestOperator {
    /// Stops the operator in order. Panics if one of its tasks does not end when it is asked to (TCL-8).
    pub async fn stop(self) {
        // The operator's own result is checked only by tests that ask for it.
        let _ = self.running.stop().await;
        let stuck = self.running.stuck_tasks();
        self.running.kill().await;
        if !stuck.is_empty() {
            fail(&format!("Leaked task: {} did not end when the operator was stopped", stuck.join(", ")));
        }
    }

    /// Ends the operator at once, as if its process had been killed.
    pub async fn kill(self) {
        self.running.kill().await;
    }

    /// Waits until the operator ends by itself. Panics if it still runs after 150 s.
    pub async fn ended(&self) -> Result<(), Arc<OperatorError>> {
        match tokio::time::timeout(START_LIMIT, self.running.wait()).await {
            Ok(end) => end,
            Err(_) => fail(&format!("expected the operator to end within {START_LIMIT:?}: {}", self.checks())),
        }
    }

    /// Returns the name of the operator, which all its replicas have.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of this replica; `None` for an operator that was started alone, without leadership.
    pub fn replica(&self) -> Option<&str> {
        self.replica.as_deref()
    }

    /// Returns the running operator: phase, checks, metrics.
    pub fn running(&self) -> &RunningOperator {
        &self.running
    }

    fn checks(&self) -> String {
        format!("it is in phase {:?}", *self.running.phase().borrow())
    }
}
