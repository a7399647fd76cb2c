use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Weak};

use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::client::limited;
use super::{NotReached, Remote, RemoteOptions, TargetError, TargetKey, Used};
use crate::cluster::Cluster;
use crate::controller::QueueHandle;
use crate::store::StoredObjects;
use crate::task::Tasks;
use crate::trigger::{News, follow};
use crate::watch::{WatchSpec, WatchState};

/// A key of a controller in one of the roles in which the controller uses targets: there is one role for each [`Targets`](crate::reconcile::Targets) that its
/// constructor requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TargetUser {
    pub(super) controller: Arc<str>,
    pub(super) role: usize,
    pub(super) key: Key,
}

impl TargetUser {
    pub(crate) fn role(&self) -> usize {
        self.role
    }
}

/// The identity of a store: the type of its objects, and its watches.
pub(crate) type StoreId = (TypeId, Vec<WatchSpec>);

/// The triggers of a controller that are started in a target.
pub(crate) trait StartTriggers: Send + Sync {
    /// Starts the triggers in a target. They queue keys that use the target, until `stop`.
    fn start(&self, target: &Arc<UsedCluster>, controller: &Arc<str>, queue: &QueueHandle, stop: &CancellationToken);
}

/// Another cluster that keys of hand-written reconcilers use.
pub(crate) struct UsedCluster {
    remote: Remote,
    tasks: Tasks,
    state: Mutex<UsedClusterState>,
}

#[derive(Default)]
struct UsedClusterState {
    controllers: HashMap<Arc<str>, OfController>,
    stores: HashMap<StoreId, OpenStore>,
}

/// The state of a controller in a target, which is kept as long as the target.
struct OfController {
    access: Access,
    queue: QueueHandle,
    /// The keys that use the target, with their roles.
    keys: HashMap<Key, HashSet<usize>>,
    /// The token that ends the triggers.
    triggers: CancellationToken,
}

/// The clients of a controller for a target.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) cluster: Cluster,
    pub(crate) client: kube::Client,
}

/// A store that keys have opened. The task that follows its watch keeps it alive.
struct OpenStore {
    users: HashSet<TargetUser>,
    /// The users that run again when the state of the watch changes.
    waiting: HashSet<TargetUser>,
    stop: CancellationToken,
}

impl UsedCluster {
    pub(super) async fn connect(key: &TargetKey, kubeconfig: &[u8], options: &RemoteOptions) -> Result<Self, TargetError> {
        let remote = Remote::connect(key, kubeconfig, options).await?;
        Ok(Self { remote, tasks: options.tasks.clone(), state: Mutex::default() })
    }

    /// Returns the name in logs, metrics and messages.
    pub(crate) fn name(&self) -> &str {
        self.remote.cluster().name()
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        self.remote.cluster()
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Returns Ok if the cluster answers.
    pub(crate) async fn check(&self) -> Result<(), NotReached> {
        self.remote.check().await
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.remote.problem()
    }

    /// Adds a key as a user. The first key of a controller starts the controller's triggers.
    pub(super) fn join(self: &Arc<Self>, user: &TargetUser, queue: QueueHandle, triggers: &[Box<dyn StartTriggers>]) -> Access {
        let mut state = self.state.lock();
        let controller = state.controllers.entry(Arc::clone(&user.controller)).or_insert_with(|| {
            let cluster = self.cluster().for_controller(&user.controller);
            let client = limited(cluster.client(), cluster.clock().clone(), Arc::downgrade(self));
            let access = Access { cluster, client };
            OfController { access, queue: queue.clone(), keys: HashMap::new(), triggers: CancellationToken::new() }
        });
        let is_first = controller.keys.is_empty();
        controller.keys.entry(user.key.clone()).or_default().insert(user.role);
        let access = controller.access.clone();
        if is_first && !triggers.is_empty() {
            let stop = CancellationToken::new();
            controller.triggers = stop.clone();
            drop(state);
            for trigger in triggers {
                trigger.start(self, &user.controller, &queue, &stop);
            }
        }
        access
    }

    /// Returns true if a key of a controller uses the target in any role.
    pub(crate) fn is_used_by(&self, controller: &str, key: &Key) -> bool {
        self.state.lock().controllers.get(controller).is_some_and(|controller| controller.keys.contains_key(key))
    }

    /// Returns true if keys of a controller have used the target in this process.
    pub(super) fn is_known_to(&self, controller: &str) -> bool {
        self.state.lock().controllers.contains_key(controller)
    }

    /// Opens the store for a user. If the store has no first list yet (`false`), the user runs again when the state of its watch changes.
    pub(crate) fn open<T>(self: &Arc<Self>, user: &TargetUser, store: &StoredObjects<T>) -> (StoreId, bool)
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let id: StoreId = (TypeId::of::<T>(), store.kept().specs().cloned().collect());
        let mut state = self.state.lock();
        let open = state.stores.entry(id.clone()).or_insert_with(|| {
            let stop = self.tasks.stopping().child_token();
            self.follow(store, Some(id.clone()), stop.clone());
            OpenStore { users: HashSet::new(), waiting: HashSet::new(), stop }
        });
        open.users.insert(user.clone());
        // The state is checked under the lock, so that a waiting user is in the list when the watch changes.
        let is_synced = store.is_synced();
        if !is_synced {
            open.waiting.insert(user.clone());
        }
        (id, is_synced)
    }

