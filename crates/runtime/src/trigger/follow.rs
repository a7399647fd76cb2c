use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kubewright_core::filter::Change;
use tokio_util::sync::CancellationToken;

use crate::task::{Tasks, panic_message};
use crate::watch::{ProjectedStore, WatchStatus};

/// The number of waiting changes that are passed on in a row before other tasks run.
const AT_ONCE: usize = 64;

/// A single piece of news about a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum News<P> {
    /// The state of the underlying watch: at the beginning, and at each change.
    Turned(WatchStatus),
    /// The first list is complete, or already was at the beginning. This is sent once; changes of that list may be sent before or after it.
    Synced,
    /// An object was created, changed or deleted.
    Changed(Change<P>),
}

/// Passes all news of a store to `tell` from now on, in a task of its own, starting with the present objects. The store lives as long as the task: until
/// `stop`, or until the tasks stop. A panic of `tell` is logged, and the following news are still passed on.
pub fn follow<P: Send + Sync + 'static>(
    store: ProjectedStore<P>,
    name: impl Into<Cow<'static, str>>,
    tasks: &Tasks,
    stop: CancellationToken,
    mut tell: impl FnMut(News<P>) + Send + 'static,
) {
    let stopping = tasks.stopping();
    let (mut changes, mut statuses) = (store.changes(), store.status_changes());
    // A mapper that panics loses only the change at hand.
    let mut tell = {
        let store = store.clone();
        move |news| {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| tell(news))) {
                tracing::error!(store = %store, message = panic_message(payload.as_ref()), "telling a change panicked");
            }
        }
    };
    let following = async move {
        tell(News::Turned(statuses.status()));
        let mut synced = false;
        loop {
            let news = tokio::select! {
                () = stop.cancelled() => return,
                () = stopping.cancelled() => return,
                change = changes.next() => match change {
                    Some(change) => News::Changed(change),
                    None => return,
                },
                () = store.synced(), if !synced => {
                    synced = true;
                    News::Synced
                }
                () = statuses.changed() => News::Turned(statuses.status()),
            };
            tell(news);
            for _ in 0..AT_ONCE {
                if stop.is_cancelled() || stopping.is_cancelled() {
                    return;
                }
                let Some(change) = changes.try_next() else { break };
                tell(News::Changed(change));
            }
        }
    };
    tasks.spawn(name, following).detach();
}
