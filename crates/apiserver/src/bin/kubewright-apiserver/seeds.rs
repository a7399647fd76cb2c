//! Objects that exist from the start.

use std::path::Path;

use kubewright_apiserver::ApiServer;

use super::Failure;

/// Creates the objects of a manifest file in their order, and returns their number.
pub(crate) async fn create(server: &ApiServer, path: &Path) -> Result<usize, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("read {}: {error}", path.display()))?;
    Ok(server.load(&text).await.map_err(|error| format!("load {}: {error}", path.display()))?)
}
