//! Replicas that observe objects which others process.

use std::sync::Arc;

use kube::api::{Api, Patch, PatchParams};
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::replicas::{leases, start_operator};
use crate::reconcile::widget::{Widget, widget};
use crate::reconcile::world::until;

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

struct Watching(Seen);

#[reconciler(kind = Widget)]
impl Watching {
    #[inject]
    fn new(State(seen): State<Seen>) -> Self {
        Self(seen)
    }

    async fn reconcile(&self, cx: &Context<Widget>, _: &Widget) -> Flow {
        self.0.0.lock().push(format!("reconcile {}", cx.key().name()));
        Ok(())
    }

    async fn observe(&self, cx: &Context<Widget>, object: &Widget) -> Flow {
        let api: Api<Widget> = Api::namespaced(cx.client().clone(), cx.key().namespace());
        let patch = json!({"metadata": {"labels": {"by": "observer"}}});
        let name = object.metadata.name.clone().unwrap_or_default();
        let written = api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await;
        self.0.0.lock().push(format!("observe {name}, written: {}, term: {}", written.is_ok(), cx.term().is_some()));
        Ok(())
    }

    async fn observe_deleted(&self, _: &Context<Widget>, key: &Key) -> Flow {
        self.0.0.lock().push(format!("deleted {}", key.name()));
        Ok(())
    }
}

// LDR-4, STAGE-5, STAGE-12
#[tokio::test]
async fn a_standby_observes_cannot_write_and_hears_of_deletions() {
    let cluster = TestCluster::start().await;
    let (first, second) = (Seen::default(), Seen::default());
    let operator = |seen: &Seen| {
        let operator: Operator =
            Operator::new("watching.test.kubewright.dev").state(seen.clone()).controller(Watching::new).into();
        operator.leadership(leases(1))
    };
    let one = start_operator(&cluster, operator(&first), "one").await;
    let two = start_operator(&cluster, operator(&second), "two").await;
    cluster.create(widget(&cluster, "a", 1)).await.unwrap();
    let seen = |of: &Seen| of.0.lock().clone();
    until(
        &cluster,
        || format!("both saw it: {:?} {:?}", seen(&first), seen(&second)),
        || !seen(&first).is_empty() && !seen(&second).is_empty(),
    )
    .await;
    cluster.delete::<Widget>("a").await;
    until(
        &cluster,
        || format!("both heard of it: {:?} {:?}", seen(&first), seen(&second)),
        || [&first, &second].iter().all(|of| seen(of).contains(&"deleted a".to_owned())),
    )
    .await;
    assert_eq!(seen(&first), ["reconcile a", "deleted a"]);
    assert_eq!(seen(&second), ["observe a, written: false, term: false", "deleted a"]);
    one.stop().await;
    two.stop().await;
    cluster.stop().await;
}
