//! The controller of kube, with a reconciler that does nothing.

use std::convert::Infallible;
use std::sync::Arc;

use futures::StreamExt as _;
use kube::runtime::controller::{Action, Config, Controller};
use kube::runtime::watcher;
use kube::{Api, Client};

use crate::{Recorder, Widget};

/// Runs until the process ends. The number of parallel passes is limited to `workers`; all other settings are the defaults of kube.
pub async fn run(client: Client, recorder: Arc<Recorder>, workers: usize) {
    Controller::new(Api::<Widget>::all(client), watcher::Config::default())
        .with_config(Config::default().concurrency(workers.try_into().unwrap_or(u16::MAX)))
        .run(reconcile, |_, _, _| Action::await_change(), recorder)
        .for_each(|_| async {})
        .await;
}

async fn reconcile(widget: Arc<Widget>, recorder: Arc<Recorder>) -> Result<Action, Infallible> {
    recorder.passed(&widget.spec);
    Ok(Action::await_change())
}
