//! A contract declared by `contract!`, and the same contract written by hand.

use std::collections::BTreeMap;
use std::time::Duration;

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentType, Components, Contract, ContractComponent, ContractExt as _,
    ContractMember, ContractStatus, DeclaredCondition, DependsOn, Format, InternalOf, Maybe, MaybeOf, Needs,
    NeedsSameRevisionEdge, NoPart, OutlivedByEdge, OwnerOf, OwnerStatus, PublishedOf, Ready, ReadyOf, RelevantConditions,
    Revision, StandardForm, WithConditions,
};
use kubewright::core::condition::{ConditionPolarity, ConditionVisibility};
use kubewright::core::finalizer::{FinalizerForm, InvalidFinalizerName};
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::world::message_of;

type Plain = ContractStatus<NoPart, NoPart>;
type EstateStatus = OwnerStatus<NoPart>;

macro_rules! component {
    ($kind:ident, $spec:ident, $($condition:literal),*) => {
        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = NoPart;
            type Private = NoPart;

            const CONDITIONS: &'static [DeclaredCondition] = &[$(DeclaredCondition {
                type_: $condition,
                visibility: ConditionVisibility::Public,
                polarity: ConditionPolarity::Normal,
            }),*];

            fn configured(_: &OwnerOf<Self>) -> bool {
                true
            }

            fn convert(_: &OwnerOf<Self>, _: Option<&InternalOf<Self>>) -> Result<$spec, Failure> {
                Ok($spec::default())
            }

            fn publish(_: NoPart, _: &mut PublishedOf<Self>) {}
        }
    };
}

/// The parts that both contracts have in common: the kinds, the functions of their author, and their controllers.
macro_rules! estate {
    ($group:tt) => {
        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = $group, version = "v1", kind = "Estate", namespaced, status = "EstateStatus")]
        pub(super) struct EstateSpec {}

        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = $group, version = "v1", kind = "Taste", namespaced)]
        pub(super) struct TasteSpec {}

        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = $group, version = "v1", kind = "Cellar", namespaced, status = "Plain")]
        pub(super) struct CellarSpec {
            #[serde(default)]
            cool: bool,
        }

        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = $group, version = "v1", kind = "Press", namespaced, status = "Plain")]
        pub(super) struct PressSpec {}

        #[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[kube(group = $group, version = "v1", kind = "WineLabel", root = "Etiquette", namespaced, status = "Plain")]
        pub(super) struct EtiquetteSpec {}

        /// Returns the components that their controllers ignore.
        fn closed(_: &Estate, internal: Option<&Taste>) -> Vec<ComponentType> {
            internal.is_none().then_some(Etiquette::TYPE).into_iter().collect()
        }

        /// Returns the labels of all components.
        fn labels(_: &Estate, namespace: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Failure> {
            Ok(namespace.clone())
        }

        component!(Cellar, CellarSpec, "CellarCool", "CellarFull");
        component!(Press, PressSpec,);
        component!(Etiquette, EtiquetteSpec,);

        pub(super) struct Cellars;

        impl ComponentController for Cellars {
            type Component = Cellar;

            async fn apply(&self, cx: &ApplyContext<Cellar>, _: Ready<Cellar>) -> Flow {
                cx.healthy();
                cx.condition("CellarCool", cx.component().spec.cool.into(), "Measured", "");
                cx.condition("CellarFull", false.into(), "Measured", "");
                Ok(())
            }

            async fn cleanup(&self, _: &CleanupContext<Cellar>, _: Maybe<Cellar>) -> Flow {
                Ok(())
            }
        }

        pub(super) struct Presses;

        impl ComponentController for Presses {
            type Component = Press;

            async fn apply(&self, cx: &ApplyContext<Press>, deps: Ready<Press>) -> Flow {
                assert!(deps.get::<Cellar>().spec.cool);
                cx.healthy();
                Ok(())
            }

            async fn cleanup(&self, _: &CleanupContext<Press>, deps: Maybe<Press>) -> Flow {
                if deps.get::<Cellar>().is_some() { Ok(()) } else { Blocked::new("NoCellar", "the cellar is gone").into() }
            }
        }

        pub(super) fn operator() -> Operator {
            let operator = Operator::new(concat!("estate-operator.", $group));
            operator.component_controller(|| Cellars).component_controller(|| Presses).into()
        }
    };
}

