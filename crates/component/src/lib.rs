//! The component reconciler: installs, upgrades, repairs and removes the dependents of a component.
//!
//! A [`Component`] is a custom resource; its [`Settings`] say how the framework treats it, and a generator
//! (`kubewright-render`) says what its dependents are. [`ComponentExt::component`] makes it a part of an operator.
//!
//! One pass observes through shared watches, lets `kubewright-core` plan, executes what the plan says, and records what came of
//! it in the component's status.

mod events;
mod execute;
mod hooks;
mod kind;
mod metrics;
mod observe;
mod operator;
mod reconciler;
mod record;
mod settings;

pub use hooks::{HookContext, HookFn, ReadContext, ReadHookFn};
pub use kind::{Component, EmbedsStatus, custom_resource_definition, is_ready};
pub use kubewright_core::component::{ComponentStatus, State};
pub use operator::{ComponentBuilder, ComponentExt, DependentEvents};
pub use settings::{
    ComponentDeletePolicy, Interval, InvalidInterval, InvalidSetting, ManagedType, ManagedTypes, Parameters, Placement, Policies,
    Reapply, Requeue, Retry, Setting, Settings, Suspend, Timeout, Values, derive, parameters_of,
};
