//! The flags of the command line and their environment variables.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kubewright_machinery::quantity::GoDuration;
use serde_json::Value;

use super::DevArgs;
use super::deploy::DeployArgs;
use crate::leadership::Leadership;
use crate::operator::name_problems::namespace_problem;
use crate::operator::{Declarations, MinimumVersion, Operator, OperatorOptions, rbac_documents, service_account_documents};

/// The default address of probes and metrics: port 8080 on all addresses.
const DEFAULT_ADMIN: SocketAddr = SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 8080);

/// The environment variable with the name of the ConfigMap of log levels.
pub(super) const CONFIG_LOGGING_NAME: &str = "CONFIG_LOGGING_NAME";
/// The environment variable with the name of the ConfigMap of delays and limits.
pub(super) const CONFIG_TIMING_NAME: &str = "CONFIG_TIMING_NAME";
/// The environment variable with the name of the ConfigMap of profiling and of the protocol of metrics.
pub(super) const CONFIG_OBSERVABILITY_NAME: &str = "CONFIG_OBSERVABILITY_NAME";
/// The environment variable with the name of the ConfigMap of durations and buckets of leader election.
pub(super) const CONFIG_LEADER_ELECTION_NAME: &str = "CONFIG_LEADERELECTION_NAME";

/// Runs the operator, or prints what it needs.
#[derive(Debug, Parser)]
#[command(name = "operator", args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(super) struct Cli {
    /// Prints name and version
    #[arg(long, short = 'V')]
    pub(super) version: bool,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Runs the operator against a cluster (the default)
    Run(Box<RunArgs>),
    /// Runs the operator on an embedded API server, to try it out
    Dev {
        #[command(flatten)]
        dev: DevArgs,
        #[command(flatten)]
        logging: LogArgs,
    },
    /// Prints the CRDs that the operator brings along
    Crds,
    /// Prints the components of contracts and what depends on what, as a chart
    Graph(GraphArgs),
    /// Prints the roles that the operator needs, and with a namespace for it its service account and the bindings
    Rbac(RbacArgs),
    /// Prints all manifests that run the operator in a cluster, for `kubectl apply -f -`
    Deploy(Box<DeployArgs>),
    /// Prints name and version
    Version,
}

#[derive(Clone, Debug, Args)]
pub(super) struct GraphArgs {
    /// The language of the chart: `mermaid`, the default, or `dot`
    #[arg(long, value_name = "FORMAT", default_value = "mermaid")]
    format: GraphFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// A flow chart of Mermaid
    Mermaid,
    /// A digraph of Graphviz
    Dot,
}

impl GraphArgs {
    /// Returns the charts of all contracts; None for an operator without one.
    pub(super) fn charts(&self, declarations: &Declarations) -> Option<String> {
        let charts = declarations.graphs().map(|(name, graph)| match self.format {
            GraphFormat::Mermaid => format!("%% {name}\n{}", graph.to_mermaid()),
            GraphFormat::Dot => format!("// {name}\n{}", graph.to_dot()),
        });
        let charts: Vec<String> = charts.collect();
        (!charts.is_empty()).then(|| charts.join("\n"))
    }
}

#[derive(Clone, Debug, Args)]
pub(super) struct RbacArgs {
    /// The name of the printed objects; the operator's name by default
    #[arg(long, value_name = "NAME")]
    prefix: Option<String>,
    /// The namespaces that the operator will watch, separated by commas: roles for each of them, and a cluster role for what has no
    /// namespace only; all by default
    #[arg(long, env = "WATCH_NAMESPACES", value_delimiter = ',', value_name = "NAMES", value_parser = namespace)]
    watch_namespaces: Vec<String>,
    /// The namespace that the operator will run in; the first one that it watches by default
    #[arg(long, visible_alias = "namespace", env = "SYSTEM_NAMESPACE", value_name = "NAME", value_parser = namespace)]
    system_namespace: Option<String>,
    #[command(flatten)]
    config_maps: ConfigMapArgs,
}

