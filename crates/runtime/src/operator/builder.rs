//! The builder of an operator.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use kubewright_core::backoff::Timing;
use kubewright_core::condition::{ConditionShape, TransitionTime};
use kubewright_core::config::{FromConfigMap, LOGGING_CONFIG_MAP, LogLevels, OBSERVABILITY_CONFIG_MAP};
use kubewright_core::finalizer::FinalizerWrite;
use kubewright_core::flow::Redactor;
use kubewright_core::lease::LeaderElection;
use kubewright_core::status::StatusWrite;
use kubewright_machinery::object::names::dns_1123_subdomain;
use tokio_util::sync::CancellationToken;

use super::compat::ChosenFormats;
use super::declarations::{LEADERSHIP, config_rule};
use super::drive::Driver;
use super::injected::States;
use super::name_problems::operator_name_problem;
use super::option_problems::problems_of;
use super::registration::enabled;
use super::{
    Compat, Declarations, OperatorError, OperatorOptions, PreparedOperator, Registration, RegistrationKind, Rule,
    RunningOperator, health,
};
use crate::admin::HealthChecks;
use crate::clock::{Clock, Random};
use crate::cluster::{Cluster, ClusterOptions, ConnectError, Rate};
use crate::config::{ConfigValues, KeeperOptions, LevelSink};
use crate::events::EventSink;
use crate::leadership::{Leadership, Sharing};
use crate::task::Tasks;

/// An operator that is being built.
pub struct Operator {
    name: String,
    version: String,
    commit: String,
    formats: Box<ChosenFormats>,
    registrations: Vec<Box<dyn Registration>>,
    /// The names that parts had when they were added.
    part_names: BTreeSet<String>,
    samples: Vec<String>,
    checks: HealthChecks,
    problems: Vec<String>,
    clock: Option<Clock>,
    random: Option<Random>,
    /// Shared, so that an operator stays small: futures hold it several times.
    timing: Arc<Timing>,
    redactor: Redactor,
    /// True if a ConfigMap replaces the timing.
    follows_timing: bool,
    states: States,
    config_values: ConfigValues,
    level_sink: Option<LevelSink>,
    /// True if a controller may be missing although another one queues its keys.
    is_partial: bool,
    options: OperatorOptions,
}

