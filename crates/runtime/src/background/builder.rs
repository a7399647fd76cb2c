use std::fmt;

use super::registration::TaskRegistration;
use super::{BackgroundTask, LeaderTask};
use crate::inject::Constructor;
use crate::operator::{Operator, Rule};

/// Adds background tasks to an operator.
pub trait TaskExt: Into<Operator> + Sized {
    /// Adds a background task that runs on every replica. The constructor is sync or async, has up to 12 arguments that are injected, and returns a task or a
    /// `Result` of one. The name is a DNS subdomain, unique among tasks and controllers.
    fn task<T: BackgroundTask, M>(self, name: impl Into<String>, constructor: impl Constructor<T, M>) -> OperatorTask<T> {
        let task = TaskRegistration::on_every_replica(name.into(), constructor.boxed());
        OperatorTask { operator: self.into(), task }
    }

    /// Adds a background task that one replica runs at a time: the leader of the task's bucket, which the hash of its name chooses among those of the
    /// operator (LDR-6). If each controller has an election of its own, the task has one, too. Without leadership the task runs at once. The constructor and
    /// the name follow the rules of [`task`](Self::task).
    fn leader_task<T: LeaderTask, M>(self, name: impl Into<String>, constructor: impl Constructor<T, M>) -> OperatorTask<T> {
        let task = TaskRegistration::in_terms(name.into(), constructor.boxed());
        OperatorTask { operator: self.into(), task }
    }
}

impl<O: Into<Operator>> TaskExt for O {}

/// An operator with a background task whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorTask<T: Send + Sync + 'static> {
    operator: Operator,
    task: TaskRegistration<T>,
}

impl<T: Send + Sync + 'static> OperatorTask<T> {
    /// Sets the reporter of the events that the task records. Default: the name of the task.
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.task.agent = Some(agent.into());
        self
    }

    /// Declares a permission that the task needs for its own requests: these verbs on the resources of a group, in the plural. The commands `rbac` and
    /// `deploy` print it, and a start without it fails with a message that names it. The permissions of stores are known without a call. Call this method
    /// once for each resource.
    pub fn permissions(mut self, group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        self.task.permissions.push(Rule::new(group, resource, verbs));
        self
    }
}

impl<T: Send + Sync + 'static> From<OperatorTask<T>> for Operator {
    fn from(built: OperatorTask<T>) -> Self {
        built.operator.register(Box::new(built.task))
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for OperatorTask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorTask").field("name", &self.task.name).finish_non_exhaustive()
    }
}
