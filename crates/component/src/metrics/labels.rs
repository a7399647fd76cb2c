use prometheus_client::encoding::EncodeLabelSet;

/// A controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ControllerLabels {
    pub(super) controller: String,
}

/// What is done with a dependent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OperationLabels {
    pub(super) controller: String,
    pub(super) action: &'static str,
}

/// Why a request failed: the status code, or `other`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ErrorLabels {
    pub(super) controller: String,
    pub(super) r#type: String,
}
