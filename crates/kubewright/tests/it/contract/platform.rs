//! A contract: a platform whose landscaper needs no ready dependency, but is deleted before the authentication.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright::contract::{
    ApplyContext, CleanupContext, ComponentController, ComponentPass, ContractComponent, ContractExt as _, ContractStatus,
    DeclaredCondition, Maybe, NoInternal, NoPart, OperatorComponentController, OwnerStatus, Ready,
};
use kubewright::prelude::*;
use parking_lot::Mutex;

pub(super) const DOMAIN: &str = "platform.kubewright.dev";

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.kubewright.dev", version = "v1", kind = "Platform", namespaced, status = "PlatformStatus")]
pub(super) struct PlatformSpec {
    api_server: bool,
}

pub(super) type PlatformStatus = OwnerStatus<PlatformPublished>;

/// What the components of a platform publish.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct PlatformPublished {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endpoint: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.kubewright.dev", version = "v1", kind = "ApiServer", namespaced, status = "ApiServerStatus")]
pub(super) struct ApiServerSpec {
    #[serde(default)]
    pub(super) size: i64,
}

pub(super) type ApiServerStatus = ContractStatus<ApiServerExternal, ApiServerPrivate>;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct ApiServerExternal {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) endpoint: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct ApiServerPrivate {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kubeconfig: Option<String>,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.kubewright.dev", version = "v1", kind = "Authentication", namespaced, status = "PlainStatus")]
pub(super) struct AuthenticationSpec {
    #[serde(default)]
    pub(super) size: i64,
}

#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "platform.kubewright.dev", version = "v1", kind = "Landscaper", namespaced, status = "PlainStatus")]
pub(super) struct LandscaperSpec {
    #[serde(default)]
    pub(super) size: i64,
}

pub(super) type PlainStatus = ContractStatus<NoPart, NoPart>;

contract! {
    /// The parts of a platform.
    pub(super) name = Platforms;
    owner = Platform;
    ApiServer { keep_running }
    Authentication { needs: [ApiServer] }
    Landscaper { outlived_by: [ApiServer, Authentication] }
}

impl ContractComponent for ApiServer {
    type Spec = ApiServerSpec;
    type External = ApiServerExternal;
    type Private = ApiServerPrivate;

    fn configured(owner: &Platform) -> bool {
        owner.spec.api_server
    }

    fn convert(_: &Platform, _: Option<&NoInternal>) -> Result<ApiServerSpec, Failure> {
        Ok(ApiServerSpec::default())
    }

    fn publish(external: ApiServerExternal, published: &mut PlatformPublished) {
        published.endpoint = external.endpoint;
    }
}

impl ContractComponent for Authentication {
    type Spec = AuthenticationSpec;
    type External = NoPart;
    type Private = NoPart;

    fn configured(_: &Platform) -> bool {
        true
    }

    fn convert(_: &Platform, _: Option<&NoInternal>) -> Result<AuthenticationSpec, Failure> {
        Ok(AuthenticationSpec::default())
    }

    fn publish(_: NoPart, _: &mut PlatformPublished) {}
}

impl ContractComponent for Landscaper {
    type Spec = LandscaperSpec;
    type External = NoPart;
    type Private = NoPart;

    const CONDITIONS: &'static [DeclaredCondition] = &[
        DeclaredCondition::of(&ConditionType::<Self>::new("LandscaperInstalled")),
        DeclaredCondition::of(&ConditionType::<Self>::new("LandscaperDegraded").abnormal()),
    ];

    fn configured(_: &Platform) -> bool {
        true
    }

    fn convert(_: &Platform, _: Option<&NoInternal>) -> Result<LandscaperSpec, Failure> {
        Ok(LandscaperSpec::default())
    }

    fn publish(_: NoPart, _: &mut PlatformPublished) {}
}

/// The result of a method that a test sets.
type Act = Arc<dyn Fn(&dyn Words) -> Flow + Send + Sync>;

/// The reports of a pass, with the type of its component erased.
pub(super) trait Words {
    fn healthy(&self);
    fn condition(&self, type_: &str, holds: bool);
    fn reconciliation(&self, reason: &str, message: &str);
}

impl<T: ContractComponent> Words for ComponentPass<T> {
    fn healthy(&self) {
        Self::healthy(self);
    }

    fn condition(&self, type_: &str, holds: bool) {
        Self::condition(self, type_, holds.into(), "Test", "");
    }

