//! Steps, and the other possible members of a group.

use std::fmt;
use std::future::Future;

use futures::future::BoxFuture;
use kubewright_core::flow::Flow;

use super::entry::{CallStep, RunStep, StepCode, StepOrPipeline};
use super::{Pipeline, StepName};

/// One step of a [`Pipeline`] over a context `C`.
///
/// A step must be idempotent: each pass runs it again, so it must derive everything from the specification and the cluster (STEP-5). It does one write at
/// most, or one for each of several independent children (STEP-6).
///
/// The name is checked when the pipeline is compiled:
///
/// ```compile_fail
/// # use kubewright_core::flow::Flow;
/// # use kubewright_runtime::step::{Pipeline, Step};
/// struct Validate;
/// impl Step<()> for Validate {
///     const NAME: &'static str = "Validate";
///     async fn run(&self, _: &mut ()) -> Flow { Ok(()) }
/// }
/// Pipeline::new("apply").group("decide", |group| group.check(Validate));
/// ```
pub trait Step<C>: Send + Sync {
    /// The name, in lower-case words with `-` between them.
    const NAME: &'static str;

    /// Runs the step.
    fn run(&self, cx: &mut C) -> impl Future<Output = Flow> + Send;
}

/// A function as a step, made by [`step!`](crate::step!).
pub struct FnStep<C> {
    name: StepName,
    function: Box<CallStep<C>>,
}

impl<C> FnStep<C> {
    /// Creates a step of this name from a function that boxes its future. [`step!`](crate::step!) boxes it and checks the name.
    pub fn new(name: StepName, function: impl for<'a> Fn(&'a mut C) -> BoxFuture<'a, Flow> + Send + Sync + 'static) -> Self {
        Self { name, function: Box::new(function) }
    }
}

/// Makes a step of a [`Pipeline`] from an `async fn(&mut C) -> Flow` or a closure `async |cx: &mut C| …`. The name is checked at compile time.
///
/// ```
/// # use kubewright_core::flow::Flow;
/// # use kubewright_runtime::step;
/// # use kubewright_runtime::step::Pipeline;
/// async fn validate(size: &mut u32) -> Flow { Ok(()) }
/// let pipeline = Pipeline::new("apply").group("decide", |group| group.check(step!("validate", validate)));
/// ```
///
/// ```compile_fail
/// # use kubewright_core::flow::Flow;
/// # use kubewright_runtime::step;
/// # use kubewright_runtime::step::Pipeline;
/// async fn validate(size: &mut u32) -> Flow { Ok(()) }
/// let pipeline = Pipeline::new("apply").group("decide", |group| group.check(step!("Validate it", validate)));
/// ```
#[macro_export]
macro_rules! step {
    ($name:literal, $function:expr) => {{
        const NAME: $crate::step::StepName = $crate::step::StepName::constant($name);
        $crate::step::FnStep::new(NAME, move |cx| ::std::boxed::Box::pin(async move { ($function)(cx).await }))
    }};
}

impl<C> fmt::Debug for FnStep<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnStep").field("name", &self.name.as_str()).finish_non_exhaustive()
    }
}

/// A member of a group of a pipeline: a type that implements [`Step`], a function in [`step!`](crate::step!), or another [`Pipeline`].
///
/// `Form` distinguishes the three and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no step of a pipeline over `{C}`",
    label = "not a step",
    note = "a step implements `Step<{C}>`, is `step!(\"its-name\", function)` with an `async fn(&mut {C}) -> Flow`, or is a `Pipeline<{C}>`"
)]
pub trait IntoStep<C, Form> {
    /// Returns the step with its type erased.
    #[doc(hidden)]
    #[allow(private_interfaces)] // implemented only here
    fn into_body(self) -> StepOrPipeline<C>;
}

/// The form of a type that implements [`Step`].
#[doc(hidden)]
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum OfType {}

/// The form of a function.
#[doc(hidden)]
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum OfFunction {}

/// The form of a pipeline.
#[doc(hidden)]
#[derive(Debug)]
#[allow(clippy::exhaustive_enums)] // a type without values
pub enum Nested {}

impl<C: Send, S: Step<C> + 'static> IntoStep<C, OfType> for S {
    #[allow(private_interfaces)]
    fn into_body(self) -> StepOrPipeline<C> {
        let name = const { StepName::constant(S::NAME) };
        StepOrPipeline::Step(name, StepCode::Type(Box::new(TypedStep(self))))
    }
}

impl<C: Send> IntoStep<C, OfFunction> for FnStep<C> {
    #[allow(private_interfaces)]
    fn into_body(self) -> StepOrPipeline<C> {
        StepOrPipeline::Step(self.name, StepCode::Function(self.function))
    }
}

impl<C: Send> IntoStep<C, Nested> for Pipeline<C> {
    #[allow(private_interfaces)]
    fn into_body(self) -> StepOrPipeline<C> {
        StepOrPipeline::Nested(self)
    }
}

struct TypedStep<S>(S);

impl<C: Send, S: Step<C>> RunStep<C> for TypedStep<S> {
    fn run<'a>(&'a self, cx: &'a mut C) -> BoxFuture<'a, Flow> {
        Box::pin(self.0.run(cx))
    }
}
