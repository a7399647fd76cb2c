//! The Kubewright controllers of Widgets: one that does nothing, and one that is disturbed.

use std::sync::Arc;

use kubewright::prelude::*;

use crate::{Recorder, Widget, Wish};

/// The name of the operator.
const NAME: &str = "bench-reconciler";

/// A reconciler that does nothing.
#[derive(Debug)]
pub struct Idle(Arc<Recorder>);

#[reconciler(kind = Widget)]
impl Idle {
    /// Creates the reconciler with its recorder.
    #[inject]
    pub fn new(recorder: State<Arc<Recorder>>) -> Self {
        Self(recorder.0)
    }

    async fn reconcile(&self, _cx: &Context<Widget>, object: &Widget) -> Flow {
        self.0.passed(&object.spec);
        Ok(())
    }
}

/// A reconciler that fails for some objects, and queues many keys at once when an object requests it.
#[derive(Debug)]
pub struct Disturbed {
    recorder: Arc<Recorder>,
    queue: Enqueue<Widget>,
}

#[reconciler(kind = Widget)]
impl Disturbed {
    /// Creates the reconciler with its own queue.
    #[inject]
    pub fn new(recorder: State<Arc<Recorder>>, queue: Enqueue<Widget>) -> Self {
        Self { recorder: recorder.0, queue }
    }

    async fn reconcile(&self, _cx: &Context<Widget>, object: &Widget) -> Flow {
        self.recorder.passed(&object.spec);
        match object.spec.wish {
            Wish::Nothing => Ok(()),
            Wish::Failure => Failure::backoff("it shall fail").into(),
            Wish::Resync => {
                let keys = object.spec.number;
                self.recorder.resync(keys);
                self.queue.matching(|key| Widget::number_in(key.name()).is_some_and(|number| number < keys));
                Ok(())
            }
        }
    }
}

/// Returns the operator that does nothing.
pub fn idle(recorder: Recorder) -> Operator {
    operator(recorder).controller(Idle::new).into()
}

/// Returns the operator that is disturbed.
pub fn disturbed(recorder: Recorder) -> Operator {
    operator(recorder).controller(Disturbed::new).into()
}

/// Returns an operator without leases, because only one process is measured.
fn operator(recorder: Recorder) -> Operator {
    Operator::new(NAME).leadership(Leadership::off()).state(Arc::new(recorder))
}
