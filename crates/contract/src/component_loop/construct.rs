//! The construction of the loop, with the stores of its targets.

use std::sync::Arc;

use async_trait::async_trait;
use kube::Resource as _;
use kubewright_core::flow::BoxError;
use kubewright_runtime::inject::{Construct, FromOperator as _};
use kubewright_runtime::kind::KnownKind as _;
use kubewright_runtime::operator::{Declarations, OperatorContext, Rule};
use kubewright_runtime::store::Store;

use super::dangling::DanglingFinalizers;
use super::{ComponentLoop, Dangling, LoopOptions};
use crate::controller::ComponentController;
use crate::declaration::{ContractMember, Edges as _, OwnFinalizer, OwnerOf, Terms};

/// The constructor of the loop around a controller.
pub(crate) struct LoopConstructor<C> {
    pub(crate) controller: Box<dyn Construct<C>>,
    pub(crate) terms: Arc<Terms>,
    pub(crate) options: LoopOptions,
}

type Component<C> = <C as ComponentController>::Component;

#[async_trait]
impl<C: ComponentController> Construct<ComponentLoop<C>> for LoopConstructor<C> {
    fn declare(&self, declarations: &mut Declarations) {
        self.terms.declare::<<Component<C> as ContractMember>::Contract>(declarations);
        let owner = OwnerOf::<Component<C>>::gvk();
        // The controller of a component has no access to the owner (CT-4).
        let mut asked = Declarations::default();
        self.controller.declare(&mut asked);
        let plural = OwnerOf::<Component<C>>::plural(&());
        if asked.all_rules().iter().any(|rule| rule.group == owner.group && rule.resource == plural) {
            let text = format!("the controller of component {} asks for its owner, {}", Component::<C>::TYPE, owner.kind);
            declarations.problem(format!("{text}; a component finds its input in its own object and in its dependencies"));
        }
        self.controller.declare(declarations);
        <Component<C> as ContractMember>::Edges::declare(declarations);
        if self.options.dangling != Some(Dangling::Keep) {
            for (_, resource) in self.terms.depending(Component::<C>::TYPE) {
                declarations.rule(Rule::new(resource.group.clone(), resource.plural.clone(), &["get"]));
            }
        }
        let (group, plural) = (Component::<C>::group(&()), Component::<C>::plural(&()));
        declarations.rule(Rule::new(group, plural, &["get", "patch"]));
    }

    async fn construct(self: Box<Self>, context: &OperatorContext) -> Result<ComponentLoop<C>, BoxError> {
        let Self { controller, terms, options } = *self;
        let own = OwnFinalizer::<Component<C>>::new(&terms.format)?;
        let names = std::iter::once(own.name()).chain(own.former());
        let store = Store::<Component<C>>::extract(context)?;
        Ok(ComponentLoop {
            finalizers: names.map(ToString::to_string).collect(),
            targets: <Component<C> as ContractMember>::Edges::open(context, &terms.format)?,
            give_up: options.give_up,
            dangling: DanglingFinalizers::of::<Component<C>>(context, &terms, options.dangling)?,
            waits: context.waits.of(context.cluster.controller(), move |key| store.kept().get(key).is_some()),
            controller: controller.construct(context).await?,
            terms,
        })
    }
}
