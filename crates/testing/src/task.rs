//! The only module that starts threads, runtimes and tasks.

use std::future::Future;
use std::thread::JoinHandle;

use kubewright_runtime::task::Tasks;

/// Runs a future to its end on a runtime and a thread of its own, independent of the runtimes of the tests.
#[allow(clippy::disallowed_methods)] // this is the task module
pub(crate) fn on_own_thread<F>(name: &str, future: impl FnOnce() -> F + Send + 'static) -> std::io::Result<JoinHandle<()>>
where
    F: Future<Output = ()>,
{
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(future());
        }
    })
}

/// Runs a future to its end on a runtime of its own on this thread. The clock is stopped if `is_virtual`.
pub fn block_on<F: Future>(is_virtual: bool, future: F) -> std::io::Result<F::Output> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(is_virtual);
    Ok(builder.build()?.block_on(future))
}

/// Starts a task that runs until its future ends or its set of tasks is stopped.
pub(crate) fn while_running(tasks: &Tasks, name: &'static str, future: impl Future<Output = ()> + Send + 'static) {
    let stopping = tasks.stopping();
    let running = async move {
        tokio::select! {
            () = future => {}
            () = stopping.cancelled() => {}
        }
    };
    tasks.spawn(name, running).detach();
}