mod declared {
    use super::*;

    estate!("declared.kubewright.dev");

    contract! {
        /// The parts of an estate.
        pub(super) name = Estates;
        owner = Estate;
        internal = Taste;
        domain = "estates.kubewright.dev";
        revision = SameRevision;
        finalizer_form = KindDotDomain;
        max_name_length = 40;
        disabled = closed;
        propagate = labels;
        reads_namespaces = true;
        /// The place of the wine.
        Cellar { keep_running }
        Press { needs: [Cellar { same_revision, conditions: ["CellarCool"] }] }
        Etiquette { outlived_by: [Press], type = "Etiquette" }
    }
}

mod written {
    use std::sync::Arc;

    use super::*;

    estate!("written.kubewright.dev");

    /// The parts of an estate.
    #[derive(Clone, Copy, Debug)]
    pub(super) enum Estates {}

    impl Contract for Estates {
        type Owner = Estate;
        type Internal = Taste;
        type Form = StandardForm;

        const READS_NAMESPACES: bool = true;

        fn format() -> Result<Format, InvalidFinalizerName> {
            let format = Format::standard("estates.kubewright.dev")?.with_revision(Revision::SameRevision);
            Ok(format.finalizer_form(FinalizerForm::KindDotDomain).with_max_owner_name(40))
        }

        fn components(components: &mut Components<Self>) {
            components.add::<Cellar>().add::<Press>().add::<Etiquette>();
        }

        fn disabled(owner: &Estate, internal: Option<&Taste>) -> Vec<ComponentType> {
            closed(owner, internal)
        }

        fn propagate(owner: &Estate, namespace: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Failure> {
            labels(owner, namespace)
        }
    }

    impl ContractMember for Cellar {
        type Contract = Estates;
        type Edges = ();

        const TYPE: ComponentType = ComponentType::new("Cellar");
        const KEEP_RUNNING: bool = true;
    }

    impl ContractMember for Press {
        type Contract = Estates;
        type Edges = (WithConditions<NeedsSameRevisionEdge<Cellar>, Cool>,);

        const TYPE: ComponentType = ComponentType::new("Press");
    }

    /// The conditions of a cellar that a press needs.
    pub(super) enum Cool {}

    impl RelevantConditions for Cool {
        const TYPES: &'static [&'static str] = &["CellarCool"];
    }

    impl DependsOn<Cellar> for Press {
        fn maybe(dependencies: &MaybeOf<Self>) -> Option<&Arc<Cellar>> {
            dependencies.0.as_ref()
        }
    }

    impl Needs<Cellar> for Press {
        fn ready(dependencies: &ReadyOf<Self>) -> &Arc<Cellar> {
            &dependencies.0
        }
    }

    impl ContractMember for Etiquette {
        type Contract = Estates;
        type Edges = (OutlivedByEdge<Press>,);

        const TYPE: ComponentType = ComponentType::new("Etiquette");
    }

    impl DependsOn<Press> for Etiquette {
        fn maybe(dependencies: &MaybeOf<Self>) -> Option<&Arc<Press>> {
            dependencies.0.as_ref()
        }
    }
}

