//! The entry point of an operator program.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;
use kube::Config;
use kube::config::KubeConfigOptions;
use kubewright_core::flow::redact;
use kubewright_machinery::yaml;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::args::{Cli, ClusterArgs, Command, LogArgs, RunArgs};
use super::logging::{LogDefaults, set_up};
use super::namespace::system_namespace;
use super::{DevArgs, DevEnvironment, Interrupts, OperatorSource};
use crate::cluster::{ConnectError, config_from_file, infer_config};
use crate::operator::{Operator, OperatorError};

/// The default logs of an operator in a cluster, and of the command `dev`, which reports itself the errors that kube's client logs.
const RUN_LOGS: LogDefaults = LogDefaults { filter: None, json_in_pipes: true };
const DEV_LOGS: LogDefaults = LogDefaults { filter: Some("warn,kube_client=off"), json_in_pipes: false };

/// The exit code of a wrong command line.
const USAGE: u8 = 2;

/// Parses the command line of the process and runs the command. It prints errors; `main` must return the result.
pub async fn main(operator: impl Into<OperatorSource>, dev: Option<Box<dyn DevEnvironment>>) -> ExitCode {
    main_from(std::env::args_os(), operator, dev).await
}

/// Parses a given command line, whose first word is the name of the program, and runs its command like `main`.
pub async fn main_from(
    args: impl IntoIterator<Item = OsString>,
    operator: impl Into<OperatorSource>,
    dev: Option<Box<dyn DevEnvironment>>,
) -> ExitCode {
    let source = operator.into();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // If the output is closed, there is no reader left.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE));
        }
    };
    if cli.version {
        return print(&format!("{}\n", source.into_operator().version_line()));
    }
    match cli.command.unwrap_or_else(|| Command::Run(Box::new(cli.run))) {
        Command::Run(args) => run(source.into_operator(), *args).await,
        Command::Dev { dev: args, logging } => match dev {
            Some(environment) => try_out(source, args, &logging, environment).await,
            None => usage(
                "run the command `dev`: this program was built without it; enable the feature `dev` of the crate kubewright",
            ),
        },
        Command::Crds => print_documents(source.into_operator().declarations().crds()),
        Command::Graph(args) => match args.charts(&source.into_operator().declarations()) {
            Some(charts) => print(&charts),
            None => usage("print the graph: no controller of the operator is under a contract"),
        },
        Command::Rbac(args) => {
            let (documents, remarks) = args.documents(source.into_operator());
            remind(&remarks);
            print_documents(&documents)
        }
        Command::Deploy(args) => match args.documents(source.into_operator()) {
            Ok((documents, remarks)) => {
                remind(&remarks);
                print_documents(&documents)
            }
            Err(error) => usage(error),
        },
        Command::Version => print(&format!("{}\n", source.into_operator().version_line())),
    }
}

/// Runs the command `dev`.
async fn try_out(source: OperatorSource, args: DevArgs, logging: &LogArgs, environment: Box<dyn DevEnvironment>) -> ExitCode {
    if args.replicas > 1 && !source.is_repeatable() {
        return usage(format!(
            "run {} replicas: this program makes its operator once; give `main` the function that makes it, as in `operator.main()` in place \
             of `operator().main()`, or leave out --replicas",
            args.replicas
        ));
    }
    match set_up(source.operator(), logging, &DEV_LOGS) {
        Ok(_) => environment.run(source, args).await,
        Err(error) => usage(error),
    }
}

async fn run(operator: Operator, args: RunArgs) -> ExitCode {
    // Every log line contains the instance, so it must be known first.
    let operator = operator.options(|options| options.instance = args.instance(options.instance.take()));
    let operator = match set_up(&operator, &args.logging, &RUN_LOGS) {
        Ok(Some(control)) => operator.on_log_levels(control),
        Ok(None) => operator,
        Err(error) => return usage(error),
    };
    let mut interrupts = match Interrupts::listen() {
        Ok(interrupts) => interrupts,
        Err(error) => return failed(1, format!("listen for signals: {error}")),
    };
    let shutdown = CancellationToken::new();
    let version = operator.version_line();
    tracing::info!("{version}");
    let mut running = Box::pin(connect_and_run(operator, args, shutdown.clone()));
    let mut signals = 0;
    loop {
        tokio::select! {
            biased;
            signal = interrupts.next() => {
                signals += 1;
                if signals > 1 {
                    return failed(1, format!("shut down in order: {signal} came while shutting down"));
                }
                tracing::info!(signal, "shutting down; a second signal ends the process at once");
                shutdown.cancel();
            }
            result = &mut running => return match result {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed(error.exit_code(), describe(&error)),
            },
        }
    }
}

async fn connect_and_run(operator: Operator, args: RunArgs, shutdown: CancellationToken) -> Result<(), OperatorError> {
    let config = config(&args.cluster).await?;
    // The address may contain a password.
    tracing::info!(server = %redact(&config.cluster_url.to_string()), "connecting");
    let detected = system_namespace(&args.cluster);
    let operator = operator.options(|options| {
        args.apply(options);
        options.system_namespace = options.system_namespace.take().or(detected);
    });
    operator.run_config(config, shutdown).await
}

pub(super) async fn config(args: &ClusterArgs) -> Result<Config, ConnectError> {
    let options = KubeConfigOptions { context: args.context.clone(), cluster: args.cluster.clone(), user: None };
    let mut config = match &args.kubeconfig {
        Some(path) => config_from_file(path, &options).await?,
        None if args.context.is_none() && args.cluster.is_none() => infer_config().await?,
        None => {
            let named = std::env::var_os("KUBECONFIG").map_or_else(|| PathBuf::from("~/.kube/config"), PathBuf::from);
            let refused = |source| ConnectError::Kubeconfig { path: named, source: Box::new(source) };
            Config::from_kubeconfig(&options).await.map_err(refused)?
        }
    };
    if let (Some(server), None) = (&args.server, &args.cluster) {
        config.cluster_url = server.clone();
    }
    Ok(config)
}

/// Warns the author of the operator about likely omissions.
fn remind(remarks: &[String]) {
    for remark in remarks {
        // If the output is closed, there is no reader left.
        let _ = writeln!(io::stderr(), "warning: {remark}");
    }
}

fn print_documents<'a>(documents: impl IntoIterator<Item = &'a Value>) -> ExitCode {
    let mut text = String::new();
    for document in documents {
        text.push_str("---\n");
        text.push_str(&yaml::to_string(document));
    }
    print(&text)
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe because it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(1, format!("write to the output: {error}")),
    }
}

fn usage(error: impl ToString) -> ExitCode {
    failed(USAGE, error.to_string())
}

fn failed(code: u8, message: String) -> ExitCode {
    // If the output is closed, there is no reader left.
    let _ = writeln!(io::stderr(), "error: failed to {message}");
    ExitCode::from(code)
}

/// Returns the texts of an error and its sources, each text once.
fn describe(error: &(dyn Error + 'static)) -> String {
    kubewright_core::flow::full_text(error)
}
