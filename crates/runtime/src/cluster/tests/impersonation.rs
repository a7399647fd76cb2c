//! Tests of cluster handles that act as another user.

use super::super::{ConnectError, ImpersonatedIdentity};
use crate::testing::Server;

// TGT-3
#[tokio::test(start_paused = true)]
async fn a_cluster_handle_that_impersonates_a_user_refuses_a_second_impersonation() {
    let cluster = Server::new().cluster();
    assert!(!cluster.acts_as_another());
    let alice = cluster.acting_as(&ImpersonatedIdentity::user("alice")).unwrap();
    assert!(alice.acts_as_another());
    let error = alice.acting_as(&ImpersonatedIdentity::user("bob")).unwrap_err();
    assert!(matches!(error, ConnectError::ActsAsAnother { .. }), "{error}");
}