// 13.1, EDGE-2, EDGE-3
#[test]
fn a_declared_contract_is_the_one_that_is_written_by_hand() {
    assert_eq!(declared::Estates::format().unwrap(), written::Estates::format().unwrap());
    let graph = declared::Estates::graph().unwrap();
    assert_eq!(graph, written::Estates::graph().unwrap());
    let chart = "graph TD\n    Cellar[\"Cellar<br/>keeps running\"]\n    Press[\"Press\"]\n    Etiquette[\"Etiquette\"]\n    \
                 Press -->|needs the same revision| Cellar\n    Etiquette -.->|outlived by| Press\n";
    assert_eq!(graph.to_mermaid(), chart);
    for operator in [declared::operator(), written::operator()] {
        let declarations = operator.declarations();
        assert_eq!(declarations.problems(), &[] as &[String]);
        // The graph that the command `graph` prints.
        let graphs: Vec<_> = declarations.graphs().collect();
        assert_eq!(graphs, [("Estate of estates.kubewright.dev", &graph)]);
    }
}

// OPA-7, 13.1, 13.3
#[test]
fn functions_of_a_declaration_are_methods_of_the_contract() {
    fn answers<C: Contract>(owner: &C::Owner) -> (bool, Vec<ComponentType>, BTreeMap<String, String>) {
        let namespace = BTreeMap::from([("project".to_owned(), "vineyard".to_owned())]);
        (C::READS_NAMESPACES, C::disabled(owner, None), C::propagate(owner, &namespace).unwrap())
    }
    let declared = answers::<declared::Estates>(&declared::Estate::new("estate", declared::EstateSpec {}));
    assert_eq!(declared, answers::<written::Estates>(&written::Estate::new("estate", written::EstateSpec {})));
    let labels = BTreeMap::from([("project".to_owned(), "vineyard".to_owned())]);
    assert_eq!(declared, (true, vec![ComponentType::new("Etiquette")], labels));
}

async fn the_listed_condition_counts<Cellar: ContractComponent, Press: ContractComponent>(operator: Operator) {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(operator).await;
    let object = |kind: &str, api_version: &str| {
        json!({
            "apiVersion": api_version, "kind": kind,
            "metadata": {
                "name": "estate", "namespace": cluster.namespace(),
                "labels": { "estates.kubewright.dev/owner-generation": "1" },
            },
            "spec": {},
        })
    };
    cluster.create(object("Cellar", &Cellar::api_version(&()))).await.unwrap();
    cluster.create(object("Press", &Press::api_version(&()))).await.unwrap();
    let cellar = cluster.expect::<Cellar>("estate").condition("CellarCool", "False", "Measured").await;
    assert_eq!(cellar["metadata"]["finalizers"], json!(["cellar.estates.kubewright.dev"]));
    let mut press = cluster.expect::<Press>("estate").condition("Ready", "False", "WaitingForDependencies").await;
    // The first pass may run before the cellar is measured.
    for _ in 0..600 {
        if message_of(&press, "Ready").contains("CellarCool") {
            break;
        }
        cluster.pass(Duration::from_millis(50)).await;
        press = cluster.get::<Press>("estate").await.unwrap();
    }
    assert!(message_of(&press, "Ready").contains("CellarCool"), "{press}");
    cluster.patch::<Cellar>("estate", json!({ "spec": { "cool": true } })).await;
    cluster.expect::<Press>("estate").condition("Ready", "True", "Reconciled").await;
    cluster.expect::<Cellar>("estate").condition("CellarFull", "False", "Measured").await;
    cluster.delete::<Cellar>("estate").await;
    cluster.delete::<Press>("estate").await;
    cluster.expect::<Press>("estate").to_be_gone().await;
    cluster.expect::<Cellar>("estate").to_be_gone().await;
    operator.stop().await;
}

// RDY-2, DEP-02, 13.1
#[tokio::test]
async fn only_the_listed_condition_of_a_declared_edge_counts() {
    the_listed_condition_counts::<declared::Cellar, declared::Press>(declared::operator()).await;
}

// RDY-2, DEP-02, 13.1
#[tokio::test]
async fn only_the_listed_condition_of_an_edge_by_hand_counts() {
    the_listed_condition_counts::<written::Cellar, written::Press>(written::operator()).await;
}
