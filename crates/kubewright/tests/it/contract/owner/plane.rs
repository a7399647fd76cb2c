//! A contract written by hand: a control plane with the five components of flow-and-contract.md, 13.1, and an internal configuration.

use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentType, Components, Contract, ContractComponent, ContractExt as _,
    ContractMember, ContractStatus, Maybe, NeedsEdge, OperatorContractOwner, OutlivedByEdge, OwnerStatus, Ready, StandardForm,
};
use kubewright::prelude::*;
use parking_lot::Mutex;

pub(super) const DOMAIN: &str = "plane.kubewright.dev";

/// The text that only components know.
pub(super) const CANARY: &str = "canary-kubeconfig";

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "plane.kubewright.dev", version = "v1", kind = "ControlPlane", namespaced, status = "ControlPlaneStatus")]
#[serde(rename_all = "camelCase")]
pub(super) struct ControlPlaneSpec {
    /// The sections by the types of the components.
    #[serde(default)]
    sections: BTreeMap<String, Section>,
    /// The types of disabled components.
    #[serde(default)]
    disabled: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Section {
    #[serde(default)]
    size: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

type ControlPlaneStatus = OwnerStatus<Published>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Published {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    endpoints: BTreeMap<String, String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "plane.kubewright.dev", version = "v1", kind = "Settings", namespaced, plural = "settings")]
#[serde(rename_all = "camelCase")]
pub(super) struct SettingsSpec {
    #[serde(default)]
    image: String,
    #[serde(default)]
    disabled: Vec<String>,
}

type PartStatus = ContractStatus<External, Private>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct External {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct Private {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kubeconfig: Option<String>,
}

/// The contract.
pub(super) struct Plane;

impl Contract for Plane {
    type Owner = ControlPlane;
    type Internal = Settings;
    type Form = StandardForm;

    const READS_NAMESPACES: bool = true;

    fn components(components: &mut Components<Self>) {
        components
            .add::<ApiServer>()
            .add::<Authentication>()
            .add::<Authorization>()
            .add::<Landscaper>()
            .add::<CloudOrchestrator>();
    }

    fn disabled(owner: &ControlPlane, internal: Option<&Settings>) -> Vec<ComponentType> {
        let listed = |type_: &ComponentType| {
            let of = |list: &[String]| list.iter().any(|listed| listed == type_.as_str());
            of(&owner.spec.disabled) || internal.is_some_and(|internal| of(&internal.spec.disabled))
        };
        TYPES.into_iter().filter(listed).collect()
    }

    fn propagate(_: &ControlPlane, namespace: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Failure> {
        match namespace.get("team").map(String::as_str) {
            Some("broken") => Err(Failure::msg("the team cannot be found")),
            Some(team) => Ok(BTreeMap::from([("team".to_owned(), team.to_owned())])),
            None => Ok(BTreeMap::new()),
        }
    }
}

macro_rules! component {
    ($kind:ident, $spec:ident, $name:literal, $edges:ty, $keep_running:literal) => {
        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = "plane.kubewright.dev", version = "v1", kind = $name, namespaced, status = "PartStatus")]
        pub(super) struct $spec {
            #[serde(default)]
            size: i64,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            note: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            image: Option<String>,
        }

        impl ContractMember for $kind {
            type Contract = Plane;
            type Edges = $edges;

            const TYPE: ComponentType = ComponentType::new($name);
            const KEEP_RUNNING: bool = $keep_running;
        }

        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = External;
            type Private = Private;

            fn configured(owner: &ControlPlane) -> bool {
                owner.spec.sections.contains_key($name)
            }

            fn convert(owner: &ControlPlane, internal: Option<&Settings>) -> Result<$spec, Failure> {
                let section = owner.spec.sections.get($name).cloned().unwrap_or_default();
                if section.size == 13 {
                    return Err(Failure::msg("13 brings bad luck"));
                }
                Ok($spec { size: section.size, note: section.note, image: internal.map(|internal| internal.spec.image.clone()) })
            }

            fn publish(external: External, published: &mut Published) {
                published.endpoints.extend(external.endpoint.map(|endpoint| ($name.to_owned(), endpoint)));
            }
        }

        impl PlaneComponent for $kind {
            fn size(&self) -> i64 {
                self.spec.size
            }
        }
    };
}

