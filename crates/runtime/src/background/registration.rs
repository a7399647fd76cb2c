use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::BackgroundTask;
use crate::controller::Runner;
use crate::inject::Construct;
use crate::operator::{ConstructedPart, Declarations, OperatorContext, ReadyTask, Registration, RegistrationKind};

/// A background task as a part of an operator.
pub(super) struct TaskRegistration<T> {
    pub(super) name: String,
    /// The reporter of events; the name by default.
    pub(super) agent: Option<String>,
    pub(super) constructor: Box<dyn Construct<T>>,
}

#[async_trait]
impl<T: BackgroundTask> Registration for TaskRegistration<T> {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> RegistrationKind {
        RegistrationKind::Task
    }

    fn declare(&self, declarations: &mut Declarations) {
        self.constructor.declare(declarations);
    }

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        let Self { name, agent, constructor } = *self;
        let context = context.for_controller(&name, agent.as_deref().unwrap_or(&name));
        let task = constructor.construct(&context).await?;
        Ok(Box::new(ConstructedTask { name, task: Some(task), context }))
    }
}

/// A background task whose stores are on their way.
struct ConstructedTask<T> {
    name: String,
    /// None once the operator has taken it.
    task: Option<T>,
    context: OperatorContext,
}

#[async_trait]
impl<T: BackgroundTask> ConstructedPart for ConstructedTask<T> {
    async fn synced(&mut self) -> Result<(), BoxError> {
        self.context.opened.synced().await;
        Ok(())
    }

    fn tasks(&mut self) -> Vec<ReadyTask> {
        let ready = |task: T| ReadyTask::new(self.name.as_str(), move |stop| async move { task.run(stop).await });
        self.task.take().map(ready).into_iter().collect()
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        Vec::new()
    }
}
