//! One pass of an owner that is being deleted (OL-5).

use kubewright_core::contract::deletion_wait;
use kubewright_core::finalizer::{EndedCleanup, FORCED, Released};
use kubewright_core::flow::{Flow, Halt};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::reconcile::Context;

use super::run::{GenerationPass, silent};
use super::{OwnerLoop, OwnerPassStatus};
use crate::declaration::Contract;

impl<C: Contract> OwnerLoop<C> {
    /// Deletes all components at once; the dependency finalizers determine their order. The finalizer of the owner is removed after the last of
    /// them.
    pub(super) async fn delete(&self, cx: &Context<C::Owner>, owner: &C::Owner, status: &mut OwnerPassStatus<C>) -> Flow {
        let Some(asks) = self.consume(cx).await? else { return silent(cx, status) };
        let Some(object) = cx.latest() else { return silent(cx, status) };
        let pass = GenerationPass {
            owner,
            child_owner: self.child_owner(&object),
            internal: self.internal.find(cx.key())?,
            propagated: self.propagated(cx, owner),
            object,
            asks,
        };
        let written = self.write_all(cx, &pass).await;
        let (left, ignored) = self.left(cx.key(), &pass.object);
        let outcome = match written {
            Ok(()) if left.is_empty() => Ok(()),
            Ok(()) => deletion_wait(&left, &ignored).into(),
            halted => halted,
        };
        let ended = EndedCleanup {
            outcome: &outcome,
            deleted: pass.object.deletion_timestamp().and_then(|time| time.parse().ok()),
            is_forced: pass.object.annotation(self.terms.format.force()) == Some(FORCED),
            now: cx.clock().now(),
        };
        match self.give_up.after(&ended) {
            Released::Done => return self.release(cx, status).await,
            Released::GivenUp(event) => {
                self.release(cx, status).await?;
                cx.recorder().record(event);
                return Ok(());
            }
            Released::Later(delay) => cx.recheck_after(delay),
            _ => {}
        }
        self.publish(cx.key(), &pass, &mut status.status)?;
        status.notes.aggregate = Some(self.aggregate(cx, &pass.object, &status.status));
        status.notes.left = left;
        if outcome.as_ref().is_err_and(Halt::is_wait) {
            self.asked.lock().remove(cx.key());
        }
        outcome
    }

    async fn release(&self, cx: &Context<C::Owner>, status: &mut OwnerPassStatus<C>) -> Flow {
        cx.release().await.map_err(|halt| halt.context("failed to clear finalizers"))?;
        self.asked.lock().remove(cx.key());
        silent(cx, status)
    }
}
