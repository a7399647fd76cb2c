//! Waiting for states of the world. A wait that takes too long panics with the last observed state.

use kubewright::prelude::*;
use kubewright::runtime::cluster::ApiRequest;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};

use crate::world::{World, inventory, is_seen, reason_of};

impl World {
    /// Waits until a condition holds that no object shows.
    pub(crate) async fn until_true(&self, what: &str, holds: impl Fn() -> bool) {
        let deadline = self.deadline();
        while !holds() {
            let is_in_time = self.cluster.clock().moment().0 < deadline;
            assert!(is_in_time, "expected that {what}; last requests: {:#?}", self.last_requests());
            self.pause().await;
        }
    }

    /// Waits until there is this number of events with this reason. They are sent outside of the passes.
    pub(crate) async fn until_events(&self, reason: &str, count: usize) -> Vec<String> {
        let deadline = self.deadline();
        loop {
            let notes = self.events(reason).await;
            if notes.len() >= count {
                return notes;
            }
            assert!(self.cluster.clock().moment().0 < deadline, "expected {count} events {reason}: {notes:?}");
            self.pause().await;
        }
    }

    /// Waits until there is an event with this reason, and returns its note.
    pub(crate) async fn until_event(&self, reason: &str) -> String {
        let deadline = self.deadline();
        loop {
            if let Some(note) = self.events(reason).await.pop() {
                return note;
            }
            let is_in_time = self.cluster.clock().moment().0 < deadline;
            assert!(is_in_time, "expected an event {reason}; last requests: {:#?}", self.last_requests());
            self.pause().await;
        }
    }

    /// Waits until there is an event with this reason about an object of the cluster, and returns its note.
    pub(crate) async fn until_event_about(&self, object: &Value, reason: &str) -> String {
        let gvk = GroupVersionKind::new("events.k8s.io", "v1", "Event");
        let resource = self.requests.discovery().require(&gvk).await.unwrap();
        let deadline = self.deadline();
        loop {
            let list = self.requests.send(&ApiRequest::list(&resource, Some("default"))).await.unwrap();
            let about = |event: &&Value| event["reason"] == reason && event["regarding"]["name"] == object.name();
            if let Some(event) = list["items"].as_array().unwrap().iter().find(about) {
                return event["note"].as_str().unwrap_or_default().to_owned();
            }
            assert!(self.cluster.clock().moment().0 < deadline, "expected an event {reason} about {}", object.title());
            self.pause().await;
        }
    }

    /// Waits until there is an event with this reason and note.
    pub(crate) async fn until_told(&self, reason: &str, note: &str) {
        let deadline = self.deadline();
        loop {
            let notes = self.events(reason).await;
            if notes.iter().any(|told| told == note) {
                return;
            }
            assert!(self.cluster.clock().moment().0 < deadline, "expected an event {reason}: {note}; there are {notes:#?}");
            self.pause().await;
        }
    }

    /// Waits until discovery lists a group, even if its types cannot be discovered.
    pub(crate) async fn until_group(&self, group: &str) {
        const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let deadline = self.deadline();
        loop {
            let groups = self.requests.send(&ApiRequest::raw("/apis").accept(AGGREGATED)).await.unwrap();
            if groups["items"].as_array().unwrap().iter().any(|item| item["metadata"]["name"] == group) {
                return;
            }
            assert!(self.cluster.clock().moment().0 < deadline, "expected discovery to list {group}: {groups:#}");
            self.pause().await;
        }
    }

    /// Waits until the component is as described; panics with its last state.
    pub(crate) async fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.until_object(&crate::types::bundle(name, &[]), what, holds).await
    }

    /// Waits until an object is as described; panics with its last state.
    pub(crate) async fn until_object(&self, object: &Value, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let deadline = self.deadline();
        loop {
            let found = self.get(object).await;
            if let Some(found) = &found
                && holds(found)
            {
                return found.clone();
            }
            if self.cluster.clock().moment().0 > deadline {
                let requests = self.last_requests();
                let status = found.as_ref().and_then(|found| found.get("status"));
                panic!("expected {} to be {what}; it is {status:#?}\nlast requests: {requests:#?}", object.title());
            }
            self.pause().await;
        }
    }

    pub(crate) async fn until_state(&self, name: &str, state: &str, reason: &str) -> Value {
        let holds =
            |component: &Value| component["status"]["state"] == state && reason_of(component) == reason && is_seen(component);
        self.until(name, &format!("{state}/{reason}"), holds).await
    }

    /// Waits until the component has this state and this inventory: name, phase and status of each item.
    pub(crate) async fn until_inventory(&self, name: &str, state: &str, expected: &[(&str, &str, &str)]) -> Value {
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let holds =
            |component: &Value| is_seen(component) && component["status"]["state"] == state && inventory(component) == expected;
        self.until(name, &format!("{state} with {expected:#?}"), holds).await
    }

    pub(crate) async fn until_ready(&self, name: &str) -> Value {
        self.until_state(name, "Ready", "Ready").await
    }

    pub(crate) async fn until_gone(&self, object: &Value) {
        let deadline = self.deadline();
        while let Some(present) = self.get(object).await {
            assert!(self.cluster.clock().moment().0 < deadline, "expected {} to be gone; it is {present:#?}", object.title());
            self.pause().await;
        }
    }

    pub(crate) async fn until_present(&self, object: &Value) -> Value {
        self.until_object(object, "there", |_| true).await
    }
}
