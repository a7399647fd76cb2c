//! `.Capabilities`.

use std::any::Any;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use kubewright_template::{FunctionError, GoObject, GoValue, Parameter, Signature};

use super::capabilities::ChartCapabilities;
use crate::compat::HelmCompat;
use crate::host::ChartHost;

const NOTHING: Signature = Signature::of(&[]);

/// The facts that all objects below `.Capabilities` share.
#[derive(Clone)]
struct CapabilitiesView {
    capabilities: Arc<ChartCapabilities>,
    host: Rc<dyn ChartHost>,
    compat: HelmCompat,
}

impl fmt::Debug for CapabilitiesView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.capabilities.fmt(f)
    }
}

/// `.Capabilities`: a pointer to a struct.
#[derive(Debug)]
pub(crate) struct CapabilitiesObject(CapabilitiesView);

impl CapabilitiesObject {
    /// Creates the object. The host is told which of them a template asks for.
    pub(crate) fn new(capabilities: Arc<ChartCapabilities>, host: Rc<dyn ChartHost>, compat: HelmCompat) -> Self {
        Self(CapabilitiesView { capabilities, host, compat })
    }
}

impl GoObject for CapabilitiesObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        match self.0.compat {
            HelmCompat::Helm4 => "*common.Capabilities",
            HelmCompat::Helm3 => "*chartutil.Capabilities",
        }
    }

    fn kind(&self) -> &'static str {
        "ptr"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        match name {
            "KubeVersion" => Some(GoValue::object(KubeVersionObject(self.0.clone()))),
            "APIVersions" => Some(GoValue::object(VersionSetObject(self.0.clone()))),
            "HelmVersion" => Some(GoValue::object(BuildInfoObject(self.0.compat))),
            _ => None,
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["KubeVersion", "APIVersions", "HelmVersion"]
    }
}

/// `.Capabilities.KubeVersion`.
#[derive(Debug)]
struct KubeVersionObject(CapabilitiesView);

impl KubeVersionObject {
    fn version(&self) -> &str {
        self.0.host.kubernetes_version_asked();
        self.0.capabilities.kubernetes.shown(self.0.compat)
    }
}

impl GoObject for KubeVersionObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        match self.0.compat {
            HelmCompat::Helm4 => "common.KubeVersion",
            HelmCompat::Helm3 => "chartutil.KubeVersion",
        }
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        let version = self.version();
        let kubernetes = &self.0.capabilities.kubernetes;
        match name {
            "Version" => Some(version.into()),
            "Major" => Some(kubernetes.major.to_string().into()),
            "Minor" => Some(kubernetes.minor.to_string().into()),
            _ => None,
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Version", "Major", "Minor"]
    }

    fn method(&self, name: &str) -> Option<Signature> {
        matches!(name, "String" | "GitVersion").then_some(NOTHING)
    }

    fn call(&self, name: &str, _arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        Ok(match name {
            "GitVersion" => self.version().into(),
            _ => self.text().unwrap_or_default().into(),
        })
    }

    fn text(&self) -> Option<String> {
        self.0.host.kubernetes_version_asked();
        Some(self.0.capabilities.kubernetes.normalized.clone())
    }
}

/// `.Capabilities.APIVersions`.
#[derive(Debug)]
struct VersionSetObject(CapabilitiesView);

impl GoObject for VersionSetObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        match self.0.compat {
            HelmCompat::Helm4 => "common.VersionSet",
            HelmCompat::Helm3 => "chartutil.VersionSet",
        }
    }

    fn kind(&self) -> &'static str {
        "slice"
    }

    fn method(&self, name: &str) -> Option<Signature> {
        (name == "Has").then_some(Signature::of(&[Parameter::String]))
    }

    fn call(&self, _name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let Some(GoValue::String(version)) = arguments.first() else { return Ok(false.into()) };
        let version = version.to_text();
        let is_served = self.0.capabilities.api_versions.iter().any(|served| *served == version);
        self.0.host.api_version_asked(&version, is_served);
        Ok(is_served.into())
    }

    fn elements(&self) -> Option<GoValue> {
        self.0.host.api_versions_asked();
        Some(GoValue::strings(self.0.capabilities.api_versions.iter().map(String::as_str)))
    }
}

/// `.Capabilities.HelmVersion`.
#[derive(Debug)]
struct BuildInfoObject(HelmCompat);

impl GoObject for BuildInfoObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "version.BuildInfo"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        match name {
            "Version" => Some(self.0.version().into()),
            "GitCommit" | "GitTreeState" | "GoVersion" => Some("".into()),
            _ => None,
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Version", "GitCommit", "GitTreeState", "GoVersion"]
    }
}
