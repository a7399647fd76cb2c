use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use futures::future::LocalBoxFuture;
use jiff::Timestamp;
use kubewright_apiserver::middleware::Faults;
use kubewright_core::config::FromConfigMap;
use kubewright_runtime::operator::Operator;
use kubewright_runtime::reconcile::Reconcile;
use serde::Serialize;
use serde_json::Value;

use super::expected::{Expected, json};
use super::normal::Ignored;
use super::{Apply, Delete, DeleteCollection, ExpectedOutcome, Patch};
use crate::TestCluster;

/// A row of a table test: what is given, and all that is expected. What is not expected must not happen.
#[must_use = "add it to a table with `.row(…)`"]
pub struct TableRow<R> {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) given: Vec<Value>,
    pub(super) now: Option<Timestamp>,
    pub(super) changes: Vec<OperatorChange>,
    pub(super) failures: Vec<(String, String)>,
    pub(super) faults: Vec<FaultRules>,
    others: BTreeMap<String, Box<dyn Any + Send + Sync>>,
    pub(super) expected: Vec<Expected>,
    pub(super) events: Vec<String>,
    pub(super) outcome: ExpectedOutcome,
    pub(super) is_ignored: bool,
    pub(super) is_unordered: bool,
    pub(super) is_any_namespace: bool,
    pub(super) ignored: Ignored,
    pub(super) post: Option<Box<dyn Post<R>>>,
}

type OperatorChange = Box<dyn Fn(Operator) -> Operator + Send + Sync>;
type FaultRules = Box<dyn Fn(&Faults) + Send + Sync>;

/// What runs after a row.
pub(super) trait Post<R>: Send + Sync {
    fn call<'a>(&'a self, row: &'a TableRow<R>, cluster: &'a TestCluster, reconciler: &'a R) -> LocalBoxFuture<'a, ()>;
}

impl<R, F> Post<R> for F
where
    F: AsyncFn(&TableRow<R>, &TestCluster, &R) + Send + Sync,
{
    fn call<'a>(&'a self, row: &'a TableRow<R>, cluster: &'a TestCluster, reconciler: &'a R) -> LocalBoxFuture<'a, ()> {
        Box::pin(self(row, cluster, reconciler))
    }
}

impl<R: Reconcile> TableRow<R> {
    /// A row of this name, which is unique in its table. It expects success, no request and no event.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            key: String::new(),
            given: Vec::new(),
            now: None,
            changes: Vec::new(),
            failures: Vec::new(),
            faults: Vec::new(),
            others: BTreeMap::new(),
            expected: Vec::new(),
            events: Vec::new(),
            outcome: ExpectedOutcome::success(),
            is_ignored: false,
            is_unordered: false,
            is_any_namespace: false,
            ignored: Ignored::default(),
            post: None,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    // What is given.

    /// The key that the pass is for: `<name>` or `<namespace>/<name>`.
    pub fn key(mut self, key: impl ToString) -> Self {
        self.key = key.to_string();
        self
    }

    /// Objects that are in the server's storage exactly as they are written here, status, generation, finalizers and deletion timestamp included. Their
    /// namespaces exist. Several calls add up, for objects of several types.
    #[track_caller]
    pub fn given(mut self, objects: impl IntoIterator<Item = impl Serialize>) -> Self {
        self.given.extend(objects.into_iter().map(json));
        self
    }

