mod following;
mod inspect;
mod own_writes;
mod property;
mod sharing;
mod unreadable;

use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{GroupKind, Key};
use serde_json::Value;

use super::{Change, Changes, Project, ProjectedStore, Unprojectable, WatchSpec};
use crate::cluster::Cluster;

/// The projection of these tests.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    uid: String,
    version: String,
    text: String,
}

struct Keeper;

impl Project for Keeper {
    type Output = Kept;

    fn project(&self, object: &Value) -> Result<Kept, Unprojectable> {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        assert!(!text("/kind").is_empty() && !text("/apiVersion").is_empty(), "STORE-2");
        assert_ne!(text("/data/text"), "poison", "this projector takes no poison");
        if text("/data/text") == "refused" {
            return Err(Unprojectable::new("text is \"refused\""));
        }
        Ok(Kept { uid: text("/metadata/uid"), version: text("/metadata/resourceVersion"), text: text("/data/text") })
    }

    fn index<'a>(&self, kept: &'a Kept, entry: &mut dyn FnMut(&'static str, &'a str)) {
        entry("text", &kept.text);
        kept.text.split(' ').for_each(|word| entry("word", word));
    }
}

fn config_maps() -> WatchSpec {
    WatchSpec::new(GroupKind::new("", "ConfigMap"))
}

fn widgets() -> WatchSpec {
    WatchSpec::new(GroupKind::new("example.dev", "Widget"))
}

fn subscribe(cluster: &Cluster) -> ProjectedStore<Kept> {
    cluster.watches().subscribe(config_maps(), Arc::new(Keeper))
}

async fn synced(cluster: &Cluster) -> ProjectedStore<Kept> {
    let store = subscribe(cluster);
    store.synced().await;
    settle().await;
    store
}

/// Waits a moment, in which all tasks that are ready run.
async fn settle() {
    pass(1).await;
}

async fn pass(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

fn key(name: &str) -> Key {
    Key::new("demo", name)
}

fn texts(store: &ProjectedStore<Kept>) -> Vec<String> {
    let mut texts: Vec<_> = store.list().iter().map(|(key, kept)| format!("{}={}", key.name(), kept.text)).collect();
    texts.sort();
    texts
}

/// Returns `name: old -> new` for all changes so far.
fn told(changes: &mut Changes<Kept>) -> Vec<String> {
    std::iter::from_fn(|| changes.try_next()).map(|change| line(&change)).collect()
}

fn line(change: &Change<Kept>) -> String {
    let text = |kept: &Option<Arc<Kept>>| kept.as_ref().map_or_else(|| "-".to_owned(), |kept| kept.text.clone());
    format!("{}: {} -> {}", change.key.name(), text(&change.old), text(&change.new))
}
