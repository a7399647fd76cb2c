//! The names that an operator usually imports.

pub use std::process::ExitCode;

pub use kube::{CustomResource, Resource, ResourceExt};
pub use kubewright_component::{
    Component, ComponentBuilder, ComponentDeletePolicy, ComponentExt, ComponentState, ComponentStatus, ConfigMapBytesKeyRef,
    ConfigMapBytesRef, ConfigMapKeyRef, ConfigMapRef, DependentEvents, EmbedsStatus, ExternalTrafficPolicy, HoldsReferences,
    HookContext, ImagePullPolicy, ImageSpec, Impersonation, IngressProperties, Interval, Key, KubeConfig,
    KubernetesContainerProperties, KubernetesPodProperties, KubernetesProperties, LoadContext, Loaded, ManagedType, ManagedTypes,
    Occurrence, Parameters, Placement, Policies, ReadContext, Readiness, Reapply, Reference, References, RenderedSet,
    RenderedSetExt, Requeue, Resolved, Retry, SecretKeyRef, SecretRef, ServiceProperties, ServiceType, Setting, Settings,
    Suspend, Target, Timeout, Trigger, TypedValues, Values, is_ready,
};
pub use kubewright_core::condition::{Condition, ConditionSet, ConditionStatus, ConditionType, Conditioned, Conditions};
pub use kubewright_core::config::FromConfigMap;
pub use kubewright_core::flow::{Blocked, BoxError, Delay, Failure, Flow, FlowExt, Halt, Redactor, Wait};
pub use kubewright_core::manifest::{
    AdoptionPolicy, DeletePolicy, Lifecycle, MissingNamespacesPolicy, PolicySettings, ReconcilePolicy, UpdatePolicy,
};
pub use kubewright_derive::{Component, ConditionSet, FromConfigMap, HoldsReferences, Values, contract, reconciler};
pub use kubewright_render::{
    ApplyOrder, Capabilities, DeleteOrder, Empty, Generator, GeneratorCache, GeneratorExt, HelmChart, InputError, Kustomization,
    KustomizePatches, Manifest, Manifests, ParameterTemplate, PurgeOrder, RenderContext, RenderError, Stage, Substitution,
    Templates, Transform, include_dir,
};
// The macro, which needs the crate of its name in scope.
pub use kubewright_render::include_dir::{Dir, include_dir};
pub use kubewright_runtime::background::{BackgroundTask, CancellationToken, LeaderTask, TaskExt};
pub use kubewright_runtime::cluster::Cluster;
pub use kubewright_runtime::config::Config;
pub use kubewright_runtime::controller::LeaderTerm;
pub use kubewright_runtime::ensure::{Adopt, ChildChange, ChildDeletion, Ensured, UpdateGate};
pub use kubewright_runtime::events::Recorder;
pub use kubewright_runtime::inject::{Enqueue, FromOperator, State};
pub use kubewright_runtime::kind::Defaulted;
pub use kubewright_runtime::leadership::{Leadership, LeadershipChanges};
pub use kubewright_runtime::operator::{Compat, Operator, OperatorOptions};
pub use kubewright_runtime::reconcile::{
    Context, Controller, ControllerExt, Finalize, Lead, NoStatus, Observe, ObserveDeleted, Reconcile, TargetCluster, Targets,
};
pub use kubewright_runtime::step;
pub use kubewright_runtime::step::{Pass, Pipeline, Step, join_all};
pub use kubewright_runtime::store::{AllNamespaces, MetaStore, OperatorScope, Optional, Store, SystemNamespace};
pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};
pub use serde_json::{Map, Value, json};

pub use crate::Main;
