//! An operator of two kinds: databases, and caches that refer to them.
//!
//! ```yaml
//! apiVersion: demo.kubewright.dev/v1alpha1
//! kind: Database
//! metadata: {name: shop, namespace: default}
//! ---
//! apiVersion: demo.kubewright.dev/v1alpha1
//! kind: Cache
//! metadata: {name: shop, namespace: default}
//! spec:
//!   database: {name: shop}
//! ```
//!
//! # Separation of the kinds
//!
//! Both components above have the same namespace and name. Each kind has a name of its own, [`DATABASES`] and [`CACHES`], which is the
//! prefix of its labels and annotations and the name of its finalizer and field manager, so that neither takes the objects of the other
//! for its own.
//!
//! # References between the kinds
//!
//! * A cache waits until its database was ready once, and follows it: a [`DatabaseRef`] is a reference whose content, the connection data
//!   of the database, is an input of the cache's rendering.
//! * A change of a database queues the caches that read it at once, by a watch on databases.
//! * A hook keeps a database that is being deleted as long as a cache refers to it; a watch on caches reports the removal of the last one.
//!
//! # Try it
//!
//! * `cargo run -p shop-operator -- dev` starts an API server and the operator in one process, and installs both.
//! * `kubectl patch database shop --type merge -p '{"spec": {"port": 5433}}'`: the cache gets the new port.
//! * `kubectl delete database shop --wait=false`: it stays, and its status gives the reason; `kubectl delete cache shop` removes both.

mod cache;
mod database;

pub use cache::{Cache, CacheSpec, DatabaseRef};
pub use database::{Connection, Database, DatabaseSpec};
use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;

/// The name of the operator and of its first kind, under which the marks of databases stand.
pub const DATABASES: &str = "shop-operator.demo.kubewright.dev";
/// The name of its second kind.
pub const CACHES: &str = "shop-operator-caches.demo.kubewright.dev";

/// Returns the operator.
pub fn operator() -> ComponentBuilder<Cache> {
    Operator::new(DATABASES)
        .version(env!("CARGO_PKG_VERSION"))
        .sample(include_str!("../sample.yaml"))
        .component::<Database>(database::render)
        .dependent_types([("", "services"), ("apps", "statefulsets")])
        .pre_delete(database::keep_while_in_use)
        .foreign_watch(|cache: &Cache| cache.database_key().into_iter().collect())
        .component::<Cache>(cache::render)
        .named(CACHES)
        .dependent_types([("", "configmaps"), ("", "services"), ("apps", "deployments")])
        .foreign_watch(cache::readers)
        .post_delete(cache::forget)
}