component!(ApiServer, ApiServerSpec, "ApiServer", (), true);
component!(Authentication, AuthenticationSpec, "Authentication", (NeedsEdge<ApiServer>,), false);
component!(Authorization, AuthorizationSpec, "Authorization", (NeedsEdge<ApiServer>,), false);
component!(
    Landscaper,
    LandscaperSpec,
    "Landscaper",
    (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>),
    false
);
component!(
    CloudOrchestrator,
    CloudOrchestratorSpec,
    "CloudOrchestrator",
    (NeedsEdge<ApiServer>, OutlivedByEdge<Authentication>, OutlivedByEdge<Authorization>),
    false
);

/// The types of all components.
pub(super) const TYPES: [ComponentType; 5] =
    [ApiServer::TYPE, Authentication::TYPE, Authorization::TYPE, Landscaper::TYPE, CloudOrchestrator::TYPE];

/// The parts that all components have in common.
pub(super) trait PlaneComponent: ContractComponent<External = External, Private = Private> {
    fn size(&self) -> i64;
}

/// The result of a method that a test sets.
type Act = Arc<dyn Fn() -> Flow + Send + Sync>;

/// The results of the methods, and the calls so far.
#[derive(Clone, Default)]
pub(super) struct Script {
    acts: Arc<Mutex<HashMap<String, Act>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Script {
    /// Sets the result of a method such as `apply Landscaper`. With such a result the component is not healthy.
    pub(super) fn set(&self, method: &str, act: impl Fn() -> Flow + Send + Sync + 'static) {
        self.acts.lock().insert(method.to_owned(), Arc::new(act));
    }

    /// Makes a method succeed again.
    pub(super) fn unset(&self, method: &str) {
        self.acts.lock().remove(method);
    }

    /// Returns the number of calls of a method so far.
    pub(super) fn count(&self, method: &str) -> usize {
        self.calls.lock().iter().filter(|call| *call == method).count()
    }

    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.lock().clone()
    }

    fn run(&self, method: String) -> Option<Act> {
        let act = self.acts.lock().get(&method).cloned();
        self.calls.lock().push(method);
        act
    }
}

/// The controller of a component.
pub(super) struct Player<T>(Script, PhantomData<T>);

impl<T: PlaneComponent> Player<T> {
    fn new(State(script): State<Script>) -> Self {
        Self(script, PhantomData)
    }
}

impl<T: PlaneComponent> ComponentController for Player<T> {
    type Component = T;

    async fn apply(&self, cx: &ApplyContext<T>, _: Ready<T>) -> Flow {
        let endpoint = format!("https://{}-{}", T::TYPE.lower(), cx.component().size());
        cx.external(|external| external.endpoint = Some(endpoint));
        cx.private(|private| private.kubeconfig = Some(CANARY.to_owned()));
        #[allow(clippy::single_match_else)] // both are outcomes
        match self.0.run(format!("apply {}", T::TYPE)) {
            Some(act) => act(),
            None => {
                cx.healthy();
                Ok(())
            }
        }
    }

    async fn cleanup(&self, _: &CleanupContext<T>, _: Maybe<T>) -> Flow {
        self.0.run(format!("cleanup {}", T::TYPE)).map_or(Ok(()), |act| act())
    }
}

/// Returns an operator with the loop of the owner alone.
pub(super) fn owner_operator() -> OperatorContractOwner<Plane> {
    Operator::new("plane-operator.plane.kubewright.dev").contract_owner::<Plane>()
}

/// Returns an operator with the controllers of all components, and the loop of the owner.
pub(super) fn operator(script: &Script) -> Operator {
    components(Operator::new("plane-operator.plane.kubewright.dev").state(script.clone())).contract_owner::<Plane>().into()
}

/// Adds the controllers of all components.
fn components(operator: Operator) -> Operator {
    let operator = operator.component_controller(Player::<ApiServer>::new);
    let operator = operator.component_controller(Player::<Authentication>::new);
    let operator = operator.component_controller(Player::<Authorization>::new);
    let operator = operator.component_controller(Player::<Landscaper>::new);
    operator.component_controller(Player::<CloudOrchestrator>::new).into()
}
