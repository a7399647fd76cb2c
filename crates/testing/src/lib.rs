//! Tests of operators: one cluster interface over the embedded API server, a real control plane, and any kubeconfig.
//!
//! See [`TestCluster`].
//!
//! Modules, from low to high: `config_map`, `cut`, `event`, `fixtures`, `leaders`, `log`, `objects`, `hooks`, `passage`, `printed`, `report`,
//! `expect`, `second_pass`, `select`, `signal`, `go_replica`, `real`, `speaking`, `task`, `each`, `node`, `time`, `backend`, `cluster`, `assertion`,
//! `bench`, `calm`, `disturbance`, `load`, `metric`, `operator`, `origin`, `table`, `flow_assert`, `tracked`, `usage`.

mod assertion;
mod backend;
pub mod bench;
mod calm;
mod cluster;
mod config_map;
mod cut;
pub mod disturbance;
mod each;
mod event;
mod expect;
#[cfg(feature = "fixtures")]
pub mod fixtures;
mod flow_assert;
mod go_replica;
mod hooks;
mod leaders;
mod load;
mod log;
mod metric;
mod node;
mod objects;
mod operator;
mod origin;
mod passage;
mod printed;
pub mod real;
mod report;
mod second_pass;
mod select;
mod signal;
mod speaking;
pub mod table;
mod task;
mod time;
mod tracked;
mod usage;

#[doc(hidden)]
pub use assertion::assert_top_level;
pub use assertion::object_key;
#[doc(hidden)]
pub use backend::epoch;
pub use calm::Calm;
pub use cluster::{TestCluster, TestOptions};
pub use config_map::{ConfigMapFileError, config_map_from_yaml};
pub use cut::OperatorCut;
pub use each::each;
pub use expect::Expectation;
pub use flow_assert::{ExpectedHalt, FlowAssert};
#[doc(hidden)]
pub use go_replica::{GoReplica, GoReplicaError};
pub use hooks::{Hooks, RunningHooks, TimedOut};
pub use kubewright_middleware::{Faults, Journal};
pub use leaders::BucketLeaders;
pub use node::NodePlayer;
pub use operator::TestOperator;
pub use origin::ClusterOrigin;
pub use select::{Tier, UnknownTier};
#[doc(hidden)]
pub use task::block_on;
pub use tracked::RecordingTracker;
pub use usage::Usage;
