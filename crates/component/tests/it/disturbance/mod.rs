//! Scenarios of components under every disturbance (see `kubewright_testing::disturbance`).

mod scenario;
mod scenes;

use kubewright_testing::disturbance::survives;

// PLAN-4, PLAN-7, WATCH-7, OUT-3
#[test]
fn an_install_in_three_waves_survives_every_disturbance() {
    survives(&scenes::install());
}

// PLAN-4, PLAN-7, PURGE-2, RED-1
#[test]
fn an_upgrade_with_redundant_objects_and_purges_survives_every_disturbance() {
    survives(&scenes::upgrade());
}

// PLAN-7, GATE-1, DEL-1
#[test]
fn a_deletion_with_managed_types_survives_every_disturbance() {
    survives(&scenes::deletion());
}

// PLAN-7, OWN-1, OWN-3
#[test]
fn adoption_and_takeover_survive_every_disturbance() {
    survives(&scenes::adoption());
}

// PLAN-7, DRIFT-1, DRIFT-5
#[test]
fn drift_and_fight_survive_every_disturbance() {
    survives(&scenes::drift());
}

// PLAN-7, DEL-5
#[test]
fn deletion_stages_survive_every_disturbance() {
    survives(&scenes::stages());
}

// PLAN-7, OPT-1, WATCH-9
#[test]
fn a_start_after_a_change_survives_every_disturbance() {
    survives(&scenes::start());
}
