//! Two hand-written reconcilers in one operator: addresses of Services, and pods by number.

use kubewright::prelude::*;

#[tokio::main]
async fn main() -> ExitCode {
    addressable_service::operator.main().await
}
