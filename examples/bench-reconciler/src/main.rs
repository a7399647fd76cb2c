//! A contestant, selected by the variables of [`bench_reconciler::recorder`].

use std::sync::Arc;

use bench_reconciler::recorder::{CONTESTANT, Recorder, WORKERS, number};
use bench_reconciler::{floor, on_kube, ours, stores};
use kube::Client;
use kubewright::prelude::*;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let contestant = std::env::var(CONTESTANT)?;
    if let Some(operator) = stores::operator(&contestant) {
        return Ok(operator.main().await);
    }
    let recorder = Recorder::from_env()?;
    match &*contestant {
        "floor" => floor::run(Client::try_default().await?, &recorder).await?,
        "kube" => on_kube::run(Client::try_default().await?, Arc::new(recorder), number(WORKERS)?).await,
        "ours" => return Ok(ours::idle(recorder).main().await),
        "disturbed" => return Ok(ours::disturbed(recorder).main().await),
        other => return Err(format!("{CONTESTANT}={other:?}: no such contestant").into()),
    }
    Ok(ExitCode::SUCCESS)
}
