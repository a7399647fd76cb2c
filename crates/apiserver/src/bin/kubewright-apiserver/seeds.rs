//! Objects that are there from the start.

use std::path::Path;

use kubewright_apiserver::{ApiServer, kinds::Scope};
use kubewright_machinery::{object::ObjectExt, yaml};

use super::Failure;

/// Creates the objects of a file, in its order; returns how many there were.
pub(crate) async fn create(server: &ApiServer, path: &Path) -> Result<usize, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("read {}: {error}", path.display()))?;
    let objects = yaml::documents(&text).map_err(|error| format!("read {}: {error}", path.display()))?;
    let mut created = 0;
    for mut object in objects.into_iter().filter(|object| !object.is_null()) {
        let title = object.title();
        let Some(scope) = server.scope_of(&object) else {
            let path = path.display();
            return Err(
                format!("create {title} of {path}: no such kind is served; put its CustomResourceDefinition before it").into()
            );
        };
        if object.namespace().is_empty() && scope == Scope::Namespaced {
            object.metadata_mut().insert("namespace".into(), "default".into());
        }
        server.create(object).await.map_err(|status| format!("create {title} of {}: {status}", path.display()))?;
        created += 1;
    }
    Ok(created)
}
