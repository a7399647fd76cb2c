use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory as _, Parser as _};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_core::contract::{ComponentType, Edge, EdgeKind, Graph, Member, Revision};
use serde_json::Value;

use super::args::{Cli, Command, LogFormat};
use super::*;
use crate::leadership::Leadership;
use crate::operator::{Declarations, Operator, OperatorOptions};

struct Environment;

impl DevEnvironment for Environment {
    fn run(self: Box<Self>, source: OperatorSource, args: DevArgs) -> BoxFuture<'static, ExitCode> {
        let (operator, make) = source.into_parts();
        let others: Vec<_> = make.into_iter().flat_map(|make| (1..args.replicas).map(move |_| make())).collect();
        let made = 1 + others.len();
        if args.replicas > 1 {
            return async move { ExitCode::from(u8::try_from(made).unwrap()) }.boxed();
        }
        let code = if args.exit_when_ready && args.port == 7 && operator.name() == "demo" { 42 } else { 1 };
        async move { ExitCode::from(code) }.boxed()
    }
}

async fn exit_of(args: &[&str], dev: Option<Box<dyn DevEnvironment>>) -> String {
    let args = std::iter::once("demo").chain(args.iter().copied()).map(OsString::from);
    format!("{:?}", main_from(args, Operator::new("demo"), dev).await)
}

fn code(code: u8) -> String {
    format!("{:?}", ExitCode::from(code))
}

// 2.2
#[test]
fn flags_win_over_the_builder_and_defaults_do_not() {
    let options = |args: &[&str]| {
        let cli = Cli::try_parse_from(std::iter::once(&"demo").chain(args)).unwrap();
        let mut options = OperatorOptions { shutdown_timeout: Duration::from_secs(7), ..OperatorOptions::default() };
        cli.run.apply(&mut options);
        options
    };
    let plain = options(&[]);
    assert_eq!((plain.shutdown_timeout.as_secs(), plain.admin.map(|address| address.port())), (7, Some(8080)));
    let flags =
        options(&["--shutdown-timeout", "1m", "--admin-addr", "off", "--watch-namespaces", "a, b", "--startup-timeout", "0"]);
    assert_eq!((flags.shutdown_timeout.as_secs(), flags.admin, flags.startup_timeout), (60, None, None));
    assert_eq!(flags.watch_namespaces, ["a", "b"]);
    assert_eq!(plain.resync, Some(Duration::from_hours(10)));
    assert_eq!(options(&["--resync", "30m"]).resync, Some(Duration::from_mins(30)));
    assert_eq!(options(&["--resync", "0"]).resync, None);
}

// 2.2: Helm charts write an empty text for a variable that is not set.
#[test]
fn an_empty_value_is_none() {
    let flags = [
        "--workers",
        "--admin-addr",
        "--startup-timeout",
        "--resync",
        "--shutdown-timeout",
        "--min-kubernetes-version",
        "--kube-api-qps",
        "--kube-api-burst",
        "--watch-namespaces",
        "--disable-controllers",
        "--log-format",
        "--system-namespace",
        "--system-resource-label",
        "--config-logging-name",
        "--config-timing-name",
        "--config-observability-name",
        "--pod-name",
        "--hostname",
    ];
    let line = ["demo"].into_iter().chain(flags.into_iter().flat_map(|flag| [flag, ""]));
    let cli = Cli::try_parse_from(line).unwrap();
    let mut options = OperatorOptions::default();
    cli.run.clone().apply(&mut options);
    let mut plain = OperatorOptions::default();
    Cli::try_parse_from(["demo", "--hostname", ""]).unwrap().run.apply(&mut plain);
    assert_eq!(format!("{options:?}"), format!("{plain:?}"));
    assert_eq!(cli.run.logging.format(), LogFormat::Auto);
}

// 2.2
#[test]
fn the_system_namespace_of_the_command_line_wins() {
    let namespace = |args: &[&str]| {
        let mut options = OperatorOptions { system_namespace: Some("built".to_owned()), ..OperatorOptions::default() };
        Cli::try_parse_from(std::iter::once(&"demo").chain(args)).unwrap().run.apply(&mut options);
        options.system_namespace.unwrap_or_default()
    };
    assert_eq!(namespace(&["--system-namespace", "flag"]), "flag");
    assert_eq!(namespace(&["run", "--system-namespace", ""]), "built");
}

