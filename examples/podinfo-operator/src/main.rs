//! An operator for podinfo: its kind, what it consists of, and this `main`.

mod api;
mod render;

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> std::process::ExitCode {
    Operator::new("podinfo-operator.demo.kubewright.dev")
        .sample(include_str!("../sample.yaml"))
        .component::<api::Podinfo>(render::render)
        .main()
        .await
}