#[derive(Clone, Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) cluster: ClusterArgs,
    #[command(flatten)]
    pub(super) logging: LogArgs,
    /// The namespaces to watch, separated by commas; all by default
    #[arg(long, env = "WATCH_NAMESPACES", value_delimiter = ',', value_name = "NAMES", value_parser = namespace)]
    watch_namespaces: Vec<String>,
    /// The namespace that the operator runs in, where its configuration is; that of the service account or of the kubeconfig's context by default
    #[arg(long, env = "SYSTEM_NAMESPACE", value_name = "NAME", value_parser = namespace)]
    system_namespace: Option<String>,
    #[arg(long, env = "SYSTEM_RESOURCE_LABEL", value_name = "KEY", hide = true)]
    system_resource_label: Option<String>,
    #[command(flatten)]
    config_maps: ConfigMapArgs,
    /// Passes at once of each controller; 16 for components by default, 2 for others
    #[arg(long, env = "K_THREADS_PER_CONTROLLER", value_name = "NUMBER", value_parser = given(workers))]
    workers: Option<Given<usize>>,
    /// Requests per second that the operator allows itself; 0, the default, leaves that to the server
    #[arg(long, env = "KUBE_API_QPS", value_name = "NUMBER", value_parser = given(qps))]
    kube_api_qps: Option<Given<f64>>,
    /// Requests at once, with `--kube-api-qps`; 0, the default, is twice that number
    #[arg(long, env = "KUBE_API_BURST", value_name = "NUMBER", value_parser = given(burst))]
    kube_api_burst: Option<Given<u32>>,
    /// Controllers and background tasks to leave out, separated by commas
    #[arg(long, env = "DISABLE_CONTROLLERS", value_delimiter = ',', value_name = "NAMES")]
    disable_controllers: Vec<String>,
    /// Works without leader election, as the only replica: for operators of which one process runs at most
    #[arg(long, env = "DISABLE_HA", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", value_parser = given(flag))]
    disable_ha: Option<Given<bool>>,
    /// The oldest Kubernetes version to run on; v1.34.0 by default
    #[arg(long, env = "KUBERNETES_MIN_VERSION", value_name = "VERSION", value_parser = given(parsed::<MinimumVersion>))]
    min_kubernetes_version: Option<Given<MinimumVersion>>,
    /// Where probes and metrics are served, `off` for nowhere; [::]:8080 by default
    #[arg(long, env = "ADMIN_ADDR", value_name = "ADDRESS", value_parser = given(parsed::<AdminAddress>))]
    admin_addr: Option<Given<AdminAddress>>,
    /// How long each phase of the start may take, 0 for ever; 5m by default
    #[arg(long, env = "STARTUP_TIMEOUT", value_name = "DURATION", value_parser = given(duration))]
    startup_timeout: Option<Given<Duration>>,
    /// After how long everything is looked at again, 0 for never; 10h by default
    #[arg(long, env = "RESYNC_PERIOD", value_name = "DURATION", value_parser = given(duration))]
    resync: Option<Given<Duration>>,
    /// How long an orderly end may take in all; 25s by default. The pod's terminationGracePeriodSeconds must be longer
    #[arg(long, env = "SHUTDOWN_TIMEOUT", value_name = "DURATION", value_parser = given(duration))]
    shutdown_timeout: Option<Given<Duration>>,
    /// The name of this instance in events; that of the host by default
    #[arg(long, env = "POD_NAME", value_name = "NAME")]
    pod_name: Option<String>,
    #[arg(long, env = "HOSTNAME", value_name = "NAME", hide = true)]
    hostname: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct ClusterArgs {
    /// The kubeconfig file; by default $KUBECONFIG, ~/.kube/config, then the service account of the pod
    #[arg(long, value_name = "FILE")]
    pub(super) kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig; its current one by default
    #[arg(long, value_name = "NAME")]
    pub(super) context: Option<String>,
    /// The cluster of the kubeconfig, in place of the one of the context
    #[arg(long, value_name = "NAME")]
    pub(super) cluster: Option<String>,
    /// The address of the API server, in place of the one of the cluster; not used together with `--cluster`
    #[arg(long, value_name = "URL")]
    pub(super) server: Option<http::Uri>,
}

