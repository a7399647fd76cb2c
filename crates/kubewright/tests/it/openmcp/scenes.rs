//! Every scene, step by step: Kubewright starts on the recorded objects and continues from there.

use super::outside::Parts;
use super::play::{Played, play};

const fn all(_: usize) -> Parts {
    Parts::ALL
}

pub(super) const OWNER_ALONE: Parts = Parts { owner: true, components: &[] };
pub(super) const FIRST: Parts = Parts { owner: true, components: &["APIServer", "Landscaper"] };
const SUBSET: Parts = Parts { owner: true, components: &["Authentication"] };
const WITHOUT_OWNER: Parts = Parts { owner: false, ..Parts::ALL };

macro_rules! scenes {
    ($($(#[$doc:meta])* $test:ident: $scene:literal of $name:literal $steps:expr, $parts:expr;)*) => {
        $($(#[$doc])*
        #[tokio::test]
        async fn $test() {
            play(Played { scene: $scene, name: $name, steps: $steps, parts: $parts }).await;
        })*
    };
}

// 13.13, PRE-1, OL-1, AGG-6, OL-3
scenes! {
    an_owner_is_created: "created" of "mcp" 1..=2, |number| if number == 1 { OWNER_ALONE } else { FIRST };
    one_component_becomes_ready: "one-ready" of "mcp" 1..=2, |_| FIRST;
    all_components_become_ready: "all-ready" of "mcp" 1..=3, all;
    an_owner_is_changed: "spec-changed" of "mcp" 1..=5, all;
    passes_are_asked_for: "reconcile-annotation" of "mcp" 1..=4, all;
    components_and_owners_are_ignored_and_disabled: "ignore-annotation" of "mcp" 1..=11, all;
    components_fail_and_recover: "failing-condition" of "mcp" 1..=12,
        |number| if (8..=11).contains(&number) { WITHOUT_OWNER } else { Parts::ALL };
    an_internal_configuration_comes_changes_and_goes: "internal-configuration" of "mcp" 1..=5, all;
    components_are_removed_and_put_back: "component-removed" of "mcp" 1..=11, all;
    an_owner_and_its_components_go_in_order: "teardown" of "mcp" 1..=11, all;
    an_owner_goes_before_it_was_ready: "teardown-before-ready" of "young" 1..=2, all;
    an_owner_goes_while_its_api_server_is_not_ready: "teardown-dependency-not-ready" of "stuck" 1..=6, all;
    an_ignored_owner_is_deleted: "controllers-subset" of "subset" 1..=3, |_| SUBSET;
    an_absent_target_appears: "outlived-by-absent" of "noauthz" 1..=2, all;
}
