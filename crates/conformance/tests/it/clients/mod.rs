//! Clients of other projects: kube-rs in this process, and programs with client-go, Knative's library and the Python client in processes of their
//! own. The server must behave as these clients expect.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper that fails, fails its test")]

mod go_replicas;
mod kube_rs;
mod program;

// EVD-7, SCLI-14, REQ-2, PB-6: typed clients that speak protobuf, informers, server-side apply, leader election.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_go_program_succeeds_against_the_server() {
    program::passes("go").await;
}

// EVD-7: typed and dynamic client, watches, custom objects.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_python_client_program_succeeds_against_the_server() {
    program::passes("python").await;
}

// EVD-7, LDR-10, LDR-12, LDR-23, HSH-5: names, owners of keys and released records are those of replicas on Knative's library.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_on_the_library_of_knative_hands_its_buckets_over() {
    go_replicas::hand_over().await;
}
