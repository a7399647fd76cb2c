mod api_error;
mod classify;
mod conclude;
mod confidential;
mod deadline;
mod denial;
mod ext;
mod halt;
mod join;
#[cfg(feature = "kube")]
mod kube_error;
mod matchers;
mod traits;
