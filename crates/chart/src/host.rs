//! The host of a rendering: time, random bytes and objects of a cluster.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use jiff::Timestamp;
use kubewright_template::TemplateHost;
use serde_json::Value;

/// The source of the facts that are neither in a chart nor in the request. Two renderings whose hosts give equal answers have equal outputs. [`chart_host`] gives
/// it to functions of the caller, which can downcast it.
pub trait ChartHost: Any {
    /// Returns the time that `now` gives.
    fn now(&self) -> Timestamp;

    /// Fills a buffer with the bytes that functions use as randomness.
    fn fill_random(&self, buffer: &mut [u8]);

    /// Returns an object of the cluster, or a list with `items` if the name is empty. None if there is no such object, or no cluster. An empty
    /// namespace stands for all namespaces, or for objects without one. None by default.
    fn lookup(&self, _api_version: &str, _kind: &str, _namespace: &str, _name: &str) -> Result<Option<Value>, String> {
        Ok(None)
    }

    /// Notes that a template, or the `kubeVersion` of the chart, depends on the version of Kubernetes. Does nothing by default.
    fn kubernetes_version_asked(&self) {}

    /// Notes that a template depends on the presence of one API version, and the answer that it got. Does nothing by default.
    fn api_version_asked(&self, _version: &str, _is_served: bool) {}

    /// Notes that a template depends on the list of all API versions. Does nothing by default.
    fn api_versions_asked(&self) {}
}

/// A host without a cluster, with a fixed time. Its bytes follow from a seed and are not secret.
#[derive(Debug)]
pub struct OfflineHost {
    now: Timestamp,
    state: Cell<u64>,
}

impl OfflineHost {
    /// Creates a host.
    pub const fn new(now: Timestamp, seed: u64) -> Self {
        Self { now, state: Cell::new(seed) }
    }
}

impl Default for OfflineHost {
    /// Returns a host at the beginning of 1970.
    fn default() -> Self {
        Self::new(Timestamp::UNIX_EPOCH, 0)
    }
}

impl ChartHost for OfflineHost {
    fn now(&self) -> Timestamp {
        self.now
    }

    /// Fills the buffer with the output of SplitMix64.
    fn fill_random(&self, buffer: &mut [u8]) {
        for chunk in buffer.chunks_mut(8) {
            let state = self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
            self.state.set(state);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Returns the host of the chart whose template is executed, for functions of the caller. None if the template is not one of a chart.
pub fn chart_host(host: &dyn TemplateHost) -> Option<&dyn ChartHost> {
    host.as_any().downcast_ref::<HostOfTemplates>().map(|HostOfTemplates(host)| &**host)
}

/// The host of a chart as that of its templates.
pub(crate) struct HostOfTemplates(pub(crate) Rc<dyn ChartHost>);

impl TemplateHost for HostOfTemplates {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.0.fill_random(buffer);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