    fn reconciliation(&self, reason: &str, message: &str) {
        Self::reconciliation(self, reason, message);
    }
}

/// The results of the methods, and the calls so far.
#[derive(Clone, Default)]
pub(super) struct Script {
    acts: Arc<Mutex<HashMap<String, Act>>>,
    calls: Arc<Mutex<Vec<String>>>,
}

impl Script {
    /// Sets the result of a method such as `apply Landscaper`.
    pub(super) fn set(&self, method: &str, act: impl Fn(&dyn Words) -> Flow + Send + Sync + 'static) {
        self.acts.lock().insert(method.to_owned(), Arc::new(act));
    }

    /// Returns the number of calls of a method so far.
    pub(super) fn count(&self, method: &str) -> usize {
        self.calls.lock().iter().filter(|call| *call == method).count()
    }

    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.lock().clone()
    }

    fn run<T: ContractComponent>(&self, method: &str, pass: &ComponentPass<T>) -> Flow {
        let name = format!("{method} {}", T::TYPE);
        self.calls.lock().push(name.clone());
        let act = self.acts.lock().get(&name).cloned();
        if let Some(act) = act {
            return act(pass);
        }
        pass.healthy();
        Words::condition(pass, "LandscaperInstalled", true);
        Ok(())
    }
}

pub(super) struct Scripted<T>(Script, PhantomData<T>);

impl<T> Scripted<T> {
    fn new(State(script): State<Script>) -> Self {
        Self(script, PhantomData)
    }
}

impl ComponentController for Scripted<ApiServer> {
    type Component = ApiServer;

    async fn apply(&self, cx: &ApplyContext<ApiServer>, _: Ready<ApiServer>) -> Flow {
        let size = cx.component().spec.size;
        cx.external(|external| external.endpoint = (size != 13).then(|| format!("https://api-{size}")));
        cx.private(|private| private.kubeconfig = Some("secret".to_owned()));
        self.0.run("apply", cx)
    }

    async fn cleanup(&self, cx: &CleanupContext<ApiServer>, _: Maybe<ApiServer>) -> Flow {
        self.0.run("cleanup", cx)
    }
}

impl ComponentController for Scripted<Authentication> {
    type Component = Authentication;

    async fn apply(&self, cx: &ApplyContext<Authentication>, deps: Ready<Authentication>) -> Flow {
        let endpoint = deps.get::<ApiServer>().status.as_ref().and_then(|status| status.external.endpoint.clone());
        if endpoint.is_none() {
            return Failure::backoff("the API server has no endpoint").reason("DependencyStatusInvalid").into();
        }
        self.0.run("apply", cx)
    }

    async fn cleanup(&self, cx: &CleanupContext<Authentication>, deps: Maybe<Authentication>) -> Flow {
        let found = if deps.get::<ApiServer>().is_some() { "with" } else { "without" };
        self.0.calls.lock().push(format!("cleanup {found} ApiServer"));
        self.0.run("cleanup", cx)
    }
}

impl ComponentController for Scripted<Landscaper> {
    type Component = Landscaper;

    async fn apply(&self, cx: &ApplyContext<Landscaper>, _: Ready<Landscaper>) -> Flow {
        self.0.run("apply", cx)
    }

    async fn cleanup(&self, cx: &CleanupContext<Landscaper>, deps: Maybe<Landscaper>) -> Flow {
        let found = if deps.get::<Authentication>().is_some() { "with" } else { "without" };
        self.0.calls.lock().push(format!("cleanup {found} Authentication"));
        self.0.run("cleanup", cx)
    }
}

/// Returns an operator with the controllers of all components.
pub(super) fn operator(script: &Script) -> Operator {
    operator_with(script, |api_server| api_server, |landscaper| landscaper)
}

/// Returns the operator with options of the first and of the last controller.
pub(super) fn operator_with(
    script: &Script,
    api_server: impl FnOnce(OperatorComponentController<Scripted<ApiServer>>) -> OperatorComponentController<Scripted<ApiServer>>,
    landscaper: impl FnOnce(OperatorComponentController<Scripted<Landscaper>>) -> OperatorComponentController<Scripted<Landscaper>>,
) -> Operator {
    let operator = Operator::new("platform-operator.platform.kubewright.dev").state(script.clone());
    let operator = api_server(operator.component_controller(Scripted::<ApiServer>::new));
    let operator = operator.component_controller(Scripted::<Authentication>::new);
    landscaper(operator.component_controller(Scripted::<Landscaper>::new)).into()
}
