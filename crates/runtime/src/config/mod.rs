//! Typed configuration: values that follow the ConfigMaps in the namespace in which the operator runs.
//!
//! A constructor that requests [`Config<T>`] declares the ConfigMap of `T`. One watch reads all declared ConfigMaps before any constructor runs. All values
//! together are one immutable snapshot behind one pointer: changes that arrive together are swapped together, and a pass keeps the snapshot that it started
//! with. A change of a value queues the objects of the controllers that requested it.

mod declared;
mod directory;
mod entry;
mod handle;
mod keeper;
mod keeper_options;
mod maps;
mod observability;
mod pass_snapshot;
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
pub(crate) use keeper::Keeper;
pub(crate) use keeper_options::{KeeperOptions, KeeperServices, LevelSink};
pub use observability::ObservabilityControl;
pub(crate) use pass_snapshot::with_snapshot;
pub(crate) use snapshot::{ConfigSnapshot, Configs};
pub(crate) use states::ConfigStates;
pub use timing::CurrentTiming;
