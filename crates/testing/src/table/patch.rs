use kubewright_runtime::cluster::PatchKind;
use serde_json::Value;

/// An expected patch, of which all parts are compared.
#[derive(Clone, Debug)]
pub struct Patch {
    pub(super) kind: PatchKind,
    pub(super) resource: String,
    pub(super) subresource: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) body: PatchBody,
}

/// The body of an expected patch.
#[derive(Clone, Debug)]
pub(super) enum PatchBody {
    /// A text, which is compared byte for byte.
    Text(String),
    /// A value, which is compared as JSON.
    Json(Value),
}

impl Patch {
    /// Expects a patch of an object. The resource is its plural name, followed by a dot and the group unless that is the core group.
    pub fn new(kind: PatchKind, resource: &str, namespace: &str, name: &str) -> Self {
        let [resource, namespace, name] = [resource, namespace, name].map(str::to_owned);
        Self { kind, resource, subresource: String::new(), namespace, name, body: PatchBody::Text(String::new()) }
    }

    /// Expects the patch to be of this subresource.
    #[must_use]
    pub fn subresource(mut self, name: &str) -> Self {
        name.clone_into(&mut self.subresource);
        self
    }

    /// Expects this body, byte for byte.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        self.body = PatchBody::Text(text.to_owned());
        self
    }

    /// Expects a body with this value as JSON.
    #[must_use]
    pub fn body_json(mut self, value: Value) -> Self {
        self.body = PatchBody::Json(value);
        self
    }
}