    /// Closes all stores of a user except these.
    pub(super) fn keep_only(&self, user: &TargetUser, kept: &HashSet<StoreId>) {
        self.state.lock().stores.retain(|id, store| kept.contains(id) || store.is_left_by(user));
    }

    /// Follows the state of a watch: the users that wait for its store run again, and when the cluster becomes unreachable or reachable all of its users do.
    pub(crate) fn follow<T>(self: &Arc<Self>, store: &StoredObjects<T>, id: Option<StoreId>, stop: CancellationToken)
    where
        T: DeserializeOwned + Send + Sync + 'static,
    {
        let (this, kind) = (Arc::downgrade(self), Arc::new(store.kind().clone()));
        let mut before = store.kept().status().state;
        let name = format!("{} in {}", store.kept(), self.name());
        follow(store.kept().clone(), name, &self.tasks, stop, move |news| {
            let Some(this) = Weak::upgrade(&this) else { return };
            match news {
                News::Turned(status) if status.state != before => {
                    let was_broken = std::mem::replace(&mut before, status.state) == WatchState::Retrying;
                    if was_broken != (status.state == WatchState::Retrying) {
                        this.turned(&kind);
                    }
                }
                News::Synced => {}
                News::Turned(_) | News::Changed(_) => return,
            }
            if let Some(id) = &id {
                this.wake(id, &kind);
            }
        });
    }

    /// Handles that the cluster may have become unreachable or reachable: all keys that use it are queued.
    fn turned(&self, kind: &Arc<GroupKind>) {
        self.remote.doubt();
        let users: Vec<(QueueHandle, Vec<Key>)> = {
            let state = self.state.lock();
            let of = |controller: &OfController| (controller.queue.clone(), controller.keys.keys().cloned().collect());
            state.controllers.values().map(of).collect()
        };
        for (queue, keys) in users {
            for key in keys {
                queue.because(key, Lane::Fast, QueuedBy::WatchTurned(Arc::clone(kind)));
            }
        }
    }

    /// Records that a request got no answer.
    pub(super) fn failed(&self) {
        self.remote.doubt();
    }

    fn wake(&self, id: &StoreId, kind: &Arc<GroupKind>) {
        let mut state = self.state.lock();
        let UsedClusterState { controllers, stores } = &mut *state;
        for user in stores.get_mut(id).map(|store| std::mem::take(&mut store.waiting)).into_iter().flatten() {
            if let Some(controller) = controllers.get(&user.controller) {
                controller.queue.because(user.key, Lane::Fast, QueuedBy::WatchTurned(Arc::clone(kind)));
            }
        }
    }
}

impl OpenStore {
    /// Removes a user. Returns true if the store still has other users.
    fn is_left_by(&mut self, user: &TargetUser) -> bool {
        self.users.remove(user);
        self.waiting.remove(user);
        if self.users.is_empty() {
            self.stop.cancel();
        }
        !self.users.is_empty()
    }
}

impl Used<TargetUser> for UsedCluster {
    fn forget(&self, user: &TargetUser) {
        let mut state = self.state.lock();
        state.stores.retain(|_, store| store.is_left_by(user));
        let Some(controller) = state.controllers.get_mut(&user.controller) else { return };
        if let Some(roles) = controller.keys.get_mut(&user.key) {
            roles.remove(&user.role);
            if roles.is_empty() {
                controller.keys.remove(&user.key);
            }
        }
        if controller.keys.is_empty() {
            controller.triggers.cancel();
        }
    }

    fn end(&self) {
        self.remote.end();
    }
}

impl fmt::Debug for UsedCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UsedCluster").field("cluster", &self.name()).finish_non_exhaustive()
    }
}
