//! The definition of a rendered set as it is added to an operator, and its construction for its reconciler.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use kube::core::object::HasStatus;
use kubewright_core::dependents::KindRule;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::BoxError;
use kubewright_core::manifest::OperatorName;
use kubewright_core::queue::Lane;
use kubewright_core::why::QueuedBy;
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_render::ErasedGenerator;
use kubewright_runtime::cluster::ApiResource;
use kubewright_runtime::controller::QueueHandle;
use kubewright_runtime::inject::FromOperator as _;
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::operator::{Declarations, OperatorContext};
use kubewright_runtime::store::Store;
use serde_json::Value;

use super::follow::follow;
use crate::kind::{Component, EmbedsStatus};
use crate::observe::Notify;
use crate::operator::{EngineOpening, EngineOptions, OwnerTypeNames};
use crate::reconciler::SharedPassState;
use crate::record::StatusPath;

/// A revision that no real status has. It marks the field that holds the engine's part.
const MARK: i64 = -4711;

/// The definition of the rendered set of a kind of owners.
pub(super) struct SetDefinition<C> {
    pub(super) generator: Arc<dyn ErasedGenerator<C>>,
    pub(super) options: EngineOptions,
    pub(super) readiness: BTreeMap<GroupKind, KindRule>,
}

/// The parts of a constructed set.
pub(super) struct Opened {
    pub(super) shared: Arc<SharedPassState>,
    pub(super) status_path: StatusPath,
    /// The queue of the reconciler. Set in its first pass, because nothing is watched before.
    pub(super) queue: Arc<OnceLock<QueueHandle>>,
}

impl<C: Send + Sync + 'static> SetDefinition<C> {
    pub(super) fn declare<K: Component + KnownKind>(&self, declarations: &mut Declarations) {
        let kind = K::kind(&());
        let prefix = self.prefix::<K>();
        let part = "rendered set of";
        OwnerTypeNames { prefix: &prefix, finalizer: &prefix, is_own: true, part, method: "rendered_set" }
            .claim::<K>(declarations);
        if let Err(problem) = status_path_of::<K>() {
            declarations.problem(problem);
        }
        if let Err(error) = self.options.defaults().check() {
            declarations.problem(format!("rendered set of {kind}: {error}"));
        }
        if let Err(error) = self.generator.check_erased() {
            declarations.problem(format!("generator of {kind}: {error}"));
        }
        Store::<K>::declare(declarations);
        self.options.declare::<K>(declarations);
    }

    pub(super) fn open<K: Component + KnownKind>(&self, context: &OperatorContext) -> Result<Opened, BoxError> {
        let queue: Arc<OnceLock<QueueHandle>> = Arc::default();
        let notify: Notify = {
            let queue = Arc::clone(&queue);
            Arc::new(move |key: &Key, cause: QueuedBy| {
                if let Some(queue) = queue.get() {
                    queue.because(key.clone(), Lane::Fast, cause);
                }
            })
        };
        let (prefix, cluster) = (self.prefix::<K>(), &context.cluster);
        let opening = EngineOpening {
            context,
            controller: cluster.controller(),
            operator: &context.operator,
            name: OperatorName::new(&prefix)?,
            resource: Arc::new(ApiResource::known(&K::gvk(), K::plural(&()), K::is_namespaced())),
            finalizer: FinalizerName::unqualified(&prefix)?,
            is_hosted: true,
            options: &self.options,
            readiness: self.readiness.clone(),
            cluster: cluster.clone(),
            own: cluster.clone(),
            recorder: context.recorder.clone(),
            notify,
        };
        let shared = Arc::new(opening.open()?);
        follow(Store::<K>::extract(context)?, Arc::clone(&shared), (&context.tasks, context.clock.clone()));
        Ok(Opened { shared, status_path: status_path_of::<K>()?, queue })
    }

    /// Returns the name of the type. It prevents a reconciler from taking the dependents of another reconciler of the operator for its own.
    fn prefix<K: Component>(&self) -> String {
        self.options.name.clone().unwrap_or_else(|| format!("{}.{}", K::kind(&()).to_lowercase(), K::group(&())))
    }
}

/// Returns the field that holds the engine's part of the status of a kind.
fn status_path_of<K: Component>() -> Result<StatusPath, String> {
    let kind = K::kind(&());
    let mut status = <K as HasStatus>::Status::default();
    status.component_status_mut().revision = MARK;
    let written = serde_json::to_value(&status).unwrap_or_default();
    match StatusPath::of_marked(&written, "revision", &Value::from(MARK)) {
        Some(status_path) if !status_path.is_whole() => Ok(status_path),
        Some(_) => Err(format!(
            "rendered set of {kind}: the status of {kind} is itself, or flattens, the `ComponentStatus`, whose conditions would be those of the \
             reconciler, too; give it a field of its own, such as `rendered: ComponentStatus`"
        )),
        None => Err(format!(
            "rendered set of {kind}: `component_status_mut` of the status of {kind} changes nothing that is written; return the field that holds \
             the `ComponentStatus`"
        )),
    }
}

impl<C> Clone for SetDefinition<C> {
    fn clone(&self) -> Self {
        Self { generator: Arc::clone(&self.generator), options: self.options.clone(), readiness: self.readiness.clone() }
    }
}
