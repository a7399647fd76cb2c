//! The record in a Lease of `coordination.k8s.io/v1`, read from JSON and written to it (LDR-13, LDR-23).

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt;
use serde_json::{Value, json};

use crate::time::{Timestamp, micros};

/// The largest number of transitions that the API can hold.
const MOST_TRANSITIONS: u32 = i32::MAX as u32;

/// The fields of a lease that elections use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseRecord {
    /// The identity of the holder; empty if the lease is free.
    pub holder: Arc<str>,
    /// The number of seconds after a change for which the lease belongs to its holder; none if the record does not contain it.
    pub duration_seconds: Option<u32>,
    /// The time at which the holder gained the lease, by its own clock.
    pub acquired: Option<Timestamp>,
    /// The time at which the holder renewed the lease, by its own clock. No decision depends on it.
    pub renewed: Option<Timestamp>,
    /// The number of changes of the holder.
    pub transitions: u32,
}

impl LeaseRecord {
    /// Reads the record of a lease. Fields that are absent or malformed count as absent.
    pub fn of(lease: &Value) -> Self {
        let spec = &lease["spec"];
        let number = |field: &str| spec[field].as_u64().and_then(|number| u32::try_from(number).ok());
        let time = |field: &str| spec[field].as_str().and_then(|text| text.parse().ok());
        Self {
            holder: spec["holderIdentity"].as_str().unwrap_or_default().into(),
            duration_seconds: number("leaseDurationSeconds"),
            acquired: time("acquireTime"),
            renewed: time("renewTime"),
            transitions: number("leaseTransitions").unwrap_or_default(),
        }
    }

    /// Returns true if the lease has no holder.
    pub fn is_free(&self) -> bool {
        self.holder.is_empty()
    }

    /// Returns the fields in the `spec` of a lease.
    fn fields(&self) -> [(&'static str, Value); 5] {
        let time = |time: Option<Timestamp>| time.map_or(Value::Null, |time| Value::String(micros(time)));
        [
            ("holderIdentity", json!(self.holder)),
            ("leaseDurationSeconds", json!(self.duration_seconds)),
            ("acquireTime", time(self.acquired)),
            ("renewTime", time(self.renewed)),
            ("leaseTransitions", json!(self.transitions)),
        ]
    }
}

/// A lease as observed: its record, and the version of the object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedLease {
    /// The record.
    pub record: LeaseRecord,
    /// The resource version of the object.
    pub resource_version: Arc<str>,
    /// The whole object, because a write keeps all its other fields.
    pub object: Arc<Value>,
}

impl ObservedLease {
    /// Reads the lease from an object.
    pub fn of(object: impl Into<Arc<Value>>) -> Self {
        let object = object.into();
        let resource_version = object.resource_version().into();
        Self { record: LeaseRecord::of(&object), resource_version, object }
    }

    /// Returns true if this version is not newer than the other one. Versions that are not numbers cannot be compared; then this one counts as newer.
    pub(super) fn is_at_most(&self, other: &Self) -> bool {
        let number = |lease: &Self| lease.resource_version.parse::<u128>().ok();
        match (number(self), number(other)) {
            (Some(this), Some(other)) => this <= other,
            _ => self.resource_version == other.resource_version,
        }
    }
}

/// A record to be written. Its times are set when it is sent, so that the elector needs no wall clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseWrite {
    holder: Arc<str>,
    duration_seconds: u32,
    /// The time at which the holder gained the lease; none means with this write.
    acquired: Option<Timestamp>,
    transitions: u32,
}

impl LeaseWrite {
    /// Creates the write that gains a lease which does not exist, or whose last record is this one (LDR-14).
    pub(super) fn gain(identity: &Arc<str>, duration_seconds: u32, last: Option<&LeaseRecord>) -> Self {
        let ours = last.is_some_and(|last| last.holder == *identity);
        let transitions = last.map_or(0, |last| last.transitions.saturating_add(u32::from(!ours)));
        Self {
            holder: identity.clone(),
            duration_seconds,
            acquired: last.filter(|_| ours).and_then(|last| last.acquired),
            transitions: transitions.min(MOST_TRANSITIONS),
        }
    }

    /// Creates the write that releases a lease (LDR-23).
    pub(super) fn release(last: &LeaseRecord) -> Self {
        Self { holder: "".into(), duration_seconds: 1, acquired: None, transitions: last.transitions }
    }

    /// Returns the epoch of the term that the write gains (LDR-14).
    pub fn epoch(&self) -> u64 {
        u64::from(self.transitions)
    }

    /// Returns the record of a write that is sent at this wall-clock time.
    pub fn record(&self, now: Timestamp) -> LeaseRecord {
        // Microseconds are the precision of the API, so that a record reads back as it was written.
        let now = Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now);
        LeaseRecord {
            holder: self.holder.clone(),
            duration_seconds: Some(self.duration_seconds),
            acquired: self.acquired.or(Some(now)),
            renewed: Some(now),
            transitions: self.transitions,
        }
    }

    /// Returns the object of a new lease. The labels are those of [`lease_labels`].
    pub fn create(&self, namespace: &str, name: &str, labels: &[(String, String)], now: Timestamp) -> Value {
        let mut object = json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "namespace": namespace, "name": name },
        });
        self.write_into(&mut object, labels, now);
        object
    }

    /// Returns the object that replaces a lease. It carries the observed resource version, so that an update of a lease which has changed since is a
    /// conflict. All fields and labels that do not belong to the election are kept.
    pub fn replace(&self, observed: &ObservedLease, labels: &[(String, String)], now: Timestamp) -> Value {
        let mut object = Value::clone(&observed.object);
        self.write_into(&mut object, labels, now);
        object
    }

    fn write_into(&self, object: &mut Value, labels: &[(String, String)], now: Timestamp) {
        for (label, value) in labels {
            *member(member(member(object, "metadata"), "labels"), label) = json!(value);
        }
        let spec = member(object, "spec");
        for (field, value) in self.record(now).fields() {
            *member(spec, field) = value;
        }
    }
}

/// Returns the labels of the operator's leases: its name, and the number of buckets of the lease set.
pub fn lease_labels(domain: &str, operator: &str, buckets: usize) -> [(String, String); 2] {
    [(format!("{domain}/operator"), operator.to_owned()), (format!("{domain}/buckets"), buckets.to_string())]
}

/// Returns a member of a JSON object; a value that is not an object is replaced by one.
fn member<'a>(value: &'a mut Value, name: &str) -> &'a mut Value {
    if !value.is_object() {
        *value = json!({});
    }
    &mut value[name]
}
