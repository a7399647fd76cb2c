use std::num::{NonZeroU16, NonZeroU32};

use kubewright_machinery::object::Key;

use super::super::*;
use crate::defaults::CLUSTER_DOMAIN;
use crate::hash::Buckets;

const NAMESPACE: &str = "knative-testing";

fn from_env(variables: &[(&str, &str)]) -> Result<OrdinalReplica, String> {
    let lookup = |name: &str| variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned());
    OrdinalReplica::from_env(lookup).map_err(|errors| errors.to_string())
}

fn autoscaler(number: u32) -> OrdinalReplica {
    OrdinalReplica::new(&format!("as-{number}"), "autoscaler").unwrap()
}

fn buckets(replica: &OrdinalReplica, buckets: u32, replicas: u32) -> Result<OrdinalBuckets, String> {
    let buckets = NonZeroU32::new(buckets).unwrap();
    replica.buckets(NAMESPACE, CLUSTER_DOMAIN, buckets, replicas).map_err(|errors| errors.to_string())
}

fn name(number: u32) -> String {
    format!("http://as-{number}.autoscaler.knative-testing.svc.cluster.local:80")
}

// LDR-40, LDR-41, 13.4
#[test]
fn the_variables_name_replica_and_service() {
    let replica = from_env(&[("STATEFUL_CONTROLLER_ORDINAL", "as-2"), ("STATEFUL_SERVICE_NAME", "autoscaler")]).unwrap();
    assert_eq!(replica, autoscaler(2));
    assert_eq!((replica.stateful_set(), replica.number()), ("as", 2));
    assert_eq!(**buckets(&replica, 3, 3).unwrap().own(), name(2));
    let replica = from_env(&[
        ("STATEFUL_CONTROLLER_ORDINAL", "my-as-42"),
        ("STATEFUL_SERVICE_NAME", " autoscaler "),
        ("STATEFUL_SERVICE_PORT", "8080"),
        ("STATEFUL_SERVICE_PROTOCOL", "ws"),
    ])
    .unwrap();
    let built =
        OrdinalReplica::new("my-as-42", "autoscaler").unwrap().port(NonZeroU16::new(8080).unwrap()).protocol("ws").unwrap();
    assert_eq!(replica, built);
    let own = replica.buckets("ns", "example.org", NonZeroU32::new(43).unwrap(), 43).unwrap().own().clone();
    assert_eq!(&*own, "ws://my-as-42.autoscaler.ns.svc.example.org:8080");
}

// LDR-40
#[test]
fn variables_that_are_empty_count_as_not_set() {
    let replica = from_env(&[
        ("STATEFUL_CONTROLLER_ORDINAL", "as-2"),
        ("STATEFUL_SERVICE_NAME", "autoscaler"),
        ("STATEFUL_SERVICE_PORT", ""),
        ("STATEFUL_SERVICE_PROTOCOL", " "),
    ]);
    assert_eq!(replica, Ok(autoscaler(2)));
}

// LDR-40
#[test]
fn all_wrong_environment_variables_are_reported_at_once() {
    let errors = from_env(&[("STATEFUL_SERVICE_PORT", "http"), ("STATEFUL_SERVICE_PROTOCOL", "http://")]).unwrap_err();
    let lines: Vec<&str> = errors.lines().collect();
    assert_eq!(
        lines,
        [
            "the name of the pod (STATEFUL_CONTROLLER_ORDINAL) is not set; it must be the name of a pod of a StatefulSet, \
             <name>-<number>, as its metadata.name says it",
            "the name of its Service (STATEFUL_SERVICE_NAME) is not set; it must be the name of the Service that spec.serviceName of \
             the StatefulSet names",
            "the port of its Service (STATEFUL_SERVICE_PORT) must be a number from 1 to 65535, but is \"http\"",
            "the protocol of its Service (STATEFUL_SERVICE_PROTOCOL) must be a letter, followed by letters, digits, '+', '-' and '.', \
             as in http, but is \"http://\"",
        ]
    );
}

// LDR-40
#[test]
fn malformed_settings_are_errors() {
    for pod in ["as", "as-", "as-abcd", "as--1", "as-+1", "as-01", "-1", "As-1", "a.s-1", "as-4294967296"] {
        let errors = OrdinalReplica::new(pod, "autoscaler").unwrap_err();
        let expected = OrdinalError::Malformed { setting: OrdinalSetting::Pod, found: pod.to_owned() };
        assert_eq!(errors.errors(), [expected], "{pod}");
    }
    for service in ["Auto", "a.b", "-a"] {
        assert!(OrdinalReplica::new("as-0", service).unwrap_err().to_string().contains(service), "{service}");
    }
    for protocol in ["", "1x", "a b", "http:"] {
        assert!(autoscaler(0).protocol(protocol).is_err(), "{protocol}");
    }
    for port in ["0", "65536", "-1"] {
        let variables =
            [("STATEFUL_CONTROLLER_ORDINAL", "as-0"), ("STATEFUL_SERVICE_NAME", "a"), ("STATEFUL_SERVICE_PORT", port)];
        assert!(from_env(&variables).unwrap_err().contains("must be a number from 1 to 65535"), "{port}");
    }
}

// LDR-40
#[test]
fn a_replica_without_bucket_is_an_error() {
    assert_eq!(
        buckets(&autoscaler(2), 2, 2).unwrap_err(),
        "replica 2 of StatefulSet \"as\" has no bucket: the numbers of 2 buckets are 0 to 1; set the number of buckets to that of the \
         replicas"
    );
    assert!(buckets(&autoscaler(2), 3, 3).is_ok());
}

// LDR-40
#[test]
fn another_number_of_replicas_than_of_buckets_is_an_error() {
    assert_eq!(
        buckets(&autoscaler(0), 3, 2).unwrap_err(),
        "StatefulSet \"as\" has 2 replicas, but there are 3 buckets, of which each replica owns one; set spec.replicas of the \
         StatefulSet and the number of buckets to the same number"
    );
    assert_eq!(buckets(&autoscaler(9), 3, 10).unwrap_err().lines().count(), 2);
}

// LDR-41, 13.4: in text order, which is Knative's, the third bucket would be that of pod 10
#[test]
fn the_replica_owns_the_bucket_with_its_own_number() {
    for number in 0..12 {
        let buckets = buckets(&autoscaler(number), 12, 12).unwrap();
        assert_eq!((&**buckets.own(), &buckets.names()[number as usize]), (name(number).as_str(), buckets.own()));
        assert_eq!(buckets.names().iter().map(ToString::to_string).collect::<Vec<_>>(), (0..12).map(name).collect::<Vec<_>>());
    }
    let buckets = buckets(&autoscaler(10), 12, 12).unwrap();
    let mut hash = Buckets::new(buckets.names().iter().cloned());
    assert_eq!(hash.owner(&Key::new("ns", "name")).as_ref(), Some(buckets.own()));
    assert_eq!(hash.owner(&Key::new("default", "a")).as_deref(), Some(name(4).as_str()));
}

// LDR-41: a router computes owners from the names alone
#[test]
fn every_key_has_one_owner_among_the_replicas() {
    let own: Vec<_> = (0..12).map(|number| buckets(&autoscaler(number), 12, 12).unwrap()).collect();
    for index in 0..200 {
        let key = Key::new("default", format!("object-{index}"));
        let owners = own
            .iter()
            .filter(|buckets| Buckets::new(buckets.names().iter().cloned()).owner(&key).as_ref() == Some(buckets.own()));
        assert_eq!(owners.count(), 1, "{key}");
    }
}
