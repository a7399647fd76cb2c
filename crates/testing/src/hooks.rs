//! Functions that a test runs when objects are created, updated or deleted.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, SelectAll};
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use kube::core::GroupVersionKind;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::TestCluster;
use crate::objects::{gvk, value};

/// The interval between two checks of the predicate while no object changes.
const POLL: Duration = Duration::from_millis(50);

/// The kind of change of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Became {
    Created,
    Updated,
    Deleted,
}

struct Hook<'a> {
    kind: GroupVersionKind,
    on: Became,
    run: Box<dyn FnMut(&Value) + Send + 'a>,
}

/// Functions that observe the changes of objects in the namespace of a test, before they are started. They answer no request.
#[must_use = "hooks run from `start` on"]
pub struct Hooks<'a> {
    cluster: &'a TestCluster,
    hooks: Vec<Hook<'a>>,
}

/// Hooks that observe every change from their start on, and run while the test waits.
#[must_use = "hooks run while the test waits"]
pub struct RunningHooks<'a> {
    hooks: Vec<Hook<'a>>,
    changes: SelectAll<BoxStream<'a, (GroupVersionKind, Became, Value)>>,
}

/// The timeout of a wait for the hooks: the predicate did not hold in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("timed out waiting for {what}")]
pub struct TimedOut {
    what: String,
}

impl TestCluster {
    /// Returns a builder for functions that run when objects in the namespace of the test are created, updated or deleted.
    pub fn hooks(&self) -> Hooks<'_> {
        Hooks { cluster: self, hooks: Vec::new() }
    }
}

impl<'a> Hooks<'a> {
    /// Runs the function on each object of a kind that is created.
    pub fn on_create<K: kube::Resource<DynamicType = ()>>(self, run: impl FnMut(&Value) + Send + 'a) -> Self {
        self.on::<K>(Became::Created, run)
    }

    /// Runs the function on each new state of an existing object.
    pub fn on_update<K: kube::Resource<DynamicType = ()>>(self, run: impl FnMut(&Value) + Send + 'a) -> Self {
        self.on::<K>(Became::Updated, run)
    }

    /// Runs the function on the last state of each object that is deleted.
    pub fn on_delete<K: kube::Resource<DynamicType = ()>>(self, run: impl FnMut(&Value) + Send + 'a) -> Self {
        self.on::<K>(Became::Deleted, run)
    }

    fn on<K: kube::Resource<DynamicType = ()>>(mut self, on: Became, run: impl FnMut(&Value) + Send + 'a) -> Self {
        self.hooks.push(Hook { kind: gvk::<K>(), on, run: Box::new(run) });
        self
    }

    /// Starts to observe. Objects that already exist count as known.
    pub async fn start(self) -> RunningHooks<'a> {
        let mut kinds: Vec<GroupVersionKind> = Vec::new();
        for hook in &self.hooks {
            if !kinds.contains(&hook.kind) {
                kinds.push(hook.kind.clone());
            }
        }
        let mut changes = SelectAll::new();
        for kind in kinds {
            let api = self.cluster.api(&kind, None).await;
            changes.push(follow(self.cluster, api, kind).await.boxed());
        }
        RunningHooks { hooks: self.hooks, changes }
    }
}

impl RunningHooks<'_> {
    /// Runs the hooks until the predicate holds. After that no hook runs until the next wait.
    ///
    /// # Errors
    ///
    /// Returns [`TimedOut`] if the predicate does not hold within `timeout`.
    pub async fn wait_for(&mut self, what: &str, holds: impl Fn() -> bool, timeout: Duration) -> Result<(), TimedOut> {
        let waiting = async {
            while !holds() {
                match tokio::time::timeout(POLL, self.changes.next()).await {
                    Ok(Some((kind, became, object))) => {
                        for hook in self.hooks.iter_mut().filter(|hook| hook.kind == kind && hook.on == became) {
                            (hook.run)(&object);
                        }
                    }
                    Ok(None) => tokio::time::sleep(POLL).await,
                    Err(_) => {}
                }
            }
        };
        tokio::time::timeout(timeout, waiting).await.map_err(|_| TimedOut { what: what.to_owned() })
    }
}

/// Returns the changes of the objects of a kind from this call on.
async fn follow(
    cluster: &TestCluster,
    api: Api<DynamicObject>,
    kind: GroupVersionKind,
) -> impl futures::Stream<Item = (GroupVersionKind, Became, Value)> + Send + use<> {
    let mut known = BTreeMap::new();
    let list = api.list(&ListParams::default()).await;
    let list = list.unwrap_or_else(|error| cluster.fail(&format!("failed to list {} for hooks: {error}", kind.kind)));
    let version = list.metadata.resource_version.unwrap_or_default();
    known.extend(list.items.iter().map(value).map(|object| (object.uid().to_owned(), object)));
    let changes = reopened(api, version);
    changes.filter_map(move |event| {
        let change = match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                let object = value(&object);
                let before = known.insert(object.uid().to_owned(), object.clone());
                Some((if before.is_some() { Became::Updated } else { Became::Created }, object))
            }
            WatchEvent::Deleted(object) => {
                let object = value(&object);
                known.remove(object.uid());
                Some((Became::Deleted, object))
            }
            _ => None,
        };
        let change = change.map(|(became, object)| (kind.clone(), became, object));
        async move { change }
    })
}

/// Returns the events of a watch, which is reopened where it ended.
fn reopened(api: Api<DynamicObject>, version: String) -> impl futures::Stream<Item = WatchEvent<DynamicObject>> + Send {
    let state = (api, version, None::<BoxStream<'static, kube::Result<WatchEvent<DynamicObject>>>>);
    futures::stream::unfold(state, |(api, mut version, mut open)| async move {
        loop {
            if open.is_none() {
                open = api.watch(&WatchParams::default(), &version).await.ok().map(futures::StreamExt::boxed);
            }
            match open.as_mut() {
                Some(stream) => match stream.next().await {
                    Some(Ok(event)) => {
                        version = version_of(&event).unwrap_or(version);
                        return Some((event, (api, version, open)));
                    }
                    _ => open = None,
                },
                None => tokio::time::sleep(POLL).await,
            }
        }
    })
}

fn version_of(event: &WatchEvent<DynamicObject>) -> Option<String> {
    match event {
        WatchEvent::Added(object) | WatchEvent::Modified(object) | WatchEvent::Deleted(object) => {
            object.metadata.resource_version.clone()
        }
        WatchEvent::Bookmark(bookmark) => Some(bookmark.metadata.resource_version.clone()),
        WatchEvent::Error(_) => None,
    }
}

impl fmt::Debug for Hooks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("hooks", &self.hooks.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for RunningHooks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningHooks").field("hooks", &self.hooks.len()).finish_non_exhaustive()
    }
}
