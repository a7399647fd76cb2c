//! Branches that run concurrently.

use std::future::Future;

use futures::{StreamExt as _, stream};
use kubewright_core::flow::{Flow, Joined, join};

/// Runs labelled branches, at most `limit` at the same time (0 counts as 1), and joins their outcomes in the given order, not in the order of their ends. A
/// halt of one branch never stops the others (BR-1).
///
/// ```
/// # use kubewright_core::flow::{Failure, Flow};
/// # use kubewright_runtime::step::join_all;
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// async fn delete(child: &str) -> Flow {
///     if child == "b" { Failure::msg("it is locked").into() } else { Ok(()) }
/// }
/// let all = join_all(2, ["a", "b", "c"].map(|child| (child, delete(child)))).await;
/// assert_eq!(all.unwrap_err().text(), "b: it is locked");
/// # }
/// ```
pub async fn join_all<T, L, B>(limit: usize, branches: impl IntoIterator<Item = (L, B)>) -> Flow<Joined<T>>
where
    L: Into<String>,
    B: Future<Output = Flow<T>>,
{
    join(run_all(limit, branches).await)
}

/// Runs labelled branches, at most `limit` at the same time (0 counts as 1), and returns their outcomes in the given order: for callers that run several
/// groups of branches one after another and [`join`] all of them at the end.
pub async fn run_all<T, L, B>(limit: usize, branches: impl IntoIterator<Item = (L, B)>) -> Vec<(L, Flow<T>)>
where
    B: Future<Output = Flow<T>>,
{
    let branches: Vec<_> = branches.into_iter().enumerate().map(|(index, (label, branch))| ended(index, label, branch)).collect();
    let mut ended: Vec<_> = stream::iter(branches).buffer_unordered(limit.max(1)).collect().await;
    ended.sort_by_key(|(index, ..)| *index);
    ended.into_iter().map(|(_, label, outcome)| (label, outcome)).collect()
}

async fn ended<T, L, B: Future<Output = Flow<T>>>(index: usize, label: L, branch: B) -> (usize, L, Flow<T>) {
    (index, label, branch.await)
}
