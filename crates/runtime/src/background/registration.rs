use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::{BackgroundTask, LeaderTask};
use crate::controller::Runner;
use crate::inject::Construct;
use crate::operator::{ConstructedPart, Declarations, OperatorContext, ReadyTask, Registration, RegistrationKind, Rule};

/// A background task as a part of an operator.
pub(super) struct TaskRegistration<T> {
    pub(super) name: String,
    /// The reporter of events, or None for the name of the task.
    pub(super) agent: Option<String>,
    /// The permissions for the task's own requests.
    pub(super) permissions: Vec<Rule>,
    constructor: Box<dyn Construct<T>>,
    ready: MakeReady<T>,
}

/// The function that makes a task ready to run in the context of the operator.
type MakeReady<T> = fn(T, &str, &OperatorContext) -> ReadyTask;

impl<T: BackgroundTask> TaskRegistration<T> {
    /// Creates the registration of a task that runs on every replica.
    pub(super) fn on_every_replica(name: String, constructor: Box<dyn Construct<T>>) -> Self {
        let ready: MakeReady<T> = |task, name, _| ReadyTask::new(name, move |stop| async move { task.run(stop).await });
        Self { name, agent: None, permissions: Vec::new(), constructor, ready }
    }
}

impl<T: LeaderTask> TaskRegistration<T> {
    /// Creates the registration of a task that runs in the terms of its bucket.
    pub(super) fn in_terms(name: String, constructor: Box<dyn Construct<T>>) -> Self {
        let ready: MakeReady<T> = |task, name, context| {
            let task = Arc::new(task);
            context.leader_task(name, move |term, stop| {
                let task = Arc::clone(&task);
                async move { task.run(term, stop).await }
            })
        };
        Self { name, agent: None, permissions: Vec::new(), constructor, ready }
    }
}

#[async_trait]
impl<T: Send + Sync + 'static> Registration for TaskRegistration<T> {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> RegistrationKind {
        RegistrationKind::Task
    }

    fn declare(&self, declarations: &mut Declarations) {
        self.constructor.declare(declarations);
        for rule in &self.permissions {
            declarations.rule(rule.clone());
        }
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let Self { name, agent, constructor, ready, .. } = *self;
        let context = context.for_controller(&name, agent.as_deref().unwrap_or(&name));
        let task = constructor.construct(&context).await?;
        Ok(Box::new(ConstructedTask { name, task: Some(task), ready, context }))
    }
}

/// A constructed background task whose stores are not synced yet.
struct ConstructedTask<T> {
    name: String,
    /// The task; None once the operator has taken it.
    task: Option<T>,
    ready: MakeReady<T>,
    context: OperatorContext,
}

#[async_trait]
impl<T: Send + Sync + 'static> ConstructedPart for ConstructedTask<T> {
    async fn synced(&mut self) -> Result<(), BoxError> {
        self.context.opened.synced().await;
        Ok(())
    }

    fn tasks(&mut self) -> Vec<ReadyTask> {
        let task = self.task.take().map(|task| (self.ready)(task, &self.name, &self.context));
        task.into_iter().collect()
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        Vec::new()
    }
}
