//! Scenarios of disturbance tests, as data.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::journal::Records;
use kubewright_runtime::operator::{Operator, RunningOperator};
use serde_json::Value;

use super::{Hand, Pace};
use crate::TestCluster;

/// A scenario: an operator, and the steps in its cluster.
#[allow(async_fn_in_trait)] // runs stay on their threads
pub trait Scenario: Sync {
    /// Returns the name in reports.
    fn name(&self) -> &str;

    /// Returns the sampling of the runs: one in this many is played by default. Default: 1, all of them. A scenario that combines
    /// the behaviour of others needs fewer runs.
    fn one_in(&self) -> usize {
        1
    }

    /// Returns the longest time that the operator lets pass before it checks an object that it waits for. After a fault this wait may come on top of
    /// the longest back-off. Default: zero, for operators that react to events.
    fn poll(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the kind of reconciler. Default: the engine of components.
    fn pace(&self) -> Pace {
        Pace::Component
    }

    /// Creates the operator, once for each of its processes.
    fn operator(&self) -> Operator;

    /// Prepares the cluster before the operator starts for the first time: for instance installs CRDs, such as those of the operator.
    async fn install(&self, cluster: &TestCluster);

    /// Returns the undisturbed steps before the disturbances begin, in a test with this namespace.
    fn before(&self, namespace: &str) -> Vec<ScenarioStep>;

    /// Returns the steps that are played under the disturbances.
    fn steps(&self, namespace: &str) -> Vec<ScenarioStep>;

    /// Returns true if the operator may write an object that a step created. By default such an object belongs to another writer and must stay unchanged.
    fn may_write(&self, steps: &[ScenarioStep], object: &Value) -> bool {
        let _ = (steps, object);
        false
    }

    /// Plays controllers and users that act on their own. Called after every change in the cluster.
    async fn play_others(&self, hand: &Hand) -> Result<(), String> {
        let _ = hand;
        Ok(())
    }

    /// Returns all objects that are compared at the end.
    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String>;

    /// Returns the part of a remaining object that must be the same in all runs. `object` comes without identity, versions and times; its
    /// `metadata.managers` lists the field managers. By default everything but the status is compared.
    fn comparable(&self, live: &Value, object: Value) -> Value {
        let _ = live;
        let mut object = object;
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        object
    }

    /// Returns the texts of an object that are computed from the namespace. They count as equal when each run has a namespace of its own.
    fn computed(&self, live: &Value) -> Vec<String> {
        let _ = live;
        Vec::new()
    }

    /// Checks all requests of a run, and the operator at its end. Default: no further checks.
    fn check(&self, requests: &Records, operator: Option<&RunningOperator>) -> Result<(), String> {
        let _ = (requests, operator);
        Ok(())
    }
}

/// An action of a user or of another controller, or a state that must be reached.
pub enum ScenarioStep {
    /// A user or another controller creates an object, which the operator must not write by default.
    Create(Value),
    /// A user creates an object, or changes its spec.
    Set(Value),
    /// A user deletes an object.
    Delete(Value),
    /// A user or another controller deletes an object that may be absent at the end.
    Remove(Value),
    /// A user or another controller sends a merge patch of an object, once the object exists.
    Edit(Value, Value),
    /// Another writer sends the same merge patch this many times, each time after the fields of the object have been corrected.
    Contest(Value, Value, usize),
    /// The object reaches this state.
    Until(Value, String, fn(&Value, &str) -> bool),
    /// The object is gone.
    Gone(Value),
    /// The operator is stopped.
    Stop,
    /// The operator is started again.
    Start,
}

impl fmt::Debug for ScenarioStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create(object) => write!(f, "create {}", object.title()),
            Self::Set(object) => write!(f, "set {}", object.title()),
            Self::Delete(object) | Self::Remove(object) => write!(f, "delete {}", object.title()),
            Self::Edit(object, _) => write!(f, "edit {}", object.title()),
            Self::Contest(object, _, times) => write!(f, "edit {} {times} times", object.title()),
            Self::Until(object, state, _) => write!(f, "until {} {state}", object.title()),
            Self::Gone(object) => write!(f, "until {} gone", object.title()),
            Self::Stop => f.write_str("stop the operator"),
            Self::Start => f.write_str("start the operator"),
        }
    }
}

/// Returns the objects that other writers created and the operator may not write.
pub(super) fn strangers(scenario: &impl Scenario, steps: &[ScenarioStep]) -> Vec<Value> {
    let created = steps.iter().filter_map(|step| match step {
        ScenarioStep::Create(object) => Some(object),
        _ => None,
    });
    created.filter(|object| !scenario.may_write(steps, object)).cloned().collect()
}
