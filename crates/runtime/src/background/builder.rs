use std::fmt;

use super::BackgroundTask;
use super::registration::TaskRegistration;
use crate::inject::Constructor;
use crate::operator::Operator;

/// Adds background tasks to an operator.
pub trait TaskExt: Into<Operator> + Sized {
    /// Adds the background task that this constructor makes: sync or async, with up to 12 arguments that are injected, and a task or a `Result` of
    /// one. Its name is a DNS subdomain, unique among tasks and controllers.
    fn task<T: BackgroundTask, M>(self, name: impl Into<String>, constructor: impl Constructor<T, M>) -> OperatorTask<T> {
        let task = TaskRegistration { name: name.into(), agent: None, constructor: constructor.boxed() };
        OperatorTask { operator: self.into(), task }
    }
}

impl<O: Into<Operator>> TaskExt for O {}

/// An operator with a background task whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorTask<T: BackgroundTask> {
    operator: Operator,
    task: TaskRegistration<T>,
}

impl<T: BackgroundTask> OperatorTask<T> {
    /// The reporter of the events that the task records. Default: its name.
    pub fn agent(mut self, agent: impl Into<String>) -> Self {
        self.task.agent = Some(agent.into());
        self
    }
}

impl<T: BackgroundTask> From<OperatorTask<T>> for Operator {
    fn from(built: OperatorTask<T>) -> Self {
        built.operator.register(Box::new(built.task))
    }
}

impl<T: BackgroundTask> fmt::Debug for OperatorTask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorTask").field("name", &self.task.name).finish_non_exhaustive()
    }
}
