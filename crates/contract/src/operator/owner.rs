//! The controller of an owner as a registered part of an operator.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::contract::{IGNORE, triggers};
use kubewright_core::filter::generation;
use kubewright_core::finalizer::GiveUp;
use kubewright_core::flow::Delay;
use kubewright_runtime::definition::custom_resource_definition;
use kubewright_runtime::kind::KnownKind as _;
use kubewright_runtime::operator::Operator;
use kubewright_runtime::reconcile::{Controller, ControllerExt as _};

use crate::declaration::{Contract, ContractInternal, Terms};
use crate::owner_loop::{OwnerConstructor, OwnerLoop};

type Change<C> = Box<dyn FnOnce(Controller<OwnerLoop<C>>) -> Controller<OwnerLoop<C>>>;

/// An operator with the controller of a contract's owner whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorContractOwner<C: Contract> {
    operator: Operator,
    give_up: GiveUp,
    changes: Vec<Change<C>>,
}

impl<C: Contract> OperatorContractOwner<C> {
    pub(super) fn new(operator: Operator) -> Self {
        Self { operator, give_up: GiveUp::Never, changes: Vec::new() }
    }

    /// Sets the name of the controller. See [`Controller::named`]. Default: the kind in lower case. Components carry the name in the label
    /// `<domain>/managed-by`.
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

    /// Releases the finalizer of an owner if not all of its components are gone this long after its deletion, with a Warning event
    /// `FinalizerAbandoned`; garbage collection deletes the remaining components. By default the owner waits for ever. With or without this
    /// option, a user can force the release with the annotation `<domain>/force-finalize=true` (FZ-12, FZ-13).
    pub fn abandon_after(mut self, limit: Delay) -> Self {
        self.give_up = GiveUp::After(limit);
        self
    }

    /// Starts passes for changes of objects of other kinds, such as those that [`Contract::propagate`] reads. See [`Controller::watches`].
    pub fn watches(self, declare: impl FnOnce(&mut kubewright_runtime::reconcile::TriggerSet<C::Owner>) + 'static) -> Self {
        self.with(|controller| controller.watches(declare))
    }

    fn with(mut self, change: impl FnOnce(Controller<OwnerLoop<C>>) -> Controller<OwnerLoop<C>> + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }
}

impl<C: Contract> From<OperatorContractOwner<C>> for Operator {
    fn from(built: OperatorContractOwner<C>) -> Self {
        let OperatorContractOwner { operator, give_up, changes } = built;
        let (mut terms, components) = Terms::of_owner::<C>();
        let format = terms.format.clone();
        let finalizer = format.owner_finalizer(&C::Owner::gvk().kind);
        if let Err(error) = &finalizer {
            terms.problems.push(error.to_string());
        }
        let watched = components.clone();
        let constructor = OwnerConstructor { terms: Arc::new(terms), components, give_up };
        let controller = Controller::<OwnerLoop<C>>::of(Box::new(constructor))
            .ignore(format.operation(), IGNORE)
            .triggered_by(triggers::owner_changes(&format))
            .watches(|triggers| {
                for component in &watched {
                    component.watch(triggers, &format);
                }
                if C::Internal::EXISTS {
                    drop(triggers.watch::<C::Internal>().same_name().filter(generation()));
                }
            })
            .crd(custom_resource_definition::<C::Owner>().ok())
            .finalizer_by_hand()
            .conclude();
        let controller = match finalizer {
            Ok(name) => controller.finalizer_named(name),
            Err(_) => controller,
        };
        operator.add_controller(changes.into_iter().fold(controller, |controller, change| change(controller)))
    }
}

impl<C: Contract> fmt::Debug for OperatorContractOwner<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorContractOwner").field("give_up", &self.give_up).finish_non_exhaustive()
    }
}
