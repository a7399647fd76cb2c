//! Three controllers and a task in one operator, of which several replicas share the work: teams, their accesses, and reports about both.
//!
//! | | Does |
//! |---|---|
//! | [`Teams`] | gives each team a service account |
//! | [`Accesses`] | binds members and service account of a team to a role, for accesses of the class `role-binding` only |
//! | [`Reports`] | counts the teams and accesses of its namespace |
//! | the task `expiry` | deletes expired accesses, on one replica at a time |
//!
//! # Shared parts
//!
//! * Teams are watched once: two controllers use the store of teams, and the third one reconciles them.
//! * An access waits until its team has a service account, and is processed again when the team changes. The team may be processed by any
//!   replica: replicas share information only by objects in the cluster.
//! * The objects are divided into three buckets, so that up to three replicas work in parallel; a fourth one stands by.
//!
//! # Try it
//!
//! `cargo run -p multi-controller -- dev` starts an API server and the operator in one process, and installs `sample.yaml`. Then
//!
//! * `kubectl get report summary -o yaml` shows two teams of three people, and two accesses;
//! * `kubectl delete team billing`: its access waits for another team of that name, and its role binding is removed;
//! * `kubectl get access visitor` is gone after a minute.

mod accesses;
mod api;
mod expiry;
mod reports;
mod teams;

pub use accesses::Accesses;
pub use api::{Access, AccessSpec, AccessStatus, CLASS, CLASS_KEY, Report, ReportSpec, ReportStatus, Team, TeamSpec, TeamStatus};
use expiry::Expiry;
use kubewright::prelude::*;
pub use reports::Reports;
pub use teams::Teams;

/// The group of role bindings.
const RBAC: &str = "rbac.authorization.k8s.io";

/// Returns the operator.
pub fn operator() -> Operator {
    Operator::new("teams-operator.demo.kubewright.dev")
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .leadership(Leadership::leases().buckets(3))
        .controller(Teams::new)
        .permissions("", "serviceaccounts", &["create"])
        .controller(Accesses::new)
        .permissions(RBAC, "rolebindings", &["create", "delete", "patch"])
        // Kubernetes refuses bindings to a role by a user without the verb `bind` for it.
        .permissions(RBAC, "clusterroles", &["bind"])
        .controller(Reports::new)
        .leader_task("expiry", Expiry::new)
        .permissions("teams.demo.kubewright.dev", "accesses", &["delete"])
        .into()
}
