//! The only module that starts runtimes and tasks.

use std::future::Future;

/// Drives a connection in a task until it ends. Its result is dropped, since the user of the connection gets the error.
#[allow(clippy::disallowed_methods)] // this is the task module
pub(crate) fn beside(connection: impl Future<Output: Send> + Send + 'static) {
    drop(tokio::spawn(async {
        let _ = connection.await;
    }));
}

/// Runs a future to its end on a runtime of its own on this thread. The clock is stopped if `is_virtual`.
pub(crate) fn block_on<F: Future>(is_virtual: bool, future: F) -> std::io::Result<F::Output> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(is_virtual);
    Ok(builder.build()?.block_on(future))
}
