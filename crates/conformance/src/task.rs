//! The only module that starts tasks.

use std::future::Future;

/// Drives a connection in a task until it ends. Its result is dropped, since the user of the connection gets the error.
#[expect(clippy::disallowed_methods, reason = "tasks start in this module alone")]
pub(crate) fn beside(connection: impl Future<Output: Send> + Send + 'static) {
    drop(tokio::spawn(async {
        let _ = connection.await;
    }));
}
