use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use kubewright_core::component::{ComponentState, ComponentStatus};
use kubewright_core::dependents::{Item, Phase};
use kubewright_core::health::Health;
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::gauge::ConstGauge;

/// The states of all components of an operator. Their series are computed at each scrape: a component has eight, and each would permanently take
/// hundreds of bytes for its labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings(Arc<Mutex<Vec<Arc<KindStandings>>>>);

/// The states of the components of one type.
#[derive(Debug)]
pub(super) struct KindStandings {
    controller: Arc<str>,
    kind: GroupKind,
    components: Mutex<HashMap<Key, Standing>>,
}

#[derive(Clone, Copy, Debug)]
struct Standing {
    state: Option<ComponentState>,
    dependents: u32,
    unready: u32,
}

impl Standings {
    pub(super) fn of_kind(&self, controller: Arc<str>, kind: GroupKind) -> Arc<KindStandings> {
        let standings = Arc::new(KindStandings { controller, kind, components: Mutex::default() });
        self.0.lock().push(Arc::clone(&standings));
        standings
    }
}

impl KindStandings {
    pub(super) fn set(&self, component: &Key, status: &ComponentStatus) {
        let items = status.inventory.items();
        let ready = |item: &&Item| item.phase == Phase::Completed || item.status == Some(Health::Current);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (dependents, unready) = (count(items.len()), count(items.len() - items.iter().filter(ready).count()));
        self.components.lock().insert(component.clone(), Standing { state: status.state, dependents, unready });
    }

    pub(super) fn forget(&self, component: &Key) {
        self.components.lock().remove(component);
    }
}

impl Collector for Standings {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let kinds = self.0.lock().clone();
        let mut family = |name: &str, help: &str, write: &Write| {
            let mut descriptor = encoder.encode_descriptor(name, help, None, ConstGauge::new(0_i64).metric_type())?;
            for of_kind in &kinds {
                for (key, standing) in &*of_kind.components.lock() {
                    write(standing, &mut |state, value| {
                        let GroupKind { group, kind } = &of_kind.kind;
                        let labels = [
                            ("controller", &*of_kind.controller),
                            ("group", group),
                            ("kind", kind),
                            ("namespace", key.namespace()),
                            ("name", key.name()),
                            ("state", state.map_or("", ComponentState::as_str)),
                        ];
                        let labels = if state.is_some() { &labels[..] } else { &labels[..5] };
                        ConstGauge::new(value).encode(descriptor.encode_family(&labels)?)
                    })?;
                }
            }
            Ok::<(), fmt::Error>(())
        };
        family("component_state", "The state of a component: 1 for the one it has", &|standing, series| {
            ComponentState::ALL.into_iter().try_for_each(|state| series(Some(state), i64::from(standing.state == Some(state))))
        })?;
        family("dependents_total", "Dependents of a component", &|standing, series| {
            series(None, i64::from(standing.dependents))
        })?;
        family("unready_dependents_total", "Dependents of a component that are not ready", &|standing, series| {
            series(None, i64::from(standing.unready))
        })
    }
}

/// A function that writes the series of a component: one per state, or a single one.
type Write = dyn Fn(&Standing, &mut dyn FnMut(Option<ComponentState>, i64) -> fmt::Result) -> fmt::Result;
