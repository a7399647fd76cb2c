//! Ordinal mode: each replica of a StatefulSet owns the bucket with its own number, without leases (LDR-40 to LDR-42).

use std::fmt;
use std::num::{NonZeroU16, NonZeroU32};
use std::sync::Arc;

use kubewright_machinery::object::names::dns_1123_label;

use crate::names::service_host;

const DEFAULT_PORT: NonZeroU16 = NonZeroU16::new(80).unwrap(); // a constant, so that the compiler checks it
const DEFAULT_PROTOCOL: &str = "http";

/// One replica of a StatefulSet, and the Service through which a router reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrdinalReplica {
    set: String,
    number: u32,
    service: String,
    port: NonZeroU16,
    protocol: String,
}

/// The buckets of all replicas of a StatefulSet, with the one that this replica owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrdinalBuckets {
    names: Vec<Arc<str>>,
    own: Arc<str>,
}

/// A setting of the ordinal mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrdinalSetting {
    /// The name of the pod, in `STATEFUL_CONTROLLER_ORDINAL`.
    Pod,
    /// The name of the Service of the StatefulSet, in `STATEFUL_SERVICE_NAME`.
    Service,
    /// The port of the replicas, in `STATEFUL_SERVICE_PORT`. Default: 80.
    Port,
    /// The protocol at the port, in `STATEFUL_SERVICE_PROTOCOL`. Default: `http`.
    Protocol,
}

/// The reasons why a replica cannot own a bucket by its number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrdinalError {
    /// A variable that has no default is not set.
    #[error("{setting} is not set; it must be {}", .setting.allowed())]
    Missing {
        /// The setting without a value.
        setting: OrdinalSetting,
    },
    /// A setting has a value that cannot be used.
    #[error("{setting} must be {}, but is {found:?}", .setting.allowed())]
    Malformed {
        /// The setting with this value.
        setting: OrdinalSetting,
        /// The value.
        found: String,
    },
    /// The replica has a number for which there is no bucket.
    #[error(
        "replica {number} of StatefulSet {set:?} has no bucket: the numbers of {buckets} buckets are 0 to {}; set the number of buckets to \
         that of the replicas", .buckets.get() - 1
    )]
    NoBucket {
        /// The name of the StatefulSet.
        set: String,
        /// The number of the replica.
        number: u32,
        /// The number of buckets.
        buckets: NonZeroU32,
    },
    /// The numbers of buckets and replicas differ: with more buckets some have no owner, with fewer some replicas have none.
    #[error(
        "StatefulSet {set:?} has {replicas} replicas, but there are {buckets} buckets, of which each replica owns one; set spec.replicas of \
         the StatefulSet and the number of buckets to the same number"
    )]
    Replicas {
        /// The name of the StatefulSet.
        set: String,
        /// The number of replicas of the StatefulSet.
        replicas: u32,
        /// The number of buckets.
        buckets: NonZeroU32,
    },
}

/// All errors in the settings of the ordinal mode. Displays one line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrdinalErrors(Vec<OrdinalError>);

impl OrdinalReplica {
    /// Creates the replica whose pod has this name, `<StatefulSet>-<number>`, behind port 80 of the Service, with protocol `http`.
    pub fn new(pod: &str, service: &str) -> Result<Self, OrdinalErrors> {
        Self::parse(Some(pod), Some(service), None, None)
    }

