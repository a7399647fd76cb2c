//! The forms in which the names of own and of dependency finalizers are written (FZ-1).

use super::{FinalizerName, InvalidFinalizerName};

/// The form of a controller's own finalizer, which is made of a domain and a type. Dependency finalizers have the same form in all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FinalizerForm {
    /// The form `<domain>/<t>`, for instance `example.com/apiserver`.
    #[default]
    DomainSlashKind,
    /// The form `<t>.<domain>`, for instance `apiserver.example.com`, as other operators have written it.
    KindDotDomain,
    /// The form `<domain>.<t>`, for instance `example.com.apiserver`, as other operators have written it.
    DomainDotKind,
}

impl FinalizerName {
    /// Returns the name of the own finalizer of a type in this form. The type is written in lower case.
    pub fn in_form(form: FinalizerForm, domain: &str, type_: &str) -> Result<Self, InvalidFinalizerName> {
        let type_ = type_.to_ascii_lowercase();
        match form {
            FinalizerForm::DomainSlashKind => Self::parse(format!("{domain}/{type_}")),
            FinalizerForm::KindDotDomain => Self::unqualified(format!("{type_}.{domain}")),
            FinalizerForm::DomainDotKind => Self::unqualified(format!("{domain}.{type_}")),
        }
    }

    /// Returns the name of the finalizer that a component of the type `depending` puts on a component that it depends on: `dependency.<domain>/<t>`.
    /// `instance`, a hash of namespace and name, is appended for depending components that do not have the name of their dependency (FZ-2).
    pub fn dependency(domain: &str, depending: &str, instance: Option<&str>) -> Result<Self, InvalidFinalizerName> {
        let depending = depending.to_ascii_lowercase();
        Self::parse(match instance {
            Some(instance) => format!("{}{depending}.{instance}", dependency_prefix(domain)),
            None => format!("{}{depending}", dependency_prefix(domain)),
        })
    }
}

/// Returns the prefix of the names of all dependency finalizers of a domain.
pub(super) fn dependency_prefix(domain: &str) -> String {
    format!("dependency.{domain}/")
}
