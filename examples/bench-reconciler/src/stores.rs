//! Operators with stores of Widgets that select none of the driver's objects.

use kubewright::prelude::*;
use kubewright::runtime::watch::{Namespaces, ScopeType, StoreScope};

use crate::{Gadget, Widget};

/// The scope of Widgets with a label that none has.
#[derive(Clone, Copy, Debug)]
pub struct OtherLabel;

impl ScopeType for OtherLabel {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::All).labels("app.kubernetes.io/managed-by=another-operator")
    }
}

/// The scope of Widgets in a namespace that has none.
#[derive(Clone, Copy, Debug)]
pub struct OtherNamespace;

impl ScopeType for OtherNamespace {
    fn scope() -> StoreScope {
        StoreScope::of(Namespaces::These(vec!["kube-public".to_owned()]))
    }
}

/// Defines a reconciler of a kind without objects, with a store.
macro_rules! beside {
    ($(#[$doc:meta])* $name:ident, $store:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name($store);

        #[reconciler(kind = Gadget)]
        impl $name {
            /// Creates the reconciler with its store.
            #[inject]
            pub fn new(store: $store) -> Self {
                Self(store)
            }

            async fn reconcile(&self, _cx: &Context<Gadget>, _object: &Gadget) -> Flow {
                if self.0.is_empty() { Ok(()) } else { Failure::terminal("Selected", "the store selects objects").into() }
            }
        }
    };
}

beside! {
    /// A reconciler with a store of typed objects.
    Typed, Store<Widget, OtherLabel>
}
beside! {
    /// A reconciler with a store of metadata.
    MetadataOnly, MetaStore<Widget, OtherLabel>
}
beside! {
    /// A reconciler with a store of typed objects of a namespace.
    Scoped, Store<Widget, OtherNamespace>
}

/// Returns the operator with a store of this sort: `typed`, `metadata` or `scoped`.
pub fn operator(sort: &str) -> Option<Operator> {
    let operator = Operator::new("bench-stores").leadership(Leadership::off());
    Some(match sort {
        "typed" => operator.controller(Typed::new).into(),
        "metadata" => operator.controller(MetadataOnly::new).into(),
        "scoped" => operator.controller(Scoped::new).into(),
        _ => return None,
    })
}