#[derive(Clone, Debug, Args)]
pub(super) struct LogArgs {
    /// How logs are written: `text`, `json`, or `auto`, the default: text on a terminal and of `dev`, JSON elsewhere
    #[arg(long, env = "LOG_FORMAT", value_name = "FORMAT", value_parser = given(log_format))]
    log_format: Option<Given<LogFormat>>,
    /// What is logged, for instance `info` or `warn,kubewright_runtime=debug`
    #[arg(long, env = "RUST_LOG", value_name = "FILTER")]
    pub(super) log_filter: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// One JSON object per line
    Json,
    /// Lines for people
    Text,
    /// Text on a terminal and of `dev`, JSON elsewhere
    Auto,
}

/// An address, or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AdminAddress(Option<SocketAddr>);

impl FromStr for AdminAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(None));
        }
        let address = text.parse().map_err(|_| "it must be an address like [::]:8080 or 127.0.0.1:8080, or `off`".to_owned())?;
        Ok(Self(Some(address)))
    }
}

impl RunArgs {
    pub(super) fn apply(self, options: &mut OperatorOptions) {
        options.instance = self.instance(options.instance.take());
        options.workers = value(self.workers).or(options.workers);
        options.kube_api_qps = value(self.kube_api_qps).unwrap_or(options.kube_api_qps);
        options.kube_api_burst = value(self.kube_api_burst).unwrap_or(options.kube_api_burst);
        if !self.watch_namespaces.is_empty() {
            options.watch_namespaces = names(self.watch_namespaces);
        }
        if !self.disable_controllers.is_empty() {
            options.disabled_controllers = names(self.disable_controllers);
        }
        if let Some(minimum) = value(self.min_kubernetes_version) {
            options.minimum_version = minimum;
        }
        options.admin = match value(self.admin_addr) {
            Some(AdminAddress(address)) => address,
            None => options.admin.or(Some(DEFAULT_ADMIN)),
        };
        if let Some(limit) = value(self.startup_timeout) {
            options.startup_timeout = Some(limit).filter(|limit| !limit.is_zero());
        }
        if let Some(period) = value(self.resync) {
            options.resync = Some(period).filter(|period| !period.is_zero());
        }
        options.shutdown_timeout = value(self.shutdown_timeout).unwrap_or(options.shutdown_timeout);
        options.system_namespace = named(self.system_namespace).or_else(|| options.system_namespace.take());
        options.system_resource_label = named(self.system_resource_label).or_else(|| options.system_resource_label.take());
        if value(self.disable_ha) == Some(true) {
            options.leadership = Leadership::off();
        }
        self.config_maps.apply(options);
    }

    /// Returns the name of the instance: the flag or variable `POD_NAME`, else the one set in the program, else the host name.
    pub(super) fn instance(&self, built: Option<String>) -> Option<String> {
        named(self.pod_name.clone()).or(built).or_else(|| named(self.hostname.clone()))
    }
}

/// Names of the ConfigMaps that every operator may read.
#[derive(Clone, Debug, Args)]
#[allow(clippy::struct_field_names)] // the fields are named like the flags
struct ConfigMapArgs {
    #[arg(long, env = CONFIG_LOGGING_NAME, value_name = "NAME", hide = true)]
    config_logging_name: Option<String>,
    #[arg(long, env = CONFIG_TIMING_NAME, value_name = "NAME", hide = true)]
    config_timing_name: Option<String>,
    #[arg(long, env = CONFIG_OBSERVABILITY_NAME, value_name = "NAME", hide = true)]
    config_observability_name: Option<String>,
    #[arg(long, env = CONFIG_LEADER_ELECTION_NAME, value_name = "NAME", hide = true)]
    config_leader_election_name: Option<String>,
}

impl ConfigMapArgs {
    fn apply(self, options: &mut OperatorOptions) {
        let names = [
            (self.config_logging_name, &mut options.config_logging),
            (self.config_timing_name, &mut options.config_timing),
            (self.config_observability_name, &mut options.config_observability),
            (self.config_leader_election_name, &mut options.config_leader_election),
        ];
        for (given, option) in names {
            *option = named(given).or_else(|| option.take());
        }
    }
}

