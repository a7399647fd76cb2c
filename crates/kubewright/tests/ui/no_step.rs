//! A type that is no step of a pipeline.

use kubewright::prelude::*;

struct Deploy;

fn main() {
    let _ = Pipeline::<()>::new("apply").group("workload", |group| group.write(Deploy));
}
