use prometheus_client::encoding::EncodeLabelSet;

/// The labels of series per controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ControllerSeriesLabels {
    pub(super) controller: String,
}

/// The labels of series per controller and operation on a dependent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OperationLabels {
    pub(super) controller: String,
    pub(super) action: &'static str,
}

/// The labels of series per controller and cause of an error: the status code, or `other`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ErrorLabels {
    pub(super) controller: String,
    pub(super) r#type: String,
}