// 2.2, EMIT-1
#[test]
fn an_instance_is_called_by_its_pod_else_by_its_host() {
    let instance = |args: &[&str], built: Option<&str>| {
        let mut options = OperatorOptions { instance: built.map(str::to_owned), ..OperatorOptions::default() };
        Cli::try_parse_from(std::iter::once(&"demo").chain(args)).unwrap().run.apply(&mut options);
        options.instance.unwrap_or_default()
    };
    assert_eq!(instance(&["--pod-name", "pod-1", "--hostname", "host"], Some("built")), "pod-1");
    assert_eq!(instance(&["--pod-name", "", "--hostname", "host"], Some("built")), "built");
    assert_eq!(instance(&["--pod-name", "", "--hostname", "host"], None), "host");
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

// OPR-6, 2.2
#[tokio::test]
async fn a_wrong_command_line_is_exit_code_2() {
    for args in [
        &["--no-such-flag"][..],
        &["explode"],
        &["--kube-api-qps=-1"],
        &["--kube-api-burst=-1"],
        &["--workers", "0"],
        &["--workers", "many"],
        &["--watch-namespaces", "shop,The Other"],
        &["rbac", "--system-namespace", "Shop"],
        &["run", "--startup-timeout", "soon"],
        &["--admin-addr", "here"],
        &["--min-kubernetes-version", "new"],
        &["--log-format", "xml"],
        &["dev"],
        &["deploy", "--system-namespace", "n"],
        &["deploy", "--system-namespace", "n", "--image", "i", "--", "--resync", "soon"],
    ] {
        assert_eq!(exit_of(args, None).await, code(2), "{args:?}");
    }
}

// OPR-6
#[tokio::test]
async fn a_kubeconfig_that_is_not_there_is_exit_code_1() {
    assert_eq!(exit_of(&["--kubeconfig", "/nonexistent/config", "--log-filter", "off"], None).await, code(1));
}

// 2.2
#[tokio::test]
async fn a_cluster_by_name_wins_over_a_server_and_that_over_the_file() {
    let path = std::env::temp_dir().join(format!("kubewright-clusters-{}", std::process::id()));
    let text = "
apiVersion: v1
kind: Config
current-context: dev
contexts: [{name: dev, context: {cluster: one, user: u}}]
clusters: [{name: one, cluster: {server: 'http://one:1'}}, {name: two, cluster: {server: 'http://two:2'}}]
users: [{name: u, user: {}}]
";
    std::fs::write(&path, text).unwrap();
    let file = path.display().to_string();
    for (args, expected) in [
        (&[][..], "http://one:1/"),
        (&["--server", "http://other:3"], "http://other:3/"),
        (&["--cluster", "two"], "http://two:2/"),
        (&["--cluster", "two", "--server", "http://other:3"], "http://two:2/"),
    ] {
        let line = ["demo", "--kubeconfig", &file].into_iter().chain(args.iter().copied());
        let cli = Cli::try_parse_from(line).unwrap();
        assert_eq!(main::config(&cli.run.cluster).await.unwrap().cluster_url.to_string(), expected, "{args:?}");
    }
    std::fs::remove_file(path).unwrap();
}

// CMD-2
#[tokio::test]
async fn dev_is_given_to_its_environment() {
    assert_eq!(exit_of(&["dev", "--exit-when-ready", "--port", "7"], Some(Box::new(Environment))).await, code(42));
}

// CMD-2a
#[tokio::test]
async fn replicas_are_made_by_the_function_that_the_program_names() {
    let exit_of_source = async |source: OperatorSource, replicas: &str| {
        let args = ["demo", "dev", "--replicas", replicas].map(OsString::from);
        format!("{:?}", main_from(args, source, Some(Box::new(Environment))).await)
    };
    assert_eq!(exit_of_source(OperatorSource::of(|| Operator::new("demo")), "3").await, code(3));
    assert_eq!(exit_of_source(Operator::new("demo").into(), "3").await, code(2));
    assert_eq!(exit_of_source(Operator::new("demo").into(), "1").await, code(1), "as without the flag");
}

// CMD-2a
#[test]
fn a_wrong_replica_count_is_reported_with_flag_value_and_range() {
    for number in ["0", "10", "-1"] {
        let error = Cli::try_parse_from(["demo", "dev", &format!("--replicas={number}")]).unwrap_err().to_string();
        for part in ["--replicas", &format!("'{number}'"), "1..=9"] {
            assert!(error.contains(part), "{part} is missing in {error}");
        }
    }
}

// CMD-3, CMD-4, CMD-5, CMD-6
#[tokio::test]
async fn commands_that_only_print_need_no_cluster() {
    let deploy = &["deploy", "--image", "i", "--namespace", "n"];
    for args in [&["crds"][..], &["rbac", "--prefix", "x"], deploy, &["version"], &["--version"], &["-V"], &["--help"]] {
        assert_eq!(exit_of(args, None).await, code(0), "{args:?}");
    }
}

// CMD-7
#[test]
fn the_graph_of_a_contract_is_printed_in_the_language_asked_for() {
    let (a, b) = (ComponentType::new("Database"), ComponentType::new("Shop"));
    let member = |type_, edges| Member { type_, keep_running: false, edges };
    let edge = Edge { to: a, kind: EdgeKind::Needs(Revision::ReadyOnly) };
    let graph = Graph::new(vec![member(a, Vec::new()), member(b, vec![edge])]).unwrap();
    let mut declarations = Declarations::default();
    let charts = |args: &[&str], declarations: &Declarations| {
        let cli = Cli::try_parse_from(["demo", "graph"].iter().chain(args)).unwrap();
        let Some(Command::Graph(args)) = cli.command else { panic!("another command") };
        args.charts(declarations)
    };
    assert_eq!(charts(&[], &declarations), None);
    declarations.graph("Market of example.com", graph.clone());
    assert_eq!(charts(&[], &declarations), Some(format!("%% Market of example.com\n{}", graph.to_mermaid())));
    assert_eq!(charts(&["--format", "dot"], &declarations), Some(format!("// Market of example.com\n{}", graph.to_dot())));
}

// CMD-4
#[test]
fn roles_come_with_a_service_account_where_its_namespace_is_known() {
    let printed = |args: &[&str]| {
        let cli = Cli::try_parse_from(["demo", "rbac"].iter().chain(args)).unwrap();
        let Some(Command::Rbac(args)) = cli.command else { panic!("another command") };
        let (documents, _) = args.documents(Operator::new("demo").leadership(Leadership::off()));
        let text = |document: &Value, pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned();
        let line = |document: &Value| {
            let subject = text(document, "/subjects/0/namespace");
            format!("{} {} {subject}", text(document, "/kind"), text(document, "/metadata/namespace"))
        };
        documents.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(printed(&[]), ["ClusterRole - -"]);
    assert_eq!(printed(&["--watch-namespaces", "", "--system-namespace", ""]), ["ClusterRole - -"]);
    assert_eq!(printed(&["--system-namespace", "s"]), ["ClusterRole - -", "ServiceAccount s -", "ClusterRoleBinding - s"]);
    // This operator needs only permissions for events, and these are in the namespaces.
    assert_eq!(
        printed(&["--watch-namespaces", "a,b"]),
        ["Role a -", "Role b -", "ServiceAccount a -", "RoleBinding a a", "RoleBinding b a"]
    );
    assert_eq!(
        printed(&["--watch-namespaces", "a", "--system-namespace", "s"]),
        ["Role a -", "ServiceAccount s -", "RoleBinding a s"]
    );
}

// CMD-4, flow-and-contract.md, 14
#[test]
fn the_printed_roles_allow_reading_the_config_map_of_the_timing() {
    let printed = |operator: Operator, args: &[&str]| {
        let line = ["demo", "rbac", "--system-namespace", "s"];
        let cli = Cli::try_parse_from(line.iter().chain(args)).unwrap();
        let Some(Command::Rbac(args)) = cli.command else { panic!("another command") };
        let (documents, _) = args.documents(operator.leadership(Leadership::off()));
        let reads = |document: &&Value| document["rules"].to_string().contains("configmaps");
        let title = |document: &Value| format!("{} {}", document["kind"], document["metadata"]["namespace"]).replace('"', "");
        documents.iter().filter(reads).map(title).collect::<Vec<_>>()
    };
    assert_eq!(printed(Operator::new("demo"), &[]), [] as [&str; 0]);
    assert_eq!(printed(Operator::new("demo").timing_from_config(), &[]), ["Role s"]);
    assert_eq!(printed(Operator::new("demo"), &["--config-timing-name", "delays"]), ["Role s"]);
}

const REFERENCE: &str = include_str!("../../../../../docs/src/reference/running.md");

/// Returns the first two columns of the table below a heading.
fn documented(heading: &str) -> BTreeSet<Vec<String>> {
    let section = REFERENCE.split_once(&format!("## {heading}\n")).unwrap().1;
    let table = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.split('|').skip(1).take(2).map(|cell| cell.trim().replace('`', "")).collect();
    table.skip(2).map(cells).collect()
}

/// Returns the flags of a command, each with its variable.
fn arguments(command: &clap::Command) -> BTreeSet<Vec<String>> {
    let flags = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "version" && arg.get_id() != "help");
    let row = |arg: &clap::Arg| {
        let variable = arg.get_env().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Some(vec![format!("--{}", arg.get_long()?), variable])
    };
    flags.filter_map(row).collect()
}

#[test]
fn the_book_knows_all_flags_and_variables() {
    let command = Cli::command();
    assert_eq!(documented("Flags"), arguments(&command));
    let rbac = command.find_subcommand("rbac").unwrap();
    assert_eq!(documented("Roles"), arguments(rbac));
    let deploy = command.find_subcommand("deploy").unwrap();
    assert_eq!(documented("Manifests"), arguments(deploy));
}

// 14
#[test]
fn the_book_knows_all_delays_and_their_defaults() {
    let parts = |text: &str| text.split(", ").map(str::to_owned).collect::<Vec<_>>();
    let rows = documented("Delays and limits");
    let told: BTreeSet<(String, String)> = rows.iter().flat_map(|row| parts(&row[0]).into_iter().zip(parts(&row[1]))).collect();
    let texts = kubewright_core::backoff::Timing::default().texts();
    let known: BTreeSet<(String, String)> = texts.into_iter().map(|(key, text)| (key.to_owned(), text)).collect();
    assert_eq!(told, known);
}

#[test]
fn the_book_knows_all_metrics_of_the_runtime() {
    let code = [
        include_str!("../../metrics/standard.rs"),
        include_str!("../../metrics/queues.rs"),
        include_str!("../../api/counters.rs"),
        include_str!("../../api/http_metrics.rs"),
        include_str!("../../watch/inspect.rs"),
        include_str!("../../leadership/metrics.rs"),
    ];
    let code = code.join("").split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
    let named = |call: &str| {
        let rest = code.split(call).skip(1);
        rest.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect::<Vec<_>>()
    };
    let known: BTreeSet<String> = [".register(\"", ".register_bare(\"", "family(\""].into_iter().flat_map(named).collect();
    let told: BTreeSet<String> = documented("Metrics").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(told, known);
}

#[test]
fn the_alerts_of_the_book_are_about_metrics_that_there_are() {
    let (guide, components) =
        (include_str!("../../../../../docs/src/production.md"), include_str!("../../../../../docs/src/reference/components.md"));
    let is_told = |name: &str| {
        let counter = name.strip_suffix("_total").unwrap_or(name);
        [name, counter].iter().any(|name| [REFERENCE, components].iter().any(|page| page.contains(&format!("\n| `{name}` |"))))
    };
    let named = guide.split("kubewright_").skip(1);
    let named: BTreeSet<&str> =
        named.filter_map(|rest| rest.split(|c: char| !c.is_ascii_lowercase() && c != '_').next()).collect();
    assert!(named.len() > 5, "{named:?}");
    let unknown: Vec<&&str> = named.iter().filter(|name| !is_told(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
