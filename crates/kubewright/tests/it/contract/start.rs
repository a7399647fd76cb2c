//! Invalid contracts, which do not start, and the declarations of operators with contracts.

use std::sync::Arc;

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentType, Components, Contract, ContractComponent, ContractExt as _,
    ContractMember, ContractStatus, DeclaredCondition, DependsOn, Edges, Maybe, MaybeOf, NeedsEdge, NoInternal, NoPart,
    OpenmcpForm, OutlivedByEdge, Ready,
};
use kubewright::core::condition::{ConditionPolarity, ConditionVisibility};
use kubewright::prelude::*;

use super::platform::{DOMAIN, Platform, PlatformPublished, Script, operator};

type EggStatus = ContractStatus<NoPart, NoPart>;

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "broken.kubewright.dev", version = "v1", kind = "Egg", namespaced, status = "EggStatus")]
struct EggSpec {}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "broken.kubewright.dev", version = "v1", kind = "Hen", namespaced, status = "EggStatus")]
struct HenSpec {}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "broken.kubewright.dev", version = "v1", kind = "Fox", namespaced, status = "EggStatus")]
struct FoxSpec {}

struct Farm;

impl Contract for Farm {
    type Owner = Platform;
    type Internal = NoInternal;
    type Form = OpenmcpForm;

    fn components(components: &mut Components<Self>) {
        components.add::<Egg>().add::<Hen>();
    }
}

const FRESH: DeclaredCondition =
    DeclaredCondition { type_: "Fresh", visibility: ConditionVisibility::Public, polarity: ConditionPolarity::Normal };

macro_rules! member {
    ($kind:ident, $edges:ty) => {
        impl ContractMember for $kind {
            type Contract = Farm;
            type Edges = $edges;

            const TYPE: ComponentType = ComponentType::new(stringify!($kind));
        }
    };
}

macro_rules! author {
    ($kind:ident, $spec:ident, $private:ty, $($condition:ident)?) => {
        impl ContractComponent for $kind {
            type Spec = $spec;
            type External = NoPart;
            type Private = $private;

            const CONDITIONS: &'static [DeclaredCondition] = &[$($condition)?];

            fn configured(_: &Platform) -> bool {
                true
            }

            fn convert(_: &Platform, _: Option<&NoInternal>) -> Result<$spec, Failure> {
                Ok($spec::default())
            }

            fn publish(_: NoPart, _: &mut PlatformPublished) {}
        }

        impl ComponentController for Tending<$kind> {
            type Component = $kind;

            async fn apply(&self, _: &ApplyContext<$kind>, _: Ready<$kind>) -> Flow {
                Ok(())
            }

            async fn cleanup(&self, _: &CleanupContext<$kind>, _: Maybe<$kind>) -> Flow {
                Ok(())
            }
        }
    };
}

struct Tending<T>(std::marker::PhantomData<T>);

impl<T> Tending<T> {
    fn new() -> Self {
        Self(std::marker::PhantomData)
    }

    fn looking(_: Store<Platform>) -> Self {
        Self::new()
    }
}

/// A part with a property of the common part.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Conditional {
    conditions: Option<String>,
}

member!(Egg, (NeedsEdge<Hen>,));
member!(Hen, (OutlivedByEdge<Egg>,));
member!(Fox, ());
author!(Egg, EggSpec, NoPart, FRESH);
author!(Hen, HenSpec, Conditional, FRESH);
author!(Fox, FoxSpec, NoPart,);

impl DependsOn<Egg> for Hen {
    fn maybe(dependencies: &MaybeOf<Self>) -> Option<&Arc<Egg>> {
        dependencies.0.as_ref()
    }
}

fn problems(operator: impl Into<Operator>) -> Vec<String> {
    operator.into().declarations().problems().to_vec()
}

fn farm() -> Operator {
    Operator::new("farm-operator.kubewright.dev")
}

// EDGE-2, COND-08, CT-2
#[test]
fn a_contract_with_a_cycle_or_a_condition_of_two_components_does_not_start() {
    let problems = problems(farm().component_controller(Tending::<Egg>::new));
    assert!(problems.iter().any(|problem| problem.contains("Egg -> Hen -> Egg")), "{problems:?}");
    assert!(problems.contains(&"components Egg and Hen both declare condition Fresh; rename one".to_owned()), "{problems:?}");
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "broken.kubewright.dev", version = "v1", kind = "APIHen", root = "ApiHen", namespaced, status = "EggStatus")]
struct ApiHenSpec {}

contract! {
    name = Coop;
    owner = Platform;
    ApiHen {}
}

author!(ApiHen, ApiHenSpec, NoPart,);

// CT-8
#[test]
fn a_component_whose_kind_differs_from_its_declared_type_does_not_start() {
    let problems = problems(farm().component_controller(Tending::<ApiHen>::new));
    let expected = "component ApiHen has the kind APIHen; say in `contract!` which of the two is its type, `ApiHen { type = \"APIHen\" }` or ";
    assert!(problems.iter().any(|problem| problem.starts_with(expected)), "{problems:?}");
}

// 13.3
#[test]
fn a_contract_with_overlapping_status_parts_or_a_wrong_status_form_does_not_start() {
    let problems = problems(farm().component_controller(Tending::<Hen>::new));
    let has = |text: &str| problems.iter().any(|problem| problem.starts_with(text));
    assert!(has("component Hen: two parts of its status have the property \"conditions\""), "{problems:?}");
    assert!(has("the form of the contract's statuses is not that of its format"), "{problems:?}");
}

// 13.1
#[test]
fn a_controller_of_a_component_outside_of_its_contract_does_not_start() {
    let problems = problems(farm().component_controller(Tending::<Fox>::new));
    assert!(problems.iter().any(|problem| problem.starts_with("component Fox is not in its contract")), "{problems:?}");
}

// CT-4, MUST-02
#[test]
fn a_controller_that_asks_for_the_owner_does_not_start() {
    let problems = problems(farm().component_controller(Tending::<Fox>::looking));
    assert!(
        problems.iter().any(|problem| problem.starts_with("the controller of component Fox asks for its owner")),
        "{problems:?}"
    );
}

// CT-4, MUST-03, EDGE-3
#[test]
fn the_permissions_of_component_controllers_have_no_rule_for_the_owner() {
    let declarations = operator(&Script::default());
    let declarations = declarations.declarations();
    let rules = declarations.all_rules();
    let rules: Vec<_> = rules.iter().filter(|rule| rule.group == DOMAIN).collect();
    assert!(rules.iter().all(|rule| rule.resource != "platforms"), "{rules:?}");
    let verbs = |resource: &str| {
        let rule = rules.iter().find(|rule| rule.resource == resource);
        rule.map(|rule| rule.verbs.iter().cloned().collect::<Vec<_>>().join(" ")).unwrap_or_default()
    };
    assert_eq!(verbs("apiservers"), "get list patch watch");
    assert_eq!(verbs("apiservers/status"), "patch");
    let graphs: Vec<&str> = declarations.graphs().map(|(name, _)| name).collect();
    assert_eq!(graphs, ["Platform of platform.kubewright.dev"]);
}

/// The type of dependencies follows from the edges.
const _: fn(MaybeOf<Egg>) -> (Option<Arc<Hen>>,) = |found: <<Egg as ContractMember>::Edges as Edges<Egg>>::Maybe| found;