impl Operator {
    /// Creates an operator of this name: a DNS subdomain of at most 63 bytes.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: "unknown".to_owned(),
            commit: "unknown".to_owned(),
            formats: Box::default(),
            registrations: Vec::new(),
            part_names: BTreeSet::new(),
            samples: Vec::new(),
            checks: HealthChecks::new(),
            problems: Vec::new(),
            clock: None,
            random: None,
            timing: Arc::default(),
            redactor: Redactor::default(),
            follows_timing: false,
            states: States::default(),
            config_values: ConfigValues::default(),
            level_sink: None,
            is_partial: false,
            options: OperatorOptions::default(),
        }
    }

    /// Adds a part, usually a controller. Controllers with the same name use their full names, if they have them.
    #[must_use]
    pub fn register(mut self, mut registration: Box<dyn Registration>) -> Self {
        if registration.kind() != RegistrationKind::Controller {
            self.registrations.push(registration);
            return self;
        }
        let name = registration.name().to_owned();
        if self.part_names.contains(&name) {
            let namesakes = self.registrations.iter_mut().filter(|other| other.name() == name);
            namesakes.for_each(|other| other.use_full_name());
            registration.use_full_name();
        }
        self.part_names.insert(name);
        self.registrations.push(registration);
        self
    }

    /// Registers a value that constructors request as `State<T>`: clients of other services, for instance. There is one value of each type; the last one
    /// counts.
    #[must_use]
    pub fn state<T: Any + Clone + Send + Sync>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Changes a value that a part of the framework keeps with the operator, as if the author had registered it.
    pub(crate) fn change_state<T: Any + Clone + Default + Send + Sync>(&mut self, change: impl FnOnce(&mut T)) {
        let mut value = self.states.get::<T>().unwrap_or_default();
        change(&mut value);
        self.states.insert(value);
    }

    /// Sets the configuration `T` that is used while its ConfigMap is absent or initially cannot be read, so that nothing waits for that ConfigMap.
    #[must_use]
    pub fn config_default<T: FromConfigMap>(mut self, value: T) -> Self {
        self.config_values.default_to(value);
        self
    }

    /// Sets the configuration `T` in place of its ConfigMap, which is not read.
    #[must_use]
    pub fn config_fixed<T: FromConfigMap>(mut self, value: T) -> Self {
        self.config_values.fix(value);
        self
    }

    /// Calls this function with the log levels of their ConfigMap whenever they change. The standard command line does so itself; this is for programs that
    /// set up logging on their own. The last function counts. See [`OperatorOptions::config_logging`].
    #[must_use]
    pub fn on_log_levels(mut self, apply: impl Fn(&LogLevels) + Send + Sync + 'static) -> Self {
        self.level_sink = Some(Arc::new(apply));
        self
    }

    /// Adds sample objects, as YAML, that the command `dev` creates for demonstration.
    #[must_use]
    pub fn sample(mut self, yaml: impl Into<String>) -> Self {
        self.samples.push(yaml.into());
        self
    }

    /// Returns the samples that were added.
    pub fn samples(&self) -> &[String] {
        &self.samples
    }

    /// Sets the version of the program, for `version` and logs.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the commit that the program was built from, for `version`: 7 characters, with `-dirty` if modified.
    #[must_use]
    pub fn commit(mut self, commit: impl Into<String>) -> Self {
        self.commit = commit.into();
        self
    }

    /// Uses the formats of another framework. Each format can also be set alone, here or for one controller, and then overrides the preset, regardless of the
    /// order of calls.
    #[must_use]
    pub fn compat(mut self, preset: Compat) -> Self {
        self.formats.add_preset(preset);
        self
    }

    /// Sets the prefix of all metrics; `kubewright` by default.
    #[must_use]
    pub fn metrics_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.formats.alone.metrics_prefix = Some(prefix.into().into());
        self
    }

    /// Sets the domain of labels that the operator puts on leases, and of the default finalizers of kinds of the core group; `kubewright.dev` by default
    /// (CMPT-2). Another domain renames those finalizers: pass the former name to [`legacy_finalizers`](crate::reconcile::Controller::legacy_finalizers).
    #[must_use]
    pub fn label_domain(mut self, domain: impl Into<String>) -> Self {
        self.formats.alone.label_domain = Some(domain.into().into());
        self
    }

    /// Sets the prefix of the framework's own fields in JSON log lines, such as `controller` and `key` (LOG-1); empty by default.
    #[must_use]
    pub fn log_field_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.formats.alone.log_fields = Some(prefix.into().into());
        self
    }

    /// Sets which fields of conditions are filled. It applies to hand-written controllers that set no form of conditions of their own.
    #[must_use]
    pub fn condition_shape(mut self, shape: ConditionShape) -> Self {
        self.formats.alone.condition_shape = Some(shape);
        self
    }

    /// Sets when transition times of conditions move. It applies to hand-written controllers that set no form of conditions of their own.
    #[must_use]
    pub fn transition_time(mut self, transition: TransitionTime) -> Self {
        self.formats.alone.transition_time = Some(transition);
        self
    }

    /// Sets how statuses are written. It applies to hand-written controllers that set no form of their own.
    #[must_use]
    pub fn status_write(mut self, form: StatusWrite) -> Self {
        self.formats.alone.status_write = Some(form);
        self
    }

    /// Sets how finalizers are written. It applies to hand-written controllers that set no form of their own.
    #[must_use]
    pub fn finalizer_write(mut self, form: FinalizerWrite) -> Self {
        self.formats.alone.finalizer_write = Some(form);
        self
    }

    /// Sets the source of time, for tests.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets the source of jitter, for tests.
    #[must_use]
    pub fn random(mut self, random: Random) -> Self {
        self.random = Some(random);
        self
    }

    /// Sets the delays and limits.
    #[must_use]
    pub fn timing(mut self, timing: Timing) -> Self {
        self.timing = Arc::new(timing);
        self
    }

    /// Sets the redactor, which masks more confidential text than the default in the messages of conditions and events, in warnings of the API server, and on
    /// the pages of the admin server (SW-9).
    ///
    /// ```
    /// # use kubewright_core::flow::Redactor;
    /// # use kubewright_runtime::operator::Operator;
    /// let tokens = |text: &str| text.contains("shop-token-").then(|| "a message about a token".to_owned());
    /// let operator = Operator::new("shop.example.com").redactor(Redactor::default().masking(tokens));
    /// ```
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.checks.set_redactor(redactor.clone());
        self.redactor = redactor;
        self
    }

    /// Makes delays and limits follow the ConfigMap `config-timing` in the namespace in which the operator runs. Keys that it lacks keep the values of
    /// [`timing`](Self::timing), and the next pass of each controller uses the changed values. The ConfigMap need not exist.
    #[must_use]
    pub fn timing_from_config(mut self) -> Self {
        self.follows_timing = true;
        self
    }

    /// Changes the options that the command line can set, too. The command line takes precedence.
    #[must_use]
    pub fn options(mut self, change: impl FnOnce(&mut OperatorOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// Sets how replicas share the work; by default with one lease for the whole operator. The command line can turn leadership off.
    #[must_use]
    pub fn leadership(mut self, leadership: Leadership) -> Self {
        self.options.leadership = leadership;
        self
    }

    /// Adds a check of readiness. Names of checks are unique.
    #[must_use]
    pub fn ready_check(mut self, name: &str, probe: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.problems.extend(health::problem_of(name));
        self.problems.extend(self.checks.ready(name, probe).err().map(|error| error.to_string()));
        self
    }

    /// Adds a check of liveness. Names of checks are unique.
    #[must_use]
    pub fn live_check(mut self, name: &str, probe: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.problems.extend(health::problem_of(name));
        self.problems.extend(self.checks.live(name, probe).err().map(|error| error.to_string()));
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn program_version(&self) -> &str {
        &self.version
    }

    pub(super) fn program_commit(&self) -> &str {
        &self.commit
    }

    /// Returns the name of this instance, if it is known.
    pub(super) fn instance(&self) -> Option<&str> {
        self.options.instance.as_deref()
    }

    /// Returns the prefix of the framework's own fields in JSON log lines; empty if there is none.
    pub(super) fn log_field_prefix_or_none(&self) -> Arc<str> {
        self.formats.resolved().log_fields.unwrap_or_default()
    }

    /// Returns the line that the command `version` prints.
    pub fn version_line(&self) -> String {
        format!("{} {} (commit {}, kubewright {})", self.name, self.version, self.commit, env!("CARGO_PKG_VERSION"))
    }

    /// Returns the declarations of all parts and of the operator itself, confined to the namespaces that it watches.
    pub fn declarations(&self) -> Declarations {
        let mut declarations = Declarations::default()
            .with_config_values(self.config_values.clone())
            .with_formats(self.formats.resolved())
            .with_states(self.states.clone());
        declarations.rule(Rule::new("events.k8s.io", "events", &["create", "patch"]));
        for registration in &self.registrations {
            declarations.part(Some(registration.name()));
            registration.declare(&mut declarations);
        }
        declarations.part(None);
        if let Some(sharing) = self.options.leadership.sharing() {
            let map = self.options.config_leader_election.as_deref();
            declarations.leadership(sharing, map.unwrap_or(LeaderElection::NAME));
        }
        if self.follows_timing || self.options.config_timing.is_some() {
            let map = self.options.config_timing.as_deref();
            declarations.timing(map.unwrap_or(Timing::NAME), &self.timing);
        }
        let namespace = self.options.system_namespace.as_deref();
        let mut declarations = declarations.confined(&self.options.watch_namespaces).in_system_namespace(namespace);
        let is_any_named = self.options.config_logging.is_some() || self.options.config_observability.is_some();
        if let Some(namespace) = namespace.filter(|_| is_any_named) {
            // Without this permission the settings of these ConfigMaps keep their defaults.
            declarations.optional_rule(config_rule().in_namespace(namespace));
        }
        declarations
    }

    /// Runs until `shutdown` or until a fatal failure, without command line, logging and signals.
    pub async fn run(self, client: kube::Client, shutdown: CancellationToken) -> Result<(), OperatorError> {
        self.driver(shutdown, |options| Ok(Cluster::new(client, options)))?.drive().await
    }

    /// Starts the operator in the background. Mistakes that can be found without a cluster are returned at once.
    pub fn start(self, client: kube::Client) -> Result<RunningOperator, OperatorError> {
        let driver = self.driver(CancellationToken::new(), |options| Ok(Cluster::new(client, options)))?;
        Ok(RunningOperator::start(driver))
    }

    /// Constructs the parts and fills their caches without running a controller: for table tests. Events go to `events`; a controller may be missing although
    /// another one queues its keys.
    #[doc(hidden)]
    pub async fn prepare(mut self, client: kube::Client, events: EventSink) -> Result<PreparedOperator, OperatorError> {
        self.is_partial = true;
        let driver = self.driver(CancellationToken::new(), |options| Ok(Cluster::new(client, options)))?;
        driver.prepare(events).await
    }

    /// Runs the operator against the cluster of a configuration.
    pub(super) async fn run_config(self, config: kube::Config, shutdown: CancellationToken) -> Result<(), OperatorError> {
        self.driver(shutdown, |options| Cluster::connect(config, options))?.drive().await
    }

    fn driver(
        mut self,
        shutdown: CancellationToken,
        connect: impl FnOnce(ClusterOptions) -> Result<Cluster, ConnectError>,
    ) -> Result<Driver, OperatorError> {
        let formats = self.formats.resolved();
        if formats.is_per_controller {
            self.options.leadership = self.options.leadership.per_controller_by_default();
        }
        let declarations = self.declarations();
        let problems = self.all_problems(&declarations);
        if !problems.is_empty() {
            return Err(OperatorError::Invalid(problems));
        }
        let configs = declarations.configs().enabled(&self.options.disabled_controllers);
        let followed = |named: &Option<String>, default: &str| {
            let map = named.clone().or_else(|| declarations.configs().is_any_read().then(|| default.to_owned()));
            map.filter(|_| self.options.system_namespace.is_some())
        };
        let levels = followed(&self.options.config_logging, LOGGING_CONFIG_MAP).zip(self.level_sink);
        let observability = followed(&self.options.config_observability, OBSERVABILITY_CONFIG_MAP);
        let observability = observability.map(|map| (map, self.options.observability_prefix.clone()));
        let label = self.options.system_resource_label.clone();
        let registrations = enabled(self.registrations, &self.options.disabled_controllers)?;
        let tasks = Tasks::new();
        let clock = self.clock.unwrap_or_else(Clock::system);
        let random = self.random.unwrap_or_else(Random::from_entropy);
        // Watches have a set of tasks of their own, because they end before the other tasks.
        let mut options = ClusterOptions::new(clock, random, Tasks::new());
        options.user_agent.clone_from(self.options.user_agent.as_ref().unwrap_or(&self.name));
        options.redactor = self.redactor;
        options.rate = Rate::new(self.options.kube_api_qps, self.options.kube_api_burst);
        let cluster = connect(options)?;
        Ok(Driver::new(super::drive::Parts {
            name: self.name,
            formats: Arc::new(formats),
            declarations,
            registrations,
            checks: self.checks,
            follows_timing: self.follows_timing || self.options.config_timing.is_some(),
            timing: self.timing,
            states: self.states,
            configs: KeeperOptions { entries: configs, label, levels, observability, ..KeeperOptions::default() },
            options: self.options,
            cluster,
            tasks,
            shutdown,
        }))
    }

    /// Returns all problems that can be found without a cluster.
    fn all_problems(&self, declarations: &Declarations) -> Vec<String> {
        let mut problems = self.problems.clone();
        if let Some(problem) = operator_name_problem(&self.name) {
            problems.push(format!("the name of the operator, {:?}, cannot be used: {problem}", self.name));
        }
        let mut names = BTreeMap::new();
        for registration in &self.registrations {
            let (name, kind) = (registration.name(), registration.kind());
            if !dns_1123_subdomain(name).is_empty() {
                problems.push(format!("the name of the {} {name:?} must be a DNS subdomain", kind.as_str()));
            }
            let two = match (names.insert(name, kind), kind) {
                (None, _) => continue,
                (Some(RegistrationKind::Controller), RegistrationKind::Controller) => "two controllers",
                (Some(RegistrationKind::Task), RegistrationKind::Task) => "two tasks",
                _ => "a controller and a task",
            };
            problems.push(format!("{two} have the name {name:?}; names of controllers and tasks are unique"));
        }
        let needs = declarations.needs();
        for (type_id, name) in &needs.states {
            if !self.states.has(*type_id) {
                problems.push(format!(
                    "a constructor asks for State<{name}>, which is not registered; add `.state(…)` with such a value"
                ));
            }
        }
        for kind in needs.queues.difference(&needs.controllers).filter(|_| !self.is_partial) {
            problems.push(format!(
                "a constructor asks for Enqueue<{}>, and no controller has that kind; add `.controller(…)`",
                kind.kind
            ));
        }
        if let (Some(part), None) = (&needs.system_namespace, &self.options.system_namespace) {
            let way_out = if part == LEADERSHIP { ", or run a single replica with --disable-ha" } else { "" };
            problems.push(format!(
                "{part} needs the namespace that the operator runs in, and none is known; name it with --system-namespace (or \
                 SYSTEM_NAMESPACE){way_out}"
            ));
        }
        problems.extend(self.options.leadership.sharing().into_iter().flat_map(Sharing::problems));
        problems.extend(problems_of(&self.options, &self.formats.resolved()));
        problems.extend_from_slice(declarations.problems());
        problems
    }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let controllers: Vec<&str> = self.registrations.iter().map(|registration| registration.name()).collect();
        f.debug_struct("Operator").field("name", &self.name).field("controllers", &controllers).finish_non_exhaustive()
    }
}
