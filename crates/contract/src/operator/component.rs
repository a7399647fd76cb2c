//! The controller of a component as a registered part of an operator.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::contract::{IGNORE, triggers};
use kubewright_core::filter::{Filter, FilterExt as _, has};
use kubewright_core::finalizer::GiveUp;
use kubewright_core::flow::Delay;
use kubewright_machinery::object::GroupKind;
use kubewright_runtime::definition::custom_resource_definition;
use kubewright_runtime::ensure::ChildMarks;
use kubewright_runtime::inject::Construct;
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::operator::Operator;
use kubewright_runtime::reconcile::{Controller, ControllerExt as _};
use kubewright_runtime::store::Kept;

use crate::component_loop::{ComponentLoop, Dangling, LoopConstructor, LoopOptions};
use crate::controller::ComponentController;
use crate::declaration::{ContractMember, Edges as _, OwnFinalizer, OwnerOf, Terms};

/// The end of the error message about a child that is the owner or a component of the contract.
const NO_MEMBERS: &str =
    "the owner and its components are written by the controller of the owner alone; ask for the change in the spec of the owner";

type Component<C> = <C as ComponentController>::Component;
type ExtraFilter<C> = Box<dyn Filter<Kept<Component<C>>> + Send + Sync>;
type Change<C> = Box<dyn FnOnce(Controller<ComponentLoop<C>>) -> Controller<ComponentLoop<C>>>;

/// An operator with a component controller whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorComponentController<C: ComponentController> {
    operator: Operator,
    constructor: Box<dyn Construct<C>>,
    options: LoopOptions,
    filter: Option<ExtraFilter<C>>,
    changes: Vec<Change<C>>,
}

impl<C: ComponentController> OperatorComponentController<C> {
    pub(super) fn new(operator: Operator, constructor: Box<dyn Construct<C>>) -> Self {
        Self { operator, constructor, options: LoopOptions::default(), filter: None, changes: Vec::new() }
    }

    /// Sets the name of the controller. See [`Controller::named`]. Default: the kind in lower case.
    pub fn named(self, name: impl Into<String> + 'static) -> Self {
        self.with(|controller| controller.named(name))
    }

    /// Sets the number of parallel passes. See [`Controller::workers`].
    pub fn workers(self, workers: usize) -> Self {
        self.with(move |controller| controller.workers(workers))
    }

    /// Sets the time limit of the methods. See [`Controller::timeout`].
    pub fn timeout(self, limit: Duration) -> Self {
        self.with(move |controller| controller.timeout(limit))
    }

    /// Declares a permission. See [`Controller::permissions`].
    pub fn permissions(self, group: impl Into<String>, resource: impl Into<String>, verbs: &[&str]) -> Self {
        let (group, resource) = (group.into(), resource.into());
        let verbs: Vec<String> = verbs.iter().map(|verb| (*verb).to_owned()).collect();
        self.with(move |controller| {
            let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
            controller.permissions(group, resource, &verbs)
        })
    }

    /// Releases the dependency finalizers and the own finalizer after the first `cleanup` without success that ends this long after the
    /// deletion, with a Warning event `FinalizerAbandoned`. By default `cleanup` is retried for ever. With or without this option, a user can
    /// force the release with the annotation `<domain>/force-finalize=true` (FZ-12, FZ-13).
    pub fn abandon_after(mut self, limit: Delay) -> Self {
        self.options.give_up = GiveUp::After(limit);
        self
    }

    /// Sets the handling of dependency finalizers whose depending component does not exist. Default: they are removed after
    /// [`Timing::dangling`](kubewright_core::backoff::Timing::dangling), 5 minutes (TEAR-3).
    pub fn dangling(mut self, dangling: Dangling) -> Self {
        self.options.dangling = Some(dangling);
        self
    }

    /// Starts passes also for the changes of the component that pass this filter, in addition to the default ones (WAKE-1). An ignored component
    /// starts none.
    pub fn or_triggered_by(mut self, filter: impl Filter<Kept<Component<C>>> + Send + Sync + 'static) -> Self {
        self.filter = Some(Box::new(filter));
        self
    }

    /// Declares a kind of children. See [`Controller::creates`].
    pub fn creates<D: KnownKind>(self) -> Self {
        self.with(Controller::creates::<D>)
    }

    /// Starts passes for changes of children of a kind. See [`Controller::owns`].
    pub fn owns<D: KnownKind>(self) -> Self {
        self.with(Controller::owns::<D>)
    }

    /// Sets labels of all children. See [`Controller::child_labels`].
    pub fn child_labels<N: Into<String>, V: Into<String>>(self, labels: impl IntoIterator<Item = (N, V)>) -> Self {
        let labels: Vec<(String, String)> = labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        self.with(|controller| controller.child_labels(labels))
    }

    /// Sets annotations of all children. See [`Controller::child_annotations`].
    pub fn child_annotations<N: Into<String>, V: Into<String>>(self, annotations: impl IntoIterator<Item = (N, V)>) -> Self {
        let annotations: Vec<(String, String)> = annotations.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        self.with(|controller| controller.child_annotations(annotations))
    }

    /// Starts passes for changes of objects of other kinds. See [`Controller::watches`].
    pub fn watches(self, declare: impl FnOnce(&mut kubewright_runtime::reconcile::TriggerSet<Component<C>>) + 'static) -> Self {
        self.with(|controller| controller.watches(declare))
    }

    fn with(mut self, change: impl FnOnce(Controller<ComponentLoop<C>>) -> Controller<ComponentLoop<C>> + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }
}

impl<C: ComponentController> From<OperatorComponentController<C>> for Operator {
    fn from(built: OperatorComponentController<C>) -> Self {
        let OperatorComponentController { operator, constructor, options, filter, changes } = built;
        let mut terms = Terms::of::<Component<C>>();
        let format = terms.format.clone();
        let finalizer = OwnFinalizer::<Component<C>>::new(&format);
        if let Err(error) = &finalizer {
            terms.problems.push(error.to_string());
        }
        let owner = OwnerOf::<Component<C>>::gvk().group_kind();
        let members: Vec<GroupKind> = terms.kinds().chain([owner]).collect();
        let constructor = LoopConstructor { controller: constructor, terms: Arc::new(terms), options };
        let own = triggers::own_changes(&format);
        let controller = Controller::<ComponentLoop<C>>::of(Box::new(constructor)).ignore(format.operation(), IGNORE);
        let controller = controller.child_marks(ChildMarks::of_domain(format.domain())).refuses_children(members, NO_MEMBERS);
        let controller = match filter {
            Some(filter) => {
                let further = move |change: &kubewright_core::filter::Change<Kept<Component<C>>>| filter.passes(change);
                controller.triggered_by(own.or(further.and(has(format.operation(), Some(IGNORE)).not())))
            }
            None => controller.triggered_by(own),
        };
        let controller = controller.watches(|triggers| <Component<C> as ContractMember>::Edges::watch(triggers, &format));
        let controller = controller.crd(custom_resource_definition::<Component<C>>().ok()).finalizer_by_hand().conclude();
        let controller = match finalizer {
            Ok(own) => {
                let former: Vec<String> = own.former().map(ToString::to_string).into_iter().collect();
                controller.finalizer_named(own.name().clone()).legacy_finalizers(former)
            }
            Err(_) => controller,
        };
        operator.add_controller(changes.into_iter().fold(controller, |controller, change| change(controller)))
    }
}

impl<C: ComponentController> fmt::Debug for OperatorComponentController<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorComponentController").field("options", &self.options).finish_non_exhaustive()
    }
}
