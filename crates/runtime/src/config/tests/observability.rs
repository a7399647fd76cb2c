//! Tests of a running operator that follows `config-observability`.

use super::*;
use crate::testing::CapturedLog;

const MAP: &str = "config-observability";

/// Starts a keeper that follows the ConfigMap.
async fn followed(world: &World, prefix: &str) -> (ObservabilityControl, ConfigStates) {
    let (control, states) = (ObservabilityControl::default(), ConfigStates::default());
    let options = KeeperOptions {
        observability: Some((MAP.to_owned(), prefix.to_owned())),
        control: control.clone(),
        states: states.clone(),
        ..KeeperOptions::default()
    };
    let mut keeper = Keeper::start(world.context.keeper_services(), options);
    keeper.load().await;
    world.follow(keeper);
    world.pass(1000).await;
    (control, states)
}

// OBS-1, OBS-3, CFG-13, CFG-15, CFG-16
#[tokio::test(start_paused = true)]
async fn profiling_follows_the_map_while_the_operator_runs() {
    let world = World::new(ConfigValues::default());
    let (control, _) = followed(&world, "shop-").await;
    assert!(!control.profiles());
    world.put(MAP, json!({"shop-runtime-profiling": "enabled", "runtime-profiling": "disabled"}));
    world.pass(1000).await;
    assert!(control.profiles());
    world.put(MAP, json!({"shop-runtime-profiling": "yes"}));
    world.pass(1000).await;
    assert!(control.profiles(), "the last good value");
    assert_eq!(
        (world.gauge(MAP).as_deref(), &**world.events.lock()),
        (Some("0"), &["config-observability InvalidConfiguration".to_owned()][..])
    );
    world.server.delete("system", MAP);
    world.pass(1000).await;
    assert!(!control.profiles());
    assert_eq!(world.gauge(MAP).as_deref(), Some("1"));
}

// OBS-3
#[tokio::test(start_paused = true)]
async fn protocols_are_those_of_the_start() {
    let (log, _guard) = CapturedLog::start();
    let world = World::new(ConfigValues::default());
    world.put(MAP, json!({"metrics-protocol": "none"}));
    let (control, _) = followed(&world, "").await;
    assert!(!control.serves_metrics());
    for comment in ["a", "b"] {
        world.put(MAP, json!({"metrics-protocol": "prometheus", "runtime-export-interval": "1m", "comment": comment}));
        world.pass(1000).await;
        assert!(!control.serves_metrics());
        assert_eq!(control.outdated(), ["metrics-protocol", "runtime-export-interval"]);
    }
    assert_eq!(log.text().matches("take effect when the operator is started again").count(), 1, "{}", log.text());
    world.put(MAP, json!({"metrics-protocol": "none", "tracing-sampling-rate": "1"}));
    world.pass(1000).await;
    assert_eq!(control.outdated(), [] as [&str; 0]);
}

// OBS-3
#[tokio::test(start_paused = true)]
async fn a_map_that_comes_later_does_not_turn_metrics_off() {
    let world = World::new(ConfigValues::default());
    let (control, _) = followed(&world, "").await;
    world.put(MAP, json!({"metrics-protocol": "none"}));
    world.pass(1000).await;
    assert!(control.serves_metrics());
    assert_eq!(control.outdated(), ["metrics-protocol"]);
}

// OBS-3
#[tokio::test(start_paused = true)]
async fn observability_settings_unsupported_by_this_version_are_errors_with_the_reason() {
    let (log, _guard) = CapturedLog::start();
    let world = World::new(ConfigValues::default());
    world.put(
        MAP,
        json!({
            "metrics-protocol": "grpc", "metrics-endpoint": "collector:4317", "tracing-protocol": "stdout", "runtime-profiling": "enabled",
        }),
    );
    let (control, states) = followed(&world, "").await;
    let text = log.text();
    for line in [
        r#"failed to parse "metrics-protocol": the protocol grpc needs the feature `otlp`, which this version does not have yet; allowed: none, prometheus"#,
        r#"failed to parse "tracing-protocol": the protocol stdout needs the feature `otlp`, which this version does not have yet; allowed: none"#,
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!((control.profiles(), control.serves_metrics()), (false, true), "the defaults");
    assert_eq!(states.to_json()[0]["ok"], false);
    world.put(MAP, json!({"metrics-endpoint": "localhost:9090"}));
    world.pass(1000).await;
    let text = log.text();
    assert!(
        text.contains(r#"failed to parse "metrics-endpoint": this version has no listener of its own for metrics yet"#),
        "{text}"
    );
    world.put(MAP, json!({"runtime-profiling": "enabled"}));
    world.pass(1000).await;
    assert!(control.profiles());
    assert_eq!(states.to_json()[0]["ok"], true);
}

#[tokio::test(start_paused = true)]
async fn the_version_that_was_read_is_known() {
    let world = World::new(ConfigValues::default());
    let (_, states) = followed(&world, "").await;
    assert_eq!(states.to_json(), json!([{"name": MAP, "resourceVersion": null, "ok": true}]));
    let mut versions = Vec::new();
    // The second write changes only the resource version.
    for _ in 0..2 {
        world.put(MAP, json!({"runtime-profiling": "enabled"}));
        world.pass(1000).await;
        let told = states.to_json();
        assert_eq!(told[0]["ok"], true);
        versions.push(told[0]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap());
    }
    assert!(versions[0] < versions[1], "{versions:?}");
}
