//! The comparison of the embedded API server with a real one.
//!
//! Request [`script`]s are recorded from a real kube-apiserver and replayed against the embedded server; random [`histories`] are scripts too, and
//! run on both servers. The differential tests of kubectl and of clients in other languages, and the benchmark against the real server, belong to
//! this crate as well. `scripts/README.md` describes the files of scripts and how they are recorded.
//!
//! The crate is for contributors who work on the embedded server. It is not published, and authors of operators do not need it: their tests use
//! `kubewright-testing`.
//!
//! Modules, from low to high: `task`, [`script`], [`answers`], [`execution`], [`library`], [`results`], [`histories`].

pub mod answers;
pub mod execution;
pub mod histories;
pub mod library;
pub mod results;
pub mod script;
mod task;
