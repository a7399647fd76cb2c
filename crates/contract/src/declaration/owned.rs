use std::marker::PhantomData;

use kubewright_core::contract::triggers::component_changes;
use kubewright_core::contract::{ComponentType, DeclaredCondition, Format};
use kubewright_core::flow::{BoxError, Failure, Flow, Origin};
use kubewright_machinery::object::{GroupVersionKind, Key};
use kubewright_runtime::cluster::ApiResource;
use kubewright_runtime::definition::custom_resource_definition;
use kubewright_runtime::inject::FromOperator as _;
use kubewright_runtime::operator::{Declarations, OperatorContext, Rule};
use kubewright_runtime::reconcile::TriggerSet;
use kubewright_runtime::store::Store;
use serde_json::{Value, json};

use super::{Contract, ContractComponent, ContractOwner};

/// The part of an owner's status that the components of a contract publish.
type Published<C> = <<C as Contract>::Owner as ContractOwner>::Published;

/// The interface of a component for the loop of the owner, with the type erased. It gives no access to the private part of the status (CT-5).
pub(crate) trait OwnedComponent<C: Contract>: Send + Sync {
    /// Returns the type of the component.
    fn type_(&self) -> ComponentType;

    /// Returns group, version and kind of the component's resource.
    fn gvk(&self) -> GroupVersionKind;

    /// Returns the resource of the component.
    fn resource(&self) -> ApiResource;

    /// Returns the conditions that the component's author declares.
    fn conditions(&self) -> &'static [DeclaredCondition];

    /// Returns true if the owner switches the component on.
    fn configured(&self, owner: &C::Owner) -> bool;

    /// Returns the spec of the component.
    fn convert(&self, owner: &C::Owner, internal: Option<&C::Internal>) -> Flow<Value>;

    /// Returns true if two specs are equal when both are read as the type of the component. A field that is absent in one may have its default
    /// value in the other.
    fn is_same_spec(&self, first: &Value, second: &Value) -> bool;

    /// Copies the external part of the component's status.
    fn publish(&self, status: Option<&Value>, published: &mut Published<C>) -> Flow;

    /// Declares the permissions and stores that the loop of the owner needs to manage the component.
    fn declare(&self, declarations: &mut Declarations);

    /// Starts passes of the owner for changes of the component (WAKE-4).
    fn watch(&self, triggers: &mut TriggerSet<C::Owner>, format: &Format);

    /// Opens the store of the component.
    fn open(&self, context: &OperatorContext) -> Result<Box<dyn ComponentObjects>, BoxError>;
}

/// The objects of a type of components, with the type erased.
pub(crate) trait ComponentObjects: Send + Sync {
    /// Returns an object from the store.
    fn find(&self, key: &Key) -> Option<Value>;

    /// Records the answer to a write, so that it is visible at once.
    fn record_write(&self, answer: &Value);

    /// Removes an object that is gone.
    fn record_delete(&self, key: &Key, uid: &str);
}

/// The implementation for a component of a type.
pub(super) struct Typed<T>(PhantomData<fn() -> T>);

impl<T> Typed<T> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: ContractComponent> OwnedComponent<T::Contract> for Typed<T> {
    fn type_(&self) -> ComponentType {
        T::TYPE
    }

    fn gvk(&self) -> GroupVersionKind {
        T::gvk()
    }

    fn resource(&self) -> ApiResource {
        ApiResource::known(&T::gvk(), T::plural(&()), T::is_namespaced())
    }

    fn conditions(&self) -> &'static [DeclaredCondition] {
        T::CONDITIONS
    }

    fn configured(&self, owner: &super::OwnerOf<T>) -> bool {
        T::configured(owner)
    }

    fn convert(&self, owner: &super::OwnerOf<T>, internal: Option<&super::InternalOf<T>>) -> Flow<Value> {
        let spec = T::convert(owner, internal)?;
        serde_json::to_value(spec).map_err(|error| unreadable(format!("encode the spec: {error}")).into())
    }

    fn is_same_spec(&self, first: &Value, second: &Value) -> bool {
        first == second || read_spec::<T>(first).is_some_and(|first| Some(first) == read_spec::<T>(second))
    }

    fn publish(&self, status: Option<&Value>, published: &mut Published<T::Contract>) -> Flow {
        let external = match status {
            Some(status) => serde_json::from_value(status.clone())
                .map_err(|error| unreadable(format!("decode the external part of the status: {error}")))?,
            None => T::External::default(),
        };
        T::publish(external, published);
        Ok(())
    }

    fn declare(&self, declarations: &mut Declarations) {
        Store::<T>::declare(declarations);
        if let Ok(crd) = custom_resource_definition::<T>() {
            declarations.crd(crd);
        }
        declarations.rule(Rule::new(T::group(&()), T::plural(&()), &["create", "delete", "get", "patch"]));
    }

    fn watch(&self, triggers: &mut TriggerSet<super::OwnerOf<T>>, format: &Format) {
        drop(triggers.watch::<T>().same_name().filter(component_changes(format)));
    }

    fn open(&self, context: &OperatorContext) -> Result<Box<dyn ComponentObjects>, BoxError> {
        Ok(Box::new(Store::<T>::extract(context)?))
    }
}

impl<T: ContractComponent> ComponentObjects for Store<T> {
    fn find(&self, key: &Key) -> Option<Value> {
        self.kept().get(key).map(|kept| kept.json())
    }

    fn record_write(&self, answer: &Value) {
        self.kept().record_write(answer);
    }

    fn record_delete(&self, key: &Key, uid: &str) {
        self.kept().record_delete(key, uid);
    }
}

/// Returns a spec after reading and writing it as the type of the component. `None` if it cannot be read.
fn read_spec<T: ContractComponent>(spec: &Value) -> Option<Value> {
    let gvk = T::gvk();
    let object = json!({ "apiVersion": gvk.api_version(), "kind": gvk.kind, "metadata": {}, "spec": spec });
    let read: T = serde_json::from_value(object).ok()?;
    serde_json::to_value(read).ok()?.get_mut("spec").map(Value::take)
}

fn unreadable(text: String) -> Failure {
    Failure::backoff(text).reason("InternalError").origin(Origin::Bug)
}
