//! Rendered components as registered parts of an operator.

use std::fmt;

use kubewright_component::{Component, EmbedsStatus, RenderedSetBuilder, RenderedSetExt as _};
use kubewright_render::Generator;
use kubewright_runtime::operator::Operator;

use super::{RenderedComponent, WithDependencies};
use crate::declaration::ContractComponent;
use crate::operator::{ContractExt as _, OperatorComponentController};

type Set<T> = RenderedSetBuilder<T, WithDependencies<T>>;
type Controller<T> = OperatorComponentController<RenderedComponent<T>>;
type Change<T> = Box<dyn FnOnce(Controller<T>) -> Controller<T>>;

/// Extension of an operator by rendered components.
pub trait RenderedComponentExt: Into<Operator> + Sized {
    /// Adds the controller of a component whose dependents this generator renders from the component and its dependencies. The returned builder
    /// changes its options.
    ///
    /// ```
    /// # use kubewright_contract::{ContractComponent, RenderedComponentExt as _, WithDependencies};
    /// # use kubewright_component::{Component, EmbedsStatus};
    /// # use kubewright_render::{Manifest, RenderContext, RenderError};
    /// # use kubewright_runtime::operator::Operator;
    /// # fn with<Landscaper>(operator: Operator) -> Operator
    /// # where Landscaper: ContractComponent<Private: EmbedsStatus> + Component {
    /// async fn manifests<L: ContractComponent>(cx: &RenderContext<WithDependencies<L>>) -> Result<Vec<Manifest>, RenderError> {
    ///     let config = serde_json::json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": cx.name() } });
    ///     Ok(vec![Manifest::from_json(config)?])
    /// }
    ///
    /// operator.rendered_component::<Landscaper>(manifests::<Landscaper>).set(|set| set.dependent_types([("", "configmaps")])).into()
    /// # }
    /// ```
    fn rendered_component<T: ContractComponent<Private: EmbedsStatus> + Component>(
        self,
        generator: impl Generator<WithDependencies<T>>,
    ) -> OperatorRenderedComponent<T> {
        OperatorRenderedComponent { set: self.into().rendered_set_as(generator), changes: Vec::new() }
    }
}

impl<O: Into<Operator>> RenderedComponentExt for O {}

/// An operator with a rendered component whose options can still be changed.
#[must_use = "convert it into an `Operator`, or run it with `main`"]
pub struct OperatorRenderedComponent<T: ContractComponent<Private: EmbedsStatus> + Component> {
    set: Set<T>,
    changes: Vec<Change<T>>,
}

impl<T: ContractComponent<Private: EmbedsStatus> + Component> OperatorRenderedComponent<T> {
    /// Changes the options of the dependents.
    pub fn set(mut self, change: impl FnOnce(Set<T>) -> Set<T>) -> Self {
        self.set = change(self.set);
        self
    }

    /// Changes the options of the controller.
    pub fn controller(mut self, change: impl FnOnce(Controller<T>) -> Controller<T> + 'static) -> Self {
        self.changes.push(Box::new(change));
        self
    }
}

impl<T: ContractComponent<Private: EmbedsStatus> + Component> From<OperatorRenderedComponent<T>> for Operator {
    fn from(built: OperatorRenderedComponent<T>) -> Self {
        let controller = Self::from(built.set).component_controller(RenderedComponent::<T>::new);
        built.changes.into_iter().fold(controller, |controller, change| change(controller)).into()
    }
}

impl<T: ContractComponent<Private: EmbedsStatus> + Component> fmt::Debug for OperatorRenderedComponent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorRenderedComponent").field("set", &self.set).finish_non_exhaustive()
    }
}
