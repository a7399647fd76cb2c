use std::fmt;

use kubewright_core::contract::GenerationFields;

/// The names of the fields in the common part of a status.
pub trait StatusForm: fmt::Debug + Send + Sync + 'static {
    /// The names of the generations.
    const GENERATIONS: GenerationFields;
    /// The field of the owner's status that contains its phase.
    const PHASE: &'static str;
}

/// The names of the standard format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardForm {}

impl StatusForm for StandardForm {
    const GENERATIONS: GenerationFields = GenerationFields::STANDARD;
    const PHASE: &'static str = "phase";
}

/// The names of the openmcp mcp-operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenmcpForm {}

impl StatusForm for OpenmcpForm {
    const GENERATIONS: GenerationFields = GenerationFields::OPENMCP;
    const PHASE: &'static str = "status";
}
