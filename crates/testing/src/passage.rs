//! Requests of operators that are held on their way to the server, or on the way back.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use http::Request;
use kube::client::Body;
use parking_lot::Mutex;

/// The passage of a request to the server and back.
pub(crate) enum Passage {
    /// The request passes without delay.
    Free,
    /// The request is handled after this future has ended.
    HandledAfter(BoxFuture<'static, ()>),
    /// The request is handled at once, and answered after this future has ended.
    AnsweredAfter(BoxFuture<'static, ()>),
}

type PassageDecision = Arc<dyn Fn(&Request<Body>) -> Passage + Send + Sync>;

/// The decision about the passage of operators' requests: free, unless a function was [set](Self::set). Clones share the function.
#[derive(Clone, Default)]
pub(crate) struct PassageHook(Arc<Mutex<Option<PassageDecision>>>);

impl PassageHook {
    /// Sets the function that decides from now on.
    pub(crate) fn set(&self, hook: impl Fn(&Request<Body>) -> Passage + Send + Sync + 'static) {
        *self.0.lock() = Some(Arc::new(hook));
    }

    pub(crate) fn decide(&self, request: &Request<Body>) -> Passage {
        let hook = self.0.lock().clone();
        hook.map_or(Passage::Free, |hook| hook(request))
    }
}

impl fmt::Debug for PassageHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassageHook").field("is_set", &self.0.lock().is_some()).finish()
    }
}
