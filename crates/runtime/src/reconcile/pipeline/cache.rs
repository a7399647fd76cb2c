use std::sync::Arc;

use kubewright_core::class::{ClassDecision, HandOver};
use kubewright_machinery::object::{MetadataView, ObjectExt as _};

use super::staged::{InnerStages, PassService, PassStage};
use super::{Method, PassEnd, PassRequest, Work};
use crate::reconcile::object::PassObject;
use crate::reconcile::scope::PassScope;

/// The stage that reads the object from the store, and chooses the method (STAGE-4, STAGE-5, STAGE-7).
#[derive(Clone, Copy)]
pub(super) struct Cache;

impl PassStage for Cache {
    async fn around(self, request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        let scope = request.scope;
        if scope.services.primary.is_ahead(scope.pass.key()) {
            scope.pass.count_read_ahead();
        }
        let Some(object) = scope.services.primary.get(scope.pass.key()).map(Arc::new) else {
            return absent(&scope).await;
        };
        scope.pass.object(object.uid());
        scope.saw(Arc::clone(&object));
        let Some(method) = choose(&scope, &object) else {
            return PassEnd::silent(&scope);
        };
        inner.call(PassRequest { scope, work: Some(Work { object, method, draft: None, instead: None }) }).await
    }
}

async fn absent(scope: &Arc<PassScope>) -> PassEnd {
    scope.pass.forget();
    scope.forget();
    let methods = &scope.services.methods;
    let outcome = if methods.has(Method::ObserveDeleted) {
        super::method::guarded(scope, methods.run_deleted(scope, scope.pass.key())).await
    } else {
        Ok(())
    };
    PassEnd::of(outcome)
}

/// Returns the method to call, or None if there is nothing to do and nothing is written.
fn choose(scope: &PassScope, object: &PassObject) -> Option<Method> {
    if scope.services.ignores(object) {
        tracing::debug!("the object is ignored by annotation");
        return None;
    }
    if let Some(class) = &scope.services.class {
        let names = scope.services.finalizer.as_ref().map_or(&[][..], |finalizer| &*finalizer.names);
        match class.decide(MetadataView::of(object.head().metadata()), names) {
            ClassDecision::Ours => {}
            ClassDecision::NotOurs => {
                tracing::debug!("the object is of another class");
                scope.forget();
                return None;
            }
            // The object is treated as if it were being deleted: the finalizer is cleared, but the object stays (CLS-3).
            ClassDecision::HandOver(HandOver::Finalize) => return Some(Method::Finalize),
            ClassDecision::HandOver(_) => return Some(Method::Release),
        }
    }
    if !scope.pass.leads() {
        let observes = !object.is_deleting() && scope.services.methods.has(Method::Observe);
        return observes.then_some(Method::Observe);
    }
    if !object.is_deleting() {
        return Some(Method::Reconcile);
    }
    let is_held = scope.services.finalizer.as_ref().is_some_and(|finalizer| object.has_any(&finalizer.names));
    is_held.then_some(Method::Finalize)
}
