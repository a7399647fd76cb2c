//! The keys of the labels and annotations that begin with the name of an operator, without this prefix: the whole key is `<name>/<key>`.
//!
//! A test compares the tables of `docs/src/reference/components.md` with the lists at the end.

/// The policy for an object that exists already and has another owner or none.
pub const ADOPTION_POLICY: &str = "adoption-policy";
/// The policy for the changes that cause the object to be written again.
pub const RECONCILE_POLICY: &str = "reconcile-policy";
/// The policy for writing changes.
pub const UPDATE_POLICY: &str = "update-policy";
/// The policy for an object that is no longer wanted.
pub const DELETE_POLICY: &str = "delete-policy";
/// The interval after which an unchanged object is applied again.
pub const REAPPLY_INTERVAL: &str = "reapply-interval";
/// The wave in which the object is applied.
pub const APPLY_ORDER: &str = "apply-order";
/// The wave after which the object is deleted again.
pub const PURGE_ORDER: &str = "purge-order";
/// The wave in which the object is deleted.
pub const DELETE_ORDER: &str = "delete-order";
/// The hints about the readiness of the object.
pub const STATUS_HINT: &str = "status-hint";
/// The stage of the component's deletion in which the object is applied.
pub const LIFECYCLE: &str = "lifecycle";

/// Turns off the events on the dependents of a component.
pub const DISABLE_EVENTS: &str = "disable-events";
/// Leaves out the objects of deletion stages of a component.
pub const SKIP_DELETION_HOOKS: &str = "skip-deletion-hooks";
/// Lets a component go while its dependents stay.
pub const ABANDON_DEPENDENTS: &str = "abandon-dependents";

/// The owner of a dependent: a hash as label, and the plain owner id as annotation.
pub const OWNER_ID: &str = "owner-id";
/// The digest of the manifest that was applied.
pub const DIGEST: &str = "digest";

/// The annotations on manifests.
pub const ON_MANIFESTS: [&str; 10] = [
    ADOPTION_POLICY,
    RECONCILE_POLICY,
    UPDATE_POLICY,
    DELETE_POLICY,
    REAPPLY_INTERVAL,
    APPLY_ORDER,
    PURGE_ORDER,
    DELETE_ORDER,
    STATUS_HINT,
    LIFECYCLE,
];

/// The annotations on components; a manifest that is a component may have them, too.
pub const ON_COMPONENTS: [&str; 3] = [DISABLE_EVENTS, SKIP_DELETION_HOOKS, ABANDON_DEPENDENTS];
