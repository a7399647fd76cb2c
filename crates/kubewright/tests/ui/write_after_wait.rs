//! FPIPE-13: a write step after a wait step of the same group.

use kubewright::prelude::*;

async fn act(_: &mut ()) -> Flow {
    Ok(())
}

fn main() {
    let _ = Pipeline::new("apply").group("workload", |group| group.wait(step!("rollout", act)).write(step!("deployment", act)));
}