    /// Reads the replica from the variables `STATEFUL_…`. An empty variable counts as not set.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Result<Self, OrdinalErrors> {
        let text = |setting: OrdinalSetting| variable(setting.variable());
        let (pod, service) = (text(OrdinalSetting::Pod), text(OrdinalSetting::Service));
        let (port, protocol) = (text(OrdinalSetting::Port), text(OrdinalSetting::Protocol));
        Self::parse(pod.as_deref(), service.as_deref(), port.as_deref(), protocol.as_deref())
    }

    /// Sets the port.
    #[must_use]
    pub fn port(mut self, port: NonZeroU16) -> Self {
        self.port = port;
        self
    }

    /// Sets the protocol, such as `https` or `ws`.
    pub fn protocol(mut self, protocol: &str) -> Result<Self, OrdinalErrors> {
        self.protocol = protocol_of(protocol).map_err(|error| OrdinalErrors(vec![error]))?;
        Ok(self)
    }

    /// Returns the name of the StatefulSet.
    pub fn stateful_set(&self) -> &str {
        &self.set
    }

    /// Returns the number of the replica.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the buckets, one for each replica of the StatefulSet in this namespace; `domain` is that of the cluster.
    ///
    /// Fails if the replica has no bucket, or if the StatefulSet does not have one replica for each bucket.
    pub fn buckets(
        &self,
        namespace: &str,
        domain: &str,
        buckets: NonZeroU32,
        replicas: u32,
    ) -> Result<OrdinalBuckets, OrdinalErrors> {
        let host = service_host(&self.service, namespace, domain);
        let name = |number: u32| format!("{}://{}-{number}.{host}:{}", self.protocol, self.set, self.port);
        let names: Vec<Arc<str>> = (0..buckets.get()).map(|number| name(number).into()).collect();
        let mut errors = Vec::new();
        let own = names.get(self.number as usize);
        if own.is_none() {
            errors.push(OrdinalError::NoBucket { set: self.set.clone(), number: self.number, buckets });
        }
        if replicas != buckets.get() {
            errors.push(OrdinalError::Replicas { set: self.set.clone(), replicas, buckets });
        }
        match own.filter(|_| errors.is_empty()).cloned() {
            Some(own) => Ok(OrdinalBuckets { names, own }),
            None => Err(OrdinalErrors(errors)),
        }
    }

    fn parse(
        pod: Option<&str>,
        service: Option<&str>,
        port: Option<&str>,
        protocol: Option<&str>,
    ) -> Result<Self, OrdinalErrors> {
        let required = |setting, text| given(text).ok_or(OrdinalError::Missing { setting });
        let pod = required(OrdinalSetting::Pod, pod).and_then(pod_of);
        let service = required(OrdinalSetting::Service, service).and_then(service_of);
        let port = given(port).map_or(Ok(DEFAULT_PORT), port_of);
        let protocol = protocol_of(given(protocol).unwrap_or(DEFAULT_PROTOCOL));
        match (pod, service, port, protocol) {
            (Ok((set, number)), Ok(service), Ok(port), Ok(protocol)) => Ok(Self { set, number, service, port, protocol }),
            (pod, service, port, protocol) => {
                let errors = [pod.err(), service.err(), port.err(), protocol.err()];
                Err(OrdinalErrors(errors.into_iter().flatten().collect()))
            }
        }
    }
}

impl OrdinalBuckets {
    /// Returns the names in the order of their numbers. The [hash](crate::hash) is computed over these names.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Returns the name of the bucket that this replica owns.
    pub fn own(&self) -> &Arc<str> {
        &self.own
    }
}

impl OrdinalSetting {
    /// Returns the environment variable of the setting.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Pod => "STATEFUL_CONTROLLER_ORDINAL",
            Self::Service => "STATEFUL_SERVICE_NAME",
            Self::Port => "STATEFUL_SERVICE_PORT",
            Self::Protocol => "STATEFUL_SERVICE_PROTOCOL",
        }
    }

    const fn allowed(self) -> &'static str {
        match self {
            Self::Pod => "the name of a pod of a StatefulSet, <name>-<number>, as its metadata.name says it",
            Self::Service => "the name of the Service that spec.serviceName of the StatefulSet names",
            Self::Port => "a number from 1 to 65535",
            Self::Protocol => "a letter, followed by letters, digits, '+', '-' and '.', as in http",
        }
    }
}

impl fmt::Display for OrdinalSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Pod => "the name of the pod",
            Self::Service => "the name of its Service",
            Self::Port => "the port of its Service",
            Self::Protocol => "the protocol of its Service",
        };
        write!(f, "{what} ({})", self.variable())
    }
}

impl OrdinalErrors {
    /// Returns the errors, in the order of the settings.
    pub fn errors(&self) -> &[OrdinalError] {
        &self.0
    }
}

impl fmt::Display for OrdinalErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for OrdinalErrors {}

/// Returns a non-empty value, trimmed.
fn given(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn malformed(setting: OrdinalSetting, found: &str) -> OrdinalError {
    OrdinalError::Malformed { setting, found: found.to_owned() }
}

/// Parses the name of a pod into the name of the StatefulSet and the number. The controller of StatefulSets writes neither signs nor leading zeros.
fn pod_of(pod: &str) -> Result<(String, u32), OrdinalError> {
    let parts = pod.rsplit_once('-').and_then(|(set, digits)| Some((set, digits, digits.parse::<u32>().ok()?)));
    let is_name = |set: &str| dns_1123_label(set).is_empty() && dns_1123_label(pod).is_empty();
    match parts.filter(|(set, digits, number)| number.to_string() == *digits && is_name(set)) {
        Some((set, _, number)) => Ok((set.to_owned(), number)),
        None => Err(malformed(OrdinalSetting::Pod, pod)),
    }
}

fn service_of(service: &str) -> Result<String, OrdinalError> {
    let is_name = dns_1123_label(service).is_empty();
    if is_name { Ok(service.to_owned()) } else { Err(malformed(OrdinalSetting::Service, service)) }
}

fn port_of(port: &str) -> Result<NonZeroU16, OrdinalError> {
    port.parse().map_err(|_| malformed(OrdinalSetting::Port, port))
}

/// Checks a protocol, which is the scheme of the URL that names a bucket.
fn protocol_of(protocol: &str) -> Result<String, OrdinalError> {
    let is_further = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = protocol.starts_with(|first: char| first.is_ascii_alphabetic()) && protocol.bytes().all(is_further);
    if is_scheme { Ok(protocol.to_owned()) } else { Err(malformed(OrdinalSetting::Protocol, protocol)) }
}
