use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use kube::core::object::HasStatus;
use kubewright_core::flow::Flow;
use kubewright_runtime::cluster::Cluster;

use super::context::HookInputs;
use super::{HookContext, ReadContext};
use crate::kind::Component;

/// The point of a pass at which a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// After the references were read, in every pass.
    PostRead,
    /// Before rendering and applying.
    PreReconcile,
    /// After everything was applied and is ready.
    PostReconcile,
    /// Before deleting, in every deletion pass.
    PreDelete,
    /// After everything is gone.
    PostDelete,
}

impl Point {
    /// Returns the name of the hooks at this point for messages.
    pub(crate) const fn hooks(self) -> &'static str {
        match self {
            Self::PostRead => "the post-read hooks",
            Self::PreReconcile => "the pre-reconcile hooks",
            Self::PostReconcile => "the post-reconcile hooks",
            Self::PreDelete => "the pre-delete hooks",
            Self::PostDelete => "the post-delete hooks",
        }
    }
}

type BoxedFlow<'a> = Pin<Box<dyn Future<Output = Flow> + Send + 'a>>;
type Status<C> = <C as HasStatus>::Status;
type BoxedHook<C> = Box<dyn for<'a> Fn(&'a HookContext<C>, &'a C, &'a mut Status<C>) -> BoxedFlow<'a> + Send + Sync>;
type BoxedReadHook<C> = Box<dyn for<'a> Fn(&'a ReadContext<C>, &'a C, &'a mut Status<C>) -> BoxedFlow<'a> + Send + Sync>;

/// A hook, an `async fn(&HookContext<C>, &C, &mut Status) -> Flow`. The trait is implemented for functions, never by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no hook of `{C}`",
    note = "a hook is an `async fn(&HookContext<{C}>, &{C}, &mut <status type>) -> Flow` whose future is `Send`"
)]
pub trait HookFn<'a, C: Component>: Send + Sync + 'static {
    /// The future that the function returns.
    type Future: Future<Output = Flow> + Send + 'a;

    /// Calls the function.
    fn call(&self, context: &'a HookContext<C>, component: &'a C, status: &'a mut Status<C>) -> Self::Future;
}

impl<'a, C, F, R> HookFn<'a, C> for F
where
    C: Component,
    F: Fn(&'a HookContext<C>, &'a C, &'a mut Status<C>) -> R + Send + Sync + 'static,
    R: Future<Output = Flow> + Send + 'a,
{
    type Future = R;

    fn call(&self, context: &'a HookContext<C>, component: &'a C, status: &'a mut Status<C>) -> R {
        self(context, component, status)
    }
}

/// A post-read hook, an `async fn(&ReadContext<C>, &C, &mut Status) -> Flow`. The trait is implemented for functions, never by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no post-read hook of `{C}`",
    note = "a post-read hook is an `async fn(&ReadContext<{C}>, &{C}, &mut <status type>) -> Flow` whose future is `Send`"
)]
pub trait ReadHookFn<'a, C: Component>: Send + Sync + 'static {
    /// The future that the function returns.
    type Future: Future<Output = Flow> + Send + 'a;

    /// Calls the function.
    fn call(&self, context: &'a ReadContext<C>, component: &'a C, status: &'a mut Status<C>) -> Self::Future;
}

impl<'a, C, F, R> ReadHookFn<'a, C> for F
where
    C: Component,
    F: Fn(&'a ReadContext<C>, &'a C, &'a mut Status<C>) -> R + Send + Sync + 'static,
    R: Future<Output = Flow> + Send + 'a,
{
    type Future = R;

    fn call(&self, context: &'a ReadContext<C>, component: &'a C, status: &'a mut Status<C>) -> R {
        self(context, component, status)
    }
}

/// The hooks of a component type, in order of registration.
pub(crate) struct HookRegistry<C: Component> {
    post_read: Vec<BoxedReadHook<C>>,
    others: Vec<(Point, BoxedHook<C>)>,
}

impl<C: Component> Default for HookRegistry<C> {
    fn default() -> Self {
        Self { post_read: Vec::new(), others: Vec::new() }
    }
}

impl<C: Component> HookRegistry<C> {
    pub(crate) fn add_post_read(&mut self, hook: impl for<'a> ReadHookFn<'a, C>) {
        self.post_read.push(Box::new(move |context, component, status| Box::pin(hook.call(context, component, status))));
    }

    pub(crate) fn add(&mut self, point: Point, hook: impl for<'a> HookFn<'a, C>) {
        self.others.push((point, Box::new(move |context, component, status| Box::pin(hook.call(context, component, status)))));
    }

    pub(crate) fn any_at(&self, point: Point) -> bool {
        match point {
            Point::PostRead => !self.post_read.is_empty(),
            _ => self.others.iter().any(|(at, _)| *at == point),
        }
    }

    /// Runs the hooks of a point in order and stops at the first that halts.
    pub(crate) async fn run(
        &self,
        point: Point,
        operator: &Arc<str>,
        cluster: &Cluster,
        inputs: Arc<HookInputs>,
        component: &C,
        status: &mut Status<C>,
    ) -> Flow {
        let read = ReadContext {
            operator: Arc::clone(operator),
            cluster: cluster.clone(),
            reporter: inputs.reporter.clone(),
            component: PhantomData,
        };
        if point == Point::PostRead {
            for hook in &self.post_read {
                hook(&read, component, status).await?;
            }
            return Ok(());
        }
        let context = HookContext { read, inputs };
        for (at, hook) in &self.others {
            if *at == point {
                hook(&context, component, status).await?;
            }
        }
        Ok(())
    }
}