fn named(name: Option<String>) -> Option<String> {
    name.filter(|name| !name.is_empty())
}

impl RbacArgs {
    /// Returns the documents to print for an operator with its own options, and remarks about omissions of its author.
    pub(super) fn documents(self, operator: Operator) -> (Vec<Value>, Vec<String>) {
        let Installation { operator, name, system_namespace } = self.installation(operator);
        let declarations = operator.declarations();
        (access_documents(&declarations, &name, system_namespace.as_deref()), declarations.remarks().to_vec())
    }

    /// Returns the operator as it will be installed.
    pub(super) fn installation(self, operator: Operator) -> Installation {
        let name = self.prefix.unwrap_or_else(|| operator.name().to_owned());
        let watched = names(self.watch_namespaces);
        let system = self.system_namespace.filter(|name| !name.is_empty()).or_else(|| watched.first().cloned());
        let operator = operator.options(|options| {
            if !watched.is_empty() {
                options.watch_namespaces = watched;
            }
            options.system_namespace = system.clone().or_else(|| options.system_namespace.take());
            self.config_maps.apply(options);
        });
        Installation { operator, name, system_namespace: system }
    }
}

/// An operator with the options with which it is installed.
pub(super) struct Installation {
    pub(super) operator: Operator,
    /// The name of its objects.
    pub(super) name: String,
    /// The namespace in which it runs, if the command line names it.
    pub(super) system_namespace: Option<String>,
}

/// Returns the roles and, if the namespace of the operator is known, its service account and the bindings.
pub(super) fn access_documents(declarations: &Declarations, name: &str, system_namespace: Option<&str>) -> Vec<Value> {
    let mut documents = rbac_documents(declarations, name);
    if let Some(namespace) = system_namespace {
        documents.extend(service_account_documents(declarations, name, namespace));
    }
    documents
}

impl LogArgs {
    pub(super) fn format(&self) -> LogFormat {
        value(self.log_format.clone()).unwrap_or(LogFormat::Auto)
    }
}

/// A value, or None for the empty text that Helm charts write for an unset variable.
#[derive(Clone, Debug)]
struct Given<T>(Option<T>);

fn value<T>(given: Option<Given<T>>) -> Option<T> {
    given.and_then(|Given(value)| value)
}

/// Returns a parser that takes an empty text for unset, and reads any other text with `read`.
fn given<T>(read: fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<Given<T>, String> + Clone + Send + Sync
where
    T: Clone + Send + Sync + 'static,
{
    move |text| if text.is_empty() { Ok(Given(None)) } else { read(text).map(|value| Given(Some(value))) }
}

fn parsed<T: FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn workers(text: &str) -> Result<usize, String> {
    let number = text.parse::<u16>().ok().filter(|number| *number > 0);
    number.map(usize::from).ok_or_else(|| format!("it must be a number from 1 to {}", u16::MAX))
}

fn flag(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it must be true or false".to_owned()),
    }
}

fn qps(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "it must be a number that is not negative".to_owned())
}

fn burst(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "it must be a whole number that is not negative".to_owned())
}

fn log_format(text: &str) -> Result<LogFormat, String> {
    LogFormat::from_str(text, false).map_err(|_| "it must be auto, json or text".to_owned())
}

/// Parses the name of a namespace; the empty text stands for none.
fn namespace(text: &str) -> Result<String, String> {
    let name = text.trim();
    match namespace_problem(name) {
        Some(problem) if !name.is_empty() => Err(format!("it must be the name of a namespace: {problem}")),
        _ => Ok(name.to_owned()),
    }
}

/// Trims the names of a list and drops the empty ones: an empty variable is an empty list.
fn names(list: Vec<String>) -> Vec<String> {
    list.into_iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed = GoDuration::parse(text).ok().and_then(GoDuration::to_std);
    parsed.ok_or_else(|| "it must be a duration that is not negative, like 30s, 5m or 1h30m".to_owned())
}
