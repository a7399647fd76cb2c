use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kubewright_core::filter::Change;
use tokio_util::sync::CancellationToken;

use crate::task::{Tasks, panic_message};
use crate::watch::{ProjectedStore, WatchStatus};

/// How many waiting changes are told in a row before other tasks run.
const AT_ONCE: usize = 64;

/// An item of news from a store.
#[derive(Debug)]
#[non_exhaustive]
pub enum News<P> {
    /// How the watch below does: at the beginning, and whenever it does better or worse.
    Turned(WatchStatus),
    /// The first list is complete, or was at the beginning. Told once; changes of that list may be told before or after it.
    Synced,
    /// An object came, changed or went.
    Changed(Change<P>),
}

/// Tells everything that happens in a store from now on, on a task of its own, starting with what is there. The store lives as long as the
/// task: until `stop`, or until the tasks stop. A panic of `tell` is logged, and the next news are told.
pub fn follow<P: Send + Sync + 'static>(
    store: ProjectedStore<P>,
    name: impl Into<Cow<'static, str>>,
    tasks: &Tasks,
    stop: CancellationToken,
    mut tell: impl FnMut(News<P>) + Send + 'static,
) {
    let stopping = tasks.stopping();
    let (mut changes, mut statuses) = (store.changes(), store.status_changes());
    // A mapper that panics loses this change alone.
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
