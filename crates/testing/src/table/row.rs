use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use futures::future::LocalBoxFuture;
use jiff::Timestamp;
use kubewright_core::config::FromConfigMap;
use kubewright_middleware::Faults;
use kubewright_runtime::operator::Operator;
use kubewright_runtime::reconcile::Reconcile;
use serde::Serialize;
use serde_json::Value;

use super::expected::{Expected, json};
use super::normal::Ignored;
use super::{Apply, Delete, DeleteCollection, ExpectedOutcome, Patch};
use crate::TestCluster;

/// A row of a table test: its inputs, and all of its expectations. A request or event that is not expected fails the row.
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

/// The check that runs after a row.
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
    /// Returns a row with this name, which must be unique in its table. It expects success, no request and no event.
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

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    // The inputs of the row.

    /// Sets the key of the pass: `<name>` or `<namespace>/<name>`.
    pub fn key(mut self, key: impl ToString) -> Self {
        self.key = key.to_string();
        self
    }

    /// Adds objects that are in the server's storage exactly as they are written here, including status, generation, finalizers and deletion
    /// timestamp. Their namespaces exist. The objects of several calls add up, so that they may have several types.
    #[track_caller]
    pub fn given(mut self, objects: impl IntoIterator<Item = impl Serialize>) -> Self {
        self.given.extend(objects.into_iter().map(json));
        self
    }

    /// Sets the time of the pass.
    pub fn now(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// Adds a value for constructors with a parameter `State<T>`.
    pub fn state<T: Any + Clone + Send + Sync>(self, value: T) -> Self {
        self.operator(move |operator| operator.state(value.clone()))
    }

    /// Adds a value for constructors with a parameter `Config<T>`, in place of its ConfigMap.
    pub fn config<T: FromConfigMap>(self, value: T) -> Self {
        self.operator(move |operator| operator.config_fixed(value.clone()))
    }

    /// Changes the operator around the controller.
    pub fn operator(mut self, change: impl Fn(Operator) -> Operator + Send + Sync + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }

    /// Adds a value for the code of the test, which [`other_value`](Self::other_value) returns.
    pub fn other<T: Any + Send + Sync>(mut self, key: &str, value: T) -> Self {
        self.others.insert(key.to_owned(), Box::new(value));
        self
    }

    /// Returns the value that was added by [`other`](Self::other), if it has this type.
    pub fn other_value<T: Any + Send + Sync>(&self, key: &str) -> Option<&T> {
        self.others.get(key)?.downcast_ref()
    }

    /// Makes requests of this verb for this resource fail with `inducing failure for <verb> <resource>`, once the caches are filled. The resource is
    /// a plural name, optionally followed by a dot and its group, and by a slash and a subresource, such as `foos/status`; `*` stands for all.
    pub fn induce_failure(mut self, verb: &str, resource: &str) -> Self {
        self.failures.push((verb.to_owned(), resource.to_owned()));
        self
    }

    /// Adds other faults of requests, which apply once the caches are filled.
    pub fn faults(mut self, rules: impl Fn(&Faults) + Send + Sync + 'static) -> Self {
        self.faults.push(Box::new(rules));
        self
    }

    // The expectations of the row.

    /// Expects that an object is created with this whole body.
    #[track_caller]
    pub fn expect_create(self, object: impl Serialize) -> Self {
        self.expect(Expected::Create(json(object)))
    }

    /// Expects that an object is updated (PUT) with this whole body, not through a subresource.
    #[track_caller]
    pub fn expect_update(self, object: impl Serialize) -> Self {
        self.expect(Expected::Update(json(object)))
    }

    /// Expects that the status of an object is written, by any verb, and is afterwards that of this object. For a write that was made to fail, the
    /// status that it would have stored is compared.
    #[track_caller]
    pub fn expect_status(self, object: impl Serialize) -> Self {
        self.expect(Expected::Status(json(object)))
    }

    /// Expects that an object is patched.
    pub fn expect_patch(self, patch: Patch) -> Self {
        self.expect(Expected::Patch(patch))
    }

    /// Expects that an object is written by server-side apply.
    pub fn expect_apply(self, apply: Apply) -> Self {
        self.expect(Expected::Apply(apply))
    }

    /// Expects that this finalizer is added to the object of the key, by the framework's patch.
    pub fn expect_finalizer_added(self, name: &str) -> Self {
        self.expect(Expected::FinalizerAdded(name.to_owned()))
    }

    /// Expects that this finalizer is removed from the object of the key, by the framework's patch.
    pub fn expect_finalizer_removed(self, name: &str) -> Self {
        self.expect(Expected::FinalizerRemoved(name.to_owned()))
    }

    /// Expects that an object is deleted; each request counts. A tuple of kind, namespace and name is a deletion with any options.
    pub fn expect_delete(self, delete: impl Into<Delete>) -> Self {
        self.expect(Expected::Delete(delete.into()))
    }

    /// Expects that all objects that selectors match are deleted.
    pub fn expect_delete_collection(self, delete: DeleteCollection) -> Self {
        self.expect(Expected::DeleteCollection(delete))
    }

    /// Expects exactly these events, `<Type> <Reason> <Message>`, in this order.
    pub fn expect_events(mut self, events: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.events.extend(events.into_iter().map(Into::into));
        self
    }

    /// Expects another outcome than success.
    pub fn expect_outcome(mut self, outcome: ExpectedOutcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Expects that the key is rejected, or that no method is called for it, and that no request is sent.
    pub fn expect_ignored(mut self) -> Self {
        self.is_ignored = true;
        self
    }

    fn expect(mut self, expected: Expected) -> Self {
        self.expected.push(expected);
        self
    }

    // The options of the comparison.

    /// Accepts requests in any order.
    pub fn unordered(mut self) -> Self {
        self.is_unordered = true;
        self
    }

    /// Accepts writes of objects outside of the key's namespace.
    pub fn any_namespace(mut self) -> Self {
        self.is_any_namespace = true;
        self
    }

    /// Compares whole objects and statuses without this field: a JSON pointer, in which `*` stands for any name or index.
    pub fn ignoring(mut self, pointer: &str) -> Self {
        self.ignored.add(pointer);
        self
    }

    /// Sets the check that runs last, with the row, its server and the reconciler. A panic fails the row.
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
