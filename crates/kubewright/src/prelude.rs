//! Everything that an operator usually names.

pub use std::process::ExitCode;

pub use kube::{CustomResource, Resource, ResourceExt};
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Map, Value, json};

pub use kubewright_component::{
    Component, ComponentBuilder, ComponentExt, ComponentStatus, ConfigMapKeyRef, ConfigMapRef, HoldsReferences, HookContext,
    Impersonation, Interval, LoadContext, Loaded, ManagedType, ManagedTypes, Placement, Policies, ReadContext, Reapply,
    Reference, Requeue, Retry, SecretKeyRef, SecretRef, Setting, Settings, Suspend, Target, Timeout, Values,
};
pub use kubewright_core::flow::{Blocked, Delay, Failure, Flow, FlowExt, Halt, Wait};
pub use kubewright_core::manifest::{AdoptionPolicy, DeletePolicy, Lifecycle, ReconcilePolicy, UpdatePolicy};
pub use kubewright_derive::{Component, HoldsReferences};
pub use kubewright_render::{
    ApplyOrder, DeleteOrder, Empty, Generator, GeneratorExt, Manifest, Manifests, PurgeOrder, RenderContext, RenderError,
};
pub use kubewright_runtime::operator::Operator;

pub use crate::Main;
