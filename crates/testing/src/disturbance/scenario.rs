//! Scenarios as data.

use std::fmt;
use std::time::Duration;

use kubewright_apiserver::middleware::journal::Records;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::operator::{Operator, RunningOperator};
use serde_json::Value;

use super::{Hand, Pace};
use crate::TestCluster;

/// An operator, and the steps in its cluster.
#[allow(async_fn_in_trait)] // runs stay on their threads
pub trait Scenario: Sync {
    /// The name in reports.
    fn name(&self) -> &str;

    /// One in so many runs is played by default. Default: 1, all of them. A scenario that combines behaviours of others needs fewer runs.
    fn one_in(&self) -> usize {
        1
    }

    /// The longest time that the operator lets pass before it looks again at what it waits for. After a fault it may come to that wait once more, on top
    /// of the longest back-off. Default: none, for operators that go by events.
    fn poll(&self) -> Duration {
        Duration::ZERO
    }

    /// The kind of reconciler. Default: the engine of components.
    fn pace(&self) -> Pace {
        Pace::Component
    }

    /// The operator, for each of its processes.
    fn operator(&self) -> Operator;

    /// Prepares the cluster before the operator starts for the first time: definitions, for instance those of the operator.
    async fn install(&self, cluster: &TestCluster);

    /// The undisturbed steps before the disturbances begin, in a test with this namespace.
    fn before(&self, namespace: &str) -> Vec<Step>;

    /// The steps under the disturbances.
    fn steps(&self, namespace: &str) -> Vec<Step>;

    /// Whether the operator may write an object that a step created. By default such an object belongs to another writer and must stay as it
    /// is.
    fn may_write(&self, steps: &[Step], object: &Value) -> bool {
        let _ = (steps, object);
        false
    }

    /// Plays controllers and users that act of themselves: called after every change in the cluster.
    async fn play_others(&self, hand: &Hand) -> Result<(), String> {
        let _ = hand;
        Ok(())
    }

    /// All objects that count at the end.
    async fn left(&self, hand: &Hand) -> Result<Vec<Value>, String>;

    /// What of an object that is left must be the same in all runs. Its identity, its versions and times are gone, `metadata.managers` says who
    /// manages it. By default all but the status.
    fn comparable(&self, live: &Value, object: Value) -> Value {
        let _ = live;
        let mut object = object;
        if let Some(fields) = object.as_object_mut() {
            fields.remove("status");
        }
        object
    }

    /// Texts of an object that are computed from the namespace: where each run has its own they count as equal.
    fn computed(&self, live: &Value) -> Vec<String> {
        let _ = live;
        Vec::new()
    }

    /// Whether a run was in order besides: all its requests, and the operator at its end.
    fn check(&self, requests: &Records, operator: Option<&RunningOperator>) -> Result<(), String> {
        let _ = (requests, operator);
        Ok(())
    }
}

/// One act of a user or of another controller, or a state that must be reached.
pub enum Step {
    /// A user or another controller creates an object.
    Create(Value),
    /// The user creates an object, or changes its spec.
    Set(Value),
    /// The user deletes an object.
    Delete(Value),
    /// A user or another controller deletes an object, which need not be there at the end.
    Remove(Value),
    /// A user or another controller makes a merge patch on an object, once it is there.
    Edit(Value, Value),
    /// Another writer makes the same merge patch so many times, each time after the fields of the object have been corrected.
    Contest(Value, Value, usize),
    /// The object comes to this state.
    Until(Value, String, fn(&Value, &str) -> bool),
    /// The object goes away.
    Gone(Value),
    /// The operator is not there.
    Stop,
    /// The operator is there again.
    Start,
}

impl fmt::Debug for Step {
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
pub(super) fn strangers(scenario: &impl Scenario, steps: &[Step]) -> Vec<Value> {
    let created = steps.iter().filter_map(|step| match step {
        Step::Create(object) => Some(object),
        _ => None,
    });
    created.filter(|object| !scenario.may_write(steps, object)).cloned().collect()
}
