//! Releases of components whose cleanup does not succeed (FZ-12, FZ-13).

use kubewright_core::contract::{Progress, Release};
use kubewright_core::finalizer::{EndedCleanup, FORCED, Released};
use kubewright_core::flow::{Event, Flow};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::reconcile::Context;
use serde_json::Value;

use super::ComponentLoop;
use crate::controller::ComponentController;

/// The progress towards a release in a pass.
#[derive(Debug, Default)]
pub(super) struct Releasing {
    pub(super) progress: Progress,
    pub(super) release: Release,
    /// The event about a release without a successful cleanup.
    pub(super) event: Option<Event>,
}

impl<C: ComponentController> ComponentLoop<C> {
    /// Returns true if a user forces the release.
    pub(super) fn is_forced(&self, object: &Value) -> bool {
        object.annotation(self.terms.format.force()) == Some(FORCED)
    }

    /// Processes the outcome of a cleanup, or of the wait in its place.
    pub(super) fn after_cleanup(&self, cx: &Context<C::Component>, object: &Value, outcome: &Flow, releasing: &mut Releasing) {
        let is_forced = self.is_forced(object);
        let ended = EndedCleanup {
            outcome,
            deleted: object.deletion_timestamp().and_then(|time| time.parse().ok()),
            is_forced,
            now: cx.clock().now(),
        };
        let mut succeeded = false;
        match self.give_up.after(&ended) {
            Released::Done => succeeded = true,
            Released::GivenUp(event) => {
                releasing.release = if is_forced { Release::Forced } else { Release::Abandoned };
                releasing.event = Some(event);
            }
            Released::Later(delay) => cx.recheck_after(delay),
            _ => {}
        }
        releasing.progress = Progress::CleanedUp(succeeded);
    }
}
