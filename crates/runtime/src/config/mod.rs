//! Typed configuration: the ConfigMaps in the namespace that the operator runs in, as values that follow them.
//!
//! A constructor that asks for [`Config<T>`] declares the ConfigMap of `T`. Before any constructor runs, one watch has read all declared ConfigMaps. All
//! values together are one immutable snapshot behind one pointer: changes that arrive together are swapped together, and a pass keeps the snapshot that it
//! started with. A change of a value queues the objects of the controllers that asked for it.

mod declared;
mod directory;
mod entry;
mod handle;
mod keeper;
mod maps;
mod observability;
mod report;
mod snapshot;
mod states;
mod table;
#[cfg(test)]
mod tests;
mod timing;

pub(crate) use declared::{ConfigValues, DeclaredConfigs};
pub use directory::read_dir;
pub use handle::Config;
pub(crate) use keeper::{Keeper, KeeperOptions, LevelSink};
pub use observability::ObservabilityControl;
pub(crate) use snapshot::{Configs, Snapshot};
pub(crate) use states::ConfigStates;
pub use timing::CurrentTiming;
