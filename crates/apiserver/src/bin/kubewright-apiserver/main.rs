//! The embedded API server as a program.

mod args;
mod seeds;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use kubewright_apiserver::{ApiServer, Identity};

use self::args::Args;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&format!("start: {error}")),
    };
    match runtime.block_on(serve(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

async fn serve(args: Args) -> Result<(), Failure> {
    let server = ApiServer::builder().workloads(args.stages.mode).stage_delays(args.stages.delays).build()?;
    // The journal serves tests in the same process; the program has none.
    server.journal().keep(1);
    for path in &args.seed {
        let created = seeds::create(&server, path).await?;
        say(&format!("created {created} objects of {}", path.display()));
    }
    let address = if args.address.contains(':') {
        format!("[{}]:{}", args.address, args.port)
    } else {
        format!("{}:{}", args.address, args.port)
    };
    let endpoint = if args.plain { server.listen_plain(&address).await? } else { server.listen(&address).await? };
    let kubeconfig = endpoint.kubeconfig(&Identity::admin())?;
    write_private(&args.kubeconfig, &kubeconfig)
        .map_err(|error| format!("write the kubeconfig {}: {error}", args.kubeconfig.display()))?;
    say(&format!("serving Kubernetes 1.36 on {}", endpoint.url()));
    say(&format!("try: kubectl --kubeconfig {} get namespaces", args.kubeconfig.display()));
    say("Ctrl-C ends it");
    tokio::signal::ctrl_c().await.map_err(|error| format!("wait for Ctrl-C: {error}"))?;
    endpoint.shutdown().await;
    Ok(())
}

/// Writes a file that only its owner can read, since a kubeconfig holds a private key.
fn write_private(path: &std::path::Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // An existing file keeps its mode when it is opened.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    file.write_all(text.as_bytes())
}

/// Prints a line. The server also serves when the reader of its output has gone.
fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn fail(message: &str) -> ExitCode {
    eprintln!("kubewright-apiserver: failed to {message}");
    ExitCode::FAILURE
}