    /// The time of the pass.
    pub fn now(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// A value for constructors that ask for `State<T>`.
    pub fn state<T: Any + Clone + Send + Sync>(self, value: T) -> Self {
        self.operator(move |operator| operator.state(value.clone()))
    }

    /// A value for constructors that ask for `Config<T>`, in place of its ConfigMap.
    pub fn config<T: FromConfigMap>(self, value: T) -> Self {
        self.operator(move |operator| operator.config_fixed(value.clone()))
    }

    /// Another operator round the controller.
    pub fn operator(mut self, change: impl Fn(Operator) -> Operator + Send + Sync + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// A value for the code of the test, which [`other_value`](Self::other_value) returns.
    pub fn other<T: Any + Send + Sync>(mut self, key: &str, value: T) -> Self {
        self.others.insert(key.to_owned(), Box::new(value));
        self
    }

    /// The value that [`other`](Self::other) was given, if it has this type.
    pub fn other_value<T: Any + Send + Sync>(&self, key: &str) -> Option<&T> {
        self.others.get(key)?.downcast_ref()
    }

    /// Requests of this verb for this resource fail with `inducing failure for <verb> <resource>`, once the caches are filled. The resource is a plural
    /// name, perhaps with a dot and its group, perhaps with a slash and a subresource, as `foos/status`; `*` stands for all.
    pub fn induce_failure(mut self, verb: &str, resource: &str) -> Self {
        self.failures.push((verb.to_owned(), resource.to_owned()));
        self
    }

    /// Other faults of requests, from when the caches are filled.
    pub fn faults(mut self, rules: impl Fn(&Faults) + Send + Sync + 'static) -> Self {
        self.faults.push(Box::new(rules));
        self
    }

    // What is expected.

    /// An object is created with this whole body.
    #[track_caller]
    pub fn expect_create(self, object: impl Serialize) -> Self {
        self.expect(Expected::Create(json(object)))
    }

    /// An object is updated (PUT) with this whole body, not through a subresource.
    #[track_caller]
    pub fn expect_update(self, object: impl Serialize) -> Self {
        self.expect(Expected::Update(json(object)))
    }

    /// The status of an object is written, by any verb; afterwards it is that of this object. Of a write that was made to fail, it is what the write
    /// would have made.
    #[track_caller]
    pub fn expect_status(self, object: impl Serialize) -> Self {
        self.expect(Expected::Status(json(object)))
    }

    /// An object is patched.
    pub fn expect_patch(self, patch: Patch) -> Self {
        self.expect(Expected::Patch(patch))
    }

    /// An object is written by server-side apply.
    pub fn expect_apply(self, apply: Apply) -> Self {
        self.expect(Expected::Apply(apply))
    }

    /// This finalizer is added to the object of the key, by the framework's patch.
    pub fn expect_finalizer_added(self, name: &str) -> Self {
        self.expect(Expected::FinalizerAdded(name.to_owned()))
    }

    /// This finalizer is removed from the object of the key, by the framework's patch.
    pub fn expect_finalizer_removed(self, name: &str) -> Self {
        self.expect(Expected::FinalizerRemoved(name.to_owned()))
    }

    /// An object is deleted; each request counts. A tuple of kind, namespace and name is one with any options.
    pub fn expect_delete(self, delete: impl Into<Delete>) -> Self {
        self.expect(Expected::Delete(delete.into()))
    }

    /// All objects that selectors match are deleted.
    pub fn expect_delete_collection(self, delete: DeleteCollection) -> Self {
        self.expect(Expected::DeleteCollection(delete))
    }

    /// Exactly these events, `<Type> <Reason> <Message>`, in this order.
    pub fn expect_events(mut self, events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.events.extend(events.into_iter().map(Into::into));
        self
    }

    /// Another outcome than success.
    pub fn expect_outcome(mut self, outcome: ExpectedOutcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// The key is refused, or no method is called for it; and nothing is sent.
    pub fn expect_ignored(mut self) -> Self {
        self.is_ignored = true;
        self
    }

    fn expect(mut self, expected: Expected) -> Self {
        self.expected.push(expected);
        self
    }

    // How it is compared.

    /// Requests may come in any order.
    pub fn unordered(mut self) -> Self {
        self.is_unordered = true;
        self
    }

    /// Objects may be written outside of the key's namespace.
    pub fn any_namespace(mut self) -> Self {
        self.is_any_namespace = true;
        self
    }

    /// Whole objects and statuses are compared without this field: a JSON pointer, in which `*` stands for any name or index.
    pub fn ignoring(mut self, pointer: &str) -> Self {
        self.ignored.add(pointer);
        self
    }

    /// Runs last, with the row, its server and the reconciler. A panic fails the row.
    pub fn post<F>(mut self, check: F) -> Self
    where
        F: AsyncFn(&Self, &TestCluster, &R) + Send + Sync + 'static,
    {
        self.post = Some(Box::new(check));
        self
    }
}

impl<R> fmt::Debug for TableRow<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableRow").field("name", &self.name).field("key", &self.key).finish_non_exhaustive()
    }
}
